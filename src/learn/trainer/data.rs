//! The positions that a network learns from, in memory.

use std::{
    io,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    filter::{self, Counts},
    record::Record,
    scale::{Histogram, Scale},
};
use crate::{
    learn::{chunks, format::Game, quantise},
    nnue::Network,
    search::score::{MAX_EVAL, is_decisive},
};

/// Games are held out in thousandths.
const PARTS: u64 = 1000;
/// So many positions of a file tell in what units its scores are.
const ALIGNED_BY: usize = 4000;
/// With fewer positions than this, units are taken for what they should be.
const LEAST_ALIGNED_BY: usize = 500;
/// Units differ by this factor at most.
const GREATEST_FACTOR: f64 = 4.0;

/// The positions of a set of games.
#[derive(Debug)]
pub struct Data {
    /// What the network learns from.
    pub training: Vec<Record>,
    /// What it is measured by: positions of games that it never sees.
    pub held_out: Vec<Record>,
    /// How many positions there were.
    pub counts: Counts,
    /// What their scores are worth.
    pub scale: Scale,
    /// What was wrong with files, of which only the games before the fault are used.
    pub faults: Vec<String>,
}

#[derive(Default)]
struct Part {
    training: Vec<Record>,
    held_out: Vec<Record>,
    counts: Counts,
    histogram: Histogram,
    fault: Option<String>,
}

impl Data {
    /// Reads the games of `files` and keeps what is worth learning from; `held_out` thousandths of
    /// the games, the same ones always, are set apart. Runs in the caller's thread pool.
    ///
    /// Every network has its own units, so the scores of each file are brought to those of
    /// `reference`: by the factor that makes the median size of its evaluations of the file's
    /// positions that of the file's scores.
    ///
    /// # Errors
    /// When a file can't be opened, or nothing is left; what is wrong with files is then told too.
    pub fn load(files: &[PathBuf], held_out: u64, reference: &Network) -> io::Result<Data> {
        let parts: Vec<io::Result<Part>> = files
            .par_iter()
            .map(|file| Part::read(file, held_out, reference))
            .collect();
        let mut data = Data {
            training: Vec::new(),
            held_out: Vec::new(),
            counts: Counts::default(),
            scale: Scale {
                k: 0.0,
                even_chance: None,
            },
            faults: Vec::new(),
        };
        let mut histogram = Histogram::default();
        for part in parts {
            let part = part?;
            data.training.extend(part.training);
            data.held_out.extend(part.held_out);
            data.counts.add(&part.counts);
            histogram.merge(&part.histogram);
            data.faults.extend(part.fault);
        }
        if data.training.is_empty() || data.held_out.is_empty() {
            let mut reason = "too few games to learn from and to measure by".to_owned();
            for fault in &data.faults {
                reason.push_str("; ");
                reason.push_str(fault);
            }
            return Err(io::Error::other(reason));
        }
        data.scale = histogram.fit();
        Ok(data)
    }

    /// A number that changes with the positions and their order.
    pub fn checksum(&self) -> u64 {
        self.training.iter().fold(0, |sum, record| {
            sum.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ record.digest()
        })
    }
}

impl Part {
    fn read(file: &Path, held_out: u64, reference: &Network) -> io::Result<Part> {
        let mut part = Part::default();
        let (mut games, fault) = chunks::read(file)?;
        bring_to_units(&mut games, reference);
        part.fault = fault.map(|fault| format!("{}: {fault}", file.display()));
        let mut hidden = false;
        for game in games {
            // Games from one opening stay on one side, and so do asides and their game.
            if !game.aside {
                hidden = game.start.keys().whole % PARTS < held_out;
            }
            let side = if hidden {
                &mut part.held_out
            } else {
                &mut part.training
            };
            filter::select(&game, side, &mut part.counts);
        }
        for record in part.training.iter().chain(&part.held_out) {
            part.histogram.add(record);
        }
        Ok(part)
    }
}

/// Multiplies the scores of games, so that their median size is that of the evaluations of
/// `reference`.
fn bring_to_units(games: &mut [Game], reference: &Network) {
    let mut records = Vec::new();
    for game in &*games {
        filter::select(game, &mut records, &mut Counts::default());
    }
    if records.len() < LEAST_ALIGNED_BY {
        return;
    }
    let sample = || records.iter().step_by(records.len().div_ceil(ALIGNED_BY));
    let own = median(sample().map(|record| i32::from(record.score).abs()));
    let wanted = median(sample().map(|record| quantise::evaluate(reference, record).abs()));
    // Where nearly all is level there are no units to speak of.
    let factor = f64::from(wanted.max(1)) / f64::from(own.max(1));
    let factor = factor.clamp(1.0 / GREATEST_FACTOR, GREATEST_FACTOR);
    for (_, score) in games.iter_mut().flat_map(|game| &mut game.moves) {
        if !is_decisive(i32::from(*score)) {
            let scaled = (f64::from(*score) * factor).round() as i32;
            // Smaller than 16 bits hold.
            *score = scaled.clamp(-MAX_EVAL, MAX_EVAL) as i16;
        }
    }
}

fn median(numbers: impl Iterator<Item = i32>) -> i32 {
    let mut numbers: Vec<i32> = numbers.collect();
    let middle = numbers.len() / 2;
    *numbers.select_nth_unstable(middle).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{
        datagen::{self, Progress},
        scratch::Scratch,
    };

    /// A file of games whose scores are multiplied by `factor`.
    fn games(scratch: &Scratch, name: &str, factor: i16) -> PathBuf {
        let settings = datagen::Settings {
            network: Network::embedded(),
            folder: scratch.path("played"),
            play_out: false,
            nodes: 60,
            asides: 0,
            tablebases: None,
            threads: 1,
            seed: 3,
            games: Some(40),
            positions: None,
            chunk_games: 40,
        };
        datagen::run(&settings, &Progress::default(), || {}, &mut |note| {
            panic!("{note}")
        })
        .expect("games");
        let files = chunks::files_in(&settings.folder).expect("files");
        let (mut games, fault) = chunks::read(&files[0]).expect("games");
        assert!(fault.is_none(), "{fault:?}");
        for (_, score) in games.iter_mut().flat_map(|game| &mut game.moves) {
            *score = score.saturating_mul(factor);
        }
        let path = scratch.path(name);
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes));
        chunks::write_new(&path, &bytes).expect("a file");
        path
    }

    #[test]
    fn scores_come_in_the_units_of_one_network() {
        let scratch = Scratch::new("units");
        let reference = Network::embedded();
        let load = |file: PathBuf| Data::load(&[file], 100, &reference).expect("positions");
        let (one, three) = (
            load(games(&scratch, "one.zst", 1)),
            load(games(&scratch, "three.zst", 3)),
        );
        let size = |data: &Data| {
            median(
                data.training
                    .iter()
                    .map(|record| i32::from(record.score).abs()),
            )
        };
        let wanted = median(
            one.training
                .iter()
                .map(|record| quantise::evaluate(&reference, record).abs()),
        );
        for data in [&one, &three] {
            assert!(
                (size(data) - wanted).abs() <= wanted / 20 + 1,
                "{} {wanted}",
                size(data)
            );
        }
        assert!((one.scale.k / three.scale.k - 1.0).abs() < 0.1);
    }
}
