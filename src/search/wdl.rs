//! What a score is worth: win, draw and loss, and the scale on which scores are shown.
//!
//! A side to move with a score of `s` wins with a chance of `logistic((s - a) / b)`, and loses with
//! that of the negative score; what is left is a draw. So `a` is the score of an even chance to
//! win, and `b` says how sharply it divides. Both are cubic polynomials of the material on the
//! board. The form of the model is the one that Stockfish has made known. One thing is added: with
//! few men on the board, many positions that are level to the unit are draws for certain. The share
//! of these falls with the material and with the size of the score.
//!
//! The numbers are fitted by `zuylen dataset wdl --fit` to Zuylen's own games, which only the rules
//! ended.
//!
//! Scores are shown in hundredths of `a`, so that +1.00 is an even chance to win whatever the
//! material, but for endgames of few men. The search knows nothing of all this: its numbers stay as
//! they are.

use super::score::{DRAW_JITTER, MATE_IN_MAX, Score, is_decisive, moves_to_mate};
use crate::{nnue::endings::KNOWN_WIN, position::Position};

/// What says how scores turn into wins, draws and losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// The coefficients of the score of an even chance to win, in the search's units, that of the
    /// cube first, for the material divided by [`MATERIAL_UNIT`].
    pub even_chance: [f64; TERMS],
    /// Those of the spread.
    pub spread: [f64; TERMS],
    /// The material at which half of the positions with a score of zero are draws for certain.
    pub dead_material: f64,
    /// How much material more makes these rare.
    pub dead_width: f64,
    /// The score, in the search's units, at which there are `1 / e` of them.
    pub dead_reach: f64,
}

impl Model {
    /// The model that scores are shown by.
    // Fitted to 212406 positions of 1350 games by the network of generation 4, some 20,000 nodes a
    // move: `zuylen datagen --play-out --nodes 12500 --seed 81`.
    pub const FITTED: Model = Model {
        even_chance: [-145.837, 413.806, -446.564, 264.218],
        spread: [-49.678, 70.860, 17.654, 35.294],
        dead_material: 45.0,
        dead_width: 7.1,
        dead_reach: 20.0,
    };

    /// The model at a material.
    pub fn at(&self, material: u32) -> Curve {
        let x = f64::from(material) / MATERIAL_UNIT;
        let of = |coefficients: [f64; TERMS]| coefficients.iter().fold(0.0, |sum, c| sum * x + c);
        Curve {
            even_chance: of(self.even_chance),
            spread: of(self.spread),
            dead: logistic((self.dead_material - f64::from(material)) / self.dead_width),
            dead_reach: self.dead_reach,
        }
    }
}

/// A model at one material. Scores are in the search's units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// The score of an even chance to win.
    pub even_chance: f64,
    /// How sharply it divides.
    pub spread: f64,
    dead: f64,
    dead_reach: f64,
}

impl Curve {
    /// The share of positions with a score that are no draws for certain.
    pub fn alive(&self, score: f64) -> f64 {
        1.0 - self.dead * (-score.abs() / self.dead_reach).exp()
    }

    /// The chance to win in such a position.
    pub fn win_alive(&self, score: f64) -> f64 {
        logistic((score - self.even_chance) / self.spread)
    }

    /// The chances to lose, to draw and to win.
    pub fn chances(&self, score: f64) -> [f64; 3] {
        let alive = self.alive(score);
        let [loss, win] = [-score, score].map(|score| alive * self.win_alive(score));
        [loss, 1.0 - win - loss, win]
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Coefficients of a polynomial.
pub const TERMS: usize = 4;
/// The polynomials' unit of material: about that of a middlegame.
pub const MATERIAL_UNIT: f64 = 58.0;
/// Material is counted as this at least, and at most: the polynomials hold between them.
pub const LEAST_MATERIAL: u32 = 10;
/// All men of both sides.
pub const GREATEST_MATERIAL: u32 = 78;

/// The material of both sides in pawns, from [`LEAST_MATERIAL`] to [`GREATEST_MATERIAL`].
pub fn material(position: &Position) -> u32 {
    position.material().clamp(LEAST_MATERIAL, GREATEST_MATERIAL)
}

/// Scores are shown as if there were this material at least. With less, the games that are not
/// drawn are won by so much that an even chance lies far up: a queen would be shown as two pawns.
const LEAST_SHOWN_MATERIAL: u32 = 30;

/// What a win in the tables at the root is shown as.
const SHOWN_TABLEBASE_WIN: i32 = 20_000;
/// What a win that the evaluation knows is shown as.
const SHOWN_KNOWN_WIN: i32 = 10_000;

/// The worth of scores at a root.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    curve: Curve,
    /// What is shown as 100.
    unit: f64,
}

impl Worth {
    /// The worth of scores of searches of `root`.
    pub fn at(root: &Position) -> Worth {
        Worth::with_material(material(root))
    }

    fn with_material(material: u32) -> Worth {
        let shown = material.max(LEAST_SHOWN_MATERIAL);
        Worth {
            curve: Model::FITTED.at(material),
            unit: Model::FITTED.at(shown).even_chance,
        }
    }

    /// Win, draw and loss in thousandths for the side that has `score`; they sum to 1000.
    pub fn chances(&self, score: i32) -> [u32; 3] {
        // The even chance lies above zero, so both together are under 1000, and under 1001 rounded.
        let [loss, _, win] = self
            .curve
            .chances(f64::from(score))
            .map(|chance| (1000.0 * chance).round() as u32);
        [win, 1000 - win - loss, loss]
    }

    /// A score of the search as it is shown.
    pub fn shown(&self, score: i32) -> Score {
        moves_to_mate(score).map_or_else(|| Score::Centipawns(self.centipawns(score)), Score::Mate)
    }

    /// A score that is no mate in hundredths of what is an even chance to win (but for endgames of
    /// few men). A tablebase win is 20,000 less the plies to the tables, as in Stockfish; a known
    /// win is [`SHOWN_KNOWN_WIN`], what is not known less, and a draw is 0.
    pub fn centipawns(&self, score: i32) -> i32 {
        let size = score.abs();
        let shown = if is_decisive(score) {
            SHOWN_TABLEBASE_WIN - (MATE_IN_MAX - 1 - size)
        } else if size >= KNOWN_WIN {
            SHOWN_KNOWN_WIN
        } else if size <= DRAW_JITTER {
            0
        } else {
            let hundredths = (100.0 * f64::from(size) / self.unit).round() as i32;
            hundredths.min(SHOWN_KNOWN_WIN - 1)
        };
        shown * score.signum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        position::fen,
        search::score::{INFINITE, MAX_EVAL, MAX_PLY, TABLEBASE_WIN, mate_in, mated_in},
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
                // Expected points, but for rounding. A score just off zero may lose more often than
                // zero, which may be a draw for certain.
                let points = |win: u32, loss: u32| i64::from(win) - i64::from(loss);
                assert!(
                    points(win, loss) + 1 >= points(last[0], last[2]),
                    "{worth:?} {score}"
                );
                last = [win, draw, loss];
            }
            assert_eq!(worth.chances(mate_in(5)), [1000, 0, 0]);
            assert!(worth.chances(0)[1] > 100, "{worth:?}");
        }
    }

    #[test]
    fn one_pawn_shown_is_an_even_chance() {
        for (material, worth) in (LEAST_MATERIAL..).zip(all()) {
            let score = worth.curve.even_chance.round() as i32;
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
            let plies = MAX_PLY as i32;
            assert_eq!(worth.centipawns(MATE_IN_MAX - 1), 20_000);
            assert_eq!(worth.centipawns(TABLEBASE_WIN), 20_000 - plies);
            assert_eq!(worth.centipawns(-TABLEBASE_WIN), plies - 20_000);
            assert_eq!(worth.centipawns(KNOWN_WIN), 10_000);
            assert_eq!(worth.centipawns(-MAX_EVAL), -10_000);
            assert!((2000..10_000).contains(&worth.centipawns(KNOWN_WIN - 1)));
            for drawn in -DRAW_JITTER..=DRAW_JITTER {
                assert_eq!(worth.centipawns(drawn), 0);
            }
        }
    }
}
