//! The likeliest win/draw/loss model: its polynomials by Fisher's scoring, and what it says of dead
//! draws by trying.

use std::collections::BTreeMap;

use super::Counts;
use crate::search::wdl::{Curve, GREATEST_MATERIAL, LEAST_MATERIAL, MATERIAL_UNIT, Model, TERMS};

/// Coefficients of both polynomials together.
const NUMBERS: usize = 2 * TERMS;
/// Even chance and spread that the search for the likeliest model starts from, whatever the
/// material.
const START: (f64, f64) = (150.0, 80.0);
const MOST_STEPS: usize = 200;
/// Halvings of a step that goes too far.
const MOST_HALVINGS: i32 = 30;
/// Log likelihood that a last step gains at most.
const ENOUGH: f64 = 1e-6;
/// No chance is taken for smaller than this.
const LEAST_CHANCE: f64 = 1e-12;

/// What is said of dead draws to begin with, and the bounds within which it is looked for: material,
/// width and reach.
const DEAD: [f64; 3] = [45.0, 10.0, 8.0];
const DEAD_BOUNDS: [(f64, f64); 3] = [(5.0, 90.0), (3.0, 40.0), (1.0, 20.0)];
/// These numbers are changed by this factor at first, and by its root each time that doesn't help.
const DEAD_STEP: f64 = 1.4;
const DEAD_ROOTS: usize = 4;

fn chances(curve: &Curve, score: f64) -> [f64; 3] {
    curve.chances(score).map(|chance| chance.max(LEAST_CHANCE))
}

/// Losses, draws and wins of the side that has a score.
struct Cell {
    score: f64,
    fates: [f64; 3],
}

/// Counted positions by material, all from the side that is not behind: the model is symmetric.
pub struct Cells(BTreeMap<u32, Vec<Cell>>);

impl Cells {
    /// Takes over counts of scores up to `limit`, in the search's units.
    pub fn new(counts: &Counts, limit: i32) -> Cells {
        let mut folded: BTreeMap<(u32, i32), [f64; 3]> = BTreeMap::new();
        for (&(material, score), &fates) in &counts.0 {
            if score.abs() <= limit {
                let cell = folded.entry((material, score.abs())).or_default();
                for (fate, &count) in fates.iter().enumerate() {
                    cell[if score < 0 { 2 - fate } else { fate }] += count as f64;
                }
            }
        }
        let mut cells: BTreeMap<u32, Vec<Cell>> = BTreeMap::new();
        for ((material, score), fates) in folded {
            let score = f64::from(score);
            cells
                .entry(material)
                .or_default()
                .push(Cell { score, fates });
        }
        Cells(cells)
    }

    fn positions(&self) -> f64 {
        let cells = self.0.values().flatten();
        cells.map(|cell| cell.fates.iter().sum::<f64>()).sum()
    }

    /// The log likelihood of a model.
    fn likelihood(&self, model: &Model) -> f64 {
        let of = |cell: &Cell, curve: &Curve| -> f64 {
            let logs = chances(curve, cell.score).map(f64::ln);
            cell.fates.iter().zip(logs).map(|(n, log)| n * log).sum()
        };
        let materials = self.0.iter();
        materials
            .map(|(&material, cells)| {
                let curve = model.at(material);
                cells.iter().map(|cell| of(cell, &curve)).sum::<f64>()
            })
            .sum()
    }

    /// The log likelihood a position.
    pub fn mean_likelihood(&self, model: &Model) -> f64 {
        self.likelihood(model) / self.positions().max(1.0)
    }

    /// The gradient of the log likelihood by the coefficients, and Fisher's information.
    fn slopes(&self, model: &Model) -> ([f64; NUMBERS], [[f64; NUMBERS]; NUMBERS]) {
        let mut gradient = [0.0; NUMBERS];
        let mut information = [[0.0; NUMBERS]; NUMBERS];
        for (&material, cells) in &self.0 {
            let curve = model.at(material);
            // By even chance and spread first, and by their coefficients when they are summed up.
            let (mut slope, mut weight) = ([0.0; 2], [[0.0; 2]; 2]);
            for cell in cells {
                let fates = chances(&curve, cell.score);
                let alive = curve.alive(cell.score);
                let steepness = |score: f64| {
                    let win = curve.win_alive(score);
                    let steep = -alive * win * (1.0 - win) / curve.spread;
                    [steep, steep * (score - curve.even_chance) / curve.spread]
                };
                let (by_win, by_loss) = (steepness(cell.score), steepness(-cell.score));
                let by_draw = [0, 1].map(|i| -by_win[i] - by_loss[i]);
                let positions: f64 = cell.fates.iter().sum();
                for (fate, steps) in [by_loss, by_draw, by_win].iter().enumerate() {
                    for i in 0..2 {
                        slope[i] += cell.fates[fate] * steps[i] / fates[fate];
                        for j in 0..2 {
                            weight[i][j] += positions * steps[i] * steps[j] / fates[fate];
                        }
                    }
                }
            }
            let x = f64::from(material) / MATERIAL_UNIT;
            let power = |i: usize| x.powi((TERMS - 1 - i % TERMS) as i32);
            for i in 0..NUMBERS {
                gradient[i] += slope[i / TERMS] * power(i);
                for j in 0..NUMBERS {
                    information[i][j] += weight[i / TERMS][j / TERMS] * power(i) * power(j);
                }
            }
        }
        (gradient, information)
    }

    /// The likeliest model; `None` if there is too little to fit it to.
    pub fn fit(&self) -> Option<Model> {
        let constant = |value| {
            let mut coefficients = [0.0; TERMS];
            coefficients[TERMS - 1] = value;
            coefficients
        };
        let start = Model {
            even_chance: constant(START.0),
            spread: constant(START.1),
            dead_material: DEAD[0],
            dead_width: DEAD[1],
            dead_reach: DEAD[2],
        };
        let (mut model, mut value) = self.with_likeliest_polynomials(start)?;
        let mut factor = DEAD_STEP;
        for _ in 0..DEAD_ROOTS {
            let before = value;
            for number in 0..DEAD.len() {
                for factor in [factor, 1.0 / factor] {
                    let Some((tried, other)) =
                        self.with_likeliest_polynomials(with_other_dead(model, number, factor))
                    else {
                        continue;
                    };
                    if other > value {
                        (model, value) = (tried, other);
                        break;
                    }
                }
            }
            if value == before {
                factor = factor.sqrt();
            }
        }
        Some(model)
    }

    /// The likeliest model among those that say the same of dead draws, and its log likelihood.
    fn with_likeliest_polynomials(&self, mut model: Model) -> Option<(Model, f64)> {
        let mut value = self.likelihood(&model);
        for _ in 0..MOST_STEPS {
            let (gradient, information) = self.slopes(&model);
            let step = solve(information, gradient)?;
            // A whole step may go too far, or leave the models that make sense.
            let better = (0..MOST_HALVINGS).find_map(|halvings| {
                let tried = moved(&model, &step, 0.5_f64.powi(halvings));
                let gain = self.likelihood(&tried) - value;
                (is_sound(&tried) && gain >= 0.0).then_some((tried, gain))
            });
            let Some((tried, gain)) = better else { break };
            (model, value) = (tried, value + gain);
            if gain < ENOUGH {
                break;
            }
        }
        Some((model, value))
    }
}

/// A model with one of the three numbers of dead draws multiplied.
fn with_other_dead(mut model: Model, number: usize, factor: f64) -> Model {
    let (least, greatest) = DEAD_BOUNDS[number];
    let value = match number {
        0 => &mut model.dead_material,
        1 => &mut model.dead_width,
        _ => &mut model.dead_reach,
    };
    *value = (*value * factor).clamp(least, greatest);
    model
}

fn moved(model: &Model, step: &[f64; NUMBERS], share: f64) -> Model {
    let mut moved = *model;
    let coefficients = moved.even_chance.iter_mut().chain(&mut moved.spread);
    coefficients.zip(step).for_each(|(c, s)| *c += share * s);
    moved
}

/// Whether even chance and spread are positive at every material.
fn is_sound(model: &Model) -> bool {
    (LEAST_MATERIAL..=GREATEST_MATERIAL).all(|material| {
        let curve = model.at(material);
        curve.even_chance > 0.0 && curve.spread > 0.0
    })
}

/// The solution of a system of linear equations, by elimination with pivots; `None` if there is
/// not exactly one.
fn solve(
    mut matrix: [[f64; NUMBERS]; NUMBERS],
    mut right: [f64; NUMBERS],
) -> Option<[f64; NUMBERS]> {
    for column in 0..NUMBERS {
        let size = |&row: &usize| matrix[row][column].abs();
        let pivot = (column..NUMBERS).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        if matrix[column][column].abs() < f64::MIN_POSITIVE {
            return None;
        }
        let (pivot, value) = (matrix[column], right[column]);
        for (row, right) in matrix.iter_mut().zip(&mut right).skip(column + 1) {
            let factor = row[column] / pivot[column];
            row.iter_mut()
                .zip(pivot)
                .for_each(|(x, p)| *x -= factor * p);
            *right -= factor * value;
        }
    }
    for row in (0..NUMBERS).rev() {
        let known: f64 = (row + 1..NUMBERS).map(|k| matrix[row][k] * right[k]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right.iter().all(|x| x.is_finite()).then_some(right)
}

#[cfg(test)]
mod tests {
    use super::{super::Sample, *};
    use crate::tools::openings::Random;

    const KNOWN: Model = Model {
        even_chance: [-40.0, 120.0, -100.0, 170.0],
        spread: [10.0, -20.0, 30.0, 40.0],
        dead_material: 40.0,
        dead_width: 8.0,
        dead_reach: 12.0,
    };

    #[test]
    fn a_known_model_is_found_again() {
        let mut random = Random::new(1);
        let mut uniform = || (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let mut counts = Counts::default();
        for material in (LEAST_MATERIAL..=GREATEST_MATERIAL).step_by(3) {
            for score in (-400..=400).step_by(10) {
                let [loss, draw, _] = KNOWN.at(material).chances(f64::from(score));
                for _ in 0..500 {
                    let fate = uniform();
                    counts.add(&Sample {
                        material,
                        score,
                        half_points: usize::from(fate > loss) + usize::from(fate > loss + draw),
                    });
                }
            }
        }
        let cells = Cells::new(&counts, 400);
        assert_eq!(cells.positions(), 23.0 * 81.0 * 500.0);
        let found = cells.fit().expect("enough");
        assert!(cells.likelihood(&found) >= cells.likelihood(&KNOWN));
        for material in LEAST_MATERIAL..=GREATEST_MATERIAL {
            let (known, curve) = (KNOWN.at(material), found.at(material));
            assert!((curve.even_chance / known.even_chance - 1.0).abs() < 0.03);
            assert!((curve.spread / known.spread - 1.0).abs() < 0.03);
            for score in [0.0, 10.0, 30.0, 100.0] {
                let pairs = curve.chances(score).into_iter().zip(known.chances(score));
                for (chance, known) in pairs {
                    assert!(
                        (chance - known).abs() < 0.01,
                        "{material} {score}: {chance} {known}"
                    );
                }
            }
        }
    }

    #[test]
    fn too_little_fits_nothing() {
        assert!(Cells::new(&Counts::default(), 400).fit().is_none());
        let sample = Sample {
            material: 50,
            score: 30,
            half_points: 1,
        };
        let counts = [sample; 3].iter().collect();
        assert!(Cells::new(&counts, 400).fit().is_none());
        assert_eq!(Cells::new(&counts, 20).positions(), 0.0);
    }
}
