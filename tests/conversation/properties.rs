//! Whole conversations made by chance: whatever is said in whatever order, every `go` is answered
//! once, and the program lives. `PROPTEST_CASES=10000 cargo test --test conversation properties`
//! makes more of them; what was found once is in `proptest-regressions` and in `tests/data/found`.

use std::{thread, time::Duration};

use proptest::{prelude::*, sample::select, test_runner::Config};
use zuylen::uci::command::{Command, Parsed};

use crate::harness::{AT_ONCE, PATIENCE, Program};

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
    select(vec![
        "setoption name Hash value 2",
        "setoption name Hash value 33554432",
        "setoption name Threads value 3",
        "setoption name Threads value 1",
        "setoption name MultiPV value 5",
        "setoption name MultiPV value 0",
        "setoption name Clear Hash",
        "setoption name UCI_Chess960 value true",
        "setoption name UCI_Chess960 value false",
        "setoption name Castling Notation value O-O",
        "setoption name Castling Notation value king two squares",
        "setoption name Castling Notation value auto",
        "setoption name UCI_ShowWDL value true",
        "setoption name Ponder value true",
        "setoption name UCI_Opponent value GM 2800 human Gary Kasparov",
        "setoption name Debug Log File value /no/such/folder/file",
        "setoption name nonsense value",
        "setoption",
    ])
    .prop_map(str::to_owned)
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

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => line().prop_map(Step::Line),
        3 => proptest::collection::vec(line(), 2..5).prop_map(Step::Lines),
        2 => (0..15_u64).prop_map(Step::Pause),
    ]
}

/// Holds a conversation and says what is wrong with it.
fn hold(steps: &[Step]) -> Result<(), TestCaseError> {
    let mut program = Program::start();
    let mut searches = 0;
    for step in steps {
        let lines = match step {
            Step::Line(line) => std::slice::from_ref(line),
            Step::Lines(lines) => lines,
            Step::Pause(milliseconds) => {
                thread::sleep(Duration::from_millis(*milliseconds));
                continue;
            }
        };
        let is_search = |line: &&String| matches!(Parsed::new(line).command, Command::Go(_));
        searches += lines.iter().filter(is_search).count();
        program.send(&lines.join("\n"));
    }
    // A position of its own, so that this answer can be told from those before it.
    program.send("stop\nucinewgame\nsetoption name Castling Notation value auto");
    program.send("position fen 7k/8/8/8/8/8/6q1/7K w - - 0 1\ngo depth 2");
    let mut answers = Vec::new();
    while answers.len() <= searches {
        answers.push(program.wait_for("bestmove", PATIENCE));
    }
    prop_assert_eq!(answers.last().map(String::as_str), Some("bestmove h1g2"));
    program.expect_no("bestmove", Duration::from_millis(10));
    program.send("quit");
    prop_assert!(program.wait_for_end(AT_ONCE).success());
    Ok(())
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
