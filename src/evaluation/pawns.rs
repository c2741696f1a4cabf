//! Pawns alone, the shelter they give, and passed pawns among the pieces.

use shakmaty::{Bitboard, File, Rank, Square, attacks};

use super::{army::Attacks, values::*, view::*};

/// What one colour's pawns tell before any piece is looked at; squares are in its own view.
#[derive(Clone, Copy, Debug)]
pub(super) struct PawnFacts {
    pub(super) score: Pair,
    pub(super) count: i32,
    pub(super) passed: Bitboard,
    /// Squares that pawns attack now or may attack when they advance.
    pub(super) span: Bitboard,
    /// What they take from a bishop on dark and on light squares.
    pub(super) behind_bishop: [Pair; 2],
    /// The king's square and castling sides that `shelter` is for.
    shelter_for: u16,
    /// Worth of the king's shelter in centipawns, middlegame only.
    shelter: i16,
}

/// What pawns alone tell, kept from one evaluation to the next. White comes first.
#[derive(Clone, Copy, Debug)]
pub(super) struct PawnEntry {
    pub(super) key: u64,
    pub(super) sides: [PawnFacts; 2],
}

impl PawnEntry {
    pub(super) const VACANT: PawnEntry = PawnEntry {
        key: u64::MAX,
        sides: [PawnFacts::NONE; 2],
    };

    pub(super) fn new(key: u64, views: &[View; 2]) -> PawnEntry {
        PawnEntry {
            key,
            sides: [PawnFacts::of(&views[0]), PawnFacts::of(&views[1])],
        }
    }
}

impl PawnFacts {
    const NONE: PawnFacts = PawnFacts {
        score: Pair(0),
        count: 0,
        passed: Bitboard::EMPTY,
        span: Bitboard::EMPTY,
        behind_bishop: [Pair(0); 2],
        shelter_for: u16::MAX,
        shelter: 0,
    };

    fn of(view: &View) -> PawnFacts {
        let mut facts = PawnFacts::NONE;
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
            facts.span |= neighbour_way;
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
                facts.passed.add(square);
                score += PASSED[rank];
            } else if !opposed && (neighbours & !neighbour_way).count() >= sentries.count() {
                score += CANDIDATE[rank];
            }
        }
        facts.score = score;
        facts.count = own.count() as i32;
        let blocked = own & backward(own | foe);
        facts.behind_bishop = [Bitboard::DARK_SQUARES, Bitboard::LIGHT_SQUARES].map(|color| {
            PAWN_ON_BISHOP_COLOR * (own & color).count() as i32
                + BLOCKED_ON_BISHOP_COLOR * (blocked & color).count() as i32
        });
        facts
    }

    /// The king's shelter, or that of where it can still castle to.
    pub(super) fn shelter(&mut self, view: &View) -> i32 {
        let king_side = view.castling.last().is_some_and(|rook| rook > view.king);
        let queen_side = view.castling.first().is_some_and(|rook| rook < view.king);
        let key =
            view.king.to_u32() as u16 | u16::from(king_side) << 6 | u16::from(queen_side) << 7;
        if self.shelter_for != key {
            let mut best = shelter_at(view, view.king);
            for (may, square) in [(king_side, Square::G1), (queen_side, Square::C1)] {
                if may {
                    best = best.max(shelter_at(view, square) - NOT_CASTLED_YET);
                }
            }
            self.shelter = best as i16;
            self.shelter_for = key;
        }
        i32::from(self.shelter)
    }
}

fn shelter_at(view: &View, king: Square) -> i32 {
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
