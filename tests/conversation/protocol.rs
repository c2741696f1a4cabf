//! What the protocol says about who speaks when.

use std::{io::Read as _, process::Stdio, thread, time::Duration};

use zuylen::uci::command::{Command, Parsed};

use crate::{
    harness::{A_WHILE, PATIENCE, Program, Referee, field, is_prompt, notes},
    properties::is_modest,
};

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9";

#[test]
fn it_introduces_itself() {
    let mut program = Program::start();
    program.send("uci");
    let lines = program.read_to("uciok");
    assert!(lines[0].starts_with("id name Zuylen "), "{}", lines[0]);
    assert!(lines[1].starts_with("id author "), "{}", lines[1]);
    for option in [
        "Hash",
        "Threads",
        "MultiPV",
        "Ponder",
        "UCI_Chess960",
        "Move Overhead",
    ] {
        let start = format!("option name {option} type ");
        assert_eq!(
            lines.iter().filter(|line| line.starts_with(&start)).count(),
            1,
            "{option}"
        );
    }
}

#[test]
fn isready_is_answered_in_a_search_and_does_not_disturb_it() {
    let mut program = Program::start();
    program.send("go infinite");
    let number = |line: &str, name| field(line, name).parse::<u64>().expect(line);
    let is_whole = |line: &str| line.contains(" score ") && !line.contains("bound");
    let mut reached = program.wait_for("info depth");
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(50));
        program.send("isready");
        let mut before = program.read_to("readyok");
        before.retain(|line| is_whole(line));
        reached = before.pop().unwrap_or(reached);
        // The search goes on where it was.
        let next = loop {
            let line = program.wait_for("info depth");
            if is_whole(&line) {
                break line;
            }
        };
        for name in ["depth", "nodes"] {
            assert!(number(&next, name) > number(&reached, name), "{next}");
        }
        reached = next;
    }
    program.expect_no("bestmove", A_WHILE);
    program.send("stop");
    Referee::startpos("").judge(&program.answer());
}

#[test]
fn what_is_wanted_at_once_comes_at_once() {
    let soon = Duration::from_millis(100);
    let mut program = Program::start();
    let mut searches = 0;
    for (go, wanted, answer) in [
        ("go infinite", "isready", "readyok"),
        ("go infinite", "stop", "bestmove"),
        ("go ponder", "stop", "bestmove"),
        ("go ponder depth 1", "ponderhit", "bestmove"),
        ("go wtime 100000000", "stop", "bestmove"),
    ] {
        let prompt = is_prompt(2 * soon, || {
            program.send(&format!("position fen {MIDDLEGAME}\n{go}"));
            program.expect_no("bestmove", soon);
            program.send(wanted);
            program.wait_for(answer);
            searches += 1;
            if answer != "bestmove" {
                program.send("stop");
                program.answer();
            }
        });
        assert!(prompt, "{go}, {wanted}");
    }
    assert!(is_prompt(soon, || {
        let mut program = Program::start();
        program.send("go infinite\nquit");
        program.wait_for_end();
    }));
    assert!(is_prompt(soon, || {
        let mut program = Program::start();
        program.send("go infinite");
        program.close_input();
        program.wait_for_end();
    }));
}

#[test]
fn go_and_stop_in_one_write_have_one_answer() {
    let mut program = Program::start();
    for _ in 0..20 {
        program.send(&format!("position fen {MIDDLEGAME}\ngo infinite\nstop"));
        let answer = program.answer();
        let mut referee = Referee::new(MIDDLEGAME, "", crate::harness::ORDINARY);
        referee.play(&[&answer.best]);
    }
    program.expect_no("bestmove", A_WHILE);
}

#[test]
fn stop_and_ponderhit_are_silent_when_idle() {
    let mut program = Program::start();
    program.send("stop\nponderhit\nstop");
    assert_eq!(program.sync(), [""; 0]);
}

#[test]
fn an_infinite_search_never_ends_by_itself() {
    let mut program = Program::start();
    for fen in [
        // Mate found; one legal move; mated; nothing but kings.
        "7k/8/5KQ1/8/8/8/8/8 w - - 0 1",
        "7k/8/8/8/8/8/6q1/7K w - - 0 1",
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "8/8/8/4k3/8/8/8/4K3 w - - 0 1",
    ] {
        program.send(&format!(
            "position fen {fen}\ngo infinite depth 1 nodes 1 movetime 1"
        ));
        program.expect_no("bestmove", A_WHILE);
        program.send("stop");
        program.answer();
    }
}

#[test]
fn what_disturbs_a_search_is_obeyed_after_its_answer() {
    for disturbance in [
        "position startpos moves e2e4",
        "position fen nonsense",
        "setoption name Hash value 1",
        "setoption name Threads value 2",
        "setoption name Clear Hash",
        "ucinewgame",
        "go depth 1",
        "go perft 1",
    ] {
        let mut program = Program::start();
        program.send("position fen 8/8/8/8/8/4k3/8/R3K3 w - - 0 1\ngo infinite");
        program.wait_for("info depth 1");
        program.send(disturbance);
        let referee = Referee::new(
            "8/8/8/8/8/4k3/8/R3K3 w - - 0 1",
            "",
            crate::harness::ORDINARY,
        );
        referee.judge(&program.answer());
        if disturbance == "go depth 1" {
            referee.judge(&program.answer());
        }
        program.expect_no("bestmove", Duration::from_millis(50));
        program.send("position startpos\ngo depth 2");
        Referee::startpos("").judge(&program.answer());
    }
}

/// Clients set options when they please, also while the engine thinks on the opponent's time.
#[test]
fn options_that_a_search_does_not_use_leave_it_alone() {
    let mut program = Program::start();
    let complaints = [
        "setoption name Nonsense value 1",
        "setoption",
        "setoption name Hash value 0",
        "setoption name Threads value many",
        "setoption name UCI_Chess960 value maybe",
        "setoption name EvalFile value /no/such/file",
    ];
    let silent = [
        "setoption name EvalFile value <embedded>",
        "setoption name MultiPV value 2",
        "setoption name SyzygyPath value <empty>",
        "setoption name SyzygyProbeDepth value 2",
        "setoption name SyzygyProbeLimit value 5",
        "setoption name Syzygy50MoveRule value false",
        "setoption name Ponder value true",
        "setoption name UCI_Chess960 value true",
        "setoption name Castling Notation value O-O",
        "setoption name Move Overhead value 100",
        "setoption name UCI_ShowWDL value true",
        "setoption name UCI_AnalyseMode value true",
        "setoption name UCI_Opponent value none none computer Zuylen",
        "setoption name UCI_EngineAbout value anything",
        "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 1500",
        "setoption name Skill Level value 20",
        "setoption name Debug Log File value <empty>",
    ];
    let castles = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1";
    let restore = "setoption name MultiPV value 1\nsetoption name UCI_Chess960 value false\n\
                   setoption name Castling Notation value auto\n\
                   setoption name UCI_ShowWDL value false\n\
                   setoption name UCI_LimitStrength value false";
    for (go, end) in [
        ("go ponder wtime 60 btime 60 searchmoves e1g1", "ponderhit"),
        ("go infinite searchmoves e1g1", "stop"),
    ] {
        program.send(&format!("position fen {castles}\n{go}"));
        program.wait_for("info depth 1");
        program.send(&complaints.join("\n"));
        program.send(&silent.join("\n"));
        let said = program.sync();
        assert_eq!(notes(&said).len(), complaints.len(), "{said:#?}");
        assert!(!said.iter().any(|line| line.starts_with("bestmove")));
        program.expect_no("bestmove", A_WHILE);
        program.send(end);
        let answer = program.answer();
        // It is told as it was asked for: one line, castling as ordinary chess has it.
        let referee = Referee::new(castles, "", crate::harness::ORDINARY);
        referee.judge(&answer);
        let odd = |line: &String| line.contains("multipv 2") || line.contains(" wdl ");
        assert!(!answer.infos.iter().any(odd), "{:#?}", answer.infos);
        // The next search has the new options.
        let next = program.ask("go depth 2 searchmoves e1g1");
        assert_eq!(next.best, "O-O");
        assert!(next.last_info().contains(" wdl "), "{}", next.last_info());
        program.send(restore);
    }
}

#[test]
fn stop_position_and_go_in_one_write() {
    let mut program = Program::start();
    program.send("position fen 8/8/8/8/8/4k3/8/R3K3 w - - 0 1\ngo infinite");
    program.wait_for("info depth 2");
    program.send("stop\nposition startpos moves e2e4\ngo depth 3");
    Referee::new(
        "8/8/8/8/8/4k3/8/R3K3 w - - 0 1",
        "",
        crate::harness::ORDINARY,
    )
    .judge(&program.answer());
    Referee::startpos("e2e4").judge(&program.answer());
    program.expect_no("bestmove", A_WHILE);
}

#[test]
fn it_ends_when_its_input_ends_or_quit_comes() {
    for (before, quit) in [
        ("", true),
        ("go infinite", true),
        ("", false),
        ("go infinite", false),
    ] {
        let mut program = Program::start();
        program.send(before);
        program.sync();
        if quit {
            program.send("quit");
        } else {
            program.close_input();
        }
        assert!(program.wait_for_end().success(), "{before}, quit {quit}");
    }
}

/// NB-16 and NB-17: who pipes commands in gets the answer to the last one too.
#[test]
fn what_is_at_work_is_answered_when_the_input_ends_or_quit_comes() {
    for quit in [true, false] {
        for before in [
            "go depth 60",
            "go infinite",
            "go movetime 10000000",
            "go ponder wtime 100000",
            "go wtime 100000000",
            // The game after this one waits for it.
            "go nodes 1000000000\nucinewgame\nposition startpos moves e2e4",
        ] {
            let mut program = Program::start();
            program.send(&format!("position startpos\n{before}"));
            if quit {
                program.send("quit");
            } else {
                program.close_input();
            }
            Referee::startpos("").judge(&program.answer());
            assert!(program.wait_for_end().success(), "{before}");
            assert_eq!(program.read_rest(), [""; 0], "{before}");
        }
        // What waited for a task is answered as well.
        let mut program = Program::start();
        program.send("go perft 20\nposition startpos moves e2e4\ngo depth 60");
        if quit {
            program.send("quit");
        } else {
            program.close_input();
        }
        program.wait_for("info string perft stopped");
        Referee::startpos("e2e4").judge(&program.answer());
        assert!(program.wait_for_end().success());
    }
}

/// NB-18: the new game begins when a search that has an end of its own is over.
#[test]
fn a_new_game_waits_for_a_search_off_the_clock() {
    for (go, depth) in [
        ("go depth 9", 9),
        ("go nodes 20000", 1),
        ("go movetime 400", 1),
    ] {
        let mut program = Program::start();
        let begin = std::time::Instant::now();
        program.send(&format!(
            "position startpos\n{go}\nucinewgame\nposition startpos moves e2e4\n{go}\nisready"
        ));
        for moves in ["", "e2e4"] {
            let answer = program.answer();
            Referee::startpos(moves).judge(&answer);
            let number = |name| field(answer.last_info(), name).parse::<u32>();
            assert!(number("depth").expect("a number") >= depth, "{go}");
            if go.contains("nodes") {
                assert!(number("nodes").expect("a number") > 4_000, "{go}");
            }
            if moves.is_empty() {
                // Whoever hears that it is ready may send the first move of the new game.
                assert!(!answer.infos.contains(&"readyok".to_owned()));
            }
        }
        if go.contains("movetime") {
            assert!(begin.elapsed() > Duration::from_millis(600));
        }
    }
    let mut program = Program::start();
    // It can still be stopped, and what waits with it.
    program.send("position startpos\ngo depth 60\nucinewgame\ngo infinite");
    program.expect_no("bestmove", A_WHILE);
    program.send("stop");
    program.wait_for("bestmove");
    program.wait_for("bestmove");
    // Somebody waits for the end of a search with a clock, and for that of one without an end.
    for go in [
        "wtime 100000000 btime 100000000",
        "infinite",
        "ponder movetime 100",
        "depth 60 wtime 100000000",
    ] {
        program.send(&format!("go {go}\nucinewgame"));
        program.wait_for("bestmove");
    }
    program.sync();
}

#[test]
fn it_ends_when_nobody_reads_any_more() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_zuylen"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"go infinite\n").expect("the program reads");
    let end = std::time::Instant::now() + PATIENCE;
    while child.try_wait().expect("a child").is_none() {
        assert!(std::time::Instant::now() < end, "the program goes on");
        thread::sleep(Duration::from_millis(5));
    }
    let mut complaints = String::new();
    let mut errors = child.stderr.take().expect("a pipe");
    errors.read_to_string(&mut complaints).expect("text");
    assert_eq!(complaints, "");
}

#[test]
fn a_last_line_without_an_end_is_obeyed() {
    let mut program = Program::start();
    program.send_bytes(b"uci\r\n\tisready  ");
    program.close_input();
    let lines = program.read_rest();
    assert_eq!(lines.last().map(String::as_str), Some("readyok"));
}

#[test]
fn nonsense_is_ignored_with_a_word() {
    let mut program = Program::start();
    program.send("\n   \n\t\nregister later\n# a comment\ndebug off");
    assert_eq!(program.sync(), [""; 0]);
    program.send("xyzzy");
    let said = program.sync();
    assert_eq!(
        notes(&said),
        ["unknown command 'xyzzy'; help lists the commands"]
    );
    program.send("help");
    assert!(program.sync().len() > 15);
    program.send("go perft");
    assert_eq!(notes(&program.sync()).len(), 1);
    program.send("joho isready");
    program.wait_for("readyok");
    program.send(&"x".repeat(10_000));
    program.send_bytes(b"\xff\xfe\x00\x01\x80\r\n\x00\n");
    program.send(&format!("go {}", "nonsense ".repeat(2_000)));
    program.sync();
    program.send("stop");
    program.answer();
}

#[test]
fn random_lines_do_no_harm() {
    // `ZUYLEN_RANDOM_LINES=100000` for the full test.
    let lines = std::env::var("ZUYLEN_RANDOM_LINES")
        .ok()
        .and_then(|n| n.parse().ok());
    let lines: usize = lines.unwrap_or(5_000);
    let words = [
        "uci",
        "isready",
        "ucinewgame",
        "position",
        "startpos",
        "fen",
        "frc",
        "dfrc",
        "moves",
        "go",
        "stop",
        "ponderhit",
        "setoption",
        "name",
        "value",
        "debug",
        "on",
        "d",
        "eval",
        "perft",
        "genfens",
        "seed",
        "book",
        "register",
        "setoption name Hash value",
        "setoption name Threads value",
        "MultiPV",
        "UCI_Chess960",
        "true",
        "searchmoves",
        "wtime",
        "btime",
        "depth",
        "nodes",
        "infinite",
        "ponder",
        "movetime",
        "mate",
        "e2e4",
        "e7e5",
        "e1g1",
        "e1h1",
        "O-O",
        "0000",
        "1",
        "2",
        "-1",
        "959",
        "921599",
        "x",
        "-",
        "99999999999999999999",
        "8/8/8/8/8/8/8/8",
        "4k3/8/8/8/8/8/8/4K2R",
        "w",
        "KQkq",
        "HAha",
        "\t",
        "\r",
        "\u{feff}",
        "é",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let mut program = Program::start();
    for count in 0..lines {
        let mut line = Vec::new();
        if count % 2 == 0 {
            for _ in 0..random(9) {
                line.extend_from_slice(words[random(words.len())].as_bytes());
                line.push(b' ');
            }
        } else {
            line.extend(
                (0..random(80))
                    .map(|_| random(256) as u8)
                    .filter(|&byte| byte != b'\n'),
            );
        }
        let of_use = match Parsed::new(&String::from_utf8_lossy(&line)).command {
            Command::Quit => false,
            Command::SetOption { name, value } => is_modest(&name, value.as_deref()),
            _ => true,
        };
        if !of_use {
            continue;
        }
        line.push(b'\n');
        program.send_bytes(&line);
        if count % 1000 == 0 {
            program.sync();
        }
    }
    program.send("stop");
    program.sync();
    // The only move, so that this answer can be told from those of commands that waited for a task.
    program.send("position fen 7k/8/8/8/8/8/6q1/7K w - - 0 1\ngo depth 2");
    program.wait_for("bestmove h1g2");
    program.send("stop\nquit");
    assert!(program.wait_for_end().success());
}

#[test]
fn lines_of_analysis_are_sane() {
    let mut program = Program::start();
    let position = format!("position fen {MIDDLEGAME}");
    let referee = Referee::new(MIDDLEGAME, "", crate::harness::ORDINARY);
    for go in [
        "go depth 1",
        "go nodes 200",
        "go nodes 3000",
        "go movetime 100",
        "go depth 7",
    ] {
        let answer = program.ask(&format!("{position}\n{go}"));
        referee.judge(&answer);
        let mut time = 0;
        for info in answer.infos.iter().filter(|line| line.contains(" score ")) {
            let number = |name| field(info, name).parse::<u64>().expect(info);
            assert!(number("depth") >= 1 && number("seldepth") >= 1, "{info}");
            assert!(number("hashfull") <= 1000, "{info}");
            assert!(number("time") >= time, "{info}");
            time = number("time");
            let nodes = number("nodes");
            assert!(nodes >= 1 && number("nps") <= nodes * 1000, "{info}");
            assert!(!info.contains("wdl"), "{info}");
        }
    }
}

#[test]
fn a_perft_can_be_stopped_and_what_follows_it_waits() {
    let mut program = Program::start();
    program.send("go perft 20\nposition frc 0\ngo infinite\nisready");
    program.wait_for("readyok");
    program.send("stop");
    program.wait_for("info string perft stopped");
    let best = program.wait_for("bestmove");
    assert_ne!(best, "bestmove (none)");
    program.send("position startpos\ngo perft 2\nposition frc 0\ngo perft 1");
    program.wait_for("Nodes searched: 400");
    program.wait_for("Nodes searched: 20");
    program.send("go perft 20");
    program.sync();
    program.send("quit");
    assert!(program.wait_for_end().success());
}
