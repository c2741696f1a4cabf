//! `zuylen spsa`: the constants of the search as an SPSA run of OpenBench takes them.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use super::Ending;
use crate::search::params::tunables;

/// The share of a constant's range that the last steps of a run take, and its learning rate then.
const LAST_STEP: f64 = 0.05;
const LAST_RATE: f64 = 0.002;

/// Prints one line a constant: name, kind, value, range, last step, last learning rate.
pub fn run() -> Ending {
    let mut out = io::stdout().lock();
    for row in tunables() {
        let (value, step) = ((row.get)(), f64::from(row.max - row.min) * LAST_STEP);
        let (name, min, max) = (row.name, row.min, row.max);
        writeln!(
            out,
            "{name}, int, {value}, {min}, {max}, {step}, {LAST_RATE}"
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
