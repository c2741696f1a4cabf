//! What scores were worth in games: the counts, and the win/draw/loss model that fits them best.
//!
//! [`fit`] finds the model's coefficients and [`report`] says how good they are.

pub mod fit;
pub mod report;

use std::{collections::BTreeMap, fmt, path::PathBuf};

use super::{dataset::Games, format::Game};
use crate::search::{score::is_decisive, wdl::material};

/// Scores are counted in classes of this width in the search's units, each named by its middle,
/// which is a multiple of it.
const WIDTH: i32 = 5;

/// A position of a game with a score that isn't proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The material of both sides in pawns.
    pub material: u32,
    /// The score of the side to move in the search's units.
    pub score: i32,
    /// What became of the side to move: 0 lost, 1 drawn, 2 won.
    pub half_points: usize,
}

/// The samples of a game.
fn samples(game: &Game) -> impl Iterator<Item = Sample> + '_ {
    game.positions()
        .map(|(position, _, score)| Sample {
            material: material(&position),
            score: position.turn().fold_wb(i32::from(score), -i32::from(score)),
            half_points: usize::from(game.result.half_points(position.turn())),
        })
        .filter(|sample| !is_decisive(sample.score))
}

/// The samples of the files game by game, or only of games that were played to their end by the
/// rules. `note` is told what is wrong with a file, which is read up to there.
pub fn read(files: &[PathBuf], played_out: bool, note: &mut dyn FnMut(&str)) -> Vec<Vec<Sample>> {
    Games::new(files, note)
        .filter(|game| !game.aside && (game.played_out || !played_out))
        .map(|game| samples(&game).collect())
        .collect()
}

/// Losses, draws and wins of the side to move, by material and class of score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<(u32, i32), [u64; 3]>);

impl Counts {
    fn add(&mut self, sample: &Sample) {
        let class = (sample.material, middle(sample.score));
        self.0.entry(class).or_default()[sample.half_points] += 1;
    }
}

impl<'a> FromIterator<&'a Sample> for Counts {
    fn from_iter<T: IntoIterator<Item = &'a Sample>>(samples: T) -> Counts {
        let mut counts = Counts::default();
        samples.into_iter().for_each(|sample| counts.add(sample));
        counts
    }
}

/// The middle of a score's class; that of the negative score is the negative one.
fn middle(score: i32) -> i32 {
    (score.abs() + WIDTH / 2) / WIDTH * WIDTH * score.signum()
}

impl fmt::Display for Counts {
    /// Comma-separated values under a line of names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "material,score,wins,draws,losses")?;
        for ((material, score), [losses, draws, wins]) in &self.0 {
            writeln!(f, "{material},{score},{wins},{draws},{losses}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        learn::{
            chunks,
            format::{GameResult, StartKind},
            scratch::Scratch,
        },
        position::{Position, fen, notation},
        search::score::mate_in,
    };

    fn game(result: GameResult, played_out: bool) -> Game {
        let start = fen::read("4k3/8/8/8/8/8/r7/RNBQK3 w - - 0 1").expect("a position");
        let mut position: Position = start.position.clone();
        let mate = mate_in(3) as i16;
        let moves = [("a1a2", 203), ("e8f8", 198), ("d1d2", mate), ("f8e8", mate)];
        let play = |(word, score)| {
            let m = notation::read(&position, word).expect("a legal move");
            position = position.play(m);
            (m, score)
        };
        let moves = moves.map(play).to_vec();
        Game {
            start: start.position,
            start_score: 0,
            result,
            kind: StartKind::Unknown,
            played_out,
            aside: false,
            moves,
        }
    }

    #[test]
    fn positions_are_counted_from_the_side_to_move() {
        let scratch = Scratch::new("wdl");
        let games = [
            game(GameResult::White, true),
            game(GameResult::White, false),
            game(GameResult::Draw, false),
            game(GameResult::Black, true),
        ];
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes));
        let path = scratch.path("games.viri.zst");
        chunks::write_new(&path, &bytes).expect("a file");
        let count = |played_out| {
            let games = read(std::slice::from_ref(&path), played_out, &mut |note| {
                panic!("{note}")
            });
            games.iter().flatten().collect::<Counts>().to_string()
        };
        // White's capture takes the material from 25 to 20; mates are not counted.
        assert_eq!(
            count(false),
            "material,score,wins,draws,losses\n20,-200,1,1,2\n25,205,2,1,1\n"
        );
        assert_eq!(
            count(true),
            "material,score,wins,draws,losses\n20,-200,1,0,1\n25,205,1,0,1\n"
        );
    }

    #[test]
    fn classes_are_symmetric() {
        for (score, class) in [(0, 0), (2, 0), (3, 5), (7, 5), (8, 10), (500, 500)] {
            assert_eq!((middle(score), middle(-score)), (class, -class));
        }
    }
}
