//! `zuylen bench`.

use std::{
    io::{self, Write as _},
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use clap::Args;

use super::Ending;
use crate::{search::score::MAX_DEPTH, tools::bench};

/// Search a fixed set of positions; the node count is the signature of what the engine plays.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Depth in plies.
    #[arg(default_value_t = bench::DEPTH, value_parser = clap::value_parser!(i32).range(1..=i64::from(MAX_DEPTH)))]
    depth: i32,
}

/// Runs it.
pub fn run(arguments: &Arguments) -> Ending {
    let mut out = io::stdout();
    let unread = AtomicBool::new(false);
    let summary = bench::run(arguments.depth, &unread, &mut |line| {
        // Without a reader there is nothing to go on for.
        if writeln!(out, "{line}").is_err() {
            unread.store(true, Ordering::Relaxed);
        }
    });
    if unread.into_inner() {
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "{}", summary?)?;
    Ok(ExitCode::SUCCESS)
}
