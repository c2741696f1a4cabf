//! What has been told of a search's best line, and what is missing when the answer comes.
//!
//! Whoever reads along (match runners do) expects that the last line before an answer is exact and
//! begins with that answer. A search that is cut off may not have had the time to say it.

use std::{sync::Arc, time::Duration};

use shakmaty::Move;

use crate::{
    nnue::{Evaluator, Network},
    position::Position,
    search::{Info, ScoreBound, score, wdl::Worth},
};

/// The best line as it was last told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The last exact one.
    exact: Option<Info>,
    /// Whether a bound was told after it.
    superseded: bool,
}

impl Told {
    /// Remembers a line that is being told.
    pub fn note(&mut self, info: &Info) {
        if info.multipv != 1 {
            return;
        }
        self.superseded = info.bound != ScoreBound::Exact;
        match &mut self.exact {
            Some(exact) if self.superseded => exact.nodes = info.nodes,
            None if self.superseded => {}
            exact => *exact = Some(info.clone()),
        }
    }

    /// The line to tell before the answer `best`, unless the last one will do. `time` is what has
    /// passed since `go`.
    pub fn missing(
        &self,
        network: &Arc<Network>,
        root: &Position,
        best: Move,
        ponder: Option<Move>,
        time: Duration,
    ) -> Option<Info> {
        let exact = self.exact.as_ref();
        match exact.filter(|info| info.pv.first() == Some(&best)) {
            Some(_) if !self.superseded => None,
            Some(info) => Some(Info {
                time,
                ..info.clone()
            }),
            None => {
                let pv = [Some(best), ponder].into_iter().flatten().collect();
                let info = exact
                    .cloned()
                    .unwrap_or_else(|| by_evaluation(network, root, best));
                Some(Info { pv, time, ..info })
            }
        }
    }
}

/// A line of one move, by the evaluation alone.
fn by_evaluation(network: &Arc<Network>, root: &Position, m: Move) -> Info {
    let after = root.play(m);
    let score = if !after.legal_moves().is_empty() {
        let mut evaluator = Evaluator::new(Arc::clone(network));
        evaluator.reset(&after);
        -evaluator.evaluate(&after)
    } else if after.in_check() {
        score::mate_in(1)
    } else {
        score::DRAW
    };
    let worth = Worth::at(root);
    Info {
        depth: 1,
        seldepth: 1,
        multipv: 1,
        score: worth.shown(score),
        bound: ScoreBound::Exact,
        wdl: worth.chances(score),
        nodes: 1,
        time: Duration::ZERO,
        hashfull: 0,
        tablebase_hits: 0,
        pv: vec![m],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        position::{fen, notation},
        search::score::Score,
    };

    fn root() -> Position {
        fen::read("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
            .expect("a position")
            .position
    }

    fn m(word: &str) -> Move {
        notation::read(&root(), word).expect("a move")
    }

    fn info(word: &str, bound: ScoreBound, nodes: u64) -> Info {
        Info {
            bound,
            nodes,
            depth: 9,
            score: Score::Centipawns(33),
            ..by_evaluation(&Network::embedded(), &root(), m(word))
        }
    }

    fn missing(told: &Told, best: &str) -> Option<Info> {
        told.missing(
            &Network::embedded(),
            &root(),
            m(best),
            None,
            Duration::from_millis(7),
        )
    }

    #[test]
    fn nothing_is_missing_when_the_last_line_is_exact_and_the_answer() {
        let mut told = Told::default();
        told.note(&info("d1d2", ScoreBound::Exact, 5));
        told.note(&Info {
            multipv: 2,
            ..info("d1d3", ScoreBound::Exact, 5)
        });
        assert!(missing(&told, "d1d2").is_none());
    }

    #[test]
    fn a_bound_or_another_move_is_not_enough() {
        let mut told = Told::default();
        told.note(&info("d1d2", ScoreBound::Exact, 5));
        told.note(&info("d1d3", ScoreBound::Lower, 50));
        for best in ["d1d2", "d1d3"] {
            let line = missing(&told, best).expect("a line");
            assert_eq!(line.pv, [m(best)]);
            assert_eq!(
                (line.depth, line.nodes, line.bound),
                (9, 50, ScoreBound::Exact)
            );
            assert_eq!(line.time, Duration::from_millis(7));
        }
    }

    #[test]
    fn without_any_line_the_evaluation_has_to_do() {
        let line = missing(&Told::default(), "d1d8").expect("a line");
        assert_eq!((line.pv, line.score), (vec![m("d1d8")], Score::Mate(1)));
        let line = missing(&Told::default(), "g1f1").expect("a line");
        assert!(matches!(line.score, Score::Centipawns(_)), "{line:?}");
    }
}
