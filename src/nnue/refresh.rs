//! Sums without a position before: from the last position of the same view instead.
//!
//! For either half of the board that a king can be on, the sums last refreshed there are kept with
//! the pieces they belong to. Only the difference is applied, which is a few pieces instead of
//! thirty. Known among chess programmers as a Finny table, after its inventor.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, ByColor, Color, Piece, Role};

use super::{
    features::{Perspective, is_mirrored},
    network::Network,
    simd::{Row, Simd},
};
use crate::position::Position;

#[derive(Clone, Debug)]
struct Kept {
    sums: Row,
    by_color: ByColor<Bitboard>,
    by_role: [Bitboard; 6],
}

/// The last refreshed sums of both sides, seen straight and mirrored.
#[derive(Clone, Debug)]
pub(super) struct RefreshCache {
    kept: ByColor<[Kept; 2]>,
}

impl RefreshCache {
    /// An empty board for every view.
    pub fn new(network: &Network) -> RefreshCache {
        let empty = || Kept {
            sums: network.input_bias,
            by_color: ByColor::default(),
            by_role: [Bitboard::EMPTY; 6],
        };
        RefreshCache {
            kept: ByColor::new_with(|_| [empty(), empty()]),
        }
    }

    /// The sums of `position` as `color` sees it. The network is the one that the cache was made
    /// with.
    pub fn refresh(
        &mut self,
        color: Color,
        position: &Position,
        network: &Network,
        simd: Simd,
    ) -> &Row {
        let king = position.king(color);
        let view = Perspective::new(color, king);
        let kept = &mut self.kept[color][usize::from(is_mirrored(king))];
        let board = position.board();
        // There are no more than 64 squares to add or subtract a piece on.
        let mut added = ArrayVec::<&Row, 64>::new();
        let mut removed = ArrayVec::<&Row, 64>::new();
        for role in Role::ALL {
            let slot = role as usize - 1;
            for owner in Color::ALL {
                let row = |square| {
                    &network.input_weights[view.feature(Piece { color: owner, role }, square)]
                };
                let before = kept.by_color[owner] & kept.by_role[slot];
                let now = board.by_color(owner) & board.by_role(role);
                added.extend((now & !before).into_iter().map(row));
                removed.extend((before & !now).into_iter().map(row));
            }
        }
        kept.by_color = ByColor::new_with(|owner| board.by_color(owner));
        kept.by_role = Role::ALL.map(|role| board.by_role(role));
        simd.refresh(&mut kept.sums, &added, &removed);
        &kept.sums
    }
}
