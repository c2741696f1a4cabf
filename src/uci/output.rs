//! The writer thread: whole lines, flushed, and nobody waits for it.

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::log::{Direction, Log};

/// How many lines may wait before those that aren't needed are dropped. A program that reads at
/// all never gets so far behind.
const GREATEST_BACKLOG: usize = 4096;
/// How often to look whether fewer lines wait.
const TURN: Duration = Duration::from_millis(1);
/// Lines are collected up to about this many bytes for one write.
const BATCH: usize = 64 << 10;

/// Hands lines to the writer thread; clones hand them to the same one.
#[derive(Clone, Debug)]
pub struct Outbox {
    /// `None` is the end.
    lines: Sender<Option<String>>,
    backlog: Arc<AtomicUsize>,
}

/// The other end of an [`Outbox`].
#[derive(Debug)]
pub struct Writer {
    outbox: Outbox,
    closed: Receiver<()>,
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
        self.backlog.fetch_add(1, Ordering::Relaxed);
        // If the writer is gone, so is the reader of what it wrote.
        let _ = self.lines.send(line);
    }
}

impl Writer {
    /// Starts a thread that writes to `target`, and records in `log` what it writes.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn spawn(target: impl Write + Send + 'static, log: Log) -> io::Result<Writer> {
        let (lines, queue) = unbounded();
        let (closing, closed) = unbounded();
        let backlog = Arc::new(AtomicUsize::new(0));
        let outbox = Outbox {
            lines,
            backlog: Arc::clone(&backlog),
        };
        thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || {
                // A failed write means that nobody reads any more. Either way this ends the thread and
                // with it `closing`, which is how the session hears of it.
                let _ = write_lines(target, &queue, &backlog, &log);
                drop(closing);
            })?;
        Ok(Writer { outbox, closed })
    }

    /// Where to hand lines in.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// A channel that is closed when nothing can be written any more.
    pub fn closed(&self) -> &Receiver<()> {
        &self.closed
    }

    /// Lets the thread write what it has, if that takes no longer than `patience`.
    pub fn finish(self, patience: Duration) {
        self.outbox.push(None);
        // Both the end of the thread and the end of patience are fine.
        let _ = self.closed.recv_timeout(patience);
    }
}

fn write_lines(
    mut target: impl Write,
    queue: &Receiver<Option<String>>,
    backlog: &AtomicUsize,
    log: &Log,
) -> io::Result<()> {
    let mut text = String::new();
    while let Ok(first) = queue.recv() {
        let mut taken = 0;
        let mut ended = false;
        text.clear();
        for line in std::iter::once(first).chain(queue.try_iter()) {
            taken += 1;
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
        backlog.fetch_sub(taken, Ordering::Relaxed);
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

    #[test]
    fn nothing_needed_is_lost_when_nobody_reads_for_a_while() {
        let target = Gated::default();
        let writer = Writer::spawn(target.clone(), Log::default()).expect("a thread");
        let shut = target.gate.lock();
        for _ in 0..3 * GREATEST_BACKLOG {
            writer.outbox().offer("info depth 1");
        }
        for number in 0..100 {
            writer.outbox().send(format!("bestmove {number}"));
        }
        drop(shut);
        writer.finish(Duration::from_secs(20));

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
        assert!((1..=GREATEST_BACKLOG + 1).contains(&infos), "{infos} infos");
    }

    #[test]
    fn lines_without_number_wait_for_a_reader() {
        const LINES: usize = 2 * GREATEST_BACKLOG;
        let target = Gated::default();
        let writer = Writer::spawn(target.clone(), Log::default()).expect("a thread");
        let shut = target.gate.lock();
        let cancel = Arc::new(AtomicBool::new(false));
        let (outbox, cancelled) = (writer.outbox().clone(), Arc::clone(&cancel));
        let work = thread::spawn(move || {
            for number in 0..LINES {
                outbox.send_in_turn(number.to_string(), &cancelled);
            }
        });
        thread::sleep(20 * TURN);
        assert!(writer.outbox().backlog.load(Ordering::Relaxed) <= GREATEST_BACKLOG);
        assert!(!work.is_finished());
        // Who cancels doesn't wait for a reader.
        cancel.store(true, Ordering::Relaxed);
        work.join().expect("no panic");
        drop(shut);
        writer.finish(Duration::from_secs(20));
        let written = String::from_utf8(target.written.lock().clone()).expect("text");
        assert_eq!(written.lines().count(), LINES);
    }

    #[test]
    fn a_closed_target_is_told() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let writer = Writer::spawn(Closed, Log::default()).expect("a thread");
        writer.outbox().send("readyok");
        assert!(matches!(
            writer.closed().recv_timeout(Duration::from_secs(20)),
            Err(crossbeam::channel::RecvTimeoutError::Disconnected)
        ));
    }
}
