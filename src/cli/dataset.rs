//! `zuylen dataset`.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Args, Subcommand};

use super::Ending;
use crate::{
    learn::{chunks, dataset, wdl},
    tools::openings::Random,
};

/// Count, check, merge, shuffle and sample files of games, and count what scores were worth.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    task: Task,
}

/// Files of games; a folder stands for the files in it.
#[derive(Debug, Args)]
struct Files {
    /// Files, or folders of them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

/// Where new files go.
#[derive(Debug, Args)]
struct Out {
    /// New files are NAME-000000.viri.zst and so on, each under 15 MB.
    #[arg(long, value_name = "NAME")]
    out: PathBuf,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Say what the games are like.
    Stats(Files),
    /// Read every byte and say what is wrong; the exit code is 1 if anything is.
    Check(Files),
    /// Put games together into few files.
    Merge {
        #[command(flatten)]
        files: Files,
        #[command(flatten)]
        out: Out,
        /// Leave out games that begin where an earlier one does.
        #[arg(long)]
        unique: bool,
    },
    /// Put games together in random order. Needs about ten times their size in memory.
    Shuffle {
        #[command(flatten)]
        files: Files,
        #[command(flatten)]
        out: Out,
        /// What makes the order reproducible.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Choose games at random: print a position of each as `FEN | score | result`, or write them.
    Sample {
        #[command(flatten)]
        files: Files,
        /// How many.
        #[arg(long, default_value_t = 10)]
        count: usize,
        /// What makes the choice reproducible.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Write the games into files NAME-000000.viri.zst and so on, instead of printing.
        #[arg(long, value_name = "NAME")]
        out: Option<PathBuf>,
    },
    /// Print a table of wins, draws and losses by material and score, for `scripts/fit_wdl.py`.
    Wdl {
        #[command(flatten)]
        files: Files,
        /// Leave out games that were adjudicated by their scores.
        #[arg(long)]
        played_out: bool,
    },
}

/// Runs it.
pub fn run(arguments: &Arguments) -> Ending {
    let mut screen = io::stdout();
    match &arguments.task {
        Task::Stats(files) => {
            let stats = dataset::stats(&chunks::files(&files.paths)?)?;
            writeln!(screen, "{stats}")?;
            for fault in stats.faults() {
                writeln!(io::stderr(), "{fault}")?;
            }
        }
        Task::Check(files) => {
            let stats = dataset::stats(&chunks::files(&files.paths)?)?;
            for fault in stats.faults() {
                writeln!(screen, "{fault}")?;
            }
            let (games, repeated) = (stats.games(), stats.repeated_starts());
            let faults = stats.faults().len();
            writeln!(
                screen,
                "{games} sound games, {repeated} repeated starts, {faults} faults"
            )?;
            if faults > 0 {
                return Ok(ExitCode::FAILURE);
            }
        }
        Task::Merge { files, out, unique } => {
            let files = chunks::files(&files.paths)?;
            let (new, left_out) = dataset::merge(&files, &out.out, *unique)?;
            tell(&new)?;
            if *unique {
                writeln!(screen, "{left_out} games left out")?;
            }
        }
        Task::Shuffle { files, out, seed } => {
            tell(&dataset::shuffle(
                &chunks::files(&files.paths)?,
                &out.out,
                *seed,
            )?)?;
        }
        Task::Sample {
            files,
            count,
            seed,
            out,
        } => {
            let games = dataset::sample(&chunks::files(&files.paths)?, *count, *seed)?;
            let mut random = Random::new(*seed);
            match out {
                None => {
                    for line in games
                        .iter()
                        .filter_map(|group| dataset::line(group.first()?, &mut random))
                    {
                        writeln!(screen, "{line}")?;
                    }
                }
                Some(out) => {
                    let mut output = dataset::Output::new(out);
                    games.iter().try_for_each(|group| output.add(group))?;
                    tell(&output.finish()?)?;
                }
            }
        }
        Task::Wdl { files, played_out } => {
            let counts = wdl::count(&chunks::files(&files.paths)?, *played_out)?;
            write!(screen, "{counts}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(files: &[PathBuf]) -> io::Result<()> {
    files
        .iter()
        .try_for_each(|file| writeln!(io::stdout(), "{}", file.display()))
}
