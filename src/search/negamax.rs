//! The alpha-beta node.
//!
//! Principal variation search with the pruning and reductions of its day. What is worth tuning is in
//! [`params`], the rates of learning in [`super::history`]. A node reads top to bottom; what one step
//! decides is in a function of its name.

use arrayvec::ArrayVec;
use shakmaty::Move;

use super::{
    ScoreBound,
    endgame::Lookup,
    extension::reduction,
    history::{Context, Histories, is_tactical},
    params,
    picker::{self, Picker},
    pruning::{exchange_threshold, quiet_verdict},
    score::{INFINITE, MAX_DEPTH, NONE, is_decisive, is_loss, mate_in, mated_in},
    transposition::{Bound, Entry},
    worker::Worker,
};
use crate::{
    nnue::endings::KNOWN_WIN,
    position::{CheckSquares, PackedMove, Position, threats::Threats},
};

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
pub(super) struct Known {
    pub in_check: bool,
    pub excluded: Option<Move>,
    pub entry: Option<Entry>,
    pub table_move: Option<Move>,
    pub tt_pv: bool,
    /// The evaluation as it came, [`NONE`] in check.
    pub raw_eval: i32,
    /// The corrected evaluation.
    pub static_eval: i32,
    /// The same, refined by the table's score.
    pub eval: i32,
    pub correction: i32,
    pub improving: bool,
    pub cut_node: bool,
    pub threats: Threats,
    pub context: Context,
    /// What tablebases say that the score is at least, and at most.
    pub least: i32,
    pub greatest: i32,
}

impl Known {
    pub fn for_picker<'a>(
        &'a self,
        position: &'a Position,
        checks: &'a CheckSquares<'a>,
    ) -> picker::Node<'a> {
        picker::Node {
            position,
            threats: &self.threats,
            checks,
            context: &self.context,
        }
    }

    pub fn table_move_is_tactical(&self) -> bool {
        self.table_move.is_some_and(is_tactical)
    }
}

/// An evaluation, made better by a table score that says that the true one lies beyond it.
#[inline]
pub(super) fn refined(static_eval: i32, entry: Option<Entry>) -> i32 {
    entry
        .filter(|e| e.settles(static_eval + 1))
        .map_or(static_eval, |e| e.score)
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
            if let Some(score) = self.ended(position, ply, &mut alpha, beta) {
                return score;
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
            && e.depth >= depth + i32::from(e.score >= beta)
            && position.halfmoves() < TABLE_CUTOFF_CLOCK
            && e.settles(beta)
        {
            if let Some(m) = table_move.filter(|&m| !is_tactical(m) && e.score >= beta) {
                let context = self.context(position, ply, &position.threats());
                self.memory.histories.update_quiet(&context, m, depth, true);
            }
            return e.score;
        }

        let mut limits = (-INFINITE, INFINITE);
        if !N::ROOT && excluded.is_none() {
            let tt_pv = N::PV || entry.is_some_and(|e| e.pv);
            match self.ask_tables::<N>(position, ply, alpha, beta, depth, tt_pv) {
                Lookup::Settled(score) => return score,
                Lookup::Between(least, greatest) => limits = (least, greatest),
            }
        }

        let mut known = self.know::<N>(position, ply, entry, table_move, excluded, cut_node);
        (known.least, known.greatest) = limits;
        alpha = alpha.max(known.least);
        self.frame(ply + 2).killer = None;
        let inherited = self.frame_before(ply, 1).double_extensions;
        self.frame(ply).double_extensions = if N::ROOT { 0 } else { inherited };

        if !N::ROOT && !known.in_check && excluded.is_none() && !self.frame(ply).verifying {
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

    /// The score, for the side that moved, of the move that led to `child`, a node at `ply`. The
    /// window is empty: it tells no more than whether the score is above `alpha`.
    #[inline]
    pub(super) fn null_window(
        &mut self,
        child: &Position,
        ply: usize,
        alpha: i32,
        depth: i32,
        cut_node: bool,
    ) -> i32 {
        -self.negamax::<OffPv>(child, ply, -alpha - 1, -alpha, depth, cut_node)
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
            least: -INFINITE,
            greatest: INFINITE,
        };
        if !in_check {
            known.correction = self.correction(position, ply);
            known.static_eval = if excluded.is_some() {
                self.frame(ply).static_eval
            } else {
                known.raw_eval = self.raw_evaluation(position, entry);
                if entry.is_none() {
                    self.store_evaluation(position, ply, known.raw_eval, tt_pv);
                }
                self.corrected(position, known.raw_eval, known.correction)
            };
            known.eval = refined(known.static_eval, entry);
            known.improving = [2, 4]
                .into_iter()
                .map(|back| self.frame_before(ply, back).static_eval)
                .find(|&e| e != NONE)
                .is_none_or(|e| known.static_eval > e);
        }
        let frame = self.frame(ply);
        frame.static_eval = known.static_eval;
        frame.tt_pv = tt_pv;
        frame.context = Some(known.context);
        known
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
                if quiet
                    && quiet_verdict(
                        known,
                        depth,
                        reduced_depth,
                        number,
                        alpha,
                        stat,
                        gives_check,
                    )
                {
                    picker.skip_quiets();
                    continue;
                }
                if depth < 10
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
                self.tell_current_move(m, number);
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
                self.frame(ply).reduction = reduction;
                score = self.null_window(&child, ply + 1, alpha, reduced, true);
                self.frame(ply).reduction = 0;
                if score > alpha && reduced < new_depth && !self.aborted {
                    let deeper = params::lmr_deeper_base()
                        + params::lmr_deeper_slope() * (new_depth - reduced);
                    new_depth += i32::from(score > best_score + deeper)
                        - i32::from(score < best_score + new_depth);
                    if reduced < new_depth {
                        score =
                            self.null_window(&child, ply + 1, alpha, new_depth, !known.cut_node);
                        if quiet && !self.aborted && (score <= alpha || score >= beta) {
                            let good = score >= beta;
                            self.memory
                                .histories
                                .update_continuation(context, m, depth, good);
                        }
                    }
                } else if score > alpha && score < best_score + 16 {
                    new_depth -= 1;
                }
                false
            } else {
                !N::PV || number > 1
            };
            if full_search {
                score = self.null_window(&child, ply + 1, alpha, new_depth, !known.cut_node);
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
                let bound = if score <= alpha {
                    ScoreBound::Upper
                } else if score >= beta {
                    ScoreBound::Lower
                } else {
                    ScoreBound::Exact
                };
                self.note_root_move(m, score, nodes, number == 1, bound);
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
                let tried = if quiet {
                    &mut quiets_tried
                } else {
                    &mut tacticals_tried
                };
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
        best_score = best_score.clamp(known.least, known.greatest);
        if best_score >= beta && !is_decisive(best_score) && !is_decisive(beta) {
            best_score = (best_score * depth + beta) / (depth + 1);
        }

        if let Some(best) = best_move.filter(|_| best_score >= beta) {
            self.learn_from_cutoff(ply, context, best, depth, &quiets_tried, &tacticals_tried);
        } else if best_move.is_none() && known.excluded.is_none() {
            self.praise_refutation(ply, depth);
        }
        if known.excluded.is_none() && !(N::ROOT && self.pv_index > 0) {
            self.store_result(
                position,
                ply,
                best_score,
                first_alpha,
                beta,
                best_move,
                depth,
                known,
            );
        }
        best_score
    }

    /// The best line from `ply` on is `m` and then the child's line.
    pub(super) fn extend_line(&mut self, ply: usize, m: Move) {
        let (frame, child) = self.memory.frame_and_child(ply);
        frame.line.clear();
        frame.line.push(m);
        let _ = frame.line.try_extend_from_slice(&child.line);
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
            && known.static_eval.abs() < KNOWN_WIN
            && !best.is_some_and(|m| is_tactical(m) && position.see_ge(m, 0))
        {
            let last = self.last_moves(ply);
            self.memory
                .corrections
                .update(position, last, depth, score - known.static_eval);
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
#[inline]
fn statistic(histories: &Histories, context: &Context, m: Move) -> i32 {
    if is_tactical(m) {
        return params::stat_capture() * histories.capture(context, m) / 32;
    }
    let rows = histories.quiet_rows(context);
    let index = context.index(m);
    (params::stat_main() * rows.main(index)
        + params::stat_continuation_1() * rows.continuation(0, index)
        + params::stat_continuation_2() * rows.continuation(1, index)
        + params::stat_continuation_4() * rows.continuation(2, index))
        / 32
}
