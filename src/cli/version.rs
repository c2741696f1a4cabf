//! `zuylen --version`: what to say in a report.

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use super::Ending;
use crate::nnue::{Network, simd::Simd};

/// Prints version, commit, instruction set and network, a line each.
pub fn run() -> Ending {
    let network = Network::embedded();
    writeln!(
        io::stdout(),
        "zuylen {}\ncommit: {}\ninstruction set: {}\nnetwork: {:016x}, {}",
        env!("CARGO_PKG_VERSION"),
        // Set by scripts/build.rs.
        env!("ZUYLEN_COMMIT"),
        Simd::best().name(),
        network.checksum(),
        network.name
    )?;
    Ok(ExitCode::SUCCESS)
}
