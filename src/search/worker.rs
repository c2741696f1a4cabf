//! One thread's search: what it remembers between moves, and what it holds while it thinks.

use std::{
    collections::TryReserveError,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};

use crossbeam::{channel::Sender, utils::CachePadded};
use shakmaty::{Color, Move, MoveList};

use super::{
    Event, ScoreBound,
    correction::{Corrections, LastMoves},
    endgame::{Probing, Verdict},
    history::{
        CONTINUATION_PLIES, Context, Histories, NO_PIECE_TO, PieceTo, Predecessors, piece_to,
    },
    params,
    pool::Search,
    score::{self, MAX_PLY},
    transposition::{Bound, Entry},
};
use crate::{
    nnue::{Evaluator, Network, endings::KNOWN_WIN},
    position::{PackedMove, Position, repetition::KeyHistory, threats::Threats},
    system,
};

/// A count of nodes on a cache line of its own: written by one thread, read by others.
pub type NodeCounter = Arc<CachePadded<AtomicU64>>;

/// Frames below the root's, so that a node may look six plies back.
const FRAMES_BEFORE_ROOT: usize = 6;

/// So many nodes, a millisecond or two, a search may take to find a move with a reason before it
/// heeds a limit.
const NODES_FOR_FIRST_RESULT: u64 = 1024;

/// What a node leaves for its neighbours on the line.
#[derive(Debug)]
pub struct Frame {
    /// The move made here; `None` for a null move.
    pub current: Option<Move>,
    /// Its index for continuation histories.
    pub piece_to: PieceTo,
    /// The corrected evaluation, [`score::NONE`] in check.
    pub static_eval: i32,
    /// Whether a principal variation ever passed here.
    pub tt_pv: bool,
    /// The move that a singular search leaves out.
    pub excluded: Option<Move>,
    /// Whether this node is being searched once more to verify its null move.
    pub verifying: bool,
    /// The quiet move that last cut at this ply.
    pub killer: Option<Move>,
    /// Double extensions on the line so far.
    pub double_extensions: i32,
    /// Reduction of the child in hand, in 1024ths of a ply.
    pub reduction: i32,
    /// The node as the histories see it.
    pub context: Option<Context>,
    /// The principal variation from here.
    pub line: MoveList,
}

impl Default for Frame {
    fn default() -> Self {
        Frame {
            current: None,
            piece_to: NO_PIECE_TO,
            static_eval: score::NONE,
            tt_pv: false,
            excluded: None,
            verifying: false,
            killer: None,
            double_extensions: 0,
            reduction: 0,
            context: None,
            line: MoveList::new(),
        }
    }
}

impl Frame {
    /// Makes it as new, without touching what an empty line doesn't use: searches of a few hundred
    /// nodes would feel it.
    fn reset(&mut self) {
        // Every field by its name, so that none can be forgotten.
        let Frame {
            current,
            piece_to,
            static_eval,
            tt_pv,
            excluded,
            verifying,
            killer,
            double_extensions,
            reduction,
            context,
            line,
        } = self;
        *current = None;
        *piece_to = NO_PIECE_TO;
        *static_eval = score::NONE;
        *tt_pv = false;
        *excluded = None;
        *verifying = false;
        *killer = None;
        *double_extensions = 0;
        *reduction = 0;
        *context = None;
        line.clear();
    }
}

/// What a thread keeps between searches: about 4 MiB.
#[derive(Debug)]
pub struct Memory {
    pub histories: Histories,
    pub corrections: Corrections,
    pub evaluator: Evaluator,
    reductions: Reductions,
    frames: Box<[Frame]>,
}

impl Memory {
    /// A thread that has learned nothing and evaluates by `network`.
    ///
    /// # Errors
    /// When the memory can't be had.
    pub fn new(network: Arc<Network>) -> Result<Memory, TryReserveError> {
        Ok(Memory {
            histories: Histories::new()?,
            corrections: Corrections::new()?,
            evaluator: Evaluator::new(network),
            reductions: Reductions::new()?,
            frames: system::table(FRAMES_BEFORE_ROOT + MAX_PLY + 4, Frame::default)?,
        })
    }

    /// Evaluates by `network` from now on. What was learned with another one is forgotten.
    fn adopt(&mut self, network: &Arc<Network>) {
        if !Arc::ptr_eq(self.evaluator.network(), network) {
            self.restart(Arc::clone(network));
        }
    }

    /// Forgets everything, whatever state it was left in, and evaluates by `network`.
    pub fn restart(&mut self, network: Arc<Network>) {
        self.evaluator = Evaluator::new(network);
        self.clear();
    }

    /// The frame `ply` plies below the root, and the one after it.
    #[inline]
    pub fn frame_and_child(&mut self, ply: usize) -> (&mut Frame, &Frame) {
        let index = ply + FRAMES_BEFORE_ROOT;
        let (until, after) = self.frames.split_at_mut(index + 1);
        (&mut until[index], &after[0])
    }

    /// Forgets what it learned.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.corrections.clear();
        self.reductions.fill();
    }
}

/// A root move and what is known of it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub m: Move,
    /// Its score in the iteration in hand; `-INFINITE` until it is searched, or if it is no better
    /// than another.
    pub score: i32,
    /// Whether that is exact, or how it bounds the true one.
    pub bound: ScoreBound,
    /// Its score in the iteration before.
    pub previous_score: i32,
    /// The depth in plies that its line was last searched to; 0 if it never was among the lines.
    pub depth: i32,
    /// A running mean of its scores, around which windows are opened.
    pub average: Option<i32>,
    /// Greatest depth reached below it, in plies.
    pub seldepth: usize,
    /// Nodes spent on it in this search.
    pub nodes: u64,
    /// The principal variation, beginning with the move.
    pub line: Vec<Move>,
    /// What tablebases say of it, if they were asked and know.
    pub verdict: Option<Verdict>,
}

impl RootMove {
    fn new(m: Move) -> RootMove {
        RootMove {
            m,
            score: -score::INFINITE,
            bound: ScoreBound::Exact,
            previous_score: -score::INFINITE,
            depth: 0,
            average: None,
            seldepth: 0,
            nodes: 0,
            line: vec![m],
            verdict: None,
        }
    }

    /// What goes before every score in the order of moves: the tablebases' rank.
    pub fn rank(&self) -> i32 {
        self.verdict.map_or(0, |verdict| verdict.rank)
    }

    /// The newest score as it is told: the tablebases' if they know, but for a mate.
    pub fn told_score(&self) -> i32 {
        let score = self.newest_score();
        self.verdict
            .filter(|_| self.score_is_known())
            .map_or(score, |verdict| verdict.score)
    }

    /// Whether the score that is told is the tablebases'.
    pub fn score_is_known(&self) -> bool {
        self.verdict.is_some() && score::moves_to_mate(self.newest_score()).is_none()
    }

    /// The newest score there is.
    pub fn newest_score(&self) -> i32 {
        if self.score == -score::INFINITE {
            self.previous_score
        } else {
            self.score
        }
    }
}

/// A search on one thread, while it lasts.
pub struct Worker<'a> {
    /// 0 for the thread that keeps the time and talks.
    pub id: usize,
    pub search: &'a Search,
    pub memory: &'a mut Memory,
    pub nodes: u64,
    pub keys: KeyHistory,
    pub seldepth: usize,
    pub root_depth: i32,
    pub root_moves: Vec<RootMove>,
    /// Whether these are all legal moves.
    pub unrestricted: bool,
    /// The first root move that the line in hand may use (MultiPV).
    pub pv_index: usize,
    /// The side that may not pass, while a null move's cutoff is verified.
    pub no_null_for: Option<Color>,
    /// Whether this search has been told to end.
    pub aborted: bool,
    /// Whether the first iteration is done: until then nothing is aborted.
    pub has_result: bool,
    /// Whether the time is up as soon as the opponent plays the expected move.
    pub stop_on_ponderhit: bool,
    /// How nodes are looked up in tablebases, once the root's moves are ranked.
    pub probing: Option<&'a Probing>,
    /// Who listens; nobody in a search whose outcome alone counts.
    events: Option<&'a Sender<Event>>,
}

impl<'a> Worker<'a> {
    /// The part of thread `id` in a search.
    pub fn new(
        id: usize,
        search: &'a Search,
        memory: &'a mut Memory,
        events: Option<&'a Sender<Event>>,
    ) -> Worker<'a> {
        let job = &search.job;
        memory.adopt(&search.network);
        memory.evaluator.reset(&job.root);
        for frame in &mut memory.frames {
            frame.reset();
        }
        Worker {
            id,
            search,
            memory,
            nodes: 0,
            keys: job.history.clone(),
            seldepth: 0,
            root_depth: 0,
            root_moves: job.root_moves.iter().copied().map(RootMove::new).collect(),
            unrestricted: job.root_moves.len() == job.root.legal_moves().len(),
            pv_index: 0,
            no_null_for: None,
            aborted: false,
            has_result: false,
            stop_on_ponderhit: false,
            probing: None,
            events,
        }
    }

    /// Whether anybody listens.
    pub fn is_heard(&self) -> bool {
        self.events.is_some()
    }

    /// Tells something of this search to whoever started it, if anybody listens.
    pub fn say(&self, event: impl FnOnce(u64) -> Event) {
        if let Some(events) = self.events {
            // Nobody listens any more when the program ends.
            let _ = events.send(event(self.search.number));
        }
    }

    /// The frame `ply` plies below the root.
    #[inline]
    pub fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.memory.frames[ply + FRAMES_BEFORE_ROOT]
    }

    /// The frame `back` plies above `ply`; `back` is at most six.
    #[inline]
    pub fn frame_before(&self, ply: usize, back: usize) -> &Frame {
        &self.memory.frames[ply + FRAMES_BEFORE_ROOT - back]
    }

    /// The moves that led to the node at `ply`, as the continuation histories look at them.
    #[inline]
    pub fn predecessors(&self, ply: usize) -> Predecessors {
        CONTINUATION_PLIES.map(|back| self.frame_before(ply, back).piece_to)
    }

    /// The moves that led to the node at `ply`, as the corrections look at them.
    #[inline]
    pub fn last_moves(&self, ply: usize) -> LastMoves {
        [1, 2, 4].map(|back| self.frame_before(ply, back).piece_to)
    }

    /// The node at `ply` as the histories see it.
    #[inline]
    pub fn context(&self, position: &Position, ply: usize, threats: &Threats) -> Context {
        Context::new(position, threats.all, self.predecessors(ply))
    }

    /// Counts a node that is looked at.
    #[inline]
    pub fn count_node(&mut self) {
        self.nodes += 1;
        self.search.counters[self.id].store(self.nodes, Relaxed);
    }

    /// Makes a legal move at `ply`. Undo with [`Worker::unmake`].
    #[inline]
    pub fn make(&mut self, position: &Position, ply: usize, m: Move) -> Position {
        self.search.table.prefetch(position.table_key_after(m));
        let child = position.play(m);
        self.memory.corrections.prefetch(&child);
        self.count_node();
        self.memory.evaluator.push(position, m, &child);
        self.keys.push(&child);
        let frame = self.frame(ply);
        frame.current = Some(m);
        frame.piece_to = piece_to(m, position.turn());
        child
    }

    /// Takes back the last move made.
    #[inline]
    pub fn unmake(&mut self) {
        self.memory.evaluator.pop();
        self.keys.pop();
    }

    /// Passes the move at `ply`. Undo with [`Worker::unmake_null`].
    pub fn make_null(&mut self, position: &Position, ply: usize) -> Option<Position> {
        let child = position.play_null()?;
        self.count_node();
        self.keys.push(&child);
        self.search.table.prefetch(child.table_key());
        let frame = self.frame(ply);
        frame.current = None;
        frame.piece_to = NO_PIECE_TO;
        Some(child)
    }

    /// Takes back a pass.
    pub fn unmake_null(&mut self) {
        self.keys.pop();
    }

    /// Whether the search must end now. Every thread counts nodes; the leading one looks at the
    /// clock every 1024 nodes.
    #[inline]
    pub fn must_stop(&mut self) -> bool {
        if self.aborted {
            return true;
        }
        if !self.has_result && self.nodes < NODES_FOR_FIRST_RESULT {
            return false;
        }
        if self.search.crowded && self.nodes & 1023 == 0 {
            // Else the threads that read, answer and keep the time would wait for this one's slice.
            thread::yield_now();
        }
        let control = &self.search.job.control;
        self.aborted =
            control.search_over() || self.enough_nodes() || self.id == 0 && self.out_of_time();
        self.aborted
    }

    #[inline]
    fn enough_nodes(&self) -> bool {
        let Some(limit) = self.search.job.limits.nodes else {
            return false;
        };
        if self.search.counters.len() == 1 {
            return self.nodes >= limit;
        }
        // Reading all counters at every node would have them wander between the cores.
        self.nodes & 63 == 0 && self.search.total_nodes() >= limit
    }

    #[inline]
    fn out_of_time(&self) -> bool {
        let job = &self.search.job;
        if self.nodes & 1023 != 0 || job.control.pondering() {
            return false;
        }
        let hard = job.clock.hard;
        self.stop_on_ponderhit || hard.is_some_and(|hard| job.control.clock_elapsed() >= hard)
    }

    /// The reduction in 1024ths of a ply of the move that is `number`-th in a node of `depth`
    /// plies, before anything is known of the move.
    #[inline]
    pub fn base_reduction(&self, depth: i32, number: usize) -> i32 {
        let row = &self.memory.reductions.0[(depth as usize).min(REDUCTION_DEPTHS - 1)];
        row[number.min(REDUCTION_MOVES - 1)]
    }

    /// Whether the game is drawn at a node below the root.
    #[inline]
    pub fn is_draw(&self, position: &Position, ply: usize) -> bool {
        self.keys.is_repetition(position, ply)
            || position.is_insufficient_material()
            || position.is_fifty_move_draw()
    }

    /// A draw's score, jittered by a unit or two so that drawn lines are not all alike.
    #[inline]
    pub fn draw_score(&self) -> i32 {
        (self.nodes & 3) as i32 - score::DRAW_JITTER + score::DRAW
    }

    /// The score of a line that ends at a node below the root: by a draw, at the greatest ply, or
    /// because a repetition at hand raises `alpha` to `beta`.
    #[inline]
    pub fn ended(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: &mut i32,
        beta: i32,
    ) -> Option<i32> {
        if self.is_draw(position, ply) {
            return Some(self.draw_score());
        }
        if ply >= MAX_PLY - 1 {
            return Some(if position.in_check() {
                0
            } else {
                self.evaluate(position)
            });
        }
        if *alpha < 0 && self.keys.has_upcoming_repetition(position, ply) {
            *alpha = self.draw_score().max(*alpha);
            return Some(*alpha).filter(|&alpha| alpha >= beta);
        }
        None
    }

    /// The raw evaluation of the position in hand, bounded to what is not a proven result.
    #[inline]
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        self.memory
            .evaluator
            .evaluate(position)
            .clamp(-score::MAX_EVAL, score::MAX_EVAL)
    }

    /// The raw evaluation of a position: the table's, if it has one.
    #[inline]
    pub fn raw_evaluation(&mut self, position: &Position, entry: Option<Entry>) -> i32 {
        match entry {
            Some(e) if e.eval != score::NONE => e.eval,
            _ => self.evaluate(position),
        }
    }

    /// Keeps a raw evaluation, so that it is not computed again if the search stops here.
    pub fn store_evaluation(&self, position: &Position, ply: usize, raw: i32, pv: bool) {
        let entry = Entry {
            best: PackedMove::NONE,
            score: score::NONE,
            eval: raw,
            depth: 0,
            bound: Bound::None,
            pv,
        };
        self.search.table.store(position.table_key(), ply, entry);
    }

    /// The correction that the node's like have asked for, in centipawns.
    #[inline]
    pub fn correction(&self, position: &Position, ply: usize) -> i32 {
        self.memory
            .corrections
            .correction(position, self.last_moves(ply))
    }

    /// Raw evaluation, damped towards the fifty-move limit (if the job asks for it) and corrected; a
    /// known win is neither.
    #[inline]
    pub fn corrected(&self, position: &Position, raw: i32, correction: i32) -> i32 {
        if raw.abs() >= KNOWN_WIN {
            return raw;
        }
        let clock = if self.search.job.damped {
            position.halfmoves().min(100) as i32
        } else {
            0
        };
        (raw * (200 - clock) / 200 + correction).clamp(-score::MAX_EVAL, score::MAX_EVAL)
    }
}

const REDUCTION_MOVES: usize = 64;
const REDUCTION_DEPTHS: usize = 128;

/// Late move reductions in 1024ths of a ply: base + ln(depth) ln(move number) / divisor.
#[derive(Debug)]
struct Reductions(Box<[[i32; REDUCTION_MOVES]; REDUCTION_DEPTHS]>);

impl Reductions {
    fn new() -> Result<Reductions, TryReserveError> {
        let mut reductions = Reductions(system::array(|| [0; REDUCTION_MOVES])?);
        reductions.fill();
        Ok(reductions)
    }

    /// Computes them from the constants as they are now.
    fn fill(&mut self) {
        let base = f64::from(params::lmr_base()) / 100.0;
        let divisor = f64::from(params::lmr_divisor()) / 100.0;
        for (depth, row) in self.0.iter_mut().enumerate().skip(1) {
            for (number, reduction) in row.iter_mut().enumerate().skip(1) {
                let logs = (depth as f64).ln() * (number as f64).ln();
                *reduction = (1024.0 * (base + logs / divisor)) as i32;
            }
        }
    }
}
