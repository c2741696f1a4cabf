//! A line of text becomes a [`Command`].
//!
//! Total: any text parses. What can't be understood becomes a note for the person who reads along,
//! never an error that ends anything.

use crate::{
    chess960,
    position::notation::quoted,
    search::{Limits, score::MAX_DEPTH},
    tools::{bench, genfens},
};

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// An empty line, a comment, or something that needs no answer.
    Nothing,
    /// `uci`: say who you are and what options there are.
    Uci,
    /// `isready`: answer at once, also while something is searched or worked at. Commands that wait
    /// for work to end are not waited for: a client that asks for a sign of life is to have it.
    IsReady,
    /// `ucinewgame`: the next position is from another game.
    NewGame,
    /// `position`: set up a position; or why the line can't be one.
    Position(Result<Setup, String>),
    /// `go`: search.
    Go(Go),
    /// `go perft N`: count the positions `N` plies on.
    Perft(u32),
    /// `stop`: answer now.
    Stop,
    /// `ponderhit`: the opponent played the expected move.
    PonderHit,
    /// `quit`: end the program.
    Quit,
    /// `setoption`: change an option.
    SetOption {
        /// The option's name as it was written, with single spaces.
        name: String,
        /// The text after `value`, if there was any.
        value: Option<String>,
    },
    /// `debug on` and `debug off`.
    Debug(bool),
    /// `d`: show the position.
    Display,
    /// `eval`: show the evaluation of the position.
    Eval,
    /// `bench`: search a fixed set of positions.
    Bench(bench::Plan),
    /// `genfens`: make openings for OpenBench.
    GenFens(genfens::Request),
    /// `help`: list the commands.
    Help,
    /// No command is known in this line.
    Unknown,
}

/// The position that a `position` line describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Where the game began.
    pub start: Start,
    /// The moves since, as they were written.
    pub moves: Vec<String>,
}

/// Where a game begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// A position in FEN.
    Fen(String),
    /// Start positions of White and Black by number, 0 to 959; 518 twice is ordinary chess.
    Array(u16, u16),
}

/// What a `go` line asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// What bounds the search.
    pub limits: Limits,
    /// The words after `searchmoves`, if that was given.
    pub search_moves: Option<Vec<String>>,
}

/// A command, and what to say about the line it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The command.
    pub command: Command,
    /// What was ignored in the line, and why; each a single line of text.
    pub notes: Vec<String>,
}

impl Parsed {
    /// Reads a line. White space of any kind separates words, and words before the first command of
    /// the protocol are skipped, as it demands.
    pub fn new(line: &str) -> Parsed {
        let mut notes = Vec::new();
        // Windows shells begin what they pipe with a byte order mark.
        let command = parse(line.trim_start_matches('\u{feff}'), &mut notes);
        Parsed { command, notes }
    }
}

/// The first words of the protocol's own commands; only these are looked for behind unknown words.
const PROTOCOL: [&str; 11] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
];

/// The first words of the commands that are made for people and tools.
const EXTRAS: [&str; 5] = ["d", "eval", "bench", "genfens", "help"];

/// What `help` says.
pub const HELP: &str = "\
uci                        name and options, then uciok
setoption name N value V   sets an option
isready                    answers readyok
ucinewgame                 the next position is from another game
position startpos [moves M...]
position fen FEN [moves M...]
position frc N [moves M...]       Chess960 start position N, 0 to 959
position dfrc N M [moves M...]    White begins as in N, Black as in M
go                         searches until stop, or within limits:
   depth N, nodes N, movetime MS, mate N, infinite, ponder, searchmoves M...
   wtime MS, btime MS, winc MS, binc MS, movestogo N
go perft N                 counts of positions N plies on, by first move
stop                       answers with the best move so far
ponderhit                  the opponent played the expected move
d                          the position: board, FEN, key, start number
eval                       its evaluation without search
bench [N]                  searches fixed positions to depth N; the nodes are the engine's signature
bench HASH THREADS N       the same with another table and more threads
genfens N seed S book None|FILE   random openings for OpenBench
debug on|off               says what is decided, such as the time for a move
help                       this list
quit                       ends the program";

/// Whether a line begins with a command.
pub fn is_command(line: &str) -> bool {
    line.split_whitespace()
        .next()
        .is_some_and(|w| PROTOCOL.contains(&w) || EXTRAS.contains(&w))
}

fn parse(line: &str, notes: &mut Vec<String>) -> Command {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Command::Nothing;
    }
    let (mut word, mut rest) = split_word(line);
    if !EXTRAS.contains(&word) {
        while !PROTOCOL.contains(&word) {
            if rest.is_empty() {
                notes.push(format!(
                    "unknown command {}; help lists the commands",
                    quoted(line)
                ));
                return Command::Unknown;
            }
            (word, rest) = split_word(rest);
        }
    }
    let mut words = Words::new(rest);
    match word {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "position" => Command::Position(parse_position(words)),
        "go" => parse_go(words, notes),
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "setoption" => parse_set_option(rest, notes),
        "debug" => match words.next().map(str::to_ascii_lowercase).as_deref() {
            Some("on") => Command::Debug(true),
            Some("off") => Command::Debug(false),
            _ => refuse("debug takes 'on' or 'off'", notes),
        },
        "d" => Command::Display,
        "eval" => Command::Eval,
        "bench" => bench::Plan::parse(&rest.split_whitespace().collect::<Vec<_>>())
            .map_or_else(|why| refuse(why, notes), Command::Bench),
        "help" => Command::Help,
        "genfens" => parse_genfens(words, notes),
        // Registration is for engines that are sold.
        _ => Command::Nothing,
    }
}

fn refuse(why: impl Into<String>, notes: &mut Vec<String>) -> Command {
    notes.push(why.into());
    Command::Unknown
}

/// The first word of a line, and what follows the white space behind it.
fn split_word(line: &str) -> (&str, &str) {
    let line = line.trim_start();
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    (word, rest.trim_start())
}

/// The words of a line, with a look at the next one.
struct Words<'a> {
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Words<'a> {
        Words {
            words: text.split_whitespace().peekable(),
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    fn next_unless(&mut self, end: impl Fn(&str) -> bool) -> Option<&'a str> {
        self.words.next_if(|word| !end(word))
    }
}

/// A whole number; one that is too large or too small for 64 bits becomes the nearest that isn't.
fn parse_number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let nearest = if word.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    Some(word.parse().unwrap_or(nearest))
}

fn parse_position(mut words: Words) -> Result<Setup, String> {
    let number = |word: Option<&str>, below: u32| {
        let range = format!("a start position has a number from 0 to {}", below - 1);
        let Some(word) = word else {
            return Err(format!("the number is missing: {range}"));
        };
        let number = word.parse::<u32>().ok().filter(|&number| number < below);
        number.ok_or_else(|| format!("{} is no start position: {range}", quoted(word)))
    };
    let singles = u32::from(chess960::START_POSITIONS);
    let is_moves = |word: &str| word == "moves";

    let start = match words.next() {
        Some("startpos") => Start::Array(518, 518),
        Some("fen") => {
            let fields: Vec<&str> = std::iter::from_fn(|| words.next_unless(is_moves)).collect();
            Start::Fen(fields.join(" "))
        }
        Some("frc") => {
            let both = number(words.next_unless(is_moves), singles)? as u16;
            Start::Array(both, both)
        }
        Some("dfrc") => {
            let first = words.next_unless(is_moves);
            match words.next_unless(is_moves) {
                Some(second) => Start::Array(
                    number(first, singles)? as u16,
                    number(Some(second), singles)? as u16,
                ),
                None => {
                    let double = number(first, chess960::DOUBLE_START_POSITIONS)?;
                    Start::Array((double / singles) as u16, (double % singles) as u16)
                }
            }
        }
        Some(word) => return Err(format!("{} is no way to give a position", quoted(word))),
        None => return Err("position needs startpos, fen, frc or dfrc".to_owned()),
    };
    match words.next() {
        None | Some("moves") => {}
        // To ignore it would be to think about another position than the one that was meant.
        Some(word) => return Err(format!("{} where 'moves' should be", quoted(word))),
    }
    let moves = std::iter::from_fn(|| words.next())
        .map(str::to_owned)
        .collect();
    Ok(Setup { start, moves })
}

/// The words that mean something in a `go` line, and so end the list after `searchmoves`.
const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

fn parse_go(mut words: Words, notes: &mut Vec<String>) -> Command {
    let is_go_word = |word: &str| GO_WORDS.contains(&word);
    let mut go = Go::default();
    let mut perft = None;
    while let Some(word) = words.next() {
        match word {
            "infinite" => go.limits.infinite = true,
            "ponder" => go.limits.ponder = true,
            "searchmoves" => {
                let list = std::iter::from_fn(|| words.next_unless(is_go_word)).map(str::to_owned);
                go.search_moves.get_or_insert_default().extend(list);
            }
            "perft" => {
                let given = words.next_unless(is_go_word);
                match given.and_then(parse_number) {
                    Some(number) => {
                        perft = Some(u32::try_from(number.max(0)).unwrap_or(u32::MAX));
                    }
                    // A search, and one without an end, is nothing that was asked for.
                    None => return refuse("go perft needs a depth, as in go perft 5", notes),
                }
            }
            _ if is_go_word(word) => {
                let given = words.next_unless(is_go_word);
                match given.and_then(parse_number) {
                    Some(number) => set_limit(&mut go.limits, word, number, notes),
                    None => notes.push(match given {
                        Some(given) => {
                            format!("go {word} ignored: {} is not a whole number", quoted(given))
                        }
                        None => format!("go {word} ignored: it needs a number"),
                    }),
                }
            }
            _ => notes.push(format!(
                "{} ignored: go has no such parameter",
                quoted(word)
            )),
        }
    }
    perft.map_or(Command::Go(go), Command::Perft)
}

fn set_limit(limits: &mut Limits, word: &str, number: i64, notes: &mut Vec<String>) {
    match word {
        "wtime" => limits.time.white = Some(number),
        "btime" => limits.time.black = Some(number),
        "winc" => limits.increment.white = Some(number),
        "binc" => limits.increment.black = Some(number),
        "movetime" => limits.move_time = Some(number),
        "depth" => limits.depth = Some(number.clamp(1, i64::from(MAX_DEPTH)) as i32),
        "nodes" => limits.nodes = Some(number.max(1) as u64),
        // Zero moves to go or to mate is how some programs say that there is no such limit.
        "movestogo" => limits.moves_to_go = positive(number),
        "mate" => {
            limits.mate = positive(number);
            if limits.mate.is_none() {
                notes.push("go mate ignored: it needs a number from 1".to_owned());
            }
        }
        _ => {}
    }
}

fn positive(number: i64) -> Option<u32> {
    (number > 0).then(|| u32::try_from(number).unwrap_or(u32::MAX))
}

fn parse_set_option(rest: &str, notes: &mut Vec<String>) -> Command {
    let (first, after) = split_word(rest);
    let mut rest = if first.eq_ignore_ascii_case("name") {
        after
    } else {
        rest
    };
    let mut name = Vec::new();
    let mut value = None;
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        if word.eq_ignore_ascii_case("value") {
            // The rest as it stands: a path may hold several spaces in a row.
            value = Some(after.trim_end().to_owned());
            break;
        }
        name.push(word);
        rest = after;
    }
    if name.is_empty() {
        return refuse("setoption needs a name", notes);
    }
    Command::SetOption {
        name: name.join(" "),
        value,
    }
}

fn parse_genfens(mut words: Words, notes: &mut Vec<String>) -> Command {
    const USAGE: &str = "usage: genfens COUNT seed SEED book None|FILE";
    let Some(count) = words.next().and_then(|word| word.parse().ok()) else {
        return refuse(USAGE, notes);
    };
    let (mut seed, mut book) = (0, None);
    while let Some(word) = words.next() {
        match word {
            "seed" => match words.next().and_then(|word| word.parse().ok()) {
                Some(number) => seed = number,
                None => return refuse(USAGE, notes),
            },
            "book" => {
                book = words
                    .next()
                    .filter(|word| !word.eq_ignore_ascii_case("none"))
                    .map(str::to_owned);
            }
            // OpenBench lets every engine have words of its own here; there are none yet.
            _ => notes.push(format!(
                "{} ignored: genfens has no such parameter",
                quoted(word)
            )),
        }
    }
    Command::GenFens(genfens::Request { count, seed, book })
}

#[cfg(test)]
mod tests;
