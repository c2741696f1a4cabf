//! Static exchange evaluation: what a capture is worth once all recaptures on its square are made.

use shakmaty::{Bitboard, Board, Color, Move, Role, Square, attacks};

use super::Position;

/// Piece values for exchanges, in the search's units (about 100 a pawn), by role.
pub const VALUES: [i32; 6] = [233, 446, 446, 716, 1253, 0];

/// The exchange value of a role.
#[inline]
pub fn value(role: Role) -> i32 {
    VALUES[role as usize - 1]
}

/// Pieces of any colour that alone stand between `king` and a slider of `attacker`.
pub fn screens(board: &Board, king: Square, attacker: Color) -> Bitboard {
    let snipers = board.by_color(attacker)
        & (attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens()
            | attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens());
    let mut screens = Bitboard::EMPTY;
    for sniper in snipers {
        let between = attacks::between(king, sniper) & board.occupied();
        if !between.more_than_one() {
            screens |= between;
        }
    }
    screens
}

/// What a move wins at once: the captured piece and what a promotion adds.
#[inline]
pub fn immediate_gain(m: Move) -> i32 {
    let captured = m.capture().map_or(0, value);
    let promoted = m
        .promotion()
        .map_or(0, |role| value(role) - value(Role::Pawn));
    captured + promoted
}

impl Position {
    /// Whether the exchange that `m` begins on its target square gains at least `threshold`, both
    /// sides capturing with their least valuable piece first and stopping when it pays. A pinned
    /// piece takes no part while its pinner stands, unless it moves along the pin. Castling gains
    /// nothing and loses nothing.
    pub fn see_ge(&self, m: Move, threshold: i32) -> bool {
        let Some(from) = m.from().filter(|_| !m.is_castle()) else {
            return threshold <= 0;
        };
        let to = m.to();
        let mut balance = immediate_gain(m) - threshold;
        if balance < 0 {
            return false;
        }
        balance -= value(m.promotion().unwrap_or(m.role()));
        if balance >= 0 {
            return true;
        }

        let board = self.board();
        let mut occupied = self.occupied().without(from).with(to);
        if m.is_en_passant() {
            occupied.discard(Square::from_coords(to.file(), from.rank()));
        }
        let diagonal = board.bishops_and_queens();
        let straight = board.rooks_and_queens();
        let mut attackers = (board.attacks_to(to, Color::White, occupied)
            | board.attacks_to(to, Color::Black, occupied))
            & occupied;
        let mut side = !self.turn();
        // Most exchanges are over before anybody asks for pins.
        let mut pins: [Option<Pins>; 2] = [None, None];

        loop {
            let mut own = attackers & board.by_color(side);
            if own.is_empty() {
                break;
            }
            own &= !pins[side.is_black() as usize]
                .get_or_insert_with(|| Pins::of(self, side))
                .forbidden(to, occupied);
            let Some((role, square)) = least_valuable(board, own) else {
                break;
            };
            side = !side;
            balance = -balance - 1 - value(role);
            if balance >= 0 {
                // A king can't take on a square that the enemy still guards.
                if role == Role::King && (attackers & board.by_color(side)).any() {
                    side = !side;
                }
                break;
            }
            occupied.discard(square);
            if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
                attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
            }
            if matches!(role, Role::Rook | Role::Queen) {
                attackers |= attacks::rook_attacks(to, occupied) & straight;
            }
            attackers &= occupied;
        }
        side != self.turn()
    }
}

/// One colour's pinned pieces and where its king is.
struct Pins {
    pinned: Bitboard,
    pinners: Bitboard,
    king: Square,
}

impl Pins {
    fn of(position: &Position, color: Color) -> Pins {
        let board = position.board();
        let king = position.king(color);
        let pinned = screens(board, king, !color) & board.by_color(color);
        // Only the sliders that see a pinned piece from the king's line can be its pinners.
        let pinners = if pinned.is_empty() {
            Bitboard::EMPTY
        } else {
            board.by_color(!color)
                & (attacks::rook_attacks(king, board.occupied() & !pinned)
                    & board.rooks_and_queens()
                    | attacks::bishop_attacks(king, board.occupied() & !pinned)
                        & board.bishops_and_queens())
        };
        Pins {
            pinned,
            pinners,
            king,
        }
    }

    /// Pinned pieces that may not capture on `to` while their pinners stand in `occupied`.
    fn forbidden(&self, to: Square, occupied: Bitboard) -> Bitboard {
        if self.pinned.is_empty() || !(self.pinners & occupied).any() {
            return Bitboard::EMPTY;
        }
        self.pinned & !attacks::ray(self.king, to)
    }
}

fn least_valuable(board: &Board, candidates: Bitboard) -> Option<(Role, Square)> {
    if candidates.is_empty() {
        return None;
    }
    Role::ALL.into_iter().find_map(|role| {
        (candidates & board.by_role(role))
            .first()
            .map(|square| (role, square))
    })
}
