//! `zuylen bench`.

use std::{
    io::{self, Write as _},
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use clap::Args;

use super::Ending;
use crate::tools::bench::{self, Plan};

/// Search a fixed set of positions; the node count is the signature of what the engine plays.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Depth in plies [default: 12]; or hash in MiB, threads and depth, as in 16 1 12 default depth.
    numbers: Vec<String>,
}

/// Runs it.
pub fn run(arguments: &Arguments) -> Ending {
    let words: Vec<&str> = arguments.numbers.iter().map(String::as_str).collect();
    let plan = Plan::parse(&words)?;
    let mut out = io::stdout();
    let mut written = Ok(());
    let unread = AtomicBool::new(false);
    let summary = bench::run(plan, &unread, &mut |line| {
        if written.is_ok() {
            written = writeln!(out, "{line}");
        }
        // Without a reader there is nothing to go on for.
        unread.store(written.is_err(), Ordering::Relaxed);
    });
    written?;
    writeln!(out, "{}", summary?)?;
    Ok(ExitCode::SUCCESS)
}
