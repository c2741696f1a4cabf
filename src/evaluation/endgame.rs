//! Drawish endings and bare kings.

use shakmaty::{Bitboard, Square};

use super::{army::Army, values::*, view::*};

/// How much of an endgame's advantage counts, in 64ths, for the side that has it.
pub(super) fn scale(view: &View, strong: &Army, weak: &Army, passed: Bitboard) -> i32 {
    let (strong_value, weak_value) = (strong.rough_value(), weak.rough_value());
    if strong.count[PAWN] == 0 {
        let two_knights = strong.count[KNIGHT] == 2 && strong_value == 6;
        if strong_value < 5 || two_knights {
            return 0;
        }
        if strong_value - weak_value <= 3 {
            return SCALE_PAWNLESS[usize::from(weak_value > 3)];
        }
    }
    let bishops = view.own[BISHOP];
    let only_bishops = strong_value == 3 * strong.count[BISHOP];
    if only_bishops && is_wrong_corner(view, bishops) {
        return 0;
    }
    let both = bishops | view.foe[BISHOP];
    if strong.count[BISHOP] == 1
        && weak.count[BISHOP] == 1
        && (both & Bitboard::LIGHT_SQUARES).any()
        && (both & Bitboard::DARK_SQUARES).any()
    {
        return if strong_value == 3 && weak_value == 3 {
            SCALE_FULL.min(SCALE_BISHOPS + SCALE_BISHOPS_PASSED * passed.count() as i32)
        } else {
            SCALE_BISHOPS_OTHERS
        };
    }
    if strong.count[PAWN] == 0 {
        return SCALE_FULL;
    }
    SCALE_FULL.min(SCALE_BASE + SCALE_PAWN * strong.count[PAWN])
}

/// Whether all pawns are on one rook's file, no bishop covers the corner they go to and the enemy
/// king holds it.
pub(super) fn is_wrong_corner(view: &View, bishops: Bitboard) -> bool {
    let pawns = view.own[PAWN];
    let corner = if pawns.is_subset_const(FILE_A) {
        Square::A8
    } else if pawns.is_subset_const(FILE_H) {
        Square::H8
    } else {
        return false;
    };
    let covering = if corner.is_light() {
        Bitboard::LIGHT_SQUARES
    } else {
        Bitboard::DARK_SQUARES
    };
    pawns.any() && (bishops & covering).is_empty() && view.foe_king.distance(corner) <= 1
}

/// Drives a bare king to the edge, or to the corner of the bishop with bishop and knight.
pub(super) fn mop_up(view: &View, strong: &Army) -> i32 {
    let king = view.foe_king;
    let near = 7 - view.king.distance(king) as i32;
    let only_bishop_and_knight =
        strong.count[BISHOP] == 1 && strong.count[KNIGHT] == 1 && strong.rough_value() == 6;
    let edge = if only_bishop_and_knight {
        let color = if (view.own[BISHOP] & Bitboard::LIGHT_SQUARES).any() {
            Bitboard::LIGHT_SQUARES
        } else {
            Bitboard::DARK_SQUARES
        };
        let corners = Bitboard::CORNERS & color;
        7 - corners
            .into_iter()
            .map(|corner| manhattan(king, corner))
            .min()
            .unwrap_or(0)
    } else {
        let centers = Bitboard::CENTER;
        centers
            .into_iter()
            .map(|center| manhattan(king, center))
            .min()
            .unwrap_or(0)
    };
    16 * edge + 8 * near
}

pub(super) fn manhattan(a: Square, b: Square) -> i32 {
    (a.file().distance(b.file()) + a.rank().distance(b.rank())) as i32
}
