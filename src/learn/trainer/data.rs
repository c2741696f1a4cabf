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
use crate::learn::chunks;

/// Games are held out in thousandths.
const PARTS: u64 = 1000;

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
    /// # Errors
    /// When a file can't be opened, or nothing is left; what is wrong with files is then told too.
    pub fn load(files: &[PathBuf], held_out: u64) -> io::Result<Data> {
        let parts: Vec<io::Result<Part>> = files
            .par_iter()
            .map(|file| Part::read(file, held_out))
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
    fn read(file: &Path, held_out: u64) -> io::Result<Part> {
        let mut part = Part::default();
        let (games, fault) = chunks::read(file)?;
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
            let before = side.len();
            filter::select(&game, side, &mut part.counts);
            for record in &side[before..] {
                part.histogram.add(record);
            }
        }
        Ok(part)
    }
}
