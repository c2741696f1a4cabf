//! Pawns alone, the shelter they give, and passed pawns among the pieces.

use shakmaty::{Bitboard, File, Rank, Square, attacks};

use super::{army::Attacks, values::*, view::*};

/// What pawns alone tell, kept from one evaluation to the next. Indexed by colour, White first;
/// squares are in the view of their colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct PawnEntry {
    pub(super) key: u64,
    pub(super) score: [Pair; 2],
    pub(super) passed: [Bitboard; 2],
    /// Squares that pawns attack now or may attack when they advance.
    pub(super) span: [Bitboard; 2],
    /// The king squares and castling sides that `shelter` is for.
    pub(super) shelter_for: [u16; 2],
    /// Worth of the king's shelter in centipawns, middlegame only.
    pub(super) shelter: [i16; 2],
}

impl PawnEntry {
    pub(super) const VACANT: PawnEntry = PawnEntry {
        key: u64::MAX,
        score: [Pair(0); 2],
        passed: [Bitboard::EMPTY; 2],
        span: [Bitboard::EMPTY; 2],
        shelter_for: [u16::MAX; 2],
        shelter: [0; 2],
    };

    pub(super) fn fill(&mut self, key: u64, views: &[View; 2]) {
        *self = PawnEntry {
            key,
            ..PawnEntry::VACANT
        };
        for (color, view) in views.iter().enumerate() {
            self.fill_color(color, view);
        }
    }

    fn fill_color(&mut self, color: usize, view: &View) {
        let (own, foe) = (view.own[PAWN], view.foe[PAWN]);
        let foe_attacks = pawn_attacks(foe.flip_vertical()).0.flip_vertical();
        let mut score = Pair(0);
        for square in own {
            let here = Bitboard::from(square);
            let rank = square.rank().to_usize();
            let way = ahead(square);
            let neighbour_way = beside(way);
            let neighbours = own & beside(Bitboard::from_file(square.file()));
            let supporters = own & beside(backward(here));
            let phalanx = own & beside(here);
            let opposed = (foe & way).any();
            let sentries = foe & neighbour_way;

            score += PIECE_SQUARE[PAWN][square.to_usize()];
            self.span[color] |= neighbour_way;
            if (supporters | phalanx).any() {
                let half = if phalanx.any() { 3 } else { 2 };
                let bonus = CONNECTED[rank];
                score += pair(bonus.middlegame() * half / 2, bonus.endgame() * half / 2);
                score += SUPPORT * supporters.count() as i32;
            } else if neighbours.is_empty() {
                score += ISOLATED[usize::from(!opposed)];
            } else if (neighbours & !neighbour_way).is_empty()
                && (foe_attacks | foe).intersects_const(forward(here))
            {
                score += BACKWARD[usize::from(!opposed)];
            }
            if (own & way).any() {
                score += DOUBLED[usize::from(supporters.is_empty())];
            } else if !opposed && sentries.is_empty() {
                self.passed[color].add(square);
                score += PASSED[rank];
            } else if !opposed && (neighbours & !forward(neighbour_way)).count() >= sentries.count()
            {
                score += CANDIDATE[rank];
            }
        }
        self.score[color] = score;
    }

    /// The king's shelter, or that of where it can still castle to.
    pub(super) fn shelter(&mut self, color: usize, view: &View) -> i32 {
        let king_side = view.castling.last().is_some_and(|rook| rook > view.king);
        let queen_side = view.castling.first().is_some_and(|rook| rook < view.king);
        let key =
            view.king.to_u32() as u16 | u16::from(king_side) << 6 | u16::from(queen_side) << 7;
        if self.shelter_for[color] != key {
            let mut best = shelter_at(view, view.king);
            for (may, square) in [(king_side, Square::G1), (queen_side, Square::C1)] {
                if may {
                    best = best.max(shelter_at(view, square) - NOT_CASTLED_YET);
                }
            }
            self.shelter[color] = best as i16;
            self.shelter_for[color] = key;
        }
        i32::from(self.shelter[color])
    }
}

pub(super) fn shelter_at(view: &View, king: Square) -> i32 {
    let not_behind = Bitboard(u64::MAX << (8 * king.rank().to_u32()));
    let (own, foe) = (view.own[PAWN] & not_behind, view.foe[PAWN] & not_behind);
    let center = king.file().to_u32().clamp(1, 6);
    (center - 1..=center + 1).fold(0, |value, file| {
        let squares = Bitboard::from_file(File::new(file));
        let rank = |pawn: Option<Square>| pawn.map_or(0, |square| square.rank().to_usize());
        let guard = rank((own & squares).first());
        let attacker = rank((foe & squares).first());
        let stopped = guard != 0 && attacker == guard + 1;
        let open = (view.own[PAWN] | view.foe[PAWN]).is_disjoint_const(squares);
        value
            + SHELTER[usize::from(file != king.file().to_u32())][guard]
            + STORM[usize::from(stopped)][attacker]
            + if open { OPEN_FILE_AT_KING } else { 0 }
    })
}

/// Passed pawns from the fourth rank on: kings, blockers, the way ahead, rooks behind.
pub(super) fn passed_pawns(
    view: &View,
    passed: Bitboard,
    own: &Attacks,
    foe: &Attacks,
    bare_foe: bool,
) -> Pair {
    let mut score = Pair(0);
    for square in passed {
        let rank = square.rank();
        let weight = PASSED_WEIGHT[rank.to_usize()];
        if weight == 0 {
            continue;
        }
        let way = ahead(square);
        let Some(stop) = way.first() else { continue };
        let foe_king = view.foe_king.distance(stop).min(5) as i32;
        let own_king = view.king.distance(stop).min(5) as i32;
        score += pair(
            0,
            weight * (foe_king * PASSED_FOE_KING - own_king * PASSED_OWN_KING),
        );

        if view.foe_all.contains(stop) {
            score += PASSED_BLOCKED * weight;
        } else if !view.own_all.contains(stop) {
            let behind = attacks::rook_attacks(square, view.occupied)
                & Bitboard::from_file(square.file())
                & !way;
            let heavy = |pieces: &[Bitboard; 6]| (behind & (pieces[ROOK] | pieces[QUEEN])).any();
            let attacked = if heavy(&view.foe) { way } else { way & foe.all };
            if (attacked | way & view.foe_all).is_empty() {
                score += PASSED_FREE * weight;
            } else if !attacked.contains(stop) {
                score += PASSED_STEP * weight;
            }
            if heavy(&view.own) || own.all.contains(stop) {
                score += PASSED_GUARDED * weight;
            }
            let moves = Rank::Eighth.distance(rank);
            let promotion = Square::from_coords(square.file(), Rank::Eighth);
            let foe_moves = view.foe_king.distance(promotion);
            let head_start = u32::from(!view.to_move);
            if bare_foe && (way & view.occupied).is_empty() && foe_moves > moves + head_start {
                score += UNSTOPPABLE;
            }
        }
    }
    score
}
