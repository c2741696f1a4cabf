//! Quiescence: captures, promotions and evasions until the position is quiet.

use shakmaty::Move;

use super::{
    history::is_tactical,
    negamax::{Node, TABLE_CUTOFF_CLOCK, refined},
    params,
    picker::{self, Picker},
    score::{INFINITE, NONE, is_decisive, is_loss, mated_in},
    transposition::{Bound, Entry},
    worker::Worker,
};
use crate::position::{PackedMove, Position};

impl Worker<'_> {
    /// The score of `position`, `ply` plies below the root, once the captures are over, within
    /// `alpha` and `beta`, from the side to move. Fail-soft.
    pub fn quiescence<N: Node>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        if self.must_stop() {
            return 0;
        }
        if N::PV {
            self.frame(ply).line.clear();
            self.seldepth = self.seldepth.max(ply + 1);
        }
        if let Some(score) = self.ended(position, ply, &mut alpha, beta) {
            return score;
        }

        let in_check = position.in_check();
        let key = position.table_key();
        let entry = self.search.table.probe(key, ply, position.halfmoves());
        if !N::PV
            && let Some(e) = entry
            && position.halfmoves() < TABLE_CUTOFF_CLOCK
            && e.settles(beta)
        {
            return e.score;
        }
        let tt_pv = N::PV || entry.is_some_and(|e| e.pv);

        let mut raw = NONE;
        let mut best_score = -INFINITE;
        if !in_check {
            raw = self.raw_evaluation(position, entry);
            let static_eval = self.corrected(position, raw, self.correction(position, ply));
            // A mate that the table knows of has no line to show here.
            let shown = entry.filter(|e| !(N::PV && is_decisive(e.score)));
            best_score = refined(static_eval, shown);
            if best_score >= beta {
                if entry.is_none() {
                    self.store_evaluation(position, ply, raw, tt_pv);
                }
                let decisive = is_decisive(best_score) || is_decisive(beta);
                return if decisive {
                    best_score
                } else {
                    (best_score + beta) / 2
                };
            }
            alpha = alpha.max(best_score);
        }
        let futility = best_score + params::quiescence_futility();

        let table_move = entry.and_then(|e| e.best.unpack(position));
        let threats = position.threats();
        let context = self.context(position, ply, &threats);
        let checks = position.check_squares();
        let node = picker::Node {
            position,
            threats: &threats,
            checks: &checks,
            context: &context,
        };
        let mut picker = if in_check {
            Picker::evasions(table_move)
        } else {
            Picker::tactical(table_move, params::quiescence_see())
        };
        let recapture = self.frame_before(ply, 1).current.map(Move::to);
        let first_alpha = alpha;
        let mut best_move = None;
        let mut searched = 0;

        while let Some(m) = picker.next(node, &self.memory.histories) {
            if !is_loss(best_score) {
                if in_check && !is_tactical(m) {
                    // One defence that holds is enough.
                    picker.skip_quiets();
                    continue;
                }
                if !in_check
                    && futility <= alpha
                    && Some(m.to()) != recapture
                    && !checks.gives_check(m)
                    && !position.see_ge(m, 1)
                {
                    best_score = best_score.max(futility);
                    continue;
                }
            }
            searched += 1;
            let child = self.make(position, ply, m);
            let score = -self.quiescence::<N>(&child, ply + 1, -beta, -alpha);
            self.unmake();
            if self.aborted {
                return 0;
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
                }
            }
        }

        if in_check && searched == 0 && is_loss(best_score) {
            return mated_in(ply);
        }
        if best_score >= beta && !is_decisive(best_score) && !is_decisive(beta) {
            best_score = (best_score + beta) / 2;
        }
        let bound = if best_score >= beta {
            Bound::Lower
        } else if N::PV && best_score > first_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let best = best_move.map_or(PackedMove::NONE, PackedMove::new);
        let found = Entry {
            best,
            score: best_score,
            eval: raw,
            depth: 0,
            bound,
            pv: tt_pv,
        };
        self.search.table.store(key, ply, found);
        best_score
    }
}
