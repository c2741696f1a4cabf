//! How castling is written and read.

use crate::harness::{CHESS960, ORDINARY, Program, Referee, notes};

#[test]
fn ordinary_chess_writes_where_the_king_lands() {
    let fen = "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9";
    let mut program = Program::start();
    for castle in ["e1g1", "e1c1"] {
        // Asked for in either way, it is written in one.
        for asked in [castle, if castle == "e1g1" { "e1h1" } else { "e1a1" }] {
            let answer = program.ask(&format!(
                "position fen {fen}\ngo depth 4 searchmoves {asked}"
            ));
            assert_eq!(answer.best, castle);
            assert_eq!(answer.notes(), [""; 0]);
            Referee::new(fen, "", ORDINARY).judge(&answer);
        }
    }
}

#[test]
fn with_the_option_it_is_king_takes_rook_from_every_start() {
    let moves = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5";
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut program = Program::start();
    program.send("setoption name UCI_Chess960 value true");
    for asked in ["e1h1", "e1g1"] {
        let answer = program.ask(&format!(
            "position startpos moves {moves}\ngo depth 5 searchmoves {asked}"
        ));
        assert_eq!(answer.best, "e1h1");
        Referee::new(start, moves, CHESS960).judge(&answer);
    }
    for castled in ["e1h1", "e1g1", "O-O"] {
        let answer = program.ask(&format!(
            "position startpos moves {moves} {castled}\ngo depth 5 searchmoves e8h8"
        ));
        assert_eq!(answer.best, "e8h8");
    }
    // And off again.
    program.send("setoption name UCI_Chess960 value false");
    let answer = program.ask(&format!(
        "position startpos moves {moves}\ngo depth 3 searchmoves e1h1"
    ));
    assert_eq!(answer.best, "e1g1");
}

#[test]
fn a_chess960_setup_is_recognised_without_the_option() {
    for fen in [
        // X-FEN with an inner rook, Shredder-FEN, outermost rooks, different sides.
        "4k3/8/8/8/8/8/8/4K1RR w G - 0 1",
        "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BBRKQNRN w GCge - 0 1",
        "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1",
        "nrkb2nr/ppppp1p1/6bp/5p2/BPP1P1P1/P7/3P1P1P/qRK1BQNR w BHbh - 0 3",
    ] {
        let mut program = Program::start();
        program.send(&format!("position fen {fen}"));
        let said = program.sync();
        assert!(
            notes(&said).iter().any(|note| note.contains("Chess960")),
            "{fen}: {said:?}"
        );
        Referee::new(fen, "", CHESS960).judge(&program.ask("go depth 5"));
    }
}

/// Some clients send the option after the position.
#[test]
fn the_option_counts_from_the_next_search_without_another_position() {
    let mut program = Program::start();
    let fen = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1";
    program.send(&format!("position fen {fen}"));
    for (value, mode, castling) in [
        ("false", ORDINARY, "e1g1"),
        ("true", CHESS960, "e1h1"),
        ("false", ORDINARY, "e1g1"),
    ] {
        program.send(&format!("setoption name UCI_Chess960 value {value}"));
        let answer = program.ask("go depth 3 searchmoves O-O");
        assert_eq!(answer.best, castling);
        Referee::new(fen, "", mode).judge(&answer);
    }
}

#[test]
fn an_ordinary_setup_is_not_taken_for_chess960() {
    let mut program = Program::start();
    for fen in [
        "startpos",
        "fen r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
        "fen 4k3/8/8/8/8/8/8/4K2R w K -",
    ] {
        program.send(&format!("position {fen}"));
        assert_eq!(program.sync(), [""; 0], "{fen}");
    }
}

#[test]
fn a_king_step_is_not_castling() {
    let mut program = Program::start();
    for (king_move, right) in [
        ("f1g1", "6k1/8/8/8/8/8/8/6KR b - - 1 1"),
        ("f1h1", "6k1/8/8/8/8/8/8/5RK1 b - - 1 1"),
    ] {
        program.send(&format!(
            "position fen 6k1/8/8/8/8/8/8/5K1R w H - 0 1 moves {king_move}\nd"
        ));
        let fen = program.wait_for("FEN:");
        assert_eq!(fen, format!("FEN: {right}"));
    }
}

#[test]
fn castling_that_is_the_only_move_is_found() {
    let fen = "6kr/7p/4P2P/8/8/B7/8/4K3 b h - 0 1";
    let mut program = Program::start();
    let answer = program.ask(&format!("position fen {fen}\ngo depth 6"));
    assert_eq!(answer.best, "g8h8");
    Referee::new(fen, "", CHESS960).judge(&answer);
}

#[test]
fn castlings_that_are_easily_got_wrong() {
    let mut program = Program::start();
    for (fen, castlings) in [
        // The rook shields the king; only the rook moves; only the king moves; they change places.
        ("4k3/8/8/8/8/8/8/rR2K1N1 w Q - 0 1", ""),
        ("Qr4k1/5ppp/8/8/8/8/8/2R3KR w Hb - 0 1", "g1h1"),
        ("4k3/8/8/8/8/8/3PPP2/3RK3 w D - 0 1", "e1d1"),
        (
            "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9",
            "f1g1",
        ),
        // Right of the king is the h-side; an attacked square on the king's way; another rook on it.
        ("4k3/8/8/8/8/8/8/2KR4 w D - 0 1", "c1d1"),
        ("4r1k1/8/8/8/8/8/8/RK3R2 w FA - 0 1", "b1a1"),
        ("6k1/8/8/8/8/8/8/4RRK1 w F - 0 1", ""),
        ("2nkn3/2p1p3/8/8/8/6r1/7r/RR3K2 w B - 0 1", "f1b1"),
    ] {
        program.send(&format!(
            "setoption name UCI_Chess960 value true\nposition fen {fen}\ngo perft 1"
        ));
        let lines = program.read_to("Nodes searched:");
        let rook_taken = |word: &str| {
            let referee = Referee::new(fen, "", CHESS960);
            let board = shakmaty::Position::board(referee.position()).clone();
            let squares = [&word[..2], &word[2..4]].map(|square| square.parse().expect(word));
            squares.map(|square| board.color_at(square)) == [Some(shakmaty::Color::White); 2]
        };
        let words: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.split_once(": "))
            .map(|(word, _)| word)
            .filter(|word| word.len() == 4 && rook_taken(word))
            .collect();
        assert_eq!(words.join(" "), castlings, "{fen}");
    }
}

#[test]
fn promotions_are_written_small_and_read_in_any_size() {
    let mut program = Program::start();
    let fen = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
    let answer = program.ask(&format!("position fen {fen}\ngo depth 6 searchmoves A7A8Q"));
    assert_eq!(answer.best, "a7a8q");
    program.send(&format!("position fen {fen} moves a7a8Q\nd"));
    let shown = program.wait_for("FEN:");
    assert_eq!(shown, "FEN: Q3k3/8/8/8/8/8/8/4K3 b - - 0 1");
}

#[test]
fn castling_is_written_as_the_option_says() {
    let ordinary = (
        "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9",
        ["e1h1", "e1a1"],
    );
    // King f1, and in ordinary chess's place with other rooks.
    let from_f1 = ("4k3/8/8/8/8/8/3P4/R4K1R w KQ - 0 1", ["f1h1", "f1a1"]);
    let inner = ("4k3/8/8/8/8/8/3P4/1R2K1R1 w GB - 0 1", ["e1g1", "e1b1"]);
    let mut program = Program::start();
    for (notation, (fen, asked), written) in [
        ("auto", ordinary, ["e1g1", "e1c1"]),
        ("king takes rook", ordinary, ["e1h1", "e1a1"]),
        ("King Two Squares", ordinary, ["e1g1", "e1c1"]),
        ("o-o", ordinary, ["O-O", "O-O-O"]),
        ("auto", from_f1, ["f1h1", "f1a1"]),
        ("king two squares", from_f1, ["f1h1", "f1a1"]),
        ("O-O", from_f1, ["O-O", "O-O-O"]),
        ("king takes rook", inner, ["e1g1", "e1b1"]),
        ("king two squares", inner, ["e1g1", "e1c1"]),
        ("O-O", inner, ["O-O", "O-O-O"]),
    ] {
        // The option goes before the other one.
        for chess960 in [true, false] {
            if notation == "auto" && chess960 {
                continue;
            }
            program.send(&format!(
                "setoption name Castling Notation value {notation}\n\
                 setoption name UCI_Chess960 value {chess960}\nposition fen {fen}"
            ));
            let said = program.sync();
            let noted = notes(&said).len();
            let expected = usize::from(notation == "auto" && fen == from_f1.0);
            assert_eq!(noted, expected, "{notation}, {chess960}: {said:?}");
            for (asked, written) in asked.iter().zip(written) {
                let answer = program.ask(&format!("go depth 3 searchmoves {asked}"));
                assert_eq!(answer.best, written, "{notation} {fen}");
                let line = format!(" pv {written}");
                assert!(answer.last_info().contains(&line), "{}", answer.last_info());
            }
        }
    }
    // What it writes, it reads.
    program.send(&format!("position fen {} moves O-O-O+\nd", from_f1.0));
    assert_eq!(
        program.wait_for("FEN:"),
        "FEN: 4k3/8/8/8/8/8/3P4/2KR3R b - - 1 1"
    );
}

#[test]
fn the_expected_reply_is_written_alike() {
    let mut program = Program::start();
    program.send("setoption name Castling Notation value O-O");
    // White can mate after that, by castling alone.
    let fen = "3k4/2p5/4Q3/8/8/p7/8/2RK4 b C - 0 1";
    let answer = program.ask(&format!("position fen {fen}\ngo depth 4 searchmoves a3a2"));
    assert_eq!(answer.best, "a3a2");
    assert_eq!(answer.ponder.as_deref(), Some("O-O-O"));
    let last = answer.last_info();
    assert!(last.ends_with(" pv a3a2 O-O-O"), "{last}");
}

#[test]
fn castling_as_old_and_odd_programs_write_it() {
    let mut program = Program::start();
    let both = "r2k3r/3p1p2/8/8/8/8/3P1P2/R2K3R w KQkq - 0 1";
    for (moves, right) in [
        ("O-O O-O-O", "2kr3r/3p1p2/8/8/8/8/3P1P2/R4RK1 w - - 2 2"),
        ("0-0-0+ 0-0#", "r4rk1/3p1p2/8/8/8/8/3P1P2/2KR3R w - - 2 2"),
        ("d1h1 d8a8", "2kr3r/3p1p2/8/8/8/8/3P1P2/R4RK1 w - - 2 2"),
        ("d1g1 d8g8", "r4rk1/3p1p2/8/8/8/8/3P1P2/R4RK1 w - - 2 2"),
        ("d1f1 d8b8", "2kr3r/3p1p2/8/8/8/8/3P1P2/R4RK1 w - - 2 2"),
        // A step is a step, though a castling would land there.
        ("d1c1 d8e8", "r3k2r/3p1p2/8/8/8/8/3P1P2/R1K4R w - - 2 2"),
    ] {
        program.send(&format!("position fen {both} moves {moves}\nd"));
        assert_eq!(program.wait_for("FEN:"), format!("FEN: {right}"), "{moves}");
        program.sync();
    }
    for moves in ["O-O-O-O", "OO", "0-0 0-0 0-0", "O-O!"] {
        program.send(&format!("position fen {both} moves {moves}"));
        assert_eq!(notes(&program.sync()).len(), 1, "{moves}");
    }
}
