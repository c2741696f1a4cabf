//! Where games begin: random start positions, and a few random moves on from them.

use shakmaty::Move;

use crate::{chess960::START_POSITIONS, position::Position};

/// Of a hundred starts, so many are double Fischer random and so many Chess960; the rest is
/// ordinary chess.
const DOUBLE_PERCENT: u64 = 50;
const CHESS960_PERCENT: u64 = 30;
/// The number of the ordinary start position.
pub const ORDINARY: u16 = 518;
/// The fewest random moves (plies) of an opening, and how many more there may be.
const FEWEST_MOVES: u64 = 4;
const MORE_MOVES: u64 = 2;
/// How often an opening may end in a bad position before its start is given up.
const TRIES: usize = 100;

/// The numbers of White's and Black's start position: half of them double Fischer random, three
/// tenths Chess960, and a fifth ordinary chess.
pub fn random_start(random: &mut Random) -> (u16, u16) {
    let number = |random: &mut Random| random.below(u64::from(START_POSITIONS)) as u16;
    let kind = random.below(100);
    if kind < DOUBLE_PERCENT {
        (number(random), number(random))
    } else if kind < DOUBLE_PERCENT + CHESS960_PERCENT {
        let both = number(random);
        (both, both)
    } else {
        (ORDINARY, ORDINARY)
    }
}

/// Four to six random moves on from `start`; not to the end of the game, nor to where it can end at
/// once. `None` if no such line is found.
pub fn random_opening(start: &Position, random: &mut Random) -> Option<Position> {
    (0..TRIES).find_map(|_| {
        let moves = FEWEST_MOVES + random.below(MORE_MOVES + 1);
        let mut position = start.clone();
        for _ in 0..moves {
            let m = random.pick(&position.legal_moves())?;
            position = position.play(m);
        }
        is_playable(&position).then_some(position)
    })
}

/// Whether a game can begin here: it is not over, and no move ends it at once.
pub fn is_playable(position: &Position) -> bool {
    let moves = position.legal_moves();
    let mates = |&m: &Move| {
        let after = position.play(m);
        after.in_check() && after.legal_moves().is_empty()
    };
    !moves.is_empty() && !position.is_insufficient_material() && !moves.iter().any(mates)
}

/// A small generator of random numbers, the same on every machine.
///
/// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators"
/// (2014), with the constants of S. Vigna's splitmix64, which is in the public domain.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The random numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 random bits.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number from 0 to `end - 1`; 0 if `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// One of `choices`, or `None` if there are none.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        choices
            .get(self.below(choices.len() as u64) as usize)
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::fen;

    #[test]
    fn positions_next_to_mate_are_not_playable() {
        for fen in [
            // Mate in one, stalemate, mate, bare kings.
            "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
            "7k/8/6K1/8/8/8/8/8 b - - 0 1",
        ] {
            let position = fen::read(fen).expect(fen).position;
            assert!(!is_playable(&position), "{fen}");
        }
    }
}
