//! The board as one colour sees it, and sets of squares seen that way.

use shakmaty::{Bitboard, Color, File, Position as _, Rank, Role, Square, attacks};

use super::values::{BISHOP, QUEEN, ROOK};
use crate::position::Position;

pub(super) const FILE_A: Bitboard = Bitboard::from_file(File::A);
pub(super) const FILE_H: Bitboard = Bitboard::from_file(File::H);
pub(super) const SECOND: Bitboard = Bitboard::from_rank(Rank::Second);
pub(super) const SEVENTH: Bitboard = Bitboard::from_rank(Rank::Seventh);
pub(super) const EIGHTH: Bitboard = Bitboard::from_rank(Rank::Eighth);
/// Where outposts are: ranks 4 to 6.
pub(super) const OUTPOSTS: Bitboard = Bitboard(0x0000_ffff_ff00_0000);
/// a1 to h8 and a8 to h1.
pub(super) const LONG_DIAGONALS: Bitboard = Bitboard(0x8142_2418_1824_4281);
/// Files c to f, ranks 2 to 4.
pub(super) const HOME_CENTER: Bitboard = Bitboard(0x0000_0000_3c3c_3c00);

#[inline]
pub(super) fn forward(squares: Bitboard) -> Bitboard {
    Bitboard(squares.0 << 8)
}

#[inline]
pub(super) fn backward(squares: Bitboard) -> Bitboard {
    Bitboard(squares.0 >> 8)
}

/// The neighbours to the left and to the right.
#[inline]
pub(super) fn beside(squares: Bitboard) -> Bitboard {
    Bitboard((squares & !FILE_A).0 >> 1 | (squares & !FILE_H).0 << 1)
}

/// The squares ahead of one on its file.
#[inline]
pub(super) fn ahead(square: Square) -> Bitboard {
    Bitboard(0x0101_0101_0101_0100 << square.to_u32())
}

/// The squares attacked by pawns, and those attacked by two.
#[inline]
pub(super) fn pawn_attacks(pawns: Bitboard) -> (Bitboard, Bitboard) {
    let left = Bitboard((pawns & !FILE_A).0 << 7);
    let right = Bitboard((pawns & !FILE_H).0 << 9);
    (left | right, left & right)
}

/// The king's square and those around it, three by three squares even at the edge.
#[inline]
pub(super) fn ring(king: Square) -> Bitboard {
    let file = File::new(king.file().to_u32().clamp(1, 6));
    let rank = Rank::new(king.rank().to_u32().clamp(1, 6));
    let center = Square::from_coords(file, rank);
    attacks::king_attacks(center).with(center)
}

/// The board as one colour sees it, its own back rank being rank 1.
pub(super) struct View {
    pub(super) own: [Bitboard; 6],
    pub(super) foe: [Bitboard; 6],
    pub(super) own_all: Bitboard,
    pub(super) foe_all: Bitboard,
    pub(super) occupied: Bitboard,
    pub(super) king: Square,
    pub(super) foe_king: Square,
    /// Own rooks that may castle.
    pub(super) castling: Bitboard,
    /// Own pieces pinned to the own king.
    pub(super) pinned: Bitboard,
    pub(super) to_move: bool,
}

impl View {
    pub(super) fn of(position: &Position, color: Color) -> View {
        let board = position.board();
        let white = color.is_white();
        let turned = |squares: Bitboard| {
            if white {
                squares
            } else {
                squares.flip_vertical()
            }
        };
        let (own_all, foe_all) = (
            turned(board.by_color(color)),
            turned(board.by_color(!color)),
        );
        let roles = Role::ALL.map(|role| turned(board.by_role(role)));
        let turned_square = |square: Square| {
            if white {
                square
            } else {
                square.flip_vertical()
            }
        };
        let rights = turned(position.chess().castles().castling_rights());
        let mut view = View {
            own: roles.map(|squares| squares & own_all),
            foe: roles.map(|squares| squares & foe_all),
            own_all,
            foe_all,
            occupied: own_all | foe_all,
            king: turned_square(position.king(color)),
            foe_king: turned_square(position.king(!color)),
            castling: rights & own_all,
            pinned: Bitboard::EMPTY,
            to_move: position.turn() == color,
        };
        view.pinned = view.pinned();
        view
    }

    fn pinned(&self) -> Bitboard {
        let straight = self.foe[ROOK] | self.foe[QUEEN];
        let diagonal = self.foe[BISHOP] | self.foe[QUEEN];
        let pinners = attacks::rook_attacks(self.king, self.foe_all) & straight
            | attacks::bishop_attacks(self.king, self.foe_all) & diagonal;
        pinners.into_iter().fold(Bitboard::EMPTY, |pinned, pinner| {
            let screen = attacks::between(self.king, pinner) & self.own_all;
            if screen.more_than_one() {
                pinned
            } else {
                pinned | screen
            }
        })
    }
}
