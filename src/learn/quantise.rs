//! Between the floating network and the integers of the engine's, of any width.

use rayon::prelude::*;

use super::trainer::{
    model::{LANES, Line, Shape, Target},
    record::{Inputs, Record},
};
use crate::nnue::{
    Weights,
    architecture::{BUCKETS, INPUTS, QA, QB, bucket, evaluation},
    weights::{BIAS_ROW, ROWS},
};

/// Positions that one thread takes at a time when a loss is measured.
const MEASURED: usize = 8192;

/// What 1.0 is in the integers of a row.
fn one_of(row: usize) -> f32 {
    (if row <= BIAS_ROW { QA } else { QB }) as f32
}

/// What 1.0 is in an output's bias.
const ONE_OF_BIAS: f32 = (QA * QB) as f32;

/// Rounds a floating network to the integers of the engine's. Whether their sums could overflow,
/// [`Weights::check`] says.
pub fn quantise(lines: &[Line], shape: Shape, name: String) -> Weights {
    let mut weights = Weights::zeroed(shape.hidden());
    weights.name = name;
    for row in 0..ROWS {
        let numbers = weights.row_mut(row).as_chunks_mut::<LANES>().0;
        for (numbers, line) in numbers.iter_mut().zip(shape.row(row)) {
            *numbers = lines[line]
                .0
                .map(|weight| (weight * one_of(row)).round_ties_even() as i16);
        }
    }
    let biases = &lines[shape.output_bias()].0[..BUCKETS];
    for (number, bias) in weights.output_bias.iter_mut().zip(biases) {
        *number = (bias * ONE_OF_BIAS).round_ties_even() as i32;
    }
    weights
}

/// The floating network that [`quantise`] makes these integers of.
pub fn to_floating(weights: &Weights) -> (Shape, Vec<Line>) {
    let shape = Shape::new(weights.hidden());
    let mut lines = vec![Line::ZERO; shape.lines()];
    for row in 0..ROWS {
        let numbers = weights.row(row).as_chunks::<LANES>().0;
        for (numbers, line) in numbers.iter().zip(shape.row(row)) {
            lines[line] = Line(numbers.map(|number| f32::from(number) / one_of(row)));
        }
    }
    let biases = &mut lines[shape.output_bias()].0[..BUCKETS];
    for (bias, number) in biases.iter_mut().zip(weights.output_bias) {
        *bias = number as f32 / ONE_OF_BIAS;
    }
    (shape, lines)
}

/// The mean squared error of a quantised network. Runs in the caller's thread pool.
pub fn loss(weights: &Weights, target: &Target, records: &[Record]) -> f64 {
    let parts: Vec<f64> = records
        .par_chunks(MEASURED)
        .map(|part| {
            let error = |record| target.error(record, evaluate(weights, record) as f32);
            part.iter().map(|record| f64::from(error(record))).sum()
        })
        .collect();
    parts.iter().sum::<f64>() / records.len().max(1) as f64
}

/// The value of a position from the side to move, in the network's units: by the definition, not
/// by the engine's kernels.
pub fn evaluate(weights: &Weights, record: &Record) -> i32 {
    let mut inputs = Inputs::NONE;
    record.inputs(&mut inputs);
    let bucket = bucket(inputs.men);
    let mut sum: i32 = 0;
    for side in 0..2 {
        let mut hidden = weights.row(BIAS_ROW).to_vec();
        for &input in inputs.of(side) {
            let row = weights.row(usize::from(input) % INPUTS);
            for (hidden, weight) in hidden.iter_mut().zip(row) {
                *hidden = hidden.wrapping_add(*weight);
            }
        }
        for (&hidden, &weight) in hidden.iter().zip(weights.output(bucket, side)) {
            let clipped = i32::from(hidden).clamp(0, QA);
            sum = sum.wrapping_add(clipped * clipped * i32::from(weight));
        }
    }
    evaluation(sum, weights.output_bias[bucket])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        nnue::{
            Evaluator, Network,
            architecture::{HIDDEN, LIMIT},
        },
        position::Position,
    };

    #[test]
    fn rounding_keeps_what_the_network_says() {
        for hidden in [HIDDEN, 96] {
            let shape = Shape::new(hidden);
            let mut parameters = shape.initial(2);
            parameters[shape.output_bias()].0[7] = 0.5;
            let network = quantise(&parameters, shape, "a test".to_owned());
            assert_eq!(network.check(), Ok(()));
            let target = Target {
                lambda: 0.0,
                smooth: 0.0,
                score_k: 200.0,
                network_k: 200.0,
            };
            let record = Record::new(&Position::startpos(), 0, 0, 1);
            let value = evaluate(&network, &record);
            // The score is zero, so the error tells the floating value.
            let error = crate::learn::trainer::model::loss(&parameters, shape, &target, &[record]);
            let expected = 0.5 + error.sqrt();
            let floating = 200.0 * (expected / (1.0 - expected)).ln();
            assert!(
                (f64::from(value) - floating).abs() < 8.0,
                "{value} {floating}"
            );
            assert!(value > 60);
            let found = loss(&network, &target, &[record]);
            assert!((found - error).abs() < 0.01, "{found} {error}");
        }
    }

    #[test]
    fn the_engine_says_what_the_trainer_means() {
        let network: Arc<Network> = Network::random(1).into();
        let weights = network.weights();
        let mut evaluator = Evaluator::new(network);
        for number in (0..960).step_by(7) {
            let mut position = Position::start_array(number, 959 - number).unwrap();
            for ply in 0..60 {
                evaluator.reset(&position);
                let record = Record::new(&position, 0, 0, 1);
                assert_eq!(
                    evaluator.evaluate(&position),
                    evaluate(&weights, &record).clamp(-LIMIT, LIMIT)
                );
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[(ply * 7919 + usize::from(number)) % moves.len()]);
            }
        }
    }

    #[test]
    fn a_network_comes_back_from_floating_weights() {
        for weights in [Network::embedded().weights(), Network::random(3).weights()] {
            let (shape, lines) = to_floating(&weights);
            assert_eq!(shape.hidden(), HIDDEN);
            let back = quantise(&lines, shape, weights.name.clone());
            assert!(back == weights);
        }
    }

    #[test]
    fn what_overflows_is_found() {
        let shape = Shape::new(HIDDEN);
        let mut parameters = shape.initial(1);
        parameters.fill(Line([3.0; LANES]));
        assert!(quantise(&parameters, shape, String::new()).check().is_err());
    }
}
