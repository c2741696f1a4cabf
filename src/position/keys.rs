//! Zobrist keys: the random numbers, and a position's keys from scratch.
//!
//! The incremental update lives in [`super::Position::play`]; debug builds compare it with
//! [`Keys::from_scratch`] after every move.

use shakmaty::{Bitboard, Board, Chess, Color, Piece, Position as _, Role, Square};

/// The hash keys of one position.
///
/// `whole` identifies the position for the transposition table and for repetition: pieces, side to
/// move, castling rights and an en-passant square on which a capture is legal. The others identify
/// parts of it, for statistics that are shared between positions alike in that part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Keys {
    /// Everything that the rules of repetition look at.
    pub whole: u64,
    /// Pawns of both colours.
    pub pawns: u64,
    /// Knights, bishops and kings of both colours.
    pub minors: u64,
    /// Rooks, queens and kings of both colours.
    pub majors: u64,
    /// All pieces but pawns, for each colour (White first).
    pub non_pawns: [u64; 2],
}

/// The next number of a small generator, the same on every machine.
pub(crate) const fn splitmix64(state: &mut u64) -> u64 {
    // Sebastiano Vigna, https://prng.di.unimi.it/splitmix64.c (public domain)
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

struct Numbers {
    piece: [[[u64; 64]; 6]; 2],
    castling_rook: [u64; 64],
    en_passant: [u64; 8],
    black_to_move: u64,
    clock: [u64; 16],
}

static NUMBERS: Numbers = {
    let mut state = 0x5a75_796c_656e_3936;
    let mut numbers = Numbers {
        piece: [[[0; 64]; 6]; 2],
        castling_rook: [0; 64],
        en_passant: [0; 8],
        black_to_move: splitmix64(&mut state),
        clock: [0; 16],
    };
    let mut i = 0;
    while i < 2 * 6 * 64 {
        numbers.piece[i / 384][i / 64 % 6][i % 64] = splitmix64(&mut state);
        i += 1;
    }
    i = 0;
    while i < 64 {
        numbers.castling_rook[i] = splitmix64(&mut state);
        i += 1;
    }
    i = 0;
    while i < 8 {
        numbers.en_passant[i] = splitmix64(&mut state);
        i += 1;
    }
    // The first bucket stays zero: a young clock leaves the key as it is.
    i = 1;
    while i < 16 {
        numbers.clock[i] = splitmix64(&mut state);
        i += 1;
    }
    numbers
};

/// The number of `piece` standing on `square`.
#[inline]
pub fn piece(piece: Piece, square: Square) -> u64 {
    NUMBERS.piece[piece.color.is_black() as usize][piece.role as usize - 1][square.to_usize()]
}

/// The numbers of a set of castling rights, given as the squares of their rooks.
#[inline]
pub fn castling(rights: Bitboard) -> u64 {
    rights
        .into_iter()
        .fold(0, |key, rook| key ^ NUMBERS.castling_rook[rook.to_usize()])
}

/// The number of an en-passant square on which a capture is legal.
#[inline]
pub fn en_passant(square: Option<Square>) -> u64 {
    square.map_or(0, |s| NUMBERS.en_passant[s.file().to_usize()])
}

/// The number of Black to move.
#[inline]
pub fn black_to_move() -> u64 {
    NUMBERS.black_to_move
}

/// The number of a halfmove clock: zero below 16 plies, then one for every eight plies, so that
/// the transposition table keeps lines near the fifty-move limit apart from young ones.
#[inline]
pub fn clock(halfmoves: u32) -> u64 {
    NUMBERS.clock[(halfmoves.saturating_sub(8) / 8).min(15) as usize]
}

impl Keys {
    /// The keys of a board alone: without side to move, castling rights and en passant.
    fn of_board(board: &Board) -> Keys {
        let mut keys = Keys::default();
        for (square, p) in board.iter() {
            keys.toggle(p, square);
        }
        keys
    }

    /// The keys of a position, computed from nothing. `ep` is the square of a legal en-passant
    /// capture.
    pub fn from_scratch(chess: &Chess, ep: Option<Square>) -> Keys {
        let mut keys = Keys::of_board(chess.board());
        keys.whole ^= castling(chess.castles().castling_rights()) ^ en_passant(ep);
        if chess.turn() == Color::Black {
            keys.whole ^= black_to_move();
        }
        keys
    }

    /// Adds a piece that is missing, or removes one that is there.
    #[inline]
    pub fn toggle(&mut self, p: Piece, square: Square) {
        let number = piece(p, square);
        self.whole ^= number;
        match p.role {
            Role::Pawn => {
                self.pawns ^= number;
                return;
            }
            Role::Knight | Role::Bishop => self.minors ^= number,
            Role::Rook | Role::Queen => self.majors ^= number,
            Role::King => {
                self.minors ^= number;
                self.majors ^= number;
            }
        }
        self.non_pawns[p.color.is_black() as usize] ^= number;
    }
}
