//! The other side of a conversation: starts the program, talks to it, and judges its moves.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use shakmaty::{
    CastlingMode, Chess, EnPassantMode, FromSetup as _, Position as _, PositionError, Setup,
    fen::Fen, uci::UciMove,
};

/// Longer than anything that has to come takes, on the busiest machine: whatever is waited for is
/// waited for so long, and what must not end by itself is made to last longer.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// Long enough for something to show that should not come.
pub const A_WHILE: Duration = Duration::from_millis(300);

/// A running program.
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// What it has said since the last answer.
    said: Vec<String>,
}

impl Program {
    /// Starts it as a GUI does.
    pub fn start() -> Program {
        Program::start_with(&[])
    }

    /// Starts it with arguments.
    pub fn start_with(arguments: &[&str]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zuylen"));
        command.args(arguments);
        Program::spawn(command)
    }

    /// Starts it with room for so many mebibytes of addresses, of which each thread may set some
    /// aside.
    #[cfg(target_os = "linux")]
    pub fn start_within(mebibytes: u32) -> Program {
        Program::spawn(Program::limited(&format!("-v {}", mebibytes << 10)))
    }

    /// The same where no thread sets addresses aside; on a machine with many cores it would be a lot
    /// of them.
    #[cfg(target_os = "linux")]
    pub fn start_within_all(mebibytes: u32) -> Program {
        let mut command = Program::limited(&format!("-v {}", mebibytes << 10));
        command.env("MALLOC_ARENA_MAX", "1");
        Program::spawn(command)
    }

    /// Starts it with a limit of the shell's `ulimit`.
    #[cfg(unix)]
    pub fn start_limited(limit: &str) -> Program {
        Program::spawn(Program::limited(limit))
    }

    #[cfg(unix)]
    fn limited(limit: &str) -> Command {
        let mut command = Command::new("sh");
        let script = format!("ulimit {limit} && exec \"$0\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_zuylen")]);
        command
    }

    /// Starts it, but reads nothing of what it says before [`Program::begin_to_read`].
    #[cfg(target_os = "linux")]
    pub fn start_unread() -> Program {
        Program::spawn_unread(Command::new(env!("CARGO_BIN_EXE_zuylen")))
    }

    fn spawn(command: Command) -> Program {
        let mut program = Program::spawn_unread(command);
        program.begin_to_read();
        program
    }

    fn spawn_unread(mut command: Command) -> Program {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        Program {
            input: child.stdin.take(),
            child,
            lines: channel().1,
            said: Vec::new(),
        }
    }

    /// Reads what it says, once and for all.
    pub fn begin_to_read(&mut self) {
        let output = BufReader::new(self.child.stdout.take().expect("a pipe"));
        let (sender, lines) = channel();
        self.lines = lines;
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // A panic that the pool survives is a defect all the same.
                assert!(!line.contains("search thread"), "{line}");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }

    /// Sends lines in one write.
    pub fn send(&mut self, lines: &str) {
        self.send_bytes(format!("{lines}\n").as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open input");
        input.write_all(bytes).expect("the program reads");
        input.flush().expect("the program reads");
    }

    /// The lines up to and with the first that begins with the words `start`.
    pub fn read_to(&mut self, start: &str) -> Vec<String> {
        let end = Instant::now() + PATIENCE;
        let mut lines = Vec::new();
        loop {
            match self
                .lines
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(line) => {
                    let found = begins_with(&line, start);
                    self.said.push(line.clone());
                    lines.push(line);
                    if found {
                        return lines;
                    }
                }
                Err(error) => panic!("no '{start}' ({error}) but {lines:#?}"),
            }
        }
    }

    /// The first line that begins with the words `start`.
    pub fn wait_for(&mut self, start: &str) -> String {
        self.read_to(start).pop().unwrap_or_default()
    }

    /// Listens for a while, in which no line may begin with the words `start`.
    pub fn expect_no(&mut self, start: &str, a_while: Duration) {
        let end = Instant::now() + a_while;
        while let Ok(line) = self
            .lines
            .recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            assert!(!begins_with(&line, start), "unexpected: {line}");
            self.said.push(line);
        }
    }

    /// What it has said and nobody has read yet; more may be on its way.
    pub fn heard(&mut self) -> Vec<String> {
        let lines: Vec<String> = self.lines.try_iter().collect();
        self.said.extend_from_slice(&lines);
        lines
    }

    /// Everything said up to now; the program is alive and has obeyed all it was sent.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.read_to("readyok");
        lines.pop();
        lines
    }

    /// Sends `lines`, which end with a `go`, and takes the whole answer.
    pub fn ask(&mut self, lines: &str) -> Answer {
        self.said.clear();
        self.send(lines);
        self.answer()
    }

    /// The answer to a `go`, with all that was said since the last one.
    pub fn answer(&mut self) -> Answer {
        self.read_to("bestmove");
        let mut infos = std::mem::take(&mut self.said);
        let last = infos.pop().unwrap_or_default();
        let mut words = last.split(' ').skip(1).map(str::to_owned);
        let best = words.next().expect("a move after bestmove");
        let ponder = match words.next().as_deref() {
            Some("ponder") => words.next(),
            other => {
                assert_eq!(other, None, "{last}");
                None
            }
        };
        Answer {
            infos,
            best,
            ponder,
        }
    }

    /// The number of its process.
    #[cfg(target_os = "linux")]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a system does that is out of memory.
    pub fn kill(&mut self) {
        self.child.kill().expect("a child");
        self.child.wait().expect("a child");
    }

    /// Closes the program's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the program's end.
    pub fn wait_for_end(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(Instant::now() < end, "the program goes on");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The rest of what it says, up to its end.
    pub fn read_rest(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => return lines,
                Err(error) => panic!("{error} after {lines:#?}"),
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether something takes less than `limit` at its best. Until it does it is tried again, as long as
/// patience lasts: a busy machine delays some tries, a fault delays all.
pub fn is_prompt(limit: Duration, mut attempt: impl FnMut()) -> bool {
    let begin = Instant::now();
    loop {
        let start = Instant::now();
        attempt();
        if start.elapsed() < limit {
            return true;
        }
        if begin.elapsed() > PATIENCE {
            return false;
        }
    }
}

fn begins_with(line: &str, start: &str) -> bool {
    line.strip_prefix(start)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// What a search said.
pub struct Answer {
    pub infos: Vec<String>,
    pub best: String,
    pub ponder: Option<String>,
}

impl Answer {
    /// The last line of analysis with a score.
    pub fn last_info(&self) -> &str {
        self.infos
            .iter()
            .rev()
            .find(|line| line.contains(" score "))
            .unwrap_or_else(|| panic!("no score in {:#?}", self.infos))
    }

    /// The lines for a person to read.
    pub fn notes(&self) -> Vec<&str> {
        notes(&self.infos)
    }
}

/// The lines for a person to read.
pub fn notes(lines: &[String]) -> Vec<&str> {
    lines
        .iter()
        .filter_map(|line| line.strip_prefix("info string "))
        .collect()
}

/// What follows `name` in a line of analysis.
pub fn field<'a>(info: &'a str, name: &str) -> &'a str {
    let mut words = info.split(' ').skip_while(|&word| word != name).skip(1);
    words
        .next()
        .unwrap_or_else(|| panic!("no {name} in {info}"))
}

/// The moves of a line of analysis.
pub fn pv(info: &str) -> Vec<&str> {
    info.split_once(" pv ")
        .map_or_else(Vec::new, |(_, moves)| moves.split(' ').collect())
}

/// The rules, and how castling is to be written.
#[derive(Clone)]
pub struct Referee {
    position: Chess,
    mode: CastlingMode,
    /// What repetition looks at, of all positions so far.
    seen: Vec<String>,
}

pub const ORDINARY: CastlingMode = CastlingMode::Standard;
pub const CHESS960: CastlingMode = CastlingMode::Chess960;

impl Referee {
    /// A referee who knows how castling is to be written.
    pub fn new(fen: &str, moves: &str, mode: CastlingMode) -> Referee {
        let setup: Setup = fen.parse::<Fen>().expect(fen).into_setup();
        let position = Chess::from_setup(setup, CHESS960)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .unwrap_or_else(|error| panic!("{fen}: {error}"));
        let mut referee = Referee {
            position,
            mode,
            seen: Vec::new(),
        };
        referee.note_position();
        for word in moves.split_whitespace() {
            let m = word
                .parse::<UciMove>()
                .expect(word)
                .to_move(&referee.position);
            referee.position.play_unchecked(m.expect(word));
            referee.note_position();
        }
        referee
    }

    fn note_position(&mut self) {
        let fen = self.fen();
        let counters = fen.rmatch_indices(' ').nth(1).expect("a FEN").0;
        self.seen.push(fen[..counters].to_owned());
    }

    /// Whether the game is drawn here, or can be claimed to be.
    fn is_drawn(&self) -> bool {
        let now = self.seen.last();
        let occurrences = self.seen.iter().filter(|&seen| Some(seen) == now).count();
        self.position.is_insufficient_material()
            || self.position.halfmoves() >= 100
            || occurrences >= 3
    }

    pub fn startpos(moves: &str) -> Referee {
        Referee::new(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            moves,
            ORDINARY,
        )
    }

    /// Plays moves that must be legal and written rightly.
    pub fn play(&mut self, words: &[&str]) {
        for word in words {
            let legal = self.position.legal_moves();
            let m = legal
                .into_iter()
                .find(|m| m.to_uci(self.mode).to_string() == *word);
            let m = m.unwrap_or_else(|| panic!("{word} of {words:?} is illegal in {}", self.fen()));
            self.position.play_unchecked(m);
            self.note_position();
        }
    }

    /// Plays a line of analysis, which may not go on after the end of the game.
    fn follow(&mut self, info: &str) {
        for (number, word) in pv(info).into_iter().enumerate() {
            assert!(number == 0 || !self.is_drawn(), "{info} goes on at {word}");
            self.play(&[word]);
        }
    }

    pub fn fen(&self) -> String {
        Fen::from_position(&self.position, EnPassantMode::Legal).to_string()
    }

    pub fn position(&self) -> &Chess {
        &self.position
    }

    /// Judges all that a search said: every line legal and ended by the end of the game, the last
    /// one exact and the answer's own, and if it is a mate, shown to the end.
    pub fn judge(&self, answer: &Answer) {
        for info in answer.infos.iter().filter(|line| line.contains(" pv ")) {
            self.clone().follow(info);
        }
        let last = answer
            .infos
            .iter()
            .rev()
            .find(|line| line.contains(" multipv 1 "))
            .unwrap_or_else(|| panic!("no lines: {:#?}", answer.infos));
        assert!(!last.contains("bound"), "{last}");
        assert_eq!(pv(last).first(), Some(&answer.best.as_str()), "{last}");
        if last.contains(" score mate ") {
            let mut end = self.clone();
            end.follow(last);
            assert!(end.position.is_checkmate(), "{last}");
            let moves: i32 = field(last, "mate").parse().expect(last);
            let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
            assert_eq!(pv(last).len() as i32, plies, "{last}");
        }
        let mut after = self.clone();
        after.play(&[answer.best.as_str()]);
        after.play(&answer.ponder.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
