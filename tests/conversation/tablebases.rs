//! Tablebases by their options.

use crate::harness::{Program, field};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
/// One step of the king keeps the opposition, and the win with it.
const PAWN_ENDING: &str = "position fen 8/8/3k4/8/3K4/8/3P4/8 w - - 0 1";

fn hits(program: &mut Program, lines: &str) -> u64 {
    let answer = program.ask(lines);
    field(answer.last_info(), "tbhits")
        .parse()
        .expect("a number")
}

#[test]
fn tables_are_found_used_and_let_go() {
    let mut program = Program::start();
    let go = format!("{PAWN_ENDING}\ngo depth 6");
    assert_eq!(hits(&mut program, &go), 0);

    program.send(&format!(
        "setoption name SyzygyPath value /no/such place;{FOLDER}"
    ));
    let said = program.sync();
    assert!(
        said.iter().any(|line| line.contains("/no/such place")),
        "{said:?}"
    );
    let found = "info string 10 files of tablebases of up to 3 men";
    assert!(said.iter().any(|line| line == found), "{said:?}");
    let answer = program.ask(&go);
    let last = answer.last_info();
    assert_ne!(field(last, "tbhits"), "0");
    assert!(
        field(last, "cp").parse::<i32>().expect(last) > 10_000,
        "{last}"
    );

    // A list of nothing but mistakes leaves what there is.
    program.send("setoption name SyzygyPath value /no/such/place");
    let said = program.sync();
    assert!(
        said.iter().any(|line| line.contains("SyzygyPath not set")),
        "{said:?}"
    );
    assert!(hits(&mut program, &go) > 0);

    for (off, on) in [
        ("SyzygyProbeLimit value 2", "SyzygyProbeLimit value 7"),
        (
            "SyzygyPath value <empty>",
            &format!("SyzygyPath value {FOLDER}"),
        ),
    ] {
        assert_eq!(
            hits(&mut program, &format!("setoption name {off}\n{go}")),
            0,
            "{off}"
        );
        assert!(
            hits(&mut program, &format!("setoption name {on}\n{go}")) > 0,
            "{on}"
        );
    }
}

#[test]
fn a_great_probe_depth_asks_for_less() {
    let mut program = Program::start();
    program.send(&format!("setoption name SyzygyPath value {FOLDER}"));
    let go = "position fen 4k3/8/8/8/8/8/4p3/RK6 w - - 0 1\ngo depth 8";
    let shallow = hits(&mut program, &format!("ucinewgame\n{go}"));
    let deep = format!("setoption name SyzygyProbeDepth value 6\nucinewgame\n{go}");
    let deep = hits(&mut program, &deep);
    assert!(deep < shallow, "{deep} of {shallow}");
    program.send("setoption name SyzygyProbeDepth value 101");
    program.wait_for("info string SyzygyProbeDepth takes");
}

#[test]
fn whoever_may_castle_is_not_in_the_tables() {
    let mut program = Program::start();
    program.send(&format!("setoption name SyzygyPath value {FOLDER}"));
    let castling = "position fen 8/8/8/8/8/4k3/8/R3K3 w Q - 0 1";
    assert_eq!(hits(&mut program, &format!("{castling}\ngo depth 1")), 0);
    // Whoever wants a proof of mate gets one.
    let answer = program.ask("position fen 7k/8/5K2/8/8/8/8/6Q1 w - - 0 1\ngo mate 1");
    assert_eq!(field(answer.last_info(), "mate"), "1");
    // And who is to play badly doesn't look things up.
    let go = format!("setoption name Skill Level value 3\n{PAWN_ENDING}\ngo depth 3");
    assert_eq!(hits(&mut program, &go), 0);
}
