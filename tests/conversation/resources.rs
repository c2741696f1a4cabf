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

#[test]
fn hash_that_is_set_again_is_taken_without_a_word() {
    let mut program = Program::start();
    let referee = Referee::new(MIDDLEGAME, "", ORDINARY);
    program.send(&format!("position fen {MIDDLEGAME}"));
    let mut first = None;
    for hash in [32, 32, 1, 1, 32] {
        program.send(&format!("ucinewgame\nsetoption name Hash value {hash}"));
        assert_eq!(program.sync(), [""; 0], "{hash}");
        let answer = program.ask("go depth 7");
        referee.judge(&answer);
        if hash == 32 {
            let nodes = field(answer.last_info(), "nodes").to_owned();
            assert_eq!(*first.get_or_insert(nodes.clone()), nodes);
        }
    }
}

/// Addresses that a process has, in mebibytes.
#[cfg(target_os = "linux")]
fn addresses(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kibibytes.expect("a size").parse::<u64>().expect("a number") >> 10
}

#[cfg(target_os = "linux")]
#[test]
fn a_table_goes_before_the_next_one_where_there_is_no_room_for_both() {
    let mut program = Program::start_within(1024);
    let referee = Referee::new(MIDDLEGAME, "", ORDINARY);
    for hash in [400, 500, 450] {
        program.send(&format!("setoption name Hash value {hash}"));
        assert_eq!(program.sync(), [""; 0], "{hash}");
        assert!((hash..hash + 500).contains(&addresses(program.process())));
        referee.judge(&program.ask(&format!("position fen {MIDDLEGAME}\ngo depth 5")));
    }
    // Not even alone; the size that was there comes back.
    program.send("setoption name Hash value 1000");
    let said = program.sync();
    assert!(
        matches!(notes(&said)[..], [note] if note.starts_with("Hash not set: ")),
        "{said:?}"
    );
    assert!((450..950).contains(&addresses(program.process())));
    referee.judge(&program.ask("go depth 5"));
}
