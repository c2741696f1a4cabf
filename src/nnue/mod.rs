//! The evaluation by an efficiently updatable neural network (NNUE).
//!
//! - [`architecture`] - the shape of the network and its number formats
//! - [`features`] - the inputs: which piece stands where, as a side sees it
//! - [`endings`] - endings that need no network
//! - [`weights`] - a network of any width and its file
//! - [`network`] - the numbers as they are played with
//! - `accumulator`, `refresh` - the hidden layer's sums along a line of moves
//! - [`simd`] - the inner loops, one file a set of instructions
//! - [`breakdown`] - what a value is made of
//! - `random` - networks to test with
//!
//! A move changes two to four of the 768 inputs, so the sums of the hidden layer follow from those
//! of the position before by adding and subtracting as many rows of weights. Yu Nasu described the
//! idea in "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer Shogi"
//! (2018).

mod accumulator;
pub mod architecture;
pub mod breakdown;
pub mod endings;
pub mod features;
pub mod network;
mod random;
mod refresh;
pub mod simd;
pub mod weights;

use std::sync::Arc;

use shakmaty::{ByColor, Color, Move};

use crate::position::Position;
use accumulator::{AccumulatorStack, Means};
use architecture::LIMIT;
pub use breakdown::Breakdown;
pub use network::Network;
use refresh::RefreshCache;
use simd::{Row, Simd};
pub use weights::{NetworkError, Weights};

/// Evaluates positions along a line of moves. It grows with the longest line, by 1.1 KiB a ply at
/// 256 hidden neurons.
#[derive(Debug)]
pub struct Evaluator {
    network: Arc<Network>,
    simd: Simd,
    stack: AccumulatorStack,
    cache: RefreshCache,
}

impl Evaluator {
    /// A fresh evaluator with a network.
    pub fn new(network: Arc<Network>) -> Evaluator {
        Evaluator::with_simd(network, Simd::best())
    }

    /// A fresh evaluator that computes with a certain set of instructions.
    pub fn with_simd(network: Arc<Network>, simd: Simd) -> Evaluator {
        debug_assert_eq!(network.weights().check(), Ok(()));
        Evaluator {
            cache: RefreshCache::new(&network),
            network,
            simd,
            stack: AccumulatorStack::new(),
        }
    }

    /// The network it evaluates by.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Starts anew at `root`.
    pub fn reset(&mut self, _root: &Position) {
        self.stack.reset();
    }

    /// A move was made.
    #[inline]
    pub fn push(&mut self, before: &Position, m: Move, after: &Position) {
        self.stack.push(before, m, after);
    }

    /// The last pushed move is taken back.
    #[inline]
    pub fn pop(&mut self) {
        self.stack.pop();
    }

    /// The value of `position`, the last one pushed (a null move is not pushed), from the side to
    /// move; between -20,000 and 20,000, both excluded, unless it is a known win
    /// ([`endings::KNOWN_WIN`]). It depends on nothing but pieces and side to move.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        if let Some(value) = endings::known_ending(position) {
            return value;
        }
        let means = Means {
            network: &self.network,
            cache: &mut self.cache,
            simd: self.simd,
        };
        let sums = self.stack.sums(position, means);
        let bucket = architecture::bucket(position.occupied().count());
        value(&self.network, self.simd, sums, position.turn(), bucket)
    }
}

/// The value that an output layer gives to the hidden layer's sums, from the side of `us`.
fn value(network: &Network, simd: Simd, sums: &ByColor<Row>, us: Color, bucket: usize) -> i32 {
    let weights = &network.output_weights[bucket];
    let sum = simd.output(&sums[us], &sums[!us], weights);
    architecture::evaluation(sum, network.output_bias[bucket]).clamp(-LIMIT, LIMIT)
}
