//! Endings whose outcome the material tells: a bare king against enough to mate it, and the dead
//! draws of few minor pieces.
//!
//! No network that learns from adjudicated games knows how such a win is finished. The rule says how
//! far the win is: by where the bare king stands, and how near the other king and a knight are. The
//! numbers for a rook are a least-squares fit of the distance to mate in the Syzygy tables (60,000
//! random positions); they serve for all other material but knight and bishop.

use shakmaty::{Bitboard, Color};

use crate::position::Position;

/// The least value of a known win.
pub const KNOWN_WIN: i32 = 20_000;

/// The value of a tenth of a ply less to mate.
const TENTH: i32 = 8;
/// Beyond every distance to mate, in tenths of plies.
const FARTHEST: i32 = 800;
/// The value of a pawn more.
const PAWN: i32 = 100;
/// More material than this, in pawns, has no further value.
const MOST_MATERIAL: i32 = 40;

/// Tenths of plies to mate by the bare king's distances from the nearest edge of its file and its
/// rank.
const FROM_EDGE: [[i32; 4]; 4] = [
    [40, 73, 99, 113],
    [73, 113, 148, 167],
    [99, 148, 183, 204],
    [113, 167, 204, 223],
];
/// Tenths of plies a square between the kings.
const KINGS_APART: i32 = 24;

// With knight and bishop the fit has a hump between the wrong corner and the right one, over which a
// search of 20 ms doesn't look. These numbers fall all the way: see bench/LOG.md, 2026-12-01.
/// Tenths of plies a step of the bare king from the nearest corner of the bishop's colour, along the
/// edge or across.
const FROM_RIGHT_CORNER: i32 = 45;
/// The same a step from the nearest edge.
const MINORS_FROM_EDGE: i32 = 15;
/// The same a square between the kings.
const MINORS_KINGS_APART: i32 = 35;
/// The same a square between the knight and the bare king.
const KNIGHT_APART: i32 = 5;

/// The value of `position` from the side to move if the material tells the outcome: 0 for a draw, at
/// least [`KNOWN_WIN`] either way for a win, more the nearer it is. `None` if it doesn't.
#[inline]
pub fn known_ending(position: &Position) -> Option<i32> {
    let board = position.board();
    let is_bare = |color: Color| !board.by_color(color).more_than_one();
    if let Some(loser) = Color::ALL.into_iter().find(|&color| is_bare(color)) {
        let value = against_bare_king(position, !loser)?;
        return Some(if position.turn() == loser {
            -value
        } else {
            value
        });
    }
    // A minor piece each.
    let only_minors = (board.pawns() | board.rooks_and_queens()).is_empty();
    (only_minors && Color::ALL.iter().all(|&c| board.by_color(c).count() == 2)).then_some(0)
}

/// The value for `winner`, whose opponent has the king alone.
fn against_bare_king(position: &Position, winner: Color) -> Option<i32> {
    let board = position.board();
    let (king, bare) = (position.king(winner), position.king(!winner));
    let bishops = board.bishops();
    let bishops_of_both_colours =
        bishops.intersects(Bitboard::DARK_SQUARES) && bishops.intersects(Bitboard::LIGHT_SQUARES);
    let knights = board.knights();
    let apart = king.distance(bare) as i32;
    let tenths = if board.rooks_and_queens().any() || bishops_of_both_colours || knights.count() > 2
    {
        FROM_EDGE[from_edge(bare.file().into())][from_edge(bare.rank().into())]
            + KINGS_APART * apart
    } else if let (Some(bishop), Some(knight)) = (bishops.first(), knights.first()) {
        let file = usize::from(bare.file());
        let rank = usize::from(bare.rank());
        // Seen so that the corners of the bishop's colour are a1 and h8.
        let across = if bishop.is_dark() { file } else { 7 - file } + rank;
        FROM_RIGHT_CORNER * across.min(14 - across) as i32
            + MINORS_FROM_EDGE * from_edge(file).min(from_edge(rank)) as i32
            + MINORS_KINGS_APART * apart
            + KNIGHT_APART * knight.distance(bare) as i32
    } else {
        // Pawns may decide, or a bishop that guards the wrong corner; knights alone don't win.
        return (board.pawns() | bishops).is_empty().then_some(0);
    };
    let material = (position.material() as i32).min(MOST_MATERIAL);
    Some(KNOWN_WIN + PAWN * material + TENTH * (FARTHEST - tenths))
}

/// Distance of a file or rank from the nearest edge.
fn from_edge(line: usize) -> usize {
    line.min(7 - line)
}

const _: () = assert!(
    KNOWN_WIN + PAWN * MOST_MATERIAL + TENTH * FARTHEST < i16::MAX as i32
        && KNOWN_WIN > super::architecture::LIMIT
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::fen;

    fn value(fen: &str) -> Option<i32> {
        known_ending(&fen::read(fen).expect(fen).position)
    }

    #[test]
    fn enough_to_mate_a_bare_king_is_a_known_win() {
        for men in [
            "Q7", "R7", "BB6", "BN6", "NNN5", "QP6", "RN6", "BBN5", "BNP5",
        ] {
            for (fen, sign) in [
                (format!("7k/8/8/8/8/{men}/8/4K3 w - - 0 1"), 1),
                (format!("7k/8/8/8/8/{men}/8/4K3 b - - 0 1"), -1),
                (
                    format!("4k3/8/{}/8/8/8/8/7K w - - 0 1", men.to_lowercase()),
                    -1,
                ),
            ] {
                let value = value(&fen).expect(&fen);
                assert!(value * sign >= KNOWN_WIN, "{fen}: {value}");
            }
        }
    }

    #[test]
    fn dead_material_is_a_draw_and_the_rest_is_not_known() {
        for (men, expected) in [
            ("NN6", Some(0)),
            ("N7", Some(0)),
            ("P7", None),
            ("NP6", None),
            ("BP6", None),
            ("b3N3", Some(0)),
            ("b3B3", Some(0)),
            ("r3Q3", None),
            ("p3N3", None),
            ("bB5N", None),
        ] {
            let fen = format!("7k/8/8/8/8/{men}/8/4K3 w - - 0 1");
            assert_eq!(value(&fen), expected, "{fen}");
        }
    }

    #[test]
    fn it_grows_towards_mate() {
        // From the worst to the best for White.
        for fens in [
            &[
                "8/8/8/8/4k3/8/8/R3K3 w - - 0 1",
                "8/8/8/8/8/4K3/R7/7k w - - 0 1",
                "8/8/8/8/8/6K1/R7/7k w - - 0 1",
            ][..],
            // The bishop is of the dark squares, so a8 is the wrong corner and a1 the right one.
            &[
                "k7/8/1K6/8/8/2N5/8/2B5 w - - 0 1",
                "8/8/8/8/8/1KN5/8/k1B5 w - - 0 1",
            ],
            // Light squares: the other way round.
            &[
                "8/8/8/8/8/1KN5/8/k4B2 w - - 0 1",
                "k7/8/1K6/8/8/2N5/8/5B2 w - - 0 1",
            ],
            // More material is better.
            &[
                "8/8/4k3/8/8/8/8/Q3K3 w - - 0 1",
                "8/8/4k3/8/8/8/8/QR2K3 w - - 0 1",
            ],
        ] {
            let values: Vec<_> = fens.iter().map(|fen| value(fen).expect(fen)).collect();
            assert!(values.is_sorted_by(|a, b| a < b), "{fens:?}: {values:?}");
        }
    }
}
