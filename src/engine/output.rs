//! What the engine says, before anybody makes text of it.

use shakmaty::Move;

use crate::{position::notation::CastlingStyle, search::Info};

/// How a search's lines are to be shown; fixed when the search starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presentation {
    /// How castling is written.
    pub castling: CastlingStyle,
    /// Whether win, draw and loss are shown.
    pub wdl: bool,
    /// How many lines an iteration has.
    pub lines: usize,
}

/// The end of a search: exactly one for every `go`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move to play.
    Move {
        /// The best move.
        best: Move,
        /// The reply expected to it.
        ponder: Option<Move>,
    },
    /// The game is over: there is no legal move.
    GameOver,
    /// There is no position to move in, for the last one was refused.
    NoPosition,
}

/// One thing that the engine says.
#[derive(Clone, Debug)]
pub enum Output {
    /// A line of analysis.
    Info(Info, Presentation),
    /// The root move that is being searched.
    CurrentMove {
        /// Nominal depth in plies.
        depth: i32,
        /// The move.
        current: Move,
        /// Its number in the order of search, from 1.
        number: usize,
        /// How to show it.
        presentation: Presentation,
    },
    /// The game is over: by checkmate, or else by stalemate.
    Finished {
        /// Whether the side to move is mated.
        checkmate: bool,
    },
    /// Something for a person to read.
    Note(String),
    /// The end of a search.
    Answer(Answer, Presentation),
}

/// Where the engine's words go.
pub trait Sink {
    /// Takes one; must not block for long, for the clock may be running.
    fn put(&mut self, output: Output);
}

impl<F: FnMut(Output)> Sink for F {
    fn put(&mut self, output: Output) {
        self(output);
    }
}
