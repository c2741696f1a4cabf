//! What earlier moves were worth: the statistics that order moves and scale their reductions.
//!
//! Every table holds 16-bit values that move towards a bonus by "gravity": the nearer a value is
//! to its limit, the less a further bonus adds. One thread's tables take about 2.7 MiB.

use std::collections::TryReserveError;

use shakmaty::{Bitboard, Color, Move, Role, Square};

use crate::{
    position::{Position, landing_square},
    system,
};

/// The greatest value a history can have.
pub const LIMIT: i32 = 16_384;

/// A piece and the square it landed on, as continuation histories index it.
pub type PieceTo = u16;

/// The index that stands for "no move": a null move, or before the root.
pub const NO_PIECE_TO: PieceTo = 768;

const PIECE_TOS: usize = 769;
const PAWN_BUCKETS: usize = 1024;

/// The index of the piece that moves and where it lands.
#[inline]
pub fn piece_to(m: Move, us: Color) -> PieceTo {
    (piece_index(m.role(), us) * 64 + landing_square(m).to_usize()) as PieceTo
}

#[inline]
fn piece_index(role: Role, color: Color) -> usize {
    color.is_black() as usize * 6 + role as usize - 1
}

#[inline]
fn apply(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

/// A bonus that grows with depth up to a limit.
#[derive(Clone, Copy)]
struct Ramp {
    slope: i32,
    offset: i32,
    max: i32,
}

impl Ramp {
    #[inline]
    fn at(self, depth: i32) -> i32 {
        (self.slope * depth + self.offset).min(self.max)
    }
}

/// How one table rewards the best move and punishes those tried before it.
#[derive(Clone, Copy)]
struct Rates {
    bonus: Ramp,
    malus: Ramp,
}

impl Rates {
    /// The signed change for a move at `depth`.
    #[inline]
    fn change(self, depth: i32, good: bool) -> i32 {
        if good {
            self.bonus.at(depth)
        } else {
            -self.malus.at(depth)
        }
    }
}

const fn rates(bonus: [i32; 3], malus: [i32; 3]) -> Rates {
    Rates {
        bonus: Ramp {
            slope: bonus[0],
            offset: bonus[1],
            max: bonus[2],
        },
        malus: Ramp {
            slope: malus[0],
            offset: malus[1],
            max: malus[2],
        },
    }
}

const MAIN: Rates = rates([357, 226, 2241], [111, 561, 915]);
const PAWN: Rates = rates([169, 162, 2208], [251, 188, 1281]);
const TACTICAL: Rates = rates([104, 328, 1248], [29, 394, 1122]);
/// For the moves one, two, four and six plies before.
const CONTINUATION: [Rates; 4] = [
    rates([287, 150, 3729], [270, 267, 1178]),
    rates([177, 178, 1596], [280, 130, 943]),
    rates([177, 185, 1630], [201, -32, 945]),
    rates([177, 185, 1630], [201, -32, 945]),
];

/// How many plies back each continuation history looks.
pub const CONTINUATION_PLIES: [usize; 4] = [1, 2, 4, 6];

/// The moves one, two, four and six plies before a node.
pub type Predecessors = [PieceTo; 4];

/// [origin attacked][landing square attacked][from][to]
type ByOrigin = [[[[i16; 64]; 64]; 2]; 2];
/// [captured][piece][to]
type ByCaptured = [[[i16; 64]; 12]; 6];
/// [landing square attacked][piece and to]
type ByLanding = [[i16; 768]; 2];

static NO_ORIGINS: ByOrigin = [[[[0; 64]; 64]; 2]; 2];
const NO_CAPTURES: ByCaptured = [[[0; 64]; 12]; 6];
const NO_LANDINGS: ByLanding = [[0; 768]; 2];
const NO_MOVES: [i16; PIECE_TOS] = [0; PIECE_TOS];

/// The tables of one thread.
#[derive(Debug)]
pub struct Histories {
    /// [origin attacked][landing square attacked][piece and to]
    piece_to: Box<[ByLanding; 2]>,
    /// For each colour.
    from_to: Box<[ByOrigin; 2]>,
    /// [landing square attacked][captured][piece][to]
    captures: Box<[ByCaptured; 2]>,
    /// [earlier move][move]
    continuation: Box<[[i16; PIECE_TOS]]>,
    /// [pawn structure][move]
    pawns: Box<[[i16; PIECE_TOS]]>,
}

/// A node as the histories see it: everything but the move.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    us: Color,
    /// Squares that the opponent attacks.
    attacked: Bitboard,
    pawn_bucket: usize,
    predecessors: Predecessors,
}

impl Context {
    /// The context of `position`, where the opponent attacks the squares `attacked`.
    #[inline]
    pub fn new(position: &Position, attacked: Bitboard, predecessors: Predecessors) -> Context {
        Context {
            us: position.turn(),
            attacked,
            pawn_bucket: position.keys().pawns as usize % PAWN_BUCKETS,
            predecessors,
        }
    }
}

/// Where a quiet move stands in the tables.
#[derive(Clone, Copy, Debug)]
pub struct QuietIndex {
    from: usize,
    to: usize,
    origin_attacked: usize,
    landing_attacked: usize,
    piece_to: usize,
}

impl Context {
    /// Where a quiet move stands in the tables.
    #[inline]
    pub fn index(&self, m: Move) -> QuietIndex {
        let (role, from, to) = match m {
            Move::Normal { role, from, to, .. } => (role, from, to),
            _ => (m.role(), m.from().unwrap_or(Square::A1), landing_square(m)),
        };
        QuietIndex {
            from: from.to_usize(),
            to: to.to_usize(),
            origin_attacked: usize::from(self.attacked.contains(from)),
            landing_attacked: usize::from(self.attacked.contains(to)),
            piece_to: piece_index(role, self.us) * 64 + to.to_usize(),
        }
    }
}

/// One node's rows of the quiet tables.
#[derive(Clone, Copy)]
pub struct QuietRows<'a> {
    piece_to: &'a [ByLanding; 2],
    from_to: &'a ByOrigin,
    continuation: [&'a [i16; PIECE_TOS]; 4],
    pawns: &'a [i16; PIECE_TOS],
}

impl QuietRows<'_> {
    /// Butterfly history: by piece and by origin, half each.
    #[inline]
    pub fn main(&self, i: QuietIndex) -> i32 {
        let a = self.piece_to[i.origin_attacked][i.landing_attacked][i.piece_to];
        let b = self.from_to[i.origin_attacked][i.landing_attacked][i.from][i.to];
        (i32::from(a) + i32::from(b)) / 2
    }

    /// Continuation history after the `which`-th of [`CONTINUATION_PLIES`].
    #[inline]
    pub fn continuation(&self, which: usize, i: QuietIndex) -> i32 {
        i32::from(self.continuation[which][i.piece_to])
    }

    /// Pawn-structure history.
    #[inline]
    pub fn pawn(&self, i: QuietIndex) -> i32 {
        i32::from(self.pawns[i.piece_to])
    }
}

/// Whether the search treats a move as tactical: a capture or a promotion to a queen.
#[inline]
pub fn is_tactical(m: Move) -> bool {
    m.is_capture() || m.promotion() == Some(Role::Queen)
}

impl Histories {
    /// Tables of zeros.
    ///
    /// # Errors
    /// When the memory can't be had.
    pub fn new() -> Result<Histories, TryReserveError> {
        Ok(Histories {
            piece_to: system::array(|| NO_LANDINGS)?,
            from_to: system::array(|| NO_ORIGINS)?,
            captures: system::array(|| NO_CAPTURES)?,
            continuation: system::table(PIECE_TOS, || NO_MOVES)?,
            pawns: system::table(PAWN_BUCKETS, || NO_MOVES)?,
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.piece_to.fill(NO_LANDINGS);
        self.from_to.fill(NO_ORIGINS);
        self.captures.fill(NO_CAPTURES);
        self.continuation.fill(NO_MOVES);
        self.pawns.fill(NO_MOVES);
    }

    /// The rows of the tables that a node's quiet moves are looked up in.
    #[inline]
    pub fn quiet_rows(&self, context: &Context) -> QuietRows<'_> {
        QuietRows {
            piece_to: &self.piece_to,
            from_to: &self.from_to[context.us.is_black() as usize],
            continuation: context
                .predecessors
                .map(|earlier| &self.continuation[usize::from(earlier)]),
            pawns: &self.pawns[context.pawn_bucket],
        }
    }

    /// Capture history of a tactical move. A promotion that takes nothing counts as taking a pawn.
    #[inline]
    pub fn capture(&self, context: &Context, m: Move) -> i32 {
        let (t, captured, piece, to) = capture_index(context, m);
        i32::from(self.captures[t][captured][piece][to])
    }

    /// Rewards or punishes a quiet move in all tables.
    pub fn update_quiet(&mut self, context: &Context, m: Move, depth: i32, good: bool) {
        self.add_main(context, m, MAIN.change(depth, good));
        let index = context.index(m).piece_to;
        apply(
            &mut self.pawns[context.pawn_bucket][index],
            PAWN.change(depth, good),
        );
        self.update_continuation(context, m, depth, good);
    }

    /// Rewards or punishes a quiet move in the continuation tables alone.
    pub fn update_continuation(&mut self, context: &Context, m: Move, depth: i32, good: bool) {
        let index = context.index(m).piece_to;
        for (&earlier, rates) in context.predecessors.iter().zip(CONTINUATION) {
            if earlier != NO_PIECE_TO {
                apply(
                    &mut self.continuation[usize::from(earlier)][index],
                    rates.change(depth, good),
                );
            }
        }
    }

    /// Adds `bonus` to a quiet move's butterfly history.
    pub fn add_main(&mut self, context: &Context, m: Move, bonus: i32) {
        let i = context.index(m);
        apply(
            &mut self.piece_to[i.origin_attacked][i.landing_attacked][i.piece_to],
            bonus,
        );
        let from_to = &mut self.from_to[context.us.is_black() as usize];
        apply(
            &mut from_to[i.origin_attacked][i.landing_attacked][i.from][i.to],
            bonus,
        );
    }

    /// The butterfly bonus of a good quiet move at `depth`.
    pub fn main_bonus(depth: i32) -> i32 {
        MAIN.bonus.at(depth)
    }

    /// Rewards or punishes a tactical move.
    pub fn update_capture(&mut self, context: &Context, m: Move, depth: i32, good: bool) {
        let (t, captured, piece, to) = capture_index(context, m);
        apply(
            &mut self.captures[t][captured][piece][to],
            TACTICAL.change(depth, good),
        );
    }
}

#[inline]
fn capture_index(context: &Context, m: Move) -> (usize, usize, usize, usize) {
    let to = m.to();
    (
        usize::from(context.attacked.contains(to)),
        m.capture().unwrap_or(Role::Pawn) as usize - 1,
        piece_index(m.role(), context.us),
        to.to_usize(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_never_passes_the_limit() {
        let mut value = 0;
        for _ in 0..1000 {
            apply(&mut value, 3729);
        }
        assert!(i32::from(value) <= LIMIT && value > 15_000);
        for _ in 0..1000 {
            apply(&mut value, -3729);
        }
        assert!(i32::from(value) >= -LIMIT && value < -15_000);
    }

    #[test]
    fn a_rewarded_move_rises_above_a_punished_one() {
        let position = Position::startpos();
        let context = Context::new(&position, Bitboard::EMPTY, [3, 4, NO_PIECE_TO, NO_PIECE_TO]);
        let moves = position.legal_moves();
        let mut histories = Histories::new().expect("memory");
        histories.update_quiet(&context, moves[0], 5, true);
        histories.update_quiet(&context, moves[1], 5, false);
        let rows = histories.quiet_rows(&context);
        let (good, bad) = (context.index(moves[0]), context.index(moves[1]));
        assert!(rows.main(good) > 0 && rows.main(bad) < 0);
        assert!(rows.pawn(good) > 0 && rows.pawn(bad) < 0);
        assert!(rows.continuation(0, good) > 0 && rows.continuation(0, bad) < 0);
        assert_eq!(rows.continuation(2, good), 0);
    }

    #[test]
    fn castling_is_indexed_by_where_the_king_lands() {
        let castle = Move::Castle {
            king: Square::B1,
            rook: Square::A1,
        };
        assert_eq!(
            piece_to(castle, Color::White),
            5 * 64 + Square::C1 as PieceTo
        );
    }
}
