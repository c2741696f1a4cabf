//! One colour's pieces.

use shakmaty::{Bitboard, File, Rank, Square, attacks};

use super::{pawns::PawnFacts, values::*, view::*};

/// The squares that one colour attacks.
#[derive(Clone, Copy, Default)]
pub(super) struct Attacks {
    pub(super) by: [Bitboard; 6],
    pub(super) all: Bitboard,
    pub(super) twice: Bitboard,
}

impl Attacks {
    #[inline]
    pub(super) fn add(&mut self, role: usize, squares: Bitboard) {
        self.twice |= self.all & squares;
        self.all |= squares;
        self.by[role] |= squares;
    }

    /// The same in the other colour's view.
    pub(super) fn turned(&self) -> Attacks {
        Attacks {
            by: self.by.map(Bitboard::flip_vertical),
            all: self.all.flip_vertical(),
            twice: self.twice.flip_vertical(),
        }
    }
}

/// One colour's pieces: their worth, what they attack, and their pressure on the enemy king.
#[derive(Default)]
pub(super) struct Army {
    pub(super) score: Pair,
    pub(super) attacks: Attacks,
    pub(super) count: [i32; 6],
    /// Pieces that attack the enemy king's ring, their weights, and their attacks next to it.
    pub(super) ring_attackers: i32,
    pub(super) ring_weight: i32,
    pub(super) ring_adjacent: i32,
}

impl Army {
    /// The army of `view`, given what the pawn table knows of both sides.
    pub(super) fn of(view: &View, pawns: &PawnFacts, foe_pawns: &PawnFacts) -> Army {
        let mut army = Army::default();
        let (guarded, guarded_twice) = pawn_attacks(view.own[PAWN]);
        let (foe_guarded, foe_twice) = pawn_attacks(view.foe[PAWN].flip_vertical());
        army.attacks.add(KING, attacks::king_attacks(view.king));
        army.attacks.add(PAWN, guarded);
        army.attacks.twice |= guarded_twice;
        army.count[PAWN] = pawns.count;
        army.score += PIECE_SQUARE[KING][view.king.to_usize()];

        let field = Field {
            view,
            area: !(view.own[PAWN] | view.own[KING] | foe_guarded.flip_vertical()),
            ring: ring(view.foe_king) & !foe_twice.flip_vertical(),
            next_to_foe: attacks::king_attacks(view.foe_king),
            outposts: OUTPOSTS & guarded & !foe_pawns.span.flip_vertical(),
        };
        army.knights(&field);
        army.bishops(&field, pawns);
        army.rooks(&field);
        army.queens(&field);
        if army.count[BISHOP] >= 2 {
            army.score += BISHOP_PAIR;
        }
        let over_five = army.count[PAWN] - 5;
        army.score += KNIGHT_PER_PAWN * (army.count[KNIGHT] * over_five)
            + ROOK_PER_PAWN * (army.count[ROOK] * over_five);
        army
    }

    /// What is common to all pieces; returns the number of safe squares.
    #[inline(always)]
    fn piece(
        &mut self,
        field: &Field,
        role: usize,
        mobility: &[Pair],
        square: Square,
        mut seen: Bitboard,
    ) -> usize {
        if field.view.pinned.contains(square) {
            seen &= attacks::ray(field.view.king, square);
        }
        self.count[role] += 1;
        self.attacks.add(role, seen);
        let safe = (seen & field.area).count();
        self.score += PIECE_SQUARE[role][square.to_usize()] + mobility[safe];
        if (seen & field.ring).any() {
            self.ring_attackers += 1;
            self.ring_weight += RING_ATTACKER[role];
            self.ring_adjacent += (seen & field.next_to_foe).count() as i32;
        }
        safe
    }

    /// What is common to knights and bishops.
    #[inline(always)]
    fn minor(&mut self, field: &Field, role: usize, square: Square) {
        let view = field.view;
        self.score += FAR_FROM_KING * view.king.distance(square) as i32;
        if field.outposts.contains(square) {
            self.score += OUTPOST[role - KNIGHT];
        }
        if (view.own[PAWN] | view.foe[PAWN]).intersects_const(forward(Bitboard::from(square))) {
            self.score += BEHIND_PAWN;
        }
    }

    fn knights(&mut self, field: &Field) {
        for square in field.view.own[KNIGHT] {
            let seen = attacks::knight_attacks(square);
            self.piece(field, KNIGHT, &MOBILITY_KNIGHT, square, seen);
            self.minor(field, KNIGHT, square);
            if !field.outposts.contains(square) && (seen & field.outposts & field.area).any() {
                self.score += OUTPOST_AHEAD;
            }
        }
    }

    fn bishops(&mut self, field: &Field, pawns: &PawnFacts) {
        let view = field.view;
        let through = view.occupied & !view.own[QUEEN];
        for square in view.own[BISHOP] {
            let seen = attacks::bishop_attacks(square, through);
            self.piece(field, BISHOP, &MOBILITY_BISHOP, square, seen);
            self.minor(field, BISHOP, square);
            self.score += pawns.behind_bishop[usize::from(square.is_light())];
            if LONG_DIAGONALS.contains(square)
                && (attacks::bishop_attacks(square, view.own[PAWN]) & Bitboard::CENTER)
                    .more_than_one()
            {
                self.score += LONG_DIAGONAL;
            }
            self.score += imprisoned_bishop(view, square);
        }
    }

    fn rooks(&mut self, field: &Field) {
        let view = field.view;
        let through = view.occupied & !(view.own[ROOK] | view.own[QUEEN]);
        for square in view.own[ROOK] {
            let seen = attacks::rook_attacks(square, through);
            let safe = self.piece(field, ROOK, &MOBILITY_ROOK, square, seen);
            let file = Bitboard::from_file(square.file());
            if (view.own[PAWN] & file).is_empty() {
                let open = (view.foe[PAWN] & file).is_empty();
                self.score += if open { OPEN_FILE } else { HALF_OPEN_FILE };
            } else if safe <= 3 && is_walled_in(view.king, square) {
                self.score += WALLED_ROOK[usize::from(!view.castling.contains(square))];
            }
            if SEVENTH.contains(square)
                && ((view.foe[PAWN] & SEVENTH).any() || EIGHTH.contains(view.foe_king))
            {
                self.score += SEVENTH_RANK;
            }
        }
    }

    fn queens(&mut self, field: &Field) {
        for square in field.view.own[QUEEN] {
            let seen = attacks::queen_attacks(square, field.view.occupied);
            self.piece(field, QUEEN, &MOBILITY_QUEEN, square, seen);
        }
    }

    /// Knights to queens in whole pawns.
    pub(super) fn rough_value(&self) -> i32 {
        (KNIGHT..KING)
            .map(|role| self.count[role] * ROUGH_VALUE[role])
            .sum()
    }

    pub(super) fn phase(&self) -> i32 {
        (KNIGHT..KING)
            .map(|role| self.count[role] * PHASE[role])
            .sum()
    }
}

/// What an army's pieces are measured by.
pub(super) struct Field<'a> {
    pub(super) view: &'a View,
    /// Squares that count for mobility.
    pub(super) area: Bitboard,
    pub(super) ring: Bitboard,
    pub(super) next_to_foe: Bitboard,
    /// Squares that an own pawn guards and that no enemy pawn can attack.
    pub(super) outposts: Bitboard,
}

/// A bishop in the corner behind its own pawn, common in Chess960 where it may start there; or shut
/// in by an enemy pawn at the far end.
#[inline]
pub(super) fn imprisoned_bishop(view: &View, square: Square) -> Pair {
    let (jailer, own) = match square {
        Square::A1 => (Square::B2, true),
        Square::H1 => (Square::G2, true),
        Square::A7 => (Square::B6, false),
        Square::H7 => (Square::G6, false),
        _ => return Pair(0),
    };
    if !own {
        return if view.foe[PAWN].contains(jailer) {
            SHUT_IN_BISHOP
        } else {
            Pair(0)
        };
    }
    if !view.own[PAWN].contains(jailer) {
        return Pair(0);
    }
    if view
        .occupied
        .intersects_const(forward(Bitboard::from(jailer)))
    {
        CORNERED_BISHOP + ENTOMBED_BISHOP
    } else {
        CORNERED_BISHOP
    }
}

/// Whether a rook stands between its king and the nearer edge of the board, both at home.
pub(super) fn is_walled_in(king: Square, rook: Square) -> bool {
    king.rank() == Rank::First
        && rook.rank() <= Rank::Second
        && if king.file() >= File::E {
            rook.file() > king.file()
        } else {
            rook.file() < king.file()
        }
}
