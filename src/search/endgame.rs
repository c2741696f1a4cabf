//! Tablebases in the search: the root's moves in the order of what becomes of them, and exact scores
//! of nodes with few men.

use std::sync::Arc;

use shakmaty::Move;

use super::{
    score::{DRAW, MATE_IN_MAX, MAX_DEPTH, NONE, TABLEBASE_WIN},
    transposition::{Bound, Entry},
    worker::Worker,
};
use crate::{
    position::{PackedMove, Position, repetition::KeyHistory},
    tablebase::{Distance, Outcome, Tablebases},
};

/// How deep a result of the tables counts as searched, beyond the depth of its node.
const TRUSTED_DEPTH: i32 = 6;
/// Ranks of root moves: beyond them all. A win in time has this rank, a loss the negative one.
const GREATEST_RANK: i32 = 1000;
/// Half-moves at which the fifty-move rule ends the game.
const CLOCK_LIMIT: i32 = 100;

/// How a search uses tablebases.
#[derive(Clone, Debug)]
pub struct Probing {
    /// The tables.
    pub tables: Arc<Tablebases>,
    /// Positions of more men than this are not looked up.
    pub most_men: usize,
    /// Positions of as many men as that are not looked up at a lower depth, in plies; those of
    /// fewer are always.
    pub least_depth: i32,
    /// Whether wins that the fifty-move rule prevents are draws.
    pub fifty_move_rule: bool,
}

/// What the tables say of a root move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Greater is better. All wins that come before the fifty-move rule have the same.
    pub rank: i32,
    /// The score, from the side that moves.
    pub score: i32,
}

impl Probing {
    /// What the tables say of each of `moves`, which are legal in `root`, after a game of
    /// `history`; and whether they know the way to the next capture or pawn move, so that the
    /// search need not look anything up. `None` if they know nothing.
    pub fn rank(
        &self,
        root: &Position,
        history: &KeyHistory,
        moves: &[Move],
    ) -> Option<(Vec<Verdict>, bool)> {
        if !Tablebases::covers(root, self.most_men) {
            return None;
        }
        let repeated = !history.repeated().is_empty();
        let by_distance = moves
            .iter()
            .map(|&m| {
                let plies = self.distance_after(root, history, m)?;
                Some(self.by_distance(plies, root.halfmoves() as i32, repeated))
            })
            .collect::<Option<Vec<Verdict>>>();
        if let Some(verdicts) = by_distance {
            return Some((verdicts, true));
        }
        let by_outcome = moves.iter().map(|&m| self.by_outcome(&root.play(m)));
        Some((by_outcome.collect::<Option<Vec<Verdict>>>()?, false))
    }

    /// Plies to the next capture or pawn move if `m` is played now, `m` included; positive if that
    /// wins, negative if it loses, 0 for a draw.
    fn distance_after(&self, root: &Position, history: &KeyHistory, m: Move) -> Option<i32> {
        let child = root.play(m);
        if child.in_check() && child.legal_moves().is_empty() {
            return Some(1);
        }
        if child.halfmoves() == 0 {
            return Some(match self.tables.outcome(&child)? {
                Outcome::Loss => 1,
                Outcome::BlessedLoss => CLOCK_LIMIT + 1,
                Outcome::Draw => 0,
                Outcome::CursedWin => -CLOCK_LIMIT - 1,
                Outcome::Win => -1,
            });
        }
        let mut keys = history.clone();
        keys.push(&child);
        if keys.occurrences_before(&child) >= 2 || child.is_fifty_move_draw() {
            return Some(0);
        }
        let Distance { plies, rounded } = self.tables.distance(&child)?;
        // What may be a ply more is counted so.
        let away = plies.abs() + 1 + i32::from(rounded);
        Some(-plies.signum() * away)
    }

    /// Wins are ranked by their distance only where they have to hurry; otherwise the search may
    /// choose. Losses resist for long.
    fn by_distance(&self, plies: i32, clock: i32, repeated: bool) -> Verdict {
        let reached = plies.abs() + clock;
        let rank = match plies.signum() {
            1 if reached < CLOCK_LIMIT && !repeated => GREATEST_RANK,
            1 => GREATEST_RANK - reached,
            -1 if plies.abs() + reached < CLOCK_LIMIT => -GREATEST_RANK,
            -1 => -GREATEST_RANK + reached,
            _ => 0,
        };
        let in_time = reached <= CLOCK_LIMIT || !self.fifty_move_rule;
        Verdict {
            rank,
            score: if in_time {
                win(0) * plies.signum()
            } else {
                DRAW
            },
        }
    }

    fn by_outcome(&self, child: &Position) -> Option<Verdict> {
        let outcome = self.tables.outcome(child)?;
        let (rank, score) = match outcome {
            Outcome::Loss => (GREATEST_RANK, win(0)),
            Outcome::BlessedLoss => (GREATEST_RANK - CLOCK_LIMIT - 1, self.prevented(1)),
            Outcome::Draw => (0, DRAW),
            Outcome::CursedWin => (-GREATEST_RANK + CLOCK_LIMIT + 1, self.prevented(-1)),
            Outcome::Win => (-GREATEST_RANK, -win(0)),
        };
        Some(Verdict { rank, score })
    }

    /// The score of a win, or loss by its sign, that the fifty-move rule prevents.
    fn prevented(&self, sign: i32) -> i32 {
        if self.fifty_move_rule {
            DRAW
        } else {
            sign * win(0)
        }
    }

    /// The score of a node `ply` plies below the root, and what it bounds; `None` if the tables are
    /// not asked, or don't know.
    #[inline]
    fn look_up(&self, position: &Position, ply: usize, depth: i32) -> Option<(i32, Bound)> {
        if position.halfmoves() != 0 || !Tablebases::covers(position, self.most_men) {
            return None;
        }
        if depth < self.least_depth && position.occupied().count() == self.most_men {
            return None;
        }
        let outcome = self.tables.outcome(position)?;
        let decided = |sign: i32| {
            let bound = if sign > 0 { Bound::Lower } else { Bound::Upper };
            (sign * win(ply), bound)
        };
        Some(match outcome {
            Outcome::Win => decided(1),
            Outcome::Loss => decided(-1),
            Outcome::CursedWin if !self.fifty_move_rule => decided(1),
            Outcome::BlessedLoss if !self.fifty_move_rule => decided(-1),
            Outcome::CursedWin | Outcome::Draw | Outcome::BlessedLoss => (DRAW, Bound::Exact),
        })
    }
}

/// The score of a win that the tables know `ply` plies below the root: less than any mate.
const fn win(ply: usize) -> i32 {
    MATE_IN_MAX - 1 - ply as i32
}

const _: () = assert!(win(super::score::MAX_PLY) == TABLEBASE_WIN);

impl Worker<'_> {
    /// The score that tablebases give a node, if it settles the node.
    pub(super) fn tablebase_score(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: i32,
        beta: i32,
        depth: i32,
        pv: bool,
    ) -> Option<i32> {
        let probing = self.probing?;
        let (score, bound) = probing.look_up(position, ply, depth)?;
        self.search.count_tablebase_hit();
        let settled = match bound {
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
            Bound::Exact => true,
            Bound::None => false,
        };
        if !settled {
            return None;
        }
        let entry = Entry {
            best: PackedMove::NONE,
            score,
            eval: NONE,
            depth: (depth + TRUSTED_DEPTH).min(MAX_DEPTH),
            bound,
            pv,
        };
        self.search.table.store(position.table_key(), ply, entry);
        Some(score)
    }

    /// Asks the tables for the worth of the root's moves. Those of the best rank come first then,
    /// in the order that they had.
    pub(super) fn rank_root_moves(&mut self) {
        let job = &self.search.job;
        let Some(probing) = &job.probing else {
            return;
        };
        let moves: Vec<Move> = self.root_moves.iter().map(|r| r.m).collect();
        let Some((verdicts, way_is_known)) = probing.rank(&job.root, &job.history, &moves) else {
            self.probing = Some(probing);
            return;
        };
        if self.id == 0 {
            verdicts
                .iter()
                .for_each(|_| self.search.count_tablebase_hit());
        }
        let best = verdicts.iter().map(|v| v.score).max().unwrap_or(DRAW);
        self.unrestricted &= verdicts.iter().all(|v| v.rank == verdicts[0].rank);
        for (root_move, verdict) in self.root_moves.iter_mut().zip(verdicts) {
            root_move.verdict = Some(verdict);
        }
        self.root_moves.sort_by_key(|r| std::cmp::Reverse(r.rank()));
        // On the way of a win that is known, mates are to be seen, not scores of the tables.
        self.probing = Some(probing).filter(|_| !way_is_known && best > DRAW);
    }
}
