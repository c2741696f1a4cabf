//! All 84 castlings: 21 placements of king and rook for each wing and colour, generated, refused,
//! made, written and read. What is right is decided here by plain geometry on an array of letters,
//! not by the library that the program uses.

use std::fmt::Write as _;

use shakmaty::{Color, File, Move, Position as _, Rank, Square};
use zuylen::position::{
    Position,
    fen::{self, FenError, FenStyle},
    notation::{self, CastlingStyle},
};

/// File and rank, both 0 to 7.
type Place = (usize, usize);

const WINGS: [bool; 2] = [true, false];

/// A board of FEN letters, `.` for an empty square; first index the rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Board([[char; 8]; 8]);

impl Board {
    fn at(&self, (file, rank): Place) -> char {
        self.0[rank][file]
    }

    fn with(mut self, (file, rank): Place, letter: char) -> Board {
        self.0[rank][file] = letter;
        self
    }

    fn find(&self, letter: char) -> Option<Place> {
        places().find(|&place| self.at(place) == letter)
    }

    fn field(&self) -> String {
        let mut field = String::new();
        for rank in (0..8).rev() {
            let mut empty = 0;
            for &letter in &self.0[rank] {
                if letter == '.' {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    write!(field, "{empty}").unwrap();
                    empty = 0;
                }
                field.push(letter);
            }
            if empty > 0 {
                write!(field, "{empty}").unwrap();
            }
            if rank > 0 {
                field.push('/');
            }
        }
        field
    }

    /// Whether the piece on `from` attacks `to`.
    fn attacks(&self, from: Place, to: Place) -> bool {
        let letter = self.at(from);
        let (df, dr) = (to.0 as i32 - from.0 as i32, to.1 as i32 - from.1 as i32);
        let (straight, diagonal) = (df == 0 || dr == 0, df.abs() == dr.abs());
        if letter == '.' || from == to {
            return false;
        }
        let slides = match letter.to_ascii_lowercase() {
            'p' => {
                let forward = if letter.is_ascii_uppercase() { 1 } else { -1 };
                return dr == forward && df.abs() == 1;
            }
            'n' => return df.abs() * dr.abs() == 2,
            'k' => return df.abs().max(dr.abs()) == 1,
            'b' => diagonal,
            'r' => straight,
            _ => straight || diagonal,
        };
        let distance = df.abs().max(dr.abs());
        slides
            && (1..distance).all(|step| {
                let file = from.0 as i32 + df.signum() * step;
                let rank = from.1 as i32 + dr.signum() * step;
                self.at((file as usize, rank as usize)) == '.'
            })
    }

    fn attacked_by(&self, white: bool, to: Place) -> bool {
        places().any(|from| self.at(from).is_ascii_uppercase() == white && self.attacks(from, to))
    }
}

fn places() -> impl Iterator<Item = Place> {
    (0..64).map(|index| (index % 8, index / 8))
}

fn name((file, rank): Place) -> String {
    format!("{}{}", (b'a' + file as u8) as char, rank + 1)
}

fn square((file, rank): Place) -> Square {
    Square::from_coords(File::new(file as u32), Rank::new(rank as u32))
}

/// A king and a rook at home, with the right to castle.
#[derive(Clone, Copy, Debug)]
struct Placement {
    white: bool,
    /// Whether this is the wing of the h-file.
    h_side: bool,
    king: Place,
    rook: Place,
}

/// Why a castling is not allowed, or that it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Legal,
    Blocked,
    WayAttacked,
    /// No square on the king's way is attacked until the rook has gone.
    Uncovered,
}

impl Placement {
    fn all() -> Vec<Placement> {
        let mut all = Vec::new();
        for white in [true, false] {
            let rank = if white { 0 } else { 7 };
            for h_side in WINGS {
                for king in 1..=6 {
                    let rooks = if h_side { king + 1..8 } else { 0..king };
                    all.extend(rooks.map(|rook| Placement {
                        white,
                        h_side,
                        king: (king, rank),
                        rook: (rook, rank),
                    }));
                }
            }
        }
        all
    }

    /// A letter in the case of the castling side.
    fn own(&self, letter: char) -> char {
        if self.white {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        }
    }

    fn enemy(&self, letter: char) -> char {
        if self.white {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    }

    fn rank(&self) -> usize {
        self.king.1
    }

    fn king_to(&self) -> Place {
        (if self.h_side { 6 } else { 2 }, self.rank())
    }

    fn rook_to(&self) -> Place {
        (if self.h_side { 5 } else { 3 }, self.rank())
    }

    /// King and rook at home and the enemy king on the other side of the board, off the rook's
    /// file.
    fn board(&self) -> Board {
        let enemy_file = (self.rook.0 + 4) % 8;
        Board([['.'; 8]; 8])
            .with(self.king, self.own('k'))
            .with(self.rook, self.own('r'))
            .with((enemy_file, 7 - self.rank()), self.enemy('k'))
    }

    fn letter(&self) -> char {
        self.own((b'a' + self.rook.0 as u8) as char)
    }

    fn fen(&self, board: &Board, rights: char) -> String {
        let turn = if self.white { 'w' } else { 'b' };
        format!("{} {turn} {rights} - 0 1", board.field())
    }

    fn castling(&self) -> Move {
        Move::Castle {
            king: square(self.king),
            rook: square(self.rook),
        }
    }

    fn after(&self, board: &Board) -> Board {
        board
            .with(self.king, '.')
            .with(self.rook, '.')
            .with(self.king_to(), self.own('k'))
            .with(self.rook_to(), self.own('r'))
    }

    fn verdict(&self, board: &Board) -> Verdict {
        let way = |from: Place, to: Place| {
            (from.0.min(to.0)..=from.0.max(to.0)).map(|file| (file, self.rank()))
        };
        let mut passed = way(self.king, self.king_to()).chain(way(self.rook, self.rook_to()));
        if passed.any(|p| p != self.king && p != self.rook && board.at(p) != '.') {
            return Verdict::Blocked;
        }
        let lifted = board.with(self.king, '.');
        if way(self.king, self.king_to()).any(|p| lifted.attacked_by(!self.white, p)) {
            return Verdict::WayAttacked;
        }
        if self.after(board).attacked_by(!self.white, self.king_to()) {
            return Verdict::Uncovered;
        }
        Verdict::Legal
    }

    /// Compares the program's rules with the geometry on one board, whose side to move is the
    /// castling one; `None` if that side could take the king.
    fn check(&self, board: &Board) -> Option<Verdict> {
        let text = self.fen(board, self.letter());
        let enemy_king = board.find(self.enemy('k')).expect("the enemy has a king");
        let position = match fen::read(&text) {
            Ok(reading) => {
                assert!(reading.notes.is_empty(), "{text}: {:?}", reading.notes);
                reading.position
            }
            Err(error) => {
                assert_eq!(error, FenError::OppositeCheck, "{text}");
                assert!(board.attacked_by(self.white, enemy_king), "{text}: {error}");
                return None;
            }
        };
        let verdict = self.verdict(board);
        let castlings: Vec<Move> = position
            .legal_moves()
            .into_iter()
            .filter(|m| m.is_castle())
            .collect();
        let expected: &[Move] = if verdict == Verdict::Legal {
            &[self.castling()]
        } else {
            &[]
        };
        assert_eq!(castlings, expected, "{text}: {verdict:?}");
        assert_eq!(
            position.is_legal(self.castling()),
            verdict == Verdict::Legal,
            "{text}"
        );
        if verdict == Verdict::Legal {
            let after = position.play(self.castling());
            assert_eq!(
                after.board().board_fen().to_string(),
                self.after(board).field(),
                "{text}"
            );
            assert!(after.chess().castles().is_empty(), "{text}");
            assert_eq!(after.turn(), Color::from_white(!self.white), "{text}");
            assert_eq!(after.halfmoves(), 1, "{text}");
        }
        Some(verdict)
    }
}

fn read(text: &str) -> Position {
    let reading = fen::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(reading.notes.is_empty(), "{text}: {:?}", reading.notes);
    reading.position
}

#[test]
fn there_are_84_and_all_are_made() {
    let all = Placement::all();
    assert_eq!(all.len(), 84);
    for placement in all {
        assert_eq!(
            placement.check(&placement.board()),
            Some(Verdict::Legal),
            "{placement:?}"
        );
    }
}

#[test]
fn an_own_piece_on_any_square() {
    let (mut legal, mut blocked) = (0, 0);
    for placement in Placement::all() {
        for place in places().filter(|&place| placement.board().at(place) == '.') {
            for letter in ['n', 'b', 'r', 'q'] {
                let board = placement.board().with(place, placement.own(letter));
                match placement.check(&board) {
                    Some(Verdict::Legal) => legal += 1,
                    Some(Verdict::Blocked) => blocked += 1,
                    Some(other) => panic!("{other:?} without an enemy: {board:?}"),
                    None => {}
                }
            }
        }
    }
    assert!(
        legal > 10_000 && blocked > 500,
        "{legal} legal, {blocked} blocked"
    );
}

#[test]
fn every_square_that_must_be_free() {
    // A knight on the back rank gives no check to a king on the other side.
    let mut squares = 0;
    for placement in Placement::all() {
        for file in 0..8 {
            let place = (file, placement.rank());
            if placement.board().at(place) != '.' {
                continue;
            }
            for knight in ['N', 'n'] {
                let board = placement.board().with(place, knight);
                let verdict = placement.verdict(&board);
                placement.check(&board).expect("no check");
                squares += usize::from(verdict == Verdict::Blocked);
            }
        }
    }
    // 105 squares over the 42 placements of a colour.
    assert_eq!(squares, 105 * 2 * 2);
}

#[test]
fn an_enemy_piece_on_any_square() {
    let (mut legal, mut attacked, mut uncovered) = (0, 0, 0);
    let mut attacked_ways = std::collections::HashSet::new();
    for placement in Placement::all() {
        for place in places().filter(|&place| placement.board().at(place) == '.') {
            for letter in ['p', 'n', 'b', 'r', 'q', 'k'] {
                let mut board = placement.board();
                match letter {
                    'p' if [0, 7].contains(&place.1) => continue,
                    'k' => {
                        let home = board.find(placement.enemy('k')).expect("a king");
                        board = board.with(home, '.');
                    }
                    _ => {}
                }
                let board = board.with(place, placement.enemy(letter));
                match placement.check(&board) {
                    Some(Verdict::Legal) => legal += 1,
                    Some(Verdict::WayAttacked) => {
                        attacked += 1;
                        if letter == 'r' && place.1 == 4 {
                            attacked_ways.insert((placement.king, placement.rook, place.0));
                        }
                    }
                    Some(Verdict::Uncovered) => uncovered += 1,
                    Some(Verdict::Blocked) | None => {}
                }
            }
        }
    }
    assert!(
        legal > 10_000 && attacked > 5_000,
        "{legal} legal, {attacked} attacked"
    );
    // The rook goes from b1 to d1 and uncovers a1: five king files, rook or queen, two colours. On
    // the h-side there is no room beyond the king's goal for a rook between.
    assert_eq!(uncovered, 5 * 2 * 2);
    // A rook on each file of the way, its ends included, has forbidden the castling.
    let ways: usize = Placement::all()
        .iter()
        .map(|placement| placement.king.0.abs_diff(placement.king_to().0) + 1)
        .sum();
    assert_eq!(attacked_ways.len(), ways);
}

#[test]
fn written_and_read_in_uci() {
    for placement in Placement::all() {
        let position = read(&placement.fen(&placement.board(), placement.letter()));
        let castling = placement.castling();
        let rook_word = name(placement.king) + &name(placement.rook);
        let landing_word = name(placement.king) + &name(placement.king_to());
        let side_word = if placement.h_side { "O-O" } else { "O-O-O" };

        assert_eq!(
            notation::write(castling, CastlingStyle::KingTakesRook),
            rook_word
        );
        let goes_two = placement.king.0.abs_diff(placement.king_to().0) == 2;
        assert_eq!(
            notation::write(castling, CastlingStyle::KingTwoSquares),
            if goes_two { &landing_word } else { &rook_word }.as_str()
        );
        assert_eq!(notation::write(castling, CastlingStyle::Letters), side_word);
        // Whatever is written is read as what it was, and no other move is written so.
        for style in [
            CastlingStyle::KingTakesRook,
            CastlingStyle::KingTwoSquares,
            CastlingStyle::Letters,
        ] {
            let words: Vec<String> = position
                .legal_moves()
                .into_iter()
                .map(|m| notation::write(m, style))
                .collect();
            for (m, word) in position.legal_moves().into_iter().zip(&words) {
                assert_eq!(notation::read(&position, word), Ok(m), "{word}");
                assert_eq!(words.iter().filter(|other| *other == word).count(), 1);
            }
        }
        for word in [rook_word.clone(), rook_word.to_uppercase()] {
            assert_eq!(notation::read(&position, &word), Ok(castling), "{word}");
        }
        for word in [side_word.to_owned(), side_word.replace('O', "0")] {
            assert_eq!(notation::read(&position, &word), Ok(castling), "{word}");
        }

        let step = placement.king.0.abs_diff(placement.king_to().0) == 1
            && placement.king_to() != placement.rook;
        let read = notation::read(&position, &landing_word).expect("castling or a step");
        assert_eq!(read.is_castle(), !step, "{placement:?}: {landing_word}");
        if !step {
            assert_eq!(read, castling);
        }

        let ordinary = placement.king.0 == 4 && [0, 7].contains(&placement.rook.0);
        let style = if ordinary {
            CastlingStyle::KingTwoSquares
        } else {
            CastlingStyle::KingTakesRook
        };
        assert_eq!(
            CastlingStyle::for_root(&position, false),
            style,
            "{placement:?}"
        );
        assert_eq!(
            CastlingStyle::for_root(&position, true),
            CastlingStyle::KingTakesRook
        );
    }
}

#[test]
fn written_and_read_in_fen() {
    for placement in Placement::all() {
        let board = placement.board();
        let wing_letter = placement.own(if placement.h_side { 'k' } else { 'q' });
        let shredder = placement.fen(&board, placement.letter());
        let x_fen = placement.fen(&board, wing_letter);
        for text in [&shredder, &x_fen] {
            let position = read(text);
            assert!(position.is_legal(placement.castling()), "{text}");
            assert_eq!(&fen::write(&position, FenStyle::Shredder), &shredder);
            assert_eq!(&fen::write(&position, FenStyle::XFen), &x_fen);
        }
    }
}

#[test]
fn a_second_rook_on_the_back_rank_in_fen() {
    for placement in Placement::all() {
        let wing_letter = placement.own(if placement.h_side { 'k' } else { 'q' });
        for file in 0..8 {
            let other = (file, placement.rank());
            if placement.board().at(other) != '.' {
                continue;
            }
            let mut board = placement.board();
            // Out of the files of both rooks.
            let home = board.find(placement.enemy('k')).expect("a king");
            let safe = (0..8)
                .find(|f| *f != file && *f != placement.rook.0)
                .expect("a file");
            board = board
                .with(home, '.')
                .with((safe, home.1), placement.enemy('k'));
            board = board.with(other, placement.own('r'));

            let outside = if placement.h_side {
                file > placement.rook.0
            } else {
                file < placement.rook.0
            };
            let shredder = placement.fen(&board, placement.letter());
            let position = read(&shredder);
            let letter = if outside {
                placement.letter()
            } else {
                wing_letter
            };
            let x_fen = placement.fen(&board, letter);
            assert_eq!(fen::write(&position, FenStyle::XFen), x_fen);
            assert_eq!(fen::write(&position, FenStyle::Shredder), shredder);
            let rights = |text: &str| read(text).chess().castles().castling_rights();
            assert_eq!(rights(&x_fen), square(placement.rook).into());
            // The letter of the wing alone means whichever rook stands outermost.
            let outermost = if outside { other } else { placement.rook };
            assert_eq!(
                rights(&placement.fen(&board, wing_letter)),
                square(outermost).into(),
                "{x_fen}"
            );
        }
    }
}

#[test]
fn both_wings_with_both_rights() {
    // Two rights, and castling on one wing takes both.
    let mut pairs = 0;
    for king in 1..=6 {
        for a_rook in 0..king {
            for h_rook in king + 1..8 {
                let mut board = Board([['.'; 8]; 8]);
                for (file, letter) in [(king, 'K'), (a_rook, 'R'), (h_rook, 'R')] {
                    board = board.with((file, 0), letter);
                }
                let safe = (0..8)
                    .find(|f| *f != a_rook && *f != h_rook)
                    .expect("a file");
                board = board.with((safe, 7), 'k');
                let position = read(&format!("{} w KQ - 3 9", board.field()));
                for (h_side, rook) in [(true, h_rook), (false, a_rook)] {
                    let placement = Placement {
                        white: true,
                        h_side,
                        king: (king, 0),
                        rook: (rook, 0),
                    };
                    let legal = placement.verdict(&board) == Verdict::Legal;
                    assert_eq!(position.is_legal(placement.castling()), legal, "{board:?}");
                    if legal {
                        let after = position.play(placement.castling());
                        let expected = placement.after(&board).field();
                        assert_eq!(
                            fen::write(&after, FenStyle::XFen),
                            format!("{expected} b - - 4 9")
                        );
                    }
                }
                pairs += 1;
            }
        }
    }
    assert_eq!(pairs, 6 + 10 + 12 + 12 + 10 + 6);
}
