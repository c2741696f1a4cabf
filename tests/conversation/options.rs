//! Options, good values and bad.

use crate::harness::{Program, Referee, notes};

#[test]
fn bad_values_are_refused_with_the_range_and_change_nothing() {
    let mut program = Program::start();
    for (name, range) in [
        ("Hash", "1 to 33554432"),
        ("Threads", "1 to 1024"),
        ("MultiPV", "1 to 256"),
        ("Move Overhead", "0 to 5000"),
        ("UCI_Elo", "1000 to 2850"),
        ("Skill Level", "0 to 20"),
    ] {
        for value in ["-1", "99999999999999", "abc", "", "1.5"] {
            program.send(&format!("setoption name {name} value {value}"));
            let said = program.sync();
            assert!(
                matches!(notes(&said)[..], [note] if note.contains(range)),
                "{name} {value}: {said:?}"
            );
        }
    }
    for line in [
        "setoption name UCI_Chess960 value maybe",
        "setoption name Castling Notation value king",
        "setoption name Castling Notation",
        "setoption name Nonsense value 1",
        "setoption name",
        "setoption",
    ] {
        program.send(line);
        assert_eq!(notes(&program.sync()).len(), 1, "{line}");
    }
    Referee::startpos("").judge(&program.ask("position startpos\ngo depth 3"));
}

#[test]
fn good_values_are_taken_without_a_word() {
    let mut program = Program::start();
    for line in [
        "setoption name Hash value 1",
        "setoption name hash value 32",
        "setoption name Threads value 2",
        "setoption name threads value 1",
        "setoption name MOVE OVERHEAD value 100",
        "setoption name Clear Hash",
        "setoption name clear hash value whatever",
        "setoption name Ponder value TRUE",
        "setoption name UCI_ShowWDL value false",
        "setoption name Castling  Notation value King Takes Rook",
        "setoption name castling notation value auto",
        "setoption name UCI_AnalyseMode value true",
        "setoption name UCI_Opponent value GM 2800 human Gary Kasparov",
        "setoption name uci_opponent value none none computer Some Engine 1.0",
        "setoption name UCI_EngineAbout value anything",
        "setoption name Debug Log File value <empty>",
        "setoption name UCI_Elo value 2000",
        "setoption name skill level value 20",
        "setoption name UCI_LimitStrength value FALSE",
    ] {
        program.send(line);
        assert_eq!(program.sync(), [""; 0], "{line}");
        let answer = program.ask("position startpos\ngo depth 3");
        Referee::startpos("").judge(&answer);
    }
}

#[test]
fn memory_that_cannot_be_had_leaves_the_old_table() {
    let mut program = Program::start();
    // 32 TiB, which no machine of today has; where the system promises it, nothing is touched.
    program.send("setoption name Hash value 33554432");
    program.sync();
    program.send("setoption name Hash value 16");
    Referee::startpos("").judge(&program.ask("position startpos\ngo depth 3"));
}

#[test]
fn win_draw_and_loss_add_up() {
    let mut program = Program::start();
    program.send("setoption name UCI_ShowWDL value true");
    let answer = program.ask("position startpos moves e2e4\ngo depth 4");
    let info = answer.last_info();
    let words: Vec<&str> = info.split(' ').skip_while(|&word| word != "wdl").collect();
    let sum: u32 = words[1..4]
        .iter()
        .map(|word| word.parse::<u32>().expect(info))
        .sum();
    assert_eq!(sum, 1000, "{info}");
}
