//! The words of a `position` or `go` line become positions and moves.

use std::{error::Error, fmt};

use shakmaty::Move;

use super::command::{Setup, Start};
use crate::{
    engine::Game,
    position::{
        Position,
        fen::{self, FenError},
        notation::{self, MoveError},
    },
};

/// Why a position was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// The FEN is unreadable, or no game can reach it.
    Fen(FenError),
    /// A move in the list can't be played.
    Move {
        /// Its place in the list, from 1.
        number: usize,
        /// What is wrong with it.
        error: MoveError,
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Fen(error) => error.fmt(f),
            SetupError::Move { number, error } => write!(f, "move {number}: {error}"),
        }
    }
}

impl Error for SetupError {}

/// Plays a game out, and says what had to be dropped from the description of its start.
///
/// # Errors
/// When the start is no position, or a move is illegal.
///
/// # Panics
/// When a start position's number is beyond 959, which no line can ask for.
pub fn build(setup: &Setup) -> Result<(Game, Vec<String>), SetupError> {
    let (start, notes) = match &setup.start {
        Start::Fen(fen) => {
            let reading = fen::read(fen).map_err(SetupError::Fen)?;
            (reading.position, reading.notes)
        }
        Start::Array(white, black) => {
            let position = Position::start_array(*white, *black);
            (position.expect("numbers below 960"), Vec::new())
        }
    };
    let mut game = Game::new(start);
    for (word, number) in setup.moves.iter().zip(1..) {
        let m = notation::read(game.position(), word)
            .map_err(|error| SetupError::Move { number, error })?;
        game.play(m);
    }
    Ok((game, notes))
}

/// The moves that a `searchmoves` list leaves to search, and a note for each word that was
/// ignored. No moves at all mean that the list is no restriction.
pub fn root_moves(position: &Position, words: &[String]) -> (Vec<Move>, Vec<String>) {
    let mut moves = Vec::new();
    let mut notes = Vec::new();
    for word in words {
        match notation::read(position, word) {
            Ok(m) if moves.contains(&m) => {
                notes.push(format!("searchmoves: {word} is there twice"))
            }
            Ok(m) => moves.push(m),
            Err(error) => notes.push(format!("searchmoves: {error}")),
        }
    }
    if moves.is_empty() {
        notes.push("searchmoves names no legal move: all are searched".to_owned());
    }
    (moves, notes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::command::{Command, Parsed};

    fn setup(line: &str) -> Result<(Game, Vec<String>), SetupError> {
        match Parsed::new(line).command {
            Command::Position(Ok(setup)) => build(&setup),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn x_fen(line: &str) -> String {
        let (game, _) = setup(line).expect(line);
        fen::write(game.position(), fen::FenStyle::XFen)
    }

    #[test]
    fn games_are_played_out() {
        assert_eq!(
            x_fen("position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1"),
            "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4"
        );
        assert_eq!(
            x_fen("position frc 518 moves e2e4"),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
        );
        assert_eq!(x_fen("position dfrc 1 0"), x_fen("position dfrc 960"));
        assert_eq!(
            x_fen("position dfrc 0 1"),
            "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let error = setup("position startpos moves e2e4 e2e4").expect_err("illegal");
        assert!(error.to_string().starts_with("move 2: "), "{error}");
        let error = setup("position fen 4k3/8/8/8/8/8/8/8 w - - 0 1").expect_err("one king");
        assert!(matches!(error, SetupError::Fen(_)), "{error}");
    }

    #[test]
    fn searchmoves_keeps_what_is_legal() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let start = Position::startpos();
        let (moves, notes) = root_moves(&start, &words("e2e4 e2e5 zz9 d2d4 e2e4"));
        assert_eq!(moves.len(), 2);
        assert_eq!(notes.len(), 3);
        let (moves, notes) = root_moves(&start, &words("0000"));
        assert!(moves.is_empty());
        assert_eq!(notes.len(), 2);
    }
}
