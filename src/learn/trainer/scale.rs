//! What a score is worth: the sigmoids that fit the games.
//!
//! Two questions, one histogram of scores. How large a score, in the units of the games, is worth
//! `1 / (1 + e^-1)` of a point: that is `K`, with which scores become expected points. And how
//! large a score wins half of the games in a middlegame, where most of the search's margins are at
//! work: the network's units are chosen so that it is 101, which those margins are made for. (With
//! few men on the board more of an advantage is needed to win.)

use std::ops::{AddAssign, RangeInclusive};

use super::record::{Record, points};

/// The score, in the network's units, at which half of the games are won from a middlegame.
pub const EVEN_CHANCE: f64 = 101.0;
/// The material of both sides in a middlegame, in pawns.
const MIDDLEGAME: RangeInclusive<u32> = 48..=68;
/// Scores beyond this are counted as this; they are won or lost anyway.
const LIMIT: i16 = 2000;
/// The least `K` that a score or network may have; it is looked for from here.
pub const LEAST_K: f64 = 20.0;
/// The greatest.
pub const GREATEST_K: f64 = 2000.0;
/// The units change by at most this factor in one generation; more is a sign of odd data.
const GREATEST_CHANGE: f64 = 3.0;
/// Fewer wins or losses than this fit nothing.
const LEAST_DECIDED: f64 = 500.0;

/// The fitted numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Expected points at a score `s` of the games are `sigmoid(s / k)`.
    pub k: f64,
    /// The score of the games at which half of them are won from a middlegame, if enough were
    /// decided.
    pub even_chance: Option<f64>,
}

impl Scale {
    /// Expected points at `u` in the network's units are `sigmoid(u / network_k())`: `k`, in units
    /// of which [`EVEN_CHANCE`] win half of the games.
    pub fn network_k(&self) -> f64 {
        let change = self.even_chance.map_or(1.0, |even| EVEN_CHANCE / even);
        self.k * change.clamp(1.0 / GREATEST_CHANGE, GREATEST_CHANGE)
    }
}

/// What became of positions with a certain score.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    count: f64,
    points: f64,
    /// Of the middlegames among them, how many there are and are won.
    middlegames: f64,
    wins: f64,
}

impl AddAssign for Cell {
    fn add_assign(&mut self, other: Cell) {
        self.count += other.count;
        self.points += other.points;
        self.middlegames += other.middlegames;
        self.wins += other.wins;
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
        let middlegame = f64::from(u8::from(MIDDLEGAME.contains(&record.material())));
        for (score, points) in [(score, own), (-score, 1.0 - own)] {
            self.cells[(score + LIMIT) as usize] += Cell {
                count: 1.0,
                points,
                middlegames: middlegame,
                wins: middlegame * f64::from(u8::from(points == 1.0)),
            };
        }
    }

    /// Counts what another one has counted.
    pub fn merge(&mut self, other: &Histogram) {
        for (own, other) in self.cells.iter_mut().zip(&other.cells) {
            *own += *other;
        }
    }

    fn scores(&self) -> impl Iterator<Item = (f64, &Cell)> {
        (-LIMIT..=LIMIT)
            .map(f64::from)
            .zip(&self.cells)
            .filter(|(_, cell)| cell.count > 0.0)
    }

    /// Fits both numbers.
    pub fn fit(&self) -> Scale {
        Scale {
            k: self.fit_k(),
            even_chance: self.fit_even_chance(),
        }
    }

    /// The `K` of least squared error between expected and real points, by golden section.
    fn fit_k(&self) -> f64 {
        // The squared error per position, less what doesn't depend on K.
        let error = |log_k: f64| -> f64 {
            self.scores()
                .map(|(score, cell)| {
                    let expected = sigmoid(score / log_k.exp());
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

    /// The score at which `sigmoid((score - a) / b)`, fitted to the wins by maximum likelihood,
    /// is a half.
    fn fit_even_chance(&self) -> Option<f64> {
        let wins: f64 = self.cells.iter().map(|cell| cell.wins).sum();
        if wins < LEAST_DECIDED {
            return None;
        }
        // Newton's method for the logit x + y * score / 100; the likelihood has one maximum.
        let (mut x, mut y) = (-1.0, 1.0);
        for _ in 0..50 {
            let (mut gx, mut gy, mut hxx, mut hxy, mut hyy) = (0.0, 0.0, 1e-9, 0.0, 1e-9);
            for (score, cell) in self.scores() {
                let s = score / 100.0;
                let p = sigmoid(x + y * s);
                let (residual, weight) = (
                    cell.wins - cell.middlegames * p,
                    cell.middlegames * p * (1.0 - p),
                );
                gx += residual;
                gy += residual * s;
                hxx += weight;
                hxy += weight * s;
                hyy += weight * s * s;
            }
            let determinant = hxx * hyy - hxy * hxy;
            let (dx, dy) = (
                (gx * hyy - gy * hxy) / determinant,
                (gy * hxx - gx * hxy) / determinant,
            );
            if !(dx.is_finite() && dy.is_finite()) {
                return None;
            }
            // Short steps keep the first ones from overshooting.
            x += dx.clamp(-1.0, 1.0);
            y += dy.clamp(-1.0, 1.0);
            if dx.abs() + dy.abs() < 1e-9 {
                break;
            }
        }
        let even = -100.0 * x / y;
        (even.is_finite() && even > 1.0 && even < f64::from(LIMIT)).then_some(even)
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        position::{Position, fen},
        tools::openings::Random,
    };

    #[test]
    fn known_numbers_are_found_again() {
        let position = |text: &str| fen::read(text).expect("legal").position;
        let middlegame = position("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1");
        let endgame = position("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1");
        let mut histogram = Histogram::default();
        let mut random = Random::new(3);
        let mut uniform = || (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        for _ in 0..200_000 {
            let score = (uniform() * 1200.0 - 600.0).round();
            // Win from 150 on at even chance, spread 70, and the same for losses.
            let (win, loss) = (
                sigmoid((score - 150.0) / 70.0),
                sigmoid((-score - 150.0) / 70.0),
            );
            let fate = uniform();
            let half_points = if fate < win {
                2
            } else if fate < win + loss {
                0
            } else {
                1
            };
            histogram.add(&Record::new(&middlegame, score as i16, 0, half_points));
        }
        let scale = histogram.fit();
        let even = scale.even_chance.expect("enough wins");
        assert!((even - 150.0).abs() < 3.0, "{scale:?}");
        assert!((60.0..200.0).contains(&scale.k), "{scale:?}");
        assert!((scale.network_k() - scale.k * EVEN_CHANCE / even).abs() < 1e-9);

        // What wins endgames has no say in it.
        for score in -600..600 {
            histogram.add(&Record::new(&endgame, score, 0, 2));
        }
        assert_eq!(histogram.fit().even_chance, Some(even));
    }

    #[test]
    fn too_few_games_leave_the_units_alone() {
        let mut histogram = Histogram::default();
        for score in [-300, 0, 300] {
            histogram.add(&Record::new(&Position::startpos(), score, 0, 1));
        }
        let scale = histogram.fit();
        assert_eq!(scale.even_chance, None);
        assert_eq!(scale.network_k(), scale.k);
        assert!((LEAST_K..=GREATEST_K * 1.01).contains(&scale.k));
        assert!(Histogram::default().fit().k.is_finite());
    }
}
