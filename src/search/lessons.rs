//! What a node teaches the histories.

use shakmaty::Move;

use super::{
    history::{Context, Histories, is_tactical},
    negamax::Known,
    params,
    score::NONE,
    worker::Worker,
};

impl Worker<'_> {
    /// The quiet move that led here made the evaluation better or worse: say so to its history.
    pub(super) fn teach_parent_move(&mut self, ply: usize, known: &Known) {
        let parent = self.frame_before(ply, 1);
        if let (Some(m), Some(context)) = (parent.current, parent.context)
            && parent.static_eval != NONE
            && !is_tactical(m)
        {
            let sum = known.static_eval + parent.static_eval;
            let bonus =
                (-sum - params::eval_difference_offset()) * params::eval_difference_slope() / 32;
            let max = params::eval_difference_max();
            self.memory
                .histories
                .add_main(&context, m, bonus.clamp(-max, max));
        }
    }

    /// Rewards the move that cut and punishes those tried before it.
    pub(super) fn learn_from_cutoff(
        &mut self,
        ply: usize,
        context: &Context,
        best: Move,
        depth: i32,
        quiets: &[Move],
        tacticals: &[Move],
    ) {
        let histories = &mut self.memory.histories;
        if is_tactical(best) {
            histories.update_capture(context, best, depth, true);
        } else {
            histories.update_quiet(context, best, depth, true);
            for &m in quiets {
                histories.update_quiet(context, m, depth, false);
            }
        }
        for &m in tacticals {
            histories.update_capture(context, m, depth, false);
        }
        if !is_tactical(best) {
            self.frame(ply).killer = Some(best);
        }
    }

    /// No move here was good enough: the quiet move that led here was a good one.
    pub(super) fn praise_refutation(&mut self, ply: usize, depth: i32) {
        let parent = self.frame_before(ply, 1);
        if let (Some(m), Some(context)) = (parent.current, parent.context)
            && !is_tactical(m)
        {
            self.memory
                .histories
                .add_main(&context, m, Histories::main_bonus(depth));
        }
    }
}
