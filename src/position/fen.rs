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

use super::{
    Position,
    notation::{looks_like_move, quoted},
};

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
    /// There is a word in it or behind it that seems to be a move: the position meant is another.
    StrayMove(String),
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
            FenError::StrayMove(word) => {
                write!(f, "{} in the FEN: moves come after 'moves'", quoted(word))
            }
        }
    }
}

impl Error for FenError {}

/// Reads a FEN.
///
/// Fields are separated by any white space, or by underscores as in web addresses; missing ones at
/// the end are White to move, no castling rights, no en-passant square, 0 and 1. Counters beyond
/// 32 bits are taken as the greatest number there is.
///
/// # Errors
/// When it is no board, no game can reach the position, or there seem to be moves in it.
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
    let fields: Vec<&str> = fields.collect();
    if let Some(word) = stray_move(&fields) {
        return Err(FenError::StrayMove(word.to_owned()));
    }
    let field = |index: usize| fields.get(index).copied().unwrap_or("-");
    setup.castling_rights = read_castling(field(0), &setup, &mut notes);
    setup.ep_square = read_ep_square(field(1), &mut notes);
    read_counters(fields.get(2..).unwrap_or_default(), &mut setup, &mut notes);

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
    let (mut rights, mut dropped) = (Bitboard::EMPTY, String::new());
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
            None => dropped.push(letter),
        }
    }
    if !dropped.is_empty() {
        notes.push(format!(
            "castling rights {} dropped: no such king and rook",
            quoted(&dropped)
        ));
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

/// The first of the fields behind the side to move that seems to be a move, or the word before moves.
fn stray_move<'a>(fields: &[&'a str]) -> Option<&'a str> {
    let is_move = |word: &&str| {
        let word = word.trim_end_matches(';').to_ascii_lowercase();
        looks_like_move(&word) || word == "move" || word == "moves"
    };
    let at = fields.iter().position(is_move)?;
    // An EPD may name moves too, the best ones for instance, behind what they are.
    let ends_as_epd = fields.last().is_some_and(|word| word.ends_with(';'));
    let is_named = fields
        .get(2..at)
        .is_some_and(|before| before.iter().any(is_epd));
    (!(ends_as_epd && is_named)).then_some(fields[at])
}

/// Whether a word begins the operations of an EPD, which stand where a FEN has its counters.
fn is_epd(word: &&str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Reads the two counters and complains about what follows them.
fn read_counters(mut fields: &[&str], setup: &mut Setup, notes: &mut Vec<String>) {
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
