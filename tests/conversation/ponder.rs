//! Thinking on the opponent's time.

use crate::harness::{A_WHILE, Program, Referee, field};

#[test]
fn no_limit_ends_a_ponder_search() {
    let mut program = Program::start();
    program.send("setoption name Ponder value true\nposition startpos moves e2e4");
    let referee = Referee::startpos("e2e4");
    for go in [
        "go ponder wtime 100 btime 100",
        "go ponder movetime 20",
        "go ponder depth 2",
        "go nodes 100 ponder",
    ] {
        for end in ["stop", "ponderhit"] {
            program.send(go);
            program.expect_no("bestmove", A_WHILE);
            program.send(end);
            referee.judge(&program.answer());
        }
    }
    program.expect_no("bestmove", A_WHILE);
}

#[test]
fn after_ponderhit_the_clock_runs() {
    let mut program = Program::start();
    program.send("position startpos\ngo ponder wtime 2000 btime 2000");
    program.expect_no("bestmove", A_WHILE);
    program.send("ponderhit");
    Referee::startpos("").judge(&program.answer());

    // With time in hand the search goes on, and can still be stopped.
    program.send("go ponder wtime 10000000 btime 10000000\nponderhit");
    program.expect_no("bestmove", A_WHILE);
    program.send("stop");
    Referee::startpos("").judge(&program.answer());
}

/// Clients forget what was told on the opponent's time when the expected move comes; Cute Chess
/// then notes a move without a score.
#[test]
fn an_answer_after_ponderhit_has_its_lines_again() {
    let mut program = Program::start();
    for multipv in ["1", "3"] {
        program.send(&format!("setoption name MultiPV value {multipv}"));
        for limit in ["depth 5", "movetime 10", "wtime 100 btime 100"] {
            program.send(&format!("position startpos\ngo ponder {limit}"));
            program.expect_no("bestmove", A_WHILE);
            // What is said from here on.
            let answer = program.ask("ponderhit");
            Referee::startpos("").judge(&answer);
            assert_eq!(field(answer.last_info(), "multipv"), multipv, "{limit}");
        }
    }
}

#[test]
fn a_miss_is_answered_before_the_next_search() {
    let mut program = Program::start();
    program.send("position startpos moves e2e4 e7e5\ngo ponder wtime 60000 btime 60000");
    program.expect_no("bestmove", A_WHILE);
    program.send("stop\nposition startpos moves e2e4 c7c5\ngo wtime 500 btime 500");
    Referee::startpos("e2e4 e7e5").judge(&program.answer());
    Referee::startpos("e2e4 c7c5").judge(&program.answer());
    program.expect_no("bestmove", A_WHILE);
}

#[test]
fn a_finished_game_is_held_like_any_other() {
    let mut program = Program::start();
    let position = "position fen 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1 moves d1d8";
    for end in ["stop", "ponderhit"] {
        program.send(&format!("{position}\ngo ponder wtime 10000 btime 10000"));
        program.expect_no("bestmove", A_WHILE);
        program.send(end);
        assert_eq!(program.answer().best, "(none)");
    }
}

#[test]
fn a_ponder_move_is_legal_or_absent() {
    let mut program = Program::start();
    for fen in [
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
        "8/8/8/8/8/4k3/8/R3K3 w Q - 0 1",
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    ] {
        for nodes in [1, 50, 3000] {
            program.send(&format!("position fen {fen}\ngo nodes {nodes}"));
            let answer = program.answer();
            let mut referee = Referee::new(fen, "", crate::harness::ORDINARY);
            referee.play(&[&answer.best]);
            referee.play(&answer.ponder.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}
