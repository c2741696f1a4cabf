//! The numbers, in centipawns, and the pair that holds a middlegame and an endgame one.

use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A middlegame and an endgame value in one integer, so that one instruction adds both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pair(pub(super) i32);

pub(super) const fn pair(middlegame: i32, endgame: i32) -> Pair {
    Pair((endgame << 16) + middlegame)
}

/// A table's middlegame and endgame values.
pub(super) const fn pairs<const N: usize>(middlegame: [i32; N], endgame: [i32; N]) -> [Pair; N] {
    let mut table = [Pair(0); N];
    let mut i = 0;
    while i < N {
        table[i] = pair(middlegame[i], endgame[i]);
        i += 1;
    }
    table
}

impl Pair {
    pub(super) const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// The low half borrows from the high one when it is negative; rounding gives it back.
    pub(super) const fn endgame(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

impl Add for Pair {
    type Output = Pair;
    #[inline]
    fn add(self, other: Pair) -> Pair {
        Pair(self.0 + other.0)
    }
}

impl AddAssign for Pair {
    #[inline]
    fn add_assign(&mut self, other: Pair) {
        self.0 += other.0;
    }
}

impl Sub for Pair {
    type Output = Pair;
    #[inline]
    fn sub(self, other: Pair) -> Pair {
        Pair(self.0 - other.0)
    }
}

impl SubAssign for Pair {
    #[inline]
    fn sub_assign(&mut self, other: Pair) {
        self.0 -= other.0;
    }
}

impl Mul<i32> for Pair {
    type Output = Pair;
    #[inline]
    fn mul(self, factor: i32) -> Pair {
        Pair(self.0 * factor)
    }
}

pub(super) const PAWN: usize = 0;
pub(super) const KNIGHT: usize = 1;
pub(super) const BISHOP: usize = 2;
pub(super) const ROOK: usize = 3;
pub(super) const QUEEN: usize = 4;
pub(super) const KING: usize = 5;

/// The greatest value the evaluation returns, in centipawns.
pub(super) const LIMIT: i32 = 19_999;

/// Value of each piece, pawn to king.
pub(super) const MATERIAL: [Pair; 6] =
    pairs([80, 335, 355, 470, 1010, 0], [120, 415, 435, 710, 1320, 0]);
/// Share of each piece in the game phase; the start position has [`FULL_PHASE`].
pub(super) const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
pub(super) const FULL_PHASE: i32 = 24;
/// Whole pawns of each piece, for telling drawish endings apart.
pub(super) const ROUGH_VALUE: [i32; 6] = [0, 3, 3, 5, 9, 0];
/// The side to move.
pub(super) const TEMPO: Pair = pair(20, 14);

/// Two bishops.
pub(super) const BISHOP_PAIR: Pair = pair(26, 48);
/// A knight, for each own pawn over five (knights like closed boards).
pub(super) const KNIGHT_PER_PAWN: Pair = pair(3, 5);
/// A rook, for each own pawn over five (rooks like open ones).
pub(super) const ROOK_PER_PAWN: Pair = pair(-5, -6);

/// Safe squares a piece sees, knight to queen.
pub(super) const MOBILITY_KNIGHT: [Pair; 9] = pairs(
    [-40, -24, -8, -1, 4, 8, 12, 16, 19],
    [-46, -32, -14, -5, 3, 8, 12, 15, 17],
);
pub(super) const MOBILITY_BISHOP: [Pair; 14] = pairs(
    [-30, -14, 3, 10, 16, 21, 25, 27, 29, 31, 33, 36, 38, 40],
    [-36, -17, -1, 7, 13, 19, 24, 28, 31, 33, 35, 37, 40, 42],
);
pub(super) const MOBILITY_ROOK: [Pair; 15] = pairs(
    [-30, -16, -7, -3, 0, 3, 6, 8, 10, 12, 14, 15, 16, 17, 18],
    [-46, -16, 4, 16, 26, 36, 44, 51, 57, 62, 66, 70, 73, 75, 77],
);
pub(super) const MOBILITY_QUEEN: [Pair; 28] = {
    let mut table = [pair(0, 0); 28];
    let mut n = 0;
    while n < 28 {
        table[n] = pair(
            3 * n as i32 - (n * n / 18) as i32 - 18,
            7 * n as i32 - (n * n / 9) as i32 - 34,
        );
        n += 1;
    }
    table
};

/// A pawn with no own pawn on a neighbouring file; the second for one on a half-open file.
pub(super) const ISOLATED: [Pair; 2] = [pair(-6, -7), pair(-13, -13)];
/// A pawn that no other can support and that can't advance; the second on a half-open file.
pub(super) const BACKWARD: [Pair; 2] = [pair(-6, -8), pair(-13, -12)];
/// A pawn with an own one ahead on its file; the second without support.
pub(super) const DOUBLED: [Pair; 2] = [pair(-3, -9), pair(-9, -20)];
/// A pawn beside or supported by another, by rank; half as much again if beside.
pub(super) const CONNECTED: [Pair; 8] =
    pairs([0, 2, 5, 7, 12, 26, 48, 0], [0, 0, 2, 4, 12, 28, 52, 0]);
/// Each pawn that supports a connected one.
pub(super) const SUPPORT: Pair = pair(7, 5);
/// A pawn that can become a passed one by an even exchange, by rank.
pub(super) const CANDIDATE: [Pair; 8] =
    pairs([0, 0, 2, 6, 14, 28, 0, 0], [0, 4, 7, 14, 30, 50, 0, 0]);
/// A passed pawn, by rank.
pub(super) const PASSED: [Pair; 8] = pairs(
    [0, 0, 2, 6, 22, 54, 110, 0],
    [0, 10, 16, 36, 72, 130, 210, 0],
);
/// How much kings and blockers matter to a passed pawn, by rank.
pub(super) const PASSED_WEIGHT: [i32; 8] = [0, 0, 0, 1, 3, 6, 9, 0];
/// Each square of distance (up to five) from the enemy king and from the own king to the square
/// ahead of a passed pawn, times its weight, endgame only.
pub(super) const PASSED_FOE_KING: i32 = 6;
pub(super) const PASSED_OWN_KING: i32 = 3;
/// A passed pawn whose whole way is safe; whose next square is; one whose next square an own piece
/// guards; one with an enemy piece ahead. Times its weight.
pub(super) const PASSED_FREE: Pair = pair(8, 17);
pub(super) const PASSED_STEP: Pair = pair(4, 8);
pub(super) const PASSED_GUARDED: Pair = pair(3, 4);
pub(super) const PASSED_BLOCKED: Pair = pair(-2, -5);
/// A passed pawn that a bare enemy king can't catch.
pub(super) const UNSTOPPABLE: Pair = pair(0, 420);

/// Shelter: an own pawn before the king by its rank (0: none), on the king's file and beside it.
pub(super) const SHELTER: [[i32; 8]; 2] = [
    [-28, 20, 14, -4, -12, -16, -18, 0],
    [-18, 24, 15, 2, -6, -10, -12, 0],
];
/// Storm: an enemy pawn before the king by its rank (0: none), free to come; and stopped by an own
/// pawn.
pub(super) const STORM: [[i32; 8]; 2] =
    [[-2, 0, -28, -15, -5, 0, 2, 0], [0, 0, -10, -3, 0, 0, 0, 0]];
/// A file without any pawn at the king.
pub(super) const OPEN_FILE_AT_KING: i32 = -16;
/// What the shelter of a square is worth less before castling than after.
pub(super) const NOT_CASTLED_YET: i32 = 14;

/// King danger, in units of its own: each kind of attacker of the king's ring, times their number.
pub(super) const RING_ATTACKER: [i32; 6] = [0, 4, 3, 3, 2, 0];
/// An attack on a square next to the king.
pub(super) const RING_ADJACENT: i32 = 4;
/// A square of the ring that is attacked and badly defended.
pub(super) const RING_WEAK: i32 = 9;
/// A safe check, by the kind of piece; and each square of a check that is not safe.
pub(super) const SAFE_CHECK: [i32; 6] = [0, 40, 30, 50, 38, 0];
pub(super) const UNSAFE_CHECK: i32 = 6;
/// An own piece pinned to the king.
pub(super) const PINNED_TO_KING: i32 = 5;
/// The attacker has no queen.
pub(super) const NO_QUEEN: i32 = -44;
/// An own knight guards a square at the king.
pub(super) const KNIGHT_GUARD: i32 = -5;
/// Centipawns of shelter that take one unit of danger away.
pub(super) const SHELTER_PER_DANGER: i32 = 6;
/// The square of the danger divided by this is the loss in the middlegame.
pub(super) const DANGER_DIVISOR: i32 = 32;
/// Danger beyond this adds nothing.
pub(super) const MAX_DANGER: i32 = 160;

/// An enemy piece attacked by a safe pawn, by a pawn after a safe push, and by the king.
pub(super) const THREAT_BY_PAWN: Pair = pair(62, 44);
pub(super) const THREAT_BY_PUSH: Pair = pair(20, 17);
pub(super) const THREAT_BY_KING: Pair = pair(10, 36);
/// An enemy piece, pawn to queen, attacked by a knight or bishop, and by a rook.
pub(super) const THREAT_BY_MINOR: [Pair; 5] = pairs([2, 26, 30, 40, 36], [14, 20, 22, 52, 66]);
pub(super) const THREAT_BY_ROOK: [Pair; 5] = pairs([2, 18, 20, 0, 28], [20, 32, 28, 16, 24]);
/// An enemy piece attacked and not defended.
pub(super) const HANGING: Pair = pair(30, 18);

/// A knight, or a bishop, on an outpost; a knight that can reach one.
pub(super) const OUTPOST: [Pair; 2] = [pair(28, 18), pair(18, 8)];
pub(super) const OUTPOST_AHEAD: Pair = pair(12, 7);
/// A knight or bishop right behind a pawn.
pub(super) const BEHIND_PAWN: Pair = pair(8, 2);
/// Each square between a knight or bishop and its own king.
pub(super) const FAR_FROM_KING: Pair = pair(-3, -3);
/// Each own pawn on a bishop's colour, and each of those that a pawn blocks.
pub(super) const PAWN_ON_BISHOP_COLOR: Pair = pair(-2, -4);
pub(super) const BLOCKED_ON_BISHOP_COLOR: Pair = pair(-3, -4);
/// A bishop that sees both centre squares of its long diagonal.
pub(super) const LONG_DIAGONAL: Pair = pair(18, 2);
/// A bishop in its corner behind its own pawn (a1 and b2); more if that pawn is blocked.
pub(super) const CORNERED_BISHOP: Pair = pair(-36, -28);
pub(super) const ENTOMBED_BISHOP: Pair = pair(-82, -76);
/// A bishop that took on a7 or h7 and that a pawn shuts in.
pub(super) const SHUT_IN_BISHOP: Pair = pair(-76, -70);
/// A rook on an open file, on a half-open one, and on the seventh rank.
pub(super) const OPEN_FILE: Pair = pair(20, 9);
pub(super) const HALF_OPEN_FILE: Pair = pair(9, 6);
pub(super) const SEVENTH_RANK: Pair = pair(6, 22);
/// A rook that its king walls in: while it may still castle, and when it can't.
pub(super) const WALLED_ROOK: [Pair; 2] = [pair(-14, -4), pair(-52, -16)];
/// A safe square behind the own centre pawns, times the pieces over four.
pub(super) const SPACE: i32 = 1;

/// Endgame scale, in 64ths: full; only opposite bishops left, and each passed pawn there; opposite
/// bishops among others; base and step a pawn.
pub(super) const SCALE_FULL: i32 = 64;
pub(super) const SCALE_BISHOPS: i32 = 20;
pub(super) const SCALE_BISHOPS_PASSED: i32 = 5;
pub(super) const SCALE_BISHOPS_OTHERS: i32 = 52;
pub(super) const SCALE_BASE: i32 = 42;
pub(super) const SCALE_PAWN: i32 = 6;
/// Without pawns and hardly ahead: against a minor piece at most, and against more.
pub(super) const SCALE_PAWNLESS: [i32; 2] = [6, 14];

/// Middlegame and endgame piece-square values on files a to d (mirrored to h), rank 1 first. No
/// start square is special: centre, development and a castled king are what they reward.
#[rustfmt::skip]
pub(super) const HALF_BOARDS: [[[[i32; 4]; 8]; 2]; 6] = [
    [ // Pawns
        [[0, 0, 0, 0], [-2, 3, -2, -8], [-6, -3, 2, 5], [-9, -6, 8, 18],
         [-5, -1, 6, 14], [-2, 4, 10, 12], [0, 4, 8, 10], [0, 0, 0, 0]],
        [[0, 0, 0, 0], [2, 2, 4, 4], [0, 0, 0, 0], [4, 3, -2, -4],
         [10, 7, 2, 0], [16, 13, 8, 6], [14, 12, 8, 6], [0, 0, 0, 0]],
    ],
    [ // Knights
        [[-58, -28, -24, -18], [-30, -18, -6, 0], [-22, -4, 10, 13], [-14, 4, 15, 20],
         [-8, 8, 20, 26], [-12, 10, 24, 28], [-32, -10, 6, 10], [-90, -40, -28, -18]],
        [[-48, -32, -22, -14], [-30, -16, -10, 0], [-20, -8, 2, 10], [-12, 0, 10, 18],
         [-12, 0, 12, 18], [-20, -8, 4, 10], [-30, -16, -12, 2], [-54, -36, -24, -14]],
    ],
    [ // Bishops
        [[-16, -8, -14, -10], [-4, 10, 6, 4], [0, 8, 9, 8], [-4, 6, 9, 17],
         [-6, 6, 12, 16], [-6, 4, 10, 10], [-14, -10, -2, -4], [-24, -12, -16, -14]],
        [[-18, -12, -10, -6], [-12, -6, -4, 0], [-6, 0, 4, 6], [-4, 2, 4, 10],
         [-4, 2, 6, 10], [-6, 0, 4, 6], [-10, -6, -4, 0], [-16, -12, -10, -8]],
    ],
    [ // Rooks
        [[-14, -9, -3, 4], [-18, -10, -6, -2], [-14, -6, -4, 0], [-12, -6, -4, 0],
         [-8, -4, 0, 4], [-4, 4, 6, 8], [0, 6, 10, 12], [0, 2, 4, 6]],
        [[-5, -6, -5, -5], [-6, -5, -3, -3], [-2, -2, -2, -2], [0, 0, 0, 0],
         [2, 2, 2, 2], [4, 4, 4, 4], [6, 8, 8, 8], [8, 6, 8, 8]],
    ],
    [ // Queens
        [[-8, -6, -4, 2], [-6, 0, 4, 4], [-2, 4, 4, 2], [0, 2, 3, 2],
         [0, 2, 2, 2], [0, 4, 5, 3], [-6, -8, 2, 2], [-2, 0, 2, 2]],
        [[-32, -26, -22, -16], [-24, -14, -10, -2], [-16, -6, 0, 4], [-10, 2, 8, 14],
         [-10, 4, 10, 16], [-16, -4, 2, 8], [-22, -10, -8, -2], [-30, -22, -18, -14]],
    ],
    [ // Kings
        [[14, 30, 14, -8], [6, 6, -16, -30], [-24, -32, -44, -54], [-46, -56, -66, -76],
         [-60, -70, -80, -90], [-70, -80, -90, -100], [-80, -90, -100, -110], [-90, -100, -110, -120]],
        [[-46, -26, -14, -8], [-22, -6, 4, 8], [-10, 6, 16, 22], [-2, 14, 24, 32],
         [2, 18, 28, 34], [2, 18, 24, 26], [-10, 6, 12, 14], [-40, -22, -14, -10]],
    ],
];

/// Material and place of each piece.
pub(super) static PIECE_SQUARE: [[Pair; 64]; 6] = {
    let mut table = [[pair(0, 0); 64]; 6];
    let mut role = 0;
    while role < 6 {
        let mut square = 0;
        while square < 64 {
            let (rank, file) = (square / 8, square % 8);
            let column = if file < 4 { file } else { 7 - file };
            let [middlegame, endgame] = HALF_BOARDS[role];
            let place = pair(middlegame[rank][column], endgame[rank][column]);
            table[role][square] = Pair(MATERIAL[role].0 + place.0);
            square += 1;
        }
        role += 1;
    }
    table
};
