//! What a score is worth: win, draw and loss, and the scale on which scores are shown.
//!
//! A side to move with a score of `s` wins with a chance of `logistic((s - a) / b)`, and loses with
//! that of the negative score; what is left is a draw. So `a` is the score of an even chance to
//! win, and `b` says how sharply it divides. Both are cubic polynomials of the material on the
//! board. The form of the model is the one that Stockfish has made known; the numbers are fitted by
//! `zuylen dataset wdl --fit` to Zuylen's own games.
//!
//! Scores are shown in hundredths of `a`, so that +1.00 is an even chance to win whatever the
//! material, but for endgames of few men. The search knows nothing of all this: its numbers stay as
//! they are.

use shakmaty::Role;

use super::score::{MAX_EVAL, Score, is_decisive, moves_to_mate};
use crate::position::Position;

/// The coefficients of `a` and `b` in the search's units, that of the cube first, for the material
/// divided by [`MATERIAL_UNIT`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// Those of `a`, the score of an even chance to win.
    pub even_chance: [f64; TERMS],
    /// Those of `b`, the spread.
    pub spread: [f64; TERMS],
}

impl Model {
    /// The model that scores are shown by.
    // Fitted to 0.4 million positions of generation 5: the network of generation 4, 250 nodes a move.
    pub const FITTED: Model = Model {
        even_chance: [-160.223, 540.826, -629.419, 339.988],
        spread: [271.605, -746.808, 710.012, -74.600],
    };

    /// Even chance and spread at a material.
    pub fn at(&self, material: u32) -> (f64, f64) {
        let x = f64::from(material) / MATERIAL_UNIT;
        let of = |coefficients: [f64; TERMS]| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
        (of(self.even_chance), of(self.spread))
    }
}

/// The chance to win with a score, all three numbers in the search's units.
pub fn chance_to_win(score: f64, even_chance: f64, spread: f64) -> f64 {
    1.0 / (1.0 + ((even_chance - score) / spread).exp())
}

/// Coefficients of a polynomial.
pub const TERMS: usize = 4;
/// The polynomials' unit of material: about that of a middlegame.
pub const MATERIAL_UNIT: f64 = 58.0;
/// Material is counted as this at least, and at most: the polynomials hold between them.
pub const LEAST_MATERIAL: u32 = 17;
/// All men of both sides.
pub const GREATEST_MATERIAL: u32 = 78;

/// What a man counts in [`material`], in pawns, by its role from the pawn on.
pub const WORTH: [u32; 6] = [1, 3, 3, 5, 9, 0];

/// The material of both sides in pawns, from [`LEAST_MATERIAL`] to [`GREATEST_MATERIAL`].
pub fn material(position: &Position) -> u32 {
    let board = position.board();
    Role::ALL
        .into_iter()
        .zip(WORTH)
        .map(|(role, worth)| worth * board.by_role(role).count() as u32)
        .sum::<u32>()
        .clamp(LEAST_MATERIAL, GREATEST_MATERIAL)
}

/// Scores are shown as if there were this material at least. With less, the games that are not
/// drawn are won by so much that an even chance lies far up: a queen would be shown as two pawns.
const LEAST_SHOWN_MATERIAL: u32 = 30;

/// The worth of scores at a root.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    even_chance: f64,
    /// What is shown as 100.
    unit: f64,
    spread: f64,
}

impl Worth {
    /// The worth of scores of searches of `root`.
    pub fn at(root: &Position) -> Worth {
        Worth::with_material(material(root))
    }

    fn with_material(material: u32) -> Worth {
        let (even_chance, spread) = Model::FITTED.at(material);
        let (unit, _) = Model::FITTED.at(material.max(LEAST_SHOWN_MATERIAL));
        Worth {
            even_chance,
            unit,
            spread,
        }
    }

    /// Win, draw and loss in thousandths for the side that has `score`; they sum to 1000.
    pub fn chances(&self, score: i32) -> [u32; 3] {
        let thousandths = |score: i32| {
            let chance = chance_to_win(f64::from(score), self.even_chance, self.spread);
            (1000.0 * chance).round() as u32
        };
        // The even chance lies above zero, so both together are under 1000, and under 1001 rounded.
        let (win, loss) = (thousandths(score), thousandths(-score));
        [win, 1000 - win - loss, loss]
    }

    /// A score of the search as it is shown.
    pub fn shown(&self, score: i32) -> Score {
        moves_to_mate(score).map_or_else(|| Score::Centipawns(self.centipawns(score)), Score::Mate)
    }

    /// A score that is no mate in hundredths of what is an even chance to win (but for endgames of
    /// few men). The order of scores stays, and a proven win stays above all that is not proven.
    pub fn centipawns(&self, score: i32) -> i32 {
        if is_decisive(score) {
            return score;
        }
        let hundredths = (100.0 * f64::from(score) / self.unit).round() as i32;
        hundredths.clamp(-MAX_EVAL, MAX_EVAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        position::fen,
        search::score::{INFINITE, TABLEBASE_WIN, mate_in, mated_in},
    };

    fn all() -> impl Iterator<Item = Worth> {
        (LEAST_MATERIAL..=GREATEST_MATERIAL).map(Worth::with_material)
    }

    #[test]
    fn material_counts_both_sides() {
        let of = |fen: &str| material(&fen::read(fen).expect("a position").position);
        assert_eq!(material(&Position::startpos()), GREATEST_MATERIAL);
        assert_eq!(of("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), LEAST_MATERIAL);
        assert_eq!(of("r2qk3/pp6/8/8/8/8/8/NB2K2R b - - 0 1"), 27);
        assert_eq!(
            of("qqqqk3/3ppp2/q7/8/8/Q7/3PPP2/QQQQK3 w - - 0 1"),
            GREATEST_MATERIAL
        );
    }

    #[test]
    fn chances_are_whole_symmetric_and_in_order() {
        for worth in all() {
            let mut last = [0, 0, 1000];
            for score in -INFINITE..=INFINITE {
                let [win, draw, loss] = worth.chances(score);
                assert_eq!(win + draw + loss, 1000, "{worth:?} {score}");
                assert_eq!(worth.chances(-score), [loss, draw, win]);
                assert!(win >= last[0] && loss <= last[2], "{worth:?} {score}");
                last = [win, draw, loss];
            }
            assert_eq!(worth.chances(mate_in(5)), [1000, 0, 0]);
            assert!(worth.chances(0)[1] > 100, "{worth:?}");
        }
    }

    #[test]
    fn one_pawn_shown_is_an_even_chance() {
        for (material, worth) in (LEAST_MATERIAL..).zip(all()) {
            let score = worth.even_chance.round() as i32;
            assert!((490..=510).contains(&worth.chances(score)[0]), "{worth:?}");
            let shown = worth.centipawns(score);
            let is_even = (99..=101).contains(&shown);
            assert!(
                is_even || material < LEAST_SHOWN_MATERIAL,
                "{worth:?}: {shown}"
            );
            assert_eq!(worth.centipawns(0), 0);
            assert_eq!(worth.shown(-score), Score::Centipawns(-shown));
        }
    }

    #[test]
    fn what_is_proven_is_shown_as_it_is() {
        for worth in all() {
            assert_eq!(worth.shown(mate_in(5)), Score::Mate(3));
            assert_eq!(worth.shown(mated_in(4)), Score::Mate(-2));
            assert_eq!(worth.shown(mated_in(0)), Score::Mate(0));
            assert_eq!(worth.shown(TABLEBASE_WIN), Score::Centipawns(TABLEBASE_WIN));
            let shown = worth.centipawns(MAX_EVAL);
            assert!((2000..TABLEBASE_WIN).contains(&shown), "{worth:?}");
        }
    }
}
