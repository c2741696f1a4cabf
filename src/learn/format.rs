//! Games as they are stored: the published layout of viriformat, little-endian throughout.
//!
//! A game is a packed start position of 32 bytes, then four bytes a move (16 bits of move, 16 of
//! score from White's side), then four zero bytes. The start position is the board of marlinformat:
//! occupancy, a nibble a piece in the order of the squares, side to move and en-passant square, the
//! two counters, a score, the result and a spare byte. A rook that may still castle is a piece kind
//! of its own, and castling is king takes rook, so Chess960 loses nothing.
//!
//! Source: the specification of the crate `viriformat` (github.com/cosmobobak/viriformat, version
//! 3). The crate itself brings a board of its own; this house has one already, so the two hundred
//! lines are written here over `shakmaty`, and refuse what the rules refuse.

use std::{
    fmt,
    io::{self, Read},
    num::NonZeroU32,
};

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, FromSetup as _, Move, Piece, Role, Setup, Square,
};

use crate::position::Position;

/// Bytes of a packed start position.
pub const POSITION_BYTES: usize = 32;
/// Bytes of a move and its score, and of what ends a game.
pub const MOVE_BYTES: usize = 4;
/// The longest game that is read, in plies; the rules allow some 17,700.
pub const MAX_PLIES: usize = 20_000;

/// The piece kind of a rook that may castle.
const CASTLING_ROOK: u8 = 6;
/// The bit of a nibble that makes a piece Black's, and of the side-to-move byte.
const BLACK_PIECE: u8 = 8;
const BLACK_TO_MOVE: u8 = 128;
/// The en-passant square when there is none.
const NO_SQUARE: u8 = 64;
/// The greatest number of men that 32 nibbles hold.
const MOST_MEN: usize = 32;

const PROMOTION_SHIFT: u32 = 12;
const KIND_SHIFT: u32 = 14;
const EN_PASSANT: u16 = 1;
const CASTLING: u16 = 2;
const PROMOTION: u16 = 3;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameResult {
    /// Black won.
    Black = 0,
    /// Nobody won.
    Draw = 1,
    /// White won.
    White = 2,
}

impl GameResult {
    /// All three, in the order of their numbers.
    pub const ALL: [GameResult; 3] = [GameResult::Black, GameResult::Draw, GameResult::White];

    /// The result when `winner` won, or nobody.
    pub fn of(winner: Option<Color>) -> GameResult {
        match winner {
            Some(Color::White) => GameResult::White,
            Some(Color::Black) => GameResult::Black,
            None => GameResult::Draw,
        }
    }

    /// Half points for `color`: 0 lost, 1 drawn, 2 won.
    pub fn half_points(self, color: Color) -> u8 {
        color.fold_wb(self as u8, 2 - self as u8)
    }
}

/// What a game began from, as the spare byte of a stored game tells; other programs leave it zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StartKind {
    /// Not told.
    Unknown = 0,
    /// The ordinary start position.
    Ordinary = 1,
    /// Chess960: both sides have the same setup.
    Chess960 = 2,
    /// Double Fischer random: each side has its own setup.
    Double = 3,
}

impl StartKind {
    /// All, in the order of their numbers.
    pub const ALL: [StartKind; 4] = [
        StartKind::Unknown,
        StartKind::Ordinary,
        StartKind::Chess960,
        StartKind::Double,
    ];

    fn of(spare: u8) -> StartKind {
        StartKind::ALL[usize::from(spare & 3)]
    }
}

/// The bit of the spare byte for a game that was not adjudicated.
const PLAYED_OUT: u8 = 4;
/// The bit of the spare byte for an aside.
const ASIDE: u8 = 8;

/// The bytes that a game of so many plies takes.
pub const fn stored_bytes(plies: usize) -> usize {
    POSITION_BYTES + MOVE_BYTES * (plies + 1)
}

/// A stored game, or an aside to the last game stored before it.
#[derive(Clone, Debug)]
pub struct Game {
    /// The position after the random moves of the opening.
    pub start: Position,
    /// The score of `start` from White's side, in the search's units.
    pub start_score: i16,
    /// How it ended.
    pub result: GameResult,
    /// What it began from.
    pub kind: StartKind,
    /// Whether it was played to its end by the rules, whatever the scores said.
    pub played_out: bool,
    /// Whether it is an aside: a position beside a game with the best move and its score (in older
    /// files, up to four moves). It was not played on, and its result says nothing.
    pub aside: bool,
    /// The moves, each with the score of the position before it from White's side, in the search's
    /// units.
    pub moves: Vec<(Move, i16)>,
}

impl Game {
    /// The bytes it takes.
    pub fn stored_bytes(&self) -> usize {
        stored_bytes(self.moves.len())
    }

    /// Appends the game to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let spare = self.kind as u8 | flag(self.played_out, PLAYED_OUT) | flag(self.aside, ASIDE);
        out.extend(pack_position(
            &self.start,
            self.start_score,
            self.result,
            spare,
        ));
        for &(m, score) in &self.moves {
            out.extend(pack_move(m).to_le_bytes());
            out.extend(score.to_le_bytes());
        }
        out.extend([0; MOVE_BYTES]);
    }

    /// The positions of the game in which a move was made, with that move and its score from
    /// White's side.
    pub fn positions(&self) -> impl Iterator<Item = (Position, Move, i16)> + '_ {
        let mut position = self.start.clone();
        self.moves.iter().map(move |&(m, score)| {
            let after = position.play(m);
            (std::mem::replace(&mut position, after), m, score)
        })
    }

    /// The position after the last move.
    pub fn end(&self) -> Position {
        self.moves
            .iter()
            .fold(self.start.clone(), |position, &(m, _)| position.play(m))
    }
}

/// What is wrong with stored games.
#[derive(Debug)]
pub struct FormatError {
    /// The number of the game, from 1.
    pub game: u64,
    /// The offset in bytes at which that game begins.
    pub offset: u64,
    /// What is wrong.
    pub fault: Fault,
}

/// What can be wrong with a stored game.
#[derive(Debug)]
pub enum Fault {
    /// The bytes could not be had (a damaged compressed file, for one).
    Unreadable(io::Error),
    /// The file ends within the game.
    Truncated,
    /// There are more men than can be packed.
    TooManyMen(u32),
    /// A nibble is no piece.
    NoPiece(u8),
    /// The en-passant byte is no square.
    NoSquare(u8),
    /// The result byte is none of the three.
    NoResult(u8),
    /// The rules refuse the start position.
    ImpossiblePosition(String),
    /// The move at this ply (from 0) is illegal.
    IllegalMove {
        /// The ply.
        ply: usize,
        /// The move's 16 bits.
        bits: u16,
    },
    /// The game is longer than [`MAX_PLIES`].
    TooLong,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "game {} at byte {}: {}",
            self.game, self.offset, self.fault
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unreadable(error) => write!(f, "the file can't be read on ({error})"),
            Fault::Truncated => write!(f, "the file ends within the game"),
            Fault::TooManyMen(men) => write!(f, "{men} men on the board"),
            Fault::NoPiece(code) => write!(f, "{code} is no piece"),
            Fault::NoSquare(code) => write!(f, "{code} is no en-passant square"),
            Fault::NoResult(code) => write!(f, "{code} is no result"),
            Fault::ImpossiblePosition(why) => write!(f, "impossible start position ({why})"),
            Fault::IllegalMove { ply, bits } => {
                write!(f, "illegal move {bits:#06x} at ply {ply}")
            }
            Fault::TooLong => write!(f, "longer than {MAX_PLIES} plies"),
        }
    }
}

impl std::error::Error for FormatError {}

/// Reads stored games one after another. After an error there is nothing more, for where the next
/// game begins is unknown.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    game: u64,
    offset: u64,
    failed: bool,
}

impl<R: Read> Reader<R> {
    /// Reads from `source`, which should be buffered.
    pub fn new(source: R) -> Reader<R> {
        Reader {
            source,
            game: 0,
            offset: 0,
            failed: false,
        }
    }

    fn read<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.source
            .read_exact(&mut bytes)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => Fault::Truncated,
                _ => Fault::Unreadable(error),
            })?;
        self.offset += N as u64;
        Ok(bytes)
    }

    /// The first byte of the next record, or `None` at the end.
    fn first_byte(&mut self) -> Result<Option<u8>, Fault> {
        let mut byte = [0];
        loop {
            match self.source.read(&mut byte) {
                Ok(0) => return Ok(None),
                Ok(_) => {
                    self.offset += 1;
                    return Ok(Some(byte[0]));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // zstd says so of a frame cut short.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Err(Fault::Truncated);
                }
                Err(error) => return Err(Fault::Unreadable(error)),
            }
        }
    }

    fn next_game(&mut self) -> Result<Option<Game>, Fault> {
        loop {
            let Some(first) = self.first_byte()? else {
                return Ok(None);
            };
            let rest: [u8; 7] = self.read()?;
            let mut occupied = [0; 8];
            occupied[0] = first;
            occupied[1..].copy_from_slice(&rest);
            if occupied == [0; 8] {
                self.skip_extension()?;
                continue;
            }
            let rest: [u8; POSITION_BYTES - 8] = self.read()?;
            let mut packed = [0; POSITION_BYTES];
            packed[..8].copy_from_slice(&occupied);
            packed[8..].copy_from_slice(&rest);
            return self.read_game(&packed).map(Some);
        }
    }

    /// An empty board announces a record that is no game: a kind, a length, so many bytes, and four
    /// zeros.
    fn skip_extension(&mut self) -> Result<(), Fault> {
        let [_, _, low, high] = self.read()?;
        for _ in 0..u16::from_le_bytes([low, high]) {
            self.read::<1>()?;
        }
        self.read::<MOVE_BYTES>().map(|_| ())
    }

    fn read_game(&mut self, packed: &[u8; POSITION_BYTES]) -> Result<Game, Fault> {
        let start = unpack_position(packed)?;
        let result = *GameResult::ALL
            .get(usize::from(packed[30]))
            .ok_or(Fault::NoResult(packed[30]))?;
        let mut moves = Vec::new();
        let mut position = start.clone();
        loop {
            let [low, high, score_low, score_high] = self.read()?;
            let bits = u16::from_le_bytes([low, high]);
            let score = i16::from_le_bytes([score_low, score_high]);
            if bits == 0 && score == 0 {
                break;
            }
            let ply = moves.len();
            if ply >= MAX_PLIES {
                return Err(Fault::TooLong);
            }
            let m = unpack_move(bits, &position).ok_or(Fault::IllegalMove { ply, bits })?;
            moves.push((m, score));
            position = position.play(m);
        }
        Ok(Game {
            start,
            start_score: i16::from_le_bytes([packed[28], packed[29]]),
            result,
            kind: StartKind::of(packed[31]),
            played_out: packed[31] & PLAYED_OUT != 0,
            aside: packed[31] & ASIDE != 0,
            moves,
        })
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Game, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let offset = self.offset;
        self.game += 1;
        let next = self.next_game().transpose()?;
        self.failed = next.is_err();
        Some(next.map_err(|fault| FormatError {
            game: self.game,
            offset,
            fault,
        }))
    }
}

fn pack_position(
    position: &Position,
    score: i16,
    result: GameResult,
    spare: u8,
) -> [u8; POSITION_BYTES] {
    let setup = position.to_setup();
    let mut packed = [0; POSITION_BYTES];
    packed[..8].copy_from_slice(&setup.board.occupied().0.to_le_bytes());
    for (index, (square, piece)) in setup.board.iter().enumerate() {
        let kind = if setup.castling_rights.contains(square) {
            CASTLING_ROOK
        } else {
            piece.role as u8 - Role::Pawn as u8
        };
        let code = kind | piece.color.fold_wb(0, BLACK_PIECE);
        packed[8 + index / 2] |= code << (index % 2 * 4);
    }
    packed[24] = setup.turn.fold_wb(0, BLACK_TO_MOVE)
        | setup
            .ep_square
            .map_or(NO_SQUARE, |square| square.to_u32() as u8);
    packed[25] = setup.halfmoves.min(u32::from(u8::MAX)) as u8;
    let fullmoves = setup.fullmoves.get().min(u32::from(u16::MAX)) as u16;
    packed[26..28].copy_from_slice(&fullmoves.to_le_bytes());
    packed[28..30].copy_from_slice(&score.to_le_bytes());
    packed[30] = result as u8;
    packed[31] = spare;
    packed
}

fn unpack_position(packed: &[u8; POSITION_BYTES]) -> Result<Position, Fault> {
    let mut occupied = [0; 8];
    occupied.copy_from_slice(&packed[..8]);
    let occupied = Bitboard(u64::from_le_bytes(occupied));
    if occupied.count() > MOST_MEN {
        return Err(Fault::TooManyMen(occupied.count() as u32));
    }
    let mut board = Board::empty();
    let mut rights = Bitboard::EMPTY;
    for (index, square) in occupied.into_iter().enumerate() {
        let code = packed[8 + index / 2] >> (index % 2 * 4) & 15;
        let role = match code & 7 {
            CASTLING_ROOK => {
                rights.add(square);
                Role::Rook
            }
            kind if usize::from(kind) < Role::ALL.len() => Role::ALL[usize::from(kind)],
            _ => return Err(Fault::NoPiece(code)),
        };
        let color = Color::from_black(code & BLACK_PIECE != 0);
        board.set_piece_at(square, Piece { color, role });
    }
    let ep_square = match packed[24] & !BLACK_TO_MOVE {
        NO_SQUARE => None,
        index if index < NO_SQUARE => Some(Square::new(u32::from(index))),
        index => return Err(Fault::NoSquare(index)),
    };
    let setup = Setup {
        board,
        turn: Color::from_black(packed[24] & BLACK_TO_MOVE != 0),
        castling_rights: rights,
        ep_square,
        halfmoves: u32::from(packed[25]),
        fullmoves: NonZeroU32::new(u32::from(u16::from_le_bytes([packed[26], packed[27]])))
            .unwrap_or(NonZeroU32::MIN),
        ..Setup::empty()
    };
    Chess::from_setup(setup, CastlingMode::Chess960)
        .map(Position::from_chess)
        .map_err(|error| Fault::ImpossiblePosition(error.to_string()))
}

fn pack_move(m: Move) -> u16 {
    let kind = match m {
        Move::EnPassant { .. } => EN_PASSANT << KIND_SHIFT,
        Move::Castle { .. } => CASTLING << KIND_SHIFT,
        Move::Normal {
            promotion: Some(role),
            ..
        } => PROMOTION << KIND_SHIFT | (role as u16 - Role::Knight as u16) << PROMOTION_SHIFT,
        Move::Normal {
            promotion: None, ..
        }
        | Move::Put { .. } => 0,
    };
    let from = m.from().map_or(0, |square| square.to_u32() as u16);
    from | (m.to().to_u32() as u16) << 6 | kind
}

fn unpack_move(bits: u16, position: &Position) -> Option<Move> {
    let from = Square::new(u32::from(bits & 63));
    let to = Square::new(u32::from(bits >> 6 & 63));
    let board = position.board();
    if board.color_at(from) != Some(position.turn()) {
        return None;
    }
    let role = board.role_at(from)?;
    let normal = |promotion| Move::Normal {
        role,
        from,
        capture: board.role_at(to),
        to,
        promotion,
    };
    let m = match bits >> KIND_SHIFT {
        EN_PASSANT => Move::EnPassant { from, to },
        CASTLING if role == Role::King => Move::Castle {
            king: from,
            rook: to,
        },
        CASTLING => return None,
        PROMOTION => normal(Some(
            Role::ALL[usize::from(bits >> PROMOTION_SHIFT & 3) + 1],
        )),
        _ => normal(None),
    };
    position.is_legal(m).then_some(m)
}

#[cfg(test)]
mod tests;
