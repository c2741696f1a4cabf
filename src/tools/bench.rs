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
    engine::{GREATEST_HASH, GREATEST_THREADS},
    position::{
        Position,
        fen::{self, FenError},
        repetition::KeyHistory,
    },
    search::{
        Control, Event, Limits, Outcome,
        clock::Clock,
        pool::{Job, Pool},
        score::MAX_DEPTH,
    },
};

/// How often a search is looked at for whether it is to be cancelled.
const GLANCE: Duration = Duration::from_millis(20);

/// The positions, one a line, with comments: half Chess960 or double Fischer random, half ordinary.
const POSITIONS: &str = include_str!("bench.epd");

/// How to search the positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Depth in plies.
    pub depth: i32,
    /// The table in mebibytes.
    pub hash: usize,
    /// Threads that search; with one alone the nodes are the same every time.
    pub threads: usize,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            depth: 12,
            hash: 16,
            threads: 1,
        }
    }
}

impl Plan {
    /// Reads the words behind `bench`: none, a depth, or what scripts that time other engines say,
    /// which is hash, threads, depth, `default` (these positions) and `depth` (what the third
    /// number is), or the first few of them.
    ///
    /// # Errors
    /// When they are anything else; the text says what they can be.
    pub fn parse(words: &[&str]) -> Result<Plan, String> {
        let plan = Plan::default();
        let read = match *words {
            [] => Some(plan),
            [depth] => number(depth, MAX_DEPTH as usize).map(|depth| Plan {
                depth: depth as i32,
                ..plan
            }),
            [hash, threads] => Plan::of_three(hash, threads, &plan.depth.to_string()),
            [hash, threads, depth]
            | [hash, threads, depth, "default"]
            | [hash, threads, depth, "default", "depth"] => Plan::of_three(hash, threads, depth),
            _ => None,
        };
        read.ok_or_else(|| {
            format!(
                "bench takes a depth from 1 to {MAX_DEPTH}, or hash, threads and depth: \
                 bench 12, bench 16 1 12 default depth"
            )
        })
    }

    fn of_three(hash: &str, threads: &str, depth: &str) -> Option<Plan> {
        Some(Plan {
            hash: number(hash, GREATEST_HASH)?,
            threads: number(threads, GREATEST_THREADS)?,
            depth: number(depth, MAX_DEPTH as usize)? as i32,
        })
    }
}

/// A whole number from 1 to `most`.
fn number(word: &str, most: usize) -> Option<usize> {
    word.parse()
        .ok()
        .filter(|number| (1..=most).contains(number))
}

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

/// Searches every position with nothing left from the one before. `say` gets a line for each.
///
/// # Errors
/// When memory or a thread can't be had, or `cancel` was set on the way.
pub fn run(
    plan: Plan,
    cancel: &AtomicBool,
    say: &mut dyn FnMut(String),
) -> Result<Summary, BenchError> {
    let mut pool = Pool::new(plan.hash).map_err(BenchError::Pool)?;
    pool.set_threads(plan.threads).map_err(BenchError::Pool)?;
    let mut summary = Summary::default();
    let fens: Vec<&str> = positions().collect();
    for (fen, number) in fens.iter().zip(1..) {
        let root = fen::read(fen).map_err(BenchError::Position)?.position;
        pool.clear();
        let begin = Instant::now();
        let nodes = search(&mut pool, root, plan.depth, cancel)?.nodes;
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
        damped: true,
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

    fn plan(depth: i32) -> Plan {
        Plan {
            depth,
            ..Plan::default()
        }
    }

    #[test]
    fn a_depth_alone_or_behind_hash_and_threads() {
        let read = |words: &str| Plan::parse(&words.split_whitespace().collect::<Vec<_>>());
        assert_eq!(read(""), Ok(Plan::default()));
        assert_eq!(read("7"), Ok(plan(7)));
        let all = Plan {
            depth: 13,
            hash: 32,
            threads: 2,
        };
        for words in ["32 2 13", "32 2 13 default", "32 2 13 default depth"] {
            assert_eq!(read(words), Ok(all), "{words}");
        }
        let without_depth = Plan {
            depth: Plan::default().depth,
            ..all
        };
        assert_eq!(read("32 2"), Ok(without_depth));
        for words in [
            "0",
            "x",
            "-1",
            "999",
            "0 1 13",
            "16 0 13",
            "16 1 0",
            "16 1 x default",
            "16 1 1000 default movetime",
            "16 1 13 current depth",
            "16 1 13 default depth more",
            "99999999999999999999 1 13",
        ] {
            assert!(read(words).is_err(), "{words}");
        }
    }

    #[test]
    fn the_same_nodes_every_time() {
        let cancel = AtomicBool::new(false);
        let mut lines = Vec::new();
        let first = run(plan(3), &cancel, &mut |line| lines.push(line)).expect("a bench");
        let second = run(plan(3), &cancel, &mut |_| {}).expect("a bench");
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
        let result = run(plan(100), &cancel, &mut |_| {});
        assert_eq!(result, Err(BenchError::Cancelled));
        assert!(begin.elapsed() < Duration::from_secs(20));
    }
}
