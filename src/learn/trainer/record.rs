//! Positions as the trainer keeps them: 32 bytes each, seen from the side to move.

use shakmaty::{Color, Square};

use crate::{nnue::architecture::INPUTS, position::Position};

/// What stands for the half points where there is no result.
pub const NO_RESULT: u8 = 3;
/// Men that a record has room for.
pub const MOST_MEN: usize = 32;

/// A position to learn from. The side to move plays up the board, whatever its colour was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct Record {
    occupied: u64,
    /// A nibble a man in the order of the squares: the role from 0, and 8 for the side not to move.
    men: [u8; MOST_MEN / 2],
    /// The search's score from the side to move.
    pub score: i16,
    /// The mean score of the next moves of the game, from the same side.
    pub later: i16,
    /// Half points that the side to move got, or [`NO_RESULT`].
    pub half_points: u8,
    /// The squares of both kings, of the side to move first.
    kings: [u8; 2],
}

const _: () = assert!(size_of::<Record>() == 32);

/// The inputs that are 1 in a position, from both sides.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// How many men there are.
    pub men: usize,
    /// Of the side to move, then of the other; the first [`men`](Inputs::men) of each count.
    pub indices: [[u16; MOST_MEN]; 2],
}

impl Inputs {
    /// An empty board.
    pub const NONE: Inputs = Inputs {
        men: 0,
        indices: [[0; MOST_MEN]; 2],
    };

    /// The inputs of one side: 0 the side to move, 1 the other.
    #[inline(always)]
    pub fn of(&self, side: usize) -> &[u16] {
        &self.indices[side][..self.men]
    }
}

impl Record {
    /// Packs a position with at most [`MOST_MEN`] men; both scores and the half points are from the
    /// side to move.
    pub fn new(position: &Position, score: i16, later: i16, half_points: u8) -> Record {
        let us = position.turn();
        let turned = |square: Square| square.to_u32() as u8 ^ us.fold_wb(0, 56);
        let board = position.board();
        let mut occupied = 0_u64;
        for square in board.occupied() {
            occupied |= 1 << turned(square);
        }
        let mut men = [0; MOST_MEN / 2];
        let mut rest = occupied;
        for index in 0..MOST_MEN {
            if rest == 0 {
                break;
            }
            let square = Square::new(rest.trailing_zeros() ^ us.fold_wb(0, 56));
            rest &= rest - 1;
            if let Some(piece) = board.piece_at(square) {
                let code = piece.role as u8 - 1 + if piece.color == us { 0 } else { 8 };
                men[index / 2] |= code << (index % 2 * 4);
            }
        }
        Record {
            occupied,
            men,
            score,
            later,
            half_points,
            kings: [turned(position.king(us)), turned(position.king(!us))],
        }
    }

    /// A number that changes with what is learned from it.
    pub fn digest(&self) -> u64 {
        let men = u128::from_le_bytes(self.men);
        self.occupied
            ^ (men as u64).rotate_left(17)
            ^ ((men >> 64) as u64).rotate_left(31)
            ^ u64::from(self.score as u16) << 40
            ^ u64::from(self.half_points) << 58
    }

    /// Number of men, kings included.
    #[inline(always)]
    pub fn men(&self) -> usize {
        (self.occupied.count_ones() as usize).min(MOST_MEN)
    }

    /// Fills in the inputs that are 1.
    #[inline(always)]
    pub fn inputs(&self, inputs: &mut Inputs) {
        // What a nibble adds to the index, from the side to move and from the other.
        const OFFSETS: [[u16; 16]; 2] = offsets();
        let mirror = |king: u8| if king & 4 != 0 { 7 } else { 0 };
        let flips = [mirror(self.kings[0]), mirror(self.kings[1]) ^ 56];
        let men = self.men();
        let mut rest = self.occupied;
        for index in 0..men {
            let square = rest.trailing_zeros() as u16;
            rest &= rest.wrapping_sub(1);
            let code = usize::from(self.men[index / 2] >> (index % 2 * 4) & 15);
            inputs.indices[0][index] = OFFSETS[0][code] + (square ^ flips[0]);
            inputs.indices[1][index] = OFFSETS[1][code] + (square ^ flips[1]);
        }
        inputs.men = men;
    }
}

const fn offsets() -> [[u16; 16]; 2] {
    let mut offsets = [[0; 16]; 2];
    let mut code = 0;
    while code < 16 {
        let role = (code as u16 & 7) * 64;
        let foreign = code as u16 / 8 * (INPUTS as u16 / 2);
        offsets[0][code] = role + foreign;
        offsets[1][code] = role + INPUTS as u16 / 2 - foreign;
        code += 1;
    }
    offsets
}

/// Half points of a colour as the score that `sigmoid` should have met: 0, 0.5 or 1.
#[inline(always)]
pub fn points(half_points: u8) -> Option<f32> {
    (half_points != NO_RESULT).then_some(f32::from(half_points) / 2.0)
}

/// A White score from the side of `color`.
pub fn from_side(score: i32, color: Color) -> i16 {
    let limit = i32::from(i16::MAX);
    color.fold_wb(score, -score).clamp(-limit, limit) as i16
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        nnue::features::Perspective,
        tools::openings::{Random, random_start},
    };

    #[test]
    fn inputs_are_those_that_the_network_plays_with() {
        let mut random = Random::new(1);
        for _ in 0..40 {
            let (white, black) = random_start(&mut random);
            let mut position = Position::start_array(white, black).expect("a number");
            for _ in 0..80 {
                let record = Record::new(&position, 0, 0, 1);
                let mut inputs = Inputs::NONE;
                record.inputs(&mut inputs);
                for (side, color) in [position.turn(), !position.turn()].into_iter().enumerate() {
                    let view = Perspective::new(color, position.king(color));
                    let wanted: BTreeSet<usize> = position
                        .board()
                        .iter()
                        .map(|(square, piece)| view.feature(piece, square))
                        .collect();
                    let found: BTreeSet<usize> = inputs
                        .of(side)
                        .iter()
                        .map(|&index| usize::from(index))
                        .collect();
                    assert_eq!(found, wanted, "{position:?}");
                }
                let Some(m) = random.pick(&position.legal_moves()) else {
                    break;
                };
                position = position.play(m);
            }
        }
    }

    #[test]
    fn sides_see_scores_their_own_way() {
        assert_eq!(from_side(70, Color::White), 70);
        assert_eq!(from_side(70, Color::Black), -70);
        assert_eq!(from_side(99_999, Color::Black), -i16::MAX);
    }
}
