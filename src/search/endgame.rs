//! Tablebases in the search: the root's moves in the order of what becomes of them, and exact scores
//! of nodes with few men.

use std::sync::Arc;

use shakmaty::Move;

use super::{
    Event,
    negamax::Node,
    score::{DRAW, INFINITE, MATE_IN_MAX, MAX_DEPTH, NONE, TABLEBASE_WIN},
    transposition::{Bound, Entry},
    worker::Worker,
};
use crate::{
    position::{PackedMove, Position, repetition::KeyHistory},
    tablebase::{Distance, Outcome, Tablebases},
};

/// How deep a result of the tables counts as searched, beyond the depth of its node.
const TRUSTED_DEPTH: i32 = 6;
/// Ranks of root moves: none is beyond it. A win in time has this rank, a loss the negative one.
const GREATEST_RANK: i32 = 10_000;
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

/// What the tables say of the moves of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// Of each move.
    pub verdicts: Vec<Verdict>,
    /// Whether they know the way to the next capture or pawn move, so that the search need not look
    /// anything up.
    pub way_is_known: bool,
}

impl Probing {
    /// What the tables say of each of `moves`, which are legal in `root`, after a game of
    /// `history`. `None` if they don't know all of them, or `stop` tells to give up.
    pub fn rank(
        &self,
        root: &Position,
        history: &KeyHistory,
        moves: &[Move],
        stop: impl Fn() -> bool,
    ) -> Option<Ranking> {
        if !Tablebases::covers(root, self.most_men) {
            return None;
        }
        let repeated = !history.repeated().is_empty();
        let judge_all = |plies: &dyn Fn(&Position) -> Option<i32>| {
            let judge = |&m: &Move| {
                let child = root.play(m);
                let plies = plies(&child).filter(|_| !stop())?;
                let clock = child.halfmoves().min(100).saturating_sub(1) as i32;
                Some(self.verdict(plies, clock, repeated))
            };
            moves.iter().map(judge).collect::<Option<Vec<Verdict>>>()
        };
        let by_distance = judge_all(&|child| self.distance_to(child, history));
        let way_is_known = by_distance.is_some();
        let verdicts = by_distance
            .or_else(|| judge_all(&|child| self.tables.outcome(child).map(plies_after)))?;
        Some(Ranking {
            verdicts,
            way_is_known,
        })
    }

    /// Plies to the next capture or pawn move, the move that led to `child` included; positive if it
    /// wins, negative if it loses, 0 for a draw. `history` ends before that move.
    fn distance_to(&self, child: &Position, history: &KeyHistory) -> Option<i32> {
        if child.in_check() && child.legal_moves().is_empty() {
            return Some(1);
        }
        if child.halfmoves() == 0 {
            return self.tables.outcome(child).map(plies_after);
        }
        let mut keys = history.clone();
        keys.push(child);
        if keys.is_draw(child) {
            return Some(0);
        }
        let Distance { plies, rounded } = self.tables.distance(child)?;
        // What may be a ply more is counted so.
        let away = plies.abs() + 1 + i32::from(rounded);
        Some(-plies.signum() * away)
    }

    /// The verdict on a move after which the next capture or pawn move comes in `plies`, counted
    /// from before the move, when the clock stands at `clock` there. Wins are ranked by their
    /// distance only where they have to hurry; otherwise the search may choose. Losses resist for
    /// long.
    fn verdict(&self, plies: i32, clock: i32, repeated: bool) -> Verdict {
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
        Some(match outcome {
            Outcome::Win => (win(ply), Bound::Lower),
            Outcome::Loss => (-win(ply), Bound::Upper),
            Outcome::CursedWin if !self.fifty_move_rule => (win(ply), Bound::Lower),
            Outcome::BlessedLoss if !self.fifty_move_rule => (-win(ply), Bound::Upper),
            Outcome::CursedWin | Outcome::Draw | Outcome::BlessedLoss => (DRAW, Bound::Exact),
        })
    }
}

/// The distance, for the side that moved, of a capture or pawn move that leads to `outcome` for the
/// other: beyond the limit of the fifty-move rule where that has a say.
fn plies_after(outcome: Outcome) -> i32 {
    match outcome {
        Outcome::Loss => 1,
        Outcome::BlessedLoss => CLOCK_LIMIT + 1,
        Outcome::Draw => 0,
        Outcome::CursedWin => -CLOCK_LIMIT - 1,
        Outcome::Win => -1,
    }
}

/// The score of a win that the tables know `ply` plies below the root: less than any mate.
const fn win(ply: usize) -> i32 {
    MATE_IN_MAX - 1 - ply as i32
}

const _: () = assert!(win(super::score::MAX_PLY) == TABLEBASE_WIN);

/// What tablebases say of a node.
pub(super) enum Lookup {
    /// Its score is this, as far as the window cares.
    Settled(i32),
    /// Its score is between these, from the least to the greatest.
    Between(i32, i32),
}

/// What is known of a node that no table knows.
const NOTHING: Lookup = Lookup::Between(-INFINITE, INFINITE);

impl Worker<'_> {
    /// What tablebases know of a node.
    pub(super) fn ask_tables<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: i32,
        beta: i32,
        depth: i32,
        tt_pv: bool,
    ) -> Lookup {
        let Some(probing) = self.probing else {
            return NOTHING;
        };
        let Some((score, bound)) = probing.look_up(position, ply, depth) else {
            self.tell_failure(probing);
            return NOTHING;
        };
        self.search.count_tablebase_hits(1);
        // There may be a mate beyond what the tables say.
        let (least, greatest) = match bound {
            Bound::Lower => (score, INFINITE),
            Bound::Upper => (-INFINITE, score),
            Bound::Exact | Bound::None => (score, score),
        };
        if least >= beta || greatest <= alpha || least == greatest {
            let entry = Entry {
                best: PackedMove::NONE,
                score,
                eval: NONE,
                depth: (depth + TRUSTED_DEPTH).min(MAX_DEPTH),
                bound,
                pv: tt_pv,
            };
            self.search.table.store(position.table_key(), ply, entry);
            return Lookup::Settled(score);
        }
        if N::PV {
            Lookup::Between(least, greatest)
        } else {
            NOTHING
        }
    }

    /// Says, once, that the tables can't be used any more.
    fn tell_failure(&self, probing: &Probing) {
        if probing.tables.failed() {
            let text = "reading a tablebase failed: they are not used any more".to_owned();
            self.say(|_| Event::Failure(text));
        }
    }

    /// Asks the tables for the worth of the root's moves, once for all threads. Those of the best
    /// rank come first then, in the order that they had.
    pub(super) fn rank_root_moves(&mut self) {
        let job = &self.search.job;
        let Some(probing) = &job.probing else {
            return;
        };
        let ranking = self.search.ranking(|| {
            let stop = || job.control.search_over();
            let ranking = probing.rank(&job.root, &job.history, &job.root_moves, stop);
            let hits = ranking.as_ref().map_or(0, |ranking| ranking.verdicts.len());
            self.search.count_tablebase_hits(hits as u64);
            ranking
        });
        self.tell_failure(probing);
        let Some(ranking) = ranking else {
            self.probing = Some(probing);
            return;
        };
        let verdicts = &ranking.verdicts;
        let best = verdicts.iter().map(|v| v.score).max().unwrap_or(DRAW);
        self.unrestricted &= verdicts.iter().all(|v| v.rank == verdicts[0].rank);
        for (root_move, verdict) in self.root_moves.iter_mut().zip(verdicts) {
            root_move.verdict = Some(*verdict);
        }
        self.root_moves.sort_by_key(|r| std::cmp::Reverse(r.rank()));
        // On the way of a win that is known, mates are to be seen, not scores of the tables.
        self.probing = Some(probing).filter(|_| !ranking.way_is_known && best > DRAW);
    }
}
