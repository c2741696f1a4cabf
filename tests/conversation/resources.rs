//! Threads, memory and the same nodes again.

use crate::harness::{ORDINARY, PATIENCE, Program, Referee, field, notes};

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9";

/// Plays a game with itself and returns moves and node counts.
fn game(program: &mut Program, position: &str) -> Vec<(String, String)> {
    program.send("ucinewgame");
    let mut moves = String::new();
    let mut told = Vec::new();
    for _ in 0..24 {
        let answer = program.ask(&format!("position {position} moves {moves}\ngo nodes 3000"));
        if answer.best == "(none)" {
            break;
        }
        moves.push_str(&format!(" {}", answer.best));
        told.push((
            answer.best.clone(),
            field(answer.last_info(), "nodes").to_owned(),
        ));
    }
    told
}

#[test]
fn the_same_game_again_takes_the_same_nodes() {
    let mut program = Program::start();
    for position in ["startpos", "frc 77", "dfrc 1234"] {
        let first = game(&mut program, position);
        // What happens between the games is forgotten with them.
        program.ask(&format!("position fen {MIDDLEGAME}\ngo depth 6"));
        assert_eq!(first, game(&mut program, position), "{position}");
        assert!(first.len() > 10);
    }
    let here = game(&mut program, "startpos");
    let mut another = Program::start();
    assert_eq!(here, game(&mut another, "startpos"));
}

#[test]
fn hash_and_threads_go_up_and_down() {
    let mut program = Program::start();
    let referee = Referee::new(MIDDLEGAME, "", ORDINARY);
    program.send(&format!("position fen {MIDDLEGAME}"));
    for (threads, hash) in [(1, 64), (4, 1), (2, 128), (16, 16), (1, 1)] {
        // In the middle of a search, which is answered first.
        program.send(&format!(
            "go infinite\nsetoption name Threads value {threads}\nsetoption name Hash value {hash}"
        ));
        referee.judge(&program.answer(PATIENCE));
        program.send("isready");
        program.wait_for("readyok", PATIENCE);
        referee.judge(&program.ask("go depth 5"));
        // Back to one thread it is reproducible again, whatever went before.
        if threads == 1 {
            let nodes = |program: &mut Program| {
                program.send("ucinewgame");
                field(program.ask("go depth 7").last_info(), "nodes").to_owned()
            };
            assert_eq!(nodes(&mut program), nodes(&mut program));
        }
    }
}

#[test]
fn a_thousand_threads_on_any_machine() {
    let mut program = Program::start();
    program.send("setoption name Threads value 1024\nisready");
    let said = program.read_to("readyok", 4 * PATIENCE);
    // Where they can't all be had, that is said and what there is goes on.
    assert!(notes(&said).len() <= 1, "{said:?}");
    program.send("position startpos\ngo nodes 5000");
    Referee::startpos("").judge(&program.answer(4 * PATIENCE));
    program.send("setoption name Threads value 1\nisready");
    program.read_to("readyok", 4 * PATIENCE);
    Referee::startpos("").judge(&program.ask("ucinewgame\nposition startpos\ngo depth 4"));
}

#[test]
fn a_table_larger_than_memory_is_refused_and_the_old_one_kept() {
    let mut program = Program::start();
    // The second search finds what the first has left in the table.
    let mut second_search = |between: &str| {
        program.send(&format!(
            "ucinewgame\nposition fen {MIDDLEGAME}\ngo depth 7"
        ));
        let first = program.answer(PATIENCE);
        program.send(between);
        let said = program.sync();
        program.send("go depth 7");
        let second = program.answer(PATIENCE);
        let nodes = |answer: &crate::harness::Answer| field(answer.last_info(), "nodes").to_owned();
        assert_ne!(nodes(&first), nodes(&second));
        (nodes(&second), said)
    };
    let (kept, said) = second_search("");
    assert_eq!(said, [""; 0]);
    // 32 TiB, which no machine of today has; elsewhere than on Linux it may be promised.
    if cfg!(target_os = "linux") {
        let (refused, said) = second_search("setoption name Hash value 33554432");
        assert!(
            matches!(notes(&said)[..], [note] if note.starts_with("Hash not set: ")),
            "{said:?}"
        );
        assert_eq!(kept, refused);
    }
}
