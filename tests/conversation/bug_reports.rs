//! What other engines were reported for, as far as the other files don't ask it: the letters and
//! numbers are those of the cases in `tests/README.md`.

use std::{collections::HashSet, time::Duration};

use crate::harness::{A_WHILE, CHESS960, ORDINARY, Program, Referee, field, notes, pv};

fn score(info: &str) -> i32 {
    match field(info, "score") {
        "cp" => field(info, "cp").parse().expect(info),
        _ => 100_000 * field(info, "mate").parse::<i32>().expect(info).signum(),
    }
}

/// CN-04: a client that always writes king takes rook.
#[test]
fn king_takes_rook_is_read_in_ordinary_chess() {
    let mut program = Program::start();
    let start = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (moves, right) in [
        ("e1h1", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"),
        ("e1h1 e8a8 f1f2", "2kr3r/8/8/8/8/8/5R2/R5K1 b - - 3 2"),
    ] {
        program.send(&format!("position fen {start} moves {moves}\nd"));
        assert_eq!(program.wait_for("FEN:"), format!("FEN: {right}"));
        program.sync();
        Referee::new(right, "", ORDINARY).judge(&program.ask("go depth 3"));
    }
}

/// CN-07: the option is switched off again.
#[test]
fn ordinary_chess_after_a_game_of_chess960() {
    let mut program = Program::start();
    let double = "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BBRKQNRN w GCge - 0 1";
    program.send("setoption name UCI_Chess960 value true\nucinewgame");
    let answer = program.ask(&format!("position fen {double}\ngo depth 3"));
    Referee::new(double, "", CHESS960).judge(&answer);
    program.send("setoption name UCI_Chess960 value false\nucinewgame");
    let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1 f8c5 f1e1 e8g8";
    let answer = program.ask(&format!("position startpos moves {moves}\ngo depth 4"));
    Referee::startpos(moves).judge(&answer);
}

/// CN-12: a longer search from a start position of Chess960 of which nobody has told it.
#[test]
fn chess960_without_the_option_survives_a_search() {
    let mut program = Program::start();
    let fen = "rkrnbbqn/pppppppp/8/8/8/8/PPPPPPPP/RKRNBBQN w CAca - 0 1";
    let answer = program.ask(&format!(
        "position fen {fen} moves e2e4 e7e5\ngo movetime 700"
    ));
    Referee::new(fen, "e2e4 e7e5", CHESS960).judge(&answer);
}

/// CN-15: the same pieces, but another rook may castle.
#[test]
fn a_right_of_the_inner_rook_is_forgotten_with_it() {
    let mut program = Program::start();
    program.send("setoption name UCI_Chess960 value true");
    let inner = "4k3/8/8/8/8/8/3P4/4K1RR w G - 0 1";
    let answer = program.ask(&format!(
        "position fen {inner}\ngo depth 7 searchmoves e1g1"
    ));
    assert_eq!(answer.best, "e1g1");
    let outer = "4k3/8/8/8/8/8/3P4/4K1RR w K - 0 1";
    let answer = program.ask(&format!("position fen {outer}\ngo depth 7"));
    assert!(!["e1g1", "e1h1"].contains(&answer.best.as_str()));
    Referee::new(outer, "", CHESS960).judge(&answer);
}

/// FR-12: the kings of double Fischer random stand on different files.
#[test]
fn kings_on_different_files_castle() {
    let mut program = Program::start();
    for (fen, castlings) in [
        (
            "1r1k1r2/5p2/8/8/8/8/3N4/R5KR b KQkq - 0 1",
            ["d8b8", "d8f8"],
        ),
        (
            "r5kr/p4ppp/8/8/8/8/P4P2/RK4R1 b GAha - 0 1",
            ["g8a8", "g8h8"],
        ),
    ] {
        program.send(&format!("position fen {fen}\ngo perft 1"));
        let lines = program.read_to("Nodes searched:");
        for castling in castlings {
            assert!(
                lines.contains(&format!("{castling}: 1")),
                "{fen} {castling}"
            );
        }
        let answer = program.ask(&format!("position fen {fen}\ngo depth 4"));
        Referee::new(fen, "", CHESS960).judge(&answer);
    }
}

/// UC-19: a client that says nothing before `go`.
#[test]
fn a_go_before_everything_else() {
    let mut program = Program::start();
    Referee::startpos("").judge(&program.ask("setoption name Threads value 4\ngo depth 5"));
    let fen = "8/2R5/3p1rk1/3Pp2q/2p2rp1/2P3Q1/1P4P1/4R1K1 w - - 3 45";
    let answer = program.ask(&format!("position fen {fen}\ngo movetime 200"));
    Referee::new(fen, "", ORDINARY).judge(&answer);
}

/// TM-04: less time than is kept back.
#[test]
fn a_time_shorter_than_the_move_overhead() {
    let mut program = Program::start();
    program.send("setoption name Move Overhead value 1000\nposition startpos");
    for time in [1, 50, 500] {
        Referee::startpos("").judge(&program.ask(&format!("go movetime {time}")));
    }
}

/// TM-09: a large table is ready when it says so.
#[test]
fn setting_up_is_not_charged_to_the_first_move() {
    let mut program = Program::start();
    program
        .send("setoption name Threads value 2\nsetoption name Hash value 512\nucinewgame\nisready");
    program.wait_for("readyok");
    program.send("position startpos\ngo wtime 500 btime 500 winc 10 binc 10");
    Referee::startpos("").judge(&program.answer());
}

/// MP-03: more lines than there are moves, and back to one.
#[test]
fn as_many_lines_as_moves() {
    let mut program = Program::start();
    program.send("setoption name MultiPV value 256");
    let answer = program.ask("position startpos\ngo depth 3");
    let last = |infos: &[String]| -> HashSet<String> {
        let deepest = infos
            .iter()
            .filter(|line| line.starts_with("info depth 3 "));
        deepest.map(|line| pv(line)[0].to_owned()).collect()
    };
    assert_eq!(last(&answer.infos).len(), 20);
    for value in ["0", "999999", "1"] {
        program.send(&format!("setoption name MultiPV value {value}"));
    }
    assert_eq!(notes(&program.sync()).len(), 2);
    let fen = "7k/8/8/8/8/8/6q1/7K w - - 0 1";
    let answer = program.ask(&format!("position fen {fen}\ngo depth 4"));
    assert_eq!(answer.best, "h1g2");
    assert!(answer.infos.iter().all(|line| !line.contains("multipv 2")));
}

/// MT-07: with a castling right on the board the rook on b2 is not for nothing.
#[test]
fn five_men_and_a_castling_right_are_no_tablebase_position() {
    let mut program = Program::start();
    let fen = "2k5/3P4/8/8/8/8/1r5p/R3K3 b Q - 0 1";
    let answer = program.ask(&format!("position fen {fen}\ngo depth 10"));
    assert_ne!(answer.best, "c8d7");
    Referee::new(fen, "", ORDINARY).judge(&answer);
}

/// RP-01 and RP-03: what looks like a repetition but is none does not save the loser.
#[test]
fn rights_that_were_lost_make_no_draw() {
    let mut program = Program::start();
    for (position, only) in [
        (
            "4k3/8/8/8/8/1q6/6r1/4K2R b K - 0 1 moves e8d7 h1h2 d7e8",
            "h2h1",
        ),
        (
            "4k3/5p2/8/6P1/8/8/8/Q3K3 b - - 0 1 moves f7f5 e1e2 e8e7 e2e1",
            "e7e8",
        ),
    ] {
        let answer = program.ask(&format!(
            "position fen {position}\ngo depth 6 searchmoves {only}"
        ));
        assert!(score(answer.last_info()) < -300, "{}", answer.last_info());
    }
}

/// RP-05: the winner does not complete the third occurrence.
#[test]
fn the_winner_avoids_the_threefold() {
    let mut program = Program::start();
    let fen = "8/8/8/3k4/8/8/8/K5QR b - - 0 1";
    let moves = "d5e5 h1h2 e5d5 h2h1 d5e5 h1h2 e5d5";
    let answer = program.ask(&format!("position fen {fen} moves {moves}\ngo depth 8"));
    assert_ne!(answer.best, "h2h1");
    assert!(score(answer.last_info()) > 500, "{}", answer.last_info());
    Referee::new(fen, moves, ORDINARY).judge(&answer);
}

/// GI-03: a game as Cute Chess sends it, with castlings of both sides.
#[test]
fn a_game_of_chess960_as_a_match_runner_sends_it() {
    let mut program = Program::start();
    program.send("setoption name UCI_Chess960 value true\nucinewgame");
    let fen = "rnqbbnkr/pppppppp/8/8/8/8/PPPPPPPP/RNQBBNKR w HAha - 0 1";
    let moves = "d2d4 d7d5 c2c4 d5c4 c1c4 c7c5 b1d2 b8a6 a1c1 b7b5 c4c2 f8e6 d4c5 c8c5 c2b1 c5b6 \
                 d2f3 e8c6 f3e5 c6e8 e2e3 d8c7 d1f3 a8d8 e5c6 e6g5 c6d8 g5f3 g2f3 c7d8 h2h4 e8c6 \
                 e1a5 b6a5 c1c6 a6b4 c6c8 g8h8";
    let answer = program.ask(&format!("position fen {fen} moves {moves}\ngo depth 6"));
    Referee::new(fen, moves, CHESS960).judge(&answer);
}

/// UC-15: every `go` that starts something is answered once, at the latest after `stop`.
#[test]
fn odd_numbers_after_go_have_one_answer_each() {
    let mut program = Program::start();
    program.send("position startpos");
    for go in [
        "go depth",
        "go movetime 0",
        "go nodes -1",
        "go foo bar",
        "go mate -3",
        "go depth 1e3",
    ] {
        program.send(go);
        std::thread::sleep(Duration::from_millis(20));
        program.send("stop");
        Referee::startpos("").play(&[&program.answer().best]);
    }
    program.expect_no("bestmove", A_WHILE);
}
