//! Moves in UCI's words. No other file knows how a castling is written.

use std::{error::Error, fmt};

use shakmaty::{CastlingMode, CastlingSide, File, Move, Position as _, Role, Square, uci::UciMove};

use super::{Position, landing_square};

/// How a castling is written; all other moves are written alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastlingStyle {
    /// From the king's square to its own rook's: `e1h1`. Chess960 has no other way that is never
    /// ambiguous.
    KingTakesRook,
    /// From the king's square to where it lands: `e1g1`, as ordinary chess has it. A king that
    /// does not stand on the e-file lands elsewhere than two squares away, where it might also
    /// step or stay; its castling is written king takes rook.
    KingTwoSquares,
    /// `O-O` and `O-O-O`, as people and the oldest Chess960 programs have it.
    Letters,
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
///
/// In every style a castling is a text that no other legal move has: the king's own rook stands on
/// no square that it could move to, two squares are no step, and letters name the side.
pub fn write(m: Move, style: CastlingStyle) -> String {
    let mode = match (style, m) {
        (CastlingStyle::Letters, Move::Castle { king, rook }) => {
            return letters(CastlingSide::from_king_side(rook > king)).to_owned();
        }
        (CastlingStyle::KingTwoSquares, Move::Castle { king, .. }) if king.file() == File::E => {
            CastlingMode::Standard
        }
        _ => CastlingMode::Chess960,
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
    /// The word is a castling that the position doesn't allow, and why.
    NoCastling(String, Obstacle),
}

/// What keeps a king from castling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The king or the rook has moved, or there was no right from the first.
    NoRight,
    /// The king is in check.
    Check,
    /// A piece stands where king or rook have to go.
    Piece(Square),
    /// The king would stand or pass where it is attacked.
    Attack,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::NoRight => f.write_str("there is no right to castle"),
            Obstacle::Check => f.write_str("the king is in check"),
            Obstacle::Piece(square) => write!(f, "{square} is occupied"),
            Obstacle::Attack => f.write_str("the king would be attacked on its way"),
        }
    }
}

/// What keeps the side to move from castling to `side`, which is not legal.
fn obstacle(position: &Position, side: CastlingSide) -> Obstacle {
    let castles = position.chess().castles();
    let us = position.turn();
    if castles.rook(us, side).is_none() {
        return Obstacle::NoRight;
    }
    if position.in_check() {
        return Obstacle::Check;
    }
    let in_the_way = (castles.path(us, side) & position.occupied()).first();
    in_the_way.map_or(Obstacle::Attack, Obstacle::Piece)
}

impl fmt::Display for MoveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveError::Unreadable(word) => write!(f, "{} is not a move", quoted(word)),
            MoveError::Illegal(word) => write!(f, "{} is illegal here", quoted(word)),
            MoveError::NoCastling(word, obstacle) => {
                write!(f, "{} is illegal here: {obstacle}", quoted(word))
            }
        }
    }
}

impl Error for MoveError {}

/// Reads a move in any of the ways that clients write it, whatever the options are.
///
/// A castling may be king takes rook (`e1h1`), the king to where it lands (`e1g1`, `f1g1`) when no
/// ordinary king move has these squares, the king two squares towards its rook (`d1f1`), or `O-O`
/// and `O-O-O`, with zeros too and with the marks of check and mate. Upper and lower case are the
/// same. Only legal moves are returned.
pub fn read(position: &Position, word: &str) -> Result<Move, MoveError> {
    let illegal = || MoveError::Illegal(word.to_owned());
    let moves = position.legal_moves();
    let castling_to = |side| {
        let castles = |m: &&Move| m.castling_side() == Some(side);
        moves.iter().find(castles).copied()
    };
    let no_castling = |side| MoveError::NoCastling(word.to_owned(), obstacle(position, side));
    if let Some(side) = castling_letters(word) {
        return castling_to(side).ok_or_else(|| no_castling(side));
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
            if let Some(&m) = as_written {
                return Ok(m);
            }
            // What else a king's word can mean is a castling.
            if promotion.is_some() || position.king(position.turn()) != from {
                return Err(illegal());
            }
            let own_rooks = position.pieces(position.turn(), Role::Rook);
            if own_rooks.contains(to) && to.rank() == from.rank() {
                return Err(no_castling(CastlingSide::from_king_side(to > from)));
            }
            let lands = |m: &&Move| m.is_castle() && landing_square(**m) == to;
            let by_landing = moves.iter().find(lands).copied();
            by_landing
                .or_else(|| castling_to(two_squares(from, to)?))
                .ok_or_else(illegal)
        }
        Ok(UciMove::Null | UciMove::Put { .. }) => Err(illegal()),
        Err(_) => Err(MoveError::Unreadable(word.to_owned())),
    }
}

/// Whether a word is written like a move, of whatever position: two squares, with or without a
/// promotion, or a castling in letters.
pub fn looks_like_move(word: &str) -> bool {
    castling_letters(word).is_some()
        || matches!(
            UciMove::from_ascii(word.to_ascii_lowercase().as_bytes()),
            Ok(UciMove::Normal { .. })
        )
}

/// The side that a king goes to by two squares along its rank.
fn two_squares(from: Square, to: Square) -> Option<CastlingSide> {
    let apart = from.rank() == to.rank() && from.distance(to) == 2;
    apart.then(|| CastlingSide::from_king_side(to > from))
}

fn letters(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::KingSide => "O-O",
        CastlingSide::QueenSide => "O-O-O",
    }
}

fn castling_letters(word: &str) -> Option<CastlingSide> {
    let plain = word.trim_end_matches(['+', '#']);
    let written = plain.to_ascii_uppercase().replace('0', "O");
    CastlingSide::ALL
        .into_iter()
        .find(|&side| written == letters(side))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::fen;
    use shakmaty::Square;

    fn position(text: &str) -> Position {
        fen::read(text)
            .unwrap_or_else(|error| panic!("{text}: {error}"))
            .position
    }

    #[test]
    fn ordinary_positions_write_the_kings_two_squares() {
        let ordinary = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        let style = CastlingStyle::for_root(&ordinary, false);
        assert_eq!(style, CastlingStyle::KingTwoSquares);
        for (word, written) in [("e1h1", "e1g1"), ("e1a1", "e1c1"), ("e1f1", "e1f1")] {
            let m = read(&ordinary, word).unwrap();
            assert_eq!(write(m, style), written);
            assert_eq!(write(m, CastlingStyle::for_root(&ordinary, true)), word);
        }
        let no_rights = position("nrkb2nr/8/8/8/8/8/8/qRK1BQNR w - - 0 3");
        assert_eq!(
            CastlingStyle::for_root(&no_rights, false),
            CastlingStyle::KingTwoSquares
        );
    }

    #[test]
    fn rights_of_chess960_alone_write_king_takes_rook() {
        for text in [
            "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1",
            "4k1r1/8/8/8/8/8/8/R3K2R w KQg - 0 1",
            "4k3/8/8/8/8/8/8/3K3R w H - 0 1",
        ] {
            let style = CastlingStyle::for_root(&position(text), false);
            assert_eq!(style, CastlingStyle::KingTakesRook, "{text}");
        }
    }

    #[test]
    fn every_spelling_of_a_castling() {
        let both = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        let (king, h1, a1) = (Square::E1, Square::H1, Square::A1);
        for word in ["e1h1", "e1g1", "E1G1", "O-O", "o-o", "0-0", "O-O+", "0-0#"] {
            assert_eq!(
                read(&both, word),
                Ok(Move::Castle { king, rook: h1 }),
                "{word}"
            );
        }
        for word in ["e1a1", "e1c1", "O-O-O", "0-0-0", "O-O-O+", "0-0-0#"] {
            assert_eq!(
                read(&both, word),
                Ok(Move::Castle { king, rook: a1 }),
                "{word}"
            );
        }
    }

    #[test]
    fn only_the_king_castles() {
        let both = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        for word in ["e2g1", "d1c1", "h1e1", "e8g8", "e1g1q", "e1b1"] {
            assert_eq!(
                read(&both, word),
                Err(MoveError::Illegal(word.to_owned())),
                "{word}"
            );
        }
    }

    #[test]
    fn a_step_of_the_king_is_no_castling() {
        let text = "6k1/8/8/8/8/8/8/5K1R w H - 0 1";
        let step = read(&position(text), "f1g1").unwrap();
        assert!(matches!(
            step,
            Move::Normal {
                role: Role::King,
                to: Square::G1,
                ..
            }
        ));
        assert!(read(&position(text), "f1h1").unwrap().is_castle());
        // With its goal attacked the step is illegal, and so is the castling.
        let attacked = position("6k1/8/8/8/8/8/6r1/5K1R w H - 0 1");
        assert_eq!(
            read(&attacked, "f1g1"),
            Err(MoveError::Illegal("f1g1".to_owned()))
        );
        // A king that stays where it is has only this spelling beside the rook's square.
        let stays = position("4k3/8/8/8/8/8/8/6KR w H - 0 1");
        assert!(read(&stays, "g1g1").unwrap().is_castle());
    }

    #[test]
    fn two_squares_name_the_side_wherever_the_king_stands() {
        let castle = |text: &str, word: &str| read(&position(text), word).map(|m| m.to());
        for (text, word, rook) in [
            ("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "d1f1", Square::H1),
            ("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "d1b1", Square::A1),
            ("4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1h1", Square::G1),
            ("4k3/8/8/8/8/8/8/R4K2 w A - 0 1", "f1d1", Square::A1),
            ("r2k4/8/8/8/8/8/8/4K3 b a - 0 1", "d8b8", Square::A8),
            // Here it is also where the king lands, or its rook.
            ("4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "e1g1", Square::G1),
            ("4k3/8/8/8/8/8/8/1R1K4 w B - 0 1", "d1b1", Square::B1),
        ] {
            assert_eq!(castle(text, word), Ok(rook), "{text} {word}");
        }
        for (text, word) in [
            // No right, the way barred, the wrong side, three squares, another piece's move.
            ("4k3/8/8/8/8/8/8/R2K3R w Q - 0 1", "d1f1"),
            ("4k3/8/8/8/8/8/8/RN1K3R w KQ - 0 1", "d1b1"),
            ("4k3/8/8/8/8/8/8/3K3R w K - 0 1", "d1b1"),
            ("4k3/8/8/8/8/8/8/5K1R w K - 0 1", "f1c1"),
            ("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", "d1d3"),
            ("4k3/8/8/8/8/8/8/R2KN2R w KQ - 0 1", "e1g1"),
        ] {
            assert!(castle(text, word).is_err(), "{text} {word}");
        }
    }

    #[test]
    fn a_castling_in_every_style() {
        use CastlingStyle::{KingTakesRook, KingTwoSquares, Letters};
        for (text, read_as, written) in [
            (
                "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
                "O-O",
                ["e1h1", "e1g1", "O-O"],
            ),
            (
                "4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1",
                "O-O-O",
                ["e1b1", "e1c1", "O-O-O"],
            ),
            // Where the king does not go two squares, its squares might be a step's, or one only.
            (
                "4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1",
                "O-O",
                ["f1h1", "f1h1", "O-O"],
            ),
            (
                "4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1",
                "O-O-O",
                ["f1a1", "f1a1", "O-O-O"],
            ),
            (
                "4k3/8/8/8/8/8/8/6KR w H - 0 1",
                "O-O",
                ["g1h1", "g1h1", "O-O"],
            ),
        ] {
            let m = read(&position(text), read_as).unwrap();
            let styles = [KingTakesRook, KingTwoSquares, Letters];
            assert_eq!(styles.map(|style| write(m, style)), written, "{text}");
        }
    }

    #[test]
    fn promotions_in_either_case() {
        let pawn = position("4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
        for (word, written) in [("a7a8Q", "a7a8q"), ("a7a8n", "a7a8n"), ("A7A8R", "a7a8r")] {
            let m = read(&pawn, word).unwrap();
            assert_eq!(write(m, CastlingStyle::KingTakesRook), written);
        }
        for word in ["a7a8", "a7a8k", "a7a8p", "e1e2q"] {
            assert_eq!(read(&pawn, word), Err(MoveError::Illegal(word.to_owned())));
        }
    }

    #[test]
    fn en_passant() {
        let both = position("4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 2");
        for word in ["c5d6", "e5d6"] {
            assert!(read(&both, word).unwrap().is_en_passant());
        }
    }

    #[test]
    fn words_that_are_no_moves() {
        let start = Position::startpos();
        for word in [
            "", "e2", "e2e", "e2e4e4", "e2-e4", "Nf3", "é2é4", "e2e4ü", "♔", "\0\0\0\0", "O-O-",
            "e9e4", "+", "O-O-O-O", "OO", "O-O?",
        ] {
            assert_eq!(
                read(&start, word),
                Err(MoveError::Unreadable(word.to_owned())),
                "{word}"
            );
        }
        for word in ["e2e5", "e7e5", "0000", "P@e4", "e1g1", "e3e4", "e2e4q"] {
            assert_eq!(
                read(&start, word),
                Err(MoveError::Illegal(word.to_owned())),
                "{word}"
            );
        }
    }

    #[test]
    fn a_castling_that_cannot_be_says_why() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for (text, word, obstacle) in [
            (start, "e1h1", Obstacle::Piece(Square::F1)),
            (start, "O-O-O", Obstacle::Piece(Square::B1)),
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "O-O", Obstacle::NoRight),
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1h1", Obstacle::NoRight),
            ("4k3/4r3/8/8/8/8/8/4K2R w K - 0 1", "e1h1", Obstacle::Check),
            ("4k3/5r2/8/8/8/8/8/4K2R w K - 0 1", "O-O", Obstacle::Attack),
            // The square that the rook goes to, and the other rook in the king's way.
            (
                "k7/8/8/8/8/8/8/4RRK1 w F - 0 1",
                "g1f1",
                Obstacle::Piece(Square::E1),
            ),
        ] {
            let error = MoveError::NoCastling(word.to_owned(), obstacle);
            assert_eq!(read(&position(text), word), Err(error), "{text} {word}");
        }
        let error = read(&position(start), "e1h1").unwrap_err();
        assert_eq!(error.to_string(), "'e1h1' is illegal here: f1 is occupied");
    }

    #[test]
    fn messages_stay_one_short_line() {
        let start = Position::startpos();
        let word = "x\n\u{1b}é".repeat(1000);
        let message = read(&start, &word).unwrap_err().to_string();
        assert!(
            message.len() < 500 && message.is_ascii() && !message.contains('\n'),
            "{message}"
        );
        assert_eq!(
            read(&start, "e2e5").unwrap_err().to_string(),
            "'e2e5' is illegal here"
        );
    }
}
