//! The engine as a library: a position, options, `go` and `stop`.
//!
//! It knows no text and owns no loop. Whoever drives it waits for [`Engine::events`] and for
//! [`Engine::deadline`], hands them to [`Engine::handle`] and [`Engine::check_deadline`], and gets
//! everything that is to be said through a [`Sink`]. No call blocks longer than a few tens of
//! milliseconds but those that allocate or clear memory, read a network or list tablebases.

pub mod game;
pub mod output;
mod pace;
mod pending;
mod told;

use std::{
    error::Error,
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam::channel::{Receiver, RecvTimeoutError};
use shakmaty::Move;

use crate::{
    nnue::Network,
    position::notation::CastlingStyle,
    search::{
        Control, Event, Info, Limits,
        clock::Clock,
        endgame::Probing,
        pool::{Job, Pool},
        skill::{self, Skill},
    },
    tablebase::{self, Tablebases},
};
pub use game::Game;
pub use output::{Answer, Output, Presentation, Sink};
use pending::Pending;

/// The greatest table in mebibytes: 32 tebibytes.
pub const GREATEST_HASH: usize = 33_554_432;
/// The greatest number of threads.
pub const GREATEST_THREADS: usize = 1024;
/// Table size in mebibytes before anybody sets it.
pub const DEFAULT_HASH: usize = 16;
/// Milliseconds kept back for the way between engine and GUI, before anybody sets it.
pub const DEFAULT_MOVE_OVERHEAD: u64 = 25;

/// Events that may be taken in between a deadline and the answer: the lines of an iteration.
const MOST_EVENTS: usize = 512;

/// Elo that strength is limited to before anybody sets it.
pub const DEFAULT_ELO: i32 = 1600;

/// The options that hold from one search to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How many lines to report, from 1.
    pub multipv: usize,
    /// Whether castling is always written king takes rook, when `castling` doesn't say otherwise.
    pub chess960: bool,
    /// How castling is written, if not as `chess960` and the game's start position have it.
    pub castling: Option<CastlingStyle>,
    /// How well to play, from 0 to [`FULL_LEVEL`](skill::FULL_LEVEL), unless an Elo limits it.
    pub skill_level: i32,
    /// Whether `elo` limits how well to play.
    pub limit_strength: bool,
    /// How well to play in Elo, from [`LOWEST_ELO`](skill::LOWEST_ELO) to
    /// [`HIGHEST_ELO`](skill::HIGHEST_ELO), when it is limited.
    pub elo: i32,
    /// Time kept back a move for the way between engine and GUI.
    pub move_overhead: Duration,
    /// How many men a position may have to be looked up in tablebases.
    pub probe_limit: usize,
    /// From what depth in plies positions of as many men as that are looked up.
    pub probe_depth: i32,
    /// Whether wins in tablebases that the fifty-move rule prevents are draws.
    pub fifty_move_rule: bool,
    /// Whether lines of analysis show win, draw and loss.
    pub show_wdl: bool,
    /// Whether to say what is decided, such as the time for a move.
    pub debug: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            multipv: 1,
            chess960: false,
            castling: None,
            skill_level: skill::FULL_LEVEL,
            limit_strength: false,
            elo: DEFAULT_ELO,
            move_overhead: Duration::from_millis(DEFAULT_MOVE_OVERHEAD),
            probe_limit: tablebase::MOST_MEN,
            probe_depth: 1,
            fifty_move_rule: true,
            show_wdl: false,
            debug: false,
        }
    }
}

impl Settings {
    /// The strength in Elo to play with; `None` for all there is.
    pub fn strength(&self) -> Option<i32> {
        if self.limit_strength {
            Some(self.elo)
        } else {
            skill::elo_of_level(self.skill_level)
        }
    }
}

/// There is no position, for the last one was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPosition;

impl fmt::Display for NoPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no position: the last one was refused")
    }
}

impl Error for NoPosition {}

/// The engine.
pub struct Engine {
    pool: Pool,
    settings: Settings,
    tablebases: Option<Arc<Tablebases>>,
    /// The game, or nothing after a refused position: a move from another one would be worse.
    game: Option<Game>,
    /// The start position of the last Chess960 game that was pointed out.
    noted_start: Option<u64>,
    pending: Option<Pending>,
    sink: Box<dyn Sink + Send>,
}

impl Engine {
    /// An engine at the start position with one thread and [`DEFAULT_HASH`] of table.
    ///
    /// # Errors
    /// When a thread or the memory can't be had.
    pub fn new(sink: impl Sink + Send + 'static) -> Result<Engine, String> {
        Ok(Engine {
            pool: Pool::new(DEFAULT_HASH)?,
            settings: Settings::default(),
            tablebases: None,
            game: Some(Game::default()),
            noted_start: None,
            pending: None,
            sink: Box::new(sink),
        })
    }

    /// Where the search's events arrive; hand each to [`Engine::handle`].
    pub fn events(&self) -> &Receiver<Event> {
        self.pool.events()
    }

    /// When to call [`Engine::check_deadline`] next, if nothing else happens before.
    pub fn deadline(&self) -> Option<Instant> {
        self.pending.as_ref()?.deadline()
    }

    /// Whether a `go` has not been answered yet.
    pub fn is_searching(&self) -> bool {
        self.pending.is_some()
    }

    /// Whether a `go` won't be answered before somebody stops it or plays the expected move.
    pub fn is_searching_without_end(&self) -> bool {
        self.pending.as_ref().is_some_and(Pending::has_no_end)
    }

    /// Whether a `go` will be answered by itself and nobody's clock runs until then: it is bounded
    /// by depth, nodes or the time for this move alone.
    pub fn is_searching_off_the_clock(&self) -> bool {
        self.pending.as_ref().is_some_and(Pending::is_off_the_clock)
    }

    /// The game.
    ///
    /// # Errors
    /// When there is none, for the last position was refused.
    pub fn game(&self) -> Result<&Game, NoPosition> {
        self.game.as_ref().ok_or(NoPosition)
    }

    /// The options.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The options, for changing; a running search keeps those that it started with.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// How castling is written in the present game.
    pub fn castling(&self) -> CastlingStyle {
        self.settings.castling.unwrap_or(match &self.game {
            Some(game) if !self.settings.chess960 => game.castling(),
            _ => CastlingStyle::KingTakesRook,
        })
    }

    /// Sets the game. A running search is stopped and answered first.
    pub fn set_game(&mut self, game: Game) {
        self.finish();
        let start = Some(game.start_key());
        let unforeseen = !self.settings.chess960 && self.settings.castling.is_none();
        if game.is_chess960() && unforeseen && self.noted_start != start {
            self.note(
                "this is a Chess960 setup and UCI_Chess960 is off: castling is written king takes rook",
            );
            self.noted_start = start;
        }
        self.game = Some(game);
    }

    /// A position could not be set up: there is none until the next [`Engine::set_game`]. A
    /// running search is stopped and answered first.
    pub fn refuse_game(&mut self) {
        self.finish();
        self.game = None;
    }

    /// Another game begins: forgets what was learned in the last one. A running search is stopped
    /// and answered first.
    pub fn new_game(&mut self) {
        self.finish();
        self.noted_start = None;
        self.pool.clear();
    }

    /// Sets the number of search threads. A running search is stopped and answered first.
    ///
    /// # Errors
    /// When not all threads can be had; the old number stays.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), String> {
        self.finish();
        self.pool.set_threads(threads)
    }

    /// Sets the size of the table in mebibytes and empties it. A running search is stopped and
    /// answered first.
    ///
    /// # Errors
    /// When the memory can't be had; the old table is kept, or its size (see [`Pool::set_hash`]).
    pub fn set_hash(&mut self, mebibytes: usize) -> Result<(), String> {
        self.finish();
        self.pool.set_hash(mebibytes)
    }

    /// Empties the table. A running search is stopped and answered first.
    pub fn clear_hash(&mut self) {
        self.finish();
        self.pool.clear_hash();
    }

    /// The network that positions are evaluated by.
    pub fn network(&self) -> &Arc<Network> {
        self.pool.network()
    }

    /// Evaluates by another network, and forgets what was learned with the old one. A running
    /// search is stopped and answered first. The network that is in use already changes nothing.
    pub fn set_network(&mut self, network: Arc<Network>) {
        if !Arc::ptr_eq(&network, self.network()) {
            self.finish();
            self.pool.set_network(network);
        }
    }

    /// Uses the tablebases in `folders` from the next search on, or none; see [`Tablebases::open`].
    ///
    /// # Errors
    /// When there are none; those in use stay.
    pub fn set_tablebases(&mut self, folders: Option<&str>) -> Result<(), String> {
        self.tablebases = match folders {
            None => None,
            Some(folders) => {
                let (tables, faults) = Tablebases::open(folders)?;
                faults.into_iter().for_each(|fault| self.note(fault));
                let (files, men) = (tables.files(), tables.most_men());
                self.note(format!("{files} files of tablebases of up to {men} men"));
                Some(Arc::new(tables))
            }
        };
        Ok(())
    }

    /// How a search within `limits` uses tablebases: the proof of a mate has no use for them, nor
    /// has one who is to play worse than he can.
    fn probing(&self, limits: &Limits, skill: Option<&Skill>) -> Option<Probing> {
        let tables = self.tablebases.as_ref()?;
        let is_of_use = limits.mate.is_none() && skill.is_none();
        is_of_use.then(|| Probing {
            tables: Arc::clone(tables),
            most_men: self.settings.probe_limit.min(tables.most_men()),
            least_depth: self.settings.probe_depth,
            fifty_move_rule: self.settings.fifty_move_rule,
        })
    }

    /// Starts a search; `root_moves`, which must be legal, restrict it unless there are none.
    /// `started` is when the command arrived, from which time is counted. A running search is
    /// stopped and answered first.
    ///
    /// Exactly one [`Output::Answer`] follows. With `limits.infinite` or `limits.ponder` it doesn't
    /// come before [`Engine::stop`] or [`Engine::ponderhit`], and a search without any limit is
    /// infinite.
    pub fn go(&mut self, mut limits: Limits, root_moves: Vec<Move>, started: Instant) {
        self.finish();
        let mut presentation = Presentation {
            castling: self.castling(),
            wdl: self.settings.show_wdl,
            lines: 1,
        };
        let Some(game) = self.game.clone() else {
            self.note(NoPosition.to_string());
            self.await_answer(Pending::held(
                Answer::NoPosition,
                &limits,
                presentation,
                started,
            ));
            return;
        };
        let root = game.position().clone();
        let legal = root.legal_moves();
        let Some(&fallback) = root_moves.first().or(legal.first()) else {
            self.sink.put(Output::Finished {
                checkmate: root.in_check(),
            });
            self.await_answer(Pending::held(
                Answer::GameOver,
                &limits,
                presentation,
                started,
            ));
            return;
        };

        let overhead = self.settings.move_overhead;
        let clock = Clock::new(&limits, root.turn(), overhead);
        let has_end = clock.hard.is_some()
            || limits.depth.is_some()
            || limits.nodes.is_some()
            || limits.mate.is_some();
        // A weakened search, and a tree that is small, come to their ends all the same.
        limits.infinite |= !has_end;
        let strength = self.settings.strength();
        let skill = strength.map(|elo| Skill::new(elo, &root, &limits));
        if let Some(skill) = &skill {
            skill.bound(&mut limits);
        }
        if self.settings.debug {
            self.note(format!("time for this move: {clock}"));
        }
        let control = Arc::new(Control::new(started, limits.ponder, Some(fallback)));
        let root_moves = if root_moves.is_empty() {
            legal.to_vec()
        } else {
            root_moves
        };
        presentation.lines = self.settings.multipv.clamp(1, root_moves.len());
        let id = self.pool.start(Job {
            root,
            history: game.history().clone(),
            root_moves,
            limits: limits.clone(),
            clock: clock.clone(),
            multipv: self.settings.multipv,
            probing: self.probing(&limits, skill.as_ref()),
            skill,
            damped: true,
            control: Arc::clone(&control),
        });
        self.await_answer(Pending::search(
            id,
            game,
            &limits,
            &clock,
            overhead,
            presentation,
            control,
        ));
    }

    /// Asks a running search to end; its answer follows. Does nothing when idle.
    pub fn stop(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.stop(Instant::now());
            self.answer_if_due();
        }
    }

    /// The opponent played the expected move at `now`: a search on the opponent's time becomes an
    /// ordinary one. Does nothing otherwise.
    pub fn ponderhit(&mut self, now: Instant) {
        if let Some(pending) = &mut self.pending {
            pending.ponderhit(now);
            self.answer_if_due();
        }
    }

    /// Stops a running search and waits until it is answered, if need be without the search.
    pub fn finish(&mut self) {
        self.stop();
        while let Some(deadline) = self.deadline() {
            match self.pool.events().recv_deadline(deadline) {
                Ok(event) => self.handle(event),
                Err(RecvTimeoutError::Timeout) => self.check_deadline(Instant::now()),
                // The pool is gone, with whatever it might have answered.
                Err(RecvTimeoutError::Disconnected) => self.answer_now(),
            }
        }
    }

    /// Takes an event of the search. Those of a search that has been answered are dropped.
    pub fn handle(&mut self, event: Event) {
        match event {
            Event::Failure(text) => self.note(text),
            Event::Note { search, text } => {
                if current(&mut self.pending, search).is_some() {
                    self.note(text);
                }
            }
            Event::Info { search, info } => {
                if let Some(pending) = current(&mut self.pending, search) {
                    let lines = pending.take(info, Instant::now());
                    tell(&mut *self.sink, lines, pending.presentation());
                }
            }
            Event::CurrentMove {
                search,
                depth,
                current: m,
                number,
            } => {
                if let Some(pending) = current(&mut self.pending, search)
                    && pending.admits_one(Instant::now())
                {
                    let presentation = pending.presentation();
                    self.sink.put(Output::CurrentMove {
                        depth,
                        current: m,
                        number,
                        presentation,
                    });
                }
            }
            Event::Done { search, outcome } => {
                if current(&mut self.pending, search).is_some() {
                    match outcome.best {
                        Some(best) => self.answer(Answer::Move {
                            best,
                            ponder: outcome.ponder,
                        }),
                        None => self.answer_now(),
                    }
                }
            }
        }
    }

    /// Answers with the best move published so far if the time is up, whatever the search is
    /// doing: a page fault or a slow disk must not lose a game on time. Tells what was held back
    /// if that is due.
    pub fn check_deadline(&mut self, now: Instant) {
        let is_late = |pending: &Pending| pending.answer_by().is_some_and(|by| now >= by);
        if self.pending.as_ref().is_some_and(is_late) {
            // What the search has said already is told: it may be the line of the answer.
            for _ in 0..MOST_EVENTS {
                match self.pool.events().try_recv() {
                    Ok(event) => self.handle(event),
                    Err(_) => break,
                }
            }
        }
        let Some(pending) = &mut self.pending else {
            return;
        };
        if is_late(pending) {
            self.answer_now();
        } else {
            let lines = pending.take_due(now);
            tell(&mut *self.sink, lines, pending.presentation());
        }
    }

    fn note(&mut self, text: impl Into<String>) {
        self.sink.put(Output::Note(text.into()));
    }

    fn await_answer(&mut self, pending: Pending) {
        self.pending = Some(pending);
        self.answer_if_due();
    }

    fn answer_if_due(&mut self) {
        if self.pending.as_ref().is_some_and(Pending::is_due) {
            self.answer_now();
        }
    }

    /// Answers with the best that is known.
    fn answer_now(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.stop(Instant::now());
            let answer = pending.answer();
            self.answer(answer);
        }
    }

    fn answer(&mut self, answer: Answer) {
        if let Some(mut pending) = self.pending.take() {
            let presentation = pending.presentation();
            let mut lines = pending.take_rest(Instant::now());
            lines.extend(pending.missing_lines(answer, self.pool.network()));
            tell(&mut *self.sink, lines, presentation);
            self.sink.put(Output::Answer(answer, presentation));
        }
    }
}

fn tell(sink: &mut dyn Sink, lines: Vec<Info>, presentation: Presentation) {
    for info in lines {
        sink.put(Output::Info(info, presentation));
    }
}

/// The pending `go`, if it is the pool's search of this number.
fn current(pending: &mut Option<Pending>, number: u64) -> Option<&mut Pending> {
    pending.as_mut().filter(|pending| pending.is_search(number))
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("settings", &self.settings)
            .field("game", &self.game)
            .field("searching", &self.is_searching())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
