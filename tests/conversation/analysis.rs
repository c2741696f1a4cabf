//! What a search says while it thinks.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use crate::harness::{A_WHILE, CHESS960, ORDINARY, PATIENCE, Program, Referee, field, pv};

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9";
const BLOCKED: &str = "8/2p1p1p1/2P1P1Pp/P4K2/P7/p2p4/rppP3P/qkn4R w - - 0 1";
const BARE_KINGS: &str = "8/8/8/4k3/8/8/8/4K3 w - - 0 1";
const MOST_MOVES: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";

fn lines(infos: &[String]) -> impl Iterator<Item = &String> {
    infos.iter().filter(|line| line.contains(" score "))
}

/// A score as a number, mates beyond everything else.
fn value(info: &str) -> i32 {
    let number: i32 = match field(info, "score") {
        "cp" => field(info, "cp").parse().expect(info),
        _ => field(info, "mate").parse().expect(info),
    };
    if info.contains(" score mate ") {
        number.signum() * 1_000_000 - number
    } else {
        number
    }
}

#[test]
fn whole_iterations_alone_are_told_in_the_first_seconds() {
    let mut program = Program::start();
    program.send(&format!("position fen {MIDDLEGAME}\ngo movetime 2500"));
    let answer = program.answer();
    let whole = |line: &String| line.contains(" score ") && !line.contains("bound");
    assert!(answer.infos.iter().all(whole), "{:#?}", answer.infos);
}

#[test]
fn a_small_tree_is_no_flood() {
    let mut program = Program::start();
    let begin = Instant::now();
    program.send(&format!("position fen {BARE_KINGS}\ngo infinite"));
    // The deepest line has to wait, but not for the end of the search.
    let mut said = Vec::new();
    while !said
        .iter()
        .any(|line: &String| line.starts_with("info depth 127 "))
    {
        said.extend(program.read_to("info depth"));
        assert!(begin.elapsed() < PATIENCE, "no depth 127");
    }
    // 64 at once, and then one in two milliseconds.
    let allowed = 66 + begin.elapsed().as_millis() as usize / 2;
    assert!(
        said.len() <= allowed,
        "{} lines in {:?}",
        said.len(),
        begin.elapsed()
    );
    program.send("stop");
    Referee::new(BARE_KINGS, "", ORDINARY).judge(&program.answer());
}

#[test]
fn many_lines_are_told_whole_or_not_at_all() {
    let mut program = Program::start();
    program.send("setoption name MultiPV value 256");
    for (fen, moves) in [(MOST_MOVES, 218), (BARE_KINGS, 5), (MIDDLEGAME, 40)] {
        for go in ["go depth 3", "go nodes 4000", "go movetime 100"] {
            let answer = program.ask(&format!("position fen {fen}\n{go}"));
            let told: Vec<&String> = lines(&answer.infos).collect();
            let firsts: Vec<usize> = (0..told.len())
                .filter(|&index| field(told[index], "multipv") == "1")
                .collect();
            assert_eq!(firsts[0], 0, "{go}");
            let ends = firsts[1..].iter().copied().chain([told.len()]);
            let mut depth_before = 0;
            for (begin, end) in firsts.iter().copied().zip(ends) {
                let group = &told[begin..end];
                let depth: u32 = field(group[0], "depth").parse().expect(group[0]);
                // The last words of a search cut short may be about the depth it had reached.
                assert!(depth > depth_before || end == told.len(), "{go}: {depth}");
                depth_before = depth;
                let ranks: Vec<usize> = group
                    .iter()
                    .map(|line| field(line, "multipv").parse().expect(line))
                    .collect();
                let complete: Vec<usize> = (1..=group.len()).collect();
                assert_eq!(ranks, complete, "{go}");
                // Only a search that was cut short in its first iteration has fewer.
                assert!(group.len() == moves || depth == 1, "{go}: {group:#?}");
                let different: HashSet<&str> = group.iter().map(|line| pv(line)[0]).collect();
                assert_eq!(different.len(), group.len(), "{go}");
                // Of an iteration cut short the finished lines come first.
                let age = |line: &str| -> u32 {
                    depth - field(line, "depth").parse::<u32>().expect(line)
                };
                let ordered = group.is_sorted_by_key(|line| (age(line), -value(line)));
                assert!(ordered, "{go}: {group:#?}");
                let allowed = u32::from(end == told.len() && go != "go depth 3");
                assert!(
                    group.iter().all(|line| age(line) <= allowed),
                    "{go}: {group:#?}"
                );
            }
            Referee::new(fen, "", ORDINARY).judge(&answer);
        }
    }
}

#[test]
fn lines_are_in_order_when_windows_are_opened_again() {
    let mut program = Program::start();
    program.send("setoption name MultiPV value 4\nsetoption name Threads value 2");
    for fen in [
        MIDDLEGAME,
        "1rkr3b/1ppn3p/3pB1n1/6q1/R2P4/4N1P1/1P5P/2KRQ1B1 b Dbd - 0 14",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ] {
        let answer = program.ask(&format!("position fen {fen}\ngo depth 9"));
        let told: Vec<&String> = lines(&answer.infos).collect();
        for group in told.chunks(4) {
            let ranks: Vec<&str> = group.iter().map(|line| field(line, "multipv")).collect();
            assert_eq!(ranks, ["1", "2", "3", "4"]);
            assert!(group.is_sorted_by_key(|line| -value(line)), "{group:#?}");
            assert!(
                !group.iter().any(|line| line.contains("bound")),
                "{group:#?}"
            );
        }
        Referee::new(fen, "", CHESS960).judge(&answer);
    }
}

/// Processor time that a process has used, in ticks of a hundredth of a second.
#[cfg(target_os = "linux")]
fn ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("a process");
    let after_name = stat.rsplit_once(')').expect("a name").1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    fields[11..13]
        .iter()
        .map(|ticks| ticks.parse::<u64>().expect("a number"))
        .sum()
}

#[cfg(target_os = "linux")]
#[test]
fn at_the_end_of_the_tree_it_waits_without_a_core() {
    for (fen, go, threads) in [
        (BARE_KINGS, "go infinite", 1),
        (BARE_KINGS, "go ponder wtime 1000 btime 1000", 2),
        (MIDDLEGAME, "go infinite depth 3", 2),
        (MIDDLEGAME, "go infinite movetime 20", 3),
        (MIDDLEGAME, "go infinite nodes 2000", 1),
        (MIDDLEGAME, "go ponder mate 1", 2),
        ("7k/8/8/8/8/8/6q1/7K w - - 0 1", "go ponder depth 5", 1),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "go infinite", 1),
    ] {
        let mut program = Program::start();
        program.send(&format!(
            "setoption name Threads value {threads}\nposition fen {fen}\n{go}"
        ));
        // Until it has come to rest; a debug build on a busy machine takes a moment.
        let begin = Instant::now();
        let mut before = ticks(program.process());
        loop {
            program.expect_no("bestmove", Duration::from_millis(500));
            let now = ticks(program.process());
            if now <= before + 1 {
                break;
            }
            before = now;
            assert!(
                begin.elapsed() < PATIENCE,
                "{go} with {threads} threads goes on"
            );
        }
        program.send("stop");
        program.answer();
    }
}

#[test]
fn a_mate_that_is_asked_for_is_proven_or_ruled_out() {
    let mut program = Program::start();
    let two = "7k/8/8/8/8/8/1R6/R5K1 w - - 0 1";
    for (go, note, score) in [
        (
            "go mate 2",
            "mate in 2 is proven to be the shortest",
            "mate 2",
        ),
        (
            "go mate 5",
            "mate in 2 is proven to be the shortest",
            "mate 2",
        ),
        ("go mate 1", "there is no mate in 1", "cp"),
        (
            "go mate 2 searchmoves g1f1",
            "there is no mate in 2 with the moves given",
            "",
        ),
        (
            "go mate 2 depth 1 nodes 1",
            "there is no mate in 1; whether there is one in 2 is not known",
            "",
        ),
    ] {
        program.send("ucinewgame");
        let answer = program.ask(&format!("position fen {two}\n{go}"));
        assert_eq!(answer.notes(), [note], "{go}");
        let last = answer.last_info();
        assert!(last.contains(&format!(" score {score}")), "{go}: {last}");
        Referee::new(two, "", ORDINARY).judge(&answer);
    }
    // Without a mate it ends too.
    let answer = program.ask("position startpos\ngo mate 3");
    assert_eq!(answer.notes(), ["there is no mate in 3"]);
    // And it can be stopped, or held.
    program.send(&format!("position fen {MIDDLEGAME}\ngo mate 20"));
    program.expect_no("bestmove", A_WHILE);
    program.send("stop");
    let answer = program.answer();
    // On a busy machine the answer doesn't wait for what the search says last, which is lost then.
    assert!(answer.notes().len() <= 1, "{:?}", answer.notes());
    program.send(&format!("position fen {two}\ngo infinite mate 2"));
    program.expect_no("bestmove", A_WHILE);
    program.send("stop");
    assert_eq!(field(program.answer().last_info(), "mate"), "2");
}

#[test]
fn a_fixed_time_runs_from_the_ponderhit() {
    let mut program = Program::start();
    program.send(&format!(
        "position fen {MIDDLEGAME}\ngo ponder movetime 400"
    ));
    program.expect_no("bestmove", Duration::from_millis(600));
    let hit = Instant::now();
    program.send("ponderhit");
    let answer = program.answer();
    let taken = hit.elapsed();
    assert!(taken >= Duration::from_millis(300), "{taken:?}");
    Referee::new(MIDDLEGAME, "", ORDINARY).judge(&answer);
}

#[test]
fn the_blocked_position_stays_quiet_to_the_end() {
    let mut program = Program::start();
    program.send(&format!("position fen {BLOCKED}\ngo infinite"));
    program.expect_no("bestmove", A_WHILE);
    program.send("stop");
    Referee::new(BLOCKED, "", ORDINARY).judge(&program.answer());
}

#[test]
fn an_answer_names_the_expected_reply() {
    let mut program = Program::start();
    let answer = program.ask(&format!("position fen {MIDDLEGAME}\ngo depth 6"));
    let ponder = answer.ponder.as_deref();
    assert_eq!(ponder, pv(answer.last_info()).get(1).copied());
    assert!(ponder.is_some());
}
