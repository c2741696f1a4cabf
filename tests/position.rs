//! Properties of positions, over random games from Chess960 and double Fischer random starts.

use proptest::{collection::vec, prelude::*};
use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, File, FromSetup as _, Move, Piece, Position as _,
    PositionError, Rank, Role, Setup, Square,
};
use zuylen::position::{
    Keys, PackedMove, Position,
    fen::{self, FenStyle},
    repetition::KeyHistory,
    see,
};

/// A game: its positions, one more than its moves.
#[derive(Debug)]
struct Game {
    positions: Vec<Position>,
    moves: Vec<Move>,
}

impl Game {
    fn last(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }
}

/// Plays a game whose moves the numbers choose. Castlings, en-passant captures and moves back to
/// where the piece came from are taken more often than chance has them, for most of what can go
/// wrong is there.
fn play(white: u16, black: u16, choices: &[u16]) -> Game {
    let start = Position::start_array(white, black).expect("numbers below 960");
    let mut game = Game {
        positions: vec![start],
        moves: Vec::new(),
    };
    for &choice in choices {
        let position = game.last();
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let nth = usize::from(choice / 8);
        let special: Vec<Move> = legal
            .iter()
            .copied()
            .filter(|m| m.is_castle() || m.is_en_passant())
            .collect();
        let back = game.moves.iter().nth_back(1).and_then(|last| {
            legal
                .iter()
                .find(|m| m.from() == Some(last.to()) && Some(m.to()) == last.from())
        });
        let m = match (choice % 8, back) {
            (0..3, _) if !special.is_empty() => special[nth % special.len()],
            (3..6, Some(back)) => *back,
            _ => legal[nth % legal.len()],
        };
        let next = position.play(m);
        game.moves.push(m);
        game.positions.push(next);
    }
    game
}

fn games() -> impl Strategy<Value = Game> {
    let number = 0..960_u16;
    let starts = (number.clone(), number, any::<bool>());
    (starts, vec(any::<u16>(), 0..160)).prop_map(|((white, black, double), choices)| {
        play(white, if double { black } else { white }, &choices)
    })
}

/// Positions of few men on open boards, where promotions, en-passant captures and castlings often
/// give check: kings and rooks stand at home as often as not, pawns are about to promote, and one of
/// the opponent has just stepped two squares beside one of ours.
fn open_boards() -> impl Strategy<Value = Position> {
    let man = (0..64_u32, 0..5_usize, any::<bool>());
    let kings = (0..64_u32, 0..64_u32, any::<bool>());
    (kings, vec(man, 1..8), 0..8_u32, 0..16_u32, any::<bool>()).prop_filter_map(
        "no position",
        |((own, theirs, at_home), men, promoting, passing, white)| {
            let turn = Color::from_white(white);
            let rank = |rank: Rank| if white { rank } else { rank.flip_vertical() };
            let mut setup = Setup::empty();
            setup.turn = turn;
            let square = |file: u32, at: Rank| Square::from_coords(File::new(file % 8), rank(at));
            for (number, role, own) in men {
                let role = Role::ALL[role];
                let at = match role {
                    Role::Pawn => square(number, Rank::new(1 + number / 8 % 6)),
                    Role::Rook if own => square(number, Rank::First),
                    _ => Square::new(number),
                };
                let color = if own { turn } else { !turn };
                setup.board.set_piece_at(at, role.of(color));
            }
            let pawn = |color: Color| Piece {
                color,
                role: Role::Pawn,
            };
            setup
                .board
                .set_piece_at(square(promoting, Rank::Seventh), pawn(turn));
            setup
                .board
                .discard_piece_at(square(promoting, Rank::Eighth));
            // Beside the pawn that has stepped two squares stands one that may take it.
            if (1..8).contains(&passing) {
                setup
                    .board
                    .set_piece_at(square(passing, Rank::Fifth), pawn(!turn));
                setup
                    .board
                    .set_piece_at(square(passing - 1, Rank::Fifth), pawn(turn));
                setup.board.discard_piece_at(square(passing, Rank::Sixth));
                setup.board.discard_piece_at(square(passing, Rank::Seventh));
                setup.ep_square = Some(square(passing, Rank::Sixth));
            }
            let home = if at_home {
                square(own, Rank::First)
            } else {
                Square::new(own)
            };
            setup.board.set_piece_at(home, Role::King.of(turn));
            setup
                .board
                .set_piece_at(Square::new(theirs), Role::King.of(!turn));
            setup.castling_rights = setup.board.rooks() & setup.board.by_color(turn);
            Chess::from_setup(setup, CastlingMode::Chess960)
                .or_else(PositionError::ignore_invalid_castling_rights)
                .or_else(PositionError::ignore_invalid_ep_square)
                .ok()
                .map(Position::from_chess)
        },
    )
}

/// Whether the moves that give check are those foreseen.
fn foreseen_as_played(position: &Position) -> Result<(), TestCaseError> {
    let squares = position.check_squares();
    for m in position.legal_moves() {
        let check = position.play(m).in_check();
        prop_assert_eq!(squares.gives_check(m), check, "{:?} in {:?}", m, position);
    }
    Ok(())
}

/// What the rules call the same position, looked up one by one.
fn earlier(positions: &[Position], now: &Position) -> Vec<usize> {
    (0..positions.len())
        .filter(|&index| positions[index].chess() == now.chess())
        .collect()
}

/// Whether a position after `positions` is a draw by repetition `ply` plies below the root.
fn naive_repetition(positions: &[Position], now: &Position, ply: usize) -> bool {
    let found = earlier(positions, now);
    found.len() >= 2 || found.iter().any(|index| positions.len() - index < ply)
}

fn history_of(positions: &[Position]) -> KeyHistory {
    let mut history = KeyHistory::starting_at(&positions[0]);
    for position in &positions[1..] {
        history.push(position);
    }
    history
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn incremental_keys_are_those_from_scratch(game in games()) {
        for position in &game.positions {
            let chess = position.chess();
            prop_assert_eq!(*position.keys(), Keys::from_scratch(chess, chess.legal_ep_square()));
            prop_assert_eq!(position.checkers(), chess.checkers());
            let wrapped = Position::from_chess(chess.clone());
            prop_assert_eq!(position.keys(), wrapped.keys());
            if let Some(passed) = position.play_null() {
                prop_assert_eq!(*passed.keys(), Keys::from_scratch(passed.chess(), None));
                prop_assert_eq!(passed.turn(), !position.turn());
                prop_assert_eq!(passed.reversible_plies(), 0);
                prop_assert_eq!(passed.halfmoves(), position.halfmoves());
            } else {
                prop_assert!(position.in_check());
            }
        }
    }

    #[test]
    fn keys_differ_where_positions_do(game in games()) {
        for (index, a) in game.positions.iter().enumerate() {
            for b in &game.positions[..index] {
                prop_assert_eq!(a.keys().whole == b.keys().whole, a.chess() == b.chess());
            }
        }
    }

    #[test]
    fn partial_keys_follow_their_pieces_alone(game in games()) {
        for pair in game.positions.windows(2) {
            let (a, b) = (pair[0].keys(), pair[1].keys());
            let changed = |colors: &[Color], roles: &[Role]| {
                colors.iter().any(|&color| {
                    roles.iter().any(|&role| {
                        pair[0].pieces(color, role) != pair[1].pieces(color, role)
                    })
                })
            };
            let (both, non_pawns) = (Color::ALL, &Role::ALL[1..]);
            let minors = [Role::Knight, Role::Bishop, Role::King];
            let majors = [Role::Rook, Role::Queen, Role::King];
            prop_assert_eq!(a.pawns != b.pawns, changed(&both, &[Role::Pawn]));
            prop_assert_eq!(a.minors != b.minors, changed(&both, &minors));
            prop_assert_eq!(a.majors != b.majors, changed(&both, &majors));
            for color in Color::ALL {
                let which = color.is_black() as usize;
                prop_assert_eq!(
                    a.non_pawns[which] != b.non_pawns[which],
                    changed(&[color], non_pawns)
                );
            }
        }
    }

    #[test]
    fn packed_moves_come_back(game in games(), bits in vec(any::<u16>(), 100)) {
        for position in &game.positions {
            let legal = position.legal_moves();
            for &m in &legal {
                let packed = PackedMove::new(m);
                prop_assert!(packed.is_some());
                prop_assert_eq!(PackedMove::from_bits(packed.bits()).unpack(position), Some(m));
            }
            for &bits in &bits {
                if let Some(m) = PackedMove::from_bits(bits).unpack(position) {
                    prop_assert!(legal.contains(&m), "{:?}", m);
                }
            }
        }
        prop_assert_eq!(PackedMove::NONE.unpack(game.last()), None);
    }

    #[test]
    fn fens_come_back(game in games()) {
        for position in &game.positions {
            for style in [FenStyle::XFen, FenStyle::Shredder] {
                let text = fen::write(position, style);
                let reading = fen::read(&text).expect("a position of a game");
                prop_assert_eq!(reading.notes, Vec::<String>::new());
                prop_assert_eq!(reading.position.to_setup(), position.to_setup());
                prop_assert_eq!(reading.position.keys(), position.keys());
                prop_assert_eq!(fen::write(&reading.position, style), text);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,80}", bytes in vec(any::<u8>(), 0..80)) {
        let _ = fen::read(&text);
        let _ = fen::read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn damaged_fens_are_read_or_refused(
        game in games(),
        at in any::<prop::sample::Index>(),
        letter in "[KQRBNPkqrbnpA-Ha-h1-9/ w-]",
    ) {
        let mut text = fen::write(game.last(), FenStyle::XFen);
        let at = at.index(text.len());
        text.replace_range(at..=at, &letter);
        if let Ok(reading) = fen::read(&text) {
            let position = reading.position;
            for m in position.legal_moves() {
                let after = position.play(m);
                prop_assert!(after.legal_moves().len() <= 218);
            }
            let again = fen::read(&fen::write(&position, FenStyle::Shredder)).expect("as written");
            prop_assert_eq!(again.position.keys(), position.keys());
        }
    }

    #[test]
    fn repetitions_are_what_the_rules_call_so(game in games()) {
        for end in 1..game.positions.len() {
            let (before, now) = (&game.positions[..end], &game.positions[end]);
            let history = history_of(&game.positions[..=end]);
            prop_assert_eq!(history.occurrences_before(now), earlier(before, now).len());
            for ply in [0, 1, 3, 4, 5, 8, 20, end, end + 1] {
                prop_assert_eq!(
                    history.is_repetition(now, ply),
                    naive_repetition(before, now, ply),
                    "ply {} of {}", ply, end
                );
            }
        }
    }

    #[test]
    fn upcoming_repetitions_are_one_legal_move_away(game in games()) {
        for end in 0..game.positions.len() {
            let so_far = &game.positions[..=end];
            let now = &game.positions[end];
            let history = history_of(so_far);
            let next: Vec<Position> = now.legal_moves().into_iter().map(|m| now.play(m)).collect();
            for ply in [0, 3, 4, 5, 8, 20, end] {
                let expected =
                    next.iter().any(|position| naive_repetition(so_far, position, ply + 1));
                prop_assert_eq!(
                    history.has_upcoming_repetition(now, ply),
                    expected,
                    "ply {} of {}: {}", ply, end, fen::write(now, FenStyle::XFen)
                );
            }
        }
    }

    #[test]
    fn checks_are_foreseen(game in games()) {
        for position in &game.positions {
            foreseen_as_played(position)?;
        }
    }

    #[test]
    fn checks_are_foreseen_on_open_boards(positions in vec(open_boards(), 30)) {
        for position in &positions {
            foreseen_as_played(position)?;
        }
    }

    #[test]
    fn exchanges_without_pins_are_worth_what_plain_counting_says(game in games()) {
        for position in &game.positions {
            let screened = Color::ALL.into_iter().any(|color| {
                see::screens(position.board(), position.king(color), !color).any()
            });
            if screened {
                continue;
            }
            for m in position.legal_moves() {
                let worth = naive_exchange(position, m);
                for threshold in [worth - 1, worth, worth + 1, 0, -100, 100] {
                    prop_assert_eq!(
                        position.see_ge(m, threshold),
                        worth >= threshold,
                        "{:?} is worth {}, not {} in {}",
                        m, worth, threshold, fen::write(position, FenStyle::XFen)
                    );
                }
            }
        }
    }
}

/// What a move wins when both sides go on capturing on its square while that pays, the least
/// valuable piece first: the plain recursion, without an eye for pins.
fn naive_exchange(position: &Position, m: Move) -> i32 {
    let (Some(from), false) = (m.from(), m.is_castle()) else {
        return 0;
    };
    let to = m.to();
    let mut occupied = position.occupied().without(from).with(to);
    if let Move::EnPassant { .. } = m {
        occupied.discard(Square::from_coords(to.file(), from.rank()));
    }
    let on_square = m.promotion().unwrap_or(m.role());
    see::immediate_gain(m) - best_recapture(position, occupied, to, on_square, !position.turn())
}

fn best_recapture(
    position: &Position,
    occupied: Bitboard,
    to: Square,
    on_square: Role,
    side: Color,
) -> i32 {
    let board = position.board();
    let attackers =
        |color: Color, occupied: Bitboard| board.attacks_to(to, color, occupied) & occupied;
    let Some(from) = attackers(side, occupied)
        .into_iter()
        .min_by_key(|&square| board.role_at(square))
    else {
        return 0;
    };
    let role = board.role_at(from).expect("an attacker stands there");
    let left = occupied.without(from);
    if role == Role::King && attackers(!side, left).any() {
        return 0;
    }
    (see::value(on_square) - best_recapture(position, left, to, role, !side)).max(0)
}

#[test]
fn random_games_reach_what_the_properties_are_about() {
    // Were there no castlings, repetitions or en-passant captures in the games, the properties
    // above would say little.
    let (mut castlings, mut repetitions, mut en_passants, mut promotions) = (0, 0, 0, 0);
    let mut state = 7_u64;
    for game in 0..300_u16 {
        let choices: Vec<u16> = (0..160)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 40) as u16
            })
            .collect();
        let game = play(game * 3, 959 - game, &choices);
        castlings += game.moves.iter().filter(|m| m.is_castle()).count();
        en_passants += game.moves.iter().filter(|m| m.is_en_passant()).count();
        promotions += game.moves.iter().filter(|m| m.is_promotion()).count();
        repetitions += (1..game.positions.len())
            .filter(|&end| !earlier(&game.positions[..end], &game.positions[end]).is_empty())
            .count();
    }
    assert!(
        castlings > 100 && repetitions > 100 && en_passants > 10 && promotions > 10,
        "{castlings} castlings, {repetitions} repetitions, {en_passants} en passant, {promotions}"
    );
}

#[test]
fn pinned_pieces_take_no_part_in_exchanges() {
    let worth = |text: &str, from: Square, to: Square, worth: i32| {
        let position = fen::read(text).expect("a legal position").position;
        let m = position
            .legal_moves()
            .into_iter()
            .find(|m| m.from() == Some(from) && m.to() == to)
            .expect("a legal move");
        assert!(
            position.see_ge(m, worth),
            "{text} is worth less than {worth}"
        );
        assert!(
            !position.see_ge(m, worth + 1),
            "{text} is worth more than {worth}"
        );
    };
    let [pawn, knight, bishop, rook, queen, _] = see::VALUES;
    // The knight that guards d5 is pinned by the rook on e1: the pawn falls for nothing.
    worth(
        "4k3/8/4n3/8/3p4/8/3R4/4R1K1 w - - 0 1",
        Square::D2,
        Square::D4,
        pawn,
    );
    // Without the pin it takes back.
    worth(
        "4k3/8/4n3/8/3p4/8/3R4/6K1 w - - 0 1",
        Square::D2,
        Square::D4,
        pawn - rook,
    );
    // A rook pinned along the file may still take on it.
    let exchange = rook - queen;
    worth(
        "4k3/4r3/8/8/8/2Q5/8/4R1K1 w - - 0 1",
        Square::C3,
        Square::E3,
        exchange,
    );
    // The knight that would take back is pinned by the bishop, which elsewhere only guards.
    worth(
        "2r3k1/8/8/b7/2P5/8/3N4/4K3 b - - 0 1",
        Square::C8,
        Square::C4,
        pawn,
    );
    let exchange = pawn - rook + knight;
    worth(
        "2r3k1/8/b7/8/2P5/8/3N4/4K3 b - - 0 1",
        Square::C8,
        Square::C4,
        exchange,
    );
    // After Bxd1 Rxd1 the pinner itself takes back, which sets the knight on e3 free: so Black may
    // begin.
    let exchange = rook - bishop;
    worth(
        "3rk3/8/8/8/6B1/4n3/8/3rR1K1 w - - 0 1",
        Square::G4,
        Square::D1,
        exchange,
    );
    // A king takes only what is unguarded; a pinned piece guards all the same.
    worth(
        "6k1/5p2/8/8/8/5Q2/8/6K1 w - - 0 1",
        Square::F3,
        Square::F7,
        pawn - queen,
    );
    worth(
        "6k1/5p2/8/8/8/5Q2/5R2/6K1 w - - 0 1",
        Square::F3,
        Square::F7,
        pawn,
    );
    worth(
        "6k1/b4p2/8/8/8/5Q2/5R2/6K1 w - - 0 1",
        Square::F3,
        Square::F7,
        pawn,
    );
}
