//! The network with floating weights: its sums, its gradient, its step.
//!
//! Everything is loops over whole tiles of [`TILE`] numbers with a fixed order of additions, which
//! the compiler turns into the widest vectors of the machine; as no multiplication is fused with an
//! addition, all machines compute the same to the last bit (but for `exp`, which is the system's).

use std::ops::Range;

use multiversion::multiversion;

use super::record::{Inputs, Record, points};
use crate::{
    nnue::architecture::{BUCKETS, INPUTS, SCALE, bucket},
    tools::openings::Random,
};

/// Hidden neurons that are held in registers at a time; the hidden size is a multiple.
pub const TILE: usize = 64;
/// Lanes of a sum that runs over all neurons.
const LANES: usize = 16;
/// The greatest size of a weight.
pub const CLIP: f32 = 1.98;

/// How the parameters lie in one array: input weights input by input, input biases, output weights
/// bucket by bucket (the neurons of the side to move first), output biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    hidden: usize,
}

impl Shape {
    /// A network of `hidden` neurons a perspective.
    ///
    /// # Panics
    /// When that isn't a multiple of [`TILE`].
    pub fn new(hidden: usize) -> Shape {
        assert!(
            hidden > 0 && hidden.is_multiple_of(TILE),
            "hidden neurons come in tiles of {TILE}"
        );
        Shape { hidden }
    }

    /// Hidden neurons a perspective.
    pub fn hidden(self) -> usize {
        self.hidden
    }

    /// The weights of all inputs.
    pub fn input_weights(self) -> Range<usize> {
        0..INPUTS * self.hidden
    }

    /// The biases of the hidden neurons.
    pub fn input_bias(self) -> Range<usize> {
        let start = self.input_weights().end;
        start..start + self.hidden
    }

    /// The weights of an output, both halves.
    pub fn output_weights(self, bucket: usize) -> Range<usize> {
        let start = self.input_bias().end + bucket * 2 * self.hidden;
        start..start + 2 * self.hidden
    }

    /// The bias of an output.
    pub fn output_bias(self, bucket: usize) -> usize {
        self.output_weights(BUCKETS - 1).end + bucket
    }

    /// How many parameters there are.
    pub fn parameters(self) -> usize {
        self.output_bias(BUCKETS - 1) + 1
    }

    /// Random weights to begin with: small enough that no neuron is saturated, and the same for
    /// every output.
    pub fn initial(self, seed: u64) -> Vec<f32> {
        let mut random = Random::new(seed);
        let mut uniform = |deviation: f64| {
            let unit = (random.next() >> 40) as f64 / (1_u64 << 24) as f64;
            ((2.0 * unit - 1.0) * 3_f64.sqrt() * deviation) as f32
        };
        let mut parameters = vec![0.0; self.parameters()];
        let spread = (2.0 / INPUTS as f64).sqrt();
        parameters[self.input_weights()].fill_with(|| uniform(spread));
        let spread = (1.0 / self.hidden as f64).sqrt();
        parameters[self.output_weights(0)].fill_with(|| uniform(spread));
        for bucket in 1..BUCKETS {
            parameters.copy_within(self.output_weights(0), self.output_weights(bucket).start);
        }
        parameters
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
        expected + self.lambda * (points(record.half_points) - expected)
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

/// The hidden layer of one position, both perspectives.
#[derive(Clone, Debug)]
pub struct Hidden {
    sums: Vec<f32>,
}

impl Hidden {
    /// Room for a network of that shape.
    pub fn new(shape: Shape) -> Hidden {
        Hidden {
            sums: vec![0.0; 2 * shape.hidden],
        }
    }
}

/// Adds the rows of the active inputs to the biases, tile by tile.
#[inline(always)]
fn sum_up(parameters: &[f32], shape: Shape, inputs: &[u16], sums: &mut [f32]) {
    let hidden = shape.hidden;
    let bias = &parameters[shape.input_bias()];
    for (tile, (sums, bias)) in sums
        .chunks_exact_mut(TILE)
        .zip(bias.chunks_exact(TILE))
        .enumerate()
    {
        let mut held = [0.0; TILE];
        held.copy_from_slice(bias);
        for &input in inputs {
            let start = usize::from(input) * hidden + tile * TILE;
            let row = &parameters[start..start + TILE];
            for (held, row) in held.iter_mut().zip(row) {
                *held += row;
            }
        }
        sums.copy_from_slice(&held);
    }
}

/// The output of the hidden layer.
#[inline(always)]
fn output(parameters: &[f32], shape: Shape, bucket: usize, sums: &[f32]) -> f32 {
    let weights = &parameters[shape.output_weights(bucket)];
    let mut lanes = [0.0; LANES];
    for (sums, weights) in sums.chunks_exact(LANES).zip(weights.chunks_exact(LANES)) {
        for ((lane, sum), weight) in lanes.iter_mut().zip(sums).zip(weights) {
            let clipped = sum.clamp(0.0, 1.0);
            *lane += clipped * clipped * weight;
        }
    }
    lanes.iter().sum::<f32>() + parameters[shape.output_bias(bucket)]
}

/// Adds the gradient of the mean squared error over a batch of `batch_size` positions, of which
/// `records` are a part, and returns the sum of their squared errors.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub fn add_gradient(
    parameters: &[f32],
    shape: Shape,
    target: &Target,
    records: &[Record],
    batch_size: usize,
    scratch: &mut Hidden,
    gradient: &mut [f32],
) -> f64 {
    let hidden = shape.hidden;
    let steepness = target.steepness();
    let mut loss = 0.0;
    let mut inputs = Inputs::NONE;
    for record in records {
        record.inputs(&mut inputs);
        let bucket = bucket(inputs.men);
        for (side, sums) in scratch.sums.chunks_exact_mut(hidden).enumerate() {
            sum_up(parameters, shape, inputs.of(side), sums);
        }
        let expected = sigmoid(output(parameters, shape, bucket, &scratch.sums) * steepness);
        let error = expected - target.wanted(record);
        loss += f64::from(error * error);

        let slope = 2.0 * error * expected * (1.0 - expected) * steepness / batch_size as f32;
        gradient[shape.output_bias(bucket)] += slope;
        let weights = &parameters[shape.output_weights(bucket)];
        let range = shape.output_weights(bucket);
        for ((sum, weight), gradient) in scratch
            .sums
            .iter_mut()
            .zip(weights)
            .zip(&mut gradient[range])
        {
            let clipped = sum.clamp(0.0, 1.0);
            *gradient += slope * (clipped * clipped);
            // Beyond both ends the activation is flat; at the lower one the factor is 0 anyway.
            let moving = if *sum < 1.0 { 1.0 } else { 0.0 };
            *sum = slope * weight * (2.0 * clipped) * moving;
        }
        for (side, slopes) in scratch.sums.chunks_exact(hidden).enumerate() {
            spread(shape, inputs.of(side), slopes, gradient);
        }
    }
    loss
}

/// Adds the slopes of the hidden neurons to the gradient of every active input, and of the biases.
#[inline(always)]
fn spread(shape: Shape, inputs: &[u16], slopes: &[f32], gradient: &mut [f32]) {
    for (tile, slopes) in slopes.chunks_exact(TILE).enumerate() {
        let mut held = [0.0; TILE];
        held.copy_from_slice(slopes);
        let bias = shape.input_bias().start + tile * TILE;
        let rows = inputs
            .iter()
            .map(|&input| usize::from(input) * shape.hidden + tile * TILE);
        for start in rows.chain([bias]) {
            let row = &mut gradient[start..start + TILE];
            for (row, held) in row.iter_mut().zip(&held) {
                *row += held;
            }
        }
    }
}

/// The sum of the squared errors of `records`.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub fn loss(parameters: &[f32], shape: Shape, target: &Target, records: &[Record]) -> f64 {
    let mut scratch = Hidden::new(shape);
    let mut inputs = Inputs::NONE;
    let mut loss = 0.0;
    for record in records {
        record.inputs(&mut inputs);
        for (side, sums) in scratch.sums.chunks_exact_mut(shape.hidden).enumerate() {
            sum_up(parameters, shape, inputs.of(side), sums);
        }
        let value = output(parameters, shape, bucket(inputs.men), &scratch.sums) * SCALE as f32;
        loss += f64::from(target.error(record, value));
    }
    loss
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
    gradients: &[&[f32]],
    parameters: &mut [f32],
    momentum: &mut [f32],
    velocity: &mut [f32],
) {
    let correction1 = 1.0 / (1.0 - BETA1.powi(step.number));
    let correction2 = 1.0 / (1.0 - BETA2.powi(step.number));
    let kept = 1.0 - step.rate * step.decay;
    let mut sum = [0.0; TILE];
    let tiles = parameters
        .chunks_mut(TILE)
        .zip(momentum.chunks_mut(TILE))
        .zip(velocity.chunks_mut(TILE))
        .enumerate();
    for (tile, ((parameters, momentum), velocity)) in tiles {
        let sum = &mut sum[..parameters.len()];
        sum.fill(0.0);
        for gradient in gradients {
            for (sum, gradient) in sum.iter_mut().zip(&gradient[tile * TILE..]) {
                *sum += gradient;
            }
        }
        for (((weight, m), v), g) in parameters
            .iter_mut()
            .zip(momentum.iter_mut())
            .zip(velocity.iter_mut())
            .zip(sum.iter())
        {
            *m = BETA1 * *m + (1.0 - BETA1) * g;
            *v = BETA2 * *v + (1.0 - BETA2) * g * g;
            let change = *m * correction1 / ((*v * correction2).sqrt() + EPSILON);
            *weight = (*weight * kept - step.rate * change).clamp(-CLIP, CLIP);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{position::Position, tools::openings::random_start};

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

    fn gradient_of(parameters: &[f32], shape: Shape, records: &[Record]) -> (f64, Vec<f32>) {
        let mut gradient = vec![0.0; shape.parameters()];
        let loss = add_gradient(
            parameters,
            shape,
            &TARGET,
            records,
            records.len(),
            &mut Hidden::new(shape),
            &mut gradient,
        );
        (loss, gradient)
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let shape = Shape::new(64);
        let mut parameters = shape.initial(5);
        // Neurons on all three pieces of the activation, none near the corner at 1.
        for (index, bias) in parameters[shape.input_bias()].iter_mut().enumerate() {
            *bias = [-2.5, 0.3, 2.5][index % 3];
        }
        for weight in &mut parameters[shape.input_weights()] {
            *weight *= 0.5;
        }
        let records = records(40);
        let (whole, gradient) = gradient_of(&parameters, shape, &records);
        assert!((whole - loss(&parameters, shape, &TARGET, &records)).abs() < 1e-6 * whole);

        let mut inputs = Inputs::NONE;
        records[0].inputs(&mut inputs);
        let bucket = bucket(inputs.men);
        let mut looked_at = vec![shape.output_bias(bucket)];
        looked_at.extend(
            (0..128)
                .step_by(7)
                .map(|at| shape.output_weights(bucket).start + at),
        );
        looked_at.extend((0..64).map(|at| shape.input_bias().start + at));
        looked_at.extend((0..64).map(|at| usize::from(inputs.of(0)[3]) * 64 + at));
        looked_at.extend((0..64).map(|at| usize::from(inputs.of(1)[5]) * 64 + at));
        let mut alive = 0;
        for index in looked_at {
            let mut at = |delta: f32| {
                let before = parameters[index];
                parameters[index] = before + delta;
                let loss = loss(&parameters, shape, &TARGET, &records) / records.len() as f64;
                parameters[index] = before;
                loss
            };
            let slope = (at(2e-3) - at(-2e-3)) / 4e-3;
            let found = f64::from(gradient[index]);
            assert!(
                (slope - found).abs() < 2e-5 + 0.03 * slope.abs(),
                "{index}: {slope} {found}"
            );
            alive += usize::from(found.abs() > 1e-5);
        }
        assert!(alive > 50, "{alive}");
    }

    #[test]
    fn a_batch_can_be_cut() {
        let shape = Shape::new(64);
        let parameters = shape.initial(6);
        let records = records(30);
        let (whole_loss, whole) = gradient_of(&parameters, shape, &records);
        let mut cut = vec![0.0; shape.parameters()];
        let mut cut_loss = 0.0;
        for part in records.chunks(11) {
            let scratch = &mut Hidden::new(shape);
            cut_loss += add_gradient(&parameters, shape, &TARGET, part, 30, scratch, &mut cut);
        }
        assert!((whole_loss - cut_loss).abs() < 1e-9);
        assert_eq!(whole, cut);
    }

    #[test]
    fn steps_follow_the_formula_and_stay_within_the_clip() {
        let (mut weights, mut m, mut v) = (vec![0.5, -1.979], vec![0.0; 2], vec![0.0; 2]);
        let settings = Step {
            rate: 0.01,
            decay: 0.1,
            number: 1,
        };
        step(
            &settings,
            &[&[0.2, 0.5], &[0.1, 0.5]],
            &mut weights,
            &mut m,
            &mut v,
        );
        // The first step is the rate, against the gradient's sign.
        assert!(
            (weights[0] - (0.5 * 0.999 - 0.01)).abs() < 1e-6,
            "{weights:?}"
        );
        assert_eq!(weights[1], -CLIP);
        assert!((m[0] - 0.03).abs() < 1e-7 && (v[1] - 0.001).abs() < 1e-7);
    }

    #[test]
    fn no_parameters_overlap() {
        let shape = Shape::new(128);
        assert_eq!(shape.input_bias().start, shape.input_weights().end);
        assert_eq!(shape.output_weights(0).start, shape.input_bias().end);
        assert_eq!(shape.output_bias(0), shape.output_weights(7).end);
        assert_eq!(shape.parameters(), 768 * 128 + 128 + 8 * 256 + 8);
    }
}
