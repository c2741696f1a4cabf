//! What the value of a position is made of.

use shakmaty::{Color, Piece, Role, Square};

use super::{
    accumulator::sums_from_scratch,
    architecture::{BUCKETS, bucket},
    endings::known_ending,
    features::Perspective,
    network::Network,
    simd::Simd,
    value,
};
use crate::position::Position;

/// The value of a position taken apart. All values are those of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakdown {
    /// What [`Evaluator::evaluate`](super::Evaluator::evaluate) says.
    pub value: i32,
    /// The output layer that said it, unless the ending is a known one.
    pub bucket: usize,
    /// What each of the output layers would say.
    pub buckets: [i32; BUCKETS],
    /// Every piece but the kings, from a1 to h8.
    pub pieces: Vec<Contribution>,
}

/// What a piece does for its position's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// Where it stands.
    pub square: Square,
    /// What it is.
    pub piece: Piece,
    /// By how much the value would be less without it. The output layer stays that of the whole
    /// position, so that this is the piece's doing alone.
    pub value: i32,
}

impl Breakdown {
    /// Takes apart what `network` says of `position`.
    pub fn new(network: &Network, position: &Position) -> Breakdown {
        let simd = Simd::best();
        let us = position.turn();
        let sums = sums_from_scratch(network, position);
        let bucket = bucket(position.occupied().count());
        let buckets: [i32; BUCKETS] =
            std::array::from_fn(|bucket| value(network, simd, &sums, us, bucket));
        let views = |color: Color| Perspective::new(color, position.king(color));
        let without = |square: Square, piece: Piece| {
            let mut sums = sums;
            for color in Color::ALL {
                let removed = &network.input_weights[views(color).feature(piece, square)];
                simd.refresh(&mut sums[color], &[], &[removed]);
            }
            value(network, simd, &sums, us, bucket)
        };
        let pieces = position.board().iter();
        Breakdown {
            value: known_ending(position).unwrap_or(buckets[bucket]),
            bucket,
            buckets,
            pieces: pieces
                .filter(|(_, piece)| piece.role != Role::King)
                .map(|(square, piece)| Contribution {
                    square,
                    piece,
                    value: buckets[bucket] - without(square, piece),
                })
                .collect(),
        }
    }
}
