//! Scores: centipawns, tablebase wins and mates on one scale.
//!
//! Inside the search a score is an `i32` from the side to move, in units of about a hundredth of a
//! pawn. Mate in `n` plies is `MATE - n`; being mated in `n` plies is `n - MATE`.

use std::fmt;

/// Greatest distance from the root in plies, quiescence included.
pub const MAX_PLY: usize = 240;
/// Greatest nominal depth in plies.
pub const MAX_DEPTH: i32 = 127;

/// Beyond every score.
pub const INFINITE: i32 = 32_500;
/// Checkmate on the board.
pub const MATE: i32 = 32_000;
/// The smallest score that is a mate.
pub const MATE_IN_MAX: i32 = MATE - MAX_PLY as i32;
/// The smallest score that a tablebase win can have.
pub const TABLEBASE_WIN: i32 = MATE_IN_MAX - 1 - MAX_PLY as i32;
/// The greatest score of an evaluation.
pub const MAX_EVAL: i32 = TABLEBASE_WIN - 1;
/// A draw.
pub const DRAW: i32 = 0;
/// How far the scores of drawn lines lie from [`DRAW`] at the most: a little chance keeps them apart.
pub const DRAW_JITTER: i32 = 2;
/// No score known, as the transposition table stores it.
pub const NONE: i32 = 32_767;

/// The score of being mated `ply` plies below the root.
#[inline]
pub const fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// The score of mating `ply` plies below the root.
#[inline]
pub const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// Whether a score is a proven win or loss.
#[inline]
pub const fn is_decisive(score: i32) -> bool {
    score.abs() >= TABLEBASE_WIN
}

/// Whether a score is a proven win.
#[inline]
pub const fn is_win(score: i32) -> bool {
    score >= TABLEBASE_WIN
}

/// Whether a score is a proven loss.
#[inline]
pub const fn is_loss(score: i32) -> bool {
    score <= -TABLEBASE_WIN
}

/// Moves (not plies) to mate if a score is one: positive to give it, negative (or zero) to receive
/// it.
pub const fn moves_to_mate(score: i32) -> Option<i32> {
    if score >= MATE_IN_MAX {
        Some((MATE - score + 1) / 2)
    } else if score <= -MATE_IN_MAX {
        Some(-(MATE + score) / 2)
    } else {
        None
    }
}

/// A score as it is shown: to a person or a GUI. See [`super::wdl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of the score that wins half of the games, from the side to move.
    Centipawns(i32),
    /// Moves (not plies) to mate: positive to give it, negative (or zero) to receive it.
    Mate(i32),
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Centipawns(score) => write!(f, "cp {score}"),
            Score::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}
