//! What takes both armies' attacks: king danger, threats, space.

use shakmaty::{Bitboard, attacks};

use super::{
    army::{Army, Attacks},
    values::*,
    view::*,
};

/// The middlegame and endgame loss by attacks on the own king. `shelter` in centipawns.
pub(super) fn king_danger(
    view: &View,
    own: &Attacks,
    foe_army: &Army,
    foe: &Attacks,
    shelter: i32,
) -> Pair {
    let king = view.king;
    let weak = foe.all & !own.twice & (!own.all | own.by[KING] | own.by[QUEEN]);
    let safe = !view.foe_all & (!own.all | weak & foe.twice);
    let transparent = view.occupied & !view.own[QUEEN];
    let straight = attacks::rook_attacks(king, transparent);
    let diagonal = attacks::bishop_attacks(king, transparent);

    let mut danger = foe_army.ring_attackers * foe_army.ring_weight
        + foe_army.ring_adjacent * RING_ADJACENT
        - shelter / SHELTER_PER_DANGER;
    let mut unsafe_checks = Bitboard::EMPTY;
    let rook_checks = straight & foe.by[ROOK];
    let queen_safe = safe & !own.by[QUEEN] & !rook_checks;
    for (role, checks, safe) in [
        (KNIGHT, attacks::knight_attacks(king) & foe.by[KNIGHT], safe),
        (BISHOP, diagonal & foe.by[BISHOP], safe),
        (ROOK, rook_checks, safe),
        (QUEEN, (straight | diagonal) & foe.by[QUEEN], queen_safe),
    ] {
        let safe_checks = checks & safe;
        if safe_checks.any() {
            danger += SAFE_CHECK[role];
            // A second square makes the check hard to prevent.
            if safe_checks.more_than_one() {
                danger += SAFE_CHECK[role] / 3;
            }
        } else if role != QUEEN {
            unsafe_checks |= checks;
        }
    }
    danger += UNSAFE_CHECK * (unsafe_checks & !view.foe_all).count() as i32;
    let weak_ring = weak & ring(king);
    if weak_ring.any() {
        danger += RING_WEAK * weak_ring.count() as i32;
    }
    if view.pinned.any() {
        danger += PINNED_TO_KING * view.pinned.count() as i32;
    }
    if foe_army.count[QUEEN] == 0 {
        danger += NO_QUEEN;
    }
    if own.by[KNIGHT].intersects_const(attacks::king_attacks(king)) {
        danger += KNIGHT_GUARD;
    }
    let danger = danger.clamp(0, MAX_DANGER);
    pair(-danger * danger / DANGER_DIVISOR, -danger / 2)
}

/// The worth of `hits` on enemy pieces by their kind.
#[inline]
fn worth(view: &View, hits: Bitboard, values: &[Pair; 5]) -> Pair {
    let mut score = Pair(0);
    if hits.any() {
        for (&value, &pieces) in values.iter().zip(&view.foe) {
            if (hits & pieces).any() {
                score += value * (hits & pieces).count() as i32;
            }
        }
    }
    score
}

/// Enemy pieces that we attack with profit.
pub(super) fn threats(view: &View, own: &Attacks, foe: &Attacks) -> Pair {
    let mut score = Pair(0);
    let pieces = view.foe_all & !(view.foe[PAWN] | view.foe[KING]);
    let protected = foe.by[PAWN] | foe.twice & !own.twice;
    let weak = view.foe_all & !protected & own.all;

    let by_minor = (own.by[KNIGHT] | own.by[BISHOP]) & (pieces & protected | weak);
    let by_rook = own.by[ROOK] & (weak | view.foe[QUEEN]);
    score += worth(view, by_minor & view.foe_all, &THREAT_BY_MINOR);
    score += worth(view, by_rook & view.foe_all, &THREAT_BY_ROOK);
    if (weak & own.by[KING]).any() {
        score += THREAT_BY_KING;
    }
    let hanging = weak & (!foe.all | pieces & own.twice);
    if hanging.any() {
        score += HANGING * hanging.count() as i32;
    }

    let safe = !foe.all | own.all;
    let hit = pawn_attacks(view.own[PAWN] & safe).0 & pieces;
    if hit.any() {
        score += THREAT_BY_PAWN * hit.count() as i32;
    }
    let step = forward(view.own[PAWN]) & !view.occupied;
    let double_step = forward(step & forward(SECOND)) & !view.occupied;
    let pushed = (step | double_step) & !foe.by[PAWN] & safe;
    let hit = pawn_attacks(pushed).0 & pieces;
    if hit.any() {
        score += THREAT_BY_PUSH * hit.count() as i32;
    }
    score
}

/// Room behind the own centre pawns, worth more the more pieces there are to use it.
pub(super) fn space(view: &View, army: &Army, foe: &Attacks) -> Pair {
    let pieces: i32 = (KNIGHT..KING).map(|role| army.count[role]).sum();
    if pieces <= 4 {
        return Pair(0);
    }
    let safe = HOME_CENTER & !view.own[PAWN] & !foe.by[PAWN];
    pair(SPACE * safe.count() as i32 * (pieces - 4), 0)
}
