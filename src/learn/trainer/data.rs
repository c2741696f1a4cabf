//! The positions that a network learns from, in memory.
//!
//! Files are read a few at a time, game by game, and of a game nothing is kept but its records of 32
//! bytes. Room for the records of all files is reserved when the first files have shown how many
//! there are in a byte, so that they are hardly ever moved.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    filter::{self, Counts},
    record::Record,
    scale::Histogram,
};
use crate::learn::{chunks, format::Game, yardstick::Yardstick};

/// Games are held out in thousandths.
const PARTS: u64 = 1000;
/// Files of each thread that are in memory before their records are put together.
const FILES_AT_ONCE: usize = 2;
/// Room that is reserved for each record that is expected.
const RESERVE: f64 = 1.02;

/// Which games a network is measured by.
#[derive(Clone, Debug, PartialEq)]
pub enum HeldOut {
    /// So many thousandths of the games, the same ones always.
    Part(u64),
    /// Those of these files. Games that begin as one of them does are not learned from.
    Files(Vec<PathBuf>),
}

/// What to train with.
#[derive(Debug)]
pub struct Sources {
    /// Files of games to learn from.
    pub games: Vec<PathBuf>,
    /// Games to measure by.
    pub held_out: HeldOut,
    /// Positions to measure by. They are not learned from where they come up in games.
    pub yardstick: Option<Yardstick>,
}

/// The positions of a set of games.
#[derive(Debug)]
pub struct Data {
    /// What the network learns from.
    pub training: Vec<Record>,
    /// What it is measured by: positions of games that it never sees.
    pub held_out: Vec<Record>,
    /// What else it is measured by.
    pub yardstick: Option<Yardstick>,
    /// How many positions there were.
    pub counts: Counts,
    /// The `K` that fits the games best.
    pub k: f64,
    /// What was wrong with files, of which only the games before the fault are used.
    pub faults: Vec<String>,
}

/// What becomes of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Training,
    HeldOut,
    /// It begins as one that is held out.
    Neither,
}

/// What comes of a file.
#[derive(Default)]
struct Part {
    training: Vec<Record>,
    held_out: Vec<Record>,
    /// The keys of the positions that held-out games begin with.
    starts: Vec<u64>,
    counts: Counts,
    histogram: Histogram,
    fault: Option<String>,
}

/// What has been read.
#[derive(Default)]
struct Gathered {
    whole: Part,
    faults: Vec<String>,
    /// The keys of positions that are not learned from.
    avoided: HashSet<u64>,
}

impl Data {
    /// Reads games and keeps what is worth learning from. Runs in the caller's thread pool.
    ///
    /// # Errors
    /// When a file can't be opened, there is no memory, or nothing is left; what is wrong with
    /// files is then told too.
    pub fn load(sources: Sources) -> io::Result<Data> {
        let mut gathered = Gathered {
            avoided: sources
                .yardstick
                .as_ref()
                .map_or_else(HashSet::new, Yardstick::keys),
            ..Gathered::default()
        };
        match &sources.held_out {
            HeldOut::Part(part) => gathered.read(&sources.games, |start| {
                if start % PARTS < *part {
                    Side::HeldOut
                } else {
                    Side::Training
                }
            })?,
            HeldOut::Files(files) => {
                gathered.read(files, |_| Side::HeldOut)?;
                let starts: HashSet<u64> = gathered.whole.starts.drain(..).collect();
                // What is told of games is told of those to learn from.
                gathered.whole.counts = Counts::default();
                gathered.read(&sources.games, |start| {
                    if starts.contains(&start) {
                        Side::Neither
                    } else {
                        Side::Training
                    }
                })?;
            }
        }
        let Gathered { whole, faults, .. } = gathered;
        if whole.training.is_empty() || whole.held_out.is_empty() {
            let mut reason = "too few games to learn from and to measure by".to_owned();
            for fault in &faults {
                reason.push_str("; ");
                reason.push_str(fault);
            }
            return Err(io::Error::other(reason));
        }
        Ok(Data {
            k: whole.histogram.fit(),
            training: whole.training,
            held_out: whole.held_out,
            yardstick: sources.yardstick,
            counts: whole.counts,
            faults,
        })
    }

    /// A number that changes with the positions and their order.
    pub fn checksum(&self) -> u64 {
        let records = self.training.iter().chain(&self.held_out);
        records.fold(0, |sum: u64, record| {
            sum.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ record.digest()
        })
    }
}

impl Gathered {
    /// Reads files; `side` says what becomes of a game that begins with a position of that key.
    fn read(&mut self, files: &[PathBuf], side: impl Fn(u64) -> Side + Sync) -> io::Result<()> {
        let size = |files: &[PathBuf]| -> u64 {
            let sizes = files
                .iter()
                .map(|file| fs::metadata(file).map_or(0, |about| about.len()));
            sizes.sum()
        };
        let whole = size(files);
        let mut done = 0;
        let before = [self.whole.training.len(), self.whole.held_out.len()];
        for files in files.chunks(FILES_AT_ONCE * rayon::current_num_threads()) {
            let parts: Vec<io::Result<Part>> = files
                .par_iter()
                .map(|file| Part::read(file, &side, &self.avoided))
                .collect();
            let parts: Vec<Part> = parts.into_iter().collect::<io::Result<_>>()?;
            done += size(files);
            let times = whole as f64 / done.max(1) as f64;
            let training = parts.iter().map(|part| part.training.len()).sum();
            make_room(&mut self.whole.training, training, before[0], times)?;
            let held_out = parts.iter().map(|part| part.held_out.len()).sum();
            make_room(&mut self.whole.held_out, held_out, before[1], times)?;
            for part in parts {
                self.faults.extend(part.fault);
                self.whole.training.extend(part.training);
                self.whole.held_out.extend(part.held_out);
                self.whole.starts.extend(part.starts);
                self.whole.counts.add(&part.counts);
                self.whole.histogram.merge(&part.histogram);
            }
        }
        Ok(())
    }
}

/// Makes room for `more` records, and for those that are still to come if there isn't enough for
/// these: what came after the first `before` is a part of all, which are so many `times` as many.
/// Memory that is reserved is not taken before it is filled.
fn make_room(records: &mut Vec<Record>, more: usize, before: usize, times: f64) -> io::Result<()> {
    let needed = records.len() + more;
    if needed <= records.capacity() {
        return Ok(());
    }
    let expected = before + ((needed - before) as f64 * times * RESERVE) as usize;
    let room = expected.max(needed) - records.len();
    records.try_reserve_exact(room).map_err(|_| {
        let gigabytes = expected as f64 * size_of::<Record>() as f64 / 1e9;
        io::Error::other(format!(
            "some {expected} positions to learn from need {gigabytes:.1} GB of memory, which can't be had"
        ))
    })
}

impl Part {
    fn read(
        file: &Path,
        side_of: &(impl Fn(u64) -> Side + Sync),
        avoided: &HashSet<u64>,
    ) -> io::Result<Part> {
        let mut part = Part::default();
        // An aside before any game.
        let mut side = side_of(0);
        for game in chunks::open(file)? {
            match game {
                Ok(game) => part.take(&game, &mut side, side_of, avoided),
                Err(fault) => {
                    part.fault = Some(format!("{}: {fault}", file.display()));
                    break;
                }
            }
        }
        for record in part.training.iter().chain(&part.held_out) {
            part.histogram.add(record);
        }
        Ok(part)
    }

    fn take(
        &mut self,
        game: &Game,
        side: &mut Side,
        side_of: &(impl Fn(u64) -> Side + Sync),
        avoided: &HashSet<u64>,
    ) {
        // Games from one opening stay on one side, and so do asides and their game.
        if !game.aside {
            let start = game.start.keys().whole;
            *side = side_of(start);
            if *side == Side::HeldOut {
                self.starts.push(start);
            }
        }
        let records = match side {
            Side::Training => &mut self.training,
            Side::HeldOut => &mut self.held_out,
            Side::Neither => {
                self.counts.repeated += u64::from(!game.aside);
                return;
            }
        };
        filter::select(game, avoided, records, &mut self.counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        learn::{
            datagen::{self, Progress},
            scratch::Scratch,
        },
        nnue::Network,
        position::fen::{self, FenStyle},
    };

    /// Files of four games each.
    fn games(scratch: &Scratch, count: u64) -> Vec<PathBuf> {
        let settings = datagen::Settings {
            network: Network::embedded(),
            folder: scratch.path("played"),
            play_out: false,
            nodes: 40,
            asides: 50,
            tablebases: None,
            threads: 1,
            seed: 3,
            games: Some(count),
            positions: None,
            chunk_games: 4,
        };
        datagen::run(&settings, &Progress::default(), || {}, &mut |note| {
            panic!("{note}")
        })
        .expect("games");
        chunks::files_in(&settings.folder).expect("files")
    }

    fn load(games: &[PathBuf], held_out: HeldOut, yardstick: Option<Yardstick>) -> Data {
        let sources = Sources {
            games: games.to_owned(),
            held_out,
            yardstick,
        };
        Data::load(sources).expect("positions")
    }

    #[test]
    fn files_that_are_held_out_are_not_learned_from() {
        let scratch = Scratch::new("held-out");
        let files = games(&scratch, 40);
        let held_out = || HeldOut::Files(files[..2].to_owned());
        // They lie among the others, too, and once more under another name.
        let copy = scratch.path("copy.viri.zst");
        fs::copy(&files[1], &copy).expect("a copy");
        let all = [&files[..], &[copy]].concat();
        let (data, rest) = (
            load(&all, held_out(), None),
            load(&files[2..], held_out(), None),
        );
        assert_eq!(data.counts.repeated, 12);
        assert_eq!((data.counts.games, rest.counts.games), (32, 32));
        assert_eq!(data.training, rest.training);
        assert_eq!(data.held_out, rest.held_out);
        assert_eq!(data.checksum(), rest.checksum());

        let parts = load(&files, HeldOut::Part(150), None);
        let kept = parts.training.len() + parts.held_out.len();
        assert_eq!(kept, data.training.len() + data.held_out.len());
    }

    #[test]
    fn positions_of_the_yardstick_are_not_learned_from() {
        let scratch = Scratch::new("avoided");
        let files = games(&scratch, 40);
        let (games, _) = chunks::read(&files[5]).expect("games");
        let lines: Vec<String> = games[0]
            .positions()
            .map(|(position, ..)| format!("{}\t1\t1\t1", fen::write(&position, FenStyle::Shredder)))
            .collect();
        let path = scratch.path("truth.tsv");
        fs::write(&path, lines.join("\n")).expect("a file");
        let held_out = || HeldOut::Files(files[..1].to_owned());
        let yardstick = Yardstick::read(&path).expect("a yardstick");
        let (with, without) = (
            load(&files, held_out(), Some(yardstick)),
            load(&files, held_out(), None),
        );
        assert!(with.counts.yardstick > 10, "{:?}", with.counts);
        assert_eq!(
            with.training.len() as u64 + with.counts.yardstick,
            without.training.len() as u64
        );
    }

    #[test]
    fn room_is_made_for_all_that_will_come() {
        let mut records = Vec::new();
        make_room(&mut records, 1000, 0, 10.0).expect("memory");
        assert!((10_000..11_000).contains(&records.capacity()));
        let before = records.capacity();
        make_room(&mut records, 9000, 0, 1.0).expect("there is room");
        assert_eq!(records.capacity(), before);
        let error = make_room(&mut records, 1 << 40, 0, 1e6).unwrap_err();
        assert!(error.to_string().contains("can't be had"), "{error}");
    }
}
