//! What a score is worth: a fixed number, and the one that would fit a set of games best.
//!
//! Expected points at a score `s` are `sigmoid(s / K)`. Stored scores and the network's outputs are
//! both turned into points by the same constant [`K`], so a network that learns a score says that
//! score: one unit of a stored score is one unit of the network's output, from generation to
//! generation, and the margins of the search stay true. The results of games, of which the target
//! has a small share, pull the scale to where the points are right.
//!
//! The constant is what fits the games of generation 4 at 250 nodes a move (164.5 for 150,000 games
//! with asides, 165.6 for 17,500 without). A set of games has a `K` of its own, which is shown; a
//! network made with it would have other units.

use std::ops::AddAssign;

use super::record::{Record, points};

/// The score, in the search's units, that is worth `1 / (1 + e^-1)`, 73% of the points.
pub const K: f64 = 165.0;
/// Scores beyond this are counted as this; they are won or lost anyway.
const LIMIT: i16 = 2000;
/// The least `K` that a score or network may have; it is looked for from here.
pub const LEAST_K: f64 = 20.0;
/// The greatest.
pub const GREATEST_K: f64 = 2000.0;

/// What became of positions with a certain score.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    count: f64,
    points: f64,
}

impl AddAssign for Cell {
    fn add_assign(&mut self, other: Cell) {
        self.count += other.count;
        self.points += other.points;
    }
}

/// Scores and results, from both sides.
#[derive(Clone, Debug)]
pub struct Histogram {
    cells: Vec<Cell>,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            cells: vec![Cell::default(); 2 * LIMIT as usize + 1],
        }
    }
}

impl Histogram {
    /// Counts a position, if its game has a result.
    pub fn add(&mut self, record: &Record) {
        let Some(own) = points(record.half_points).map(f64::from) else {
            return;
        };
        let score = record.score.clamp(-LIMIT, LIMIT);
        for (score, points) in [(score, own), (-score, 1.0 - own)] {
            self.cells[(score + LIMIT) as usize] += Cell { count: 1.0, points };
        }
    }

    /// Counts what another one has counted.
    pub fn merge(&mut self, other: &Histogram) {
        for (own, other) in self.cells.iter_mut().zip(&other.cells) {
            *own += *other;
        }
    }

    /// The `K` of least squared error between expected and real points, by golden section.
    pub fn fit(&self) -> f64 {
        // The squared error per position, less what doesn't depend on K.
        let error = |log_k: f64| -> f64 {
            (-LIMIT..=LIMIT)
                .zip(&self.cells)
                .map(|(score, cell)| {
                    let expected = 1.0 / (1.0 + (-f64::from(score) / log_k.exp()).exp());
                    expected * (cell.count * expected - 2.0 * cell.points)
                })
                .sum()
        };
        let ratio = (5_f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (LEAST_K.ln(), GREATEST_K.ln());
        for _ in 0..60 {
            let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
            if error(left) <= error(right) {
                high = right;
            } else {
                low = left;
            }
        }
        ((low + high) / 2.0).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{position::Position, tools::openings::Random};

    #[test]
    fn a_known_number_is_found_again() {
        let position = Position::startpos();
        let mut histogram = Histogram::default();
        let mut random = Random::new(3);
        let mut uniform = || (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        for _ in 0..200_000 {
            let score = (uniform() * 1200.0 - 600.0).round();
            let won = uniform() < 1.0 / (1.0 + (-score / 170.0).exp());
            let half_points = if won { 2 } else { 0 };
            histogram.add(&Record::new(&position, score as i16, 0, half_points));
        }
        let k = histogram.fit();
        assert!((k - 170.0).abs() < 3.0, "{k}");
    }

    #[test]
    fn too_few_games_fit_something() {
        let mut histogram = Histogram::default();
        for score in [-300, 0, 300] {
            histogram.add(&Record::new(&Position::startpos(), score, 0, 1));
        }
        assert!((LEAST_K..=GREATEST_K * 1.01).contains(&histogram.fit()));
        assert!(Histogram::default().fit().is_finite());
    }
}
