//! What scores were worth in games: the table that the win/draw/loss model is fitted to.

use std::{collections::BTreeMap, fmt, io, path::PathBuf};

use super::{dataset::all_games, format::Game};
use crate::search::{score::is_decisive, wdl::material};

/// Scores are counted in classes of this width in the search's units, each named by its middle,
/// which is a multiple of it.
const WIDTH: i32 = 5;

/// Losses, draws and wins of the side to move, by material and class of score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<(u32, i32), [u64; 3]>);

impl Counts {
    /// Counts the positions of a game, but those with a proven score.
    fn add(&mut self, game: &Game) {
        for (position, _, score) in game.positions() {
            let score = position.turn().fold_wb(i32::from(score), -i32::from(score));
            if !is_decisive(score) {
                let class = (material(&position), middle(score));
                let half_points = usize::from(game.result.half_points(position.turn()));
                self.0.entry(class).or_default()[half_points] += 1;
            }
        }
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

/// Counts all games of the files, or only those that were played out.
///
/// # Errors
/// When a file is damaged or can't be read.
pub fn count(files: &[PathBuf], played_out: bool) -> io::Result<Counts> {
    let mut counts = Counts::default();
    for game in all_games(files) {
        let game = game?;
        if !game.aside && (game.played_out || !played_out) {
            counts.add(&game);
        }
    }
    Ok(counts)
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
        let count = |played_out| count(std::slice::from_ref(&path), played_out);
        // White's capture takes the material from 25 to 20; mates are not counted.
        assert_eq!(
            count(false).expect("sound games").to_string(),
            "material,score,wins,draws,losses\n20,-200,1,1,2\n25,205,2,1,1\n"
        );
        assert_eq!(
            count(true).expect("sound games").to_string(),
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
