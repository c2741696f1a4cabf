//! A line of text becomes a [`Command`].
//!
//! Total: any text parses. What can't be understood becomes a note for the person who reads along,
//! never an error that ends anything.

use crate::{
    chess960,
    position::notation::quoted,
    search::{Limits, score::MAX_DEPTH},
    tools::genfens,
};

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// An empty line, a comment, or something that needs no answer.
    Nothing,
    /// `uci`: say who you are and what options there are.
    Uci,
    /// `isready`: answer once everything before is done.
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
    /// `bench [depth]`: search a fixed set of positions.
    Bench {
        /// Depth in plies, if given.
        depth: Option<i32>,
    },
    /// `genfens`: make openings for OpenBench.
    GenFens(genfens::Request),
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
const EXTRAS: [&str; 4] = ["d", "eval", "bench", "genfens"];

/// Whether a line begins with a command.
pub fn is_command(line: &str) -> bool {
    line.split_whitespace().next().is_some_and(|w| PROTOCOL.contains(&w) || EXTRAS.contains(&w))
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
                notes.push(format!("unknown command {}", quoted(line)));
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
        "bench" => parse_bench(words, notes),
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
        Words { words: text.split_whitespace().peekable() }
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
    let nearest = if word.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(word.parse().unwrap_or(nearest))
}

fn parse_position(mut words: Words) -> Result<Setup, String> {
    let number = |word: Option<&str>, below: u32| {
        word.and_then(|word| word.parse::<u32>().ok())
            .filter(|&number| number < below)
            .ok_or_else(|| format!("a start position has a number from 0 to {}", below - 1))
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
            let both = number(words.next(), singles)? as u16;
            Start::Array(both, both)
        }
        Some("dfrc") => {
            let first = words.next();
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
    let moves = std::iter::from_fn(|| words.next()).map(str::to_owned).collect();
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
            _ if is_go_word(word) => {
                let given = words.next_unless(is_go_word);
                match given.and_then(parse_number) {
                    Some(number) if word == "perft" => {
                        perft = Some(u32::try_from(number.max(0)).unwrap_or(u32::MAX));
                    }
                    Some(number) => set_limit(&mut go.limits, word, number, notes),
                    None => notes.push(match given {
                        Some(given) => {
                            format!("go {word} ignored: {} is not a whole number", quoted(given))
                        }
                        None => format!("go {word} ignored: it needs a number"),
                    }),
                }
            }
            _ => notes.push(format!("{} ignored: go has no such parameter", quoted(word))),
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
    let mut rest = if first.eq_ignore_ascii_case("name") { after } else { rest };
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
    Command::SetOption { name: name.join(" "), value }
}

fn parse_bench(mut words: Words, notes: &mut Vec<String>) -> Command {
    let Some(word) = words.next() else {
        return Command::Bench { depth: None };
    };
    match parse_number(word).and_then(|number| i32::try_from(number).ok()) {
        Some(depth) if (1..=MAX_DEPTH).contains(&depth) => Command::Bench { depth: Some(depth) },
        _ => refuse(format!("bench takes a depth from 1 to {MAX_DEPTH}"), notes),
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
                book = words.next().filter(|word| !word.eq_ignore_ascii_case("none")).map(str::to_owned);
            }
            // OpenBench lets every engine have words of its own here; there are none yet.
            _ => notes.push(format!("{} ignored: genfens has no such parameter", quoted(word))),
        }
    }
    Command::GenFens(genfens::Request { count, seed, book })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(line: &str) -> Command {
        let Parsed { command, notes } = Parsed::new(line);
        assert_eq!(notes, [""; 0], "{line}");
        command
    }

    fn go(line: &str) -> Go {
        match parse(line) {
            Command::Go(go) => go,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn position(line: &str) -> Result<Setup, String> {
        match parse(line) {
            Command::Position(setup) => setup,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn white_space_and_unknown_words_before_a_command_are_skipped() {
        for line in ["isready", "  isready ", "\tisready\r", "joho isready", "\u{feff}isready"] {
            assert_eq!(parse(line), Command::IsReady, "{line:?}");
        }
        assert_eq!(parse("joho debug\t on"), Command::Debug(true));
        for line in ["", "  \t\r", "# go infinite", "register later"] {
            assert_eq!(parse(line), Command::Nothing, "{line:?}");
        }
        // Words for people are too common to be looked for.
        for line in ["xyzzy", "hello d", "info string hello", "Isready", "debug maybe"] {
            let parsed = Parsed::new(line);
            assert_eq!(parsed.command, Command::Unknown, "{line}");
            assert_eq!(parsed.notes.len(), 1, "{line}");
        }
    }

    #[test]
    fn go_takes_its_parameters_in_any_order() {
        let every = go("go wtime 1 btime -2 winc 3 binc 4 movestogo 5 depth 6 nodes 7 mate 8 movetime 9");
        let limits = &every.limits;
        assert_eq!((limits.time.white, limits.time.black), (Some(1), Some(-2)));
        assert_eq!((limits.increment.white, limits.increment.black), (Some(3), Some(4)));
        assert_eq!((limits.moves_to_go, limits.depth), (Some(5), Some(6)));
        assert_eq!((limits.nodes, limits.mate, limits.move_time), (Some(7), Some(8), Some(9)));
        let reordered =
            go("go movetime 9 mate 8 nodes 7 depth 6 movestogo 5 binc 4 winc 3 btime -2 wtime 1");
        assert_eq!(every, reordered);
        assert_eq!(go("go"), Go::default());
        assert!(go("go infinite").limits.infinite);
        assert!(go("go wtime 5 ponder btime 5").limits.ponder);
        assert_eq!(parse("go perft 5"), Command::Perft(5));
    }

    #[test]
    fn a_keyword_ends_searchmoves() {
        let before = go("go searchmoves e2e4 d2d4 depth 6");
        assert_eq!(before, go("go depth 6 searchmoves e2e4 d2d4"));
        assert_eq!(before.search_moves.as_deref().map(<[String]>::len), Some(2));
        assert_eq!(go("go searchmoves infinite").search_moves, Some(Vec::new()));
        assert_eq!(go("go depth 6").search_moves, None);
    }

    #[test]
    fn a_bad_number_costs_one_parameter() {
        for (line, notes) in [
            ("go depth", 1),
            ("go depth abc", 1),
            ("go depth wtime 100", 1),
            ("go foo depth x bar", 3),
            ("go depth 7x nodes 1.5", 2),
            ("go mate 0", 1),
        ] {
            let parsed = Parsed::new(line);
            assert_eq!(parsed.notes.len(), notes, "{line}: {:?}", parsed.notes);
            let Command::Go(go) = parsed.command else { panic!("{line}") };
            assert_eq!(go.limits.depth, None, "{line}");
            assert_eq!(go.limits.time.white, line.contains("wtime").then_some(100), "{line}");
        }
    }

    #[test]
    fn numbers_out_of_range_become_the_nearest_in_it() {
        assert_eq!(go("go depth 0").limits.depth, Some(1));
        assert_eq!(go("go depth -3").limits.depth, Some(1));
        assert_eq!(go("go depth 99999999999999999999").limits.depth, Some(MAX_DEPTH));
        assert_eq!(go("go nodes 0").limits.nodes, Some(1));
        assert_eq!(go("go wtime 99999999999999999999").limits.time.white, Some(i64::MAX));
        assert_eq!(go("go wtime -99999999999999999999").limits.time.white, Some(i64::MIN));
        assert_eq!(go("go movestogo 0").limits.moves_to_go, None);
        assert_eq!(parse("go perft 99999999999"), Command::Perft(u32::MAX));
    }

    #[test]
    fn positions() {
        let start = |line: &str| position(line).expect(line).start;
        assert_eq!(start("position startpos"), Start::Array(518, 518));
        assert_eq!(start("position frc 12"), Start::Array(12, 12));
        assert_eq!(start("position dfrc 12 959"), Start::Array(12, 959));
        assert_eq!(start("position dfrc 921599 moves e2e4"), Start::Array(959, 959));
        assert_eq!(start("position dfrc 961"), Start::Array(1, 1));
        assert_eq!(
            start("position  fen 8/8/8/8/8/8/8/8\tw - -  moves a1a2"),
            Start::Fen("8/8/8/8/8/8/8/8 w - -".to_owned())
        );
        assert_eq!(position("position startpos moves"), position("position startpos"));
        let moves = position("position startpos moves e2e4 e7e5").expect("a position").moves;
        assert_eq!(moves, ["e2e4", "e7e5"]);
        for line in [
            "position",
            "position hello world",
            "position startpos e2e4",
            "position frc",
            "position frc 960",
            "position frc -1",
            "position frc x",
            "position dfrc 921600",
            "position dfrc 960 0",
            "position dfrc 1 2 3",
        ] {
            assert!(position(line).is_err(), "{line}");
        }
    }

    #[test]
    fn options_have_names_and_values_with_spaces() {
        let option = |line: &str| match parse(line) {
            Command::SetOption { name, value } => (name, value),
            other => panic!("{line}: {other:?}"),
        };
        let named = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        assert_eq!(option("setoption name Hash value 16"), named("Hash", Some("16")));
        assert_eq!(
            option("setoption  NAME move   overhead VALUE\t100 "),
            named("move overhead", Some("100"))
        );
        assert_eq!(option("setoption name Clear Hash"), named("Clear Hash", None));
        assert_eq!(option("setoption name Path value /a  b/c"), named("Path", Some("/a  b/c")));
        assert_eq!(option("setoption name Hash value "), named("Hash", Some("")));
        assert_eq!(Parsed::new("setoption name").command, Command::Unknown);
        assert_eq!(Parsed::new("setoption").command, Command::Unknown);
    }

    #[test]
    fn bench_and_openings() {
        assert_eq!(parse("bench"), Command::Bench { depth: None });
        assert_eq!(parse("bench 9"), Command::Bench { depth: Some(9) });
        assert_eq!(Parsed::new("bench x").command, Command::Unknown);
        let request = |book: Option<&str>| {
            Command::GenFens(genfens::Request { count: 5, seed: 7, book: book.map(str::to_owned) })
        };
        assert_eq!(parse("genfens 5 seed 7 book None"), request(None));
        assert_eq!(parse("genfens 5 seed 7 book Books/x.epd"), request(Some("Books/x.epd")));
        assert_eq!(Parsed::new("genfens 5 seed 7 book None extra").command, request(None));
        assert_eq!(Parsed::new("genfens many").command, Command::Unknown);
    }

    #[test]
    fn argument_lines_are_recognised() {
        for line in ["go depth 3", "uci", "genfens 5", "d", "setoption name Hash value 1"] {
            assert!(is_command(line), "{line}");
        }
        for line in ["", "perft", "gone", "help"] {
            assert!(!is_command(line), "{line}");
        }
    }

    /// Text that is nearly a command.
    fn nearly() -> impl Strategy<Value = String> {
        let words: Vec<&str> = PROTOCOL
            .into_iter()
            .chain(EXTRAS)
            .chain(GO_WORDS)
            .chain(["name", "value", "fen", "startpos", "frc", "dfrc", "moves", "e2e4", "w", "-"])
            .chain(["0", "-1", "960", "99999999999999999999", "\u{feff}", "é", "\t", "book", "seed"])
            .collect();
        proptest::collection::vec(proptest::sample::select(words), 0..12)
            .prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_line(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let parsed = Parsed::new(&String::from_utf8_lossy(&bytes));
            prop_assert!(parsed.notes.iter().all(|note| !note.contains(['\n', '\r'])));
        }

        #[test]
        fn any_words_are_a_line(line in nearly()) {
            let parsed = Parsed::new(&line);
            prop_assert!(parsed.notes.iter().all(|note| !note.contains(['\n', '\r'])));
        }
    }
}
