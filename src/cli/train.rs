//! `zuylen train`.

use std::{
    io::{self, Write as _},
    ops::RangeInclusive,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::Ending;
use crate::{
    learn::{
        chunks, quantise,
        trainer::{
            self, Files, Report, Settings, Trained,
            data::{Data, HeldOut, Sources},
            first,
            scale::{GREATEST_K, K, LEAST_K},
        },
        yardstick::Yardstick,
    },
    nnue::architecture::{HIDDEN, MOST_HIDDEN, SCALE, WIDTH_STEP, is_width},
};

/// Make a network from games.
///
/// The same command goes on from the checkpoint of an earlier one that was stopped or killed.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Files of games, or folders of them.
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The network to write. Its checkpoint and its losses are kept beside it.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Begin with the weights of this network, or the best ones of this checkpoint. It may be half as
    /// wide.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Hidden neurons [default: those of --from, or of the program's own network].
    #[arg(long, value_parser = width)]
    hidden: Option<usize>,
    /// The share of the game's result in what is learned, 0 to 1; the rest is the search's score.
    #[arg(long, default_value_t = 0.1, value_parser = share)]
    lambda: f32,
    /// The share in the score of the mean of the next eight scores, 0 to 1.
    #[arg(long, default_value_t = 0.0, value_parser = share)]
    smooth: f32,
    /// Passes over all positions.
    #[arg(long, default_value_t = 30, value_parser = super::number(1..=100_000))]
    epochs: usize,
    /// Positions a step.
    #[arg(long, default_value_t = 16_384, value_parser = super::number(1..=1 << 24))]
    batch: usize,
    /// The highest learning rate.
    #[arg(long, default_value_t = 1e-3, value_parser = rate)]
    rate: f64,
    /// The learning rate at the end.
    #[arg(long, default_value_t = 3e-6, value_parser = rate)]
    final_rate: f64,
    /// Steps over which the learning rate rises.
    #[arg(long, default_value_t = 200)]
    warm_up: usize,
    /// Weight decay.
    #[arg(long, default_value_t = 0.01, value_parser = share)]
    decay: f32,
    /// Stop after so many epochs without a better loss on the games held out. Few are too few: at high
    /// rates the loss goes up and down, and falls with the rate.
    #[arg(long, default_value_t = 10, value_parser = super::number(1..=100_000))]
    patience: usize,
    /// Games to measure by: a file or folder, and the option may be repeated. Games that begin as one
    /// of them are not learned from.
    #[arg(long, value_name = "PATH", conflicts_with = "held_out_part")]
    held_out: Vec<PathBuf>,
    /// Without --held-out, thousandths of the games that are held out.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..1000))]
    held_out_part: u64,
    /// A file of positions of known worth, on which the network's static error is shown after every
    /// epoch. They are not learned from.
    #[arg(long, value_name = "FILE")]
    yardstick: Option<PathBuf>,
    /// The stored score that is worth 73% of the points, in the search's units.
    #[arg(long, value_name = "UNITS", default_value_t = K, value_parser = k)]
    score_k: f64,
    /// The network's output that is worth as much. If it is equal to --score-k, the network learns to
    /// say the scores as they are; twice as much makes its evaluations twice as large.
    #[arg(long, value_name = "UNITS", default_value_t = K, value_parser = k)]
    network_k: f64,
    /// What makes the network reproducible, with the same number of threads.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads [default: one a core].
    #[arg(long, value_parser = super::threads())]
    threads: Option<usize>,
    /// Words for the description in the network's file.
    #[arg(long, default_value = "")]
    note: String,
}

fn share(word: &str) -> Result<f32, String> {
    within(word, 0.0..=1.0).map(|share| share as f32)
}

fn rate(word: &str) -> Result<f64, String> {
    within(word, 1e-12..=1.0)
}

fn k(word: &str) -> Result<f64, String> {
    within(word, LEAST_K..=GREATEST_K)
}

fn width(word: &str) -> Result<usize, String> {
    let hidden = word.parse().map_err(|_| "not a number".to_owned())?;
    is_width(hidden)
        .then_some(hidden)
        .ok_or_else(|| format!("not a multiple of {WIDTH_STEP} up to {MOST_HIDDEN}"))
}

fn within(word: &str, bounds: RangeInclusive<f64>) -> Result<f64, String> {
    let number: f64 = word.parse().map_err(|_| "not a number".to_owned())?;
    let (least, greatest) = (bounds.start(), bounds.end());
    let reason = || format!("not between {least} and {greatest}");
    bounds
        .contains(&number)
        .then_some(number)
        .ok_or_else(reason)
}

impl Arguments {
    fn settings(&self) -> io::Result<Settings> {
        let hidden = match (self.hidden, &self.from) {
            (Some(hidden), _) => hidden,
            (None, Some(from)) => first::read(from)?.0.hidden(),
            (None, None) => HIDDEN,
        };
        Ok(Settings {
            hidden,
            from: self.from.clone(),
            lambda: self.lambda,
            smooth: self.smooth,
            epochs: self.epochs,
            batch: self.batch,
            rate: self.rate,
            final_rate: self.final_rate,
            warm_up: self.warm_up,
            decay: self.decay,
            seed: self.seed,
            threads: self.threads.unwrap_or_else(super::cores),
            patience: self.patience,
            score_k: self.score_k,
            network_k: self.network_k,
        })
    }

    fn sources(&self) -> io::Result<Sources> {
        Ok(Sources {
            games: chunks::files(&self.games)?,
            held_out: if self.held_out.is_empty() {
                HeldOut::Part(self.held_out_part)
            } else {
                HeldOut::Files(chunks::files(&self.held_out)?)
            },
            yardstick: self.yardstick.as_deref().map(Yardstick::read).transpose()?,
        })
    }
}

/// Runs it.
pub fn run(arguments: &Arguments) -> Ending {
    let settings = arguments.settings()?;
    let pool = trainer::pool(settings.threads)?;
    Ok(pool.install(|| make_network(arguments, &settings))?)
}

fn make_network(arguments: &Arguments, settings: &Settings) -> io::Result<ExitCode> {
    // What can't be is said before hours of work, not after.
    let kept = Files::beside(&arguments.out)?;
    settings.first_weights()?;
    let data = Data::load(arguments.sources()?)?;
    let mut screen = io::stdout();
    for fault in &data.faults {
        writeln!(io::stderr(), "{fault}")?;
    }
    tell_data(&data)?;

    let mut shown = Shown::new(settings.epochs, data.training.len());
    let trained = trainer::train(settings, &data, &kept, &mut |report| shown.hear(report));
    shown.bar.finish_and_clear();
    let trained = trained?;

    let name = describe(arguments, &data, &trained);
    let network = quantise::quantise(&trained.parameters, trained.shape, name);
    let (epoch, loss) = trained.best;
    let exact = quantise::loss(&network, &trained.target, &data.held_out);
    writeln!(
        screen,
        "epoch {epoch} is the best: held-out loss {loss:.6}, {exact:.6} in the engine's integers"
    )?;
    let mut bytes = Vec::new();
    network.write(&mut bytes)?;
    chunks::replace(&arguments.out, &bytes)?;
    writeln!(screen, "{}: {} bytes", arguments.out.display(), bytes.len())?;
    Ok(ExitCode::SUCCESS)
}

/// Progress as a person sees it: one bar for all epochs, and a line for each that is over.
struct Shown {
    bar: ProgressBar,
    epochs: usize,
    /// Positions of an epoch.
    positions: usize,
    /// Epochs that are over.
    over: usize,
    /// When the present epoch began.
    began: Instant,
}

impl Shown {
    fn new(epochs: usize, positions: usize) -> Shown {
        let bar = ProgressBar::new(epochs as u64 * positions as u64);
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent}% {msg}, {eta} left") {
            bar.set_style(style);
        }
        Shown {
            bar,
            epochs,
            positions,
            over: 0,
            began: Instant::now(),
        }
    }

    fn hear(&mut self, report: Report) {
        match report {
            Report::Resumed(over) => {
                self.over = over;
                self.bar.set_position(over as u64 * self.positions as u64);
                self.bar.reset_eta();
                self.bar
                    .suspend(|| println(&format!("on from epoch {over}")));
            }
            Report::Begun(loss, error) => {
                let error = static_error(error);
                self.bar
                    .suspend(|| println(&format!("to begin with: held out {loss:.6}{error}")));
                self.began = Instant::now();
            }
            Report::Positions(done) => {
                let all = self.over as u64 * self.positions as u64 + done as u64;
                let speed = done as f64 / self.began.elapsed().as_secs_f64().max(1e-9);
                let (epoch, epochs) = (self.over + 1, self.epochs);
                self.bar
                    .set_message(format!("epoch {epoch} of {epochs}, {speed:.0} positions/s"));
                self.bar.set_position(all);
            }
            Report::Epoch(epoch, row) => {
                let speed = self.positions as f64 / row.seconds.max(1e-9);
                let error = static_error(row.static_error);
                self.bar.suspend(|| {
                    println(&format!(
                        "epoch {epoch}: loss {:.6}, held out {:.6}{error}, rate {:.2e}, {speed:.0} positions/s",
                        row.training_loss, row.held_out_loss, row.rate
                    ));
                });
                self.over = epoch;
                self.began = Instant::now();
            }
        }
    }
}

fn static_error(error: Option<f64>) -> String {
    error.map_or_else(String::new, |error| format!(", static error {error:.5}"))
}

/// Somebody may or may not read it.
fn println(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}

fn tell_data(data: &Data) -> io::Result<()> {
    let mut screen = io::stdout();
    let counts = &data.counts;
    let percent = |part: u64| 100.0 * part as f64 / counts.positions.max(1) as f64;
    writeln!(
        screen,
        "{} games, {} positions",
        counts.games, counts.positions
    )?;
    writeln!(
        screen,
        "left out: {:.1}% in check, {:.1}% captures or promotions, {:.1}% stale, {:.1}% dead draws, {:.1}% mates, {:.1}% contradicted",
        percent(counts.check),
        percent(counts.tactical),
        percent(counts.stale),
        percent(counts.dead),
        percent(counts.decided),
        percent(counts.contradicted)
    )?;
    writeln!(
        screen,
        "{} to learn from, {} held out; {} games that begin as one held out and {} positions of the yardstick left out",
        data.training.len(),
        data.held_out.len(),
        counts.repeated,
        counts.yardstick
    )?;
    writeln!(
        screen,
        "the K that fits the games best is {:.1} (an output of 1.0 is {SCALE} units)",
        data.k
    )
}

/// How the network was made, for its file.
fn describe(arguments: &Arguments, data: &Data, trained: &Trained) -> String {
    let note = if arguments.note.is_empty() {
        String::new()
    } else {
        format!("{}; ", arguments.note)
    };
    let from = arguments.from.as_deref().map_or(String::new(), |path| {
        format!("begun with {}; ", path.display())
    });
    let stem = |path: &Path| {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    format!(
        "{}: {note}{from}zuylen {}, {} positions of {} games of its own, lambda {}, smooth {}, K {:.1} -> {:.1}, epoch {} of {}, batch {}, rate {} to {}, seed {}, held-out loss {:.6}{}",
        stem(&arguments.out),
        env!("CARGO_PKG_VERSION"),
        data.training.len(),
        data.counts.games,
        arguments.lambda,
        arguments.smooth,
        trained.target.score_k,
        trained.target.network_k,
        trained.best.0,
        arguments.epochs,
        arguments.batch,
        arguments.rate,
        arguments.final_rate,
        arguments.seed,
        trained.best.1,
        static_error(trained.rows.get(trained.best.0.saturating_sub(1)).and_then(|row| row.static_error)),
    )
    .chars()
    .take(1000)
    .collect()
}
