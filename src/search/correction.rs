//! Correction histories: how far the evaluation has been off in positions like this one.
//!
//! "Like" is by pawns, major and minor pieces, each colour's pieces, and the last moves.

use std::collections::TryReserveError;

use arrayvec::ArrayVec;
use shakmaty::Color;

use super::{history::PieceTo, params};
use crate::{position::Position, system};

const BUCKETS: usize = 16_384;
const LIMIT: i32 = 1024;
/// The weights' sum of corrections is multiplied by this and divided by [`DIVISOR`].
const MULTIPLIER: i32 = 12;
const DIVISOR: i32 = 0x40000;
const GREATEST_UPDATE: i32 = 256;

type Buckets = Box<[[i16; BUCKETS]; 2]>;

static NO_CORRECTIONS: [i16; BUCKETS] = [0; BUCKETS];

const PAWNS: usize = 0;
const MAJORS: usize = 1;
const MINORS: usize = 2;
const WHITE_PIECES: usize = 3;
const BLACK_PIECES: usize = 4;
const AFTER_TWO: usize = 5;
const AFTER_FOUR: usize = 6;
const TABLES: usize = 7;

/// The moves one, two and four plies before a node.
pub type LastMoves = [PieceTo; 3];

/// The tables of one thread: 448 KiB.
#[derive(Debug)]
pub struct Corrections {
    tables: [Buckets; TABLES],
}

fn move_bucket(a: PieceTo, b: PieceTo) -> usize {
    (usize::from(a) * 769 + usize::from(b)).wrapping_mul(0x9e37_79b1) >> 7 & (BUCKETS - 1)
}

/// The buckets of the tables that look at the board, which are the first.
fn board_buckets(position: &Position) -> [usize; AFTER_TWO] {
    let keys = position.keys();
    let bucket = |key: u64| key as usize % BUCKETS;
    let mut all = [0; AFTER_TWO];
    all[PAWNS] = bucket(keys.pawns);
    all[MAJORS] = bucket(keys.majors);
    all[MINORS] = bucket(keys.minors);
    all[WHITE_PIECES] = bucket(keys.non_pawns[0]);
    all[BLACK_PIECES] = bucket(keys.non_pawns[1]);
    all
}

fn buckets(position: &Position, last: LastMoves) -> [usize; TABLES] {
    let mut all = [0; TABLES];
    all[..AFTER_TWO].copy_from_slice(&board_buckets(position));
    all[AFTER_TWO] = move_bucket(last[0], last[1]);
    all[AFTER_FOUR] = move_bucket(last[0], last[2]);
    all
}

fn side(color: Color) -> usize {
    usize::from(color.is_black())
}

impl Corrections {
    /// Tables of zeros.
    ///
    /// # Errors
    /// When the memory can't be had.
    pub fn new() -> Result<Corrections, TryReserveError> {
        let tables = (0..TABLES).map(|_| system::array(|| NO_CORRECTIONS));
        let tables: ArrayVec<Buckets, TABLES> = tables.collect::<Result<_, _>>()?;
        let tables = tables.into_inner();
        Ok(Corrections {
            tables: tables.unwrap_or_else(|_| unreachable!("there are as many")),
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        for table in &mut self.tables {
            table.fill(NO_CORRECTIONS);
        }
    }

    /// Asks for what [`Corrections::correction`] will read of the board, which is seldom in a near
    /// cache.
    #[inline]
    pub fn prefetch(&self, position: &Position) {
        let us = side(position.turn());
        for (bucket, table) in board_buckets(position).into_iter().zip(&self.tables) {
            system::prefetch(&table[us][bucket]);
        }
    }

    /// What to add to the raw evaluation of `position`, in centipawns.
    pub fn correction(&self, position: &Position, last: LastMoves) -> i32 {
        let weights = [
            params::correction_pawns(),
            params::correction_majors(),
            params::correction_minors(),
            params::correction_non_pawns(),
            params::correction_non_pawns(),
            params::correction_continuation(),
            params::correction_continuation(),
        ];
        let us = side(position.turn());
        let sum: i32 = buckets(position, last)
            .into_iter()
            .zip(&self.tables)
            .zip(weights)
            .map(|((bucket, table), weight)| weight * i32::from(table[us][bucket]))
            .sum();
        sum * MULTIPLIER / DIVISOR
    }

    /// Learns that a search to `depth` found the evaluation of `position` too low by `difference`.
    pub fn update(&mut self, position: &Position, last: LastMoves, depth: i32, difference: i32) {
        let bonus = (difference * depth / 8).clamp(-GREATEST_UPDATE, GREATEST_UPDATE);
        let us = side(position.turn());
        for (bucket, table) in buckets(position, last).into_iter().zip(&mut self.tables) {
            let value = &mut table[us][bucket];
            let old = i32::from(*value);
            *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_learns_towards_the_difference_and_stays_bounded() {
        let position = Position::startpos();
        let mut corrections = Corrections::new().expect("memory");
        assert_eq!(corrections.correction(&position, [768; 3]), 0);
        let mut last = 0;
        for _ in 0..50 {
            corrections.update(&position, [768; 3], 12, 80);
            let now = corrections.correction(&position, [768; 3]);
            assert!(now >= last);
            last = now;
        }
        assert!(last > 100 && last < 700);
        for _ in 0..100 {
            corrections.update(&position, [768; 3], 12, -80);
        }
        assert!(corrections.correction(&position, [768; 3]) < -100);
    }
}
