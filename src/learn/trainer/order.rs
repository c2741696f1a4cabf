//! An order for every epoch that takes no memory.

use crate::tools::openings::Random;

/// How often both halves of a number are changed.
const ROUNDS: usize = 2;

/// All numbers below a count in a random order, each computed from its place alone.
///
/// A number is a row and a column of a rectangle that is nearly a square and hardly larger than the
/// count. By turns the row is moved on by an amount that the column determines, and the column by one
/// that the row determines: each can be undone, so that no two places have one number. What falls
/// beyond the count is moved again.
///
/// Source: the Feistel network in the form of J. Black and P. Rogaway, "Ciphers with arbitrary finite
/// domains" (2002).
#[derive(Clone, Copy, Debug)]
pub struct Order {
    count: u64,
    rows: u64,
    columns: u64,
    keys: [[u64; 2]; ROUNDS],
}

impl Order {
    /// The order of `count` numbers that belongs to the seed and the epoch.
    pub fn new(count: usize, seed: u64, epoch: usize) -> Order {
        let mut random = Random::new(Random::new(seed).next() ^ epoch as u64);
        let count = (count as u64).max(1);
        let columns = count.isqrt();
        Order {
            count,
            rows: count.div_ceil(columns),
            columns,
            keys: [(); ROUNDS].map(|()| [random.next(), random.next()]),
        }
    }

    /// The number at a place, which is below the count as the number is.
    #[inline]
    pub fn at(&self, place: usize) -> usize {
        let mut number = place as u64;
        loop {
            let (mut row, mut column) = (number / self.columns, number % self.columns);
            for keys in self.keys {
                row = moved(row, amount(column, keys[0], self.rows), self.rows);
                column = moved(column, amount(row, keys[1], self.columns), self.columns);
            }
            number = row * self.columns + column;
            if number < self.count {
                return number as usize;
            }
        }
    }
}

/// An amount below `end`, which is below 2^32, that looks random.
#[inline(always)]
fn amount(from: u64, key: u64, end: u64) -> u64 {
    let mixed = (from ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((mixed >> 32) * end) >> 32
}

#[inline(always)]
fn moved(number: u64, by: u64, end: u64) -> u64 {
    // What falls below zero wraps around to more; a branch would be guessed wrong half of the time.
    let sum = number + by;
    sum.min(sum.wrapping_sub(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(count: usize, seed: u64, epoch: usize) -> Vec<usize> {
        let order = Order::new(count, seed, epoch);
        (0..count).map(|place| order.at(place)).collect()
    }

    #[test]
    fn every_number_has_one_place() {
        for count in [1, 2, 3, 5, 7, 8, 9, 1000, 1023, 1024, 1025] {
            let mut numbers = order(count, 7, 0);
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn every_epoch_has_an_order_of_its_own() {
        let first = order(1000, 7, 0);
        assert_eq!(first, order(1000, 7, 0));
        assert_ne!(first, order(1000, 7, 1));
        assert_ne!(first, order(1000, 8, 0));
    }

    #[test]
    fn neighbours_are_spread_as_chance_would() {
        // The places of each hundred numbers, by tenths of the order: 10 a tenth in the mean.
        const COUNT: usize = 100_000;
        for seed in 0..5 {
            let mut tenths = vec![[0_i32; 10]; COUNT / 100];
            for (place, number) in order(COUNT, seed, 3).into_iter().enumerate() {
                tenths[number / 100][place * 10 / COUNT] += 1;
            }
            let square = |count: &i32| f64::from((count - 10).pow(2)) / 10.0;
            let sum: f64 = tenths.as_flattened().iter().map(square).sum();
            // Nine degrees of freedom a hundred.
            let mean = sum / tenths.len() as f64;
            assert!((8.4..9.6).contains(&mean), "{mean}");
        }
    }
}
