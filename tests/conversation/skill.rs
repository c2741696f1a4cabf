//! Playing weaker than it can.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use shakmaty::Position as _;

use crate::harness::{
    A_WHILE, Answer, CHESS960, ORDINARY, Program, Referee, field, is_prompt, notes, pv,
};

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9";
const WEAK: [&str; 6] = [
    "setoption name Skill Level value 0",
    "setoption name Skill Level value 7",
    "setoption name Skill Level value 19",
    "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1000",
    "setoption name UCI_Elo value 1900",
    "setoption name UCI_Elo value 2850",
];
/// A search that chooses anew each time, as those with limits in nodes and depth don't.
const AT_RANDOM: &str = "go wtime 20000 btime 20000";

fn total_nodes(answer: &Answer) -> u64 {
    field(answer.last_info(), "nodes")
        .parse()
        .expect("a number")
}

/// The ranks of the lines of the greatest depth told, from the last that is of rank 1.
fn last_ranks(answer: &Answer) -> Vec<&str> {
    let scores = answer.infos.iter().filter(|line| line.contains(" score "));
    let ranks: Vec<&str> = scores.map(|line| field(line, "multipv")).collect();
    let first = ranks.iter().rposition(|&rank| rank == "1").expect("a line");
    ranks[first..].to_vec()
}

#[test]
fn every_kind_of_search_is_answered_with_a_move_of_its_last_line() {
    let mut program = Program::start();
    let double = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9";
    for weak in WEAK {
        program.send(weak);
        assert_eq!(notes(&program.sync()), [""; 0], "{weak}");
        for (fen, mode) in [(MIDDLEGAME, ORDINARY), (double, CHESS960)] {
            let referee = Referee::new(fen, "", mode);
            program.send(&format!("position fen {fen}"));
            program.sync();
            for go in [
                "go depth 4",
                "go nodes 700",
                "go movetime 40",
                "go wtime 300 btime 300",
                "go wtime 20 btime 20",
                "go winc 100",
                "go mate 1",
            ] {
                program.send(go);
                referee.judge(&program.answer());
            }
        }
    }
}

#[test]
fn what_has_no_end_is_held_when_the_search_is_long_over() {
    let mut program = Program::start();
    let referee = Referee::new(MIDDLEGAME, "", ORDINARY);
    program.send(&format!(
        "setoption name Skill Level value 0\nposition fen {MIDDLEGAME}"
    ));
    for (go, end) in [
        ("go", "stop"),
        ("go infinite", "stop"),
        ("go ponder wtime 300 btime 300", "ponderhit"),
        ("go ponder wtime 300 btime 300", "stop"),
    ] {
        program.send(go);
        program.expect_no("bestmove", A_WHILE);
        program.send(end);
        referee.judge(&program.answer());
    }
}

#[test]
fn whole_games_are_legal() {
    let mut program = Program::start();
    for (level, start) in [(0, 12), (10, 518)] {
        program.send(&format!(
            "ucinewgame\nsetoption name UCI_Chess960 value true\nsetoption name Skill Level value {level}\nposition frc {start}\nd"
        ));
        let shown = program.sync();
        let fen = shown
            .iter()
            .find_map(|line| line.strip_prefix("Shredder-FEN: "))
            .expect("a FEN");
        let mut referee = Referee::new(fen, "", CHESS960);
        let mut moves = String::new();
        while !referee.position().is_game_over() && moves.len() < 5 * 80 {
            program.send(&format!("position fen {fen} moves {moves}\ngo nodes 3000"));
            let answer = program.answer();
            referee.judge(&answer);
            referee.play(&[&answer.best]);
            moves = format!("{moves}{} ", answer.best);
        }
    }
}

#[test]
fn the_weakest_sees_mate_in_one() {
    let mut program = Program::start();
    program.send("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1000");
    for (fen, mate) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"),
        (
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            "h5f7",
        ),
        (
            "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
            "d8h4",
        ),
    ] {
        for _ in 0..8 {
            program.send(&format!("ucinewgame\nposition fen {fen}\n{AT_RANDOM}"));
            let answer = program.answer();
            assert_eq!(answer.best, mate, "{fen}");
        }
    }
}

#[test]
fn it_errs_and_not_always_alike() {
    let mut program = Program::start();
    program.send(&format!(
        "setoption name Skill Level value 0\nposition fen {MIDDLEGAME}"
    ));
    let mut moves = HashSet::new();
    for _ in 0..30 {
        let answer = program.ask(AT_RANDOM);
        moves.insert(answer.best);
    }
    assert!((2..=8).contains(&moves.len()), "{moves:?}");
}

#[test]
fn searches_by_nodes_can_be_repeated_whatever_the_threads() {
    let mut program = Program::start();
    program.send("setoption name Skill Level value 3");
    let mut search = |threads: usize, moves: &str| {
        program.send(&format!(
            "setoption name Threads value {threads}\nucinewgame\nposition startpos moves {moves}\ngo nodes 1000000"
        ));
        let answer = program.answer();
        (total_nodes(&answer), answer.best, answer.ponder)
    };
    for moves in ["e2e4", "d2d4 g8f6", "g1f3 d7d5 g2g3"] {
        let first = search(1, moves);
        assert_eq!(search(1, moves), first);
        assert_eq!(search(3, moves), first);
    }
}

#[test]
fn as_many_lines_are_told_as_were_asked_for() {
    let mut program = Program::start();
    program.send(&format!(
        "setoption name Skill Level value 0\nposition fen {MIDDLEGAME}"
    ));
    let referee = Referee::new(MIDDLEGAME, "", ORDINARY);
    for lines in [1, 3, 12] {
        program.send(&format!("setoption name MultiPV value {lines}"));
        let ranks: Vec<String> = (1..=lines).map(|rank| rank.to_string()).collect();
        for _ in 0..10 {
            let answer = program.ask(AT_RANDOM);
            referee.judge(&answer);
            assert_eq!(last_ranks(&answer), ranks, "{:#?}", answer.infos);
        }
    }
    program.send("setoption name MultiPV value 1");
    for _ in 0..10 {
        let answer = program.ask(&format!("{AT_RANDOM} searchmoves a2a3 h2h3"));
        referee.judge(&answer);
        assert!(["a2a3", "h2h3"].contains(&answer.best.as_str()));
        assert!(pv(answer.last_info())[0] == answer.best);
    }
}

#[test]
fn the_full_strength_is_as_if_nothing_had_been() {
    let mut program = Program::start();
    let go = format!("ucinewgame\nposition fen {MIDDLEGAME}\ngo depth 11");
    let fresh = program.ask(&go);
    for (weaken, restore) in [
        (
            "setoption name skill level value 0",
            "setoption name SKILL LEVEL value 20",
        ),
        (
            "setoption name uci_limitstrength value true",
            "setoption name UCI_LimitStrength value false",
        ),
    ] {
        let weak = program.ask(&format!("{weaken}\n{go}"));
        assert!(total_nodes(&weak) < total_nodes(&fresh) / 2);
        let again = program.ask(&format!("{restore}\n{go}"));
        assert_eq!(again.best, fresh.best);
        assert_eq!(total_nodes(&again), total_nodes(&fresh));
    }
    // An Elo alone limits nothing.
    let elo = program.ask(&format!("setoption name UCI_Elo value 1000\n{go}"));
    assert_eq!(total_nodes(&elo), total_nodes(&fresh));
}

#[test]
fn a_part_of_the_clock_is_used_but_not_for_a_forced_move() {
    let mut program = Program::start();
    program.send("setoption name Skill Level value 0");
    // To aim for: 0.73 * 20 s / 24, about 600 ms, of which between a tenth and four tenths pass.
    assert!(is_prompt(Duration::from_millis(500), || {
        let begin = Instant::now();
        program.ask("position startpos\ngo wtime 20000 btime 20000");
        assert!(begin.elapsed() >= Duration::from_millis(50));
    }));

    let long = "go wtime 3600000 btime 3600000";
    program.send(&format!("position startpos\n{long}"));
    program.expect_no("bestmove", A_WHILE);
    program.send("stop");
    Referee::startpos("").judge(&program.answer());

    assert!(is_prompt(Duration::from_secs(1), || {
        program.ask(&format!(
            "position fen 1r5k/8/8/8/8/8/8/K6r w - - 0 1\n{long}"
        ));
    }));
}
