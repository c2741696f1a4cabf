//! How deep a move is searched: singular extensions, late move reductions, hindsight.

use shakmaty::Move;

use super::{
    history::is_tactical,
    negamax::{Known, Node, OffPv},
    params,
    score::{NONE, is_decisive},
    worker::Worker,
};
use crate::position::Position;

impl Worker<'_> {
    /// The parent reduced this move; if both sides' evaluations say that it deserved more or less,
    /// mend it.
    pub(super) fn hindsight<N: Node>(&mut self, ply: usize, known: &Known, depth: i32) -> i32 {
        let parent = self.frame_before(ply, 1);
        if parent.static_eval == NONE {
            return depth;
        }
        let sum = known.static_eval + parent.static_eval;
        if parent.reduction >= params::hindsight_deeper() && sum < 0 {
            depth + 1
        } else if !N::PV
            && parent.reduction >= params::hindsight_shallower()
            && sum > params::hindsight_sum()
        {
            (depth - 1).max(1)
        } else {
            depth
        }
    }

    /// How many plies the table's move deserves beyond the rest, by a search without it.
    /// `Err` is a score that settles the whole node (multicut).
    pub(super) fn extension<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        m: Move,
        beta: i32,
        depth: i32,
        known: &Known,
    ) -> Result<i32, i32> {
        let Some(entry) = known.entry else {
            return Ok(0);
        };
        if known.excluded.is_some()
            || depth < params::singular_depth() + i32::from(known.tt_pv)
            || entry.depth < depth - 3
            || !entry.bound.is_lower()
            || entry.score == NONE
            || is_decisive(entry.score)
            || ply >= 2 * self.root_depth as usize
        {
            return Ok(0);
        }
        let singular_beta = entry.score - depth * params::singular_margin() / 64;
        self.frame(ply).excluded = Some(m);
        let score = self.negamax::<OffPv>(
            position,
            ply,
            singular_beta - 1,
            singular_beta,
            (depth - 1) / 2,
            known.cut_node,
        );
        self.frame(ply).excluded = None;
        if self.aborted {
            return Ok(0);
        }
        if score < singular_beta {
            let doubles = self.frame(ply).double_extensions;
            if !N::PV
                && doubles <= params::double_extension_limit()
                && score < singular_beta - params::double_extension_margin()
            {
                self.frame(ply).double_extensions += 1;
                let far = score < singular_beta - params::triple_extension_margin();
                return Ok(if !is_tactical(m) && far { 3 } else { 2 });
            }
            return Ok(1);
        }
        // Other moves are as good: if even they beat beta, so does this node.
        if !N::PV && score >= beta && !is_decisive(score) {
            return Err(score);
        }
        if entry.score >= beta {
            return Ok(-3 + i32::from(N::PV));
        }
        Ok(if known.cut_node { -2 } else { 0 })
    }
}

/// What is added to a late move's base reduction, in 1024ths of a ply.
pub(super) fn reduction<N: Node>(
    known: &Known,
    alpha: i32,
    stat: i32,
    alpha_raises: i32,
    gives_check: bool,
    killer: bool,
) -> i32 {
    let mut r = params::lmr_constant();
    if !N::PV {
        r += params::lmr_non_pv();
    }
    if known.tt_pv {
        r -= params::lmr_tt_pv();
        if known
            .entry
            .is_some_and(|e| e.score != NONE && e.score <= alpha)
        {
            r += params::lmr_tt_pv_fail_low();
        }
    }
    if known.cut_node {
        r += params::lmr_cut_node();
    }
    if killer {
        r -= params::lmr_killer();
    }
    if !known.improving {
        r += params::lmr_not_improving();
    }
    if known.table_move_is_tactical() {
        r += params::lmr_tt_capture();
    }
    if gives_check {
        r -= params::lmr_check();
    }
    r - stat * 1024 / params::lmr_history_divisor()
        - known.correction.abs() * params::lmr_correction()
        + alpha_raises * params::lmr_alpha_raise()
}
