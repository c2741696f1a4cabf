//! The game before the search: a start position and the moves played from it.

use shakmaty::{Color, Move};

use crate::{
    chess960,
    position::{Position, notation::CastlingStyle, repetition::KeyHistory},
};

/// A position with the part of its past that repetition needs.
#[derive(Clone, Debug)]
pub struct Game {
    position: Position,
    history: KeyHistory,
    start_key: u64,
    castling: CastlingStyle,
}

impl Game {
    /// A game that begins with `start`.
    pub fn new(start: Position) -> Game {
        Game {
            history: KeyHistory::starting_at(&start),
            start_key: start.keys().whole,
            castling: CastlingStyle::for_root(&start, false),
            position: start,
        }
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.position = self.position.play(m);
        if m.is_zeroing() {
            // Nothing before it can come back.
            self.history = KeyHistory::starting_at(&self.position);
        } else {
            self.history.push(&self.position);
        }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The keys since the last move that can't be taken back, the current position's last.
    pub fn history(&self) -> &KeyHistory {
        &self.history
    }

    /// What tells this game's start position from others.
    pub fn start_key(&self) -> u64 {
        self.start_key
    }

    /// How castling is written in this game when nobody says otherwise. The start position
    /// decides, so that the writing does not change in the middle of a game.
    pub fn castling(&self) -> CastlingStyle {
        self.castling
    }

    /// Whether the game began from a setup that ordinary chess doesn't know.
    pub fn is_chess960(&self) -> bool {
        self.castling == CastlingStyle::KingTakesRook
    }

    /// The numbers of the start positions of White and Black, if the position is a start array.
    pub fn start_numbers(&self) -> Option<(u16, u16)> {
        let setup = self.position.to_setup();
        let number = |color: Color| {
            let mut rank = [shakmaty::Role::Pawn; 8];
            for (file, role) in shakmaty::File::ALL.into_iter().zip(&mut rank) {
                let square = shakmaty::Square::from_coords(file, color.backrank());
                *role = setup.board.role_at(square)?;
            }
            chess960::number(&rank)
        };
        let numbers = (number(Color::White)?, number(Color::Black)?);
        let array = chess960::setup(numbers.0, numbers.1)?;
        let same = array.board == setup.board
            && array.castling_rights == setup.castling_rights
            && array.turn == setup.turn;
        same.then_some(numbers)
    }
}

impl Default for Game {
    fn default() -> Game {
        Game::new(Position::startpos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{fen, notation};

    fn game(fen: &str, moves: &str) -> Game {
        let mut game = Game::new(fen::read(fen).expect("a good FEN").position);
        for word in moves.split_whitespace() {
            let m = notation::read(game.position(), word).expect("a legal move");
            game.play(m);
        }
        game
    }

    #[test]
    fn start_arrays_know_their_numbers() {
        assert_eq!(Game::default().start_numbers(), Some((518, 518)));
        let double = "nnbbrkrq/pppppppp/8/8/8/8/PPPPPPPP/RBNQBNKR w HAge - 0 1";
        let (white, black) = game(double, "").start_numbers().expect("a start array");
        let array = chess960::setup(white, black).expect("numbers of the table");
        assert_eq!(array.board, game(double, "").position().to_setup().board);
        let no_rights = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1";
        assert_eq!(game(no_rights, "").start_numbers(), None);
        let moved = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(game(moved, "e2e4").start_numbers(), None);
    }

    #[test]
    fn the_start_position_decides_how_castling_is_written() {
        // After the a-side rook has moved, king e1 and rook h1 look like ordinary chess.
        let fen = "rn2k2r/pppppppp/8/8/8/8/PPPPPPPP/1R2K2R w BHah - 0 1";
        let game = game(fen, "b1a1 a7a6");
        assert!(game.is_chess960());
        assert!(!Game::default().is_chess960());
    }

    #[test]
    fn history_counts_repetitions_and_forgets_at_pawn_moves() {
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ";
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let twice = game(fen, &shuffle.repeat(2));
        assert_eq!(twice.history().occurrences_before(twice.position()), 2);
        let after = game(fen, &(shuffle.repeat(2) + "e2e4 e7e5"));
        assert_eq!(after.history().occurrences_before(after.position()), 0);
    }
}
