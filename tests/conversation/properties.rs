//! Whole conversations made by chance: whatever is said in whatever order, everything is answered
//! once and rightly, and the program lives. `PROPTEST_CASES=10000 cargo test --test conversation properties`
//! makes more of them; what was found once is in `proptest-regressions` and in `tests/data/found`.

use std::{path::PathBuf, thread, time::Duration};

use proptest::{prelude::*, sample::select, test_runner::Config};
use zuylen::uci::command::{Command, Parsed};

use crate::{
    harness::Program,
    model::Owed,
    mutation::{changed, changes, lines_of},
};

/// One thing that a client does.
#[derive(Clone, Debug)]
enum Step {
    Line(String),
    /// Several lines in one write.
    Lines(Vec<String>),
    /// Milliseconds.
    Pause(u64),
}

fn position() -> impl Strategy<Value = String> {
    let start = select(vec![
        "startpos",
        "frc 959",
        "dfrc 12 700",
        "dfrc 921600",
        "fen 4k3/8/8/8/8/8/8/8 w - - 0 1",
        "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        "fen 5k2/8/8/8/8/8/8/5K1R w H - 99 1",
        "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
        "fen 7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
        "fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "fen nrkb2nr/ppppp1p1/6bp/5p2/BPP1P1P1/P7/3P1P1P/qRK1BQNR w BHbh - 0 3",
        "fen",
        "",
    ]);
    let word = select(vec![
        "e2e4", "e7e5", "e1g1", "e1h1", "O-O", "0-0-0+", "e1f1", "f1g1", "h1h8", "g1f3", "0000",
        "x",
    ]);
    (start, proptest::collection::vec(word, 0..3)).prop_map(|(start, moves)| {
        let moves = moves.join(" ");
        format!("position {start} moves {moves}")
    })
}

fn go() -> impl Strategy<Value = String> {
    let part = select(vec![
        "infinite",
        "ponder",
        "depth 3",
        "depth 0",
        "nodes 300",
        "movetime 5",
        "wtime 50 btime 50",
        "wtime -1",
        "winc 10 movestogo 1",
        "mate 1",
        "mate 2 nodes 2000",
        "searchmoves e2e4 e1g1",
        "searchmoves",
        "perft 2",
        "nonsense",
        "depth",
    ]);
    proptest::collection::vec(part, 0..4).prop_map(|parts| format!("go {}", parts.join(" ")))
}

fn option() -> impl Strategy<Value = String> {
    let of_any_run = select(vec![
        "Hash value 2",
        "Hash value 33554432",
        "Threads value 3",
        "Threads value 1",
        "MultiPV value 5",
        "MultiPV value 1",
        "MultiPV value 0",
        "Move Overhead value 5000",
        "Move Overhead value 0",
        "Clear Hash",
        "UCI_Chess960 value true",
        "UCI_Chess960 value false",
        "Castling Notation value O-O",
        "Castling Notation value king two squares",
        "Castling Notation value auto",
        "UCI_ShowWDL value true",
        "UCI_AnalyseMode value true",
        "UCI_LimitStrength value true",
        "UCI_LimitStrength value false",
        "UCI_Elo value 1000",
        "UCI_Elo value 2850",
        "UCI_Elo value 999",
        "Skill Level value 0",
        "Skill Level value 13",
        "Skill Level value 20",
        "Ponder value true",
        "UCI_Opponent value GM 2800 human Gary Kasparov",
        "Debug Log File value /no/such/folder/file",
        "Debug Log File value <empty>",
        concat!(
            "EvalFile value ",
            env!("CARGO_MANIFEST_DIR"),
            "/src/nnue/zuylen.network"
        ),
        concat!("EvalFile value ", env!("CARGO_MANIFEST_DIR"), "/README.md"),
        "EvalFile value <embedded>",
        "nonsense value",
    ])
    .prop_map(str::to_owned);
    let record = Just(format!("Debug Log File value {}", record().display()));
    prop_oneof![12 => of_any_run, 1 => record].prop_map(|option| format!("setoption name {option}"))
}

/// The record that conversations may keep.
fn record() -> PathBuf {
    std::env::temp_dir().join(format!("zuylen by chance {}.txt", std::process::id()))
}

fn other() -> impl Strategy<Value = String> {
    select(vec![
        "uci",
        "isready",
        "ucinewgame",
        "stop",
        "stop",
        "ponderhit",
        "debug on",
        "debug off",
        "d",
        "eval",
        "register later",
        "genfens 1 seed 1 book None",
        "help",
        "xyzzy",
        "",
        "\t",
        "joho isready",
    ])
    .prop_map(str::to_owned)
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![3 => position(), 4 => go(), 2 => option(), 4 => other()]
}

/// Lines that went wrong once, or that other clients sent.
const FOUND: &str = include_str!("../data/found/lines.txt");

const LETTERS: &str = "abcdefgh12345678 -+OQKqk0.x\t\r\u{e9}\u{1b}\0";
const WORDS: &[&str] = &[
    "go",
    "position",
    "stop",
    "startpos",
    "fen",
    "dfrc",
    "moves",
    "searchmoves",
    "infinite",
    "ponder",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "binc",
    "perft",
    "value",
    "0",
    "-1",
    "2",
    "959",
    "e2e4",
    "e1g1",
    "O-O",
    "9223372036854775808",
];

/// A line with faults, as a broken client sends it.
fn nearly() -> impl Strategy<Value = String> {
    let real = prop_oneof![1 => line(), 1 => select(lines_of(FOUND)).prop_map(str::to_owned)];
    (real, changes(LETTERS, WORDS))
        .prop_map(|(line, changes)| changed(&line, changes))
        .prop_filter("not of use here", |line| is_of_use(line))
}

/// Whether a line leaves the program running, and the machine with memory and files as they are.
fn is_of_use(line: &str) -> bool {
    match Parsed::new(line).command {
        Command::Quit | Command::Bench(_) | Command::GenFens(_) => false,
        Command::SetOption { name, value } => {
            let value = value.as_deref();
            let is_record = name.eq_ignore_ascii_case("Debug Log File");
            is_modest(&name, value) && (!is_record || value == record().to_str())
        }
        _ => true,
    }
}

/// Whether an option, if it is set so, takes no more memory and threads than a test may have.
pub fn is_modest(name: &str, value: Option<&str>) -> bool {
    let number = value.and_then(|value| value.parse::<u64>().ok());
    match name.to_ascii_lowercase().as_str() {
        "hash" => number.is_none_or(|n| n <= 64 || n > 33_554_432),
        "threads" => number.is_none_or(|n| n <= 8 || n > 1024),
        _ => true,
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => line().prop_map(Step::Line),
        2 => nearly().prop_map(Step::Line),
        3 => proptest::collection::vec(prop_oneof![line(), nearly()], 2..5).prop_map(Step::Lines),
        2 => (0..15_u64).prop_map(Step::Pause),
    ]
}

/// Holds a conversation and says what is wrong with it.
fn hold(steps: &[Step]) -> Result<(), TestCaseError> {
    let mut program = Program::start();
    let mut owed = Owed::default();
    let send = |program: &mut Program, owed: &mut Owed, lines: &[String]| {
        lines.iter().for_each(|line| owed.note(line));
        program.send(&lines.join("\n"));
    };
    let mut said = Vec::new();
    for step in steps {
        match step {
            Step::Line(line) => send(&mut program, &mut owed, std::slice::from_ref(line)),
            Step::Lines(lines) => send(&mut program, &mut owed, lines),
            Step::Pause(milliseconds) => thread::sleep(Duration::from_millis(*milliseconds)),
        }
        said.extend(program.heard());
        let answers = count_answers(&said);
        prop_assert!(
            answers <= owed.free_answers(),
            "an answer before its time: {said:#?}"
        );
    }
    // A position with one move, so that this answer can be told from those before it.
    let end = [
        "stop",
        "ucinewgame",
        "setoption name Debug Log File value <empty>",
        "position fen 7k/8/8/8/8/8/6q1/7K w - - 0 1",
        "go depth 2",
    ];
    send(&mut program, &mut owed, &end.map(str::to_owned));
    for _ in count_answers(&said)..owed.answers() {
        said.extend(program.read_to("bestmove"));
    }
    owed.settle(&said).map_err(TestCaseError::fail)?;
    program.expect_no("bestmove", Duration::from_millis(10));
    program.send("quit");
    prop_assert!(program.wait_for_end().success());
    // There is one if the conversation asked for it.
    let _ = std::fs::remove_file(record());
    Ok(())
}

fn count_answers(lines: &[String]) -> usize {
    let answers = lines.iter().filter(|line| line.starts_with("bestmove "));
    answers.count()
}

proptest! {
    #![proptest_config(Config {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(24),
        max_shrink_iters: 200,
        ..Config::default()
    })]

    #[test]
    fn every_go_is_answered_once(steps in proptest::collection::vec(step(), 1..25)) {
        hold(&steps)?;
    }
}

/// Conversations that went wrong once, a file each.
#[test]
fn conversations_that_went_wrong_once() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/found/conversations"
    );
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect(folder) {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let steps: Vec<Step> = lines
            .map(|line| match line.strip_prefix("pause ") {
                Some(milliseconds) => Step::Pause(milliseconds.parse().expect(line)),
                None => Step::Line(line.to_owned()),
            })
            .collect();
        hold(&steps).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        count += 1;
    }
    assert!(count > 0, "{folder} is empty");
}
