//! How wrong an evaluation without search is, on positions whose worth is known from elsewhere.
//!
//! A test and nothing else: no network learns from these positions, and the trainer leaves them out
//! of its games. The values are those that the program shows for a position (`eval`), and each range
//! of men has the scale that fits it best, so that a network's units don't matter.

use std::{
    collections::HashSet,
    fs, io,
    ops::{Range, RangeInclusive},
    path::Path,
};

use rayon::prelude::*;

use super::{chunks, quantise, trainer::record::Record};
use crate::{
    nnue::{Weights, architecture::LIMIT, endings::known_ending},
    position::fen,
    search::wdl::Worth,
};

/// The ranges of men that have a scale each.
pub const RANGES: [RangeInclusive<usize>; 4] = [2..=8, 9..=16, 17..=24, 25..=32];
/// The scales that are tried: from this share of the median value,
const LEAST_SCALE: f64 = 0.05;
/// each by this factor more than the one before,
const SCALE_STEP: f64 = 1.06;
/// so many.
const SCALES: Range<i32> = 0..100;
/// Values are no more than so many scales.
const STEEPEST: f64 = 30.0;

/// Positions of known worth.
#[derive(Clone, Debug)]
pub struct Yardstick {
    places: Vec<Place>,
}

#[derive(Clone, Debug)]
struct Place {
    record: Record,
    key: u64,
    worth: Worth,
    /// The value that the rule for endings gives, if the network isn't asked.
    known: Option<i32>,
    /// What the side to move gets, in points.
    points: f64,
}

/// The squared errors of an evaluation in points, position by position.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors {
    /// With its number of men.
    squares: Vec<(usize, f64)>,
}

impl Yardstick {
    /// Reads a file of lines with a FEN, then wins, draws and losses of White in any one unit, all
    /// separated by tabs. Lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// When it can't be read, or a line is none of these, or there is no position.
    pub fn read(path: &Path) -> io::Result<Yardstick> {
        let about = |error: &dyn std::fmt::Display| chunks::about(path, error);
        // Opening a pipe would wait for somebody to write into it.
        if !path.metadata().map_err(|error| about(&error))?.is_file() {
            return Err(about(&"not a file"));
        }
        let text = fs::read_to_string(path).map_err(|error| about(&error))?;
        let places = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.starts_with('#'))
            .map(|(index, line)| {
                Place::read(line).map_err(|why| about(&format!("line {}: {why}", index + 1)))
            })
            .collect::<io::Result<Vec<Place>>>()?;
        if places.is_empty() {
            return Err(about(&"no position in it"));
        }
        Ok(Yardstick { places })
    }

    /// How many positions there are; at least one.
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The keys of the positions, by which they are known again.
    pub fn keys(&self) -> HashSet<u64> {
        self.places.iter().map(|place| place.key).collect()
    }

    /// The errors of a network. Runs in the caller's thread pool.
    pub fn errors(&self, network: &Weights) -> Errors {
        let values: Vec<f64> = self
            .places
            .par_iter()
            .map(|place| f64::from(place.shown_value(network)))
            .collect();
        let mut squares: Vec<(usize, f64)> = self
            .places
            .iter()
            .map(|place| (place.record.men(), 0.0))
            .collect();
        for range in RANGES {
            let within: Vec<usize> = (0..values.len())
                .filter(|&index| range.contains(&squares[index].0))
                .collect();
            let mut sizes: Vec<f64> = within.iter().map(|&index| values[index].abs()).collect();
            sizes.sort_unstable_by(f64::total_cmp);
            let Some(median) = sizes.get(sizes.len() / 2) else {
                continue;
            };
            let of_scale = |scale: f64| -> Vec<f64> {
                let square = |&index: &usize| {
                    let steep = (values[index] / scale).clamp(-STEEPEST, STEEPEST);
                    (1.0 / (1.0 + (-steep).exp()) - self.places[index].points).powi(2)
                };
                within.iter().map(square).collect()
            };
            let best = SCALES
                .into_par_iter()
                .map(|step| of_scale(median.max(1e-6) * LEAST_SCALE * SCALE_STEP.powi(step)))
                .min_by(|a, b| a.iter().sum::<f64>().total_cmp(&b.iter().sum()));
            for (index, square) in within.into_iter().zip(best.into_iter().flatten()) {
                squares[index].1 = square;
            }
        }
        Errors { squares }
    }
}

impl Place {
    fn read(line: &str) -> Result<Place, String> {
        let mut fields = line.split('\t');
        let mut field = || {
            fields
                .next()
                .ok_or("not a FEN, wins, draws and losses, separated by tabs")
        };
        let fen = field()?;
        let position = fen::read(fen).map_err(|why| why.to_string())?.position;
        let mut chance = || -> Result<f64, String> {
            let chance: f64 = field()?.parse().map_err(|_| "no number of chances")?;
            (chance.is_finite() && chance >= 0.0)
                .then_some(chance)
                .ok_or_else(|| "a chance is no positive number".to_owned())
        };
        let (wins, draws, losses) = (chance()?, chance()?, chance()?);
        let whole = wins + draws + losses;
        if !(whole > 0.0 && whole.is_finite()) {
            return Err("the chances have no sum".to_owned());
        }
        let white = (wins + draws / 2.0) / whole;
        Ok(Place {
            record: Record::new(&position, 0, 0, 1),
            key: position.keys().whole,
            worth: Worth::at(&position),
            known: known_ending(&position),
            points: position.turn().fold_wb(white, 1.0 - white),
        })
    }

    fn shown_value(&self, network: &Weights) -> i32 {
        let value = self
            .known
            .unwrap_or_else(|| quantise::evaluate(network, &self.record).clamp(-LIMIT, LIMIT));
        self.worth.centipawns(value)
    }
}

impl Errors {
    /// The mean squared error in points.
    pub fn mean(&self) -> f64 {
        mean(self.squares.iter().map(|&(_, square)| square)).unwrap_or(0.0)
    }

    /// The mean of the positions in a range of men, and how many these are, if there are any.
    pub fn of_men(&self, range: &RangeInclusive<usize>) -> Option<(f64, usize)> {
        let within = || self.squares.iter().filter(|(men, _)| range.contains(men));
        mean(within().map(|&(_, square)| square)).map(|mean| (mean, within().count()))
    }

    /// By how much this mean is greater than `other`'s of the same positions, and two standard
    /// errors of that.
    pub fn difference(&self, other: &Errors) -> (f64, f64) {
        let differences = || {
            let pairs = self.squares.iter().zip(&other.squares);
            pairs.map(|((_, own), (_, other))| own - other)
        };
        let middle = mean(differences()).unwrap_or(0.0);
        let squares: f64 = differences().map(|x| (x - middle).powi(2)).sum();
        (
            middle,
            2.0 * squares.sqrt() / self.squares.len().max(1) as f64,
        )
    }
}

fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = numbers.fold((0, 0.0), |(count, sum), number| (count + 1, sum + number));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        learn::scratch::Scratch,
        nnue::{Network, architecture::HIDDEN, weights::BIAS_ROW},
    };

    const LINES: &str = "# a comment\n\
        rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\t60\t900\t40\n\
        rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1\t1000\t0\t0\n\
        4k3/8/8/8/8/8/8/Q3K3 b - - 0 1\t1000\t0\t0";

    fn yardstick(scratch: &Scratch, lines: &str) -> io::Result<Yardstick> {
        let path = scratch.path("truth.tsv");
        fs::write(&path, lines).expect("a file");
        Yardstick::read(&path)
    }

    #[test]
    fn the_scale_of_a_network_does_not_matter_and_its_errors_do() {
        let scratch = Scratch::new("yardstick");
        let yardstick = yardstick(&scratch, LINES).expect("three positions");
        assert_eq!((yardstick.len(), yardstick.keys().len()), (3, 3));
        let own = Network::embedded().weights();
        let errors = yardstick.errors(&own);
        // The rule knows the ending, and the network that a queen wins.
        let (endings, count) = errors.of_men(&RANGES[0]).expect("one of few men");
        assert!(endings < 1e-6 && count == 1, "{errors:?}");
        assert!(errors.of_men(&RANGES[1]).is_none());
        assert!(errors.mean() < 0.01, "{errors:?}");

        // Of any width: a network of 512 that says nothing.
        let nothing = yardstick.errors(&Weights::zeroed(2 * HIDDEN));
        let expected = (0.01_f64.powi(2) + 0.5 * 0.5) / 3.0;
        assert!((nothing.mean() - expected).abs() < 1e-3, "{nothing:?}");
        let (difference, bar) = errors.difference(&nothing);
        assert!((difference - (errors.mean() - nothing.mean())).abs() < 1e-12 && bar > 0.0);
        assert_eq!(errors.difference(&errors), (0.0, 0.0));

        // One whose outputs are halved has the same errors but for rounding.
        let mut half = own;
        for row in BIAS_ROW + 1..crate::nnue::weights::ROWS {
            half.row_mut(row).iter_mut().for_each(|weight| *weight /= 2);
        }
        half.output_bias = half.output_bias.map(|bias| bias / 2);
        assert!((yardstick.errors(&half).mean() - errors.mean()).abs() < 0.01);
    }

    #[test]
    fn what_is_no_yardstick_is_refused_with_the_line() {
        let scratch = Scratch::new("no-yardstick");
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for (lines, reason) in [
            (String::new(), "no position"),
            ("# nothing\n".to_owned(), "no position"),
            (format!("{start}\n"), "line 1: not a FEN, wins"),
            (format!("#\n{start}\t1\t2\n"), "line 2: not a FEN, wins"),
            (format!("{start}\t1\t2\tx\n"), "no number"),
            (format!("{start}\t1\t2\t-1\n"), "no positive number"),
            (format!("{start}\tNaN\t2\t1\n"), "no positive number"),
            (format!("{start}\t0\t0\t0\n"), "no sum"),
            ("8/8 w - -\t1\t1\t1\n".to_owned(), "line 1: "),
        ] {
            let error = yardstick(&scratch, &lines).expect_err(&lines).to_string();
            assert!(error.contains(reason), "{lines:?}: {error}");
        }
        assert!(Yardstick::read(scratch.folder()).is_err());
    }
}
