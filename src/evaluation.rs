//! The first evaluation: hand-written knowledge, tapered between middlegame and endgame.
//!
//! Everything is written once, for a colour that sees its own back rank as rank 1 ([`View`]);
//! Black's view is the board upside down. That makes the evaluation symmetric by construction.
//! The order of work: pawns alone (kept in a small hash table), then each army's pieces with their
//! attacks, then what needs the attacks of both sides (king danger, threats, passed pawns), and
//! last the taper and the scaling of drawish endings. [`values`] holds every number.
//!
//! The values are choices from general knowledge of the game, in centipawns, whole groups of them
//! then fitted to 800 of the engine's own games. They make the first training games; the network
//! then takes this seam over.

mod army;
mod conflict;
mod endgame;
mod pawns;
#[cfg(test)]
mod tests;
mod values;
mod view;

use shakmaty::{Color, Move};

use crate::position::Position;
use army::Army;
use conflict::{king_danger, space, threats};
use endgame::{mop_up, scale};
use pawns::{PawnEntry, passed_pawns};
use values::{FULL_PHASE, LIMIT, PAWN, SCALE_FULL, TEMPO, pair};
use view::View;

/// Evaluates positions along a line of moves. The seam that a network will take over.
#[derive(Debug)]
pub struct Evaluator {
    pawns: Box<[PawnEntry]>,
}

impl Default for Evaluator {
    fn default() -> Evaluator {
        Evaluator::new()
    }
}

impl Evaluator {
    /// Entries of the pawn table: 256 KiB a thread, most of which stays in the second cache.
    const PAWN_ENTRIES: usize = 4096;

    /// A fresh evaluator.
    pub fn new() -> Evaluator {
        Evaluator {
            pawns: vec![PawnEntry::VACANT; Evaluator::PAWN_ENTRIES].into_boxed_slice(),
        }
    }

    /// Starts anew at `root`.
    pub fn reset(&mut self, _root: &Position) {}

    /// A move was made.
    #[inline]
    pub fn push(&mut self, _before: &Position, _m: Move, _after: &Position) {}

    /// The last pushed move is taken back.
    #[inline]
    pub fn pop(&mut self) {}

    /// The value of `position`, the last one pushed (a null move is not pushed), in centipawns
    /// from the side to move; between -20,000 and 20,000, both excluded. It depends on nothing but
    /// the position.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let views = [
            View::of(position, Color::White),
            View::of(position, Color::Black),
        ];
        let key = position.keys().pawns;
        let entry = &mut self.pawns[key as usize % Evaluator::PAWN_ENTRIES];
        if entry.key != key {
            *entry = PawnEntry::new(key, &views);
        }
        let shelter = [0, 1].map(|color: usize| entry.sides[color].shelter(&views[color]));
        let pawns = &entry.sides;

        let armies = [
            Army::of(&views[0], &pawns[0], &pawns[1]),
            Army::of(&views[1], &pawns[1], &pawns[0]),
        ];
        let side = |us: usize| {
            let (view, army, foe_army) = (&views[us], &armies[us], &armies[1 - us]);
            let (own, foe) = (&army.attacks, &foe_army.attacks.turned());
            army.score
                + pawns[us].score
                + pair(shelter[us], 0)
                + king_danger(view, own, foe_army, foe, shelter[us])
                + threats(view, own, foe)
                + passed_pawns(view, pawns[us].passed, own, foe, foe_army.phase() == 0)
                + space(view, army, foe)
        };
        let us = usize::from(position.turn().is_black());
        let score = side(us) - side(1 - us) + TEMPO;

        let mut endgame = score.endgame();
        let strong = if endgame > 0 { us } else { 1 - us };
        let (view, army, foe_army) = (&views[strong], &armies[strong], &armies[1 - strong]);
        let scale = scale(view, army, foe_army, pawns[strong].passed);
        if scale == 0 {
            return 0;
        }
        endgame = endgame * scale / SCALE_FULL;
        if foe_army.count[PAWN] == 0 && foe_army.phase() == 0 && army.rough_value() >= 5 {
            let drive = mop_up(view, army);
            endgame += if strong == us { drive } else { -drive };
        }
        let phase = (armies[0].phase() + armies[1].phase()).min(FULL_PHASE);
        let value = (score.middlegame() * phase + endgame * (FULL_PHASE - phase)) / FULL_PHASE;
        value.clamp(-LIMIT, LIMIT)
    }
}
