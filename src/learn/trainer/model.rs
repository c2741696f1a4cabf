//! The network with floating weights: its sums, its gradient, its step.
//!
//! Everything is loops over [`Line`]s with a fixed order of additions, which the compiler turns into
//! the widest vectors of the machine; as no multiplication is fused with an addition, all machines
//! compute the same to the last bit (but for `exp`, which is the system's).
//!
//! The weights of all inputs are far larger than a core's caches. So a few positions are taken
//! together, and neurons a line at a time: the part of the weights, and of their gradient, that is
//! in use fits the first cache or nearly so.

use std::ops::Range;

use multiversion::multiversion;

use super::record::{Inputs, Record, points};
use crate::{
    nnue::architecture::{BUCKETS, INPUTS, QA, QB, SCALE, bucket},
    tools::openings::Random,
};

/// Numbers of a line.
pub const LANES: usize = 16;
/// Positions that are taken together: their hidden layers fit the second cache.
const GROUP: usize = 64;
/// The greatest size of a weight.
pub const CLIP: f32 = 1.98;

/// A cache line of numbers: what one input adds to as many neurons, for one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Line(pub [f32; LANES]);

impl Line {
    /// All zeros.
    pub const ZERO: Line = Line([0.0; LANES]);

    #[inline(always)]
    fn add(&mut self, other: &Line) {
        for lane in 0..LANES {
            self.0[lane] += other.0[lane];
        }
    }
}

/// How the parameters lie in one array of lines: input weights, first for the first sixteen neurons
/// and all inputs, then for the next sixteen; input biases; output weights bucket by bucket (the
/// neurons of the side to move first); a line with the output biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    tiles: usize,
}

impl Shape {
    /// A network of `hidden` neurons a perspective.
    ///
    /// # Panics
    /// When that isn't a multiple of [`LANES`].
    pub fn new(hidden: usize) -> Shape {
        assert!(
            hidden > 0 && hidden.is_multiple_of(LANES),
            "neurons come by {LANES}"
        );
        Shape {
            tiles: hidden / LANES,
        }
    }

    /// The shape that has so many [lines](Shape::lines).
    pub fn of_lines(lines: usize) -> Option<Shape> {
        let shape = Shape {
            tiles: lines / (INPUTS + 1 + 2 * BUCKETS),
        };
        (shape.tiles > 0 && shape.lines() == lines).then_some(shape)
    }

    /// Hidden neurons a perspective.
    pub fn hidden(self) -> usize {
        self.tiles * LANES
    }

    /// The weights of all inputs for the neurons of a tile.
    fn input_weights(self, tile: usize) -> Range<usize> {
        tile * INPUTS..(tile + 1) * INPUTS
    }

    fn input_bias(self, tile: usize) -> usize {
        self.tiles * INPUTS + tile
    }

    /// The weights of an output, both halves.
    fn output_weights(self, bucket: usize) -> Range<usize> {
        let start = self.tiles * (INPUTS + 1) + bucket * 2 * self.tiles;
        start..start + 2 * self.tiles
    }

    /// The line of the output biases, bucket by bucket.
    pub fn output_bias(self) -> usize {
        self.output_weights(BUCKETS).start
    }

    /// How many lines of parameters there are.
    pub fn lines(self) -> usize {
        self.output_bias() + 1
    }

    /// Random weights to begin with: small enough that no neuron is saturated, and the same for
    /// every output.
    pub fn initial(self, seed: u64) -> Vec<Line> {
        let mut random = Random::new(seed);
        let mut uniform = |deviation: f64| {
            let unit = (random.next() >> 40) as f64 / (1_u64 << 24) as f64;
            ((2.0 * unit - 1.0) * 3_f64.sqrt() * deviation) as f32
        };
        let mut lines = vec![Line::ZERO; self.lines()];
        let spread = (2.0 / INPUTS as f64).sqrt();
        for line in &mut lines[..self.tiles * INPUTS] {
            line.0 = [(); LANES].map(|()| uniform(spread));
        }
        let spread = (1.0 / self.hidden() as f64).sqrt();
        for line in &mut lines[self.output_weights(0)] {
            line.0 = [(); LANES].map(|()| uniform(spread));
        }
        for bucket in 1..BUCKETS {
            lines.copy_within(self.output_weights(0), self.output_weights(bucket).start);
        }
        lines
    }

    /// Weights of a network twice as wide as this one that computes the same as `lines` do: of
    /// every neuron there are two. They share its output weight in random parts, so that they learn
    /// different things from now on.
    ///
    /// Source: T. Chen, I. Goodfellow and J. Shlens, "Net2Net" (2016).
    pub fn doubled(self, lines: &[Line], seed: u64) -> Vec<Line> {
        let wide = Shape {
            tiles: 2 * self.tiles,
        };
        let mut random = Random::new(seed);
        let mut widened = vec![Line::ZERO; wide.lines()];
        for copy in 0..2 {
            for tile in 0..self.tiles {
                let to = copy * self.tiles + tile;
                widened[wide.input_weights(to)].copy_from_slice(&lines[self.input_weights(tile)]);
                widened[wide.input_bias(to)] = lines[self.input_bias(tile)];
            }
        }
        for bucket in 0..BUCKETS {
            let from = self.output_weights(bucket).start;
            let to = wide.output_weights(bucket).start;
            for (side, tile) in (0..2).flat_map(|side| (0..self.tiles).map(move |t| (side, t))) {
                let weights = lines[from + side * self.tiles + tile].0;
                let first = to + side * wide.tiles + tile;
                for (lane, weight) in weights.into_iter().enumerate() {
                    let share = 0.25 + random.below(1 << 20) as f32 / (1 << 21) as f32;
                    widened[first].0[lane] = weight * share;
                    widened[first + self.tiles].0[lane] = weight * (1.0 - share);
                }
            }
        }
        widened[wide.output_bias()] = lines[self.output_bias()];
        widened
    }

    /// Writes the weights as the engine will have them: rounded to its integers.
    pub fn round(self, lines: &[Line], rounded: &mut [Line]) {
        let (inputs, outputs) = (self.output_weights(0).start, self.output_bias());
        for (range, one) in [
            (0..inputs, QA),
            (inputs..outputs, QB),
            (outputs..self.lines(), QA * QB),
        ] {
            round(&lines[range.clone()], &mut rounded[range], one as f32);
        }
    }

    /// The lines that make up a [row](crate::nnue::weights::ROWS) of the network's file.
    pub fn row(self, row: usize) -> impl Iterator<Item = usize> {
        let (first, step) = if row < INPUTS {
            (row, INPUTS)
        } else {
            (row * self.tiles, 1)
        };
        (0..self.tiles).map(move |tile| first + tile * step)
    }
}

/// What the outputs are to be like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The share of the game's result; the rest is the search's score.
    pub lambda: f32,
    /// The share of the later scores in the score.
    pub smooth: f32,
    /// Expected points at a score `s` of the games are `sigmoid(s / score_k)`.
    pub score_k: f32,
    /// The same for the network's units.
    pub network_k: f32,
}

impl Target {
    /// What a network's output (1.0 is [`SCALE`] units) is multiplied by before the sigmoid.
    fn steepness(&self) -> f32 {
        SCALE as f32 / self.network_k
    }

    /// The expected points that a position is taught.
    #[inline(always)]
    pub fn wanted(&self, record: &Record) -> f32 {
        let (score, later) = (f32::from(record.score), f32::from(record.later));
        let score = score + self.smooth * (later - score);
        let expected = sigmoid(score / self.score_k);
        let points = points(record.half_points).unwrap_or(expected);
        expected + self.lambda * (points - expected)
    }

    /// The squared error of an evaluation in the network's units.
    pub fn error(&self, record: &Record, evaluation: f32) -> f32 {
        let error = sigmoid(evaluation / self.network_k) - self.wanted(record);
        error * error
    }
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The inputs and hidden layers of a group of positions.
#[derive(Clone, Debug)]
pub struct Scratch {
    inputs: Vec<Inputs>,
    /// By position, then side, then tile.
    hidden: Vec<Line>,
}

impl Scratch {
    /// Room for a network of that shape.
    pub fn new(shape: Shape) -> Scratch {
        Scratch {
            inputs: vec![Inputs::NONE; GROUP],
            hidden: vec![Line::ZERO; GROUP * 2 * shape.tiles],
        }
    }
}

/// Fills in the inputs and hidden layers of at most [`GROUP`] positions, before activation.
#[inline(always)]
fn sum_up(lines: &[Line], shape: Shape, records: &[Record], scratch: &mut Scratch) {
    for (record, inputs) in records.iter().zip(&mut scratch.inputs) {
        record.inputs(inputs);
    }
    let tiles = shape.tiles;
    for tile in 0..tiles {
        let weights = &lines[shape.input_weights(tile)];
        let bias = lines[shape.input_bias(tile)];
        let positions = scratch
            .inputs
            .iter()
            .zip(scratch.hidden.chunks_exact_mut(2 * tiles));
        for (inputs, hidden) in positions.take(records.len()) {
            let mut sums = [bias; 2];
            for (&own, &other) in inputs.of(0).iter().zip(inputs.of(1)) {
                sums[0].add(&weights[usize::from(own)]);
                sums[1].add(&weights[usize::from(other)]);
            }
            hidden[tile] = sums[0];
            hidden[tiles + tile] = sums[1];
        }
    }
}

/// The output of a hidden layer.
#[inline(always)]
fn output(lines: &[Line], shape: Shape, bucket: usize, hidden: &[Line]) -> f32 {
    let weights = &lines[shape.output_weights(bucket)];
    let mut sum = Line::ZERO;
    for (hidden, weight) in hidden.iter().zip(weights) {
        for lane in 0..LANES {
            let clipped = hidden.0[lane].clamp(0.0, 1.0);
            sum.0[lane] += clipped * clipped * weight.0[lane];
        }
    }
    sum.0.iter().sum::<f32>() + lines[shape.output_bias()].0[bucket]
}

/// Adds the gradient of the mean squared error over a batch of `batch_size` positions, of which
/// `records` are a part, and returns the sum of their squared errors.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub fn add_gradient(
    lines: &[Line],
    shape: Shape,
    target: &Target,
    records: &[Record],
    batch_size: usize,
    scratch: &mut Scratch,
    gradient: &mut [Line],
) -> f64 {
    let mut loss = 0.0;
    for group in records.chunks(GROUP) {
        sum_up(lines, shape, group, scratch);
        let positions = scratch
            .inputs
            .iter()
            .zip(scratch.hidden.chunks_exact_mut(2 * shape.tiles));
        for (record, (inputs, hidden)) in group.iter().zip(positions) {
            let bucket = bucket(inputs.men);
            let steepness = target.steepness();
            let expected = sigmoid(output(lines, shape, bucket, hidden) * steepness);
            let error = expected - target.wanted(record);
            loss += f64::from(error * error);
            let slope = 2.0 * error * expected * (1.0 - expected) * steepness / batch_size as f32;
            pull_back(lines, shape, bucket, slope, hidden, gradient);
        }
        spread(shape, group.len(), scratch, gradient);
    }
    loss
}

/// Adds an output's slope to the gradient of its parameters, and turns the neurons into the slopes
/// of theirs.
#[inline(always)]
fn pull_back(
    lines: &[Line],
    shape: Shape,
    bucket: usize,
    slope: f32,
    hidden: &mut [Line],
    gradient: &mut [Line],
) {
    gradient[shape.output_bias()].0[bucket] += slope;
    let range = shape.output_weights(bucket);
    let outputs = lines[range.clone()].iter().zip(&mut gradient[range]);
    for (hidden, (weight, gradient)) in hidden.iter_mut().zip(outputs) {
        for lane in 0..LANES {
            let clipped = hidden.0[lane].clamp(0.0, 1.0);
            // Beyond both ends the activation is flat; at the lower one the factor is 0 anyway.
            let moving = if hidden.0[lane] < 1.0 {
                2.0 * clipped
            } else {
                0.0
            };
            gradient.0[lane] += slope * (clipped * clipped);
            hidden.0[lane] = slope * weight.0[lane] * moving;
        }
    }
}

/// Adds the slopes of the hidden neurons to the gradient of every active input, and of the biases.
#[inline(always)]
fn spread(shape: Shape, count: usize, scratch: &Scratch, gradient: &mut [Line]) {
    let tiles = shape.tiles;
    for tile in 0..tiles {
        let mut bias = gradient[shape.input_bias(tile)];
        let gradient = &mut gradient[..];
        let rows = &mut gradient[shape.input_weights(tile)];
        let positions = scratch
            .inputs
            .iter()
            .zip(scratch.hidden.chunks_exact(2 * tiles));
        for (inputs, slopes) in positions.take(count) {
            let slopes = [slopes[tile], slopes[tiles + tile]];
            bias.add(&slopes[0]);
            bias.add(&slopes[1]);
            for (&own, &other) in inputs.of(0).iter().zip(inputs.of(1)) {
                rows[usize::from(own)].add(&slopes[0]);
                rows[usize::from(other)].add(&slopes[1]);
            }
        }
        gradient[shape.input_bias(tile)] = bias;
    }
}

/// The sum of the squared errors of `records`.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub fn loss(lines: &[Line], shape: Shape, target: &Target, records: &[Record]) -> f64 {
    let mut scratch = Scratch::new(shape);
    let mut loss = 0.0;
    for group in records.chunks(GROUP) {
        sum_up(lines, shape, group, &mut scratch);
        let positions = scratch
            .inputs
            .iter()
            .zip(scratch.hidden.chunks_exact(2 * shape.tiles));
        for (record, (inputs, hidden)) in group.iter().zip(positions) {
            let value = output(lines, shape, bucket(inputs.men), hidden) * SCALE as f32;
            loss += f64::from(target.error(record, value));
        }
    }
    loss
}

/// Rounds to multiples of one in `one`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn round(lines: &[Line], rounded: &mut [Line], one: f32) {
    for (line, rounded) in lines.iter().zip(rounded) {
        for lane in 0..LANES {
            rounded.0[lane] = (line.0[lane] * one).round_ties_even() / one;
        }
    }
}

/// The settings of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The learning rate.
    pub rate: f32,
    /// The share of a weight, times the rate, that decays.
    pub decay: f32,
    /// The number of the step, from 1.
    pub number: i32,
}

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// A step of AdamW on a part of the parameters: `gradients` are the same part of what every worker
/// has found, added up in their order.
///
/// Source: I. Loshchilov and F. Hutter, "Decoupled weight decay regularization" (2019).
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub fn step(
    step: &Step,
    gradients: &[&[Line]],
    parameters: &mut [Line],
    momentum: &mut [Line],
    velocity: &mut [Line],
) {
    let correction1 = 1.0 / (1.0 - BETA1.powi(step.number));
    let correction2 = 1.0 / (1.0 - BETA2.powi(step.number));
    let kept = 1.0 - step.rate * step.decay;
    let lines = parameters
        .iter_mut()
        .zip(momentum)
        .zip(velocity)
        .enumerate();
    for (index, ((weight, m), v)) in lines {
        let mut g = Line::ZERO;
        for gradient in gradients {
            g.add(&gradient[index]);
        }
        for lane in 0..LANES {
            let g = g.0[lane];
            m.0[lane] = BETA1 * m.0[lane] + (1.0 - BETA1) * g;
            v.0[lane] = BETA2 * v.0[lane] + (1.0 - BETA2) * g * g;
            let change = m.0[lane] * correction1 / ((v.0[lane] * correction2).sqrt() + EPSILON);
            weight.0[lane] = (weight.0[lane] * kept - step.rate * change).clamp(-CLIP, CLIP);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        nnue::weights::{BIAS_ROW, ROWS},
        position::Position,
        tools::openings::random_start,
    };

    fn records(count: usize) -> Vec<Record> {
        let mut random = Random::new(11);
        let mut records = Vec::new();
        while records.len() < count {
            let (white, black) = random_start(&mut random);
            let mut position = Position::start_array(white, black).expect("a number");
            for _ in 0..60 {
                let Some(m) = random.pick(&position.legal_moves()) else {
                    break;
                };
                position = position.play(m);
            }
            let score = random.below(800) as i16 - 400;
            records.push(Record::new(
                &position,
                score,
                score / 2,
                random.below(3) as u8,
            ));
        }
        records
    }

    const TARGET: Target = Target {
        lambda: 0.4,
        smooth: 0.25,
        score_k: 210.0,
        network_k: 190.0,
    };

    fn gradient_of(lines: &[Line], shape: Shape, records: &[Record]) -> (f64, Vec<Line>) {
        let mut gradient = vec![Line::ZERO; shape.lines()];
        let scratch = &mut Scratch::new(shape);
        let count = records.len();
        let loss = add_gradient(
            lines,
            shape,
            &TARGET,
            records,
            count,
            scratch,
            &mut gradient,
        );
        (loss, gradient)
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let shape = Shape::new(64);
        let mut lines = shape.initial(5);
        // Neurons on all three pieces of the activation, none near the corner at 1.
        for tile in 0..4 {
            for (lane, bias) in lines[shape.input_bias(tile)].0.iter_mut().enumerate() {
                *bias = [-2.5, 0.3, 2.5][lane % 3];
            }
            for line in &mut lines[shape.input_weights(tile)] {
                line.0 = line.0.map(|weight| weight * 0.5);
            }
        }
        let records = records(100);
        let (whole, gradient) = gradient_of(&lines, shape, &records);
        assert!((whole - loss(&lines, shape, &TARGET, &records)).abs() < 1e-6 * whole);

        let mut inputs = Inputs::NONE;
        records[0].inputs(&mut inputs);
        let bucket = bucket(inputs.men);
        let mut looked_at = vec![(shape.output_bias(), bucket)];
        let output = shape
            .output_weights(bucket)
            .map(|line| (line, line % LANES));
        let rows = [inputs.of(0)[3], inputs.of(1)[5]].map(usize::from);
        let weights = rows
            .into_iter()
            .flat_map(|row| (0..4).map(move |tile| tile * INPUTS + row));
        let biases = (0..4).map(|tile| shape.input_bias(tile));
        looked_at.extend(output);
        looked_at.extend(
            weights
                .chain(biases)
                .flat_map(|line| (0..LANES).map(move |lane| (line, lane))),
        );
        let mut alive = 0;
        for (line, lane) in looked_at {
            let mut at = |delta: f32| {
                let before = lines[line].0[lane];
                lines[line].0[lane] = before + delta;
                let loss = loss(&lines, shape, &TARGET, &records) / records.len() as f64;
                lines[line].0[lane] = before;
                loss
            };
            let slope = (at(2e-3) - at(-2e-3)) / 4e-3;
            let found = f64::from(gradient[line].0[lane]);
            assert!(
                (slope - found).abs() < 2e-5 + 0.03 * slope.abs(),
                "{line} {lane}: {slope} {found}"
            );
            alive += usize::from(found.abs() > 1e-5);
        }
        assert!(alive > 50, "{alive}");
    }

    #[test]
    fn rounded_weights_are_the_engines_integers() {
        let shape = Shape::new(32);
        let mut lines = shape.initial(3);
        lines[shape.output_bias()].0[2] = 0.123_456;
        let mut rounded = vec![Line::ZERO; shape.lines()];
        shape.round(&lines, &mut rounded);
        let check = |weight: f32, rounded: f32, one: i32| {
            let number = rounded * one as f32;
            assert!((number - number.round()).abs() < 1e-3, "{rounded} in {one}");
            assert!((weight - rounded).abs() < 0.501 / one as f32);
        };
        for (line, lane, one) in [
            (shape.input_weights(1).start + 5, 1, QA),
            (shape.output_weights(4).start + 2, 9, QB),
            (shape.output_bias(), 2, QA * QB),
        ] {
            check(lines[line].0[lane], rounded[line].0[lane], one);
        }
        assert_ne!(lines, rounded);
    }

    #[test]
    fn a_doubled_network_computes_the_same() {
        let (narrow, wide) = (Shape::new(32), Shape::new(64));
        let lines = narrow.initial(8);
        let records = records(100);
        let doubled = narrow.doubled(&lines, 1);
        assert_eq!(doubled.len(), wide.lines());
        let before = loss(&lines, narrow, &TARGET, &records);
        let after = loss(&doubled, wide, &TARGET, &records);
        assert!((before - after).abs() < 1e-4 * before, "{before} {after}");
        // Two of a kind, but not the same to the outputs.
        let row = |row: usize| wide.row(row).map(|line| doubled[line]).collect::<Vec<_>>();
        let (inputs, outputs) = (row(7), row(BIAS_ROW + 1 + 2 * 3 + 1));
        assert_eq!(inputs[..2], inputs[2..]);
        assert_ne!(outputs[..2], outputs[2..]);
    }

    #[test]
    fn a_batch_can_be_cut() {
        let shape = Shape::new(64);
        let lines = shape.initial(6);
        let records = records(150);
        let (whole_loss, whole) = gradient_of(&lines, shape, &records);
        let mut cut = vec![Line::ZERO; shape.lines()];
        let mut cut_loss = 0.0;
        for part in records.chunks(11) {
            let scratch = &mut Scratch::new(shape);
            cut_loss += add_gradient(&lines, shape, &TARGET, part, 150, scratch, &mut cut);
        }
        assert!((whole_loss - cut_loss).abs() < 1e-9);
        assert_eq!(whole, cut);
    }

    #[test]
    fn steps_follow_the_formula_and_stay_within_the_clip() {
        let line = |first: f32, second: f32| {
            let mut line = Line::ZERO;
            line.0[..2].copy_from_slice(&[first, second]);
            [line]
        };
        let (mut weights, mut m, mut v) = (line(0.5, -1.979), line(0.0, 0.0), line(0.0, 0.0));
        let settings = Step {
            rate: 0.01,
            decay: 0.1,
            number: 1,
        };
        let gradients = [line(0.2, 0.5), line(0.1, 0.5)];
        step(
            &settings,
            &[&gradients[0], &gradients[1]],
            &mut weights,
            &mut m,
            &mut v,
        );
        // The first step is the rate, against the gradient's sign.
        assert!(
            (weights[0].0[0] - (0.5 * 0.999 - 0.01)).abs() < 1e-6,
            "{weights:?}"
        );
        assert_eq!(weights[0].0[1], -CLIP);
        assert!((m[0].0[0] - 0.03).abs() < 1e-7 && (v[0].0[1] - 0.001).abs() < 1e-7);
        assert_eq!(weights[0].0[2], 0.0);
    }

    #[test]
    fn no_parameters_overlap() {
        let shape = Shape::new(128);
        assert_eq!(shape.input_bias(0), shape.input_weights(7).end);
        assert_eq!(shape.output_weights(0).start, shape.input_bias(7) + 1);
        assert_eq!(shape.output_bias(), shape.output_weights(7).end);
        assert_eq!(shape.lines() * LANES, 768 * 128 + 128 + 8 * 256 + LANES);
        let rows = (0..ROWS).flat_map(|row| shape.row(row));
        let all: BTreeSet<usize> = rows.chain([shape.output_bias()]).collect();
        assert!(all.into_iter().eq(0..shape.lines()));
        let row = |row: usize| shape.row(row).collect::<Vec<_>>();
        assert_eq!(row(3)[1], shape.input_weights(1).start + 3);
        assert_eq!(row(BIAS_ROW)[7], shape.input_bias(7));
        assert_eq!(
            row(BIAS_ROW + 1 + 2 * 2 + 1)[0],
            shape.output_weights(2).start + 8
        );
    }

    #[test]
    fn a_shape_is_known_by_its_lines() {
        for hidden in [16, 256, 4096] {
            let shape = Shape::new(hidden);
            assert_eq!(Shape::of_lines(shape.lines()), Some(shape));
            assert_eq!(Shape::of_lines(shape.lines() + 1), None);
        }
        assert_eq!(Shape::of_lines(0), None);
        assert_eq!(Shape::of_lines(1), None);
    }
}
