//! FEN in and out: X-FEN, Shredder-FEN and the plain one, read with patience.
//!
//! What a program or a person may have got wrong without harm is dropped with a note: rights of a
//! rook that isn't there, a stale en-passant square, counters that aren't numbers, words after the
//! end. What no game can reach is refused with a reason, for neither the rules nor the evaluation
//! are made for it.

use std::{error::Error, fmt, num::NonZeroU32};

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, File, FromSetup as _, Piece, PositionError,
    PositionErrorKinds, Setup, Square,
};

use super::{Position, notation::quoted};

/// A position read from a FEN, and what had to be dropped from it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The position.
    pub position: Position,
    /// One sentence for each thing that was wrong but could be dropped.
    pub notes: Vec<String>,
}

/// How castling rights are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenStyle {
    /// `K` and `Q` for the outermost rook on that side of the king, a file letter for another one.
    /// Ordinary positions look as they always did.
    XFen,
    /// Always the file letter of the rook.
    Shredder,
}

/// Why a FEN was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FenError {
    /// There is no first field.
    Empty,
    /// The first field is not a board; the text says where it goes wrong.
    Board(String),
    /// The second field is neither `w` nor `b`.
    SideToMove(String),
    /// A colour has this many kings.
    Kings(Color, usize),
    /// There is a pawn on the first or the last rank.
    PawnOnBackRank(Square),
    /// A side has more pieces than eight promotions can make.
    TooMuchMaterial,
    /// The side not to move is in check.
    OppositeCheck,
    /// The rules refuse it for another reason.
    Impossible,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FenError::Empty => write!(f, "the FEN is empty"),
            FenError::Board(reason) => write!(f, "board field: {reason}"),
            FenError::SideToMove(word) => {
                write!(f, "side to move: {} is neither w nor b", quoted(word))
            }
            FenError::Kings(color, count) => write!(f, "board field: {color} has {count} kings"),
            FenError::PawnOnBackRank(square) => write!(f, "board field: a pawn on {square}"),
            FenError::TooMuchMaterial => {
                write!(f, "board field: more pieces than promotions allow")
            }
            FenError::OppositeCheck => write!(f, "the side not to move is in check"),
            FenError::Impossible => write!(f, "no game can reach this position"),
        }
    }
}

impl Error for FenError {}

/// Reads a FEN.
///
/// Fields are separated by any white space, or by underscores as in web addresses; missing ones at
/// the end are White to move, no castling rights, no en-passant square, 0 and 1. Counters beyond
/// 32 bits are taken as the greatest number there is.
pub fn read(fen: &str) -> Result<Reading, FenError> {
    let mut fields = fen
        .split(|c: char| c.is_whitespace() || c == '_')
        .filter(|field| !field.is_empty());
    let mut notes = Vec::new();
    let mut setup = Setup::empty();

    setup.board = read_board(fields.next().ok_or(FenError::Empty)?)?;
    setup.turn = match fields.next() {
        Some("w") | None => Color::White,
        Some("b") => Color::Black,
        Some(word) => return Err(FenError::SideToMove(word.to_owned())),
    };
    check_pieces(&setup.board)?;
    setup.castling_rights = read_castling(fields.next().unwrap_or("-"), &setup, &mut notes);
    setup.ep_square = read_ep_square(fields.next().unwrap_or("-"), &mut notes);
    read_counters(fields.collect(), &mut setup, &mut notes);

    let chess = build(setup, &mut notes)?;
    Ok(Reading {
        position: Position::from_chess(chess),
        notes,
    })
}

/// Writes a position. The en-passant square appears only where a capture is legal.
pub fn write(position: &Position, style: FenStyle) -> String {
    let setup = position.to_setup();
    let ep_square = setup
        .ep_square
        .map_or_else(|| "-".to_owned(), |square| square.to_string());
    format!(
        "{} {} {} {ep_square} {} {}",
        setup.board.board_fen(),
        setup.turn.char(),
        write_castling(&setup, style),
        setup.halfmoves,
        setup.fullmoves,
    )
}

fn write_castling(setup: &Setup, style: FenStyle) -> String {
    let mut letters = String::new();
    for color in Color::ALL {
        let king = setup.board.king_of(color);
        let rooks = setup.board.by_piece(color.rook()) & color.backrank();
        // From the h-file to the a-file: the king's side comes first.
        for rook in (setup.castling_rights & color.backrank()).into_iter().rev() {
            let king_side = king.is_some_and(|king| king < rook);
            let outermost = if king_side {
                rooks.last()
            } else {
                rooks.first()
            };
            let letter = match style {
                FenStyle::XFen if outermost == Some(rook) && king_side => 'k',
                FenStyle::XFen if outermost == Some(rook) => 'q',
                _ => rook.file().char(),
            };
            letters.push(color.fold_wb(letter.to_ascii_uppercase(), letter));
        }
    }
    if letters.is_empty() {
        letters.push('-');
    }
    letters
}

fn read_board(field: &str) -> Result<Board, FenError> {
    Board::from_ascii_board_fen(field.as_bytes()).map_err(|_| FenError::Board(board_fault(field)))
}

/// Says what is wrong with a board field that could not be read.
fn board_fault(field: &str) -> String {
    if field.contains(['[', ']']) {
        return "pieces in hand belong to another game".to_owned();
    }
    let ranks: Vec<&str> = field.split('/').collect();
    if ranks.len() != 8 {
        return format!("{} has {} ranks", quoted(field), ranks.len());
    }
    for (rank, number) in ranks.into_iter().zip((1..=8).rev()) {
        let mut width = 0;
        for c in rank.chars() {
            width += match c {
                '1'..='8' => c as usize - '0' as usize,
                // The mark of a promoted piece takes no square.
                '~' => 0,
                _ if Piece::from_char(c).is_some() => 1,
                _ => return format!("{} is no piece", quoted(&c.to_string())),
            };
        }
        if width != 8 {
            return format!("rank {number} has {width} squares");
        }
    }
    format!("{} is unreadable", quoted(field))
}

/// Refuses boards whose fault can be named better than the rules do.
fn check_pieces(board: &Board) -> Result<(), FenError> {
    for color in Color::ALL {
        let kings = board.by_piece(color.king()).count();
        if kings != 1 {
            return Err(FenError::Kings(color, kings));
        }
    }
    match (board.pawns() & Bitboard::BACKRANKS).first() {
        Some(square) => Err(FenError::PawnOnBackRank(square)),
        None => Ok(()),
    }
}

/// The rooks that a castling field names, in any of the dialects.
fn read_castling(field: &str, setup: &Setup, notes: &mut Vec<String>) -> Bitboard {
    let mut rights = Bitboard::EMPTY;
    if field == "-" {
        return rights;
    }
    for letter in field.chars() {
        let color = Color::from_white(letter.is_ascii_uppercase());
        let Some(king) = setup.board.king_of(color) else {
            continue;
        };
        let rooks = setup.board.by_piece(color.rook()) & color.backrank();
        let rook = match letter.to_ascii_lowercase() {
            'k' => rooks.last().filter(|&rook| rook > king),
            'q' => rooks.first().filter(|&rook| rook < king),
            file => File::from_char(file)
                .map(|file| Square::from_coords(file, color.backrank()))
                .filter(|&rook| rooks.contains(rook)),
        };
        match rook.filter(|_| king.rank() == color.backrank()) {
            Some(rook) => rights.add(rook),
            None => notes.push(format!(
                "castling right {} dropped: no such king and rook",
                quoted(&letter.to_string())
            )),
        }
    }
    keep_one_a_side(rights, setup, notes)
}

/// Keeps the outermost of several rooks on one side of their king.
fn keep_one_a_side(rights: Bitboard, setup: &Setup, notes: &mut Vec<String>) -> Bitboard {
    let castles = Setup {
        castling_rights: rights,
        ..setup.clone()
    };
    let kept = shakmaty::Castles::from_setup(&castles, CastlingMode::Chess960)
        .unwrap_or_else(std::convert::identity)
        .castling_rights();
    for rook in rights & !kept {
        notes.push(format!(
            "castling right of the rook on {rook} dropped: another rook on its side has one"
        ));
    }
    kept
}

fn read_ep_square(field: &str, notes: &mut Vec<String>) -> Option<Square> {
    if field == "-" {
        return None;
    }
    let square = Square::from_ascii(field.to_ascii_lowercase().as_bytes()).ok();
    if square.is_none() {
        notes.push(format!("en-passant square {} is no square", quoted(field)));
    }
    square
}

/// Reads the two counters and complains about what follows them.
fn read_counters(fields: Vec<&str>, setup: &mut Setup, notes: &mut Vec<String>) {
    let mut fields = fields.as_slice();
    // Letters after the fourth field are the operations of an EPD.
    let is_epd = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    if !fields.first().is_some_and(is_epd) {
        let mut counter = |what: &str, default: u32| {
            let Some((word, rest)) = fields.split_first() else {
                return default;
            };
            fields = rest;
            read_counter(word).unwrap_or_else(|| {
                notes.push(format!(
                    "{what} {} is no number: taken as {default}",
                    quoted(word)
                ));
                default
            })
        };
        setup.halfmoves = counter("halfmove clock", 0);
        // Some programs count moves from zero.
        setup.fullmoves = NonZeroU32::new(counter("move number", 1)).unwrap_or(NonZeroU32::MIN);
    }
    if !fields.is_empty() {
        notes.push(format!(
            "ignored after the FEN: {}",
            quoted(&fields.join(" "))
        ));
    }
}

fn read_counter(word: &str) -> Option<u32> {
    let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    // Digits alone fail to parse only when there are too many of them.
    digits.then(|| word.parse().unwrap_or(u32::MAX))
}

fn build(setup: Setup, notes: &mut Vec<String>) -> Result<Chess, FenError> {
    let ep_square = setup.ep_square;
    let without_ep = Setup {
        ep_square: None,
        ..setup.clone()
    };
    let error = match Chess::from_setup(setup, CastlingMode::Chess960) {
        Ok(chess) => return Ok(chess),
        Err(error) => error,
    };
    let kinds = error.kinds();
    if kinds.contains(PositionErrorKinds::TOO_MUCH_MATERIAL) {
        return Err(FenError::TooMuchMaterial);
    }
    if kinds.contains(PositionErrorKinds::OPPOSITE_CHECK) {
        return Err(FenError::OppositeCheck);
    }
    if let Some(square) = ep_square {
        // A check that a double push can't have left is as bogus as a missing pawn.
        notes.push(format!(
            "en-passant square {square} dropped: no pawn can have passed it just now"
        ));
        return build(without_ep, notes);
    }
    // Three checkers can't happen, but the rules and the search cope with them.
    error
        .ignore_impossible_check()
        .map_err(|_: PositionError<Chess>| FenError::Impossible)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::Position as _;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn x_fen(fen: &str) -> String {
        let reading = read(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        write(&reading.position, FenStyle::XFen)
    }

    fn notes(fen: &str) -> Vec<String> {
        read(fen)
            .unwrap_or_else(|error| panic!("{fen}: {error}"))
            .notes
    }

    #[test]
    fn missing_fields_have_defaults() {
        let full = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        for length in [
            "",
            " w",
            " w -",
            " w - -",
            " w - - 0",
            " w - - 0 1",
            " w - - 0 0",
        ] {
            let fen = format!("4k3/8/8/8/8/8/4P3/4K3{length}");
            assert_eq!(x_fen(&fen), full, "{fen}");
            assert_eq!(notes(&fen), [""; 0], "{fen}");
        }
    }

    #[test]
    fn any_white_space_separates() {
        for fen in [
            START.replace(' ', "   ") + "  ",
            START.replace(' ', "\t"),
            format!("{START}\r\n"),
            format!("\u{a0}{START}"),
            START.replace(' ', "_"),
        ] {
            assert_eq!(x_fen(&fen), START, "{fen:?}");
            assert_eq!(notes(&fen), [""; 0], "{fen:?}");
        }
    }

    #[test]
    fn rights_in_all_dialects() {
        let setup = "nqrnbkrb/pppppppp/8/8/8/8/PPPPPPPP/NQRNBKRB w";
        for rights in ["KQkq", "GCgc", "CGcg", "gcGC", "qkQK", "KCgq", "KQkqGC"] {
            let reading = read(&format!("{setup} {rights} - 0 1")).unwrap();
            assert_eq!(
                write(&reading.position, FenStyle::XFen),
                format!("{setup} KQkq - 0 1")
            );
            assert_eq!(
                write(&reading.position, FenStyle::Shredder),
                format!("{setup} GCgc - 0 1")
            );
            assert_eq!(reading.notes, [""; 0]);
        }
    }

    #[test]
    fn only_rooks_at_home_castle() {
        for rights in ["KQkq", "HAha"] {
            let fen = format!("r3k2r/pppp1ppp/8/8/8/6R1/PPPP1PP1/R3K2R w {rights} - 0 1");
            assert!(x_fen(&fen).contains(" KQkq "));
        }
        // Double Fischer random: each colour has its own files.
        let fen = "1r1k1r2/5p2/8/8/8/8/3N4/R5KR b KQkq - 0 1";
        let black = read(fen).unwrap().position;
        assert_eq!(
            write(&black, FenStyle::Shredder),
            fen.replace("KQkq", "HAfb")
        );
    }

    #[test]
    fn rights_without_king_and_rook_are_dropped() {
        for (fen, kept, dropped) in [
            (
                "3qk1nb/1p3p2/p1r1p1p1/3p4/3P4/2N1BP2/PPPQ1P2/R3K3 w Qk - 0 15",
                "Q",
                1,
            ),
            ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "-", 2),
            ("4k3/8/8/8/8/8/8/RR4K1 w K - 0 1", "-", 1),
            (
                "q1kn1br1/3p1p1p/1rpB2p1/1p6/p7/P4P2/BPPP2PP/QRKN3R w KQq - 1 13",
                "KQ",
                1,
            ),
            ("4k3/8/8/8/8/8/8/R3K3 w HA - 0 1", "Q", 1),
            ("4k3/8/8/8/8/8/8/rR2K3 w AQ - 0 1", "Q", 1),
            ("4k3/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "KQ", 2),
            ("4k3/8/8/8/8/8/8/R3K2R w Kx?Q - 0 1", "KQ", 2),
            ("4k3/8/8/8/8/8/8/R3K2R w é - 0 1", "-", 1),
            // The king itself is no rook.
            ("4k3/8/8/8/8/8/8/R3K2R w EQ - 0 1", "Q", 1),
        ] {
            let reading = read(fen).unwrap();
            assert_eq!(
                write_castling(&reading.position.to_setup(), FenStyle::XFen),
                kept,
                "{fen}"
            );
            assert_eq!(reading.notes.len(), dropped, "{fen}: {:?}", reading.notes);
        }
    }

    #[test]
    fn one_right_a_side_and_the_outermost_rook_has_it() {
        let reading = read("4k3/8/8/8/8/8/8/RRR1KRRR w ABCFGH - 0 1").unwrap();
        assert_eq!(
            write(&reading.position, FenStyle::Shredder),
            "4k3/8/8/8/8/8/8/RRR1KRRR w HA - 0 1"
        );
        assert_eq!(reading.notes.len(), 4, "{:?}", reading.notes);
    }

    #[test]
    fn an_en_passant_square_that_cannot_be_is_dropped() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
            "4k3/8/8/8/8/8/8/4K3 b - e3 0 1",
            "4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1",
            "4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1",
            "4k3/3r4/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "4k3/8/8/3pP3/8/8/8/4K3 w - d9 0 1",
            "4k3/8/8/3pP3/8/8/8/4K3 w - ü 0 1",
            "4k3/8/8/3pP3/8/8/8/4K3 w - dd66 0 1",
            // The bishop's check was there before the pawn could have moved.
            "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1",
        ] {
            let reading = read(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert_eq!(reading.position.chess().maybe_ep_square(), None, "{fen}");
            assert_eq!(reading.notes.len(), 1, "{fen}: {:?}", reading.notes);
        }
    }

    #[test]
    fn an_en_passant_square_is_written_where_a_capture_is_legal() {
        for (fen, square) in [
            (
                "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq E3 0 1",
                "-",
            ),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - D6 0 1", "d6"),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "d6"),
            ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", "-"),
        ] {
            assert_eq!(notes(fen), [""; 0], "{fen}");
            assert_eq!(x_fen(fen).split(' ').nth(3), Some(square), "{fen}");
        }
    }

    #[test]
    fn counters_of_all_kinds() {
        for (counters, expected, complaints) in [
            ("100 200", "100 200", 0),
            ("150 0", "150 1", 0),
            ("99999999999 99999999999", "4294967295 4294967295", 0),
            ("-1 -5", "0 1", 2),
            ("- -", "0 1", 2),
            ("7.5 x", "0 1", 2),
            ("+3 7", "0 7", 1),
            ("3 7 junk and more", "3 7", 1),
            ("bm Ra1; id \"first\";", "0 1", 1),
            ("0 1;", "0 1", 1),
        ] {
            let fen = format!("8/8/4k3/8/8/4K3/4R3/8 w - - {counters}");
            assert_eq!(
                x_fen(&fen),
                format!("8/8/4k3/8/8/4K3/4R3/8 w - - {expected}")
            );
            assert_eq!(notes(&fen).len(), complaints, "{:?}", notes(&fen));
        }
    }

    #[test]
    fn the_greatest_counters_stay_where_they_are() {
        let fen = "8/8/4k3/8/8/4K3/4R3/8 b - - 4294967295 4294967295";
        let position = read(fen).unwrap().position;
        let m = position.legal_moves()[0];
        let after = position.play(m);
        assert_eq!(after.halfmoves(), u32::MAX);
        assert!(after.is_fifty_move_draw());
        assert!(after.play_null().is_some());
        assert!(after.game_ply() > 0);
        let _ = after.table_key();
    }

    #[test]
    fn what_no_game_can_reach_is_refused() {
        for (fen, reason) in [
            ("", "empty"),
            (" \t_ ", "empty"),
            ("1", "1 ranks"),
            ("rnbqkbnr/pppppppp w KQkq - 0 1", "2 ranks"),
            (
                "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
                "rank 7 has 9 squares",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/7/PPPPPPPP/RNBQKBNR w - - 0 1",
                "rank 3 has 7 squares",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/9/PPPPPPPP/RNBQKBNR w - - 0 1",
                "'9' is no piece",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX w - - 0 1",
                "'X' is no piece",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN\u{1b} w - - 0 1",
                "is no piece",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/8 w - - 0 1",
                "9 ranks",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w - - 0 1",
                "9 ranks",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w - - 0 1",
                "in hand",
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qp] w - - 0 1",
                "in hand",
            ),
            (
                "~rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
                "unreadable",
            ),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move: 'x'"),
            ("4k3/8/8/8/8/8/8/4K3 - - 0 1", "side to move: '-'"),
            ("4k3/8/8/8/8/8/8/8 w - - 0 1", "white has 0 kings"),
            ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "white has 2 kings"),
            ("3kk3/8/8/8/8/8/8/4K3 w - - 0 1", "black has 2 kings"),
            ("8/8/8/8/8/8/8/8 w - - 0 1", "white has 0 kings"),
            ("4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1", "not to move is in check"),
            ("4k3/4K3/8/8/8/8/8/8 w - - 0 1", "not to move is in check"),
            ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawn on a8"),
            ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "pawn on a1"),
            ("4k3/8/8/8/P7/P7/PPPPPPP1/4K3 w - - 0 1", "promotions"),
            (
                "QQQQQQBk/Q6B/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
                "promotions",
            ),
            (
                "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
                "promotions",
            ),
        ] {
            let error = read(fen)
                .map(|reading| reading.position)
                .expect_err(fen)
                .to_string();
            assert!(error.contains(reason), "{fen:?}: {error}");
            assert!(error.is_ascii() && !error.contains('\u{1b}'), "{error:?}");
        }
    }

    #[test]
    fn checks_that_cannot_happen_are_played_on() {
        for (fen, evasions) in [
            // Rook, bishop and knight at once.
            ("4r2k/8/8/8/7b/3n4/8/4K3 w - - 0 1", 3),
            // From both ends of a rank, by two knights, by two pawns.
            ("7k/8/8/8/r2K3r/8/8/8 w - - 0 1", 6),
            ("7k/8/8/8/8/3n1n2/8/4K3 w - - 0 1", 3),
            ("7k/8/8/3p1p2/4K3/8/8/8 w - - 0 1", 8),
        ] {
            let reading = read(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
            assert_eq!(reading.position.legal_moves().len(), evasions, "{fen}");
            for m in reading.position.legal_moves() {
                let _ = reading.position.play(m).legal_moves();
            }
        }
    }

    #[test]
    fn the_most_moves_there_are() {
        for fen in [
            "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
            "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
        ] {
            assert_eq!(read(fen).unwrap().position.legal_moves().len(), 218);
        }
    }

    #[test]
    fn marks_of_promoted_pieces_are_passed_over() {
        assert_eq!(
            x_fen("4k3/8/8/8/8/8/8/Q~3K3 w - - 0 1"),
            "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"
        );
    }
}
