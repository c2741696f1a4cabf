//! The hidden layer's sums for every position of the line in hand, brought up to date as late as
//! possible.
//!
//! A pushed move is only noted. When a position is evaluated, the line is walked back to the last
//! position whose sums are known, and the moves since are applied one by one. A side whose king
//! has crossed to the other half of the board sees every piece on another square; its sums are
//! then [refreshed](super::refresh) instead.

use shakmaty::{ByColor, CastlingSide, Color, Move, Role, Square};

use super::{
    architecture::INPUTS,
    features::{Perspective, is_mirrored},
    network::Network,
    refresh::RefreshCache,
    simd::{Row, Simd},
};
use crate::position::Position;

/// A move that led to a position.
#[derive(Clone, Copy, Debug)]
struct Made {
    m: Move,
    by: Color,
    /// Whether the mover's king crossed to the other half of the board.
    crossed: bool,
}

/// One position of the line.
#[derive(Clone, Debug)]
struct Entry {
    sums: ByColor<Row>,
    known: ByColor<bool>,
    /// The move that led here; `None` at the root.
    made: Option<Made>,
}

impl Entry {
    fn unknown(made: Option<Made>) -> Entry {
        Entry {
            sums: ByColor::new_with(|_| Row::ZERO),
            known: ByColor::default(),
            made,
        }
    }

    /// Says that it now stands for another position. Clearing the sums would be idle work.
    #[inline]
    fn reuse(&mut self, made: Option<Made>) {
        self.known = ByColor::default();
        self.made = made;
    }
}

/// The sums along the line from the root to the position in hand.
#[derive(Clone, Debug)]
pub(super) struct AccumulatorStack {
    /// Those behind `top` are kept to be used again.
    entries: Vec<Entry>,
    top: usize,
}

/// What the sums are computed with.
pub(super) struct Means<'a> {
    pub network: &'a Network,
    pub cache: &'a mut RefreshCache,
    pub simd: Simd,
}

impl AccumulatorStack {
    pub fn new() -> AccumulatorStack {
        AccumulatorStack {
            entries: vec![Entry::unknown(None)],
            top: 0,
        }
    }

    /// Starts anew at a root.
    pub fn reset(&mut self) {
        self.top = 0;
        self.entries[0].reuse(None);
    }

    #[inline]
    pub fn push(&mut self, before: &Position, m: Move, after: &Position) {
        let by = before.turn();
        let crossed =
            m.role() == Role::King && is_mirrored(before.king(by)) != is_mirrored(after.king(by));
        let made = Some(Made { m, by, crossed });
        self.top += 1;
        match self.entries.get_mut(self.top) {
            Some(entry) => entry.reuse(made),
            None => self.entries.push(Entry::unknown(made)),
        }
    }

    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.top > 0, "the root can't be taken back");
        self.top = self.top.saturating_sub(1);
    }

    /// The sums of `position`, which is the last one pushed.
    #[inline]
    pub fn sums(&mut self, position: &Position, mut means: Means) -> &ByColor<Row> {
        for color in Color::ALL {
            self.bring_up(color, position, &mut means);
        }
        let sums = &self.entries[self.top].sums;
        debug_assert_eq!(*sums, sums_from_scratch(means.network, position));
        sums
    }

    fn bring_up(&mut self, color: Color, position: &Position, means: &mut Means) {
        let mut base = self.top;
        while !self.entries[base].known[color] {
            match self.entries[base].made {
                Some(made) if !(made.crossed && made.by == color) => base -= 1,
                // What lies before looks at other inputs, or nothing does.
                _ => {
                    let entry = &mut self.entries[self.top];
                    entry.sums[color] =
                        *means
                            .cache
                            .refresh(color, position, means.network, means.simd);
                    entry.known[color] = true;
                    return;
                }
            }
        }
        let view = Perspective::new(color, position.king(color));
        for at in base + 1..=self.top {
            let [.., before, after] = &mut self.entries[..=at] else {
                unreachable!("the base is behind")
            };
            let made = after.made.expect("only the root has no move");
            let (from, to) = (&before.sums[color], &mut after.sums[color]);
            made.apply(view, from, to, &means.network.input_weights, means.simd);
            after.known[color] = true;
        }
    }
}

impl Made {
    fn apply(
        self,
        view: Perspective,
        from: &Row,
        to: &mut Row,
        weights: &[Row; INPUTS],
        simd: Simd,
    ) {
        let us = self.by;
        let of = |color: Color, role: Role, square: Square| {
            &weights[view.feature(role.of(color), square)]
        };
        match self.m {
            Move::Normal {
                role,
                from: origin,
                capture,
                to: target,
                promotion,
            } => {
                let arrived = [of(us, promotion.unwrap_or(role), target)];
                let left = of(us, role, origin);
                match capture {
                    None => simd.update(from, to, arrived, [left]),
                    Some(captured) => {
                        simd.update(from, to, arrived, [left, of(!us, captured, target)]);
                    }
                }
            }
            Move::EnPassant {
                from: origin,
                to: target,
            } => {
                let taken = Square::from_coords(target.file(), origin.rank());
                let left = [of(us, Role::Pawn, origin), of(!us, Role::Pawn, taken)];
                simd.update(from, to, [of(us, Role::Pawn, target)], left);
            }
            // King or rook may stay where they are: then what is added is what is subtracted.
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                let arrived = [
                    of(us, Role::King, side.king_to(us)),
                    of(us, Role::Rook, side.rook_to(us)),
                ];
                let left = [of(us, Role::King, king), of(us, Role::Rook, rook)];
                simd.update(from, to, arrived, left);
            }
            Move::Put { .. } => unreachable!("no drops in chess"),
        }
    }
}

/// The sums of a position, piece by piece in plain Rust: what all shortcuts are held against.
pub(super) fn sums_from_scratch(network: &Network, position: &Position) -> ByColor<Row> {
    ByColor::new_with(|color| {
        let view = Perspective::new(color, position.king(color));
        let mut sums = network.input_bias;
        for (square, piece) in position.board() {
            let added = &network.input_weights[view.feature(piece, square)];
            for (sum, weight) in sums.0.iter_mut().zip(added.0) {
                *sum = sum.wrapping_add(weight);
            }
        }
        sums
    })
}
