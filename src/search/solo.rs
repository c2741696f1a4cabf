//! A search on the calling thread: no pool, no talk, no clock. Self-play runs one on every core.

use std::{sync::Arc, time::Instant};

use super::{
    Control, Limits, Outcome,
    clock::Clock,
    pool::{Job, Search},
    transposition::Table,
    worker::{Memory, Worker},
};
use crate::{
    nnue::Network,
    position::{
        Position,
        repetition::{self, KeyHistory},
    },
};

/// One thread's search with a table of its own. With limits in nodes or depth it plays the same
/// game every time.
///
/// It searches on the thread that asks, whose stack must have room for
/// [`STACK_BYTES`](super::STACK_BYTES).
#[derive(Debug)]
pub struct Solo {
    table: Arc<Table>,
    network: Arc<Network>,
    memory: Memory,
    damped: bool,
}

impl Solo {
    /// A search that has learned nothing, with a table of `hash` mebibytes, and evaluates by
    /// `network`; if `damped`, ever nearer to a draw as the halfmove clock rises.
    ///
    /// # Errors
    /// When the memory can't be had.
    pub fn new(hash: usize, network: Arc<Network>, damped: bool) -> Result<Solo, String> {
        repetition::prepare();
        Ok(Solo {
            table: Table::new(hash)?,
            memory: Memory::new(Arc::clone(&network)).map_err(|error| error.to_string())?,
            network,
            damped,
        })
    }

    /// Forgets everything learned: table and histories.
    pub fn clear(&mut self) {
        self.table.clear();
        self.memory.clear();
    }

    /// Searches `root`, whose game's keys are `history`, within `limits`, of which nodes, soft
    /// nodes, depth and mate are heeded. `None` if there is no legal move.
    pub fn think(
        &mut self,
        root: &Position,
        history: &KeyHistory,
        limits: &Limits,
    ) -> Option<Outcome> {
        let root_moves = root.legal_moves().to_vec();
        if root_moves.is_empty() {
            return None;
        }
        let job = Job {
            root: root.clone(),
            history: history.clone(),
            root_moves,
            limits: limits.clone(),
            clock: Clock::default(),
            multipv: 1,
            skill: None,
            probing: None,
            damped: self.damped,
            control: Arc::new(Control::new(Instant::now(), false, None)),
        };
        self.table.new_search();
        let search = Search::new(
            0,
            job,
            Arc::clone(&self.table),
            Arc::clone(&self.network),
            1,
        );
        let finding = Worker::new(0, &search, &mut self.memory, None).iterate();
        Some(search.outcome(&finding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(soft: u64, hard: u64) -> Limits {
        Limits {
            soft_nodes: Some(soft),
            nodes: Some(hard),
            ..Limits::default()
        }
    }

    fn start() -> (Position, KeyHistory) {
        let position = Position::start_array(600, 199).expect("numbers below 960");
        let history = KeyHistory::starting_at(&position);
        (position, history)
    }

    #[test]
    fn the_soft_limit_ends_at_an_iteration_and_the_hard_one_within() {
        let (position, history) = start();
        let mut solo = Solo::new(1, Network::embedded(), false).unwrap();
        let soft = solo
            .think(&position, &history, &limits(3000, 60_000))
            .unwrap();
        assert!(
            (3000..60_000).contains(&soft.nodes),
            "{} nodes at depth {}",
            soft.nodes,
            soft.depth
        );
        solo.clear();
        // The iteration before ended below the soft limit, so it is the hard one that binds.
        let hard = solo
            .think(&position, &history, &limits(60_000, 5000))
            .unwrap();
        assert_eq!(hard.nodes, 5000);
        solo.clear();
        let again = solo
            .think(&position, &history, &limits(3000, 60_000))
            .unwrap();
        assert_eq!(
            (again.best, again.score, again.nodes),
            (soft.best, soft.score, soft.nodes)
        );
    }

    #[test]
    fn only_a_damped_search_heeds_how_long_nothing_has_happened() {
        let score = |clock: u32, damped: bool| {
            let text = format!("5rk1/8/8/8/8/8/8/3Q2K1 w - - {clock} 60");
            let position = crate::position::fen::read(&text).unwrap().position;
            let history = KeyHistory::starting_at(&position);
            let mut solo = Solo::new(1, Network::embedded(), damped).unwrap();
            let outcome = solo.think(&position, &history, &limits(200, 1000)).unwrap();
            outcome.score
        };
        assert_eq!(score(0, false), score(60, false));
        assert!(score(0, true) > score(60, true) + 50);
    }

    #[test]
    fn a_finished_game_has_no_outcome() {
        let reading = crate::position::fen::read("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        let history = KeyHistory::starting_at(&reading.position);
        let mut solo = Solo::new(1, Network::embedded(), false).unwrap();
        assert!(
            solo.think(&reading.position, &history, &limits(100, 100))
                .is_none()
        );
    }
}
