//! The record of a conversation: what went in and out, and when, in a file that a user can send.
//!
//! Reader and writer hand over copies of their lines and go on; a thread of its own writes them, so
//! that no disk makes anybody wait, however slow or full it is. The last lines that came in before
//! the file was opened are remembered and written first: they hold the options that were set, and
//! the reader may be some lines ahead of whoever opens the file.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    fs::{self, File},
    io::{self, Write},
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use parking_lot::Mutex;

use crate::{
    position::notation::quoted,
    system::{self, SMALL_STACK},
};

/// How many bytes of lines may wait for the disk; those beyond are lost, and counted.
const GREATEST_BACKLOG: usize = 16 << 20;
/// The longest line that is recorded whole, in bytes; a game of thousands of moves is shorter.
const LONGEST_LINE: usize = 64 << 10;
/// How many bytes of lines are remembered while there is no record.
const MEMORY: usize = 64 << 10;
/// How long the last lines may take to be written when a record is closed.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Which way a line went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the engine.
    In,
    /// From the engine to the client.
    Out,
}

/// A hand on the record; clones share it. It is off until a file is opened.
#[derive(Clone, Debug)]
pub struct Log(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    started: Instant,
    /// Whether there is a record, for those who need not know more.
    on: AtomicBool,
    state: Mutex<State>,
    failures: (Sender<String>, Receiver<String>),
}

#[derive(Debug)]
enum State {
    Off(Memory),
    On(Record),
}

/// The last lines that came in.
#[derive(Debug, Default)]
struct Memory {
    lines: VecDeque<Line>,
    cost: usize,
}

/// The thread that writes, as those who hand it lines see it.
#[derive(Debug)]
struct Record {
    /// Closed by the thread when it can't write any more, and by us when it need not.
    lines: Sender<Line>,
    waiting: Arc<Waiting>,
    ended: Receiver<()>,
}

#[derive(Debug, Default)]
struct Waiting {
    bytes: AtomicUsize,
    lost: AtomicUsize,
}

#[derive(Debug)]
struct Line {
    direction: Direction,
    /// Since the start of the program.
    after: Duration,
    at: SystemTime,
    text: String,
}

impl Default for Log {
    fn default() -> Log {
        Log(Arc::new(Shared {
            started: Instant::now(),
            on: AtomicBool::new(false),
            state: Mutex::new(State::Off(Memory::default())),
            failures: unbounded(),
        }))
    }
}

impl Log {
    /// Records from now on to the end of the file at `path`, which is made if need be, and closes
    /// the record before it.
    ///
    /// # Errors
    /// When the file can't be written to; a record that is open goes on.
    pub fn open(&self, path: &str) -> Result<(), String> {
        let refused = |reason: &str| format!("{} can't be written to: {reason}", quoted(path));
        // A pipe would have us wait for somebody to read it, and standard output is taken.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(refused("it is no ordinary file"));
        }
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| refused(&error.to_string()))?;
        writeln!(file, "{}", heading()).map_err(|error| refused(&error.to_string()))?;
        self.record_to(file)
            .map_err(|error| refused(&error.to_string()))
    }

    fn record_to(&self, target: impl Write + Send + 'static) -> io::Result<()> {
        let (lines, queue) = unbounded();
        let (ending, ended) = bounded(0);
        let waiting = Arc::new(Waiting::default());
        let counts = Arc::clone(&waiting);
        let failed = self.0.failures.0.clone();
        system::start_thread(SMALL_STACK, |thread, begun| {
            thread.name("log".to_owned()).spawn(move || {
                drop(begun);
                if let Err(error) = write_lines(target, &queue, &counts) {
                    // The session holds the other end for as long as anybody cares.
                    let _ = failed.send(error.to_string());
                }
                drop(ending);
            })
        })?;
        self.close();
        let record = Record {
            lines,
            waiting,
            ended,
        };
        let mut state = self.0.state.lock();
        if let State::Off(memory) = &mut *state {
            for line in memory.lines.drain(..) {
                record.put(line);
            }
        }
        *state = State::On(record);
        self.0.on.store(true, Relaxed);
        Ok(())
    }

    /// Ends the record, if there is one, with all that was handed over before; a disk that takes
    /// longer than a second is not waited for.
    pub fn close(&self) {
        self.0.on.store(false, Relaxed);
        let mut state = self.0.state.lock();
        if matches!(*state, State::Off(_)) {
            return;
        }
        let closed = mem::replace(&mut *state, State::Off(Memory::default()));
        drop(state);
        if let State::On(Record { lines, ended, .. }) = closed {
            drop(lines);
            // Both the end of the thread and the end of patience are fine.
            let _ = ended.recv_timeout(LAST_LINES);
        }
    }

    /// Records a line, which went in or out at `moment`.
    pub fn put(&self, direction: Direction, moment: Instant, text: &str) {
        if direction == Direction::Out && !self.0.on.load(Relaxed) {
            return;
        }
        let line = Line {
            direction,
            after: moment.saturating_duration_since(self.0.started),
            at: SystemTime::now(),
            text: shortened(text),
        };
        let mut state = self.0.state.lock();
        match &mut *state {
            State::Off(memory) => memory.put(line),
            State::On(record) => {
                if !record.put(line) {
                    self.0.on.store(false, Relaxed);
                    *state = State::Off(Memory::default());
                }
            }
        }
    }

    /// Where it is told why a record ended that nobody closed.
    pub fn failures(&self) -> &Receiver<String> {
        &self.0.failures.1
    }
}

impl Memory {
    fn put(&mut self, line: Line) {
        if line.direction == Direction::Out {
            return;
        }
        self.cost += line.cost();
        self.lines.push_back(line);
        while self.cost > MEMORY
            && let Some(oldest) = self.lines.pop_front()
        {
            self.cost -= oldest.cost();
        }
    }
}

impl Record {
    /// Hands a line over; `false` if the thread has ended, and said why.
    fn put(&self, line: Line) -> bool {
        let (waiting, cost) = (&self.waiting, line.cost());
        if waiting.bytes.fetch_add(cost, Relaxed) > GREATEST_BACKLOG {
            waiting.bytes.fetch_sub(cost, Relaxed);
            waiting.lost.fetch_add(1, Relaxed);
            return true;
        }
        self.lines.send(line).is_ok()
    }
}

/// What a reader of the file has to know first.
fn heading() -> String {
    format!(
        "# Zuylen {} for {} on {}, {} cores. '>' went in, '<' came out; time in UTC, and in \
         milliseconds since the program started",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        thread::available_parallelism().map_or(0, usize::from),
    )
}

fn shortened(text: &str) -> String {
    if text.len() <= LONGEST_LINE {
        return text.to_owned();
    }
    let kept = &text[..text.floor_char_boundary(LONGEST_LINE)];
    format!("{kept}... ({} bytes)", text.len())
}

impl Line {
    /// Bytes that it takes while it waits.
    fn cost(&self) -> usize {
        self.text.len() + size_of::<Line>()
    }

    fn write(&self, page: &mut String) {
        page.push_str(match self.direction {
            Direction::In => "> ",
            Direction::Out => "< ",
        });
        let time = humantime::format_rfc3339_millis(self.at);
        // Writing to a string does not fail.
        let _ = write!(page, "{time} {} ", self.after.as_millis());
        for c in self.text.trim_end_matches('\r').chars() {
            if c.is_control() {
                page.extend(c.escape_default());
            } else {
                page.push(c);
            }
        }
        page.push('\n');
    }
}

fn write_lines(
    mut target: impl Write,
    queue: &Receiver<Line>,
    waiting: &Waiting,
) -> io::Result<()> {
    let mut page = String::new();
    while let Ok(first) = queue.recv() {
        page.clear();
        let mut taken = 0;
        for line in std::iter::once(first).chain(queue.try_iter()) {
            line.write(&mut page);
            taken += line.cost();
            if page.len() >= LONGEST_LINE {
                break;
            }
        }
        // Whole lines in one write, so that they are there should the program be killed.
        target.write_all(page.as_bytes())?;
        target.flush()?;
        waiting.bytes.fetch_sub(taken, Relaxed);
        let lost = waiting.lost.swap(0, Relaxed);
        if lost > 0 {
            writeln!(target, "# {lost} lines are missing: the disk was too slow")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes into memory, as long as somebody doesn't hold its gate.
    #[derive(Clone, Default)]
    struct Paper {
        gate: Arc<Mutex<()>>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Paper {
        fn text(&self) -> String {
            String::from_utf8(self.written.lock().clone()).expect("text")
        }
    }

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _open = self.gate.lock();
            self.written.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_have_their_direction_and_times() {
        let (log, paper) = (Log::default(), Paper::default());
        let start = log.0.started;
        log.put(Direction::In, start, "setoption");
        log.put(Direction::Out, start, "before it was opened");
        log.record_to(paper.clone()).expect("a thread");
        log.put(
            Direction::In,
            start + Duration::from_millis(7),
            "go \u{1b}é\t\r",
        );
        log.put(
            Direction::Out,
            start + Duration::from_secs(2),
            "bestmove e2e4",
        );
        log.close();
        log.put(Direction::Out, start, "after it was closed");

        let text = paper.text();
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.splitn(4, ' ').collect())
            .collect();
        let [before, went_in, came_out] = &lines[..] else {
            panic!("{text}")
        };
        assert_eq!((before[0], before[2], before[3]), (">", "0", "setoption"));
        assert_eq!((went_in[0], went_in[2]), (">", "7"));
        assert_eq!(went_in[3], "go \\u{1b}é\\t");
        assert_eq!(
            (came_out[0], came_out[2], came_out[3]),
            ("<", "2000", "bestmove e2e4")
        );
        for line in [went_in, came_out] {
            let time = humantime::parse_rfc3339(line[1]).expect(line[1]);
            let ago = SystemTime::now().duration_since(time).expect("the past");
            assert!(ago < Duration::from_secs(60), "{ago:?}");
        }
    }

    #[test]
    fn only_the_last_lines_before_are_remembered() {
        let (log, paper) = (Log::default(), Paper::default());
        for number in 0..10_000 {
            log.put(Direction::In, Instant::now(), &format!("line {number}"));
        }
        log.record_to(paper.clone()).expect("a thread");
        // What goes on when another record takes over is not lost between them.
        let second = Paper::default();
        log.record_to(second.clone()).expect("a thread");
        log.put(Direction::In, Instant::now(), "the end");
        log.close();
        let text = paper.text();
        assert!(text.ends_with(" line 9999\n") && !text.contains(" line 0\n"));
        assert!(text.len() < 2 * MEMORY && text.lines().count() > 100);
        assert!(second.text().ends_with(" the end\n"));
    }

    #[test]
    fn a_slow_disk_makes_nobody_wait_and_loses_what_is_too_much() {
        let (log, paper) = (Log::default(), Paper::default());
        log.record_to(paper.clone()).expect("a thread");
        let shut = paper.gate.lock();
        let long = "x".repeat(2 * LONGEST_LINE);
        let before = Instant::now();
        for _ in 0..2 * GREATEST_BACKLOG / LONGEST_LINE {
            log.put(Direction::In, before, &long);
        }
        assert!(before.elapsed() < Duration::from_secs(10));
        drop(shut);
        // Closing waits for a second only, which may be too short here.
        log.close();
        let end = Instant::now() + Duration::from_secs(20);
        let kept = |text: &str| text.lines().filter(|line| line.starts_with('>')).count();
        let is_done = |text: &str| text.contains(" lines are missing") && kept(text) >= 200;
        while !is_done(&paper.text()) {
            assert!(Instant::now() < end, "{} lines", kept(&paper.text()));
            thread::sleep(Duration::from_millis(5));
        }
        let text = paper.text();
        assert!(kept(&text) < 300, "{}", kept(&text));
        assert!(text.contains("x... (131072 bytes)"));
    }

    #[test]
    fn a_full_disk_ends_the_record_and_is_told_once() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let log = Log::default();
        log.record_to(Full).expect("a thread");
        log.put(Direction::In, Instant::now(), "isready");
        let patience = Duration::from_secs(20);
        log.failures().recv_timeout(patience).expect("a reason");
        let end = Instant::now() + patience;
        while log.0.on.load(Relaxed) {
            assert!(Instant::now() < end);
            log.put(Direction::Out, Instant::now(), "readyok");
        }
        assert!(log.failures().is_empty());
        // Another file may be opened after that.
        let paper = Paper::default();
        log.record_to(paper.clone()).expect("a thread");
        log.put(Direction::Out, Instant::now(), "readyok");
        log.close();
        assert!(paper.text().ends_with(" readyok\n"));
    }
}
