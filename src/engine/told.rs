//! What has been told of a search's best lines, and what is missing when the answer comes.
//!
//! Whoever reads along (match runners do) expects that the last line before an answer is exact and
//! begins with that answer. A search that is cut off may not have had the time to say it. And what
//! was told on the opponent's time is forgotten when the expected move comes: a client that hears
//! nothing more notes a move without a score.

use std::{sync::Arc, time::Duration};

use shakmaty::Move;

use super::game::Game;
use crate::{
    nnue::{Evaluator, Network},
    position::Position,
    search::{
        Info, ScoreBound,
        score::{self, Score},
        wdl::Worth,
    },
};

/// The lines as they were last told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The last exact ones, best first.
    lines: Vec<Info>,
    /// The last bound, if it was told after them.
    bound: Option<Info>,
    /// Whether our clock was started after them.
    outdated: bool,
}

impl Told {
    /// Remembers a line that is being told.
    pub fn note(&mut self, info: &Info) {
        if info.bound != ScoreBound::Exact {
            self.bound = Some(info.clone());
            return;
        }
        if info.multipv == 1 {
            *self = Told::default();
        }
        self.lines.push(info.clone());
    }

    /// Says that the opponent played the expected move.
    pub fn ponderhit(&mut self) {
        self.outdated = true;
    }

    /// The lines to tell before the answer `best` in `game`; none if the last ones will do.
    pub fn missing(
        &self,
        network: &Arc<Network>,
        game: &Game,
        best: Move,
        ponder: Option<Move>,
    ) -> Vec<Info> {
        let is_best = |info: &&Info| info.pv.first() == Some(&best);
        if self.lines.first().as_ref().is_some_and(is_best) {
            let will_do = self.bound.is_none() && !self.outdated;
            let again = if will_do { &[][..] } else { &self.lines };
            return again.iter().map(|info| self.counted(info)).collect();
        }
        // Of several lines another may have become the best.
        if let Some(own) = self.lines.iter().find(is_best) {
            return vec![Info {
                multipv: 1,
                ..self.counted(own)
            }];
        }
        let goes_on = || {
            let mut after = game.clone();
            after.play(best);
            !after.history().is_draw(after.position())
        };
        let reply = ponder.filter(|_| goes_on());
        // A mate is told with all of its moves, and a bound hasn't got them.
        let is_mate = |info: &Info| matches!(info.score, Score::Mate(_));
        let own = self.bound.as_ref().filter(is_best);
        let info = match own.filter(|info| !is_mate(info)) {
            Some(own) => own.clone(),
            None => by_evaluation(network, game.position(), best),
        };
        vec![Info {
            bound: ScoreBound::Exact,
            pv: [Some(best), reply].into_iter().flatten().collect(),
            ..self.counted(&info)
        }]
    }

    /// The line with the last count of nodes that was told, and the time of that count: what it is
    /// now is not known, and a rest may have passed since.
    fn counted(&self, info: &Info) -> Info {
        let last = self.bound.as_ref().or(self.lines.last()).unwrap_or(info);
        Info {
            nodes: last.nodes,
            time: last.time,
            ..info.clone()
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
    use crate::position::{fen, notation};

    const START: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";

    fn game(fen: &str) -> Game {
        Game::new(fen::read(fen).expect("a position").position)
    }

    fn m(word: &str) -> Move {
        notation::read(game(START).position(), word).expect("a move")
    }

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// A line of the move told at so many nodes, a millisecond each.
    fn info(word: &str, bound: ScoreBound, nodes: u64) -> Info {
        Info {
            bound,
            nodes,
            time: at(nodes),
            depth: 9,
            score: Score::Centipawns(33),
            ..by_evaluation(&Network::embedded(), game(START).position(), m(word))
        }
    }

    fn missing(told: &Told, best: &str) -> Vec<Info> {
        told.missing(&Network::embedded(), &game(START), m(best), None)
    }

    fn only(lines: Vec<Info>) -> Info {
        let [line] = &lines[..] else {
            panic!("{lines:?}")
        };
        line.clone()
    }

    /// Two lines of an iteration.
    fn iteration() -> Told {
        let mut told = Told::default();
        told.note(&info("d1d2", ScoreBound::Exact, 5));
        told.note(&Info {
            multipv: 2,
            score: Score::Centipawns(20),
            ..info("d1d3", ScoreBound::Exact, 6)
        });
        told
    }

    #[test]
    fn nothing_is_missing_when_the_last_lines_are_exact_and_the_answer() {
        assert!(missing(&iteration(), "d1d2").is_empty());
    }

    #[test]
    fn a_bound_is_not_enough() {
        let mut told = Told::default();
        told.note(&info("d1d2", ScoreBound::Exact, 5));
        told.note(&Info {
            score: Score::Centipawns(70),
            ..info("d1d3", ScoreBound::Lower, 50)
        });
        for (best, score) in [("d1d2", 33), ("d1d3", 70)] {
            let line = only(missing(&told, best));
            assert_eq!(line.pv, [m(best)]);
            assert_eq!(line.score, Score::Centipawns(score));
            assert_eq!((line.depth, line.bound), (9, ScoreBound::Exact));
            assert_eq!((line.nodes, line.time), (50, at(50)));
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
        assert_eq!(
            again,
            [
                (1, vec![m("d1d2")], 6, at(6)),
                (2, vec![m("d1d3")], 6, at(6))
            ]
        );
        told.note(&info("d1d2", ScoreBound::Exact, 8));
        assert!(missing(&told, "d1d2").is_empty());
    }

    #[test]
    fn a_score_stays_with_its_move() {
        let line = only(missing(&iteration(), "d1d3"));
        assert_eq!((line.multipv, line.pv), (1, vec![m("d1d3")]));
        assert_eq!(line.score, Score::Centipawns(20));

        // The mate was found for the first move.
        let mut told = Told::default();
        told.note(&Info {
            score: Score::Mate(3),
            ..info("d1d2", ScoreBound::Exact, 5)
        });
        let line = only(missing(&told, "d1d3"));
        assert!(matches!(line.score, Score::Centipawns(_)), "{line:?}");
        assert_eq!((line.nodes, line.time), (5, at(5)));
        // And a bound of a mate has not all of its moves.
        told.note(&Info {
            score: Score::Mate(5),
            ..info("d1d3", ScoreBound::Lower, 9)
        });
        let line = only(missing(&told, "d1d3"));
        assert!(matches!(line.score, Score::Centipawns(_)), "{line:?}");
    }

    #[test]
    fn without_any_line_the_evaluation_has_to_do() {
        let line = only(missing(&Told::default(), "d1d8"));
        assert_eq!(
            (&line.pv[..], line.score),
            (&[m("d1d8")][..], Score::Mate(1))
        );
        let line = only(missing(&Told::default(), "g1f1"));
        assert!(matches!(line.score, Score::Centipawns(_)), "{line:?}");
    }

    #[test]
    fn a_reply_is_told_only_if_the_game_goes_on() {
        for (fen, moves, replies) in [
            (START, "", 1),
            // The hundredth ply without a capture or a pawn's move.
            ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 90", "", 0),
            // The third time.
            (START, "d1d2 g8f8 d2d1 f8g8 d1d2 g8f8 d2d1 f8g8", 0),
        ] {
            let mut game = game(fen);
            for word in moves.split_whitespace() {
                game.play(notation::read(game.position(), word).expect("a move"));
            }
            let best = notation::read(game.position(), "d1d2").expect("a move");
            let reply = game.position().play(best).legal_moves()[0];
            let told = Told::default();
            let line = only(told.missing(&Network::embedded(), &game, best, Some(reply)));
            assert_eq!(line.pv.len(), 1 + replies, "{fen} {moves}");
        }
    }
}
