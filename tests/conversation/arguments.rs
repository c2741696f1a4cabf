//! The command line.

use std::process::{Command, Stdio};

use crate::harness::{Program, Referee, field};

/// What the program says and whether it succeeds.
fn run(arguments: &[&str]) -> (Vec<String>, bool) {
    let mut program = Program::start_with(arguments);
    let lines = program.read_rest();
    (lines, program.wait_for_end().success())
}

/// What it complains of when it fails; its output goes to `target`.
fn complaint(arguments: &[&str], target: Stdio) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_zuylen"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(target)
        .output()
        .expect("the program starts");
    let complaint = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {complaint}");
    complaint
}

#[test]
fn words_without_quotes_are_one_command() {
    let (lines, success) = run(&["position", "frc", "12", "go", "depth", "4", "quit"]);
    let quoted = run(&["position frc 12", "go depth 4", "quit"]).0;
    let last = |lines: &[String]| lines.last().cloned();
    assert!(success && last(&lines).is_some_and(|line| line.starts_with("bestmove ")));
    assert_eq!(last(&lines), last(&quoted));
    let (lines, _) = run(&["go", "perft", "2"]);
    assert_eq!(last(&lines).as_deref(), Some("Nodes searched: 400"));
}

/// NB-45: who asks for a result and can't have it is told so by the exit code too.
#[test]
fn what_comes_to_nothing_is_a_failure() {
    let folder = std::env::temp_dir();
    let suite = folder.join(format!("zuylen-suite-{}.epd", std::process::id()));
    let suite_name = suite.display().to_string();
    let perft = ["perft", "--suite", &suite_name, "--depth"];
    std::fs::write(&suite, "\u{feff}4k3/8/8/8/8/8/8/4K3 w - - ;D1 5\n").expect("a file");
    let (lines, success) = run(&[&perft[..], &["1"]].concat());
    assert!(
        success && lines[0].contains(" 1 counts, 0 failures"),
        "{lines:?}"
    );
    let nothing = complaint(&[&perft[..], &["0"]].concat(), Stdio::null());
    assert!(nothing.contains(&suite_name), "{nothing}");
    std::fs::write(&suite, "").expect("a file");
    let empty = complaint(&perft[..3], Stdio::null());
    assert!(empty.contains("no position"), "{empty}");
    std::fs::remove_file(&suite).expect("the file");

    let book = complaint(
        &["genfens 3 seed 1 book /no/such/book.epd", "quit"],
        Stdio::null(),
    );
    assert!(book.contains("/no/such/book.epd"), "{book}");
    if cfg!(target_os = "linux") {
        for arguments in [
            &["bench", "1"][..],
            &["bench 1"],
            &["go depth 1"],
            &["perft", "--depth", "1"],
            &["--version"],
        ] {
            let full = std::fs::File::options().write(true).open("/dev/full");
            let full = complaint(arguments, full.expect("Linux has it").into());
            assert!(full.contains("No space left"), "{arguments:?}: {full}");
        }
    }
}

#[test]
fn who_reads_no_further_hears_no_complaint() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_zuylen"))
        .args(["bench", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("a child");
    assert_eq!(String::from_utf8(output.stderr).as_deref(), Ok(""));
}

#[cfg(unix)]
#[test]
fn an_input_that_is_a_folder_is_named() {
    let folder = std::fs::File::open(std::env::temp_dir()).expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_zuylen"))
        .stdin(folder)
        .output()
        .expect("the program starts");
    let complaint = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        complaint.starts_with("zuylen: standard input: "),
        "{complaint}"
    );
}

#[test]
fn commands_as_arguments_come_to_their_ends() {
    for last in [&["quit"][..], &[]] {
        let arguments = [&["position startpos moves e2e4", "go depth 4"], last].concat();
        let (lines, success) = run(&arguments);
        assert!(success);
        let best = lines
            .last()
            .and_then(|line| line.strip_prefix("bestmove "))
            .expect("a move");
        let best = best.split(' ').next().expect("a move");
        Referee::startpos("e2e4").play(&[best]);
        assert!(
            lines
                .iter()
                .any(|line| line.contains(" score ") && field(line, "depth") == "4")
        );
    }
    let (lines, _) = run(&[
        "go depth 2",
        "position startpos moves e2e4",
        "go depth 2",
        "go perft 2",
    ]);
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count(),
        2
    );
    assert_eq!(
        lines.last().map(String::as_str),
        Some("Nodes searched: 600")
    );
}

#[test]
fn a_search_without_an_end_is_stopped_by_what_follows() {
    let (lines, success) = run(&["go infinite", "quit"]);
    assert!(success);
    assert!(
        lines
            .last()
            .is_some_and(|line| line.starts_with("bestmove")),
        "{lines:?}"
    );
    let (lines, _) = run(&["go ponder wtime 1000", "ponderhit"]);
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("bestmove"))
            .count(),
        1
    );
}

#[test]
fn openings_as_openbench_asks_for_them() {
    let ask = |seed: &str| {
        let (lines, success) = run(&[&format!("genfens 20 seed {seed} book None"), "quit"]);
        assert!(success);
        lines
    };
    let lines = ask("7");
    assert_eq!(lines.len(), 20);
    for line in &lines {
        let fen = line.strip_prefix("info string genfens ").expect(line);
        assert_eq!(fen.split(' ').count(), 6, "{fen}");
        Referee::new(fen, "", crate::harness::CHESS960);
    }
    assert_eq!(lines, ask("7"));
    assert_ne!(lines, ask("8"));
}

#[test]
fn openings_from_a_book() {
    let path = std::env::temp_dir().join(format!("zuylen-book-{}.epd", std::process::id()));
    let fen = "8/5k2/8/8/8/8/PPP2K2/8 w - - 0 1";
    std::fs::write(&path, format!("{fen}\nnot a position\n")).expect("a file");
    let (lines, _) = run(&[&format!("genfens 3 seed 1 book {}", path.display())]);
    std::fs::remove_file(&path).expect("the file");
    assert_eq!(lines.len(), 3);
    for line in lines {
        let fen = line
            .strip_prefix("info string genfens ")
            .expect("an opening");
        let board = Referee::new(fen, "", crate::harness::ORDINARY);
        let board = shakmaty::Position::board(board.position()).clone();
        assert!(
            board.pawns().any() && board.occupied().count() <= 5,
            "{fen}"
        );
    }
}

#[test]
fn bench_is_reproducible_and_read_by_openbench() {
    let nodes = |arguments: &[&str]| {
        let (lines, success) = run(arguments);
        assert!(success);
        let last = lines.last().expect("a last line").clone();
        let words: Vec<&str> = last.split(' ').collect();
        assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{last}");
        words[0].parse::<u64>().expect("a number")
    };
    let first = nodes(&["bench", "3"]);
    assert_eq!(first, nodes(&["bench 3", "quit"]));
    assert_eq!(first, nodes(&["setoption name Hash value 1", "bench 3"]));
    // NB-38: as scripts time other engines.
    let as_others = ["bench", "16", "1", "3", "default", "depth"];
    assert_eq!(first, nodes(&as_others));
    assert_eq!(first, nodes(&[&as_others.join(" ")]));
}

#[test]
fn perft() {
    let (lines, success) = run(&["perft", "--depth", "3"]);
    assert!(success);
    assert_eq!(
        lines.last().map(String::as_str),
        Some("Nodes searched: 8902")
    );
    let (lines, _) = run(&["perft", "4k3/8/8/8/8/8/8/2KR4 w D - 0 1", "--depth", "1"]);
    assert!(lines.contains(&"c1d1: 1".to_owned()), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("Nodes searched: 16"));
    assert!(!run(&["perft", "nonsense"]).1);
    assert!(!run(&["perft", "--suite", "/no/such/file"]).1);
}

#[test]
fn help_version_and_mistakes() {
    let (lines, success) = run(&["--version"]);
    assert!(success && lines[0].starts_with("zuylen "), "{lines:?}");
    for (line, start) in lines[1..]
        .iter()
        .zip(["commit: ", "instruction set: ", "network: "])
    {
        assert!(
            line.starts_with(start) && line.len() > start.len(),
            "{lines:?}"
        );
    }
    assert_eq!(lines.len(), 4, "{lines:?}");
    let (lines, success) = run(&["--help"]);
    assert!(
        success && lines.iter().any(|line| line.contains("bench")),
        "{lines:?}"
    );
    for mistake in [
        &["nonsense"][..],
        &["bench", "x"],
        &["bench", "0"],
        &["--nonsense"],
    ] {
        assert!(!run(mistake).1, "{mistake:?}");
    }
}
