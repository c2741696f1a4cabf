//! The trainer: positions in memory, a floating network, AdamW, on all cores of the CPU.
//!
//! [`data`] reads games and keeps the positions that [`filter`] finds worth it, as [`record`]s;
//! [`scale`] says what their scores are worth; [`first`] has the weights to begin with and [`order`]
//! the order of an epoch; [`model`] is the arithmetic; here is the loop. With
//! the same seed, data and number of threads it makes the same network to the last bit, whether or
//! not it was interrupted between epochs.

pub mod checkpoint;
pub mod data;
pub mod filter;
pub mod first;
pub mod model;
pub mod order;
pub mod record;
pub mod scale;

use std::{
    fmt::Write as _,
    fs::File,
    io,
    path::{Path, PathBuf},
    time::Instant,
};

use rayon::prelude::*;

use super::{chunks, quantise, yardstick::Yardstick};
use checkpoint::State;
use data::Data;
use model::{Line, Scratch, Shape, Step, Target};
use order::Order;
use record::Record;

/// Positions that one thread takes at a time when a loss is measured.
const MEASURED: usize = 8192;

/// How to train.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Hidden neurons a perspective, a [width](crate::nnue::architecture::is_width).
    pub hidden: usize,
    /// A network, or a checkpoint with its best weights, to begin with: as wide as this one or half
    /// so.
    pub from: Option<PathBuf>,
    /// The share of the result in the target, 0 to 1; the rest is the score.
    pub lambda: f32,
    /// The share of the mean of the next eight scores in the score, 0 to 1.
    pub smooth: f32,
    /// Passes over all positions.
    pub epochs: usize,
    /// Positions a step.
    pub batch: usize,
    /// The learning rate after the warm-up.
    pub rate: f64,
    /// The learning rate at the end, to which it falls by half a cosine wave.
    pub final_rate: f64,
    /// Steps in which the rate rises from nothing.
    pub warm_up: usize,
    /// AdamW's weight decay.
    pub decay: f32,
    /// What makes the run reproducible.
    pub seed: u64,
    /// Threads; results depend on their number in the last bits.
    pub threads: usize,
    /// Epochs without a better held-out loss after which training ends.
    pub patience: usize,
    /// The `K` of the stored scores: see [`scale`].
    pub score_k: f64,
    /// The `K` of the network's outputs.
    pub network_k: f64,
}

/// Where the files of a run are kept; each is replaced whole after every epoch.
#[derive(Debug, Default)]
pub struct Files {
    /// What is needed to go on.
    pub checkpoint: Option<PathBuf>,
    /// The losses, for a plot.
    pub losses: Option<PathBuf>,
    /// Held as long as they are in use.
    _lock: Option<File>,
}

impl Files {
    /// The files beside the network `out`, which belong to this program as long as this lives. Their
    /// folder is made if it isn't there.
    ///
    /// # Errors
    /// When another program has them, or they or `out` can't be written.
    pub fn beside(out: &Path) -> io::Result<Files> {
        chunks::make_folder_of(out)?;
        let [checkpoint, losses] =
            [".checkpoint", ".csv"].map(|ending| chunks::beside(out, ending));
        for path in [out, &checkpoint, &losses] {
            if path.is_dir() {
                return Err(chunks::about(path, "is a folder, not a file"));
            }
        }
        if out.file_name().is_none() {
            return Err(chunks::about(out, "is no name of a file"));
        }
        // That this can be made shows that the others can.
        let lock = chunks::lock(
            &chunks::beside(out, ".lock"),
            "another program is training this network; use another --out",
        )?;
        Ok(Files {
            checkpoint: Some(checkpoint),
            losses: Some(losses),
            _lock: Some(lock),
        })
    }
}

/// What an epoch came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The learning rate at its end.
    pub rate: f64,
    /// The mean squared error while learning.
    pub training_loss: f64,
    /// The mean squared error of the rounded weights on games never seen, after it.
    pub held_out_loss: f64,
    /// Their [static error](crate::learn::yardstick), if there is a yardstick.
    pub static_error: Option<f64>,
    /// How long it took.
    pub seconds: f64,
}

/// What the loop tells while it runs.
#[derive(Clone, Copy, Debug)]
pub enum Report<'a> {
    /// Training goes on from a checkpoint after so many epochs.
    Resumed(usize),
    /// The held-out loss and the static error of the first weights, rounded.
    Begun(f64, Option<f64>),
    /// So many positions of the epoch are done.
    Positions(usize),
    /// An epoch, counted from 1, is over.
    Epoch(usize, &'a Row),
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The weights of the epoch with the least held-out loss.
    pub parameters: Vec<Line>,
    /// How they lie.
    pub shape: Shape,
    /// What they were taught.
    pub target: Target,
    /// That epoch, from 1, and its held-out loss.
    pub best: (usize, f64),
    /// All epochs.
    pub rows: Vec<Row>,
}

/// What steps are made with.
struct Tools {
    /// The weights as the engine will have them.
    rounded: Vec<Line>,
    workers: Vec<Worker>,
}

/// One thread's part in a step.
struct Worker {
    gradient: Vec<Line>,
    scratch: Scratch,
    /// Which records are next.
    chosen: Vec<usize>,
    records: Vec<Record>,
    loss: f64,
}

/// A pool of so many threads, in which [`Data::load`] and [`train`] are to be run.
///
/// # Errors
/// When the threads can't be had.
pub fn pool(threads: usize) -> io::Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .thread_name(|id| format!("train {id}"))
        .build()
        .map_err(io::Error::other)
}

impl Settings {
    /// What the network is taught.
    pub fn target(&self) -> Target {
        Target {
            lambda: self.lambda,
            smooth: self.smooth,
            score_k: self.score_k as f32,
            network_k: self.network_k as f32,
        }
    }

    /// The weights to begin with.
    ///
    /// # Errors
    /// Those of [`first::weights`].
    pub fn first_weights(&self) -> io::Result<Vec<Line>> {
        first::weights(self.from.as_deref(), self.hidden, self.seed)
    }

    /// All that a run depends on, in words.
    fn description(&self, data: &Data) -> String {
        let (training, held_out) = (data.training.len(), data.held_out.len());
        let yardstick = data.yardstick.as_ref().map_or(0, Yardstick::len);
        format!(
            "{self:?}, {training} + {held_out} positions {:016x}, {yardstick} of the yardstick",
            data.checksum()
        )
    }

    /// The learning rate of a step, counted from 0.
    fn rate_at(&self, step: usize, steps: usize) -> f64 {
        // A short run has a short warm-up.
        let warm_up = self.warm_up.min(steps / 10);
        if step < warm_up {
            return self.rate * (step + 1) as f64 / warm_up as f64;
        }
        let done = (step - warm_up) as f64 / (steps - warm_up).max(1) as f64;
        let wave = (1.0 + (std::f64::consts::PI * done).cos()) / 2.0;
        self.final_rate + (self.rate - self.final_rate) * wave
    }
}

/// Trains until the epochs are done or the held-out loss no longer falls. Goes on from the
/// checkpoint if there is one. Runs in a [`pool`] of `settings.threads`.
///
/// # Errors
/// When the checkpoint is damaged or of another run, a file can't be written, or the loss grows
/// without bound.
pub fn train(
    settings: &Settings,
    data: &Data,
    files: &Files,
    say: &mut (dyn FnMut(Report) + Send),
) -> io::Result<Trained> {
    let shape = Shape::new(settings.hidden);
    let target = settings.target();
    let description = settings.description(data);
    let mut rounded = vec![Line::ZERO; shape.lines()];
    let mut state = match files.checkpoint.as_ref().filter(|path| path.exists()) {
        Some(path) => {
            let state = State::load(
                path,
                &description,
                shape.lines(),
                steps_per_epoch(settings, data),
            )
            .map_err(|error| chunks::about(path, error))?;
            say(Report::Resumed(state.epoch));
            state
        }
        None => {
            let state = State::new(settings.first_weights()?);
            let (loss, error) = measure(&state.parameters, shape, &target, data, &mut rounded);
            say(Report::Begun(loss, error));
            state
        }
    };
    let workers = (0..settings.threads.max(1))
        .map(|_| Worker {
            gradient: vec![Line::ZERO; shape.lines()],
            scratch: Scratch::new(shape),
            chosen: Vec::new(),
            records: Vec::new(),
            loss: 0.0,
        })
        .collect();
    let mut tools = Tools { rounded, workers };
    while state.epoch < settings.epochs && state.epochs_since_best() < settings.patience {
        let start = Instant::now();
        let training_loss = epoch(settings, &target, data, shape, &mut state, &mut tools, say);
        let rounded = &mut tools.rounded;
        let (held_out_loss, static_error) =
            measure(&state.parameters, shape, &target, data, rounded);
        if !(training_loss.is_finite() && held_out_loss.is_finite()) {
            return Err(io::Error::other(
                "the loss is no number any more; a lower learning rate may help",
            ));
        }
        state.rows.push(Row {
            rate: settings.rate_at(state.steps.saturating_sub(1), steps(settings, data)),
            training_loss,
            held_out_loss,
            static_error,
            seconds: start.elapsed().as_secs_f64(),
        });
        state.epoch += 1;
        if state.epochs_since_best() == 0 {
            state.best.clone_from(&state.parameters);
        }
        if let Some(path) = &files.losses {
            chunks::replace(path, table(&state.rows, data.training.len()).as_bytes())?;
        }
        if let Some(path) = &files.checkpoint {
            state.save(path, &description)?;
        }
        if let Some(row) = state.rows.last() {
            say(Report::Epoch(state.epoch, row));
        }
    }
    Ok(Trained {
        best: state.best_epoch(),
        parameters: state.best,
        shape,
        target,
        rows: state.rows,
    })
}

/// The held-out loss and the static error of the weights as the engine will have them. `rounded` is
/// overwritten with these.
fn measure(
    parameters: &[Line],
    shape: Shape,
    target: &Target,
    data: &Data,
    rounded: &mut [Line],
) -> (f64, Option<f64>) {
    shape.round(parameters, rounded);
    let error = data.yardstick.as_ref().map(|yardstick| {
        let network = quantise::quantise(parameters, shape, String::new());
        yardstick.errors(&network).mean()
    });
    (loss(rounded, shape, target, &data.held_out), error)
}

/// The mean squared error of a floating network. Runs in the caller's thread pool.
pub fn loss(parameters: &[Line], shape: Shape, target: &Target, records: &[Record]) -> f64 {
    // Collected first, so that the order of additions is always the same.
    let parts: Vec<f64> = records
        .par_chunks(MEASURED)
        .map(|part| model::loss(parameters, shape, target, part))
        .collect();
    parts.iter().sum::<f64>() / records.len().max(1) as f64
}

fn batch_size(settings: &Settings, data: &Data) -> usize {
    settings.batch.clamp(1, data.training.len())
}

fn steps_per_epoch(settings: &Settings, data: &Data) -> usize {
    data.training.len() / batch_size(settings, data)
}

/// Steps of a whole run.
fn steps(settings: &Settings, data: &Data) -> usize {
    steps_per_epoch(settings, data) * settings.epochs
}

/// One pass over all positions in a new random order (but for the few that fill no batch). Returns
/// the mean squared error while learning.
///
/// The error and its gradient are those of the rounded weights, and the step is made by the exact
/// ones: so the network learns to live with being rounded. (Source: M. Courbariaux, Y. Bengio and
/// J.-P. David, "BinaryConnect", 2015.)
fn epoch(
    settings: &Settings,
    target: &Target,
    data: &Data,
    shape: Shape,
    state: &mut State,
    Tools { rounded, workers }: &mut Tools,
    say: &mut (dyn FnMut(Report) + Send),
) -> f64 {
    let batch_size = batch_size(settings, data);
    let steps = steps(settings, data);
    let order = Order::new(data.training.len(), settings.seed, state.epoch);
    let slice = batch_size.div_ceil(workers.len());
    let part = shape.lines().div_ceil(workers.len());
    let (mut loss, mut learned) = (0.0, 0);
    for batch in 0..steps_per_epoch(settings, data) {
        shape.round(&state.parameters, rounded);
        let parameters = &*rounded;
        for worker in workers.iter_mut() {
            worker.loss = 0.0;
        }
        workers
            .par_iter_mut()
            .enumerate()
            .for_each(|(index, worker)| {
                worker.gradient.fill(Line::ZERO);
                let start = (index * slice).min(batch_size);
                let end = (start + slice).min(batch_size);
                let own = batch * batch_size + start..batch * batch_size + end;
                // Found first, so that the processor can fetch many records at a time.
                worker.chosen.clear();
                worker.chosen.extend(own.map(|place| order.at(place)));
                worker.records.clear();
                let records = worker.chosen.iter().map(|&number| data.training[number]);
                worker.records.extend(records);
                worker.loss = model::add_gradient(
                    parameters,
                    shape,
                    target,
                    &worker.records,
                    batch_size,
                    &mut worker.scratch,
                    &mut worker.gradient,
                );
            });
        let step = Step {
            rate: settings.rate_at(state.steps, steps) as f32,
            decay: settings.decay,
            number: (state.steps + 1).min(i32::MAX as usize) as i32,
        };
        let gradients: Vec<&[Line]> = workers
            .iter()
            .map(|worker| worker.gradient.as_slice())
            .collect();
        state
            .parameters
            .par_chunks_mut(part)
            .zip(state.momentum.par_chunks_mut(part))
            .zip(state.velocity.par_chunks_mut(part))
            .enumerate()
            .for_each(|(index, ((parameters, momentum), velocity))| {
                let gradients: Vec<&[Line]> = gradients
                    .iter()
                    .map(|gradient| &gradient[index * part..])
                    .collect();
                model::step(&step, &gradients, parameters, momentum, velocity);
            });
        state.steps += 1;
        loss += workers.iter().map(|worker| worker.loss).sum::<f64>();
        learned += batch_size;
        say(Report::Positions(learned));
    }
    loss / learned.max(1) as f64
}

/// The losses as comma-separated values.
fn table(rows: &[Row], positions: usize) -> String {
    let mut table =
        "epoch,learning_rate,training_loss,held_out_loss,seconds,positions_per_second".to_owned();
    // A run has a yardstick or has none.
    let yardstick = rows.iter().all(|row| row.static_error.is_some());
    table.push_str(if yardstick { ",static_error\n" } else { "\n" });
    for (index, row) in rows.iter().enumerate() {
        let speed = positions as f64 / row.seconds.max(1e-9);
        // Writing to a string can't fail.
        let _ = write!(
            table,
            "{},{:.3e},{:.7},{:.7},{:.2},{speed:.0}",
            index + 1,
            row.rate,
            row.training_loss,
            row.held_out_loss,
            row.seconds
        );
        let error = row.static_error.filter(|_| yardstick);
        let error = error.map_or_else(String::new, |error| format!(",{error:.6}"));
        let _ = writeln!(table, "{error}");
    }
    table
}

impl State {
    /// The beginning.
    fn new(parameters: Vec<Line>) -> State {
        State {
            epoch: 0,
            steps: 0,
            momentum: vec![Line::ZERO; parameters.len()],
            velocity: vec![Line::ZERO; parameters.len()],
            best: parameters.clone(),
            parameters,
            rows: Vec::new(),
        }
    }

    /// The epoch with the least held-out loss, from 1, and that loss.
    fn best_epoch(&self) -> (usize, f64) {
        let losses = self.rows.iter().map(|row| row.held_out_loss);
        let best = losses.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or((0, f64::INFINITY), |(index, loss)| (index + 1, loss))
    }

    fn epochs_since_best(&self) -> usize {
        self.rows.len() - self.best_epoch().0
    }
}

#[cfg(test)]
mod tests;
