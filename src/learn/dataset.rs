//! Looking after files of games: reading, merging, shuffling, sampling.

use std::{
    collections::HashSet,
    io,
    path::{Path, PathBuf},
    slice,
};

use super::{
    chunks::{self, ENDING},
    format::{Game, Reader},
};
use crate::{
    position::fen::{self, FenStyle},
    tools::openings::Random,
};

/// Bytes of games that a merged file holds: even if they didn't compress at all, the file would
/// stay under [`chunks::MOST_BYTES`].
const MERGED: usize = chunks::MOST_BYTES - chunks::OVERHEAD;

/// Writes games into new numbered files `NAME-000000.viri.zst` and so on, each under
/// [`chunks::MOST_BYTES`].
#[derive(Debug)]
pub struct Output {
    stem: PathBuf,
    files: Vec<PathBuf>,
    pending: Vec<u8>,
}

impl Output {
    /// Files whose names begin with `stem`; their folder is made if it isn't there.
    ///
    /// # Errors
    /// When the folder can't be made.
    pub fn new(stem: &Path) -> io::Result<Output> {
        chunks::make_folder_of(stem)?;
        Ok(Output {
            stem: stem.to_owned(),
            files: Vec::new(),
            pending: Vec::new(),
        })
    }

    /// Adds a game and its asides.
    ///
    /// # Errors
    /// When a file can't be written, or is there already.
    pub fn add(&mut self, group: &[Game]) -> io::Result<()> {
        let bytes: usize = group.iter().map(Game::stored_bytes).sum();
        if self.pending.len() + bytes > MERGED {
            self.flush()?;
        }
        for game in group {
            game.write(&mut self.pending);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut path = self.stem.as_os_str().to_owned();
        path.push(format!("-{:06}{ENDING}", self.files.len()));
        let path = PathBuf::from(path);
        chunks::write_new(&path, &self.pending)?;
        self.files.push(path);
        self.pending.clear();
        Ok(())
    }

    /// Writes what is left and returns the files.
    ///
    /// # Errors
    /// When the last file can't be written.
    pub fn finish(mut self) -> io::Result<Vec<PathBuf>> {
        if !self.pending.is_empty() {
            self.flush()?;
        }
        Ok(self.files)
    }
}

/// All games of some files, of a damaged one those before the damage.
pub struct Games<'a> {
    files: slice::Iter<'a, PathBuf>,
    open: Option<(&'a Path, Reader<Box<dyn io::Read>>)>,
    note: &'a mut dyn FnMut(&str),
}

impl<'a> Games<'a> {
    /// Reads `files`, and tells `note` what is wrong with one.
    pub fn new(files: &'a [PathBuf], note: &'a mut dyn FnMut(&str)) -> Games<'a> {
        Games {
            files: files.iter(),
            open: None,
            note,
        }
    }
}

impl Iterator for Games<'_> {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        loop {
            if let Some((path, reader)) = &mut self.open {
                match reader.next() {
                    Some(Ok(game)) => return Some(game),
                    Some(Err(fault)) => (self.note)(&format!("{}: {fault}", path.display())),
                    None => {}
                }
            }
            let path = self.files.next()?;
            match chunks::open(path) {
                Ok(reader) => self.open = Some((path, reader)),
                Err(error) => {
                    self.open = None;
                    (self.note)(&error.to_string());
                }
            }
        }
    }
}

/// All games of some files, each with its asides behind it.
struct Groups<'a> {
    games: Games<'a>,
    next: Option<Game>,
}

impl Groups<'_> {
    fn new<'a>(files: &'a [PathBuf], note: &'a mut dyn FnMut(&str)) -> Groups<'a> {
        Groups {
            games: Games::new(files, note),
            next: None,
        }
    }
}

impl Iterator for Groups<'_> {
    type Item = Vec<Game>;

    fn next(&mut self) -> Option<Vec<Game>> {
        let mut group = vec![self.next.take().or_else(|| self.games.next())?];
        for game in self.games.by_ref() {
            if !game.aside {
                self.next = Some(game);
                break;
            }
            group.push(game);
        }
        Some(group)
    }
}

/// Writes all games into few files, leaving out those that begin where an earlier one does if
/// `unique`. Returns the new files and how many games were left out. `note` is told what is wrong
/// with a file, which is read up to there.
///
/// # Errors
/// When a file can't be written.
pub fn merge(
    files: &[PathBuf],
    stem: &Path,
    unique: bool,
    note: &mut dyn FnMut(&str),
) -> io::Result<(Vec<PathBuf>, u64)> {
    let mut output = Output::new(stem)?;
    let mut starts = HashSet::new();
    let mut left_out = 0;
    for group in Groups::new(files, note) {
        if starts.insert(group[0].start.keys().whole) || !unique {
            output.add(&group)?;
        } else {
            left_out += 1;
        }
    }
    Ok((output.finish()?, left_out))
}

/// Writes all games in random order. They are all in memory meanwhile. `note` is told what is
/// wrong with a file, which is read up to there.
///
/// # Errors
/// When a file can't be written.
pub fn shuffle(
    files: &[PathBuf],
    stem: &Path,
    seed: u64,
    note: &mut dyn FnMut(&str),
) -> io::Result<Vec<PathBuf>> {
    let mut output = Output::new(stem)?;
    let mut games: Vec<Vec<Game>> = Groups::new(files, note).collect();
    let mut random = Random::new(seed);
    for last in (1..games.len()).rev() {
        games.swap(last, random.below(last as u64 + 1) as usize);
    }
    for game in &games {
        output.add(game)?;
    }
    output.finish()
}

/// So many games with their asides, or all if there are fewer, each as likely as another. `note`
/// is told what is wrong with a file, which is read up to there.
pub fn sample(
    files: &[PathBuf],
    count: usize,
    seed: u64,
    note: &mut dyn FnMut(&str),
) -> Vec<Vec<Game>> {
    let mut random = Random::new(seed);
    let mut chosen: Vec<Vec<Game>> = Vec::new();
    for (index, group) in Groups::new(files, note).enumerate() {
        // Reservoir sampling: the game takes the place of another one with the right chance.
        let place = random.below(index as u64 + 1) as usize;
        if chosen.len() < count {
            chosen.push(group);
        } else if let Some(chosen) = chosen.get_mut(place) {
            *chosen = group;
        }
    }
    chosen
}

/// One position of a game as text: FEN, score from White's side, White's points.
pub fn line(game: &Game, random: &mut Random) -> Option<String> {
    let ply = random.below(game.moves.len() as u64) as usize;
    let (position, _, score) = game.positions().nth(ply)?;
    let points = f64::from(game.result as u8) / 2.0;
    Some(format!(
        "{} | {score} | {points:.1}",
        fen::write(&position, FenStyle::Shredder)
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::learn::{
        datagen::{self, Progress},
        scratch::Scratch,
        stats,
    };
    use crate::nnue::Network;

    fn games(scratch: &Scratch) -> Vec<PathBuf> {
        let settings = datagen::Settings {
            network: Network::embedded(),
            folder: scratch.folder().to_owned(),
            play_out: false,
            nodes: 20,
            tablebases: None,
            asides: 30,
            threads: 1,
            seed: 4,
            games: Some(12),
            positions: None,
            chunk_games: 5,
        };
        datagen::run(&settings, &Progress::default(), || {}, &mut |_| {}).expect("games");
        chunks::files_in(scratch.folder()).expect("files")
    }

    /// What each game takes with its asides.
    fn bytes(files: &[PathBuf]) -> Vec<Vec<u8>> {
        let stored = |group: Vec<Game>| {
            let mut bytes = Vec::new();
            group.iter().for_each(|game| game.write(&mut bytes));
            bytes
        };
        Groups::new(files, &mut sound).map(stored).collect()
    }

    /// Hears of no fault.
    fn sound(note: &str) {
        panic!("{note}");
    }

    #[test]
    fn merging_and_shuffling_lose_nothing() {
        let (scratch, new) = (Scratch::new("dataset"), Scratch::new("dataset-new"));
        let files = games(&scratch);
        assert_eq!(files.len(), 3);
        let twice = [files.clone(), files.clone()].concat();
        let (merged, left_out) = merge(&twice, &new.path("in/new/a"), true, &mut sound).unwrap();
        assert_eq!((merged.len(), left_out), (1, 12));
        assert_eq!(bytes(&merged), bytes(&files));
        assert!(
            merge(&files, &new.path("in/new/a"), false, &mut sound).is_err(),
            "nothing is written twice"
        );

        let shuffled = shuffle(&files, &new.path("b"), 3, &mut sound).unwrap();
        let (mut before, mut after) = (bytes(&files), bytes(&shuffled));
        assert_ne!(before, after);
        before.sort();
        after.sort();
        assert_eq!(before, after);
        let stats = stats::count(&files, &mut sound);
        assert_eq!(stats.games(), 12);
        let shown = stats.to_string();
        assert!(
            shown.contains("games      12") && shown.contains("castlings"),
            "{shown}"
        );
    }

    #[test]
    fn samples_are_of_the_size_asked_for() {
        let scratch = Scratch::new("dataset-sample");
        let files = games(&scratch);
        assert_eq!(sample(&files, 5, 1, &mut sound).len(), 5);
        let all = sample(&files, 50, 1, &mut sound);
        assert_eq!(all.len(), 12);
        let line = line(&all[0][0], &mut Random::new(1)).expect("a game has moves");
        assert_eq!(line.split(" | ").count(), 3, "{line}");
    }

    #[test]
    fn a_damaged_file_is_used_up_to_the_damage() {
        let (scratch, new) = (Scratch::new("dataset-damage"), Scratch::new("dataset-rest"));
        let files = games(&scratch);
        let whole = bytes(&files);
        // The last byte is of the fifth game, or of one of its asides.
        let stored = zstd::decode_all(fs::read(&files[0]).unwrap().as_slice()).unwrap();
        let cut = zstd::encode_all(&stored[..stored.len() - 1], 1).unwrap();
        fs::write(&files[0], cut).unwrap();
        let mut all = files.clone();
        all.push(scratch.path("none.viri"));

        type Task = fn(&[PathBuf], &Path, &mut dyn FnMut(&str)) -> Vec<PathBuf>;
        let tasks: [Task; 2] = [
            |files, stem, note| merge(files, stem, false, note).unwrap().0,
            |files, stem, note| shuffle(files, stem, 1, note).unwrap(),
        ];
        for (index, task) in tasks.into_iter().enumerate() {
            let mut notes = Vec::new();
            let out = new.path(&index.to_string());
            let written = task(&all, &out, &mut |note| notes.push(note.to_owned()));
            assert!(
                matches!(&notes[..], [cut, none] if cut.contains("000000") && none.contains("none.viri")),
                "{notes:?}"
            );
            let rest = bytes(&written);
            let lost = whole.iter().filter(|group| !rest.contains(group)).count();
            assert!(rest.len() >= 11 && lost == 1, "{} {lost}", rest.len());
        }
        let mut notes = 0;
        let chosen = sample(&all, 50, 1, &mut |_| notes += 1);
        assert!(chosen.len() >= 11 && notes == 2);
        let mut notes = 0;
        let stats = stats::count(&all, &mut |_| notes += 1);
        assert!(stats.games() >= 11 && notes == 2);
    }
}
