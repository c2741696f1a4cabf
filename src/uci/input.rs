//! The reader thread: bytes become commands, each with the time at which it was read.

use std::{
    io::{self, BufRead as _, BufReader, ErrorKind, Read},
    time::Instant,
};

use crossbeam::channel::{Receiver, bounded};

use super::{
    command::{Command, Parsed},
    log::{Direction, Log},
};
use crate::system::{self, SMALL_STACK};

/// The longest line that is read, in bytes; enough for the moves of any game that will ever be
/// played. The rest of a longer one is thrown away, and the line with it.
const LONGEST_LINE: usize = 16 << 20;
/// How many commands may wait. A program that writes faster than they are obeyed is made to wait,
/// rather than given all our memory.
pub(super) const GREATEST_BACKLOG: usize = 4096;

/// What arrives from outside.
#[derive(Debug)]
pub enum Input {
    /// A line, and when it was read.
    Line(Box<Parsed>, Instant),
    /// There will be no more; for what reason, if the input didn't just end.
    End(Option<io::Error>),
}

/// Starts a thread that reads `source` until it ends, and records the lines in `log`.
///
/// # Errors
/// When the system has no thread to give.
pub fn spawn(source: impl Read + Send + 'static, log: Log) -> io::Result<Receiver<Input>> {
    let (sender, receiver) = bounded(GREATEST_BACKLOG);
    system::start_thread(SMALL_STACK, |thread, begun| {
        thread.name("reader".to_owned()).spawn(move || {
            drop(begun);
            let mut lines = Lines {
                source: BufReader::new(source),
            };
            let end = loop {
                let line = match lines.next() {
                    Ok(Some(line)) => line,
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                };
                let read_at = Instant::now();
                let parsed = match line {
                    Line::Whole(bytes) => {
                        let text = String::from_utf8_lossy(&bytes);
                        log.put(Direction::In, read_at, &text);
                        Parsed::new(&text)
                    }
                    Line::TooLong => Parsed {
                        command: Command::Unknown,
                        notes: vec![format!(
                            "a line of more than {LONGEST_LINE} bytes was ignored"
                        )],
                    },
                };
                if sender.send(Input::Line(Box::new(parsed), read_at)).is_err() {
                    return;
                }
            };
            // A session that is gone has no use for the news.
            let _ = sender.send(Input::End(end));
        })
    })?;
    Ok(receiver)
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

struct Lines<R> {
    source: BufReader<R>,
}

impl<R: Read> Lines<R> {
    /// The next line without its end, or `None` when the source has ended.
    fn next(&mut self) -> io::Result<Option<Line>> {
        let mut line = Vec::new();
        let mut length = 0_usize;
        loop {
            let available = match self.source.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let ended = available.is_empty();
            if ended && length == 0 {
                return Ok(None);
            }
            let newline = available.iter().position(|&byte| byte == b'\n');
            let part = newline.unwrap_or(available.len());
            length = length.saturating_add(part);
            if length <= LONGEST_LINE {
                line.extend_from_slice(&available[..part]);
            }
            self.source.consume(newline.map_or(part, |at| at + 1));
            if ended || newline.is_some() {
                return Ok(Some(if length <= LONGEST_LINE {
                    Line::Whole(line)
                } else {
                    Line::TooLong
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn read_all(source: impl Read + Send + 'static) -> Vec<Parsed> {
        let receiver = spawn(source, Log::default()).expect("a thread");
        let mut lines = Vec::new();
        loop {
            match receiver
                .recv_timeout(Duration::from_secs(20))
                .expect("the reader goes on")
            {
                Input::Line(parsed, _) => lines.push(*parsed),
                Input::End(_) => return lines,
            }
        }
    }

    #[test]
    fn every_line_is_read_and_the_end_is_told() {
        let lines = read_all(&b"uci\r\n\n\tisready \nstop"[..]);
        let commands: Vec<Command> = lines.into_iter().map(|line| line.command).collect();
        assert_eq!(
            commands,
            [
                Command::Uci,
                Command::Nothing,
                Command::IsReady,
                Command::Stop
            ]
        );
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        let lines = read_all(&b"\xff\xfe\x00\x80 isready\nisready\n"[..]);
        assert_eq!(
            lines.last().map(|line| &line.command),
            Some(&Command::IsReady)
        );
    }

    #[test]
    fn an_endless_line_is_thrown_away() {
        let long = io::repeat(b'x').take(LONGEST_LINE as u64 + 1);
        let lines = read_all(long.chain(&b"\nisready\n"[..]));
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].command, Command::Unknown);
        assert!(lines[0].notes[0].contains("ignored"));
        assert_eq!(lines[1].command, Command::IsReady);
    }
}
