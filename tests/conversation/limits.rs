//! What ends a search.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use crate::harness::{A_WHILE, ORDINARY, Program, Referee, field, is_prompt, pv};

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9";

fn greatest_depth(infos: &[String]) -> u32 {
    let depths = infos.iter().filter(|line| line.contains(" score "));
    depths
        .map(|line| field(line, "depth").parse::<u32>().expect(line))
        .max()
        .unwrap_or(0)
}

#[test]
fn one_clock_is_enough() {
    let mut program = Program::start();
    let black = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    for (fen, go) in [
        (MIDDLEGAME, "go wtime 100"),
        (MIDDLEGAME, "go btime 100"),
        (MIDDLEGAME, "go winc 100"),
        (MIDDLEGAME, "go wtime 10 winc 100"),
        (MIDDLEGAME, "go wtime 500 movestogo 1"),
        (black, "go btime 100"),
        (black, "go wtime 100"),
        (black, "go binc 100 wtime 100 winc 100 btime 100"),
    ] {
        program.send(&format!("position fen {fen}\n{go}"));
        Referee::new(fen, "", ORDINARY).judge(&program.answer());
    }
}

#[test]
fn clocks_that_have_run_out() {
    let mut program = Program::start();
    for go in [
        "go wtime 0 btime 0",
        "go wtime -50 btime 1000",
        "go wtime -500 btime -500 winc 0 binc 0",
        "go wtime 1 btime 1",
        "go movetime 0",
        "go movetime -1",
        "go movetime 1",
        "go wtime -99999999999999999999999 btime 1",
    ] {
        program.send(&format!("position startpos\n{go}"));
        let answer = program.answer();
        Referee::startpos("").play(&[&answer.best]);
    }
}

#[test]
fn a_go_without_limits_is_infinite() {
    let mut program = Program::start();
    for go in [
        "go",
        "go nonsense",
        "go depth",
        "go wtime 99999999999999999999999 btime 1",
        "go mate",
    ] {
        program.send(&format!("position startpos\n{go}"));
        program.expect_no("bestmove", A_WHILE);
        program.send("stop");
        Referee::startpos("").judge(&program.answer());
    }
    // Also when there is nothing more to find.
    program.send("position fen 8/8/8/4k3/8/8/8/4K3 w - - 0 1\ngo");
    program.wait_for("info depth 127");
    program.expect_no("bestmove", A_WHILE);
    program.send("stop");
    program.answer();
}

#[test]
fn the_tightest_limit_wins() {
    let mut program = Program::start();
    program.send(&format!("position fen {MIDDLEGAME}"));
    let answer = program.ask("go nodes 100000000 movetime 1000000 wtime 1000000 depth 3");
    assert_eq!(greatest_depth(&answer.infos), 3);
    let answer = program.ask("go depth 100 movetime 1000000 nodes 2000");
    let nodes: u64 = field(answer.last_info(), "nodes")
        .parse()
        .expect("a number");
    assert!(nodes < 10_000, "{nodes}");
    for go in [
        "go depth 100 movetime 100",
        "go depth 100 wtime 100 nodes 1000000000",
    ] {
        program.ask(go);
    }
}

#[test]
fn a_fixed_time_is_used_and_kept() {
    let mut program = Program::start();
    assert!(is_prompt(Duration::from_millis(800), || {
        let begin = Instant::now();
        program.ask("position startpos\ngo movetime 400");
        assert!(begin.elapsed() >= Duration::from_millis(250));
    }));
}

#[test]
fn the_move_overhead_that_is_set_is_kept_back() {
    let mut program = Program::start();
    program.send("debug on\nposition startpos");
    for (overhead, go, told) in [
        (0, "movetime 1000", "1000 ms at most"),
        (200, "movetime 1000", "800 ms at most"),
        // Of a fixed time a quarter at the most.
        (600, "movetime 1000", "750 ms at most"),
        (0, "wtime 24000", "730 ms to aim for, 11040 ms at most"),
        (4800, "wtime 24000", "584 ms to aim for, 8832 ms at most"),
    ] {
        let answer = program.ask(&format!(
            "setoption name Move Overhead value {overhead}\ngo {go}\nstop"
        ));
        assert_eq!(
            answer.notes(),
            [format!("time for this move: {told}")],
            "{go}"
        );
    }
}

#[test]
fn depths_beyond_all_sense() {
    let mut program = Program::start();
    for fen in [
        "8/8/8/4k3/8/8/8/4K3 w - - 0 1",
        "8/2p1p1p1/2P1P1Pp/P4K2/P7/p2p4/rppP3P/qkn4R w - - 0 1",
    ] {
        program.send(&format!("position fen {fen}\ngo depth 1000"));
        std::thread::sleep(A_WHILE);
        program.send("stop");
        Referee::new(fen, "", ORDINARY).judge(&program.answer());
        program.sync();
    }
    for go in ["go depth 0", "go depth -3", "go nodes 0", "go nodes 1"] {
        let answer = program.ask(&format!("position startpos\n{go}"));
        Referee::startpos("").play(&[&answer.best]);
    }
}

#[test]
fn searchmoves_in_any_place() {
    let mut program = Program::start();
    program.send("position startpos");
    for go in [
        "go searchmoves e2e4 d2d4 depth 5",
        "go depth 5 searchmoves e2e4 d2d4",
    ] {
        let answer = program.ask(go);
        assert!(
            ["e2e4", "d2d4"].contains(&answer.best.as_str()),
            "{go}: {}",
            answer.best
        );
        assert_eq!(greatest_depth(&answer.infos), 5, "{go}");
        Referee::startpos("").judge(&answer);
    }
    let answer = program.ask("go depth 4 searchmoves e2e5 b1a3 zz99 b1a3");
    assert_eq!(answer.best, "b1a3");
    assert_eq!(answer.notes().len(), 3);
    for go in [
        "go depth 2 searchmoves 0000",
        "go depth 2 searchmoves e2e5",
        "go searchmoves depth 2",
    ] {
        let answer = program.ask(go);
        assert!(!answer.notes().is_empty(), "{go}");
        Referee::startpos("").judge(&answer);
    }
}

#[test]
fn mates_are_found_and_end_a_mate_search() {
    let mut program = Program::start();
    let one = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    let answer = program.ask(&format!("position fen {one}\ngo mate 1"));
    assert_eq!(answer.best, "d1d8");
    assert!(
        answer.last_info().contains(" score mate 1 "),
        "{}",
        answer.last_info()
    );
    Referee::new(one, "", ORDINARY).judge(&answer);

    let two = "7k/8/8/8/8/8/1R6/R5K1 w - - 0 1";
    let answer = program.ask(&format!("position fen {two}\ngo mate 2"));
    assert!(
        answer.last_info().contains(" score mate 2 "),
        "{}",
        answer.last_info()
    );
    assert_eq!(pv(answer.last_info()).len(), 3, "{}", answer.last_info());

    // Mate on the hundredth ply comes before the fifty-move rule.
    let late = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 99 150";
    let answer = program.ask(&format!("position fen {late}\ngo depth 4"));
    assert!(
        answer.last_info().contains(" score mate 1 "),
        "{}",
        answer.last_info()
    );
}

#[test]
fn multipv_has_different_lines_in_order() {
    let mut program = Program::start();
    program.send("setoption name MultiPV value 10");
    // Six legal moves.
    let fen = "r1bqkb1r/ppp2ppp/5n2/nB1Pp1N1/8/8/PPPP1PPP/RNBQK2R b KQkq - 2 6";
    let answer = program.ask(&format!("position fen {fen}\ngo depth 5"));
    Referee::new(fen, "", ORDINARY).judge(&answer);
    let last: Vec<&String> = answer
        .infos
        .iter()
        .filter(|line| line.contains(" score ") && field(line, "depth") == "5")
        .filter(|line| !line.contains("bound"))
        .collect();
    assert_eq!(last.len(), 6, "{last:#?}");
    let firsts: HashSet<&str> = last.iter().map(|line| pv(line)[0]).collect();
    assert_eq!(firsts.len(), 6);
    for (line, rank) in last.iter().zip(1..) {
        assert_eq!(field(line, "multipv"), rank.to_string());
    }

    let answer = program.ask("position startpos\ngo depth 3 searchmoves e2e4 d2d4");
    let ranks: HashSet<&str> = answer
        .infos
        .iter()
        .filter(|line| line.contains(" score "))
        .map(|line| field(line, "multipv"))
        .collect();
    assert_eq!(ranks, HashSet::from(["1", "2"]));
}
