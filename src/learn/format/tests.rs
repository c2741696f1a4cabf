use proptest::prelude::*;
use shakmaty::{CastlingSide, Position as _};

use super::*;
use crate::{position::fen, tools::openings::Random};

fn read_all(bytes: &[u8]) -> Vec<Result<Game, FormatError>> {
    Reader::new(bytes).collect()
}

fn read_one(bytes: &[u8]) -> Game {
    let mut games = read_all(bytes);
    assert_eq!(games.len(), 1);
    games.remove(0).expect("a sound game")
}

/// A game of random moves, with random scores.
fn random_game(seed: u64) -> Game {
    let mut random = Random::new(seed);
    let number = |random: &mut Random| random.below(960) as u16;
    let start = Position::start_array(number(&mut random), number(&mut random)).expect("a number");
    let length = random.below(160);
    let mut position = start.clone();
    let mut moves = Vec::new();
    for _ in 0..length {
        let legal = position.legal_moves();
        // Castling is rare and the point of the format.
        let castling = legal.iter().copied().find(|m| m.is_castle());
        let Some(m) = castling.or_else(|| random.pick(&legal)) else {
            break;
        };
        moves.push((m, random.next() as i16));
        position = position.play(m);
    }
    let skipped = random.below(moves.len() as u64 + 1) as usize;
    let start = moves[..skipped]
        .iter()
        .fold(start, |position, &(m, _)| position.play(m));
    Game {
        start,
        start_score: random.next() as i16,
        result: GameResult::ALL[random.below(3) as usize],
        kind: StartKind::ALL[random.below(4) as usize],
        played_out: random.below(2) == 1,
        aside: random.below(2) == 1,
        moves: moves.split_off(skipped),
    }
}

fn assert_same(a: &Game, b: &Game) {
    assert_eq!(a.start.to_setup(), b.start.to_setup());
    assert_eq!(a.start.keys(), b.start.keys());
    assert_eq!(a.moves, b.moves);
    assert_eq!(
        (a.start_score, a.result, a.kind, a.played_out, a.aside),
        (b.start_score, b.result, b.kind, b.played_out, b.aside)
    );
}

/// The example of the published specification, byte for byte.
const EXAMPLE: [u8; 56] = [
    0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0x16, 0x42, 0x25, 0x61, 0, 0, 0, 0, 0x88, 0x88, 0x88, 0x88,
    0x9e, 0xca, 0xad, 0xe9, 0x40, 0, 1, 0, 0, 0, 2, 0, 0x0c, 0x07, 0x0a, 0, 0x34, 0x09, 0x14, 0,
    0xc3, 0x09, 0xe2, 0xff, 0x3c, 0x0d, 0xff, 0x7f, 0x27, 0x09, 0xff, 0x7f, 0, 0, 0, 0,
];

#[test]
fn the_published_example_reads_and_writes() {
    let game = read_one(&EXAMPLE);
    assert_eq!(game.start.to_setup(), Setup::initial());
    assert_eq!(game.result, GameResult::White);
    let scores: Vec<i16> = game.moves.iter().map(|&(_, score)| score).collect();
    assert_eq!(scores, [10, 20, -30, 32767, 32767]);
    assert_eq!(
        fen::write(&game.end(), fen::FenStyle::XFen),
        "rnbq1bnr/ppppkppp/8/4Q3/4P3/8/PPPP1PPP/RNB1KBNR b KQ - 0 3"
    );
    assert!(game.end().legal_moves().is_empty());
    let mut out = Vec::new();
    game.write(&mut out);
    assert_eq!(out, EXAMPLE);
    assert_eq!(out.len(), game.stored_bytes());
}

#[test]
fn special_moves_have_the_published_numbers() {
    for (fen, wanted, bits) in [
        // e5xd6 in passing: 36, 43, kind 1.
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2",
            Move::EnPassant {
                from: Square::E5,
                to: Square::D6,
            },
            36 | 43 << 6 | 1 << 14,
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            Move::Castle {
                king: Square::E1,
                rook: Square::H1,
            },
            4 | 7 << 6 | 2 << 14,
        ),
        (
            "8/P6k/8/8/8/8/8/K7 w - - 0 1",
            Move::Normal {
                role: Role::Pawn,
                from: Square::A7,
                capture: None,
                to: Square::A8,
                promotion: Some(Role::Rook),
            },
            48 | 56 << 6 | 2 << 12 | 3 << 14,
        ),
    ] {
        let position = fen::read(fen).unwrap().position;
        assert_eq!(pack_move(wanted), bits);
        assert_eq!(unpack_move(bits, &position), Some(wanted), "{fen}");
    }
}

#[test]
fn rights_survive_where_several_rooks_could_have_them() {
    // The inner rook holds White's right, and Black has a rook on each side without one.
    let position = fen::read("rr2k1rr/8/8/8/8/8/8/RR2K1RR w Gb - 5 9")
        .unwrap()
        .position;
    let game = Game {
        start: position.clone(),
        start_score: -7,
        result: GameResult::Draw,
        kind: StartKind::Unknown,
        played_out: false,
        aside: false,
        moves: Vec::new(),
    };
    let mut bytes = Vec::new();
    game.write(&mut bytes);
    let read = read_one(&bytes);
    assert_same(&game, &read);
    assert_eq!(
        read.start
            .chess()
            .castles()
            .rook(Color::White, CastlingSide::KingSide),
        Some(Square::G1)
    );
}

#[test]
fn records_of_other_kinds_are_skipped() {
    let mut bytes = vec![0; 8];
    bytes.extend([9, 0, 3, 0, 1, 2, 3, 0, 0, 0, 0]);
    bytes.extend(EXAMPLE);
    assert_eq!(read_one(&bytes).moves.len(), 5);
    assert!(matches!(
        read_all(&bytes[..10]).as_slice(),
        [Err(FormatError {
            game: 1,
            offset: 0,
            fault: Fault::Truncated
        })]
    ));
}

#[test]
fn faults_are_named_and_end_the_reading() {
    let fault = |change: &dyn Fn(&mut [u8; 56])| {
        let mut bytes = EXAMPLE;
        change(&mut bytes);
        let mut twice = bytes.to_vec();
        twice.extend(EXAMPLE);
        let mut games = read_all(&twice);
        assert_eq!(games.len(), 1, "nothing follows an error");
        games.remove(0).expect_err("a fault").to_string()
    };
    assert!(fault(&|b| b[2] = 1).contains("33 men"));
    assert!(fault(&|b| b[8] |= 7).contains("7 is no piece"));
    assert!(fault(&|b| b[24] = 65).contains("65 is no en-passant square"));
    assert!(fault(&|b| b[24] = 20).contains("impossible start position"));
    assert!(fault(&|b| b[30] = 3).contains("3 is no result"));
    assert!(fault(&|b| b[8] = 0x15).contains("impossible start position"));
    assert!(fault(&|b| b[40] = 0).contains("ply 2"));
    assert_eq!(
        fault(&|b| b[36] = 0x0c),
        "game 1 at byte 0: illegal move 0x090c at ply 1"
    );
}

#[test]
fn every_truncation_is_noticed() {
    let mut bytes = Vec::new();
    random_game(3).write(&mut bytes);
    let first = bytes.len();
    random_game(4).write(&mut bytes);
    for end in 0..bytes.len() {
        let games = read_all(&bytes[..end]);
        let faults = games.iter().filter(|game| game.is_err()).count();
        assert_eq!(
            faults,
            usize::from(end != 0 && end != first),
            "cut at {end}"
        );
        assert_eq!(
            games.iter().filter(|game| game.is_ok()).count(),
            usize::from(end >= first)
        );
    }
}

proptest! {
    #[test]
    fn games_survive(seed: u64) {
        let games = [random_game(seed), random_game(seed ^ 1)];
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes));
        let read: Vec<Game> = Reader::new(bytes.as_slice()).map(|game| game.expect("sound")).collect();
        prop_assert_eq!(read.len(), 2);
        for (a, b) in games.iter().zip(&read) {
            assert_same(a, b);
        }
        let mut again = Vec::new();
        read.iter().for_each(|game| game.write(&mut again));
        prop_assert_eq!(again, bytes);
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_all(&bytes);
    }

    #[test]
    fn damaged_games_do_no_harm(seed: u64, damage in proptest::collection::vec((any::<u16>(), any::<u8>()), 1..6)) {
        let mut bytes = Vec::new();
        random_game(seed).write(&mut bytes);
        random_game(!seed).write(&mut bytes);
        for (at, xor) in damage {
            let at = usize::from(at) % bytes.len();
            bytes[at] ^= xor;
        }
        // Whatever still reads must be whole: every move legal, every position writable.
        for game in read_all(&bytes).into_iter().flatten() {
            game.write(&mut Vec::new());
            let _ = game.end().legal_moves();
        }
    }
}
