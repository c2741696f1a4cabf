//! FENs in all dialects, with all kinds of faults; most are from bug reports of other programs.

mod mutation;

use std::{
    cell::RefCell,
    sync::{
        atomic::AtomicBool,
        mpsc::{Receiver, channel},
    },
    time::{Duration, Instant},
};

use proptest::{
    collection::vec, prelude::*, sample::select, strategy::ValueTree as _, test_runner::TestRunner,
};
use shakmaty::{CastlingMode, Chess, FromSetup as _, Position as _, PositionError, fen::Fen};
use zuylen::{
    engine::{Answer, Engine, Game, Output},
    position::{
        Position,
        fen::{FenStyle, read, write},
    },
    search::Limits,
    uci::report,
};

use mutation::{changed, changes, lines_of};

/// Long enough for any event of a short search.
const PATIENCE: Duration = Duration::from_secs(120);

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn x_fen(fen: &str) -> String {
    let reading = read(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    write(&reading.position, FenStyle::XFen)
}

fn notes(fen: &str) -> Vec<String> {
    read(fen)
        .unwrap_or_else(|error| panic!("{fen}: {error}"))
        .notes
}

#[test]
fn missing_fields_have_defaults() {
    let full = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for length in [
        "",
        " w",
        " w -",
        " w - -",
        " w - - 0",
        " w - - 0 1",
        " w - - 0 0",
    ] {
        let fen = format!("4k3/8/8/8/8/8/4P3/4K3{length}");
        assert_eq!(x_fen(&fen), full, "{fen}");
        assert_eq!(notes(&fen), [""; 0], "{fen}");
    }
}

#[test]
fn any_white_space_separates() {
    for fen in [
        START.replace(' ', "   ") + "  ",
        START.replace(' ', "\t"),
        format!("{START}\r\n"),
        format!("\u{a0}{START}"),
        START.replace(' ', "_"),
    ] {
        assert_eq!(x_fen(&fen), START, "{fen:?}");
        assert_eq!(notes(&fen), [""; 0], "{fen:?}");
    }
}

#[test]
fn rights_in_all_dialects() {
    let setup = "nqrnbkrb/pppppppp/8/8/8/8/PPPPPPPP/NQRNBKRB w";
    for rights in ["KQkq", "GCgc", "CGcg", "gcGC", "qkQK", "KCgq", "KQkqGC"] {
        let reading = read(&format!("{setup} {rights} - 0 1")).unwrap();
        assert_eq!(
            write(&reading.position, FenStyle::XFen),
            format!("{setup} KQkq - 0 1")
        );
        assert_eq!(
            write(&reading.position, FenStyle::Shredder),
            format!("{setup} GCgc - 0 1")
        );
        assert_eq!(reading.notes, [""; 0]);
    }
}

#[test]
fn only_rooks_at_home_castle() {
    for rights in ["KQkq", "HAha"] {
        let fen = format!("r3k2r/pppp1ppp/8/8/8/6R1/PPPP1PP1/R3K2R w {rights} - 0 1");
        assert!(x_fen(&fen).contains(" KQkq "));
    }
    // Double Fischer random: each colour has its own files.
    let fen = "1r1k1r2/5p2/8/8/8/8/3N4/R5KR b KQkq - 0 1";
    let black = read(fen).unwrap().position;
    assert_eq!(
        write(&black, FenStyle::Shredder),
        fen.replace("KQkq", "HAfb")
    );
}

#[test]
fn rights_without_king_and_rook_are_dropped() {
    for (fen, kept, dropped) in [
        (
            "3qk1nb/1p3p2/p1r1p1p1/3p4/3P4/2N1BP2/PPPQ1P2/R3K3 w Qk - 0 15",
            "Q",
            "k",
        ),
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "-", "KQ"),
        ("4k3/8/8/8/8/8/8/RR4K1 w K - 0 1", "-", "K"),
        (
            "q1kn1br1/3p1p1p/1rpB2p1/1p6/p7/P4P2/BPPP2PP/QRKN3R w KQq - 1 13",
            "KQ",
            "q",
        ),
        ("4k3/8/8/8/8/8/8/R3K3 w HA - 0 1", "Q", "H"),
        ("4k3/8/8/8/8/8/8/rR2K3 w AQ - 0 1", "Q", "A"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "KQ", "kq"),
        ("4k3/8/8/8/8/8/8/R3K2R w Kx?Q - 0 1", "KQ", "x?"),
        ("4k3/8/8/8/8/8/8/R3K2R w é - 0 1", "-", "\\u{e9}"),
        // The king itself is no rook.
        ("4k3/8/8/8/8/8/8/R3K2R w EQ - 0 1", "Q", "E"),
    ] {
        let reading = read(fen).unwrap();
        assert_eq!(
            write(&reading.position, FenStyle::XFen).split(' ').nth(2),
            Some(kept),
            "{fen}"
        );
        let note = format!("castling rights '{dropped}' dropped: no such king and rook");
        assert_eq!(reading.notes, [note], "{fen}");
    }
}

#[test]
fn one_right_a_side_and_the_outermost_rook_has_it() {
    let reading = read("4k3/8/8/8/8/8/8/RRR1KRRR w ABCFGH - 0 1").unwrap();
    assert_eq!(
        write(&reading.position, FenStyle::Shredder),
        "4k3/8/8/8/8/8/8/RRR1KRRR w HA - 0 1"
    );
    assert_eq!(reading.notes.len(), 4, "{:?}", reading.notes);
}

#[test]
fn an_en_passant_square_that_cannot_be_is_dropped() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
        "4k3/8/8/8/8/8/8/4K3 b - e3 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d3 0 1",
        "4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1",
        "4k3/3r4/8/3pP3/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d9 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - ü 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - dd66 0 1",
        // The bishop's check was there before the pawn could have moved.
        "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1",
    ] {
        let reading = read(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(reading.position.chess().maybe_ep_square(), None, "{fen}");
        assert_eq!(reading.notes.len(), 1, "{fen}: {:?}", reading.notes);
    }
}

#[test]
fn an_en_passant_square_is_written_where_a_capture_is_legal() {
    for (fen, square) in [
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq E3 0 1",
            "-",
        ),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - D6 0 1", "d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "d6"),
        ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", "-"),
    ] {
        assert_eq!(notes(fen), [""; 0], "{fen}");
        assert_eq!(x_fen(fen).split(' ').nth(3), Some(square), "{fen}");
    }
}

#[test]
fn counters_of_all_kinds() {
    for (counters, expected, complaints) in [
        ("100 200", "100 200", 0),
        ("150 0", "150 1", 0),
        ("99999999999 99999999999", "4294967295 4294967295", 0),
        ("-1 -5", "0 1", 2),
        ("- -", "0 1", 2),
        ("7.5 x", "0 1", 2),
        ("+3 7", "0 7", 1),
        ("3 7 junk and more", "3 7", 1),
        ("bm Ra1; id \"first\";", "0 1", 1),
        ("3 7 bm e2e1 e2d2; am O-O;", "3 7", 1),
        ("am O-O;", "0 1", 1),
        ("0 1;", "0 1", 1),
    ] {
        let fen = format!("8/8/4k3/8/8/4K3/4R3/8 w - - {counters}");
        assert_eq!(
            x_fen(&fen),
            format!("8/8/4k3/8/8/4K3/4R3/8 w - - {expected}")
        );
        assert_eq!(notes(&fen).len(), complaints, "{:?}", notes(&fen));
    }
}

#[test]
fn the_greatest_counters_stay_where_they_are() {
    let fen = "8/8/4k3/8/8/4K3/4R3/8 b - - 4294967295 4294967295";
    let position = read(fen).unwrap().position;
    let m = position.legal_moves()[0];
    let after = position.play(m);
    assert_eq!(after.halfmoves(), u32::MAX);
    assert!(after.is_fifty_move_draw());
    assert!(after.play_null().is_some());
    assert!(after.game_ply() > 0);
    let _ = after.table_key();
}

/// Whoever sends a move means the position after it.
#[test]
fn moves_without_their_word_are_refused() {
    let fen = "8/8/4k3/8/8/4K3/4R3/8 w";
    for rest in [
        "- - 0 1 e2e1",
        "- - 0 1 E2E1",
        "- - 0 1 O-O",
        "- - 0 1 e2e1 e6e5",
        "- - 0 1 move e2e1",
        "- - 0 1 MOVES e2e1",
        "- - 0 1 Moves",
        "- - 0 1 e2e1;",
        "- - 0 1 junk e2e1",
        "- - 0 e2e1",
        "- - e2e1",
        "- - e2e1 e6e5;",
        "- e2e1",
        "e2e1",
    ] {
        let refusal = read(&format!("{fen} {rest}")).expect_err(rest).to_string();
        assert!(refusal.contains("after 'moves'"), "{rest}: {refusal}");
    }
}

#[test]
fn what_no_game_can_reach_is_refused() {
    for (fen, reason) in [
        ("", "empty"),
        (" \t_ ", "empty"),
        ("1", "1 ranks"),
        ("rnbqkbnr/pppppppp w KQkq - 0 1", "2 ranks"),
        (
            "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
            "rank 7 has 9 squares",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/7/PPPPPPPP/RNBQKBNR w - - 0 1",
            "rank 3 has 7 squares",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/9/PPPPPPPP/RNBQKBNR w - - 0 1",
            "'9' is no piece",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNX w - - 0 1",
            "'X' is no piece",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN\u{1b} w - - 0 1",
            "is no piece",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/8 w - - 0 1",
            "9 ranks",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w - - 0 1",
            "9 ranks",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w - - 0 1",
            "in hand",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Qp] w - - 0 1",
            "in hand",
        ),
        (
            "~rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
            "unreadable",
        ),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move: 'x'"),
        ("4k3/8/8/8/8/8/8/4K3 - - 0 1", "side to move: '-'"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "white has 0 kings"),
        ("4k3/8/8/8/8/8/8/3KK3 w - - 0 1", "white has 2 kings"),
        ("3kk3/8/8/8/8/8/8/4K3 w - - 0 1", "black has 2 kings"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "white has 0 kings"),
        ("4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1", "not to move is in check"),
        ("4k3/4K3/8/8/8/8/8/8 w - - 0 1", "not to move is in check"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pawn on a8"),
        ("4k3/8/8/8/8/8/8/p3K3 w - - 0 1", "pawn on a1"),
        ("4k3/8/8/8/P7/P7/PPPPPPP1/4K3 w - - 0 1", "promotions"),
        (
            "QQQQQQBk/Q6B/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
            "promotions",
        ),
        (
            "kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1",
            "promotions",
        ),
    ] {
        let error = read(fen)
            .map(|reading| reading.position)
            .expect_err(fen)
            .to_string();
        assert!(error.contains(reason), "{fen:?}: {error}");
        assert!(error.is_ascii() && !error.contains('\u{1b}'), "{error:?}");
    }
}

#[test]
fn checks_that_cannot_happen_are_played_on() {
    for (fen, evasions) in [
        // Rook, bishop and knight at once.
        ("4r2k/8/8/8/7b/3n4/8/4K3 w - - 0 1", 3),
        // From both ends of a rank, by two knights, by two pawns.
        ("7k/8/8/8/r2K3r/8/8/8 w - - 0 1", 6),
        ("7k/8/8/8/8/3n1n2/8/4K3 w - - 0 1", 3),
        ("7k/8/8/3p1p2/4K3/8/8/8 w - - 0 1", 8),
    ] {
        let reading = read(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(reading.position.legal_moves().len(), evasions, "{fen}");
        for m in reading.position.legal_moves() {
            let _ = reading.position.play(m).legal_moves();
        }
    }
}

#[test]
fn the_most_moves_there_are() {
    for fen in [
        "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
        "3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1",
    ] {
        assert_eq!(read(fen).unwrap().position.legal_moves().len(), 218);
    }
}

#[test]
fn marks_of_promoted_pieces_are_passed_over() {
    assert_eq!(
        x_fen("4k3/8/8/8/8/8/8/Q~3K3 w - - 0 1"),
        "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"
    );
}

/// FENs that went wrong once, in this program or in others.
const FOUND: &str = include_str!("data/found/fens.txt");

const LETTERS: &str = "KQRBNPkqrbnp12345678/ -wbAHahEe0~_\t\u{e9}";
const WORDS: &[&str] = &[
    "w",
    "b",
    "-",
    "KQkq",
    "AHah",
    "BGbg",
    "e3",
    "d6",
    "0",
    "99",
    "100",
    "4294967295",
    "8",
    "r3k2r",
];

/// Reads any text, and if it is a position, does with it what a program does.
fn check(text: &str) -> Result<(), TestCaseError> {
    let reading = match read(text) {
        Ok(reading) => reading,
        Err(error) => {
            let error = error.to_string();
            prop_assert!(!error.is_empty() && !error.contains('\n'), "{}", error);
            return Ok(());
        }
    };
    for note in &reading.notes {
        prop_assert!(note.is_ascii() && !note.contains('\n'), "{}", note);
    }
    let position = reading.position;
    for style in [FenStyle::XFen, FenStyle::Shredder] {
        let written = write(&position, style);
        let again = read(&written).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(again.notes, Vec::<String>::new());
        prop_assert_eq!(write(&again.position, style), written.as_str());
        prop_assert_eq!(again.position.keys().whole, position.keys().whole);
        check_moves(&position, &written)?;
    }
    for m in position.legal_moves() {
        let after = position.play(m);
        prop_assert!(after.chess().board().king_of(position.turn()).is_some());
        prop_assert!(after.legal_moves().len() <= 256);
    }
    ANALYST.with_borrow_mut(|analyst| analyst.check(position))
}

/// Whether another reader of the same FEN sees the same moves.
fn check_moves(position: &Position, fen: &str) -> Result<(), TestCaseError> {
    let setup = fen.parse::<Fen>().expect(fen).into_setup();
    let chess = Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_impossible_check)
        .expect(fen);
    prop_assert_eq!(position.legal_moves(), chess.legal_moves());
    Ok(())
}

/// An engine that looks at positions, and what it says of them.
struct Analyst {
    engine: Engine,
    said: Receiver<Output>,
}

thread_local! {
    static ANALYST: RefCell<Analyst> = RefCell::new(Analyst::new());
}

impl Analyst {
    fn new() -> Analyst {
        let (sender, said) = channel();
        let put = move |output| sender.send(output).expect("a listener");
        Analyst {
            engine: Engine::new(put).expect("a thread"),
            said,
        }
    }

    /// Shows, evaluates, counts and searches a position. The checks of a debug build compute keys
    /// and sums from scratch meanwhile.
    fn check(&mut self, position: Position) -> Result<(), TestCaseError> {
        let game = Game::new(position.clone());
        let fen = format!("FEN: {}", write(&position, FenStyle::XFen));
        prop_assert!(report::diagram(&game).contains(&fen));
        prop_assert!(!report::evaluation(&game, self.engine.network()).is_empty());
        let never = AtomicBool::new(false);
        let counts = report::division(&position, 1, game.castling(), &never).expect("all counts");
        let sum = format!("Nodes searched: {}", position.legal_moves().len());
        prop_assert_eq!(counts.last(), Some(&sum));

        self.engine.set_game(game);
        let limits = Limits {
            depth: Some(2),
            nodes: Some(3000),
            ..Limits::default()
        };
        self.engine.go(limits, Vec::new(), Instant::now());
        while self.engine.is_searching() {
            let event = self.engine.events().recv_timeout(PATIENCE);
            self.engine.handle(event.expect("the search goes on"));
        }
        self.judge(&position)
    }

    /// Whether all lines that were told are legal, and the answer is.
    fn judge(&self, position: &Position) -> Result<(), TestCaseError> {
        let mut answers = 0;
        for output in self.said.try_iter() {
            let line = report::line(&output);
            prop_assert!(!line.contains("search thread"), "{}", line);
            let moves = match output {
                Output::Info(info, _) => info.pv,
                Output::Answer(Answer::Move { best, ponder }, _) => {
                    answers += 1;
                    std::iter::once(best).chain(ponder).collect()
                }
                Output::Answer(..) => {
                    answers += 1;
                    prop_assert!(position.legal_moves().is_empty());
                    continue;
                }
                _ => continue,
            };
            let mut position = position.clone();
            for m in moves {
                prop_assert!(position.is_legal(m), "{}", line);
                position = position.play(m);
            }
        }
        prop_assert_eq!(answers, 1);
        Ok(())
    }
}

/// A board with a king a side and any other pieces anywhere; about half of them can be.
fn board() -> impl Strategy<Value = String> {
    // Where castling is possible there is the most to go wrong.
    let king = |backrank: usize| prop_oneof![2 => backrank..backrank + 8, 1 => 0..64_usize];
    let piece = select("PPPPNBRRQpppnbrrq".chars().collect::<Vec<char>>());
    (vec((0..64_usize, piece), 0..24), king(0), king(56)).prop_map(|(pieces, black, white)| {
        let mut squares = ['1'; 64];
        for (square, piece) in pieces {
            if !piece.eq_ignore_ascii_case(&'p') || (8..56).contains(&square) {
                squares[square] = piece;
            }
        }
        (squares[black], squares[white]) = ('k', 'K');
        let ranks: Vec<String> = squares.chunks(8).map(String::from_iter).collect();
        ranks.join("/")
    })
}

#[test]
fn many_boards_of_chance_can_be() {
    let mut runner = TestRunner::deterministic();
    let mut sample = || board().new_tree(&mut runner).expect("a board").current();
    let good = (0..200).filter(|_| read(&sample()).is_ok()).count();
    assert!(good > 60, "{good} of 200");
}

#[test]
fn fens_that_went_wrong_once() {
    for fen in lines_of(FOUND) {
        check(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    }
}

proptest! {
    #[test]
    fn a_fen_with_faults_is_read_or_refused(
        fen in select(lines_of(FOUND)),
        changes in changes(LETTERS, WORDS),
    ) {
        check(&changed(fen, changes))?;
    }

    #[test]
    fn a_board_of_chance_is_played_or_refused(
        board in board(),
        turn in "[wb]",
        rights in "[KQkq]{1,4}|[A-Ha-h]{1,4}|-",
        ep_square in "[a-h][36]|-|-",
        halfmoves in 0..130_u32,
    ) {
        check(&format!("{board} {turn} {rights} {ep_square} {halfmoves} 70"))?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[KQRBNPkqrbnp1-8/ wb-]{0,90}|\\PC{0,60}") {
        check(&text)?;
    }
}
