//! Endgame tablebases: Syzygy's, read by `shakmaty-syzygy`.
//!
//! Files are read where they are asked for, not mapped: a disk that fails costs an answer, not the
//! game. Nobody verifies checksums, so a damaged table may be believed; nothing worse comes of it.

use std::{
    fmt, fs, io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use shakmaty::{Chess, Position as _};
use shakmaty_syzygy::{MaybeRounded, SyzygyError, Tablebase, Wdl};

use crate::position::Position;

/// The most men that a table can have.
pub const MOST_MEN: usize = 7;

/// What separates folders in a list of them.
const SEPARATORS: &[char] = if cfg!(windows) { &[';'] } else { &[':', ';'] };

/// Tables of one or more folders.
pub struct Tablebases {
    tables: Tablebase<Chess>,
    files: usize,
    /// Set when reading a table went wrong in a way that nobody foresaw.
    broken: AtomicBool,
    /// Whether that has been told.
    told: AtomicBool,
}

/// What perfect play makes of a position for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is mated.
    Loss,
    /// It would be mated if not for the fifty-move rule.
    BlessedLoss,
    /// Neither side mates.
    Draw,
    /// It would mate if not for the fifty-move rule.
    CursedWin,
    /// It mates.
    Win,
}

/// The distance to the next capture or pawn move of perfect play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// Plies, positive for a win of the side to move, negative for its loss, 0 for a draw. More
    /// than 100 means that the fifty-move rule comes first.
    pub plies: i32,
    /// Whether it may be one ply more.
    pub rounded: bool,
}

impl Tablebases {
    /// The tables in `folders`, a list that `;` separates, or `:` where that is no part of a path.
    /// Quotation marks around a folder are no part of it. In addition, a line on each folder or file
    /// that can't be used.
    ///
    /// # Errors
    /// When there is no table at all; the text says why.
    pub fn open(folders: &str) -> Result<(Tablebases, Vec<String>), String> {
        let mut tables = Tablebases {
            tables: Tablebase::new(),
            files: 0,
            broken: AtomicBool::new(false),
            told: AtomicBool::new(false),
        };
        let mut faults = Vec::new();
        // Whoever copies a path may have copied quotation marks around it.
        let folders = folders
            .split(SEPARATORS)
            .map(|folder| folder.trim().trim_matches('"'));
        for folder in folders.filter(|folder| !folder.is_empty()) {
            if let Err(error) = tables.add(Path::new(folder), &mut faults) {
                faults.push(format!("{folder}: {error}"));
            }
        }
        if tables.files > 0 {
            Ok((tables, faults))
        } else if faults.is_empty() {
            Err("there are no tables there".to_owned())
        } else {
            Err(faults.join("; "))
        }
    }

    fn add(&mut self, folder: &Path, faults: &mut Vec<String>) -> io::Result<()> {
        // In a fixed order, so that of two files with one table the same one counts always.
        let mut paths = fs::read_dir(folder)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<Vec<PathBuf>>>()?;
        paths.sort();
        for path in paths {
            match self.tables.add_file(&path) {
                Ok(()) => self.files += 1,
                // The file has not the name of a table.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
                Err(error) => faults.push(format!("{}: {error}", path.display())),
            }
        }
        Ok(())
    }

    /// How many files were found.
    pub fn files(&self) -> usize {
        self.files
    }

    /// The most men that a table has.
    pub fn most_men(&self) -> usize {
        self.tables.max_pieces()
    }

    /// Whether so many men or fewer, kings included, stand in `position` and nobody may castle any
    /// more: tables know nothing of castling.
    #[inline]
    pub fn covers(position: &Position, men: usize) -> bool {
        position.occupied().count() <= men && position.chess().castles().is_empty()
    }

    /// What becomes of a position just after a capture or pawn move. `None` if the tables that say
    /// so are missing or damaged.
    pub fn outcome(&self, position: &Position) -> Option<Outcome> {
        let wdl = self.read(|tables| tables.probe_wdl_after_zeroing(position.chess()))?;
        Some(match wdl {
            Wdl::Loss => Outcome::Loss,
            Wdl::BlessedLoss => Outcome::BlessedLoss,
            Wdl::Draw => Outcome::Draw,
            Wdl::CursedWin => Outcome::CursedWin,
            Wdl::Win => Outcome::Win,
        })
    }

    /// The distance to the next capture or pawn move. `None` if the tables that say so are missing
    /// or damaged.
    pub fn distance(&self, position: &Position) -> Option<Distance> {
        let dtz = self.read(|tables| tables.probe_dtz(position.chess()))?;
        Some(Distance {
            plies: dtz.ignore_rounding().into(),
            rounded: matches!(dtz, MaybeRounded::Rounded(_)),
        })
    }

    /// Whether the tables have just failed for good, so that somebody should say so: once `true`.
    pub fn failed(&self) -> bool {
        self.broken.load(Ordering::Relaxed) && !self.told.swap(true, Ordering::Relaxed)
    }

    fn read<T>(
        &self,
        probe: impl FnOnce(&Tablebase<Chess>) -> Result<T, SyzygyError>,
    ) -> Option<T> {
        if self.broken.load(Ordering::Relaxed) {
            return None;
        }
        match catch_unwind(AssertUnwindSafe(|| probe(&self.tables))) {
            Ok(result) => result.ok(),
            Err(_) => {
                self.broken.store(true, Ordering::Relaxed);
                None
            }
        }
    }
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebases")
            .field("files", &self.files)
            .field("most_men", &self.most_men())
            .finish_non_exhaustive()
    }
}
