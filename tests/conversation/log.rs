//! The record of a conversation that a user can send: `Debug Log File`.

use std::{fs, path::PathBuf};

use crate::harness::{PATIENCE, Program, Referee, notes};

/// A path of this test's own, with spaces in it.
fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("zuylen log {name}  {}.txt", std::process::id()));
    // One from an earlier run may be there.
    let _ = fs::remove_file(&path);
    path
}

/// The texts with their directions; what stands between is checked and left out.
fn recorded(path: &PathBuf) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a record");
    let entry = |line: &str| {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let [direction, time, after, text] = words[..] else {
            panic!("{line}")
        };
        assert!(["<", ">"].contains(&direction), "{line}");
        let shape: String = time
            .chars()
            .map(|c| if c.is_ascii_digit() { '0' } else { c })
            .collect();
        assert_eq!(shape, "0000-00-00T00:00:00.000Z", "{line}");
        after.parse::<u64>().expect(line);
        format!("{direction} {text}")
    };
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(entry)
        .collect()
}

#[test]
fn what_goes_in_and_out_is_recorded_until_it_is_closed() {
    let path = path("whole");
    let shown = path.display();
    let mut program = Program::start();
    program.send(&format!("setoption name Debug Log File value {shown}"));
    assert_eq!(program.sync(), [""; 0]);
    let answer = program.ask("position startpos moves e2e4\ngo depth 3");
    Referee::startpos("e2e4").judge(&answer);
    program.send("xyzzy\tplugh\r\nsetoption name Debug Log File value <empty>\nuci");
    program.wait_for("uciok");

    let lines = recorded(&path);
    let opening = format!("> setoption name Debug Log File value {shown}");
    assert_eq!(lines[..3], [opening.as_str(), "> isready", "< readyok"]);
    assert!(lines.contains(&"> position startpos moves e2e4".to_owned()));
    assert!(lines.contains(&format!(
        "< bestmove {} ponder {}",
        answer.best,
        answer.ponder.expect("a reply")
    )));
    for info in &answer.infos {
        assert!(lines.contains(&format!("< {info}")), "{info}");
    }
    assert!(lines.contains(&"> xyzzy\\tplugh".to_owned()), "{lines:#?}");
    assert!(
        !lines.iter().any(|line| line.contains("uciok")),
        "{lines:#?}"
    );
    let text = fs::read_to_string(&path).expect("a record");
    assert!(text.starts_with("# Zuylen "), "{text}");
    fs::remove_file(&path).expect("a file");
}

#[test]
fn a_record_outlives_the_program_and_is_gone_on_with() {
    let path = path("killed");
    let open = format!("setoption name debug log file value {}", path.display());
    let mut program = Program::start();
    program.send(&open);
    program.sync();
    program.send("go infinite");
    program.wait_for("info depth 1");
    program.sync();
    // What is on its way to the disk gets there.
    let end = std::time::Instant::now() + PATIENCE;
    while !recorded(&path).contains(&"> go infinite".to_owned()) {
        assert!(std::time::Instant::now() < end, "{:#?}", recorded(&path));
    }
    program.kill();
    let before = recorded(&path).len();

    // As arguments, and to the last line before the end.
    let mut program = Program::start_with(&[&open, "go depth 2", "quit"]);
    let said = program.read_rest();
    let lines = recorded(&path);
    assert_eq!(
        lines[before..][..2],
        [format!("> {open}"), "> go depth 2".to_owned()]
    );
    assert_eq!(
        lines.last(),
        said.last().map(|line| format!("< {line}")).as_ref()
    );
    fs::remove_file(&path).expect("a file");
}

#[test]
fn a_path_that_cannot_be_opened_is_refused_and_the_old_record_goes_on() {
    let path = path("kept");
    let folder = std::env::temp_dir();
    let mut program = Program::start();
    program.send(&format!(
        "setoption name Debug Log File value {}",
        path.display()
    ));
    assert_eq!(program.sync(), [""; 0]);
    let mut bad = vec![
        folder.display().to_string(),
        "/no/such/folder/x.txt".to_owned(),
        "\0".to_owned(),
    ];
    if cfg!(target_os = "linux") {
        // Neither a full disk nor the conversation itself.
        bad.extend(["/dev/full".to_owned(), "/dev/stdout".to_owned()]);
    }
    for bad in bad {
        program.send(&format!("setoption name Debug Log File value {bad}"));
        let said = program.sync();
        assert!(
            matches!(notes(&said)[..], [note] if note.starts_with("Debug Log File not set: ")),
            "{bad}: {said:?}"
        );
    }
    program.send("setoption name Debug Log File value\nisready");
    program.wait_for("readyok");
    let lines = recorded(&path);
    let refusals = lines
        .iter()
        .filter(|line| line.contains("Debug Log File not set"))
        .count();
    assert!(refusals >= 3, "{lines:#?}");
    Referee::startpos("").judge(&program.ask("position startpos\ngo depth 3"));
    fs::remove_file(&path).expect("a file");
}
