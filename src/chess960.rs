//! Start positions: Scharnagl's numbers for Chess960, and pairs of them for double Fischer random.
//!
//! Source: Reinhard Scharnagl, "Fischer-Random-Schach (FRC/Chess960)" (2004). The number is, in
//! mixed radix, the light-squared bishop (4), the dark-squared bishop (4), the queen among the six
//! squares left (6) and the knights among the five left then (10); king and rooks fill the rest.

use shakmaty::{Bitboard, Board, Color, File, Rank, Role, Setup, Square};

/// How many start positions Chess960 has; their numbers begin at 0, and 518 is the ordinary one.
pub const START_POSITIONS: u16 = 960;

/// How many start positions double Fischer random has.
pub const DOUBLE_START_POSITIONS: u32 = 921_600;

/// The places of the two knights among the five squares that bishops and queen leave.
const KNIGHTS: [(usize, usize); 10] = [
    (0, 1),
    (0, 2),
    (0, 3),
    (0, 4),
    (1, 2),
    (1, 3),
    (1, 4),
    (2, 3),
    (2, 4),
    (3, 4),
];

/// The back rank of a start position from the a-file to the h-file, or `None` from 960 on.
pub fn back_rank(number: u16) -> Option<[Role; 8]> {
    if number >= START_POSITIONS {
        return None;
    }
    let number = usize::from(number);
    let mut rank = [Role::Rook; 8];
    rank[number % 4 * 2 + 1] = Role::Bishop;
    rank[number / 4 % 4 * 2] = Role::Bishop;

    let mut free: Vec<usize> = (0..8).filter(|&file| rank[file] == Role::Rook).collect();
    let mut place = |role: Role, nth_free: usize| rank[free.remove(nth_free)] = role;
    place(Role::Queen, number / 16 % 6);
    let (first, second) = KNIGHTS[number / 96];
    // The second knight first, so that the squares before it still count as free.
    place(Role::Knight, second);
    place(Role::Knight, first);
    // Three squares are left, and the king stands between the rooks.
    place(Role::King, 1);
    Some(rank)
}

/// The number of a start position, or `None` if the rank is none: the bishops stand on squares of
/// one colour, the king not between the rooks, or a piece is missing.
pub fn number(rank: &[Role; 8]) -> Option<u16> {
    let files = |role: Role| (0..8).filter(move |&file| rank[file] == role);
    let light = files(Role::Bishop).find(|file| file % 2 == 1)? / 2;
    let dark = files(Role::Bishop).find(|file| file % 2 == 0)? / 2;
    let mut free = (0..8).filter(|&file| rank[file] != Role::Bishop);
    let queen = free.position(|file| rank[file] == Role::Queen)?;
    let mut left = rank
        .iter()
        .filter(|role| !matches!(role, Role::Bishop | Role::Queen));
    let first = left.position(|&role| role == Role::Knight)?;
    let second = first + 1 + left.position(|&role| role == Role::Knight)?;
    let knights = KNIGHTS.iter().position(|&pair| pair == (first, second))?;

    let number = (light + 4 * dark + 16 * queen + 96 * knights) as u16;
    // Whatever else may be wrong with the rank shows here.
    (back_rank(number).as_ref() == Some(rank)).then_some(number)
}

/// The setup in which White has start position `white` and Black has `black`; the same number
/// twice is Chess960, and 518 twice ordinary chess. `None` if a number is 960 or more.
pub fn setup(white: u16, black: u16) -> Option<Setup> {
    let mut board = Board::empty();
    let mut rooks = Bitboard::EMPTY;
    for (color, number) in [(Color::White, white), (Color::Black, black)] {
        for (file, role) in File::ALL.into_iter().zip(back_rank(number)?) {
            let square = Square::from_coords(file, color.backrank());
            board.set_piece_at(square, role.of(color));
            if role == Role::Rook {
                rooks.add(square);
            }
            let pawn = Square::from_coords(file, color.relative_rank(Rank::Second));
            board.set_piece_at(pawn, color.pawn());
        }
    }
    Some(Setup {
        board,
        castling_rights: rooks,
        ..Setup::empty()
    })
}

/// White's and Black's start positions of a double number (White's times 960, plus Black's), or
/// `None` from 921,600 on.
pub fn double(number: u32) -> Option<(u16, u16)> {
    let each = u32::from(START_POSITIONS);
    (number < DOUBLE_START_POSITIONS).then_some(((number / each) as u16, (number % each) as u16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, Chess, FromSetup as _, fen::Fen};

    fn letters(rank: [Role; 8]) -> String {
        rank.map(Role::upper_char).iter().collect()
    }

    #[test]
    fn all_960_as_listed() {
        let lines = include_str!("../tests/data/scharnagl.tsv").lines();
        let mut listed = 0;
        for line in lines.filter(|line| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            let sp: u16 = columns[0].parse().unwrap();
            let rank = back_rank(sp).unwrap();
            assert_eq!(letters(rank), columns[1]);
            assert_eq!(number(&rank), Some(sp));

            let setup = setup(sp, sp).unwrap();
            assert_eq!(setup.board, Board::chess960(u32::from(sp)));
            let fen: Fen = format!(
                "{}/pppppppp/8/8/8/8/PPPPPPPP/{} w {} - 0 1",
                columns[1].to_lowercase(),
                columns[1],
                columns[2]
            )
            .parse()
            .unwrap();
            assert_eq!(&setup, fen.as_setup());
            listed += 1;
        }
        assert_eq!(listed, START_POSITIONS);
    }

    #[test]
    fn well_known_numbers() {
        for (sp, rank) in [
            (0, "BBQNNRKR"),
            (1, "BQNBNRKR"),
            (3, "BQNNRKRB"),
            (284, "NBRKNRBQ"),
            (518, "RNBQKBNR"),
            (534, "RNBKQBNR"),
            (692, "RBBQKNNR"),
            (938, "RKRNBBQN"),
            (959, "RKRNNQBB"),
        ] {
            assert_eq!(letters(back_rank(sp).unwrap()), rank);
        }
        assert_eq!(back_rank(960), None);
        assert_eq!(back_rank(u16::MAX), None);
        assert_eq!(setup(518, 518), Some(Setup::initial()));
    }

    #[test]
    fn no_other_rank_has_a_number() {
        let mut numbered = 0;
        for code in 0..6_u32.pow(8) {
            let mut rest = code;
            let rank = [(); 8].map(|()| {
                let role = Role::ALL[(rest % 6) as usize];
                rest /= 6;
                role
            });
            if let Some(sp) = number(&rank) {
                assert_eq!(back_rank(sp), Some(rank));
                numbered += 1;
            }
        }
        assert_eq!(numbered, START_POSITIONS);
    }

    #[test]
    fn each_side_has_its_own_start_in_double_fischer_random() {
        let setup = setup(600, 199).unwrap();
        let fen = "qnbrknrb/pppppppp/8/8/8/8/PPPPPPPP/RBQNBKRN w GAgd - 0 1";
        assert_eq!(&setup, fen.parse::<Fen>().unwrap().as_setup());
        assert!(Chess::from_setup(setup, CastlingMode::Chess960).is_ok());
        assert_eq!(super::setup(0, 960), None);
        assert_eq!(super::setup(960, 0), None);
    }

    #[test]
    fn double_numbers_are_pairs() {
        assert_eq!(double(0), Some((0, 0)));
        assert_eq!(double(518 * 960 + 518), Some((518, 518)));
        assert_eq!(double(961), Some((1, 1)));
        assert_eq!(double(959), Some((0, 959)));
        assert_eq!(double(DOUBLE_START_POSITIONS - 1), Some((959, 959)));
        assert_eq!(double(DOUBLE_START_POSITIONS), None);
        assert_eq!(double(u32::MAX), None);
    }
}
