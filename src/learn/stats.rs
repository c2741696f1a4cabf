//! What a set of games is like, in numbers for people.

use std::{collections::HashSet, fmt, path::PathBuf};

use shakmaty::Move;

use super::{
    changes_material,
    dataset::Games,
    format::{Game, GameResult, StartKind},
    trainer::filter::{self, Counts},
};
use crate::position::landing_square;

/// The upper ends of the classes that scores are counted in, in the search's units.
const SCORES: [i16; 8] = [10, 50, 100, 200, 400, 800, 2000, i16::MAX];
/// The upper ends of the classes that lengths are counted in, in plies.
const LENGTHS: [usize; 8] = [20, 40, 80, 120, 160, 240, 400, usize::MAX];

/// What a set of games is made of.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    files: u64,
    games: u64,
    positions: u64,
    asides: u64,
    aside_positions: u64,
    /// Positions that the trainer would learn from, asides among them.
    records: u64,
    /// By kind of start, then by result.
    results: [[u64; 3]; 4],
    played_out: u64,
    /// Results of games that were played out.
    played_out_results: [u64; 3],
    scores: [u64; SCORES.len()],
    lengths: [u64; LENGTHS.len()],
    in_check: u64,
    tactical: u64,
    /// Castlings to the c- and the g-file.
    castlings: [u64; 2],
    /// Games in which neither side, one or both castled.
    castled: [u64; 3],
    starts: HashSet<u64>,
    men: [u64; 8],
}

impl Stats {
    /// Counts a game or an aside.
    pub fn add(&mut self, game: &Game) {
        let mut chosen = Counts::default();
        filter::select(game, &HashSet::new(), &mut Vec::new(), &mut chosen);
        self.records += chosen.kept;
        if game.aside {
            self.asides += 1;
            self.aside_positions += game.moves.len() as u64;
            return;
        }
        self.games += 1;
        self.positions += game.moves.len() as u64;
        self.results[game.kind as usize][game.result as usize] += 1;
        if game.played_out {
            self.played_out += 1;
            self.played_out_results[game.result as usize] += 1;
        }
        self.lengths[LENGTHS.partition_point(|&end| end < game.moves.len())] += 1;
        self.starts.insert(game.start.keys().whole);
        let mut castled = 0;
        for (position, m, score) in game.positions() {
            let size = score.saturating_abs();
            self.scores[SCORES.partition_point(|&end| end < size)] += 1;
            self.in_check += u64::from(position.in_check());
            self.tactical += u64::from(changes_material(m));
            self.men[(position.occupied().count().saturating_sub(1) / 4).min(7)] += 1;
            if let Move::Castle { .. } = m {
                castled += 1;
                self.castlings[usize::from(landing_square(m).file() > shakmaty::File::D)] += 1;
            }
        }
        self.castled[castled.min(2)] += 1;
    }

    /// Whether there is neither a game nor an aside.
    pub fn is_empty(&self) -> bool {
        self.games + self.asides == 0
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// How many games begin where another one does.
    pub fn repeated_starts(&self) -> u64 {
        self.games - self.starts.len() as u64
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Classes by their upper ends, with the share that each has.
fn classes(ends: impl Iterator<Item = Option<String>>, counts: &[u64]) -> String {
    let whole = counts.iter().sum();
    let class = |(end, &count): (Option<String>, &u64)| {
        let share = percent(count, whole);
        end.map_or(format!("above {share:.1}%"), |end| {
            format!("to {end} {share:.1}%")
        })
    };
    ends.zip(counts)
        .map(class)
        .collect::<Vec<String>>()
        .join(", ")
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.positions as f64 / self.games.max(1) as f64;
        writeln!(f, "files      {}", self.files)?;
        writeln!(f, "games      {}, {length:.1} plies each", self.games)?;
        writeln!(f, "positions  {}", self.positions)?;
        writeln!(
            f,
            "asides     {} with {} positions",
            self.asides, self.aside_positions
        )?;
        let share = percent(self.records, self.positions + self.aside_positions);
        writeln!(
            f,
            "records    {} to learn from, {share:.1}% of the positions",
            self.records
        )?;
        writeln!(f, "starts     {} repeated", self.repeated_starts())?;
        for (kind, results) in StartKind::ALL.into_iter().zip(&self.results) {
            let games: u64 = results.iter().sum();
            if games > 0 {
                let name = match kind {
                    StartKind::Unknown => "not told",
                    StartKind::Ordinary => "ordinary",
                    StartKind::Chess960 => "Chess960",
                    StartKind::Double => "double",
                };
                write!(
                    f,
                    "  {name:8} {:5.1}% of the games:",
                    percent(games, self.games)
                )?;
                writeln!(f, " {}", shares(results))?;
            }
        }
        let total =
            [0, 1, 2].map(|result| self.results.iter().map(|results| results[result]).sum());
        writeln!(f, "results    {}", shares(&total))?;
        let share = percent(self.played_out, self.games);
        writeln!(
            f,
            "played out {share:.1}%: {}",
            shares(&self.played_out_results)
        )?;
        let ends = LENGTHS
            .iter()
            .map(|&end| (end != usize::MAX).then(|| end.to_string()));
        writeln!(f, "plies      {}", classes(ends, &self.lengths))?;
        let ends = SCORES
            .iter()
            .map(|&end| (end != i16::MAX).then(|| end.to_string()));
        writeln!(f, "scores     {}", classes(ends, &self.scores))?;
        let ends = (1..=8).map(|class| Some((4 * class).to_string()));
        writeln!(f, "men        {}", classes(ends, &self.men))?;
        let (check, tactical) = (
            percent(self.in_check, self.positions),
            percent(self.tactical, self.positions),
        );
        writeln!(
            f,
            "moves      {check:.1}% in check, {tactical:.1}% captures or promotions"
        )?;
        let [none, one, both] = self.castled.map(|games| percent(games, self.games));
        let [c, g] = self.castlings;
        write!(f, "castlings  {c} to the c-file, {g} to the g-file; ")?;
        write!(
            f,
            "{none:.1}% of the games have none, {one:.1}% one, {both:.1}% two"
        )
    }
}

fn shares(results: &[u64; 3]) -> String {
    let games = results.iter().sum();
    let share = |result: GameResult| percent(results[result as usize], games);
    format!(
        "White {:.1}%, draw {:.1}%, Black {:.1}%",
        share(GameResult::White),
        share(GameResult::Draw),
        share(GameResult::Black)
    )
}

/// Counts all games of the files. `note` is told what is wrong with a file, which is read up to
/// there.
pub fn count(files: &[PathBuf], note: &mut dyn FnMut(&str)) -> Stats {
    let mut stats = Stats {
        files: files.len() as u64,
        ..Stats::default()
    };
    Games::new(files, note).for_each(|game| stats.add(&game));
    stats
}
