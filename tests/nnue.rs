//! The network from outside: values along random games against the formula, and its file.

use std::sync::Arc;

use proptest::{collection::vec, prelude::*};
use shakmaty::{CastlingMode, Chess, Color, FromSetup as _, Move, Role, Setup, Square, fen::Fen};
use zuylen::{
    chess960,
    nnue::{
        Breakdown, Evaluator, Network, NetworkError,
        architecture::{BUCKETS, HIDDEN, LIMIT, MAX_OUTPUT_BIAS, MAX_OUTPUT_WEIGHT, QA, QB, SCALE},
        endings::known_ending,
        features::is_mirrored,
        simd::Simd,
        weights::MAX_NAME,
    },
    position::Position,
};

/// The value of men on squares by the formula alone, in real integers and with the inputs numbered
/// as documented; `None` stands for the bucket of so many men.
fn formula(
    network: &Network,
    men: &[(Square, shakmaty::Piece)],
    us: Color,
    bucket: Option<usize>,
) -> i32 {
    let sums = |side: Color| -> Vec<i64> {
        let (king, _) = men
            .iter()
            .find(|(_, piece)| *piece == side.king())
            .expect("both sides have a king");
        let input = |&(square, piece): &(Square, shakmaty::Piece)| {
            let mut seen = if side.is_white() {
                square
            } else {
                square.flip_vertical()
            };
            if king.file() >= shakmaty::File::E {
                seen = seen.flip_horizontal();
            }
            let role = match piece.role {
                Role::Pawn => 0,
                Role::Knight => 1,
                Role::Bishop => 2,
                Role::Rook => 3,
                Role::Queen => 4,
                Role::King => 5,
            };
            let owner = if piece.color == side { 0 } else { 384 };
            owner + role * 64 + usize::from(seen)
        };
        (0..HIDDEN)
            .map(|neuron| {
                let weights = men
                    .iter()
                    .map(|man| network.input_weights[input(man)].0[neuron]);
                i64::from(network.input_bias.0[neuron]) + weights.map(i64::from).sum::<i64>()
            })
            .collect()
    };
    let bucket = bucket.unwrap_or((men.len() - 2) / 4);
    let [own_weights, foe_weights] = &network.output_weights[bucket];
    let half = |sums: Vec<i64>, weights: &[i16; HIDDEN]| -> i64 {
        let neurons = sums.into_iter().map(|sum| sum.clamp(0, i64::from(QA)));
        neurons
            .zip(weights)
            .map(|(neuron, &weight)| neuron * neuron * i64::from(weight))
            .sum()
    };
    let sum = half(sums(us), &own_weights.0) + half(sums(!us), &foe_weights.0);
    let output = sum / i64::from(QA) + i64::from(network.output_bias[bucket]);
    let value = output * i64::from(SCALE) / i64::from(QA * QB);
    value.clamp(i64::from(-LIMIT), i64::from(LIMIT)) as i32
}

fn formula_of(network: &Network, position: &Position) -> i32 {
    let men: Vec<_> = position.board().iter().collect();
    formula(network, &men, position.turn(), None)
}

fn network(seed: u64) -> Arc<Network> {
    Network::random(seed).into()
}

fn position(fen: &str) -> Position {
    let fen: Fen = fen.parse().expect("a test's FEN parses");
    let chess = fen.into_position(CastlingMode::Chess960);
    Position::from_chess(chess.expect("a test's FEN is legal"))
}

/// What is done to the evaluators at one step of a random game.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The move of that number is made; kings and castlings are preferred if the flag is set.
    Make(u16, bool),
    TakeBack,
    Pass,
    Evaluate,
    Reset,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        40 => (any::<u16>(), prop::bool::weighted(0.3)).prop_map(|(n, kings)| Step::Make(n, kings)),
        25 => Just(Step::TakeBack),
        3 => Just(Step::Pass),
        20 => Just(Step::Evaluate),
        1 => Just(Step::Reset),
    ];
    vec(step, 0..250)
}

fn choose(position: &Position, number: u16, kings: bool) -> Option<Move> {
    let mut moves = position.legal_moves();
    if kings && moves.iter().any(|m| m.role() == Role::King) {
        moves.retain(|m| m.role() == Role::King);
    }
    let count = moves.len().max(1);
    moves.get(usize::from(number) % count).copied()
}

/// Makes a move, compares the value with the formula's, and takes the move back.
fn check_move(evaluator: &mut Evaluator, network: &Network, before: &Position, m: Move) {
    let after = before.play(m);
    evaluator.push(before, m, &after);
    assert_eq!(
        evaluator.evaluate(&after),
        formula_of(network, &after),
        "{m:?}"
    );
    evaluator.pop();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn values_along_any_line_are_those_of_the_formula(
        seed in any::<u64>(),
        white in 0..960_u16,
        black in 0..960_u16,
        same in any::<bool>(),
        steps in steps(),
    ) {
        let network = network(seed);
        let mut evaluators: Vec<(Simd, Evaluator)> = Simd::available()
            .into_iter()
            .map(|simd| (simd, Evaluator::with_simd(network.clone(), simd)))
            .collect();
        let root = Position::start_array(white, if same { white } else { black }).unwrap();
        // Positions of the line; a passed move shares its evaluator's step with the one before.
        let mut line = vec![(root, false)];
        for (_, evaluator) in &mut evaluators {
            evaluator.reset(&line[0].0);
        }
        for step in steps {
            let (last, passed) = line.last().unwrap().clone();
            match step {
                Step::Make(number, kings) => {
                    let Some(m) = choose(&last, number, kings) else { continue };
                    let after = last.play(m);
                    for (_, evaluator) in &mut evaluators {
                        evaluator.push(&last, m, &after);
                    }
                    line.push((after, false));
                }
                Step::TakeBack if line.len() > 1 => {
                    line.pop();
                    if !passed {
                        evaluators.iter_mut().for_each(|(_, evaluator)| evaluator.pop());
                    }
                }
                Step::TakeBack => {}
                Step::Pass => line.extend(last.play_null().map(|after| (after, true))),
                Step::Evaluate => {
                    let expected = formula_of(&network, &last);
                    for (simd, evaluator) in &mut evaluators {
                        prop_assert_eq!(evaluator.evaluate(&last), expected, "{}", simd.name());
                    }
                }
                Step::Reset => {
                    line = vec![(last, false)];
                    for (_, evaluator) in &mut evaluators {
                        evaluator.reset(&line[0].0);
                    }
                }
            }
        }
        let (last, _) = line.last().unwrap();
        for (simd, evaluator) in &mut evaluators {
            prop_assert_eq!(evaluator.evaluate(last), formula_of(&network, last), "{}", simd.name());
        }
    }

    #[test]
    fn damaged_files_are_refused(
        seed in any::<u64>(),
        changes in vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..4),
        cut in any::<prop::sample::Index>(),
        more in vec(any::<u8>(), 1..20),
    ) {
        let whole = file(&Network::random(seed % 3));
        let mut flipped = whole.clone();
        for (at, bits) in changes {
            flipped[at.index(whole.len())] ^= bits;
        }
        // Changes at one place may cancel.
        prop_assert!(flipped == whole || Network::read(&flipped).is_err());

        prop_assert!(Network::read(&whole[..cut.index(whole.len())]).is_err());
        prop_assert_eq!(
            Network::read(&[&whole[..], &more].concat()),
            Err(NetworkError::Trailing(more.len()))
        );
    }

    #[test]
    fn foreign_files_are_refused(mut bytes in vec(any::<u8>(), 0..400), ours in 0..40_usize) {
        prop_assert_eq!(Network::read(&bytes), Err(NetworkError::Foreign));
        let whole = file(&Network::zeroed());
        let ours = ours.min(bytes.len());
        bytes[..ours].copy_from_slice(&whole[..ours]);
        prop_assert!(Network::read(&bytes).is_err());
    }
}

#[test]
fn every_castling_of_every_start_is_followed() {
    let network = network(1);
    let mut castlings = 0;
    let mut kept_in_place = 0;
    for number in 0..chess960::START_POSITIONS {
        let mut setup = chess960::setup(number, number).unwrap();
        for square in Square::ALL {
            let role = setup.board.role_at(square);
            if !matches!(role, Some(Role::King | Role::Rook | Role::Pawn)) {
                setup.board.discard_piece_at(square);
            }
        }
        for turn in Color::ALL {
            let setup = Setup {
                turn,
                ..setup.clone()
            };
            let chess = Chess::from_setup(setup, CastlingMode::Chess960).unwrap();
            let before = Position::from_chess(chess);
            let mut evaluator = Evaluator::new(network.clone());
            evaluator.reset(&before);
            evaluator.evaluate(&before);
            for m in before.legal_moves().into_iter().filter(|m| m.is_castle()) {
                let after = before.play(m);
                check_move(&mut evaluator, &network, &before, m);
                castlings += 1;
                kept_in_place += usize::from(before.king(turn) == after.king(turn));
            }
            assert_eq!(evaluator.evaluate(&before), formula_of(&network, &before));
        }
    }
    assert!(castlings > 3000, "{castlings}");
    assert!(kept_in_place > 100, "{kept_in_place}");
}

#[test]
fn promotions_and_en_passant_are_followed() {
    let network = network(2);
    let mut kinds = [0; 2];
    for fen in [
        "1n2k3/P1P5/8/3pP3/5Pp1/8/3K2p1/5N2 w - d6 0 1",
        "1n2k3/P1P5/8/3pP3/5Pp1/8/3K2p1/5N2 b - f3 0 1",
    ] {
        let before = position(fen);
        let mut evaluator = Evaluator::new(network.clone());
        evaluator.reset(&before);
        for m in before.legal_moves() {
            check_move(&mut evaluator, &network, &before, m);
            // The second time from known sums.
            evaluator.evaluate(&before);
            check_move(&mut evaluator, &network, &before, m);
            kinds[0] += usize::from(m.is_promotion());
            kinds[1] += usize::from(m.is_en_passant());
        }
    }
    assert!(kinds[0] >= 16 && kinds[1] == 2, "{kinds:?}");
}

#[test]
fn colours_and_wings_are_equal() {
    let mut evaluator = Evaluator::new(network(3));
    let mut value = |fen: &str| {
        let position = position(fen);
        evaluator.reset(&position);
        evaluator.evaluate(&position)
    };
    let expected = value("r1bk4/pp3ppp/2n5/3pP3/8/2N2N2/PPP2PPP/4R1K1 w - - 0 1");
    for same in [
        "4r1k1/ppp2ppp/2n2n2/8/3Pp3/2N5/PP3PPP/R1BK4 b - - 0 1",
        "4kb1r/ppp3pp/5n2/3Pp3/8/2N2N2/PPP2PPP/1K1R4 w - - 0 1",
        "1k1r4/ppp2ppp/2n2n2/8/3pP3/5N2/PPP3PP/4KB1R b - - 0 1",
    ] {
        assert_eq!(value(same), expected, "{same}");
    }
    let other_side_to_move = "r1bk4/pp3ppp/2n5/3pP3/8/2N2N2/PPP2PPP/4R1K1 b - - 0 1";
    assert_ne!(value(other_side_to_move), expected);
}

#[test]
fn a_line_longer_than_any_before_is_followed() {
    let network = network(4);
    let mut evaluator = Evaluator::new(network.clone());
    let mut line = vec![Position::startpos()];
    evaluator.reset(&line[0]);
    for number in 0..1200_u16 {
        let last = line.last().unwrap();
        let Some(m) = choose(last, number.wrapping_mul(7919), true) else {
            break;
        };
        let after = last.play(m);
        evaluator.push(last, m, &after);
        line.push(after);
    }
    assert!(line.len() > 300, "{}", line.len());
    while let Some(last) = line.pop() {
        assert_eq!(evaluator.evaluate(&last), formula_of(&network, &last));
        if !line.is_empty() {
            evaluator.pop();
        }
    }
}

#[test]
fn random_networks_tell_positions_apart() {
    let network = network(5);
    let mut values = Vec::new();
    for number in 0..960 {
        let start = Position::start_array(number, 959 - number).unwrap();
        values.push(formula_of(&network, &start));
    }
    values.sort_unstable();
    assert!(
        values[0] < values[959] - 200,
        "{} to {}",
        values[0],
        values[959]
    );
    assert_ne!(Network::random(6), Network::random(7));
    assert_eq!(Network::random(6), Network::random(6));
}

#[test]
fn a_breakdown_is_the_formula_with_and_without() {
    let network = network(8);
    for fen in [
        "r1bk4/pp3ppp/2n5/3pP3/8/2N2N2/PPP2PPP/4R1K1 b - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/4k3/8/8/3QK3/8/8 w - - 0 1",
        "8/8/4k3/8/8/4K3/8/8 w - - 0 1",
    ] {
        let position = position(fen);
        let (men, us) = (position.board().iter().collect::<Vec<_>>(), position.turn());
        let breakdown = Breakdown::new(&network, &position);
        let value = known_ending(&position).unwrap_or_else(|| formula_of(&network, &position));
        assert_eq!(breakdown.value, value, "{fen}");
        assert_eq!(breakdown.bucket, (men.len() - 2) / 4);
        for bucket in 0..BUCKETS {
            let expected = formula(&network, &men, us, Some(bucket));
            assert_eq!(breakdown.buckets[bucket], expected, "{fen}");
        }
        assert_eq!(breakdown.pieces.len(), men.len() - 2);
        for piece in &breakdown.pieces {
            assert_ne!(piece.piece.role, Role::King);
            assert_eq!(position.board().piece_at(piece.square), Some(piece.piece));
            let rest: Vec<_> = men
                .iter()
                .copied()
                .filter(|man| man.0 != piece.square)
                .collect();
            let without = formula(&network, &rest, us, Some(breakdown.bucket));
            assert_eq!(
                piece.value,
                breakdown.buckets[breakdown.bucket] - without,
                "{fen} {}",
                piece.square
            );
        }
    }
}

fn file(network: &Network) -> Vec<u8> {
    let mut bytes = Vec::new();
    network
        .write(&mut bytes)
        .expect("a vector takes everything");
    bytes
}

#[test]
fn files_come_back() {
    for seed in 0..3 {
        let mut network = Network::random(seed);
        network.name = ["", "Zuylen G0, Schloß", &"x".repeat(MAX_NAME)][seed as usize].to_owned();
        assert_eq!(Network::read(&file(&network)), Ok(network));
    }
}

#[test]
fn files_are_refused_with_their_reason() {
    let whole = file(&Network::random(0));
    let name_at = 20;
    let name_length = "random numbers of seed 0".len();
    let payload_at = name_at + name_length + 8;
    let changed = |at: usize, to: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        Network::read(&bytes)
    };
    assert_eq!(Network::read(b""), Err(NetworkError::Foreign));
    assert_eq!(changed(7, b"2"), Err(NetworkError::Foreign));
    assert_eq!(changed(8, &[0; 8]), Err(NetworkError::OtherArchitecture));
    assert_eq!(
        changed(16, &u32::MAX.to_le_bytes()),
        Err(NetworkError::Name)
    );
    assert_eq!(
        changed(16, &(MAX_NAME as u32 + 1).to_le_bytes()),
        Err(NetworkError::Name)
    );
    assert_eq!(
        changed(name_at + name_length, &u64::MAX.to_le_bytes()),
        Err(NetworkError::Payload(u64::MAX))
    );
    assert_eq!(changed(name_at, b"R"), Err(NetworkError::Damaged));
    assert_eq!(changed(payload_at, &[0, 1]), Err(NetworkError::Damaged));
    assert_eq!(
        changed(whole.len() - 8, &[0; 8]),
        Err(NetworkError::Damaged)
    );
    for length in (0..100).chain([whole.len() - 9, whole.len() - 1]) {
        let expected = if length < 8 {
            NetworkError::Foreign
        } else {
            NetworkError::Truncated
        };
        assert_eq!(Network::read(&whole[..length]), Err(expected), "{length}");
    }
}

#[test]
fn networks_whose_sums_could_overflow_are_refused() {
    let refused = |change: &dyn Fn(&mut Network)| {
        let mut network = Network::zeroed();
        change(&mut network);
        let error = network
            .weights()
            .check()
            .expect_err("the change is too large");
        let written = network.write(Vec::new()).expect_err("it can't be written");
        assert_eq!(written.kind(), std::io::ErrorKind::InvalidInput);
        assert_eq!(written.to_string(), error.to_string());
        error
    };
    let accepted = |change: &dyn Fn(&mut Network)| {
        let mut network = Network::zeroed();
        change(&mut network);
        assert_eq!(Network::read(&file(&network)), Ok(network));
    };
    let max_input = i16::MAX / 32;
    accepted(&|network| network.input_weights[767].0[HIDDEN - 1] = -max_input);
    accepted(&|network| network.input_bias.0[0] = i16::MAX);
    for weight in [max_input + 1, -max_input - 1, i16::MIN] {
        let error = refused(&|network| network.input_weights[767].0[HIDDEN - 1] = weight);
        assert_eq!(error, NetworkError::Overflow("input weights"));
    }
    let both = |network: &mut Network| {
        network.input_weights[0].0[0] = max_input;
        network.input_bias.0[0] = 32;
    };
    assert_eq!(refused(&both), NetworkError::Overflow("input weights"));

    accepted(&|network| network.output_weights[7][1].0[3] = -MAX_OUTPUT_WEIGHT);
    for weight in [MAX_OUTPUT_WEIGHT + 1, -MAX_OUTPUT_WEIGHT - 1, i16::MIN] {
        let error = refused(&|network| network.output_weights[7][1].0[3] = weight);
        assert_eq!(error, NetworkError::Overflow("output weights"));
    }
    accepted(&|network| network.output_bias = [MAX_OUTPUT_BIAS; BUCKETS]);
    for bias in [MAX_OUTPUT_BIAS + 1, -MAX_OUTPUT_BIAS - 1, i32::MIN] {
        let error = refused(&|network| network.output_bias[0] = bias);
        assert_eq!(error, NetworkError::Overflow("output biases"));
    }
    let error = refused(&|network| network.name = "x".repeat(MAX_NAME + 1));
    assert_eq!(error, NetworkError::Name);
}

#[test]
fn the_largest_sums_are_computed_rightly() {
    let largest = i32::MAX / (QA * QA);
    let each = largest / (2 * HIDDEN as i32);
    for sign in [1, -1] {
        let mut network = Network::zeroed();
        network.input_bias.0.fill(QA as i16);
        for row in network.output_weights.iter_mut().flatten() {
            row.0
                .fill((sign * each.min(i32::from(MAX_OUTPUT_WEIGHT))) as i16);
        }
        network.output_bias.fill(sign * MAX_OUTPUT_BIAS);
        assert_eq!(network.weights().check(), Ok(()));
        let network = Arc::<Network>::from(network);
        let start = Position::startpos();
        for simd in Simd::available() {
            let mut evaluator = Evaluator::with_simd(network.clone(), simd);
            assert_eq!(evaluator.evaluate(&start), sign * LIMIT);
        }
        assert_eq!(formula_of(&network, &start), sign * LIMIT);
    }
}

#[test]
fn a_king_that_crosses_and_returns_is_followed() {
    // The sums of both halves are then refreshed from those kept, not from nothing.
    let network = network(9);
    let mut evaluator = Evaluator::new(network.clone());
    let mut line = vec![position("3k4/pppppppp/8/8/8/8/PPPPPPPP/3K4 w - - 0 1")];
    evaluator.reset(&line[0]);
    for (from, to) in [
        (Square::D1, Square::E1),
        (Square::D8, Square::E8),
        (Square::E1, Square::D1),
        (Square::E8, Square::D8),
        (Square::D1, Square::E1),
        (Square::A7, Square::A5),
    ] {
        let last = line.last().unwrap();
        let m = *last
            .legal_moves()
            .iter()
            .find(|m| m.from() == Some(from) && m.to() == to)
            .unwrap();
        let after = last.play(m);
        evaluator.push(last, m, &after);
        assert_eq!(evaluator.evaluate(&after), formula_of(&network, &after));
        line.push(after);
    }
    let kings = line
        .iter()
        .map(|position| is_mirrored(position.king(Color::White)));
    assert_eq!(
        kings.collect::<Vec<_>>(),
        [false, true, true, false, false, true, true]
    );
}
