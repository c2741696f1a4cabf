//! The loop between reader, engine and writer. There is nothing of chess in it.
//!
//! A command is obeyed when it is read, unless it has to wait; what comes behind it waits too, so
//! that all is obeyed in its order. Three things are waited for:
//!
//! - A task (`go perft`, `bench`, `genfens`), with all but what asks for a sign of life.
//! - The end of a search by depth, nodes or movetime, with `ucinewgame`: scripts write it behind
//!   `go` to have the whole search, and all that follows is of the new game. That goes for `isready`
//!   too, or its answer would have a client begin the new game and take the last one's move for the
//!   first of that. A search that a clock runs for, or one without an end, is stopped and answered
//!   at once: nobody will wait for it.
//! - Somebody who reads, with everything, when too much is unread (see [`output`](super::output)).
//!
//! `stop` and `ponderhit` never wait, nor does `quit` or the end of the input. When too much waits,
//! nothing more is read, and whoever writes has to wait. Nothing here ever waits for a reader or
//! for a command, so that deadlines are kept and a client that goes away is noticed.

use std::{
    collections::VecDeque,
    io::{self, Read, Write},
    ops::ControlFlow,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use crossbeam::{
    channel::{Receiver, at, never},
    select,
};

use super::{
    command::{self, Command, Go, Parsed, Setup},
    input::{self, GREATEST_BACKLOG, Input},
    log::{Direction, Log},
    options::{self, Scope},
    output::{Outbox, Writer},
    report, setup,
    task::{self, Task},
};
use crate::{
    engine::{Engine, Game, Output},
    search::Event,
    tools::{bench, genfens},
};

/// The end of a conversation: the engine, whose threads may still be at work, and why the program
/// is to end as a failure, if it is. A program that ends has no need to wait for the threads.
pub type Ended = (Engine, Result<(), String>);

/// How long the last lines may take to be written when the program ends.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A conversation in UCI.
#[derive(Debug)]
pub struct Session {
    engine: Engine,
    writer: Writer,
    log: Log,
    input: Receiver<Input>,
    task: Option<Task>,
    /// Commands that can't be obeyed yet, in their order, and when they were read.
    waiting: VecDeque<(Command, Instant)>,
    /// Why the last task that came to nothing did.
    task_failure: Option<String>,
}

/// Something happened that the session has to see to.
enum Wake {
    Input(Input),
    Event(Event),
    TaskEnded,
    LogFailed(String),
    Deadline,
    /// There is room for answers again.
    Room,
    Closed,
}

/// Whether the conversation goes on; if it ends because nothing can be read any more, why.
type Flow = ControlFlow<Option<io::Error>>;

/// Speaks UCI over `source` and `target` until one of them is closed or `quit` comes. A search that
/// is running then is stopped and answered. It is a failure if one of them can't be used.
///
/// # Errors
/// When threads or memory can't be had.
pub fn run(
    source: impl Read + Send + 'static,
    target: impl Write + Send + 'static,
) -> Result<Ended, String> {
    let mut session = Session::new(target)?;
    session.input = input::spawn(source, session.log.clone()).map_err(|error| error.to_string())?;
    loop {
        if let ControlFlow::Break(end) = session.step() {
            let result = end.map_or(Ok(()), |error| Err(format!("standard input: {error}")));
            return Ok(session.end(result));
        }
    }
}

/// Obeys `lines`, each a command, one after the other: every search and task may come to its end
/// before the next line is read, and only one that has no end of its own is stopped. A task that
/// comes to nothing is a failure.
///
/// # Errors
/// When threads or memory can't be had.
pub fn run_lines<'a>(
    lines: impl IntoIterator<Item = &'a str>,
    target: impl Write + Send + 'static,
) -> Result<Ended, String> {
    let mut session = Session::new(target)?;
    for line in lines {
        let Parsed { command, notes } = Parsed::new(line);
        let joins_in = matches!(command, Command::Stop | Command::PonderHit);
        if !joins_in && session.wait().is_break() {
            break;
        }
        let read_at = Instant::now();
        session.log.put(Direction::In, read_at, line);
        session.note_all(&notes);
        if session.take(command, read_at).is_break() {
            break;
        }
    }
    // Only a closed output ends the wait early, and then there is nothing left to do.
    let _ = session.wait();
    let result = session.task_failure.take().map_or(Ok(()), Err);
    Ok(session.end(result))
}

impl Session {
    fn new(target: impl Write + Send + 'static) -> Result<Session, String> {
        let log = Log::default();
        let writer = Writer::spawn(target, log.clone()).map_err(|error| error.to_string())?;
        let outbox = writer.outbox().clone();
        let engine = Engine::new(move |output: Output| {
            let line = report::line(&output);
            match output {
                Output::Answer(..) | Output::Finished { .. } => outbox.send(line),
                Output::Info(..) | Output::CurrentMove { .. } | Output::Note(_) => {
                    outbox.offer(line)
                }
            }
        })?;
        Ok(Session {
            engine,
            writer,
            log,
            input: never(),
            task: None,
            waiting: VecDeque::new(),
            task_failure: None,
        })
    }

    /// Writes the last lines.
    fn end(self, result: Result<(), String>) -> Ended {
        if let Some(task) = &self.task {
            task.cancel();
        }
        let written = self.writer.finish(LAST_WORDS);
        self.log.close();
        let written = written.map_err(|error| format!("standard output: {error}"));
        (self.engine, result.and(written))
    }

    fn outbox(&self) -> &Outbox {
        self.writer.outbox()
    }

    fn note(&self, text: &str) {
        self.outbox().offer(report::note(text));
    }

    fn note_all(&self, texts: &[String]) {
        texts.iter().for_each(|text| self.note(text));
    }

    /// Waits for the next thing to happen, and sees to it.
    fn step(&mut self) -> Flow {
        match self.next_wake() {
            Wake::Input(Input::Line(parsed, read_at)) => {
                let Parsed { command, notes } = *parsed;
                self.note_all(&notes);
                self.take(command, read_at)?;
            }
            Wake::Input(Input::End(error)) => {
                self.close();
                return Flow::Break(error);
            }
            // There is nobody to answer.
            Wake::Closed => return Flow::Break(None),
            Wake::Event(event) => self.engine.handle(event),
            Wake::Deadline => self.engine.check_deadline(Instant::now()),
            Wake::TaskEnded => self.end_task(),
            Wake::Room => {}
            Wake::LogFailed(reason) => {
                self.note(&format!(
                    "Debug Log File: nothing more is recorded: {reason}"
                ));
            }
        }
        self.catch_up();
        Flow::Continue(())
    }

    fn next_wake(&self) -> Wake {
        let deadline = self.engine.deadline().map_or_else(never, at);
        let task_ended = task::ended(self.task.as_ref());
        let closed = never();
        let input = if self.waiting.len() < GREATEST_BACKLOG {
            &self.input
        } else {
            &closed
        };
        select! {
            recv(input) -> input => Wake::Input(input.unwrap_or(Input::End(None))),
            // The pool lives as long as the engine, and holds the other end.
            recv(self.engine.events()) -> event => event.map_or(Wake::Closed, Wake::Event),
            recv(task_ended) -> _ => Wake::TaskEnded,
            // The log itself holds the other end.
            recv(self.log.failures()) -> reason => reason.map_or(Wake::Closed, Wake::LogFailed),
            recv(deadline) -> _ => Wake::Deadline,
            recv(self.writer.room()) -> room => room.map_or(Wake::Closed, |()| Wake::Room),
            recv(self.writer.closed()) -> _ => Wake::Closed,
        }
    }

    /// Waits until nothing is searched or worked at and nothing waits for that; a search without an
    /// end of its own is stopped.
    fn wait(&mut self) -> Flow {
        if self.engine.is_searching_without_end() {
            self.engine.stop();
        }
        while self.engine.is_searching() || self.task.is_some() || !self.waiting.is_empty() {
            self.step()?;
        }
        Flow::Continue(())
    }

    /// Takes what a task that is over, or about to be, has left.
    fn end_task(&mut self) {
        if let Some(task) = self.task.take()
            && let Err(reason) = task.join()
        {
            self.outbox().send(report::note(&reason));
            self.task_failure = Some(reason);
        }
    }

    /// The input has ended, or `quit` came: stops and answers what is at work, and all that waited
    /// for it.
    fn close(&mut self) {
        loop {
            self.engine.finish();
            if let Some(task) = &self.task {
                task.cancel();
                if !task.ends_within(LAST_WORDS) {
                    return;
                }
                self.end_task();
            }
            if self.writer.is_closed() {
                return;
            }
            match self.waiting.pop_front() {
                Some((command, read_at)) => self.obey(command, read_at),
                None => return,
            }
        }
    }

    /// Takes a command that was read at `read_at`: obeys it, or has it wait.
    fn take(&mut self, command: Command, read_at: Instant) -> Flow {
        match command {
            Command::Quit => {
                self.close();
                return Flow::Break(None);
            }
            Command::Stop | Command::PonderHit => {
                self.obey(command.clone(), read_at);
                // A search that they are meant for may be waiting before them.
                if !self.waiting.is_empty() {
                    self.waiting.push_back((command, read_at));
                }
            }
            _ if self.has_to_wait(&command) => self.waiting.push_back((command, read_at)),
            _ => self.obey(command, read_at),
        }
        Flow::Continue(())
    }

    /// Obeys what has waited long enough.
    fn catch_up(&mut self) {
        while let Some((command, _)) = self.waiting.front()
            && !self.is_held(command)
            && let Some((command, read_at)) = self.waiting.pop_front()
        {
            let read_at = match &command {
                // The time for a move that had to wait for its turn begins with it. A clock has been
                // running all the while.
                Command::Go(go) if !go.limits.has_clock() => Instant::now(),
                _ => read_at,
            };
            self.obey(command, read_at);
        }
    }

    /// Whether a command that has just been read can't be obeyed yet.
    fn has_to_wait(&self, command: &Command) -> bool {
        let passes = self.task.is_some() && !waits_for_task(command);
        self.is_held(command) || !self.waiting.is_empty() && !passes
    }

    /// Whether something keeps a command from being obeyed that nothing waits before.
    fn is_held(&self, command: &Command) -> bool {
        self.outbox().is_full()
            || self.task.is_some() && waits_for_task(command)
            || *command == Command::NewGame && self.engine.is_searching_off_the_clock()
    }

    fn obey(&mut self, command: Command, read_at: Instant) {
        match command {
            // `quit` has been taken care of.
            Command::Nothing | Command::Unknown | Command::Quit => {}
            Command::Uci => self.introduce(),
            Command::IsReady => self.outbox().send("readyok"),
            Command::Debug(on) => self.engine.settings_mut().debug = on,
            Command::NewGame => self.engine.new_game(),
            Command::Position(Ok(setup)) => self.set_up(&setup),
            Command::Position(Err(reason)) => self.refuse_position(&reason),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Go(go) => self.go(go, read_at),
            Command::Stop => {
                if let Some(task) = &self.task {
                    task.cancel();
                }
                self.engine.stop();
            }
            Command::PonderHit => self.engine.ponderhit(read_at),
            Command::Display => self.show(report::diagram),
            Command::Eval => self.show(|game| report::evaluation(game, self.engine.network())),
            Command::Perft(depth) => self.perft(depth),
            Command::Bench(plan) => self.bench(plan),
            Command::GenFens(request) => self.generate_openings(request),
            Command::Help => command::HELP
                .lines()
                .for_each(|line| self.outbox().send(line)),
        }
    }

    fn introduce(&self) {
        let outbox = self.outbox();
        outbox.send(format!("id name Zuylen {}", env!("CARGO_PKG_VERSION")));
        outbox.send("id author the Zuylen founders");
        options::listing().for_each(|line| outbox.send(line));
        outbox.send("uciok");
    }

    fn game(&self) -> Option<&Game> {
        self.engine
            .game()
            .inspect_err(|error| self.note(&error.to_string()))
            .ok()
    }

    fn show(&self, lines: impl Fn(&Game) -> Vec<String>) {
        let lines = self.game().map_or_else(Vec::new, lines);
        lines.into_iter().for_each(|line| self.outbox().send(line));
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        let scope = Scope {
            engine: &mut self.engine,
            log: &self.log,
        };
        if let Err(error) = options::set(scope, name, value) {
            self.note(&error.to_string());
        }
    }

    fn set_up(&mut self, setup: &Setup) {
        match setup::build(setup) {
            Ok((game, notes)) => {
                self.engine.set_game(game);
                self.note_all(&notes);
            }
            Err(error) => self.refuse_position(&error.to_string()),
        }
    }

    fn refuse_position(&mut self, reason: &str) {
        self.engine.refuse_game();
        self.note(&format!("position refused: {reason}"));
    }

    fn go(&mut self, go: Go, read_at: Instant) {
        self.engine.finish();
        let (moves, notes) = match (&go.search_moves, self.engine.game()) {
            (Some(words), Ok(game)) => setup::root_moves(game.position(), words),
            _ => Default::default(),
        };
        self.note_all(&notes);
        self.engine.go(go.limits, moves, read_at);
    }

    fn perft(&mut self, depth: u32) {
        let Some(position) = self.game().map(|game| game.position().clone()) else {
            // Programs wait for this line as they do for a bestmove.
            self.outbox().send(report::nodes_searched(0));
            return;
        };
        let castling = self.engine.castling();
        self.start_task(move |outbox, cancel| {
            let lines = report::division(&position, depth, castling, cancel);
            let lines = lines.ok_or("perft stopped")?;
            lines.into_iter().for_each(|line| outbox.send(line));
            Ok(())
        });
    }

    fn bench(&mut self, plan: bench::Plan) {
        self.start_task(move |outbox, cancel| {
            let summary = bench::run(plan, cancel, &mut |line| outbox.send(line));
            outbox.send(summary.map_err(|error| error.to_string())?.to_string());
            Ok(())
        });
    }

    fn generate_openings(&mut self, request: genfens::Request) {
        self.start_task(move |outbox, cancel| {
            let say = &mut |fen: &str| {
                outbox.send_in_turn(report::note(&format!("genfens {fen}")), cancel);
            };
            genfens::run(&request, cancel, say).map_err(|error| format!("genfens: {error}"))
        });
    }

    /// Starts work that is no search. A running search is stopped and answered first.
    fn start_task(
        &mut self,
        work: impl FnOnce(&Outbox, &AtomicBool) -> Result<(), String> + Send + 'static,
    ) {
        self.engine.finish();
        let outbox = self.outbox().clone();
        match Task::spawn(move |cancel| work(&outbox, cancel)) {
            Ok(task) => self.task = Some(task),
            Err(error) => self.note(&format!("the system gives no thread: {error}")),
        }
    }
}

/// Whether a command has to wait while a task is at work. `isready` doesn't, though what came before
/// it may wait: it asks whether the program is alive.
fn waits_for_task(command: &Command) -> bool {
    !matches!(
        command,
        Command::Nothing
            | Command::Unknown
            | Command::Uci
            | Command::IsReady
            | Command::Debug(_)
            | Command::Help
    )
}
