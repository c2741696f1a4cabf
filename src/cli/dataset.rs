//! `zuylen dataset`.

use std::{
    io::{self, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use clap::{Args, Subcommand};

use super::Ending;
use crate::{
    learn::{
        chunks, dataset, stats,
        wdl::{self, Counts, report::Report},
        yardstick::{Errors, RANGES, Yardstick},
    },
    nnue::{Network, Weights},
    tools::openings::Random,
};

/// Count, check, merge, shuffle and sample files of games, find what scores are worth, and measure
/// networks.
///
/// A damaged file is told of and used up to the damage; the exit code is then 1.
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

impl Files {
    fn list(&self) -> io::Result<Vec<PathBuf>> {
        chunks::files(&self.paths)
    }
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
    /// Print a table of wins, draws and losses by material and score, or the model that fits them.
    Wdl {
        #[command(flatten)]
        files: Files,
        /// Leave out games that were adjudicated by their scores.
        #[arg(long)]
        played_out: bool,
        /// Print the likeliest model of the chances, how well it predicts games that it wasn't fitted
        /// to, and the lines for `src/search/wdl.rs`.
        #[arg(long)]
        fit: bool,
    },
    /// Say how wrong networks are without search on positions of known worth: the mean squared error
    /// in points, also by the number of men.
    Error {
        /// Lines of a FEN, then wins, draws and losses of White, separated by tabs.
        file: PathBuf,
        /// A network of any width; if there are several, each is compared with the first. [default:
        /// the program's own]
        #[arg(long = "network", value_name = "FILE")]
        networks: Vec<PathBuf>,
    },
}

/// Runs it. Damage is told of in lines of its own; what is sound is used, and the exit code is 1.
pub fn run(arguments: &Arguments) -> Ending {
    let mut faults = 0;
    let mut note = |note: &str| {
        faults += 1;
        let _ = writeln!(io::stderr(), "{note}");
    };
    work(&arguments.task, &mut note)?;
    Ok(if faults > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn work(task: &Task, note: &mut dyn FnMut(&str)) -> io::Result<()> {
    let mut screen = io::stdout();
    match task {
        Task::Stats(files) => {
            let stats = stats::count(&files.list()?, note);
            if stats.is_empty() {
                return Err(io::Error::other("there is no sound game"));
            }
            writeln!(screen, "{stats}")
        }
        Task::Check(files) => {
            let mut faults = 0;
            let mut count = |fault: &str| {
                faults += 1;
                note(fault);
            };
            let stats = stats::count(&files.list()?, &mut count);
            let (games, repeated) = (stats.games(), stats.repeated_starts());
            writeln!(
                screen,
                "{games} sound games, {repeated} repeated starts, {faults} faults"
            )
        }
        Task::Merge { files, out, unique } => {
            let (new, left_out) = dataset::merge(&files.list()?, &out.out, *unique, note)?;
            tell(&new)?;
            if *unique {
                writeln!(screen, "{left_out} games left out")?;
            }
            Ok(())
        }
        Task::Shuffle { files, out, seed } => {
            tell(&dataset::shuffle(&files.list()?, &out.out, *seed, note)?)
        }
        Task::Sample {
            files,
            count,
            seed,
            out,
        } => {
            let mut output = out.as_deref().map(dataset::Output::new).transpose()?;
            let mut random = Random::new(*seed);
            for group in dataset::sample(&files.list()?, *count, *seed, note) {
                if let Some(output) = &mut output {
                    output.add(&group)?;
                } else if let Some(line) = dataset::line(&group[0], &mut random) {
                    writeln!(screen, "{line}")?;
                }
            }
            output.map_or(Ok(()), |output| tell(&output.finish()?))
        }
        Task::Wdl {
            files,
            played_out,
            fit,
        } => {
            let games = wdl::read(&files.list()?, *played_out, note);
            if !fit {
                return write!(screen, "{}", games.iter().flatten().collect::<Counts>());
            }
            let report = Report::new(&games)
                .ok_or_else(|| io::Error::other("too few games to fit anything to"))?;
            writeln!(screen, "{report}")
        }
        Task::Error { file, networks } => tell_errors(&Yardstick::read(file)?, networks),
    }
}

fn tell_errors(yardstick: &Yardstick, networks: &[PathBuf]) -> io::Result<()> {
    let mut screen = io::stdout();
    let mut named = Vec::new();
    for path in networks {
        let network = Weights::load(path).map_err(|error| chunks::about(path, error))?;
        named.push((path.display().to_string(), network));
    }
    if named.is_empty() {
        named.push((
            "the program's own network".to_owned(),
            Network::embedded().weights(),
        ));
    }
    let mut first: Option<Errors> = None;
    for (name, network) in &named {
        let errors = yardstick.errors(network);
        let parts: Vec<String> = RANGES
            .into_iter()
            .filter_map(|range| {
                let (error, count) = errors.of_men(&range)?;
                let (least, most) = (range.start(), range.end());
                Some(format!("{least}-{most} men {error:.5} ({count})"))
            })
            .collect();
        writeln!(screen, "{name}: {:.5}, {}", errors.mean(), parts.join(", "))?;
        match &first {
            None => first = Some(errors),
            Some(first) => {
                let (difference, bar) = errors.difference(first);
                writeln!(
                    screen,
                    "  that is {difference:+.5} +/- {bar:.5} to the first (two standard errors; negative is better)"
                )?;
            }
        }
    }
    Ok(())
}

fn tell(files: &[PathBuf]) -> io::Result<()> {
    files
        .iter()
        .try_for_each(|file| writeln!(io::stdout(), "{}", file.display()))
}
