//! The loop between reader, engine and writer. There is nothing of chess in it.

use std::{
    collections::VecDeque,
    io::{Read, Write},
    ops::ControlFlow,
    sync::atomic::AtomicBool,
    time::{Duration, Instant},
};

use crossbeam::{
    channel::{Receiver, at, never},
    select,
};

use super::{
    command::{Command, Go, Parsed, Setup},
    input::{self, Input},
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
    /// Commands that wait for the task to be over.
    waiting: VecDeque<(Command, Instant)>,
}

/// Something happened that the session has to see to.
enum Wake {
    Input(Input),
    Event(Event),
    TaskEnded,
    LogFailed(String),
    Deadline,
    Closed,
}

/// Whether the conversation goes on.
type Flow = ControlFlow<()>;

/// Speaks UCI over `source` and `target` until one of them is closed or `quit` comes. What is
/// left of the session is returned, for its threads may still be at work: a program that ends has
/// no need to wait for them.
///
/// # Errors
/// When threads or memory can't be had.
pub fn run(
    source: impl Read + Send + 'static,
    target: impl Write + Send + 'static,
) -> Result<Engine, String> {
    let mut session = Session::new(target)?;
    session.input = input::spawn(source, session.log.clone()).map_err(|error| error.to_string())?;
    while session.step().is_continue() {}
    Ok(session.end())
}

/// Obeys `lines`, each a command, one after the other: every search and task may come to its end
/// before the next line is read, and only one that has no end of its own is stopped.
///
/// # Errors
/// When threads or memory can't be had.
pub fn run_lines<'a>(
    lines: impl IntoIterator<Item = &'a str>,
    target: impl Write + Send + 'static,
) -> Result<Engine, String> {
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
        if session.obey(command, read_at).is_break() {
            break;
        }
    }
    // Only a closed output ends the wait early, and then there is nothing left to do.
    let _ = session.wait();
    Ok(session.end())
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
        })
    }

    /// Writes the last lines. The engine is given back rather than dropped, see [`run`].
    fn end(self) -> Engine {
        if let Some(task) = &self.task {
            task.cancel();
        }
        self.writer.finish(LAST_WORDS);
        self.log.close();
        self.engine
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
                return self.obey(command, read_at);
            }
            Wake::Input(Input::End) | Wake::Closed => {
                self.engine.abandon();
                return Flow::Break(());
            }
            Wake::Event(event) => self.engine.handle(event),
            Wake::Deadline => self.engine.check_deadline(Instant::now()),
            Wake::TaskEnded => return self.after_task(),
            Wake::LogFailed(reason) => {
                self.note(&format!(
                    "Debug Log File: nothing more is recorded: {reason}"
                ));
            }
        }
        Flow::Continue(())
    }

    fn next_wake(&self) -> Wake {
        let deadline = self.engine.deadline().map_or_else(never, at);
        let task_ended = task::ended(self.task.as_ref());
        select! {
            recv(self.input) -> input => Wake::Input(input.unwrap_or(Input::End)),
            // The pool lives as long as the engine, and holds the other end.
            recv(self.engine.events()) -> event => event.map_or(Wake::Closed, Wake::Event),
            recv(task_ended) -> _ => Wake::TaskEnded,
            // The log itself holds the other end.
            recv(self.log.failures()) -> reason => reason.map_or(Wake::Closed, Wake::LogFailed),
            recv(deadline) -> _ => Wake::Deadline,
            recv(self.writer.closed()) -> _ => Wake::Closed,
        }
    }

    /// Waits until nothing is searched or worked at; a search without an end of its own is
    /// stopped.
    fn wait(&mut self) -> Flow {
        if self.engine.is_searching_without_end() {
            self.engine.stop();
        }
        while self.engine.is_searching() || self.task.is_some() {
            self.step()?;
        }
        Flow::Continue(())
    }

    fn after_task(&mut self) -> Flow {
        if self.task.take().is_some_and(|task| !task.join()) {
            self.note("that failed by a fault of the program");
        }
        // One of these may start another task, and then the rest wait again.
        for (command, read_at) in std::mem::take(&mut self.waiting) {
            self.obey(command, read_at)?;
        }
        Flow::Continue(())
    }

    fn obey(&mut self, command: Command, read_at: Instant) -> Flow {
        if let Some(task) = self.task.as_ref().filter(|_| waits_for_task(&command)) {
            if command == Command::Stop {
                task.cancel();
            }
            self.waiting.push_back((command, read_at));
            return Flow::Continue(());
        }
        match command {
            Command::Nothing | Command::Unknown => {}
            Command::Quit => {
                self.engine.abandon();
                return Flow::Break(());
            }
            Command::Uci => self.introduce(),
            Command::IsReady => self.outbox().send("readyok"),
            Command::Debug(on) => self.engine.settings_mut().debug = on,
            Command::NewGame => self.engine.new_game(),
            Command::Position(Ok(setup)) => self.set_up(&setup),
            Command::Position(Err(reason)) => self.refuse_position(&reason),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Go(go) => self.go(go, read_at),
            Command::Stop => self.engine.stop(),
            Command::PonderHit => self.engine.ponderhit(read_at),
            Command::Display => self.show(report::diagram),
            Command::Eval => self.show(|game| report::evaluation(game, self.engine.network())),
            Command::Perft(depth) => self.perft(depth),
            Command::Bench { depth } => self.bench(depth.unwrap_or(bench::DEPTH)),
            Command::GenFens(request) => self.generate_openings(request),
        }
        Flow::Continue(())
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
            match report::division(&position, depth, castling, cancel) {
                Some(lines) => lines.into_iter().for_each(|line| outbox.send(line)),
                None => outbox.send(report::note("perft stopped")),
            }
        });
    }

    fn bench(&mut self, depth: i32) {
        self.start_task(move |outbox, cancel| {
            match bench::run(depth, cancel, &mut |line| outbox.send(line)) {
                Ok(summary) => outbox.send(summary.to_string()),
                Err(error) => outbox.send(report::note(&error.to_string())),
            }
        });
    }

    fn generate_openings(&mut self, request: genfens::Request) {
        self.start_task(move |outbox, cancel| {
            let say = &mut |fen: &str| {
                outbox.send_in_turn(report::note(&format!("genfens {fen}")), cancel);
            };
            if let Err(error) = genfens::run(&request, cancel, say) {
                outbox.send(report::note(&format!("genfens: {error}")));
            }
        });
    }

    /// Starts work that is no search. A running search is stopped and answered first.
    fn start_task(&mut self, work: impl FnOnce(&Outbox, &AtomicBool) + Send + 'static) {
        self.engine.finish();
        let outbox = self.outbox().clone();
        match Task::spawn(move |cancel| work(&outbox, cancel)) {
            Ok(task) => self.task = Some(task),
            Err(error) => self.note(&format!("the system gives no thread: {error}")),
        }
    }
}

/// Whether a command has to wait while a task is at work. `stop` ends the task, but also waits,
/// for a `go` may be waiting before it. `isready` doesn't, though what came before it may wait: it
/// asks whether the program is alive.
fn waits_for_task(command: &Command) -> bool {
    !matches!(
        command,
        Command::Nothing
            | Command::Unknown
            | Command::Quit
            | Command::Uci
            | Command::IsReady
            | Command::Debug(_)
    )
}
