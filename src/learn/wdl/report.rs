//! How well a win/draw/loss model fits games that it was not fitted to, for people.

use std::fmt;

use super::{Counts, Sample, fit::Cells};
use crate::search::wdl::{GREATEST_MATERIAL, LEAST_MATERIAL, Model};

/// Games are dealt into so many parts; those of each are predicted by a model that was fitted to
/// all the others.
const PARTS: usize = 10;
/// Classes of scores, and of material, each of about as many positions.
const CLASSES: usize = 10;
/// Scores beyond this, in the search's units, are not fitted: where all is decided they would
/// bend the model for nothing.
pub const LIMIT: i32 = 1000;
/// The material, in pawns, at which the even chance is told in short.
const MIDDLEGAME: u32 = 58;

/// Counted against predicted in a class of positions.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    /// The least score or material, and the greatest.
    ends: (i32, i32),
    positions: f64,
    /// Lost, drawn and won.
    counted: [f64; 3],
    predicted: [f64; 3],
    /// Sums of the squares of the differences, game by game.
    squares: [f64; 3],
}

impl Class {
    /// The difference of a fate in points of a hundred, and its standard error. Positions of a
    /// game aren't independent, so it is the games that are counted.
    fn difference(&self, fate: usize) -> (f64, f64) {
        let all = self.positions.max(1.0);
        let difference = self.counted[fate] - self.predicted[fate];
        (
            100.0 * difference / all,
            100.0 * self.squares[fate].sqrt() / all,
        )
    }
}

/// Classes of about as many positions each, by a number that positions have.
struct Classes {
    /// The greatest number of each class but the last.
    ends: Vec<i32>,
    number: fn(&Sample) -> i32,
    classes: Vec<Class>,
}

impl Classes {
    fn new(games: &[Vec<Sample>], number: fn(&Sample) -> i32) -> Classes {
        let mut numbers: Vec<i32> = games.iter().flatten().map(number).collect();
        numbers.sort_unstable();
        let end = |class: usize| numbers.get((class * numbers.len() / CLASSES).max(1) - 1);
        let mut ends: Vec<i32> = (1..CLASSES).filter_map(end).copied().collect();
        ends.dedup();
        let mut classes = vec![Class::default(); ends.len() + 1];
        for (index, class) in classes.iter_mut().enumerate() {
            let least = index.checked_sub(1).map(|before| ends[before] + 1);
            class.ends = (
                least.unwrap_or_else(|| numbers.first().copied().unwrap_or(0)),
                *ends.get(index).or(numbers.last()).unwrap_or(&0),
            );
        }
        Classes {
            ends,
            number,
            classes,
        }
    }

    /// Counts a game, of which a model predicts something.
    fn add(&mut self, game: &[Sample], model: &Model) {
        let mut differences = vec![[0.0; 3]; self.classes.len()];
        for sample in game {
            let number = (self.number)(sample);
            let index = self.ends.partition_point(|&end| end < number);
            let class = &mut self.classes[index];
            let predicted = model.at(sample.material).chances(f64::from(sample.score));
            class.positions += 1.0;
            for (fate, chance) in predicted.into_iter().enumerate() {
                let counted = f64::from(u8::from(fate == sample.half_points));
                class.counted[fate] += counted;
                class.predicted[fate] += chance;
                differences[index][fate] += counted - chance;
            }
        }
        for (class, game) in self.classes.iter_mut().zip(differences) {
            for (sum, difference) in class.squares.iter_mut().zip(game) {
                *sum += difference * difference;
            }
        }
    }

    /// The greatest difference in points of a hundred, with its standard error.
    fn greatest(&self) -> (f64, f64) {
        let differences = self
            .classes
            .iter()
            .flat_map(|class| (0..3).map(|fate| class.difference(fate)));
        differences
            .max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))
            .unwrap_or_default()
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for class in &self.classes {
            let (least, greatest) = class.ends;
            write!(f, "{least:6} {greatest:6} {:10}", class.positions)?;
            for fate in [2, 1, 0] {
                let share = |part: f64| 100.0 * part / class.positions.max(1.0);
                let (counted, predicted) = (class.counted[fate], class.predicted[fate]);
                let (_, error) = class.difference(fate);
                let (counted, predicted) = (share(counted), share(predicted));
                write!(f, "   {counted:5.1} ±{error:4.1} ({predicted:5.1})")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A fit and how good it is.
pub struct Report {
    games: usize,
    positions: usize,
    model: Model,
    /// Log likelihoods a position: of that model, and of the program's own.
    likelihoods: [f64; 2],
    by_score: Classes,
    by_material: Classes,
    /// By score, of the program's own model.
    own_by_score: Classes,
}

impl Report {
    /// Fits a model to games. `None` if there are too few of them.
    pub fn new(games: &[Vec<Sample>]) -> Option<Report> {
        let fit = |games: &mut dyn Iterator<Item = &Vec<Sample>>| {
            Cells::new(&games.flatten().collect::<Counts>(), LIMIT).fit()
        };
        let model = fit(&mut games.iter())?;
        let score: fn(&Sample) -> i32 = |sample| sample.score;
        let material: fn(&Sample) -> i32 = |sample| sample.material as i32;
        let mut report = Report {
            games: games.len(),
            positions: games.iter().map(Vec::len).sum(),
            model,
            likelihoods: [model, Model::FITTED].map(|model| {
                Cells::new(&games.iter().flatten().collect(), LIMIT).mean_likelihood(&model)
            }),
            by_score: Classes::new(games, score),
            by_material: Classes::new(games, material),
            own_by_score: Classes::new(games, score),
        };
        for part in 0..PARTS {
            let is_held_out = |&(index, _): &(usize, &Vec<Sample>)| index % PARTS == part;
            let numbered = || games.iter().enumerate();
            let mut others = numbered().filter(|game| !is_held_out(game));
            let model = fit(&mut others.by_ref().map(|(_, game)| game))?;
            for (_, game) in numbered().filter(is_held_out) {
                report.by_score.add(game, &model);
                report.by_material.add(game, &model);
                report.own_by_score.add(game, &Model::FITTED);
            }
        }
        Some(report)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} games, {} positions without a proven score",
            self.games, self.positions
        )?;
        let [fitted, own] = self.likelihoods;
        writeln!(
            f,
            "log likelihood a position: {fitted:.5} fitted, {own:.5} the program's own model"
        )?;
        let heading = "positions    won (predicted)      drawn (predicted)    lost (predicted)";
        writeln!(
            f,
            "\nHeld-out games in percent: each predicted by a model fitted to nine tenths without it.\n\n\
             score from, to {heading}\n{}\nmaterial from, to\n{}",
            self.by_score, self.by_material
        )?;
        for (name, classes) in [
            ("fitted", &self.by_score),
            ("the program's own model", &self.own_by_score),
        ] {
            let (difference, error) = classes.greatest();
            writeln!(
                f,
                "greatest difference by score: {difference:+.1} ± {error:.1} points, {name}"
            )?;
        }
        let at = |model: &Model| model.at(MIDDLEGAME).even_chance;
        writeln!(
            f,
            "+1.00 in a middlegame is {:.0} of the search's units fitted, {:.0} in the program",
            at(&self.model),
            at(&Model::FITTED)
        )?;
        writeln!(f, "\nmaterial  even chance  spread  drawn at 0")?;
        for material in (LEAST_MATERIAL..=GREATEST_MATERIAL).step_by(8) {
            let curve = self.model.at(material);
            let draw = 100.0 * curve.chances(0.0)[1];
            let (even_chance, spread) = (curve.even_chance, curve.spread);
            writeln!(
                f,
                "{material:8} {even_chance:12.1} {spread:7.1} {draw:11.1}%"
            )?;
        }
        writeln!(
            f,
            "\nFor src/search/wdl.rs:\n\n    // Fitted to {} positions of ...",
            self.positions
        )?;
        writeln!(f, "    pub const FITTED: Model = Model {{")?;
        for (name, numbers) in [
            ("even_chance", self.model.even_chance),
            ("spread", self.model.spread),
        ] {
            let numbers = numbers.map(|number| format!("{number:.3}")).join(", ");
            writeln!(f, "        {name}: [{numbers}],")?;
        }
        for (name, number) in [
            ("dead_material", self.model.dead_material),
            ("dead_width", self.model.dead_width),
            ("dead_reach", self.model.dead_reach),
        ] {
            writeln!(f, "        {name}: {number:.1},")?;
        }
        write!(f, "    }};")
    }
}
