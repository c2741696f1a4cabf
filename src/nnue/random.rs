//! Networks of random numbers, for tests and measurements; nobody should play with one.

use super::{
    architecture::{BUCKETS, HIDDEN, MAX_OUTPUT_BIAS, MAX_OUTPUT_WEIGHT, QA},
    network::Network,
    simd::Row,
};
use crate::position::keys::splitmix64;

/// The greatest input weight and bias: neurons of real positions are then clipped at both ends,
/// and lie in between, about equally often.
const MAX_INPUT: i16 = QA as i16 / 3;

impl Network {
    /// The random network of that seed: the same on every machine, and another for every seed.
    pub fn random(seed: u64) -> Box<Network> {
        // Of wide layers the weights are smaller, so that all of one sign at once still have a sum.
        let max_output = (i32::MAX / (QA * QA * HIDDEN as i32)).min(i32::from(MAX_OUTPUT_WEIGHT));
        let mut state = seed;
        // Between `-end` and `end`, both included.
        let mut within = |end: i32| (splitmix64(&mut state) % (2 * end as u64 + 1)) as i32 - end;
        let mut row = |end: i32| Row([(); HIDDEN].map(|()| within(end) as i16));

        let mut network = Network::zeroed();
        network.name = format!("random numbers of seed {seed}");
        for weights in network.input_weights.iter_mut() {
            *weights = row(i32::from(MAX_INPUT));
        }
        network.input_bias = row(i32::from(MAX_INPUT));
        network.output_weights = [(); BUCKETS].map(|()| [row(max_output), row(max_output)]);
        network.output_bias = [(); BUCKETS].map(|()| within(MAX_OUTPUT_BIAS / 32));
        network
    }
}
