//! What the opponent attacks, by the worth of the attacker.

use shakmaty::{Bitboard, Color, Role, attacks};

use super::Position;

/// Squares that the opponent of the side to move attacks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threats {
    /// By anything.
    pub all: Bitboard,
    /// By pawns.
    pub by_pawn: Bitboard,
    /// By pawns and minor pieces.
    pub by_minor: Bitboard,
    /// By pawns, minor pieces and rooks.
    pub by_rook: Bitboard,
}

/// All squares that the pawns of one colour attack.
#[inline]
pub fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    Bitboard(match color {
        Color::White => (pawns.0 & NOT_A) << 7 | (pawns.0 & NOT_H) << 9,
        Color::Black => (pawns.0 & NOT_A) >> 9 | (pawns.0 & NOT_H) >> 7,
    })
}

impl Position {
    /// What the opponent attacks here.
    pub fn threats(&self) -> Threats {
        let them = !self.turn();
        let (board, occupied) = (self.board(), self.occupied());
        let theirs = board.by_color(them);
        let by_pawn = pawn_attacks(theirs & board.pawns(), them);
        let mut by_minor = by_pawn;
        for knight in theirs & board.knights() {
            by_minor |= attacks::knight_attacks(knight);
        }
        for bishop in theirs & board.bishops() {
            by_minor |= attacks::bishop_attacks(bishop, occupied);
        }
        let mut by_rook = by_minor;
        for rook in theirs & board.rooks() {
            by_rook |= attacks::rook_attacks(rook, occupied);
        }
        let mut all = by_rook | attacks::king_attacks(self.king(them));
        for queen in theirs & board.queens() {
            all |= attacks::queen_attacks(queen, occupied);
        }
        Threats {
            all,
            by_pawn,
            by_minor,
            by_rook,
        }
    }

    /// Whether the opponent attacks a piece of the side to move with a lesser one.
    pub fn is_piece_threatened(&self, threats: &Threats) -> bool {
        let board = self.board();
        let us = board.by_color(self.turn());
        (us & (threats.by_pawn & !(board.pawns() | board.kings())
            | threats.by_minor & board.rooks_and_queens()
            | threats.by_rook & board.queens()))
        .any()
    }
}

impl Threats {
    /// Squares on which a piece of this role can be taken by a lesser one.
    #[inline]
    pub fn against(&self, role: Role) -> Bitboard {
        match role {
            Role::Knight | Role::Bishop => self.by_pawn,
            Role::Rook => self.by_minor,
            Role::Queen => self.by_rook,
            Role::Pawn | Role::King => Bitboard::EMPTY,
        }
    }
}
