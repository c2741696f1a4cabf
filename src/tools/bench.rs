//! A fixed set of positions, searched to a fixed depth: the number of nodes is the signature of
//! what the engine plays, the speed is what a change to its insides is measured by.

use std::{
    error::Error,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam::channel::RecvTimeoutError;

use crate::{
    position::{
        Position,
        fen::{self, FenError},
        repetition::KeyHistory,
    },
    search::{
        Control, Event, Limits, Outcome,
        clock::Clock,
        pool::{Job, Pool},
    },
};

/// The depth of a bench in plies, unless another one is asked for.
pub const DEPTH: i32 = 12;
/// The table in mebibytes.
const HASH: usize = 16;
/// How often a search is looked at for whether it is to be cancelled.
const GLANCE: Duration = Duration::from_millis(20);

/// The positions, one a line, with comments: half Chess960 or double Fischer random, half ordinary.
const POSITIONS: &str = include_str!("bench.epd");

/// What a bench counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches.
    pub elapsed: Duration,
}

impl fmt::Display for Summary {
    /// The line that OpenBench reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.elapsed.as_millis().max(1);
        let nps = u128::from(self.nodes) * 1000 / milliseconds;
        write!(f, "{} nodes {nps} nps", self.nodes)
    }
}

/// Why a bench did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BenchError {
    /// A thread or the memory could not be had, or the search has gone.
    Pool(String),
    /// A position of the set is none.
    Position(FenError),
    /// It was cancelled.
    Cancelled,
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Pool(reason) => f.write_str(reason),
            BenchError::Position(error) => error.fmt(f),
            BenchError::Cancelled => f.write_str("bench stopped"),
        }
    }
}

impl Error for BenchError {}

/// Searches every position to `depth` with one thread and nothing left from the one before. `say`
/// gets a line for each.
///
/// # Errors
/// When memory or a thread can't be had, or `cancel` was set on the way.
pub fn run(
    depth: i32,
    cancel: &AtomicBool,
    say: &mut dyn FnMut(String),
) -> Result<Summary, BenchError> {
    let mut pool = Pool::new(HASH).map_err(BenchError::Pool)?;
    let mut summary = Summary::default();
    let fens: Vec<&str> = positions().collect();
    for (fen, number) in fens.iter().zip(1..) {
        let root = fen::read(fen).map_err(BenchError::Position)?.position;
        pool.clear();
        let begin = Instant::now();
        let nodes = search(&mut pool, root, depth, cancel)?.nodes;
        summary.elapsed += begin.elapsed();
        summary.nodes += nodes;
        say(format!("{number:2}/{}: {nodes:9} nodes  {fen}", fens.len()));
    }
    Ok(summary)
}

/// The FENs of the set.
fn positions() -> impl Iterator<Item = &'static str> {
    POSITIONS.lines().filter(|line| !line.starts_with('#'))
}

fn search(
    pool: &mut Pool,
    root: Position,
    depth: i32,
    cancel: &AtomicBool,
) -> Result<Outcome, BenchError> {
    let root_moves = root.legal_moves().to_vec();
    let control = Arc::new(Control::new(
        Instant::now(),
        false,
        root_moves.first().copied(),
    ));
    let id = pool.start(Job {
        history: KeyHistory::starting_at(&root),
        root,
        root_moves,
        limits: Limits {
            depth: Some(depth),
            ..Limits::default()
        },
        clock: Clock::default(),
        multipv: 1,
        skill: None,
        probing: None,
        control: Arc::clone(&control),
    });
    let mut cancelled = false;
    loop {
        match pool.events().recv_timeout(GLANCE) {
            Ok(Event::Done { search, outcome }) if search == id => {
                // A cancelled search has counted fewer nodes than it should.
                return if cancelled {
                    Err(BenchError::Cancelled)
                } else {
                    Ok(outcome)
                };
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => {
                if cancel.load(Ordering::Relaxed) {
                    cancelled = true;
                    control.stop();
                }
            }
            Err(error) => return Err(BenchError::Pool(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;

    #[test]
    fn half_of_the_positions_are_chess960_and_none_is_over() {
        let mut chess960 = 0;
        for fen in positions() {
            let reading = fen::read(fen).expect(fen);
            assert!(reading.notes.is_empty(), "{fen}: {:?}", reading.notes);
            assert!(!reading.position.legal_moves().is_empty(), "{fen}");
            let mode = CastlingMode::detect(&reading.position.to_setup());
            chess960 += usize::from(mode.is_chess960());
        }
        assert_eq!(positions().count(), 50);
        assert!((20..=30).contains(&chess960), "{chess960}");
    }

    #[test]
    fn the_same_nodes_every_time() {
        let cancel = AtomicBool::new(false);
        let mut lines = Vec::new();
        let first = run(3, &cancel, &mut |line| lines.push(line)).expect("a bench");
        let second = run(3, &cancel, &mut |_| {}).expect("a bench");
        assert_eq!(first.nodes, second.nodes);
        assert_eq!(lines.len(), 50);
        let text = first.to_string();
        let words: Vec<&str> = text.split(' ').collect();
        assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{text}");
        assert_eq!(words[0].parse(), Ok(first.nodes));
    }

    #[test]
    fn a_cancelled_bench_ends() {
        let cancel = AtomicBool::new(true);
        let begin = Instant::now();
        // Deep enough that no machine gets there.
        let result = run(100, &cancel, &mut |_| {});
        assert_eq!(result, Err(BenchError::Cancelled));
        assert!(begin.elapsed() < Duration::from_secs(20));
    }
}
