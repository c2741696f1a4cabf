//! Moves in 16 bits, as the transposition table and the shared best move hold them.

use shakmaty::{Move, Position as _, Role, Square};

use super::Position;

/// A move in 16 bits: from and to square in six bits each, then two bits of promotion piece and
/// two bits of kind. Castling is king to rook. All zeros is no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct PackedMove(u16);

const KIND_SHIFT: u32 = 14;
const PROMOTION_SHIFT: u32 = 12;
const NORMAL: u16 = 0;
const PROMOTION: u16 = 1;
const EN_PASSANT: u16 = 2;
const CASTLE: u16 = 3;

impl PackedMove {
    /// No move.
    pub const NONE: PackedMove = PackedMove(0);

    /// Packs a move. Every legal chess move is kept whole; a Crazyhouse drop becomes no move.
    #[inline]
    pub fn new(m: Move) -> PackedMove {
        let bits = |from: Square, to: Square, kind: u16, promotion: u16| {
            PackedMove(
                from.to_u32() as u16
                    | (to.to_u32() as u16) << 6
                    | promotion << PROMOTION_SHIFT
                    | kind << KIND_SHIFT,
            )
        };
        match m {
            Move::Normal {
                from,
                to,
                promotion: None,
                ..
            } => bits(from, to, NORMAL, 0),
            Move::Normal {
                from,
                to,
                promotion: Some(role),
                ..
            } => bits(from, to, PROMOTION, role as u16 - Role::Knight as u16),
            Move::EnPassant { from, to } => bits(from, to, EN_PASSANT, 0),
            Move::Castle { king, rook } => bits(king, rook, CASTLE, 0),
            Move::Put { .. } => PackedMove::NONE,
        }
    }

    /// The move as a number, for storing.
    #[inline]
    pub fn bits(self) -> u16 {
        self.0
    }

    /// The move of a number from [`PackedMove::bits`].
    #[inline]
    pub fn from_bits(bits: u16) -> PackedMove {
        PackedMove(bits)
    }

    /// Whether there is a move at all.
    #[inline]
    pub fn is_some(self) -> bool {
        self.0 != 0
    }

    /// The move in `position`, or `None` if it is not legal there (a table entry may belong to
    /// another position of the same tag).
    pub fn unpack(self, position: &Position) -> Option<Move> {
        if !self.is_some() {
            return None;
        }
        let chess = position.chess();
        let from = Square::new(u32::from(self.0 & 63));
        let to = Square::new(u32::from(self.0 >> 6 & 63));
        let promotion = self.0 >> PROMOTION_SHIFT & 3;
        let board = chess.board();
        if !chess.us().contains(from) {
            return None;
        }
        let role = board.role_at(from)?;
        let m = match self.0 >> KIND_SHIFT {
            EN_PASSANT => Move::EnPassant { from, to },
            CASTLE if role == Role::King => Move::Castle {
                king: from,
                rook: to,
            },
            CASTLE => return None,
            kind => Move::Normal {
                role,
                from,
                capture: board.role_at(to),
                to,
                promotion: (kind == PROMOTION).then_some(match promotion {
                    0 => Role::Knight,
                    1 => Role::Bishop,
                    2 => Role::Rook,
                    _ => Role::Queen,
                }),
            },
        };
        chess.is_legal(m).then_some(m)
    }
}
