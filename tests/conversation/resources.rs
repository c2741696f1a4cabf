//! Threads, memory and the same nodes again.

#[cfg(target_os = "linux")]
use std::time::Duration;

use crate::harness::{ORDINARY, Program, Referee, field, notes};

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
        referee.judge(&program.answer());
        program.send("isready");
        program.wait_for("readyok");
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
    let said = program.read_to("readyok");
    // Where they can't all be had, that is said and what there is goes on.
    assert!(notes(&said).len() <= 1, "{said:?}");
    program.send("position startpos\ngo nodes 5000");
    Referee::startpos("").judge(&program.answer());
    program.send("setoption name Threads value 1\nisready");
    program.read_to("readyok");
    Referee::startpos("").judge(&program.ask("ucinewgame\nposition startpos\ngo depth 4"));
}

/// Answers that nobody reads wait for a reader, and so do commands; but it can always be stopped.
#[cfg(target_os = "linux")]
#[test]
fn answers_that_nobody_reads_take_little_memory() {
    const INTRODUCTIONS: usize = 30_000;
    let mut program = Program::start_unread();
    let begin = "go infinite\n".to_owned() + &"uci\n".repeat(INTRODUCTIONS);
    program.send(&begin);
    program.send("stop\nisready");
    std::thread::sleep(Duration::from_millis(500));
    let memory = status(program.process(), "VmRSS:");
    assert!(memory < 100, "{memory} MiB");
    // Nothing that was asked for is lost.
    program.begin_to_read();
    let mut said = program.read_to("readyok");
    // The search may end a moment after the readiness is told.
    if !said.iter().any(|line| line.starts_with("bestmove ")) {
        said.extend(program.read_to("bestmove "));
    }
    let count = |what: &str| said.iter().filter(|line| line.starts_with(what)).count();
    assert_eq!((count("uciok"), count("bestmove ")), (INTRODUCTIONS, 1));

    let mut program = Program::start_unread();
    program.send(&("go infinite\n".to_owned() + &"uci\n".repeat(8000) + "stop\nquit"));
    assert!(program.wait_for_end().success());
}

/// NB-41: what can't be had is refused, and nothing more comes of it.
#[cfg(target_os = "linux")]
#[test]
fn threads_are_refused_where_addresses_are_short() {
    for mebibytes in [150, 200, 300, 500, 1000] {
        for threads in [8, 64] {
            let mut program = Program::start_within(mebibytes);
            program.send(&format!("setoption name Threads value {threads}"));
            let said = program.sync();
            match notes(&said)[..] {
                [] => {}
                [note] => assert!(note.starts_with("Threads not set: "), "{note}"),
                _ => panic!("{said:?}"),
            }
            let referee = Referee::new(MIDDLEGAME, "", ORDINARY);
            referee.judge(&program.ask(&format!("position fen {MIDDLEGAME}\ngo nodes 5000")));
            // Threads that live shortly empty the table.
            program.send("ucinewgame\nsetoption name Hash value 32");
            program.sync();
            referee.judge(&program.ask("go nodes 5000"));
            program.send("quit");
            assert!(program.wait_for_end().success());
        }
    }
}

/// NB-40: the record ends, and the game goes on.
#[cfg(unix)]
#[test]
fn a_file_may_not_grow_as_large_as_it_would() {
    let path = std::env::temp_dir().join(format!("zuylen-small-{}.txt", std::process::id()));
    let mut program = Program::start_limited("-f 1");
    program.send(&format!(
        "setoption name Debug Log File value {}\nuci\nuci\nuci\nuci",
        path.display()
    ));
    let said = program.read_to("info string Debug Log File: nothing more is recorded:");
    assert!(said.len() > 10);
    Referee::startpos("").judge(&program.ask("position startpos\ngo depth 4"));
    std::fs::remove_file(path).expect("a record");
}

#[test]
fn a_table_larger_than_memory_is_refused_and_the_old_one_kept() {
    let mut program = Program::start();
    // The second search finds what the first has left in the table.
    let mut second_search = |between: &str| {
        program.send(&format!(
            "ucinewgame\nposition fen {MIDDLEGAME}\ngo depth 7"
        ));
        let first = program.answer();
        program.send(between);
        let said = program.sync();
        program.send("go depth 7");
        let second = program.answer();
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

/// Memory of some kind that a process has, in mebibytes.
#[cfg(target_os = "linux")]
fn status(process: u32, kind: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix(kind));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kibibytes.expect("a size").parse::<u64>().expect("a number") >> 10
}

#[cfg(target_os = "linux")]
#[test]
fn a_table_goes_before_the_next_one_where_there_is_no_room_for_both() {
    let mut program = Program::start_within_all(1024);
    let referee = Referee::new(MIDDLEGAME, "", ORDINARY);
    for hash in [400, 500, 450] {
        program.send(&format!("setoption name Hash value {hash}"));
        assert_eq!(program.sync(), [""; 0], "{hash}");
        assert!((hash..hash + 500).contains(&status(program.process(), "VmSize:")));
        referee.judge(&program.ask(&format!("position fen {MIDDLEGAME}\ngo depth 5")));
    }
    // Not even alone; the size that was there comes back.
    program.send("setoption name Hash value 1000");
    let said = program.sync();
    assert!(
        matches!(notes(&said)[..], [note] if note.starts_with("Hash not set: ")),
        "{said:?}"
    );
    assert!((450..950).contains(&status(program.process(), "VmSize:")));
    referee.judge(&program.ask("go depth 5"));
}
