//! Move ordering: hands out a node's moves, those likely to cut first, and scores none before it
//! must.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, Board, Move, Role, attacks};

use super::{
    history::{Context, Histories, is_tactical},
    params,
};
use crate::position::{CheckSquares, Position, threats::Threats};

/// The most moves a position can have, as `shakmaty` bounds it.
const MAX_MOVES: usize = 270;

/// How far a promotion to less than a queen is put back.
const UNDERPROMOTION_MALUS: i32 = 30_000;

/// Victim's worth in ordering captures, by role.
const VICTIM: [i32; 6] = [0, 2400, 2400, 4800, 9600, 0];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    TableMove,
    Generate,
    GoodTactical,
    Killer,
    ScoreQuiets,
    Quiets,
    BadTactical,
    Done,
}

/// What ordering looks at in a node.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    /// The position.
    pub position: &'a Position,
    /// What the opponent attacks in it.
    pub threats: &'a Threats,
    /// Where moves give check.
    pub checks: &'a CheckSquares<'a>,
    /// The node as the histories see it.
    pub context: &'a Context,
}

#[derive(Clone, Copy)]
struct Scored {
    m: Move,
    score: i32,
}

/// Hands out the moves of one node. Each legal move comes out once, unless it is skipped.
///
/// One list holds everything: the tactical moves first, then the quiet ones. `next` runs through
/// it; tactical moves that turn out bad are kept in the places that it has left behind.
pub struct Picker {
    stage: Stage,
    tactical_only: bool,
    skip_quiets: bool,
    table_move: Option<Move>,
    killer: Option<Move>,
    /// Exchange threshold of a good tactical move.
    threshold: i32,
    moves: ArrayVec<Scored, MAX_MOVES>,
    tactical_end: usize,
    next: usize,
    bad_end: usize,
}

impl Picker {
    #[inline(always)]
    fn new(table_move: Option<Move>, threshold: i32) -> Picker {
        Picker {
            stage: Stage::TableMove,
            tactical_only: false,
            skip_quiets: false,
            table_move,
            killer: None,
            threshold,
            moves: ArrayVec::new(),
            tactical_end: 0,
            next: 0,
            bad_end: 0,
        }
    }

    /// All moves, for a node of the main search. The table's move must be legal; the killer need
    /// not be.
    #[inline(always)]
    pub fn all(table_move: Option<Move>, killer: Option<Move>) -> Picker {
        let mut picker = Picker::new(table_move, params::good_capture_see());
        picker.killer = killer;
        picker
    }

    /// Captures and queen promotions whose exchange gains at least `threshold`, and no others.
    #[inline(always)]
    pub fn tactical(table_move: Option<Move>, threshold: i32) -> Picker {
        let mut picker = Picker::new(table_move.filter(|&m| is_tactical(m)), threshold);
        picker.tactical_only = true;
        picker
    }

    /// All moves out of check, for quiescence.
    #[inline(always)]
    pub fn evasions(table_move: Option<Move>) -> Picker {
        Picker::new(table_move, params::quiescence_see())
    }

    /// From now on quiet moves are left out.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Whether the good tactical moves are all out.
    pub fn past_good_tactical(&self) -> bool {
        self.stage > Stage::GoodTactical
    }

    /// The next move.
    #[inline]
    pub fn next(&mut self, node: Node, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::Generate;
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Stage::Generate => {
                    self.generate(node, histories);
                    self.stage = Stage::GoodTactical;
                }
                Stage::GoodTactical => {
                    while let Some(m) = self.select_best(self.tactical_end) {
                        if node.position.see_ge(m.m, self.threshold) {
                            return Some(m.m);
                        }
                        self.moves[self.bad_end] = m;
                        self.bad_end += 1;
                    }
                    self.stage = if self.tactical_only {
                        Stage::Done
                    } else {
                        Stage::Killer
                    };
                }
                Stage::Killer => {
                    self.stage = Stage::ScoreQuiets;
                    if !self.skip_quiets
                        && let Some(killer) = self.killer
                        && let Some(found) = self.moves[self.tactical_end..]
                            .iter()
                            .position(|s| s.m == killer)
                    {
                        self.moves.swap_remove(self.tactical_end + found);
                        return self.killer;
                    }
                }
                Stage::ScoreQuiets => {
                    if !self.skip_quiets {
                        self.score_quiets(node, histories);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some(m) = self.select_best(self.moves.len())
                    {
                        return Some(m.m);
                    }
                    self.next = 0;
                    self.stage = Stage::BadTactical;
                }
                Stage::BadTactical => {
                    if self.next < self.bad_end {
                        self.next += 1;
                        return Some(self.moves[self.next - 1].m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// Takes the best of the moves from `next` to `end`; of equal ones the first.
    #[inline]
    fn select_best(&mut self, end: usize) -> Option<Scored> {
        let rest = &mut self.moves[self.next..end];
        // Score and place in one number: the greatest is found without a branch.
        let packed = |(i, s): (usize, &Scored)| i64::from(s.score) << 16 | (0xffff - i as i64);
        let best = rest.iter().enumerate().map(packed).max()?;
        let best = 0xffff - (best & 0xffff) as usize;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }

    fn generate(&mut self, node: Node, histories: &Histories) {
        let table_move = self.table_move;
        let score = |m: Move| {
            let victim = m.capture().map_or(0, |role| VICTIM[role as usize - 1]);
            let promotion = match m.promotion() {
                Some(Role::Queen) => VICTIM[Role::Queen as usize - 1],
                Some(_) => -UNDERPROMOTION_MALUS,
                None => 0,
            };
            Scored {
                m,
                score: victim + promotion + histories.capture(node.context, m),
            }
        };
        if self.tactical_only {
            let moves = node.position.tactical_moves();
            self.moves.extend(
                moves
                    .into_iter()
                    .filter(|&m| Some(m) != table_move)
                    .map(score),
            );
            self.tactical_end = self.moves.len();
        } else {
            for m in node.position.legal_moves() {
                if Some(m) == table_move {
                    continue;
                }
                if is_tactical(m) {
                    self.moves.push(score(m));
                    let last = self.moves.len() - 1;
                    self.moves.swap(self.tactical_end, last);
                    self.tactical_end += 1;
                } else {
                    self.moves.push(Scored { m, score: 0 });
                }
            }
        }
    }

    fn score_quiets(&mut self, node: Node, histories: &Histories) {
        let Node {
            position,
            threats,
            checks,
            context,
        } = node;
        let us = position.turn();
        let board = position.board();
        let theirs = board.by_color(!us);
        let rows = histories.quiet_rows(context);
        for scored in &mut self.moves[self.tactical_end..] {
            let m = scored.m;
            let index = context.index(m);
            let mut score = rows.main(index)
                + rows.continuation(0, index)
                + rows.continuation(1, index)
                + (rows.continuation(2, index) + rows.continuation(3, index)) / 2
                + rows.pawn(index);

            if checks.gives_check(m) && position.see_ge(m, params::check_see()) {
                score += params::check_bonus();
            }
            if let Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } = m
            {
                if role == Role::Pawn {
                    score += attack_bonus(board, attacks::pawn_attacks(us, to) & theirs);
                    if promotion.is_some() {
                        score -= UNDERPROMOTION_MALUS;
                    }
                } else {
                    let danger = threats.against(role);
                    let worth = match role {
                        Role::Rook => params::escape_rook(),
                        Role::Queen => params::escape_queen(),
                        _ => params::escape_minor(),
                    };
                    score +=
                        worth * (i32::from(danger.contains(from)) - i32::from(danger.contains(to)));
                }
            }
            scored.score = score;
        }
    }
}

/// The bonus of a pawn move for the dearest piece among those it attacks.
#[inline]
fn attack_bonus(board: &Board, attacked: Bitboard) -> i32 {
    if attacked.is_empty() {
        0
    } else if (attacked & board.kings()).any() {
        10_000
    } else if (attacked & board.queens()).any() {
        8000
    } else if (attacked & board.rooks()).any() {
        6000
    } else if (attacked & (board.bishops() | board.knights())).any() {
        4000
    } else {
        1000
    }
}
