//! The alpha-beta node.
//!
//! Principal variation search with the pruning and reductions of its day; every constant is in
//! [`params`]. A node reads top to bottom; what one step decides is in a function of its name.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::{
    history::{Context, Histories, is_tactical},
    params,
    picker::{self, Picker},
    score::{
        INFINITE, MAX_DEPTH, MAX_PLY, NONE, is_decisive, is_loss, is_win, mate_in,
        mated_in,
    },
    transposition::{Bound, Entry},
    worker::Worker,
};
use crate::position::{CheckSquares, PackedMove, Position, threats::Threats};

/// What kind of node this is, known to the compiler.
pub trait Node {
    /// On the principal variation.
    const PV: bool;
    /// The root.
    const ROOT: bool;
}

/// The root of the search.
pub struct Root;
/// A node on the principal variation.
pub struct OnPv;
/// Any other node: its window is empty.
pub struct OffPv;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl Node for OnPv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl Node for OffPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// The halfmove clock from which table scores are not trusted: they know nothing of it.
pub(super) const TABLE_CUTOFF_CLOCK: u32 = 90;

/// Moves tried before the best one that are remembered to be punished.
const TRIED: usize = 48;

/// What is known of a node before its moves are looked at.
struct Known {
    in_check: bool,
    excluded: Option<Move>,
    entry: Option<Entry>,
    table_move: Option<Move>,
    tt_pv: bool,
    /// The evaluation as it came, [`NONE`] in check.
    raw_eval: i32,
    /// The corrected evaluation.
    static_eval: i32,
    /// The same, refined by the table's score.
    eval: i32,
    correction: i32,
    improving: bool,
    cut_node: bool,
    threats: Threats,
    context: Context,
}

impl Known {
    fn for_picker<'a>(&'a self, position: &'a Position, checks: &'a CheckSquares) -> picker::Node<'a> {
        picker::Node { position, threats: &self.threats, checks, context: &self.context }
    }

    fn table_move_is_tactical(&self) -> bool {
        self.table_move.is_some_and(is_tactical)
    }
}

/// Whether a score of kind `bound` settles the window around `beta`.
#[inline]
pub(super) fn bound_settles(bound: Bound, score: i32, beta: i32) -> bool {
    if score >= beta { bound.is_lower() } else { bound.is_upper() }
}

impl Worker<'_> {
    /// The score of `position`, `ply` plies below the root, searched to `depth` plies within
    /// `alpha` and `beta`, from the side to move. Fail-soft.
    pub fn negamax<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: i32,
        mut beta: i32,
        mut depth: i32,
        cut_node: bool,
    ) -> i32 {
        if depth <= 0 {
            return self.quiescence::<N>(position, ply, alpha, beta);
        }
        depth = depth.min(MAX_DEPTH);
        if self.must_stop() {
            return 0;
        }
        if N::PV {
            self.frame(ply).line.clear();
            self.seldepth = self.seldepth.max(ply + 1);
        }

        if !N::ROOT {
            if self.is_draw(position, ply) {
                return self.draw_score();
            }
            if ply >= MAX_PLY - 1 {
                return if position.in_check() { 0 } else { self.evaluate(position) };
            }
            if alpha < 0 && self.keys.has_upcoming_repetition(position, ply) {
                alpha = self.draw_score();
                if alpha >= beta {
                    return alpha;
                }
            }
            // Mate distance: no line from here is better than mate in one, or worse than mated.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        let excluded = self.frame(ply).excluded;
        let key = position.table_key();
        let entry = match excluded {
            Some(_) => None,
            None => self.search.table.probe(key, ply, position.halfmoves()),
        };
        let table_move = if N::ROOT {
            Some(self.root_moves[self.pv_index].m)
        } else {
            entry.and_then(|e| e.best.unpack(position))
        };

        if !N::PV
            && let Some(e) = entry
            && e.score != NONE
            && e.depth >= depth + i32::from(e.score >= beta)
            && position.halfmoves() < TABLE_CUTOFF_CLOCK
            && bound_settles(e.bound, e.score, beta)
        {
            if let Some(m) = table_move.filter(|&m| !is_tactical(m) && e.score >= beta) {
                let context = self.context(position, ply, &position.threats());
                self.memory.histories.update_quiet(&context, m, depth, true);
            }
            return e.score;
        }

        let known = self.know::<N>(position, ply, entry, table_move, excluded, cut_node);
        self.frame(ply + 2).killer = None;
        let inherited = self.frame_before(ply, 1).double_extensions;
        self.frame(ply).double_extensions = if N::ROOT { 0 } else { inherited };

        if !N::ROOT && !known.in_check && excluded.is_none() {
            depth = self.hindsight::<N>(ply, &known, depth);
            self.teach_parent_move(ply, &known);
        }
        if !N::PV
            && !known.in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(position, ply, alpha, beta, depth, &known)
        {
            return score;
        }
        if self.aborted {
            return 0;
        }

        // Internal iterative reduction: without a good first move, find one cheaply.
        if cut_node
            && depth >= 8
            && excluded.is_none()
            && (known.table_move.is_none() || entry.is_none_or(|e| e.depth + 4 <= depth))
        {
            depth -= 1;
        }

        self.search_moves::<N>(position, ply, alpha, beta, depth, &known)
    }

    /// Looks up or computes what is known of a node: evaluation, correction, improvement.
    fn know<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        entry: Option<Entry>,
        table_move: Option<Move>,
        excluded: Option<Move>,
        cut_node: bool,
    ) -> Known {
        let in_check = position.in_check();
        let tt_pv = match excluded {
            Some(_) => self.frame(ply).tt_pv,
            None => N::PV || entry.is_some_and(|e| e.pv),
        };
        let threats = position.threats();
        let mut known = Known {
            context: self.context(position, ply, &threats),
            threats,
            in_check,
            excluded,
            entry,
            table_move,
            tt_pv,
            raw_eval: NONE,
            static_eval: NONE,
            eval: NONE,
            correction: 0,
            improving: false,
            cut_node,
        };
        if !in_check {
            known.correction = self.correction(position, ply);
            known.static_eval = if excluded.is_some() {
                self.frame(ply).static_eval
            } else {
                known.raw_eval = match entry {
                    Some(e) if e.eval != NONE => e.eval,
                    _ => self.evaluate(position),
                };
                if entry.is_none() {
                    self.store_evaluation(position, ply, known.raw_eval, tt_pv);
                }
                self.corrected(position, known.raw_eval, known.correction)
            };
            known.eval = match entry {
                Some(e)
                    if e.score != NONE && bound_settles(e.bound, e.score, known.static_eval + 1) =>
                {
                    e.score
                }
                _ => known.static_eval,
            };
            let earlier = [2, 4].into_iter().map(|back| self.frame_before(ply, back).static_eval);
            known.improving =
                earlier.into_iter().find(|&e| e != NONE).is_none_or(|e| known.static_eval > e);
        }
        let frame = self.frame(ply);
        frame.static_eval = known.static_eval;
        frame.tt_pv = tt_pv;
        frame.context = Some(known.context);
        known
    }

    /// Keeps a raw evaluation, so that it is not computed again if the search stops here.
    pub(super) fn store_evaluation(&self, position: &Position, ply: usize, raw: i32, pv: bool) {
        let entry = Entry {
            best: PackedMove::NONE,
            score: NONE,
            eval: raw,
            depth: 0,
            bound: Bound::None,
            pv,
        };
        self.search.table.store(position.table_key(), ply, entry);
    }

    /// The parent reduced this move; if both sides' evaluations say that it deserved more or less,
    /// mend it.
    fn hindsight<N: Node>(&mut self, ply: usize, known: &Known, depth: i32) -> i32 {
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

    /// The quiet move that led here made the evaluation better or worse: say so to its history.
    fn teach_parent_move(&mut self, ply: usize, known: &Known) {
        let parent = self.frame_before(ply, 1);
        if let (Some(m), Some(context)) = (parent.current, parent.context)
            && parent.static_eval != NONE
            && !is_tactical(m)
        {
            let sum = known.static_eval + parent.static_eval;
            let bonus = (-sum - params::eval_difference_offset())
                * params::eval_difference_slope()
                / 32;
            let max = params::eval_difference_max();
            self.memory.histories.add_main(&context, m, bonus.clamp(-max, max));
        }
    }

    /// Steps that settle a node off the principal variation without looking at all its moves.
    fn prune_node(
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
            || known.entry.is_some_and(|e| e.score != NONE && e.bound == Bound::Upper && e.score < beta)
        {
            return None;
        }
        let reduction = 4
            + depth / 3
            + ((known.static_eval - beta) / params::nmp_eval_divisor()).clamp(0, 4)
            + i32::from(known.table_move_is_tactical());
        let child = self.make_null(position, ply)?;
        let score =
            -self.negamax::<OffPv>(&child, ply + 1, -beta, -beta + 1, depth - reduction, false);
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
        let verified =
            self.negamax::<OffPv>(position, ply, beta - 1, beta, depth - reduction, false);
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
            - if known.improving { params::probcut_improving() } else { 0 };
        if !known.cut_node
            || depth < 3
            || is_decisive(beta)
            || known.entry.is_some_and(|e| e.score != NONE && e.score < raised)
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
                score = -self.negamax::<OffPv>(
                    &child, ply + 1, -higher, -higher + 1, searched, !known.cut_node,
                );
                if score < higher && higher > raised {
                    searched = base_depth;
                    score = -self.negamax::<OffPv>(
                        &child, ply + 1, -raised, -raised + 1, searched, !known.cut_node,
                    );
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
                return Some(if is_decisive(score) { score } else { score - (raised - beta) });
            }
        }
        None
    }

    /// Looks at the moves one by one.
    fn search_moves<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        depth: i32,
        known: &Known,
    ) -> i32 {
        let first_alpha = alpha;
        let checks = position.check_squares();
        let context = &known.context;
        let node = known.for_picker(position, &checks);
        let mut picker = Picker::all(known.table_move, self.frame(ply).killer);
        let mut best_score = -INFINITE;
        let mut best_move = None;
        let mut number = 0;
        let mut alpha_raises = 0;
        let mut quiets_tried = ArrayVec::<Move, TRIED>::new();
        let mut tacticals_tried = ArrayVec::<Move, TRIED>::new();

        while let Some(m) = picker.next(node, &self.memory.histories) {
            if Some(m) == known.excluded || N::ROOT && !self.is_root_candidate(m) {
                continue;
            }
            number += 1;
            let quiet = !is_tactical(m);
            let gives_check = checks.gives_check(m);
            let stat = statistic(&self.memory.histories, context, m);
            let base_reduction = self.base_reduction(depth, number);

            if !N::PV && !known.in_check && !is_loss(best_score) {
                let reduced_depth = (depth - base_reduction / 1024).max(0);
                let pruned = if quiet {
                    let verdict =
                        quiet_verdict(known, depth, reduced_depth, number, alpha, stat, gives_check);
                    if verdict {
                        picker.skip_quiets();
                    }
                    verdict
                } else {
                    false
                };
                if pruned
                    || depth < 10
                        && picker.past_good_tactical()
                        && known.threats.all.contains(m.to())
                        && !position.see_ge(m, exchange_threshold(quiet, depth, stat))
                {
                    continue;
                }
            }

            let extension = if Some(m) == known.table_move && !N::ROOT {
                match self.extension::<N>(position, ply, m, beta, depth, known) {
                    Ok(extension) => extension,
                    Err(score) => return score,
                }
            } else {
                0
            };
            if self.aborted {
                return 0;
            }

            if N::ROOT {
                self.tell_current_move(m, number + self.pv_index);
            }
            let nodes_before = self.nodes;
            let child = self.make(position, ply, m);
            let mut new_depth = depth + extension - 1;
            let mut score = -INFINITE;

            let full_search = if depth > 2 && number > 1 + usize::from(N::ROOT) {
                let reduction = base_reduction
                    + reduction::<N>(
                        known,
                        alpha,
                        stat,
                        alpha_raises,
                        gives_check,
                        self.frame(ply).killer == Some(m),
                    );
                let reduced = (new_depth - reduction / 1024).clamp(0, new_depth + 1);
                self.frame(ply).reduction = (new_depth - reduced) * 1024;
                score =
                    -self.negamax::<OffPv>(&child, ply + 1, -alpha - 1, -alpha, reduced, true);
                self.frame(ply).reduction = 0;
                if score > alpha && reduced < new_depth && !self.aborted {
                    let deeper = params::lmr_deeper_base()
                        + params::lmr_deeper_slope() * (new_depth - reduced);
                    new_depth += i32::from(score > best_score + deeper)
                        - i32::from(score < best_score + new_depth);
                    if reduced < new_depth {
                        score = -self.negamax::<OffPv>(
                            &child, ply + 1, -alpha - 1, -alpha, new_depth, !known.cut_node,
                        );
                    }
                    if quiet && !self.aborted && (score <= alpha || score >= beta) {
                        let good = score >= beta;
                        self.memory.histories.update_continuation(context, m, depth, good);
                    }
                } else if score > alpha && score < best_score + 16 {
                    new_depth -= 1;
                }
                false
            } else {
                !N::PV || number > 1
            };
            if full_search {
                score = -self.negamax::<OffPv>(
                    &child, ply + 1, -alpha - 1, -alpha, new_depth, !known.cut_node,
                );
            }
            if N::PV && (number == 1 || score > alpha) {
                score = -self.negamax::<OnPv>(&child, ply + 1, -beta, -alpha, new_depth, false);
            }
            self.unmake();
            if self.aborted {
                return 0;
            }
            if N::ROOT {
                let nodes = self.nodes - nodes_before;
                self.note_root_move(m, score, nodes, number == 1 || score > alpha);
            }

            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.extend_line(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                    alpha_raises += 1;
                }
            }
            if Some(m) != best_move {
                let tried = if quiet { &mut quiets_tried } else { &mut tacticals_tried };
                let _ = tried.try_push(m);
            }
        }

        if number == 0 {
            return match known.excluded {
                Some(_) => first_alpha,
                None if known.in_check => mated_in(ply),
                None => 0,
            };
        }
        if best_score >= beta && !is_decisive(best_score) && !is_decisive(beta) {
            best_score = (best_score * depth + beta) / (depth + 1);
        }

        if let Some(best) = best_move.filter(|_| best_score >= beta) {
            self.learn_from_cutoff(ply, context, best, depth, &quiets_tried, &tacticals_tried);
        } else if best_move.is_none() {
            self.praise_refutation(ply, depth);
        }
        if known.excluded.is_none() && !(N::ROOT && self.pv_index > 0) {
            self.store_result(position, ply, best_score, first_alpha, beta, best_move, depth, known);
        }
        best_score
    }

    /// How many plies the table's move deserves beyond the rest, by a search without it.
    /// `Err` is a score that settles the whole node (multicut).
    fn extension<N: Node>(
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

    /// The best line from `ply` on is `m` and then the child's line.
    pub(super) fn extend_line(&mut self, ply: usize, m: Move) {
        let child = std::mem::take(&mut self.frame(ply + 1).line);
        let line = &mut self.frame(ply).line;
        line.clear();
        line.push(m);
        let _ = line.try_extend_from_slice(&child);
        self.frame(ply + 1).line = child;
    }

    /// Rewards the move that cut and punishes those tried before it.
    fn learn_from_cutoff(
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
    fn praise_refutation(&mut self, ply: usize, depth: i32) {
        let parent = self.frame_before(ply, 1);
        if let (Some(m), Some(context)) = (parent.current, parent.context)
            && !is_tactical(m)
        {
            self.memory.histories.add_main(&context, m, Histories::main_bonus(depth));
        }
    }

    /// Stores a finished node and what it says of the evaluation.
    #[allow(clippy::too_many_arguments)]
    fn store_result(
        &mut self,
        position: &Position,
        ply: usize,
        score: i32,
        alpha: i32,
        beta: i32,
        best: Option<Move>,
        depth: i32,
        known: &Known,
    ) {
        let bound = if score >= beta {
            Bound::Lower
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let misjudged = match bound {
            Bound::Lower => score > known.static_eval,
            Bound::Upper => score < known.static_eval,
            _ => true,
        };
        if !known.in_check
            && misjudged
            && !best.is_some_and(|m| is_tactical(m) && position.see_ge(m, 0))
        {
            let last = self.last_moves(ply);
            self.memory.corrections.update(position, last, depth, score - known.static_eval);
        }
        let entry = Entry {
            best: best.map_or(PackedMove::NONE, PackedMove::new),
            score,
            eval: known.raw_eval,
            depth,
            bound,
            pv: known.tt_pv,
        };
        self.search.table.store(position.table_key(), ply, entry);
    }
}

/// What the histories say of a move, on the scale of one history.
fn statistic(histories: &Histories, context: &Context, m: Move) -> i32 {
    if is_tactical(m) {
        params::stat_capture() * histories.capture(context, m) / 32
    } else {
        (params::stat_main() * histories.main(context, m)
            + params::stat_continuation_1() * histories.continuation(context, 0, m)
            + params::stat_continuation_2() * histories.continuation(context, 1, m)
            + params::stat_continuation_4() * histories.continuation(context, 2, m))
            / 32
    }
}

/// Whether a quiet move and all quiet moves after it can be left out.
fn quiet_verdict(
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
    let enough = if known.improving { 4 + 8 * squared / 9 } else { (5 + 8 * squared / 9) / 2 };
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
fn exchange_threshold(quiet: bool, depth: i32, stat: i32) -> i32 {
    let threshold =
        if quiet { params::see_quiet() * depth } else { params::see_tactical() * depth * depth };
    threshold - params::see_history() * stat / 1024
}

/// What is added to a late move's base reduction, in 1024ths of a ply.
fn reduction<N: Node>(
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
        if known.entry.is_some_and(|e| e.score != NONE && e.score <= alpha) {
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
        - known.correction.abs() * params::lmr_correction() / 16
        + alpha_raises * params::lmr_alpha_raise()
}
