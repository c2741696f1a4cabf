//! A position as the search sees it: `shakmaty`'s rules, with hash keys beside them.
//!
//! There is no second board. [`Position`] wraps a [`shakmaty::Chess`] (always in Chess960 mode, so
//! that castling is king takes rook everywhere inside the program) and adds what a search needs:
//! incremental keys, checkers, static exchange evaluation ([`see`]), 16-bit moves ([`packed`]) and
//! repetition ([`repetition`]).

pub mod fen;
pub mod keys;
pub mod notation;
pub mod packed;
pub mod repetition;
pub mod see;
mod tactical;
pub mod threats;

use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, FromSetup as _, Move,
    MoveList, Position as _, Role, Setup, Square, attacks,
};

use crate::chess960;
pub use keys::Keys;
pub use packed::PackedMove;

/// What a man counts in [`Position::material`], in pawns, by its role from the pawn on.
pub const WORTH: [u32; 6] = [1, 3, 3, 5, 9, 0];

/// A legal chess position with its keys. Copying it costs about 200 bytes; every move makes a copy.
#[derive(Clone, Debug)]
pub struct Position {
    chess: Chess,
    keys: Keys,
    checkers: Bitboard,
    /// The square of a legal en-passant capture.
    ep: Option<Square>,
    /// Plies since the last move that can't be taken back, a null move among them.
    reversible_plies: u16,
}

impl Position {
    /// The ordinary start position, number 518.
    pub fn startpos() -> Position {
        Position::from_chess(
            Chess::from_setup(Setup::initial(), CastlingMode::Chess960)
                .expect("the start position is legal"),
        )
    }

    /// The start position in which White has Scharnagl's number `white` and Black `black`, or
    /// `None` if a number is 960 or more.
    pub fn start_array(white: u16, black: u16) -> Option<Position> {
        let setup = chess960::setup(white, black)?;
        Chess::from_setup(setup, CastlingMode::Chess960)
            .ok()
            .map(Position::from_chess)
    }

    /// Wraps a position, which must be in [`CastlingMode::Chess960`].
    pub fn from_chess(chess: Chess) -> Position {
        debug_assert!(chess.castles().mode().is_chess960());
        let ep = chess.legal_ep_square();
        Position {
            keys: Keys::from_scratch(&chess, ep),
            checkers: chess.checkers(),
            ep,
            reversible_plies: chess.halfmoves().min(u32::from(u16::MAX)) as u16,
            chess,
        }
    }

    /// The rules' view of it.
    #[inline]
    pub fn chess(&self) -> &Chess {
        &self.chess
    }

    /// The pieces.
    #[inline]
    pub fn board(&self) -> &Board {
        self.chess.board()
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.chess.board().occupied()
    }

    /// The pieces of one role and colour.
    #[inline]
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.board().by_color(color) & self.board().by_role(role)
    }

    /// The square of a colour's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.board().king_of(color).expect("both sides have a king")
    }

    /// The hash keys.
    #[inline]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The key for the transposition table: the whole position and how near the fifty-move limit
    /// is.
    #[inline]
    pub fn table_key(&self) -> u64 {
        self.keys.whole ^ keys::clock(self.chess.halfmoves())
    }

    /// Pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The halfmove clock: plies since the last capture or pawn move.
    #[inline]
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    /// Plies back to the last move that can't be part of a repetition (a capture, a pawn move, a
    /// null move of the search).
    #[inline]
    pub fn reversible_plies(&self) -> usize {
        usize::from(self.reversible_plies)
    }

    /// Plies played in the game, counted from the move number: 0 at the start.
    pub fn game_ply(&self) -> u32 {
        (self.chess.fullmoves().get() - 1)
            .saturating_mul(2)
            .saturating_add(u32::from(self.turn().is_black()))
    }

    /// All legal moves.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        self.chess.legal_moves()
    }

    /// Whether a move is legal.
    #[inline]
    pub fn is_legal(&self, m: Move) -> bool {
        self.chess.is_legal(m)
    }

    /// The material of both sides in pawns, by [`WORTH`].
    pub fn material(&self) -> u32 {
        let men = |role| self.board().by_role(role).count() as u32;
        Role::ALL
            .into_iter()
            .zip(WORTH)
            .map(|(role, worth)| worth * men(role))
            .sum()
    }

    /// Whether the side to move has any piece but pawns and the king.
    #[inline]
    pub fn has_pieces(&self, color: Color) -> bool {
        let board = self.board();
        (board.by_color(color) & !(board.pawns() | board.kings())).any()
    }

    /// Whether neither side can mate by any sequence of moves, from the material alone.
    #[inline]
    pub fn is_insufficient_material(&self) -> bool {
        self.occupied().count() <= 4 && self.chess.is_insufficient_material()
    }

    /// Whether the fifty-move rule ends the game here: a hundred plies, unless the last of them
    /// gave checkmate.
    pub fn is_fifty_move_draw(&self) -> bool {
        self.halfmoves() >= 100 && (!self.in_check() || !self.legal_moves().is_empty())
    }

    /// The position after a legal move.
    #[inline]
    pub fn play(&self, m: Move) -> Position {
        debug_assert!(self.is_legal(m), "{m:?} is illegal in {self:?}");
        let us = self.turn();
        let mut keys = self.keys;
        match m {
            Move::Normal {
                role,
                from,
                capture,
                to,
                promotion,
            } => {
                keys.toggle(role.of(us), from);
                if let Some(captured) = capture {
                    keys.toggle(captured.of(!us), to);
                }
                keys.toggle(promotion.unwrap_or(role).of(us), to);
            }
            Move::EnPassant { from, to } => {
                keys.toggle(Role::Pawn.of(us), from);
                keys.toggle(Role::Pawn.of(us), to);
                keys.toggle(
                    Role::Pawn.of(!us),
                    Square::from_coords(to.file(), from.rank()),
                );
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                keys.toggle(Role::King.of(us), king);
                keys.toggle(Role::Rook.of(us), rook);
                keys.toggle(Role::King.of(us), side.king_to(us));
                keys.toggle(Role::Rook.of(us), side.rook_to(us));
            }
            Move::Put { .. } => unreachable!("no drops in chess"),
        }

        let mut chess = self.chess.clone();
        chess.play_unchecked(m);
        let lost_rights =
            self.chess.castles().castling_rights() ^ chess.castles().castling_rights();
        // Looking for a legal capture is dear; almost no move makes one possible.
        let ep = chess
            .maybe_ep_square()
            .and_then(|_| chess.legal_ep_square());
        keys.whole ^= keys::black_to_move()
            ^ keys::castling(lost_rights)
            ^ keys::en_passant(self.ep)
            ^ keys::en_passant(ep);
        debug_assert_eq!(keys, Keys::from_scratch(&chess, ep));

        Position {
            keys,
            checkers: chess.checkers(),
            ep,
            reversible_plies: if m.is_zeroing() {
                0
            } else {
                self.reversible_plies.saturating_add(1)
            },
            chess,
        }
    }

    /// The position after passing the move, or `None` in check. The halfmove clock stands still.
    pub fn play_null(&self) -> Option<Position> {
        if self.in_check() {
            return None;
        }
        let chess = self.chess.clone().swap_turn().ok()?;
        let mut keys = self.keys;
        keys.whole ^= keys::black_to_move() ^ keys::en_passant(self.ep);
        debug_assert_eq!(keys, Keys::from_scratch(&chess, None));
        Some(Position {
            chess,
            keys,
            checkers: Bitboard::EMPTY,
            ep: None,
            reversible_plies: 0,
        })
    }

    /// The table key after a move, near enough to prefetch by: castling, lost rights and en passant
    /// are left out.
    #[inline]
    pub fn table_key_after(&self, m: Move) -> u64 {
        let us = self.turn();
        let halfmoves = if m.is_zeroing() {
            0
        } else {
            self.halfmoves().saturating_add(1)
        };
        let mut key = self.keys.whole
            ^ keys::black_to_move()
            ^ keys::en_passant(self.ep)
            ^ keys::clock(halfmoves);
        if let Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } = m
        {
            key ^=
                keys::piece(role.of(us), from) ^ keys::piece(promotion.unwrap_or(role).of(us), to);
            if let Some(captured) = capture {
                key ^= keys::piece(captured.of(!us), to);
            }
        }
        key
    }

    /// The setup, with an en-passant square only where a capture is legal.
    pub fn to_setup(&self) -> Setup {
        self.chess.to_setup(EnPassantMode::Legal)
    }

    /// What a move must touch to give check; compute it once for all moves of a position.
    pub fn check_squares(&self) -> CheckSquares<'_> {
        let board = self.board();
        let (us, occupied) = (self.turn(), self.occupied());
        let king = self.king(!us);
        let (diagonal, straight) = (
            attacks::bishop_attacks(king, occupied),
            attacks::rook_attacks(king, occupied),
        );
        CheckSquares {
            position: self,
            by_role: [
                attacks::pawn_attacks(!us, king),
                attacks::knight_attacks(king),
                diagonal,
                straight,
                diagonal | straight,
                Bitboard::EMPTY,
            ],
            screens: see::screens(board, king, us) & board.by_color(us),
            king,
        }
    }
}

/// The squares from which the side to move would give check, and its pieces that screen its own
/// sliders from the enemy king.
#[derive(Clone, Debug)]
pub struct CheckSquares<'a> {
    position: &'a Position,
    by_role: [Bitboard; 6],
    screens: Bitboard,
    king: Square,
}

impl CheckSquares<'_> {
    /// Whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, m: Move) -> bool {
        match m {
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } => {
                self.by_role[promotion.unwrap_or(role) as usize - 1].contains(to)
                    || self.screens.contains(from) && !attacks::aligned(from, to, self.king)
                    || promotion.is_some_and(|role| self.checks_past(role, from, to))
            }
            Move::EnPassant { from, to } => {
                self.by_role[Role::Pawn as usize - 1].contains(to) || self.opens_line(from, to)
            }
            Move::Castle { king, rook } => self.castling_checks(king, rook),
            Move::Put { .. } => false,
        }
    }

    /// Whether a pawn that has promoted to `role` checks through the square that it has left.
    fn checks_past(&self, role: Role, from: Square, to: Square) -> bool {
        let occupied = self.position.occupied().without(from);
        attacks::attacks(to, role.of(self.position.turn()), occupied).contains(self.king)
    }

    /// Whether a slider checks once an en-passant capture has cleared two squares.
    fn opens_line(&self, from: Square, to: Square) -> bool {
        let board = self.position.board();
        let captured = Square::from_coords(to.file(), from.rank());
        let occupied = (board.occupied().without(from).without(captured)).with(to);
        let sliders = attacks::rook_attacks(self.king, occupied) & board.rooks_and_queens()
            | attacks::bishop_attacks(self.king, occupied) & board.bishops_and_queens();
        (sliders & board.by_color(self.position.turn())).any()
    }

    /// Whether the castled rook checks. Nothing else can: the squares between king and rook are empty,
    /// and beyond them the two stand side by side in the way.
    fn castling_checks(&self, king: Square, rook: Square) -> bool {
        let us = self.position.turn();
        let side = CastlingSide::from_queen_side(rook < king);
        let occupied = self.position.occupied().without(king).without(rook);
        attacks::rook_attacks(side.rook_to(us), occupied.with(side.king_to(us))).contains(self.king)
    }
}

/// Where the moved piece lands; for castling that is the king's square, as the histories index it.
#[inline]
pub fn landing_square(m: Move) -> Square {
    match m {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            Square::from_coords(side.king_to_file(), king.rank())
        }
        _ => m.to(),
    }
}
