//! The search threads: Lazy SMP.
//!
//! Threads live as long as the pool and wait parked. A search is handed to all of them at once;
//! they share the transposition table, the stop flag and their node counts, and nothing else. The
//! leading thread keeps the time, talks, and when it is done stops the others and takes the vote.
//!
//! Each thread takes about 4 MiB beside its 16 MiB of (mostly untouched) stack, so 256 of them take
//! 1 GiB, and up to 5 GiB if all stacks fill. With 100 GB of table that is a matter of memory alone:
//! no lock and no shared write but the table's own is on a node's path. What such a machine would
//! want more is the table zeroed, and the network copied, by node of memory.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};

use crossbeam::{
    channel::{Receiver, Sender, bounded, unbounded},
    utils::CachePadded,
};
use shakmaty::Move;

use super::{
    Control, Event, Info, Limits, Outcome, STACK_BYTES, ScoreBound,
    clock::Clock,
    endgame::{Probing, Ranking},
    iterate::Finding,
    score,
    skill::Skill,
    transposition::Table,
    wdl::Worth,
    worker::{Memory, NodeCounter, RootMove, Worker},
};
use crate::{
    nnue::Network,
    position::{
        Position,
        repetition::{self, KeyHistory},
    },
    system,
};

/// Bytes that a thread touches: what it remembers and a part of its stack, generously.
const THREAD_MEMORY: u64 = 5 << 20;

/// One search to do.
#[derive(Clone, Debug)]
pub struct Job {
    /// The position to search.
    pub root: Position,
    /// The game's keys up to and including `root`.
    pub history: KeyHistory,
    /// The root moves to look at; all legal, none twice, at least one.
    pub root_moves: Vec<Move>,
    /// When to stop.
    pub limits: Limits,
    /// The same in time.
    pub clock: Clock,
    /// How many lines to report.
    pub multipv: usize,
    /// How to play weaker; not at all at full strength.
    pub skill: Option<Skill>,
    /// How to use tablebases, if there are any.
    pub probing: Option<Probing>,
    /// Whether evaluations fall towards a draw as the halfmove clock rises.
    pub damped: bool,
    /// Shared with whoever commands the search.
    pub control: Arc<Control>,
}

/// A job under way, as all threads see it.
#[derive(Debug)]
pub(super) struct Search {
    pub number: u64,
    pub job: Job,
    pub table: Arc<Table>,
    pub network: Arc<Network>,
    pub counters: Vec<NodeCounter>,
    /// Looking something up is so slow that all threads may count in one place.
    tablebase_hits: CachePadded<AtomicU64>,
    ranking: OnceLock<Option<Ranking>>,
    /// Whether there are more threads than cores to run them.
    pub crowded: bool,
    /// What the helpers found; `None` from one that failed.
    findings: (Sender<Option<Finding>>, Receiver<Option<Finding>>),
}

impl Search {
    /// A search by so many threads. Their counters are new: an earlier search that was answered for
    /// may not have ended yet.
    pub fn new(
        number: u64,
        job: Job,
        table: Arc<Table>,
        network: Arc<Network>,
        threads: usize,
    ) -> Search {
        Search {
            number,
            job,
            table,
            network,
            crowded: threads > 1
                && thread::available_parallelism().is_ok_and(|n| threads > n.get()),
            tablebase_hits: CachePadded::default(),
            ranking: OnceLock::new(),
            counters: (0..threads).map(|_| NodeCounter::default()).collect(),
            findings: unbounded(),
        }
    }

    /// Nodes of all threads.
    pub fn total_nodes(&self) -> u64 {
        self.counters
            .iter()
            .map(|counter| counter.load(Relaxed))
            .sum()
    }

    /// Counts positions that tablebases knew.
    pub fn count_tablebase_hits(&self, hits: u64) {
        self.tablebase_hits.fetch_add(hits, Relaxed);
    }

    /// What tablebases say of the root's moves. The first thread that asks has them `rank` these,
    /// and the others wait for it, so that all go by the same.
    pub fn ranking(&self, rank: impl FnOnce() -> Option<Ranking>) -> Option<&Ranking> {
        self.ranking.get_or_init(rank).as_ref()
    }

    /// A line as it is told; `index` is its rank from 0.
    pub fn info(&self, line: &RootMove, index: usize, depth: i32, bound: ScoreBound) -> Info {
        let score = line.told_score();
        let bound = if line.score_is_known() {
            ScoreBound::Exact
        } else {
            bound
        };
        let worth = Worth::at(&self.job.root);
        Info {
            depth,
            seldepth: line.seldepth,
            multipv: index + 1,
            score: worth.shown(score),
            bound,
            wdl: worth.chances(score),
            nodes: self.total_nodes(),
            time: self.job.control.started.elapsed(),
            hashfull: self.table.hashfull(),
            tablebase_hits: self.tablebase_hits.load(Relaxed),
            pv: self.until_game_end(&line.line),
        }
    }

    /// A line cut where the game would be drawn. (Mate and stalemate end it by themselves.)
    fn until_game_end(&self, line: &[Move]) -> Vec<Move> {
        let mut position = self.job.root.clone();
        let mut keys = self.job.history.clone();
        let mut kept = Vec::with_capacity(line.len());
        for &m in line {
            debug_assert!(position.is_legal(m));
            kept.push(m);
            position = position.play(m);
            keys.push(&position);
            if keys.is_draw(&position) {
                break;
            }
        }
        kept
    }

    /// The answer that a finding amounts to.
    pub fn outcome(&self, finding: &Finding) -> Outcome {
        let best = &finding.best;
        Outcome {
            best: Some(best.m),
            ponder: best
                .line
                .get(1)
                .copied()
                .or_else(|| self.expected_reply(best.m)),
            score: best.newest_score(),
            depth: finding.depth,
            nodes: self.total_nodes(),
        }
    }

    /// The reply to root move `m` that the table expects.
    fn expected_reply(&self, m: Move) -> Option<Move> {
        let child = self.job.root.play(m);
        let entry = self.table.probe(child.table_key(), 1, child.halfmoves())?;
        entry.best.unpack(&child)
    }
}

enum Message {
    Search(Arc<Search>),
    /// Forget what was learned.
    Clear,
    /// Says that everything before it is done, by dropping the sender.
    Idle(#[allow(dead_code)] Sender<()>),
}

#[derive(Debug)]
struct Thread {
    messages: Sender<Message>,
    handle: Option<thread::JoinHandle<()>>,
}

/// The search threads and what they share.
#[derive(Debug)]
pub struct Pool {
    threads: Vec<Thread>,
    table: Arc<Table>,
    network: Arc<Network>,
    events: Receiver<Event>,
    sender: Sender<Event>,
    started: u64,
    current: Option<Arc<Control>>,
}

impl Pool {
    /// A pool of one thread with a table of `hash` mebibytes and the embedded network.
    ///
    /// # Errors
    /// When a thread or the memory can't be had.
    pub fn new(hash: usize) -> Result<Pool, String> {
        repetition::prepare();
        let (sender, events) = unbounded();
        let table = Table::new(hash)?;
        let mut pool = Pool {
            threads: Vec::new(),
            table,
            network: Network::embedded(),
            events,
            sender,
            started: 0,
            current: None,
        };
        pool.set_threads(1)?;
        Ok(pool)
    }

    /// Where events of all searches arrive.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Starts a search and returns its number at once. If an earlier one is still running, the
    /// new one waits for its end.
    ///
    /// # Panics
    /// When the job has no root move.
    pub fn start(&mut self, job: Job) -> u64 {
        assert!(
            !job.root_moves.is_empty(),
            "a finished game can't be searched"
        );
        self.started += 1;
        self.table.new_search();
        self.current = Some(Arc::clone(&job.control));
        let threads = match &job.skill {
            // How well it plays shall not depend on the machine.
            Some(_) => &self.threads[..1],
            None => &self.threads[..],
        };
        let search = Arc::new(Search::new(
            self.started,
            job,
            Arc::clone(&self.table),
            Arc::clone(&self.network),
            threads.len(),
        ));
        for thread in threads {
            // Threads end only when this pool drops their sender.
            let _ = thread.messages.send(Message::Search(Arc::clone(&search)));
        }
        self.started
    }

    /// Sets the number of threads. Waits for the end of a running search (stop it first).
    ///
    /// # Errors
    /// When there is no memory for them, or the system doesn't give as many; the number stays.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        self.wait_until_idle();
        let threads = threads.max(1);
        let before = self.threads.len();
        let more = threads.saturating_sub(before) as u64;
        // The system may promise memory that it hasn't got, and kill whoever then touches it.
        if let Some(available) = system::available_memory().filter(|_| more > 1)
            && more * THREAD_MEMORY > available
        {
            let room = before as u64 + available / THREAD_MEMORY;
            return Err(format!("there is free memory for {room} only"));
        }
        self.threads.truncate(threads);
        while self.threads.len() < threads {
            if let Err(reason) = self.add_thread() {
                let made = self.threads.len();
                self.threads.truncate(before);
                return Err(format!(
                    "only {made} of {threads} threads can be had: {reason}"
                ));
            }
        }
        Ok(())
    }

    /// One thread more. It is there when this returns, with all the memory that it will want: two
    /// that begin at once could take from each other what each was promised.
    fn add_thread(&mut self) -> Result<(), String> {
        let id = self.threads.len();
        let (messages, inbox) = unbounded();
        let (furnished, outcome) = bounded(1);
        let events = self.sender.clone();
        let network = Arc::clone(&self.network);
        let handle = system::start_thread(STACK_BYTES, |thread, begun| {
            thread.name(format!("search {id}")).spawn(move || {
                drop(begun);
                // Its own thread makes it, so that it is near to that thread's processor.
                let memory = Memory::new(network);
                let refused = memory.as_ref().err().map(ToString::to_string);
                // Somebody waits for it.
                let _ = furnished.send(refused);
                if let Ok(memory) = memory {
                    serve(id, memory, &inbox, &events);
                }
            })
        })
        .map_err(|error| error.to_string())?;
        // Dropped, and so joined, if anything is missing.
        let thread = Thread {
            messages,
            handle: Some(handle),
        };
        match outcome.recv() {
            Ok(None) => {}
            Ok(Some(reason)) => return Err(reason),
            Err(_) => return Err("it failed".to_owned()),
        }
        system::room_for(0).map_err(|error| error.to_string())?;
        self.threads.push(thread);
        Ok(())
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Replaces the table by an empty one of `hash` mebibytes. Waits for the end of a running
    /// search (stop it first).
    ///
    /// # Errors
    /// When the memory can't be had; the old table is kept, or its size (see [`Table::replace`]).
    pub fn set_hash(&mut self, hash: usize) -> Result<(), String> {
        self.wait_until_idle();
        Table::replace(&mut self.table, hash)
    }

    /// The network that positions are evaluated by.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Evaluates by another network and forgets everything that was learned with the old one. Waits
    /// for the end of a running search (stop it first).
    pub fn set_network(&mut self, network: Arc<Network>) {
        self.network = network;
        self.clear();
    }

    /// Forgets everything learned: table and histories. Waits for the end of a running search.
    pub fn clear(&mut self) {
        for thread in &self.threads {
            let _ = thread.messages.send(Message::Clear);
        }
        self.clear_hash();
    }

    /// Empties the table alone. Waits for the end of a running search.
    pub fn clear_hash(&mut self) {
        self.wait_until_idle();
        self.table.clear();
    }

    fn wait_until_idle(&self) {
        let (done, all_done) = bounded(0);
        for thread in &self.threads {
            let _ = thread.messages.send(Message::Idle(done.clone()));
        }
        drop(done);
        // Nothing is ever sent: this returns when the last thread has dropped its sender.
        let _ = all_done.recv();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some(control) = &self.current {
            control.stop();
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        let (orphan, _) = unbounded();
        // Dropping the sender ends the thread.
        self.messages = orphan;
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

/// A thread's life.
fn serve(id: usize, mut memory: Memory, inbox: &Receiver<Message>, events: &Sender<Event>) {
    for message in inbox {
        match message {
            Message::Search(search) if id == 0 => lead(&search, &mut memory, events),
            Message::Search(search) => {
                let finding = guarded(id, &search, &mut memory, events);
                let _ = search.findings.0.send(finding);
            }
            Message::Clear => memory.clear(),
            Message::Idle(_) => {}
        }
    }
}

/// A thread's part in a search. A panic costs its finding and its memory, not the game.
fn guarded(
    id: usize,
    search: &Search,
    memory: &mut Memory,
    events: &Sender<Event>,
) -> Option<Finding> {
    let part = AssertUnwindSafe(|| Worker::new(id, search, memory, Some(events)).iterate());
    catch_unwind(part)
        .inspect_err(|panic| {
            let reason = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or(panic.downcast_ref::<&str>().copied())
                .unwrap_or("unknown");
            let text = format!("search thread {id} failed: {reason}");
            let _ = events.send(Event::Failure(text));
            memory.restart(Arc::clone(&search.network));
        })
        .ok()
}

/// The leading thread's part: search, wait until the answer may be given, stop the helpers, vote.
fn lead(search: &Search, memory: &mut Memory, events: &Sender<Event>) {
    let job = &search.job;
    let own = guarded(0, search, memory, events);
    // Whoever has to wait for the answer, nobody has anything left to do.
    job.control.rest();
    job.control.hold(job.limits.infinite);
    if let Some(skill) = job.skill.as_ref().filter(|_| job.root_moves.len() > 1) {
        job.control.pause(skill.pause(&job.clock));
    }
    job.control.stop();
    let helpers = search.counters.len() - 1;
    let others: Vec<Finding> = search.findings.1.iter().take(helpers).flatten().collect();

    let number = search.number;
    // A mate that was asked for is the leading thread's to prove.
    let voting = job.multipv == 1 && job.limits.depth.is_none() && job.limits.mate.is_none();
    let chosen = match &own {
        Some(own) if voting => vote(own, &others),
        Some(own) => Some(own),
        None => others.first(),
    };
    if let Some(chosen) = chosen
        && own.as_ref().is_none_or(|own| own.best.m != chosen.best.m)
    {
        let info = search.info(&chosen.best, 0, chosen.best.depth, ScoreBound::Exact);
        let _ = events.send(Event::Info {
            search: number,
            info,
        });
    }
    let outcome = match chosen {
        Some(chosen) => search.outcome(chosen),
        None => Outcome {
            best: job
                .control
                .best()
                .0
                .unpack(&job.root)
                .or(job.root_moves.first().copied()),
            ponder: None,
            score: score::DRAW,
            depth: 0,
            nodes: search.total_nodes(),
        },
    };
    let _ = events.send(Event::Done {
        search: number,
        outcome,
    });
}

/// The finding that most threads, the deeper and surer ones before the others, agree on. A proven
/// win goes before everything.
fn vote<'a>(own: &'a Finding, others: &'a [Finding]) -> Option<&'a Finding> {
    let all = || std::iter::once(own).chain(others).filter(|f| f.depth > 0);
    let lowest = all().map(|f| f.best.newest_score()).min()?;
    let weight = |f: &Finding| i64::from(f.best.newest_score() - lowest + 10) * i64::from(f.depth);
    let votes = |m: Move| all().filter(|f| f.best.m == m).map(weight).sum::<i64>();
    let mut best = own;
    for finding in all() {
        let (score, best_score) = (finding.best.newest_score(), best.best.newest_score());
        let better = if score::is_win(score) || score::is_win(best_score) {
            score > best_score
        } else {
            let (votes, best_votes) = (votes(finding.best.m), votes(best.best.m));
            votes > best_votes || votes == best_votes && weight(finding) > weight(best)
        };
        if better {
            best = finding;
        }
    }
    Some(best)
}
