//! `zuylen datagen`.

use std::{
    io::{self, IsTerminal as _, Write as _},
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::Ending;
use crate::{
    learn::datagen::{self, MOST_CHUNK_GAMES, Progress, Settings},
    nnue::Network,
    tablebase::Tablebases,
};

/// How often progress is shown: to a person, and in a log.
const SHOWN: Duration = Duration::from_millis(250);
const LOGGED: Duration = Duration::from_secs(60);
/// No longer time left is told; it comes from a machine that was asleep, or a goal without end.
const FORESEEABLE: Duration = Duration::from_secs(100 * 86_400);

/// Play games against itself, to learn from.
///
/// The games go into closed files of whole games. The same command goes on where an earlier one
/// was stopped or killed; machines whose games are put together need different seeds.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The network to play with [default: the embedded one].
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Folders of Syzygy tables; games that come to them end there, but for one in 8.
    #[arg(long, value_name = "FOLDERS")]
    syzygy: Option<String>,
    /// Play every game to its end by the rules, from level openings: for `zuylen dataset wdl --fit`.
    #[arg(long, conflicts_with = "syzygy")]
    play_out: bool,
    /// Begin no iteration after so many nodes a move (8 times as many are the end of a move).
    #[arg(long, default_value_t = 700, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// At so many moves in a hundred, look at a position one random move away too, if it is quiet.
    #[arg(long, value_name = "PERCENT", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=100))]
    asides: u64,
    /// Stop once the files of this seed hold so many games.
    #[arg(long)]
    games: Option<u64>,
    /// Stop once the files of this seed hold so many positions.
    #[arg(long)]
    positions: Option<u64>,
    /// Games at a time [default: one a core].
    #[arg(long, value_parser = super::threads())]
    threads: Option<usize>,
    /// What makes the games reproducible; with one thread, to the last byte.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder for the files [default: $ZUYLEN_DATA, or zuylen-games at home].
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Games a file; a kill loses at most one unfinished file a thread.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..=MOST_CHUNK_GAMES))]
    chunk_size: u64,
}

fn open_tables(folders: &str) -> io::Result<Arc<Tablebases>> {
    let (tables, faults) = Tablebases::open(folders).map_err(io::Error::other)?;
    for fault in faults {
        writeln!(io::stderr(), "{fault}")?;
    }
    Ok(Arc::new(tables))
}

/// Runs it.
pub fn run(arguments: &Arguments) -> Ending {
    let network = match &arguments.network {
        Some(path) => Network::load(path).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?,
        None => Network::embedded(),
    };
    let settings = Settings {
        network,
        tablebases: arguments.syzygy.as_deref().map(open_tables).transpose()?,
        folder: arguments
            .out
            .clone()
            .unwrap_or_else(datagen::default_folder),
        play_out: arguments.play_out,
        nodes: arguments.nodes,
        asides: arguments.asides,
        threads: arguments.threads.unwrap_or_else(super::cores),
        seed: arguments.seed,
        games: arguments.games,
        positions: arguments.positions,
        chunk_games: arguments.chunk_size,
    };
    let progress = Arc::new(Progress::default());
    let done = Arc::new(AtomicBool::new(false));
    let mut shower = None;
    let result = datagen::run(
        &settings,
        &progress,
        || {
            let (progress, done) = (Arc::clone(&progress), Arc::clone(&done));
            let goal = settings.positions.or(settings.games);
            let by_games = settings.positions.is_none();
            shower = Some(thread::spawn(move || {
                show(&progress, goal, by_games, &done)
            }));
        },
        &mut |note| {
            let _ = writeln!(io::stderr(), "{note}");
        },
    );
    done.store(true, Relaxed);
    if let Some(shower) = shower {
        let _ = shower.join();
    }
    result?;
    let (games, positions) = (
        progress.games.load(Relaxed),
        progress.positions.load(Relaxed),
    );
    writeln!(
        io::stdout(),
        "{games} games, {positions} positions in {}",
        settings.folder.display()
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Shows progress until `done`: as a bar to a person, as a line a minute in a log.
fn show(progress: &Progress, goal: Option<u64>, by_games: bool, done: &AtomicBool) {
    let before = progress.positions.load(Relaxed);
    let start = Instant::now();
    let bar = goal.map_or_else(ProgressBar::no_length, ProgressBar::new);
    let template = match goal {
        Some(_) => "{wide_bar} {percent}% {msg}, {eta} left",
        None => "{spinner} {msg}, {elapsed}",
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let count = |games, positions| if by_games { games } else { positions };
    bar.set_position(count(progress.games.load(Relaxed), before));
    bar.reset_eta();
    let logging = !io::stderr().is_terminal();
    let mut logged = Instant::now();
    while !done.load(Relaxed) {
        thread::sleep(SHOWN);
        let (games, positions) = (
            progress.games.load(Relaxed),
            progress.positions.load(Relaxed),
        );
        let speed = (positions - before) as f64 / start.elapsed().as_secs_f64();
        let message = format!("{games} games, {positions} positions, {speed:.0} positions/s");
        bar.set_position(count(games, positions));
        if logging && logged.elapsed() >= LOGGED {
            logged = Instant::now();
            let left = goal
                .map(|_| bar.eta())
                .filter(|&left| left < FORESEEABLE)
                .map_or(String::new(), |left| format!(", {left:.0?} left"));
            let _ = writeln!(io::stderr(), "{message}{left}");
        }
        bar.set_message(message);
    }
    bar.finish_and_clear();
}
