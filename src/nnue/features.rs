//! The inputs: which piece stands where, as one side sees it.

use shakmaty::{Color, Piece, Square};

use super::architecture::INPUTS;

/// Inputs of one colour's pieces.
const PER_COLOR: usize = INPUTS / 2;

/// How one side sees the board: from its own back rank, and with its king on files a to d, so that
/// the network learns a position and its mirror image as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perspective {
    color: Color,
    /// What is flipped in a square's number.
    flip: u8,
}

impl Perspective {
    /// The view of `color`, whose king stands on `king`.
    #[inline]
    pub fn new(color: Color, king: Square) -> Perspective {
        let upside_down = if color.is_black() { 0b111_000 } else { 0 };
        let mirror = if is_mirrored(king) { 0b000_111 } else { 0 };
        Perspective {
            color,
            flip: upside_down | mirror,
        }
    }

    /// The input of a piece on a square, below [`INPUTS`].
    #[inline]
    pub fn feature(self, piece: Piece, square: Square) -> usize {
        let side = if piece.color == self.color {
            0
        } else {
            PER_COLOR
        };
        let square = usize::from(square) ^ usize::from(self.flip);
        side + (piece.role as usize - 1) * 64 + square
    }
}

/// Whether a side with its king on that square sees the board with the files exchanged.
#[inline]
pub fn is_mirrored(king: Square) -> bool {
    king.to_u32() & 0b100 != 0
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shakmaty::Role;

    use super::*;

    fn pieces() -> impl Iterator<Item = (Piece, Square)> {
        let kinds = Color::ALL
            .into_iter()
            .flat_map(|color| Role::ALL.map(|role| role.of(color)));
        kinds.flat_map(|piece| Square::ALL.map(|square| (piece, square)))
    }

    #[test]
    fn inputs_are_numbered_as_documented() {
        let white = Perspective::new(Color::White, Square::D1);
        assert_eq!(white.feature(Color::White.pawn(), Square::A1), 0);
        assert_eq!(white.feature(Color::White.king(), Square::D1), 5 * 64 + 3);
        assert_eq!(
            white.feature(Color::Black.knight(), Square::H8),
            384 + 64 + 63
        );

        let mirrored = Perspective::new(Color::White, Square::E1);
        assert_eq!(
            mirrored.feature(Color::White.king(), Square::E1),
            5 * 64 + 3
        );
        assert_eq!(
            mirrored.feature(Color::Black.rook(), Square::A8),
            384 + 3 * 64 + 63
        );

        let black = Perspective::new(Color::Black, Square::G8);
        assert_eq!(black.feature(Color::Black.king(), Square::G8), 5 * 64 + 1);
        assert_eq!(
            black.feature(Color::White.queen(), Square::D1),
            384 + 4 * 64 + 56 + 4
        );
    }

    #[test]
    fn every_view_numbers_all_inputs_once() {
        for color in Color::ALL {
            for king in Square::ALL {
                let view = Perspective::new(color, king);
                let inputs: HashSet<usize> = pieces()
                    .map(|(piece, square)| view.feature(piece, square))
                    .collect();
                assert_eq!(inputs.len(), INPUTS);
                assert!(inputs.iter().all(|&input| input < INPUTS));
            }
        }
    }

    #[test]
    fn both_sides_see_the_same_and_mirror_images_are_one() {
        for king in Square::ALL {
            let white = Perspective::new(Color::White, king);
            let black = Perspective::new(Color::Black, king.flip_vertical());
            let mirror = Perspective::new(Color::White, king.flip_horizontal());
            for (piece, square) in pieces() {
                let input = white.feature(piece, square);
                let turned = piece.role.of(!piece.color);
                assert_eq!(black.feature(turned, square.flip_vertical()), input);
                assert_eq!(mirror.feature(piece, square.flip_horizontal()), input);
            }
        }
    }
}
