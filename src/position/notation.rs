//! Moves in UCI's words. No other file knows how a castling is written.

use std::{error::Error, fmt};

use shakmaty::{CastlingMode, CastlingSide, Move, uci::UciMove};

use super::{Position, landing_square};

/// How a castling is written; all other moves are written alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastlingStyle {
    /// From the king's square to its own rook's: `e1h1`. Chess960 has no other way that is never
    /// ambiguous.
    KingTakesRook,
    /// From the king's square to where it lands: `e1g1`, as ordinary chess has it.
    KingTwoSquares,
}

impl CastlingStyle {
    /// The style for a search from `position`: king takes rook if the option `UCI_Chess960` is on,
    /// or if the position holds a castling right that ordinary chess doesn't know.
    pub fn for_root(position: &Position, chess960_option: bool) -> CastlingStyle {
        if chess960_option || CastlingMode::detect(&position.to_setup()).is_chess960() {
            CastlingStyle::KingTakesRook
        } else {
            CastlingStyle::KingTwoSquares
        }
    }
}

/// Writes a move as UCI has it, such as `e2e4`, `e7e8q` or `e1h1`.
pub fn write(m: Move, style: CastlingStyle) -> String {
    let mode = match style {
        CastlingStyle::KingTakesRook => CastlingMode::Chess960,
        CastlingStyle::KingTwoSquares => CastlingMode::Standard,
    };
    m.to_uci(mode).to_string()
}

/// Why a word is no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// The word doesn't name two squares, nor a castling.
    Unreadable(String),
    /// The word is a move, but not a legal one in the position.
    Illegal(String),
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::Unreadable(word) => write!(f, "{} is not a move", quoted(word)),
            MoveError::Illegal(word) => write!(f, "{} is illegal here", quoted(word)),
        }
    }
}

impl Error for MoveError {}

/// Reads a move in any of the ways that clients write it, whatever the options are.
///
/// A castling may be king takes rook (`e1h1`), the king to where it lands (`e1g1`, `f1g1`) when no
/// ordinary king move has these squares, or `O-O` and `O-O-O` (zeros will do). Upper and lower case
/// are the same. Only legal moves are returned.
pub fn read(position: &Position, word: &str) -> Result<Move, MoveError> {
    let illegal = || MoveError::Illegal(word.to_owned());
    let moves = position.legal_moves();
    if let Some(side) = castling_word(word) {
        return moves
            .into_iter()
            .find(|m| m.castling_side() == Some(side))
            .ok_or_else(illegal);
    }

    match UciMove::from_ascii(word.to_ascii_lowercase().as_bytes()) {
        Ok(UciMove::Normal {
            from,
            to,
            promotion,
        }) => {
            // The target of a castling is the rook's square, on which no other move of its own
            // side ends; so this finds king takes rook as well.
            let as_written = moves
                .iter()
                .find(|m| m.from() == Some(from) && m.to() == to && m.promotion() == promotion);
            let by_landing = || {
                moves.iter().find(|&&m| {
                    m.is_castle()
                        && m.from() == Some(from)
                        && landing_square(m) == to
                        && promotion.is_none()
                })
            };
            as_written.or_else(by_landing).copied().ok_or_else(illegal)
        }
        Ok(UciMove::Null | UciMove::Put { .. }) => Err(illegal()),
        Err(_) => Err(MoveError::Unreadable(word.to_owned())),
    }
}

fn castling_word(word: &str) -> Option<CastlingSide> {
    match word {
        "O-O" | "o-o" | "0-0" => Some(CastlingSide::KingSide),
        "O-O-O" | "o-o-o" | "0-0-0" => Some(CastlingSide::QueenSide),
        _ => None,
    }
}

/// A user's word in quotes, shortened and in ASCII, so that a message that repeats it stays one line
/// that any client can read.
pub fn quoted(word: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = word.chars().take(LONGEST).collect();
    if shown.len() < word.len() {
        shown.push_str("...");
    }
    format!("'{}'", shown.escape_default())
}
