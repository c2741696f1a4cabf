//! From the floating network to the integers of the engine's.

use rayon::prelude::*;

use super::trainer::{
    model::{Line, Shape, Target},
    record::{Inputs, Record},
};
use crate::nnue::{
    Network,
    architecture::{BUCKETS, HIDDEN, INPUTS, QA, QB, bucket, evaluation},
};

/// Positions that one thread takes at a time when a loss is measured.
const MEASURED: usize = 8192;

/// Rounds a floating network to the integers of the engine's.
///
/// # Errors
/// When it has another number of neurons than the engine, or a sum could overflow.
pub fn quantise(lines: &[Line], shape: Shape, name: String) -> Result<Box<Network>, String> {
    if shape.hidden() != HIDDEN || lines.len() != shape.lines() {
        return Err(format!(
            "the engine's networks have {HIDDEN} hidden neurons, not {}",
            shape.hidden()
        ));
    }
    let rounded = |row: &mut [i16; HIDDEN], weights: Vec<f32>, one: i32| {
        for (number, weight) in row.iter_mut().zip(weights) {
            *number = (weight * one as f32).round() as i16;
        }
    };
    let mut network = Network::zeroed();
    network.name = name;
    for (input, row) in network.input_weights.iter_mut().enumerate() {
        rounded(&mut row.0, shape.input_row(lines, input), QA);
    }
    rounded(&mut network.input_bias.0, shape.bias_row(lines), QA);
    for bucket in 0..BUCKETS {
        for (side, row) in network.output_weights[bucket].iter_mut().enumerate() {
            rounded(&mut row.0, shape.output_row(lines, bucket, side), QB);
        }
        let bias = shape.bias_of(lines, bucket) * (QA * QB) as f32;
        network.output_bias[bucket] = bias.round() as i32;
    }
    network.check().map_err(|error| error.to_string())?;
    Ok(network)
}

/// The mean squared error of a quantised network. Runs in the caller's thread pool.
pub fn loss(network: &Network, target: &Target, records: &[Record]) -> f64 {
    let parts: Vec<f64> = records
        .par_chunks(MEASURED)
        .map(|part| {
            let error = |record| target.error(record, evaluate(network, record) as f32);
            part.iter().map(|record| f64::from(error(record))).sum()
        })
        .collect();
    parts.iter().sum::<f64>() / records.len().max(1) as f64
}

/// The value of a position from the side to move, in the network's units: by the definition, not
/// by the engine's kernels.
pub fn evaluate(network: &Network, record: &Record) -> i32 {
    let mut inputs = Inputs::NONE;
    record.inputs(&mut inputs);
    let bucket = bucket(inputs.men);
    let mut sum = 0;
    for (side, weights) in network.output_weights[bucket].iter().enumerate() {
        let mut hidden = network.input_bias.0;
        for &input in inputs.of(side) {
            let row = &network.input_weights[usize::from(input) % INPUTS].0;
            for (hidden, weight) in hidden.iter_mut().zip(row) {
                *hidden = hidden.wrapping_add(*weight);
            }
        }
        for (&hidden, &weight) in hidden.iter().zip(&weights.0) {
            let clipped = i32::from(hidden).clamp(0, QA);
            sum += clipped * clipped * i32::from(weight);
        }
    }
    evaluation(sum, network.output_bias[bucket])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        nnue::{Evaluator, architecture::LIMIT},
        position::Position,
    };

    #[test]
    fn rounding_keeps_what_the_network_says() {
        let shape = Shape::new(HIDDEN);
        let mut parameters = shape.initial(2);
        // The last line holds the output biases.
        parameters[shape.lines() - 1].0[7] = 0.5;
        let network = quantise(&parameters, shape, "a test".to_owned()).expect("it fits");
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

    #[test]
    fn the_engine_says_what_the_trainer_means() {
        let network: Arc<Network> = Network::random(1).into();
        let mut evaluator = Evaluator::new(Arc::clone(&network));
        for number in (0..960).step_by(7) {
            let mut position = Position::start_array(number, 959 - number).unwrap();
            for ply in 0..60 {
                evaluator.reset(&position);
                let record = Record::new(&position, 0, 0, 1);
                assert_eq!(
                    evaluator.evaluate(&position),
                    evaluate(&network, &record).clamp(-LIMIT, LIMIT)
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
    fn what_does_not_fit_is_refused() {
        let small = Shape::new(64);
        let error = quantise(&small.initial(1), small, String::new()).unwrap_err();
        assert!(error.contains("64"), "{error}");
        let shape = Shape::new(HIDDEN);
        let mut parameters = shape.initial(1);
        parameters.fill(Line([3.0; 16]));
        assert!(quantise(&parameters, shape, String::new()).is_err());
    }
}
