//! The writer thread: whole lines, flushed, and nobody waits for it.
//!
//! If nobody reads, lines that may be lost are dropped once [`GREATEST_BACKLOG`] bytes wait. All
//! others are kept, so whoever gives them without end has to ask first: the session obeys nothing
//! that has an answer while the outbox [is full](Outbox::is_full), and long lists are given
//! [in turn](Outbox::send_in_turn).

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded, unbounded};

use super::log::{Direction, Log};
use crate::system::{self, SMALL_STACK};

/// How many bytes may wait before lines that aren't needed are dropped. A program that reads at
/// all never gets so far behind.
const GREATEST_BACKLOG: usize = 1 << 20;
/// How many bytes may wait before nothing is obeyed that would add to them.
const FULL: usize = 16 << 20;
/// How often to look whether fewer bytes wait.
const TURN: Duration = Duration::from_millis(1);
/// Lines are collected up to about this many bytes for one write.
const BATCH: usize = 64 << 10;

/// Hands lines to the writer thread; clones hand them to the same one.
#[derive(Clone, Debug)]
pub struct Outbox {
    /// `None` is the end.
    lines: Sender<Option<String>>,
    /// Bytes that are not written yet.
    backlog: Arc<AtomicUsize>,
}

/// The other end of an [`Outbox`].
#[derive(Debug)]
pub struct Writer {
    outbox: Outbox,
    thread: JoinHandle<io::Result<()>>,
    closed: Receiver<()>,
    room: Receiver<()>,
}

impl Outbox {
    /// Writes a line that somebody is waiting for; `line` has no end of line.
    pub fn send(&self, line: impl Into<String>) {
        self.push(Some(line.into()));
    }

    /// Writes a line that may be lost if nobody reads.
    pub fn offer(&self, line: impl Into<String>) {
        if self.backlog.load(Ordering::Relaxed) < GREATEST_BACKLOG {
            self.push(Some(line.into()));
        }
    }

    /// Whether so much waits that nothing should be added to it but what is owed already.
    pub fn is_full(&self) -> bool {
        self.backlog.load(Ordering::Relaxed) >= FULL
    }

    /// Writes a line that somebody is waiting for, one of any number: once not too many wait before
    /// it, or `cancel` is set. Blocks until then.
    pub fn send_in_turn(&self, line: impl Into<String>, cancel: &AtomicBool) {
        while self.backlog.load(Ordering::Relaxed) >= GREATEST_BACKLOG
            && !cancel.load(Ordering::Relaxed)
        {
            thread::sleep(TURN);
        }
        self.send(line);
    }

    fn push(&self, line: Option<String>) {
        self.backlog.fetch_add(cost(&line), Ordering::Relaxed);
        // If the writer is gone, so is the reader of what it wrote.
        let _ = self.lines.send(line);
    }
}

/// The memory that a line takes while it waits, in bytes.
fn cost(line: &Option<String>) -> usize {
    const BESIDES_TEXT: usize = 64;
    BESIDES_TEXT + line.as_ref().map_or(0, String::len)
}

impl Writer {
    /// Starts a thread that writes to `target`, and records in `log` what it writes.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn spawn(target: impl Write + Send + 'static, log: Log) -> io::Result<Writer> {
        let (lines, queue) = unbounded();
        let (closing, closed) = bounded(0);
        let (making_room, room) = bounded(1);
        let backlog = Arc::new(AtomicUsize::new(0));
        let outbox = Outbox {
            lines,
            backlog: Arc::clone(&backlog),
        };
        let thread = system::start_thread(SMALL_STACK, |thread, begun| {
            thread.name("writer".to_owned()).spawn(move || {
                drop(begun);
                // Dropped at the end, which is how the session hears of it.
                let _closing: Sender<()> = closing;
                write_lines(target, &queue, &backlog, &making_room, &log)
            })
        })?;
        Ok(Writer {
            outbox,
            thread,
            closed,
            room,
        })
    }

    /// Where to hand lines in.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// A channel that is closed when nothing can be written any more.
    pub fn closed(&self) -> &Receiver<()> {
        &self.closed
    }

    /// Whether nothing can be written any more.
    pub fn is_closed(&self) -> bool {
        self.closed.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// A channel that has something whenever the outbox has ceased to be full.
    pub fn room(&self) -> &Receiver<()> {
        &self.room
    }

    /// Lets the thread write what it has, if that takes no longer than `patience`.
    ///
    /// # Errors
    /// When something could not be written, but for want of a reader: who has gone away misses
    /// nothing.
    pub fn finish(self, patience: Duration) -> io::Result<()> {
        self.outbox.push(None);
        if self.closed.recv_timeout(patience) != Err(RecvTimeoutError::Disconnected) {
            // Nobody reads.
            return Ok(());
        }
        match self.thread.join() {
            Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}

fn write_lines(
    mut target: impl Write,
    queue: &Receiver<Option<String>>,
    backlog: &AtomicUsize,
    room: &Sender<()>,
    log: &Log,
) -> io::Result<()> {
    let mut text = String::new();
    while let Ok(first) = queue.recv() {
        let mut taken = 0;
        let mut ended = false;
        text.clear();
        for line in std::iter::once(first).chain(queue.try_iter()) {
            taken += cost(&line);
            match line {
                Some(line) => {
                    text.push_str(&line);
                    text.push('\n');
                }
                None => ended = true,
            }
            if ended || text.len() >= BATCH {
                break;
            }
        }
        // Recorded first: whoever reads a line may close the record at once.
        let written_at = Instant::now();
        text.lines()
            .for_each(|line| log.put(Direction::Out, written_at, line));
        target.write_all(text.as_bytes())?;
        target.flush()?;
        let before = backlog.fetch_sub(taken, Ordering::Relaxed);
        if before >= FULL && before - taken < FULL {
            // If there is a message already, that one will do.
            let _ = room.try_send(());
        }
        if ended {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;

    /// A target that blocks for as long as somebody holds its gate.
    #[derive(Clone, Default)]
    struct Gated {
        gate: Arc<Mutex<()>>,
        written: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _open = self.gate.lock();
            self.written.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    const INFO: &str = "info depth 1";

    #[test]
    fn nothing_needed_is_lost_when_nobody_reads_for_a_while() {
        let target = Gated::default();
        let writer = Writer::spawn(target.clone(), Log::default()).expect("a thread");
        let shut = target.gate.lock();
        for _ in 0..2 * GREATEST_BACKLOG / INFO.len() {
            writer.outbox().offer(INFO);
        }
        for number in 0..100 {
            writer.outbox().send(format!("bestmove {number}"));
        }
        drop(shut);
        writer.finish(Duration::from_secs(20)).expect("written");

        let written = String::from_utf8(target.written.lock().clone()).expect("text");
        let bestmoves = written
            .lines()
            .filter(|line| line.starts_with("bestmove"))
            .count();
        let infos = written
            .lines()
            .filter(|line| line.starts_with("info"))
            .count();
        assert_eq!(bestmoves, 100);
        let most = GREATEST_BACKLOG / INFO.len();
        assert!((1..=most).contains(&infos), "{infos} infos");
    }

    #[test]
    fn lines_without_number_wait_for_a_reader() {
        const LINE: &str = "info string genfens of some length";
        const LINES: usize = 2 * GREATEST_BACKLOG / LINE.len();
        let target = Gated::default();
        let writer = Writer::spawn(target.clone(), Log::default()).expect("a thread");
        let shut = target.gate.lock();
        let cancel = Arc::new(AtomicBool::new(false));
        let (outbox, cancelled) = (writer.outbox().clone(), Arc::clone(&cancel));
        let work = thread::spawn(move || {
            for _ in 0..LINES {
                outbox.send_in_turn(LINE, &cancelled);
            }
        });
        thread::sleep(20 * TURN);
        let backlog = writer.outbox().backlog.load(Ordering::Relaxed);
        assert!(
            backlog <= GREATEST_BACKLOG + cost(&Some(LINE.to_owned())),
            "{backlog}"
        );
        assert!(!work.is_finished());
        // Who cancels doesn't wait for a reader.
        cancel.store(true, Ordering::Relaxed);
        work.join().expect("no panic");
        drop(shut);
        writer.finish(Duration::from_secs(20)).expect("written");
        let written = String::from_utf8(target.written.lock().clone()).expect("text");
        assert_eq!(written.lines().count(), LINES);
    }

    #[test]
    fn it_is_told_when_there_is_room_again() {
        const LINE: &str = "a line of an answer";
        let target = Gated::default();
        let writer = Writer::spawn(target.clone(), Log::default()).expect("a thread");
        let shut = target.gate.lock();
        while !writer.outbox().is_full() {
            writer.outbox().send(LINE);
        }
        assert!(writer.room().try_recv().is_err());
        drop(shut);
        let told = writer.room().recv_timeout(Duration::from_secs(20));
        assert!(told.is_ok() && !writer.outbox().is_full());
        writer.finish(Duration::from_secs(20)).expect("written");
    }

    #[test]
    fn a_closed_target_is_told() {
        struct Closed(io::ErrorKind);
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        // A reader that has gone away is no fault.
        for (kind, is_fault) in [
            (io::ErrorKind::BrokenPipe, false),
            (io::ErrorKind::StorageFull, true),
        ] {
            let writer = Writer::spawn(Closed(kind), Log::default()).expect("a thread");
            writer.outbox().send("readyok");
            assert_eq!(
                writer.closed().recv_timeout(Duration::from_secs(20)),
                Err(RecvTimeoutError::Disconnected)
            );
            assert!(writer.is_closed());
            assert_eq!(writer.finish(Duration::ZERO).is_err(), is_fault);
        }
    }
}
