use shakmaty::{Chess, FromSetup as _, Setup, fen::Fen};

use super::*;
use shakmaty::{CastlingMode, Position as _};

fn position(fen: &str) -> Position {
    let fen: Fen = fen.parse().expect("a test's FEN parses");
    Position::from_chess(
        fen.into_position(CastlingMode::Chess960)
            .expect("a test's FEN is legal"),
    )
}

/// The value for White, whoever moves; the tempo is taken out.
fn white_value(fen: &str) -> i32 {
    let position = position(fen);
    let value = Evaluator::new().evaluate(&position);
    if position.turn().is_white() {
        value
    } else {
        -value
    }
}

/// The same position with colours exchanged and the board upside down.
fn mirrored(position: &Position) -> Position {
    let setup = position.to_setup();
    let mut board = setup.board.clone();
    board.flip_vertical();
    board.swap_colors();
    let setup = Setup {
        board,
        turn: !setup.turn,
        castling_rights: setup.castling_rights.flip_vertical(),
        ep_square: setup.ep_square.map(|square| square.flip_vertical()),
        ..setup
    };
    let chess = Chess::from_setup(setup, CastlingMode::Chess960).expect("a mirror image is legal");
    Position::from_chess(chess)
}

/// The same position with files exchanged; castling rights have to be gone.
fn flipped(position: &Position) -> Position {
    let setup = position.to_setup();
    let mut board = setup.board.clone();
    board.flip_horizontal();
    let ep_square = setup.ep_square.map(|square| square.flip_horizontal());
    let setup = Setup {
        board,
        ep_square,
        ..setup
    };
    let chess = Chess::from_setup(setup, CastlingMode::Chess960).expect("a mirror image is legal");
    Position::from_chess(chess)
}

const STARTS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1",
    "rkbbqnnr/pppppppp/8/8/8/8/PPPPPPPP/RKBBQNNR w HAha - 0 1",
    "nrkrbbqn/pppppppp/8/8/8/8/PPPPPPPP/QNRBBNKR w HCdb - 0 1",
    "8/2p1k1p1/1p5p/3n4/5B2/1P4P1/P2K1P1P/8 w - - 0 1",
    "k7/2PPPP2/8/8/8/8/2pppp2/K7 w - - 0 1",
];

/// Positions of random games from all the starts.
fn random_positions(per_start: usize) -> Vec<Position> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % n
    };
    let mut positions = Vec::new();
    for start in STARTS {
        let mut current = position(start);
        for _ in 0..per_start {
            let moves = current.legal_moves();
            current = if moves.is_empty() || current.halfmoves() > 100 {
                position(start)
            } else {
                current.play(moves[below(moves.len())])
            };
            positions.push(current.clone());
        }
    }
    positions
}

#[test]
fn pairs_hold_two_signed_values() {
    for (middlegame, endgame) in [(0, 0), (1, -1), (-1, 1), (-300, -4000), (12_000, -12_000)] {
        let both = pair(middlegame, endgame);
        assert_eq!((both.middlegame(), both.endgame()), (middlegame, endgame));
        let sum = both * 2 + pair(-7, 9) - pair(5, -5);
        assert_eq!(
            (sum.middlegame(), sum.endgame()),
            (2 * middlegame - 12, 2 * endgame + 14)
        );
    }
}

#[test]
fn colours_are_equal() {
    for position in random_positions(400) {
        let mut evaluator = Evaluator::new();
        let value = evaluator.evaluate(&position);
        assert_eq!(
            value,
            evaluator.evaluate(&mirrored(&position)),
            "{:?}",
            position.board()
        );
        assert!(value.abs() <= LIMIT);
    }
}

#[test]
fn wings_are_equal() {
    let without_rights = |p: &Position| p.chess().castles().castling_rights().is_empty();
    for position in random_positions(400).iter().filter(|p| without_rights(p)) {
        let mut evaluator = Evaluator::new();
        assert_eq!(
            evaluator.evaluate(position),
            evaluator.evaluate(&flipped(position)),
            "{:?}",
            position.board()
        );
    }
}

#[test]
fn a_value_does_not_depend_on_what_came_before() {
    let mut used = Evaluator::new();
    let positions = random_positions(400);
    let fresh: Vec<i32> = positions
        .iter()
        .map(|p| Evaluator::new().evaluate(p))
        .collect();
    for _ in 0..2 {
        for (position, value) in positions.iter().zip(&fresh) {
            assert_eq!(used.evaluate(position), *value, "{:?}", position.board());
        }
    }
    for (position, value) in positions.iter().zip(&fresh).rev() {
        assert_eq!(used.evaluate(position), *value, "{:?}", position.board());
    }
}

#[test]
fn a_shared_slot_of_the_pawn_table_is_refilled() {
    let mut evaluator = Evaluator::new();
    let positions = random_positions(50);
    let [a, b] = [&positions[0], &positions[299]];
    assert_ne!(a.keys().pawns, b.keys().pawns);
    let value = Evaluator::new().evaluate(a);
    evaluator.evaluate(b);
    // Put b's pawns where a's belong.
    let slot = |p: &Position| p.keys().pawns as usize % Evaluator::PAWN_ENTRIES;
    evaluator.pawns[slot(a)] = evaluator.pawns[slot(b)];
    assert_eq!(evaluator.evaluate(a), value);
}

#[test]
fn the_start_is_worth_the_tempo() {
    for start in &STARTS[..3] {
        assert_eq!(white_value(start), TEMPO.middlegame(), "{start}");
    }
}

#[test]
fn material_dominates() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let without = |piece: char| start.replacen(piece, "1", 1);
    let pawn = white_value(&without('p'));
    let knight = white_value(&without('n'));
    let rook = white_value(&without('r').replace("KQkq", "KQk"));
    let queen = white_value(&without('q'));
    assert!((60..180).contains(&pawn), "{pawn}");
    assert!((280..480).contains(&knight), "{knight}");
    assert!((430..700).contains(&rook), "{rook}");
    assert!((950..1400).contains(&queen), "{queen}");
}

#[test]
fn a_passed_pawn_gains_as_it_advances() {
    let values: Vec<i32> = (2..=7)
        .map(|rank| {
            let mut rows = ["8"; 8];
            rows[8 - rank] = "P7";
            rows[7] = "7K";
            rows[0] = "7k";
            rows[3] = if rank == 5 { "P3p3" } else { "4p3" };
            rows[4] = if rank == 4 { "P3P3" } else { "4P3" };
            white_value(&format!("{} w - - 0 1", rows.join("/")))
        })
        .collect();
    assert!(values.is_sorted(), "{values:?}");
    assert!(values[5] > values[0] + 200, "{values:?}");
}

#[test]
fn a_pawn_out_of_the_kings_reach_wins() {
    let caught = white_value("8/2k5/P7/8/8/8/8/7K w - - 0 1");
    let runs = white_value("8/6k1/P7/8/8/8/8/7K w - - 0 1");
    assert!(runs > caught + 300, "{runs} {caught}");
}

#[test]
fn a_cornered_bishop_is_bad() {
    let free = white_value("4k3/pppppppp/8/8/8/1P6/P1PPPPPP/B3K3 w - - 0 1");
    let cornered = white_value("4k3/pppppppp/8/8/8/8/PPPPPPPP/B3K3 w - - 0 1");
    let entombed = white_value("4k3/p1pppppp/8/8/8/1p6/PPPPPPPP/B3K3 w - - 0 1");
    assert!(free > cornered + 30, "{free} {cornered}");
    assert!(cornered > entombed + 50, "{cornered} {entombed}");
}

#[test]
fn a_walled_in_rook_is_bad() {
    let inside = white_value("6k1/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w - - 0 1");
    let outside = white_value("6k1/pppppppp/8/8/8/8/PPPPPPPP/5RK1 w - - 0 1");
    let may_castle = white_value("6k1/pppppppp/8/8/8/8/PPPPPPPP/5KR1 w G - 0 1");
    assert!(outside > inside + 30, "{outside} {inside}");
    assert!(may_castle > inside, "{may_castle} {inside}");
}

#[test]
fn an_open_king_is_bad() {
    let army = |pawns: &str| {
        white_value(&format!(
            "r1bq1rk1/pppp1ppp/2n2n2/8/8/2N2N2/{pawns}/R1BQ1RK1 w - - 0 1"
        ))
    };
    let sheltered = army("1PP1PPPP");
    let open = army("PPPPP3");
    assert!(sheltered > open + 40, "{sheltered} {open}");
}

#[test]
fn attackers_at_the_king_add_up() {
    let one = white_value("5rk1/5ppp/8/8/8/6Q1/PPPPPPPP/R5K1 w - - 0 1")
        - white_value("5rk1/5ppp/8/8/8/8/PPPPPPPP/RQ4K1 w - - 0 1");
    let two = white_value("5rk1/5ppp/8/6N1/8/6Q1/PPPPPPPP/R5K1 w - - 0 1")
        - white_value("5rk1/5ppp/8/8/8/8/PPPPPPPP/RQN3K1 w - - 0 1");
    assert!(two > 2 * one.max(20), "{two} {one}");
}

#[test]
fn drawish_endings_are_near_zero() {
    for fen in [
        "8/8/4k3/8/8/2NNK3/8/8 w - - 0 1",
        "8/8/4k3/8/8/2B1K3/8/8 w - - 0 1",
        "k7/8/P7/8/4BK2/8/8/8 w - - 0 1"
            .replace("4B", "3B1")
            .as_str(),
        "k7/8/P7/1K6/8/8/8/8 w - - 0 1",
    ] {
        assert_eq!(white_value(fen), 0, "{fen}");
    }
    let rook_against_knight = white_value("8/8/4k3/4n3/8/2R1K3/8/8 w - - 0 1");
    assert!(rook_against_knight.abs() < 60, "{rook_against_knight}");
    let opposite = white_value("8/3k1b2/8/1PP5/8/4B3/3K4/8 w - - 0 1");
    let same = white_value("8/3kb3/8/1PP5/8/4B3/3K4/8 w - - 0 1");
    assert!(opposite * 3 < same * 2, "{opposite} {same}");
}

#[test]
fn a_bare_king_is_driven_to_the_edge() {
    let center = white_value("8/8/8/3k4/8/8/8/R3K3 w - - 0 1");
    let edge = white_value("3k4/8/3K4/8/8/8/8/R7 w - - 0 1");
    assert!(edge > center + 50, "{edge} {center}");
    let right_corner = white_value("k7/8/1KN5/8/8/8/8/5B2 w - - 0 1");
    let wrong_corner = white_value("7k/8/5NK1/8/8/8/8/5B2 w - - 0 1");
    assert!(
        right_corner > wrong_corner + 40,
        "{right_corner} {wrong_corner}"
    );
}
