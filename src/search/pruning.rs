//! What is left out: whole nodes off the principal variation, and late moves.

use super::{
    history::is_tactical,
    negamax::{Known, OffPv},
    params,
    picker::Picker,
    score::{NONE, is_decisive, is_loss, is_win},
    transposition::{Bound, Entry},
    worker::Worker,
};
use crate::position::{PackedMove, Position};

impl Worker<'_> {
    /// Steps that settle a node off the principal variation without looking at all its moves.
    pub(super) fn prune_node(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: i32,
        beta: i32,
        depth: i32,
        known: &Known,
    ) -> Option<i32> {
        // Razoring: hopeless positions get a quiescence search to prove it.
        if alpha < 2000
            && known.static_eval < alpha - params::razor_base() - params::razor_slope() * depth
        {
            let score = self.quiescence::<OffPv>(position, ply, alpha, alpha + 1);
            if self.aborted || score <= alpha {
                return Some(score);
            }
        }

        // Reverse futility: good enough even after giving the opponent a margin.
        if !known.tt_pv
            && depth < params::rfp_depth()
            && known.table_move.is_none_or(is_tactical)
            && !is_decisive(beta)
            && !is_win(known.eval)
        {
            let safe = known.improving && !position.is_piece_threatened(&known.threats);
            let margin = params::rfp_margin() * depth
                - if safe { params::rfp_improving() } else { 0 }
                + known.correction.abs() / 2;
            if known.eval - margin >= beta {
                return Some(beta + (known.eval - beta) / 3);
            }
        }

        self.null_move(position, ply, beta, depth, known)
            .or_else(|| self.probcut(position, ply, beta, depth, known))
    }

    /// Null move: if passing still holds beta, some move will.
    fn null_move(
        &mut self,
        position: &Position,
        ply: usize,
        beta: i32,
        depth: i32,
        known: &Known,
    ) -> Option<i32> {
        let us = position.turn();
        let improving = i32::from(known.improving);
        let promising = known.static_eval + params::nmp_improving() * improving
            - params::nmp_slope() * depth
            >= beta;
        if !known.cut_node
            || depth <= 2
            || !promising
            || is_loss(beta)
            || self.no_null_for == Some(us)
            || self.frame_before(ply, 1).current.is_none()
            || !position.has_pieces(us)
            || known
                .entry
                .is_some_and(|e| e.score != NONE && e.bound == Bound::Upper && e.score < beta)
        {
            return None;
        }
        let reduction = 4
            + depth / 3
            + ((known.static_eval - beta) / params::nmp_eval_divisor()).clamp(0, 4)
            + i32::from(known.table_move_is_tactical());
        let child = self.make_null(position, ply)?;
        let score = self.null_window(&child, ply + 1, beta - 1, depth - reduction, false);
        self.unmake_null();
        if self.aborted {
            return Some(0);
        }
        if score < beta {
            return None;
        }
        // An unproven mate found by passing is not one.
        let score = if is_win(score) { beta } else { score };
        if self.no_null_for.is_some() || depth < params::nmp_verify_depth() && !is_decisive(beta) {
            return Some(score);
        }
        self.no_null_for = Some(us);
        self.frame(ply).verifying = true;
        let verified =
            self.negamax::<OffPv>(position, ply, beta - 1, beta, depth - reduction, false);
        self.frame(ply).verifying = false;
        self.no_null_for = None;
        (self.aborted || verified >= beta).then_some(score)
    }

    /// ProbCut: a capture that beats a raised beta at a lower depth will beat beta here.
    fn probcut(
        &mut self,
        position: &Position,
        ply: usize,
        beta: i32,
        depth: i32,
        known: &Known,
    ) -> Option<i32> {
        let raised = beta + params::probcut_margin()
            - if known.improving {
                params::probcut_improving()
            } else {
                0
            };
        if !known.cut_node
            || depth < 3
            || is_decisive(beta)
            || known
                .entry
                .is_some_and(|e| e.score != NONE && e.score < raised)
        {
            return None;
        }
        let threshold = (raised - known.static_eval) * params::probcut_see() / 256;
        let base_depth = (depth - 3 - (known.static_eval - beta) / params::probcut_eval_divisor())
            .clamp(0, depth - 1);
        let checks = position.check_squares();
        let node = known.for_picker(position, &checks);
        let mut picker = Picker::tactical(known.table_move, threshold);
        while let Some(m) = picker.next(node, &self.memory.histories) {
            // The table's move comes out untested.
            if Some(m) == known.table_move && !position.see_ge(m, threshold) {
                continue;
            }
            let child = self.make(position, ply, m);
            let mut score = -self.quiescence::<OffPv>(&child, ply + 1, -raised, -raised + 1);
            let mut searched = 0;
            if score >= raised && base_depth > 0 {
                let surplus = (score - raised - 50) / params::probcut_ada_divisor();
                let surplus = surplus.clamp(0, 3).min(base_depth);
                searched = base_depth - surplus;
                let higher = raised + surplus * params::probcut_ada_divisor();
                score = self.null_window(&child, ply + 1, higher - 1, searched, !known.cut_node);
                if score < higher && higher > raised {
                    searched = base_depth;
                    score =
                        self.null_window(&child, ply + 1, raised - 1, searched, !known.cut_node);
                }
            }
            self.unmake();
            if self.aborted {
                return Some(0);
            }
            if score >= raised {
                let entry = Entry {
                    best: PackedMove::new(m),
                    score,
                    eval: known.raw_eval,
                    depth: searched + 1,
                    bound: Bound::Lower,
                    pv: known.tt_pv,
                };
                self.search.table.store(position.table_key(), ply, entry);
                return Some(if is_decisive(score) {
                    score
                } else {
                    score - (raised - beta)
                });
            }
        }
        None
    }
}

/// Whether a quiet move and all quiet moves after it can be left out.
pub(super) fn quiet_verdict(
    known: &Known,
    depth: i32,
    reduced_depth: i32,
    number: usize,
    alpha: i32,
    stat: i32,
    gives_check: bool,
) -> bool {
    // Late move pruning: so many moves were tried in vain.
    let squared = depth * depth;
    let enough = if known.improving {
        4 + 8 * squared / 9
    } else {
        (5 + 8 * squared / 9) / 2
    };
    if reduced_depth < 9 && number as i32 >= enough {
        return true;
    }
    // Futility: even with a margin this won't reach alpha.
    if reduced_depth < 6 && !gives_check {
        let margin = params::futility_base()
            + params::futility_slope() * reduced_depth
            + stat / params::futility_history_divisor();
        if known.static_eval + margin <= alpha {
            return true;
        }
    }
    // History pruning: moves like it have failed often.
    reduced_depth < 7 && stat < params::history_pruning() * (depth - 1)
}

/// The exchange value below which a move is pruned.
pub(super) fn exchange_threshold(quiet: bool, depth: i32, stat: i32) -> i32 {
    let threshold = if quiet {
        params::see_quiet() * depth
    } else {
        params::see_tactical() * depth * depth
    };
    threshold - params::see_history() * stat / 1024
}
