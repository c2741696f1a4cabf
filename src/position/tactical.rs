//! Captures and queen promotions alone, for the quiescence search: `shakmaty` makes all moves
//! first, and quiescence throws most of them away.

use shakmaty::{Bitboard, Move, MoveList, Position as _, Rank, Role, Square, attacks};

use super::{Position, see::screens, threats::pawn_attacks};

impl Position {
    /// The legal captures and promotions to a queen. In check use [`Position::legal_moves`]: this
    /// looks at no evasions.
    pub fn tactical_moves(&self) -> MoveList {
        debug_assert!(!self.in_check());
        let board = self.board();
        let us = self.turn();
        let (ours, theirs) = (board.by_color(us), board.by_color(!us));
        let occupied = self.occupied();
        let king = self.king(us);
        let pinned = screens(board, king, !us) & ours;
        let mut moves = MoveList::new();
        let mut push = |role: Role, from: Square, to: Square, promotion: Option<Role>| {
            if !pinned.contains(from) || attacks::aligned(from, to, king) {
                let capture = board.role_at(to);
                moves.push(Move::Normal {
                    role,
                    from,
                    capture,
                    to,
                    promotion,
                });
            }
        };

        let last_rank = Bitboard::from_rank(us.fold_wb(Rank::Eighth, Rank::First));
        let pawns = ours & board.pawns();
        let near_promotion = Bitboard::from_rank(us.fold_wb(Rank::Seventh, Rank::Second));
        let able = pawns & (near_promotion | pawn_attacks(theirs, !us));
        for from in able {
            for to in attacks::pawn_attacks(us, from) & theirs {
                let promotion = last_rank.contains(to).then_some(Role::Queen);
                push(Role::Pawn, from, to, promotion);
            }
            if near_promotion.contains(from) {
                let to = Square::from_coords(from.file(), us.fold_wb(Rank::Eighth, Rank::First));
                if !occupied.contains(to) {
                    push(Role::Pawn, from, to, Some(Role::Queen));
                }
            }
        }
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            for from in ours & board.by_role(role) {
                for to in attacks::attacks(from, role.of(us), occupied) & theirs {
                    push(role, from, to, None);
                }
            }
        }
        for to in attacks::king_attacks(king) & theirs {
            if board.attacks_to(to, !us, occupied).is_empty() {
                push(Role::King, king, to, None);
            }
        }
        if self.ep.is_some() {
            moves.extend(self.chess.en_passant_moves());
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess960;
    use shakmaty::{CastlingMode, Chess, FromSetup as _};

    /// Plays pseudo-random games from Chess960 starts and compares with `shakmaty`'s moves.
    #[test]
    fn they_are_the_legal_moves_that_capture_or_promote() {
        let mut seed = 1_u64;
        let mut promotions = 0;
        for game in 0..200_u16 {
            let setup = chess960::setup(game * 4, 959 - game * 3).expect("numbers below 960");
            let chess = Chess::from_setup(setup, CastlingMode::Chess960).expect("legal");
            let mut position = Position::from_chess(chess);
            for _ in 0..160 {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    break;
                }
                if !position.in_check() {
                    let wanted = |m: &Move| {
                        m.is_capture() && m.promotion().is_none_or(|r| r == Role::Queen)
                            || m.promotion() == Some(Role::Queen)
                    };
                    let mut expected: Vec<Move> = legal.iter().copied().filter(wanted).collect();
                    let mut found = position.tactical_moves().to_vec();
                    promotions += found.iter().filter(|m| m.is_promotion()).count();
                    expected.sort_by_key(|m| format!("{m:?}"));
                    found.sort_by_key(|m| format!("{m:?}"));
                    assert_eq!(found, expected, "{position:?}");
                }
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                position = position.play(legal[(seed >> 33) as usize % legal.len()]);
            }
        }
        assert!(promotions > 50);
    }
}
