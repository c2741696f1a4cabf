//! Positions, good and bad.

use shakmaty::Position as _;

use crate::harness::{CHESS960, ORDINARY, Program, Referee, notes};

/// The X-FEN that `d` shows.
fn shown_fen(program: &mut Program) -> String {
    program.send("d");
    let line = program.wait_for("FEN:");
    program.sync();
    line["FEN: ".len()..].to_owned()
}

#[test]
fn after_a_refused_position_there_is_no_move() {
    for bad in [
        "position",
        "position fen",
        "position fen 1",
        "position hello world",
        "position startpos e2e4",
        "position startpos moves e2e4 e2e4",
        "position startpos moves zz",
        "position startpos MOVES e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 MOVES e2e4",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w e2e4",
        "position frc 960",
        "position dfrc 921600",
        "position fen 4k3/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen 4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1",
        "position fen QQQQQQBk/Q6B/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
        "position fen rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
        "position fen 4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
    ] {
        let mut program = Program::start();
        program.send(bad);
        let said = program.sync();
        assert_eq!(notes(&said).len(), 1, "{bad}: {said:?}");
        let answer = program.ask("go depth 3");
        assert_eq!(answer.best, "0000", "{bad}");
        assert_eq!(answer.notes().len(), 1, "{bad}");
        program.send("go perft 1\nd\neval");
        assert_eq!(notes(&program.sync()).len(), 3, "{bad}");
        Referee::startpos("").judge(&program.ask("ucinewgame\nposition startpos\ngo depth 2"));
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let mut program = Program::start();
    for (position, score) in [
        (
            "position startpos moves f2f3 e7e5 g2g4 d8h4",
            "info depth 0 score mate 0",
        ),
        (
            "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "info depth 0 score cp 0",
        ),
        (
            "position fen rk2Q3/1p4p1/1B6/4p3/p5p1/2Kp2P1/PP4P1/R7 b q - 0 34",
            "info depth 0 score mate 0",
        ),
        // Mate on the hundredth ply is mate.
        (
            "position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 100 120",
            "info depth 0 score mate 0",
        ),
    ] {
        let answer = program.ask(&format!("{position}\ngo depth 5"));
        assert_eq!(answer.best, "(none)");
        assert_eq!(answer.last_info(), score);
        assert_eq!(answer.ponder, None);
    }
}

#[test]
fn white_space_and_missing_fields() {
    let mut program = Program::start();
    for line in [
        "position\tfen  4k3/8/8/8/8/8/8/4K2R\t w  K -\r",
        "  position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves ",
        "position fen 4k3/8/8/8/8/8/8/4K2R w K",
        "position fen 4k3/8/8/8/8/8/8/4K2R w H - 0 0",
    ] {
        program.send(line);
        assert_eq!(
            shown_fen(&mut program),
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "{line:?}"
        );
    }
}

#[test]
fn what_a_fen_has_wrong_without_harm_is_dropped_with_a_word() {
    let mut program = Program::start();
    for (fen, right) in [
        (
            "4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1",
            "4k3/8/8/8/8/8/4K3/R6R w - - 0 1",
        ),
        (
            "4k3/8/8/8/8/8/8/R3K3 w HA - 0 1",
            "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 b - e3 0 1",
            "4k3/8/8/8/8/8/8/4K3 b - - 0 1",
        ),
    ] {
        program.send(&format!("position fen {fen}"));
        let said = program.sync();
        assert!(!notes(&said).is_empty(), "{fen}");
        assert_eq!(shown_fen(&mut program), right);
        Referee::new(right, "", ORDINARY).judge(&program.ask("go depth 3"));
    }
}

#[test]
fn a_game_that_should_have_been_drawn_goes_on() {
    let mut program = Program::start();
    for (fen, moves) in [
        ("8/8/8/3k4/8/8/4R3/4K3 w - - 100 150", ""),
        ("8/8/8/3k4/8/8/4R3/4K3 w - - 99999999999 1", ""),
        ("8/8/8/4k3/8/8/4R3/4K3 b - - 180 190", ""),
        ("8/8/8/4k3/8/8/8/4K3 b - - 0 1", ""),
    ] {
        let referee = Referee::new(fen, moves, ORDINARY);
        referee.judge(&program.ask(&format!("position fen {fen} moves {moves}\ngo depth 4")));
    }
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ".repeat(3);
    let answer = program.ask(&format!("position startpos moves {shuffle}\ngo depth 4"));
    Referee::startpos(&shuffle).judge(&answer);
}

#[test]
fn games_of_any_length_are_read() {
    let mut program = Program::start();
    for rounds in [300, 5000] {
        let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(rounds);
        program.send(&format!("position startpos moves {moves}\nisready"));
        program.wait_for("readyok");
        let fen = shown_fen(&mut program);
        assert!(
            fen.ends_with(&format!(" w KQkq - {} {}", rounds * 4, rounds * 2 + 1)),
            "{fen}"
        );
        Referee::startpos("").judge(&program.ask("go depth 3"));
    }
}

#[test]
fn all_218_moves() {
    let mut program = Program::start();
    let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
    program.send(&format!("position fen {fen}\ngo perft 1"));
    program.wait_for("Nodes searched: 218");
    Referee::new(fen, "", ORDINARY).judge(&program.ask("go depth 2"));
}

#[test]
fn start_positions_by_number() {
    let mut program = Program::start();
    program.send("position frc 12\nd");
    program.wait_for("Start position: 12");
    program.send("position dfrc 12 13\nd");
    program.wait_for("Start position: 12 against 13, double number 11533");
    let by_pair = shown_fen(&mut program);
    program.send("position dfrc 11533");
    assert_eq!(shown_fen(&mut program), by_pair);
    program.send("position frc 518 moves e2e4");
    assert_eq!(shown_fen(&mut program), Referee::startpos("e2e4").fen());
    for number in [0, 518, 959] {
        program.send(&format!("position frc {number}"));
        let fen = shown_fen(&mut program);
        let mode = if number == 518 { ORDINARY } else { CHESS960 };
        Referee::new(&fen, "", mode).judge(&program.ask("go depth 3"));
    }
}

#[test]
fn it_plays_a_whole_game_of_each_kind() {
    let mut program = Program::start();
    for (position, chess960) in [
        ("startpos", false),
        ("frc 338", true),
        ("dfrc 400000", true),
        // Where mates are in sight all the time, so that many lines have to end with one.
        ("fen 8/8/5k2/8/8/3QK3/8/8 w - - 0 1", false),
        ("fen 8/8/5k2/8/8/3RK3/8/8 w - - 0 1", false),
        ("fen 8/2p2k2/8/q7/8/2N1K1R1/8/3Q4 w - - 0 1", false),
        ("fen 4k3/8/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", true),
    ] {
        program.send(&format!(
            "setoption name UCI_Chess960 value {chess960}\nucinewgame\nposition {position}"
        ));
        let fen = shown_fen(&mut program);
        let mode = if chess960 { CHESS960 } else { ORDINARY };
        let mut referee = Referee::new(&fen, "", mode);
        let mut moves = String::new();
        for _ in 0..120 {
            if referee.position().is_game_over() {
                break;
            }
            let answer = program.ask(&format!("position {position} moves {moves}\ngo nodes 400"));
            referee.judge(&answer);
            referee.play(&[&answer.best]);
            moves.push_str(&format!(" {}", answer.best));
        }
    }
}
