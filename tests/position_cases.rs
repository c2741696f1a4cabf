//! Positions that other programs got wrong, from their bug reports.

use shakmaty::Position as _;
use zuylen::position::{
    Position,
    fen::{self, FenStyle},
    notation::{self, CastlingStyle},
    repetition::KeyHistory,
};

fn read(text: &str) -> Position {
    fen::read(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .position
}

/// Plays moves in UCI's words and keeps the keys.
fn play(text: &str, moves: &str) -> (Position, KeyHistory) {
    let mut position = read(text);
    let mut history = KeyHistory::starting_at(&position);
    for word in moves.split_whitespace().filter(|word| *word != "-") {
        let m = notation::read(&position, word).unwrap_or_else(|error| panic!("{text}: {error}"));
        position = position.play(m);
        history.push(&position);
    }
    (position, history)
}

fn castlings(position: &Position) -> Vec<String> {
    let mut words: Vec<String> = position
        .legal_moves()
        .into_iter()
        .filter(|m| m.is_castle())
        .map(|m| notation::write(m, CastlingStyle::KingTakesRook))
        .collect();
    words.sort();
    words
}

#[test]
fn castlings_that_others_got_wrong() {
    let mut cases = 0;
    for line in include_str!("data/castling_cases.tsv").lines() {
        if line.starts_with('#') {
            continue;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        let [id, start, moves, legal, expected, after, ..] = columns[..] else {
            panic!("too few columns: {line}");
        };
        let (position, _) = play(start, moves);
        let expected: Vec<&str> = expected.split(' ').filter(|word| *word != "-").collect();
        assert_eq!(castlings(&position), expected, "{id}");
        assert_eq!(position.legal_moves().len().to_string(), legal, "{id}");
        assert_eq!(fen::write(&position, FenStyle::XFen), after, "{id}");
        cases += 1;
    }
    assert_eq!(cases, 22);
}

#[test]
fn a_lost_castling_right_is_no_repetition() {
    let (position, history) = play("4k3/8/8/8/8/1q6/6r1/4K2R b K - 0 1", "e8d7 h1h2 d7e8 h2h1");
    assert_eq!(history.occurrences_before(&position), 0);
    assert!(!history.is_repetition(&position, 4));
}

#[test]
fn a_passed_en_passant_capture_is_no_repetition() {
    let start = "4k3/5p2/8/6P1/8/8/8/Q3K3 b - - 0 1";
    let (position, history) = play(start, "f7f5 e1e2 e8e7 e2e1 e7e8");
    assert_eq!(history.occurrences_before(&position), 0);
    // Where nobody could take, a double push leaves nothing behind.
    let start = "4k3/5p2/8/8/8/8/8/Q3K3 b - - 0 1";
    let (position, history) = play(start, "f7f5 e1e2 e8e7 e2e1 e7e8");
    assert_eq!(history.occurrences_before(&position), 1);
    // Nor where the capture would uncover the king.
    let start = "4k3/5p2/8/K5Pr/8/8/8/8 b - - 0 1";
    let (position, history) = play(start, "f7f5 a5a4 e8e7 a4a5 e7e8");
    assert_eq!(history.occurrences_before(&position), 1);
}

#[test]
fn twofold_below_the_root_and_threefold_with_the_game() {
    let start = "8/8/8/3k4/8/8/8/K5QR b - - 0 1";
    let cycle = "d5e5 h1h2 e5d5 h2h1 d5e5 h1h2 e5d5";
    let (position, history) = play(start, cycle);
    assert_eq!(history.occurrences_before(&position), 1);
    assert!(!history.is_repetition(&position, 0));
    // Now one move completes the third occurrence; White can see it coming.
    assert!(history.has_upcoming_repetition(&position, 0));
    let (position, history) = play(start, &format!("{cycle} h2h1"));
    assert_eq!(history.occurrences_before(&position), 2);
    assert!(history.is_repetition(&position, 1));

    let (position, history) = play(start, "d5e5 h1h2 e5d5 h2h1");
    // The earlier occurrence is the root itself, which has not repeated.
    assert!(!history.is_repetition(&position, 4));
    assert!(history.is_repetition(&position, 5));
}

#[test]
fn the_clock_of_a_fen_reaches_no_further_than_the_game() {
    let (position, history) = play("4k3/8/8/8/8/8/8/4K2R w - - 90 120", "h1h2 e8e7 h2h1 e7e8");
    assert_eq!(history.occurrences_before(&position), 1);
    assert!(!history.is_repetition(&position, 0));
}

#[test]
fn mate_on_the_hundredth_ply_stands() {
    let start = "8/8/2p5/3b1K1k/4p3/4PpR1/5P2/8 w - - 99 113";
    let (mate, _) = play(start, "g3h3");
    assert_eq!(mate.halfmoves(), 100);
    assert!(mate.chess().is_checkmate());
    assert!(!mate.is_fifty_move_draw());
    let (quiet, _) = play(start, "g3g1");
    assert!(quiet.is_fifty_move_draw());
    let (check, _) = play("7k/8/8/8/8/8/8/R3K3 w - - 99 113", "a1a8");
    assert!(check.in_check() && check.is_fifty_move_draw());
    let (early, _) = play("7k/8/8/8/8/8/8/R3K3 w - - 98 113", "a1a8");
    assert!(!early.is_fifty_move_draw());
    let (stalemate, _) = play("7k/5K2/8/8/8/8/8/6Q1 w - - 99 113", "g1g6");
    assert!(stalemate.legal_moves().is_empty() && stalemate.is_fifty_move_draw());
    let (pawn, _) = play("7k/8/8/8/8/8/P7/R3K3 w - - 99 113", "a2a3");
    assert!(!pawn.is_fifty_move_draw());
}

#[test]
fn keys_tell_the_inner_rook_from_the_outer() {
    let inner = read("4k3/8/8/8/8/8/3P4/4K1RR w G - 0 1");
    let outer = read("4k3/8/8/8/8/8/3P4/4K1RR w K - 0 1");
    assert_ne!(inner.keys().whole, outer.keys().whole);
    assert_eq!(castlings(&inner), ["e1g1"]);
    assert_eq!(castlings(&outer), [""; 0]);
}

#[test]
fn checks_through_squares_that_a_move_vacates() {
    for (start, word) in [
        // A promotion: along the file it came by, by a knight, and from behind it.
        ("8/P7/8/8/k7/8/8/1R2K3 w - - 0 1", "a7a8q"),
        ("8/6P1/5k1K/3Q4/8/8/8/8 w - - 0 1", "g7g8n"),
        ("8/R5Pk/8/8/8/8/8/4K3 w - - 0 1", "g7g8b"),
        ("3r4/4P3/8/6k1/8/8/8/4K3 w - - 0 1", "e7d8r"),
        // En passant: through the square of the capturing pawn, of the captured one, of both.
        ("2BK4/8/8/5Pp1/8/7k/5Q2/8 w - g6 0 1", "f5g6"),
        ("5k2/8/8/1Pp5/8/B7/8/4K3 w - c6 0 1", "b5c6"),
        ("8/8/8/RPp4k/8/8/8/4K3 w - c6 0 1", "b5c6"),
        // Castling: through the king's square.
        ("8/8/8/8/8/8/7R/1k2K2R w K - 0 1", "e1h1"),
    ] {
        let position = read(start);
        let m = notation::read(&position, word).expect("legal");
        let check = position.play(m).in_check();
        assert_eq!(check, word != "e7d8r", "{start}");
        assert_eq!(position.check_squares().gives_check(m), check, "{start}");
    }
}

#[test]
fn mates_by_castling() {
    for (start, word) in [
        ("3k4/2p5/4Q3/8/8/8/8/2RK4 w C - 0 1", "d1c1"),
        ("5k2/3P4/7p/6Q1/8/8/8/6KR w H - 0 1", "g1h1"),
    ] {
        let position = read(start);
        let m = notation::read(&position, word).expect("legal");
        assert!(m.is_castle());
        assert!(position.check_squares().gives_check(m), "{start}");
        assert!(position.play(m).chess().is_checkmate(), "{start}");
    }
}
