//! From a position and limits to a move, a score and a line.
//!
//! [`pool`] owns the threads; everything else is what one thread does.

pub mod clock;
mod correction;
pub mod endgame;
mod extension;
mod history;
mod iterate;
mod lessons;
mod mate;
mod negamax;
pub mod params;
mod picker;
pub mod pool;
mod pruning;
mod quiescence;
pub mod score;
pub mod skill;
pub mod solo;
pub mod transposition;
pub mod wdl;
mod worker;

use std::{
    sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};
use shakmaty::{ByColor, Move};

use crate::position::PackedMove;
use score::Score;

/// Room for the deepest line: a few kilobytes a ply, twice over for searches within a node. Every
/// thread that searches needs that much stack.
pub const STACK_BYTES: usize = 16 << 20;

/// What bounds a search. Every field is independent; the tightest limit wins. All empty means:
/// search as far as there is anything to find.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Remaining time of each side in milliseconds; may be zero or negative.
    pub time: ByColor<Option<i64>>,
    /// Increment a move of each side in milliseconds.
    pub increment: ByColor<Option<i64>>,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Exact time for this move in milliseconds.
    pub move_time: Option<i64>,
    /// Greatest depth in plies.
    pub depth: Option<i32>,
    /// Greatest number of nodes, all threads together.
    pub nodes: Option<u64>,
    /// Begin no further iteration once the leading thread has searched so many nodes.
    pub soft_nodes: Option<u64>,
    /// Stop once it is known whether there is a mate in this many moves, and which is the shortest.
    pub mate: Option<u32>,
    /// Hold the answer until `stop`.
    pub infinite: bool,
    /// Thinking on the opponent's time: hold the answer until `ponderhit` or `stop`.
    pub ponder: bool,
}

impl Limits {
    /// Whether the time of a game runs.
    pub fn has_clock(&self) -> bool {
        [&self.time, &self.increment]
            .iter()
            .any(|times| times.iter().any(Option::is_some))
    }
}

/// The states of [`Control::state`], each later than the one before.
const SEARCHING: u8 = 0;
const AT_REST: u8 = 1;
const STOPPED: u8 = 2;

/// What a search and those who command it share.
#[derive(Debug)]
pub struct Control {
    state: AtomicU8,
    /// Microseconds from `started` to `ponderhit`; `u64::MAX` while pondering.
    ponderhit: AtomicU64,
    /// The best root move so far and the expected reply, packed; see [`Control::best`].
    best: AtomicU32,
    /// Wakes whoever waits in [`Control::hold`].
    released: Condvar,
    gate: Mutex<()>,
    /// When `go` was read.
    pub started: Instant,
}

impl Control {
    /// The control of a search whose `go` was read at `started`; `fallback` is its best move until
    /// it knows better.
    pub fn new(started: Instant, ponder: bool, fallback: Option<Move>) -> Control {
        let control = Control {
            state: AtomicU8::new(SEARCHING),
            ponderhit: AtomicU64::new(if ponder { u64::MAX } else { 0 }),
            best: AtomicU32::new(0),
            released: Condvar::new(),
            gate: Mutex::new(()),
            started,
        };
        if let Some(m) = fallback {
            control.publish(m, None);
        }
        control
    }

    /// Asks the search to end and to answer.
    pub fn stop(&self) {
        self.state.store(STOPPED, Ordering::Release);
        self.wake();
    }

    /// Ends the search: there is nothing more to find, though the answer may have to wait.
    pub fn rest(&self) {
        self.state.fetch_max(AT_REST, Ordering::Release);
    }

    fn wake(&self) {
        let _gate = self.gate.lock();
        self.released.notify_all();
    }

    /// Waits, asleep, until the answer may be given: for `stop`, or if the search only pondered,
    /// for `ponderhit`.
    pub fn hold(&self, infinite: bool) {
        let mut gate = self.gate.lock();
        while !self.stopped() && (infinite || self.pondering()) {
            self.released.wait(&mut gate);
        }
    }

    /// Whether the search has been asked to end and to answer.
    pub fn stopped(&self) -> bool {
        self.state.load(Ordering::Relaxed) == STOPPED
    }

    /// Whether nobody need search any more.
    #[inline]
    pub fn search_over(&self) -> bool {
        self.state.load(Ordering::Relaxed) != SEARCHING
    }

    /// The opponent played the expected move: the clock is ours from `now` on.
    pub fn ponderhit(&self, now: Instant) {
        let micros = now.saturating_duration_since(self.started).as_micros() as u64;
        self.ponderhit.store(micros, Ordering::Release);
        self.wake();
    }

    /// Whether the search is still on the opponent's time.
    pub fn pondering(&self) -> bool {
        self.ponderhit.load(Ordering::Acquire) == u64::MAX
    }

    /// Time since our clock runs: since `go`, or since `ponderhit`; zero while pondering.
    pub fn clock_elapsed(&self) -> Duration {
        self.clock_start()
            .map_or(Duration::ZERO, |start| start.elapsed())
    }

    /// When our clock started, or `None` while pondering.
    pub fn clock_start(&self) -> Option<Instant> {
        match self.ponderhit.load(Ordering::Acquire) {
            u64::MAX => None,
            micros => Some(self.started + Duration::from_micros(micros)),
        }
    }

    /// Waits, asleep, until our clock has run for so long, or for `stop`.
    pub fn pause(&self, time: Duration) {
        let mut gate = self.gate.lock();
        while !self.stopped() {
            let left = time.saturating_sub(self.clock_elapsed());
            if left.is_zero() {
                return;
            }
            self.released.wait_for(&mut gate, left);
        }
    }

    /// Publishes the best root move so far and the reply expected to it.
    pub fn publish(&self, best: Move, reply: Option<Move>) {
        let reply = reply.map_or(PackedMove::NONE, PackedMove::new);
        let bits = u32::from(PackedMove::new(best).bits()) | u32::from(reply.bits()) << 16;
        self.best.store(bits, Ordering::Release);
    }

    /// The best root move published so far and the reply expected to it.
    pub fn best(&self) -> (PackedMove, PackedMove) {
        let bits = self.best.load(Ordering::Acquire);
        (
            PackedMove::from_bits(bits as u16),
            PackedMove::from_bits((bits >> 16) as u16),
        )
    }
}

/// Whether a score is exact or a bound, from the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBound {
    /// The true score is this.
    Exact,
    /// The true score is this or more.
    Lower,
    /// The true score is this or less.
    Upper,
}

/// What a search says of one line while it thinks.
#[derive(Clone, Debug)]
pub struct Info {
    /// Nominal depth in plies.
    pub depth: i32,
    /// Greatest depth reached in plies.
    pub seldepth: usize,
    /// The line's rank, 1 for the best.
    pub multipv: usize,
    /// The line's score from the side to move, as it is shown.
    pub score: Score,
    /// Exact, or a bound.
    pub bound: ScoreBound,
    /// Win, draw and loss in thousandths for the side to move; they sum to 1000.
    pub wdl: [u32; 3],
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time since `go` was read.
    pub time: Duration,
    /// Use of the transposition table in thousandths.
    pub hashfull: u32,
    /// Tablebase positions found.
    pub tablebase_hits: u64,
    /// The line; it ends at the end of the game if it reaches it.
    pub pv: Vec<Move>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The best move; `None` only if there is no legal move.
    pub best: Option<Move>,
    /// The reply expected to it.
    pub ponder: Option<Move>,
    /// The score from the side to move, in the search's units.
    pub score: i32,
    /// The last completed depth.
    pub depth: i32,
    /// Nodes of all threads.
    pub nodes: u64,
}

/// What the pool tells whoever started a search. `search` is the number that
/// [`pool::Pool::start`] returned.
#[derive(Debug)]
pub enum Event {
    /// A line of analysis.
    Info {
        /// Which search.
        search: u64,
        /// The line.
        info: Info,
    },
    /// The root move that is being searched; sent only in long searches.
    CurrentMove {
        /// Which search.
        search: u64,
        /// Nominal depth in plies.
        depth: i32,
        /// The move.
        current: Move,
        /// Its number in the order of search, from 1.
        number: usize,
    },
    /// Something a person should read.
    Note {
        /// Which search.
        search: u64,
        /// A line of text.
        text: String,
    },
    /// A panic that was survived, as a line of text.
    Failure(String),
    /// The end of a search; exactly one for each start.
    Done {
        /// Which search.
        search: u64,
        /// What it found.
        outcome: Outcome,
    },
}
