//! What has been told of a search's best lines, and what is missing when the answer comes.
//!
//! Whoever reads along (match runners do) expects that the last line before an answer is exact and
//! begins with that answer. A search that is cut off may not have had the time to say it. And what
//! was told on the opponent's time is forgotten when the expected move comes: a client that hears
//! nothing more notes a move without a score.

use std::{sync::Arc, time::Duration};

use shakmaty::Move;

use crate::{
    nnue::{Evaluator, Network},
    position::Position,
    search::{Info, ScoreBound, score, wdl::Worth},
};

/// The lines as they were last told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The last exact ones, best first.
    lines: Vec<Info>,
    /// Whether they no longer count: a bound was told after them, or our clock was started.
    outdated: bool,
}

impl Told {
    /// Remembers a line that is being told.
    pub fn note(&mut self, info: &Info) {
        if info.bound != ScoreBound::Exact {
            self.outdated = true;
            if let Some(best) = self.lines.first_mut() {
                best.nodes = info.nodes;
            }
            return;
        }
        if info.multipv == 1 {
            self.lines.clear();
            self.outdated = false;
        }
        self.lines.push(info.clone());
    }

    /// Says that the opponent played the expected move.
    pub fn ponderhit(&mut self) {
        self.outdated = true;
    }

    /// The lines to tell before the answer `best`; none if the last ones will do. `time` is what
    /// has passed since `go`.
    pub fn missing(
        &self,
        network: &Arc<Network>,
        root: &Position,
        best: Move,
        ponder: Option<Move>,
        time: Duration,
    ) -> Vec<Info> {
        let first = self.lines.first();
        if first.is_some_and(|info| info.pv.first() == Some(&best)) {
            let again = if self.outdated { &self.lines[..] } else { &[] };
            let at = |info: &Info| Info {
                time,
                ..info.clone()
            };
            return again.iter().map(at).collect();
        }
        let pv = [Some(best), ponder].into_iter().flatten().collect();
        let info = first
            .cloned()
            .unwrap_or_else(|| by_evaluation(network, root, best));
        vec![Info { pv, time, ..info }]
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

    fn missing(told: &Told, best: &str) -> Vec<Info> {
        told.missing(
            &Network::embedded(),
            &root(),
            m(best),
            None,
            Duration::from_millis(7),
        )
    }

    /// Two lines of an iteration.
    fn iteration() -> Told {
        let mut told = Told::default();
        told.note(&info("d1d2", ScoreBound::Exact, 5));
        told.note(&Info {
            multipv: 2,
            ..info("d1d3", ScoreBound::Exact, 6)
        });
        told
    }

    #[test]
    fn nothing_is_missing_when_the_last_lines_are_exact_and_the_answer() {
        assert!(missing(&iteration(), "d1d2").is_empty());
    }

    #[test]
    fn a_bound_or_another_move_is_not_enough() {
        let mut told = Told::default();
        told.note(&info("d1d2", ScoreBound::Exact, 5));
        told.note(&info("d1d3", ScoreBound::Lower, 50));
        for best in ["d1d2", "d1d3"] {
            let lines = missing(&told, best);
            let [line] = &lines[..] else {
                panic!("{lines:?}")
            };
            assert_eq!(line.pv, [m(best)]);
            assert_eq!(
                (line.depth, line.nodes, line.bound),
                (9, 50, ScoreBound::Exact)
            );
            assert_eq!(line.time, Duration::from_millis(7));
        }
    }

    #[test]
    fn what_was_told_on_the_opponents_time_is_told_again_unless_there_is_something_newer() {
        let mut told = iteration();
        told.ponderhit();
        let again: Vec<_> = missing(&told, "d1d2")
            .into_iter()
            .map(|info| (info.multipv, info.pv, info.nodes, info.time))
            .collect();
        let now = Duration::from_millis(7);
        assert_eq!(
            again,
            [(1, vec![m("d1d2")], 5, now), (2, vec![m("d1d3")], 6, now)]
        );
        told.note(&info("d1d2", ScoreBound::Exact, 8));
        assert!(missing(&told, "d1d2").is_empty());
    }

    #[test]
    fn without_any_line_the_evaluation_has_to_do() {
        let line = &missing(&Told::default(), "d1d8")[0];
        assert_eq!(
            (&line.pv[..], line.score),
            (&[m("d1d8")][..], Score::Mate(1))
        );
        let line = &missing(&Told::default(), "g1f1")[0];
        assert!(matches!(line.score, Score::Centipawns(_)), "{line:?}");
    }
}
