//! The command line: one file a subcommand.

mod bench;
#[cfg(feature = "tools")]
mod datagen;
#[cfg(feature = "tools")]
mod dataset;
mod perft;
#[cfg(feature = "tune")]
mod spsa;
#[cfg(feature = "tools")]
mod train;
mod uci;
mod version;

#[cfg(feature = "tools")]
use std::ops::RangeInclusive;
use std::{error::Error, ffi::OsString, io, process::ExitCode};

#[cfg(feature = "tools")]
use clap::builder::RangedU64ValueParser;
use clap::{Parser, Subcommand};

use crate::system;

/// What the program was called with.
#[derive(Debug, Parser)]
#[command(about, after_help = AFTER_HELP)]
struct Arguments {
    /// Print version, commit, instruction set in use and network
    #[arg(short = 'V', long)]
    version: bool,
    #[command(subcommand)]
    task: Option<Task>,
}

const AFTER_HELP: &str = "\
Without a command, Zuylen speaks UCI on standard input and output, as chess programs expect.

Commands of UCI (zuylen \"help\" lists them) can also be given as arguments. Each search comes to
its end before the next command:

  zuylen \"position frc 12\" \"go depth 20\" quit";

#[derive(Debug, Subcommand)]
enum Task {
    Bench(bench::Arguments),
    Perft(perft::Arguments),
    /// Lists the search's constants as OpenBench's SPSA takes them.
    #[cfg(feature = "tune")]
    Spsa,
    #[cfg(feature = "tools")]
    Datagen(datagen::Arguments),
    #[cfg(feature = "tools")]
    Dataset(dataset::Arguments),
    #[cfg(feature = "tools")]
    Train(train::Arguments),
    #[command(external_subcommand)]
    Uci(Vec<OsString>),
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    system::survive_file_size_limit();
    let arguments = Arguments::parse();
    let result = match arguments.task {
        _ if arguments.version => version::run(),
        None => uci::converse(),
        Some(Task::Uci(lines)) => uci::obey(&lines),
        Some(Task::Bench(arguments)) => bench::run(&arguments),
        Some(Task::Perft(arguments)) => perft::run(&arguments),
        #[cfg(feature = "tune")]
        Some(Task::Spsa) => spsa::run(),
        #[cfg(feature = "tools")]
        Some(Task::Datagen(arguments)) => datagen::run(&arguments),
        #[cfg(feature = "tools")]
        Some(Task::Dataset(arguments)) => dataset::run(&arguments),
        #[cfg(feature = "tools")]
        Some(Task::Train(arguments)) => train::run(&arguments),
    };
    result.unwrap_or_else(|error| {
        // Whoever reads no further, as `head`, wants no words either.
        if !is_broken_pipe(&*error) {
            // Nobody may be left to read it.
            let _ = io::Write::write_fmt(&mut io::stderr(), format_args!("zuylen: {error}\n"));
        }
        ExitCode::FAILURE
    })
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// How a subcommand ends: with an exit code, or with a reason to say and the code for failure.
type Ending = Result<ExitCode, Box<dyn Error>>;

/// A parser of numbers within a range.
#[cfg(feature = "tools")]
fn number(range: RangeInclusive<u64>) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(range)
}

/// A parser of numbers of threads, of which there may be as many as in play.
#[cfg(feature = "tools")]
fn threads() -> RangedU64ValueParser<usize> {
    number(1..=1024)
}

/// Cores of this machine that the program may use.
#[cfg(feature = "tools")]
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn commands_of_uci_are_told_from_subcommands() {
        let task = |words: &[&str]| Arguments::try_parse_from(words).map(|parsed| parsed.task);
        assert!(matches!(task(&["zuylen"]), Ok(None)));
        assert!(matches!(
            task(&["zuylen", "bench"]),
            Ok(Some(Task::Bench(_)))
        ));
        assert!(
            matches!(task(&["zuylen", "go depth 3", "quit"]), Ok(Some(Task::Uci(lines))) if lines.len() == 2)
        );
    }
}
