//! `zuylen perft`.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::atomic::AtomicBool,
};

use clap::Args;

use super::Ending;
use crate::{
    position::{Position, fen, notation::CastlingStyle},
    tools::perft::{self, SuiteLimits},
    uci::report,
};

/// Count the positions a number of moves on, to test the rules.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A file of positions with the right counts, instead of one position.
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    suite: Option<PathBuf>,
    /// The depth in plies; with a suite, the greatest one [default: 5, or all of a suite].
    #[arg(long)]
    depth: Option<u32>,
    /// The position, the ordinary start position if there is none.
    fen: Vec<String>,
}

/// The depth for a single position, unless another one is asked for.
const DEPTH: u32 = 5;

/// Runs it.
pub fn run(arguments: &Arguments) -> Ending {
    let mut out = io::stdout();
    if let Some(path) = &arguments.suite {
        let limits = arguments
            .depth
            .map_or(SuiteLimits::NONE, SuiteLimits::depth);
        let cases =
            perft::read_suite(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let summary = perft::run_cases(&cases, limits, &mut out)?;
        writeln!(out, "{}: {summary}", path.display())?;
        if summary.compared == 0 && summary.failures == 0 {
            return Err(format!("{}: no count of so small a depth", path.display()).into());
        }
        let code = if summary.failures == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
        return Ok(code);
    }
    let position = if arguments.fen.is_empty() {
        Position::startpos()
    } else {
        fen::read(&arguments.fen.join(" "))?.position
    };
    let castling = CastlingStyle::for_root(&position, false);
    let depth = arguments.depth.unwrap_or(DEPTH);
    for line in
        report::division(&position, depth, castling, &AtomicBool::new(false)).unwrap_or_default()
    {
        writeln!(out, "{line}")?;
    }
    Ok(ExitCode::SUCCESS)
}
