//! An order for every epoch that takes no memory.

use crate::tools::openings::Random;

/// How often the numbers are mixed.
const ROUNDS: usize = 4;
/// Odd, so that multiplying by it modulo a power of two can be undone.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// All numbers below a count in a random order, each computed from its place alone.
///
/// Numbers of so many bits as the count needs are permuted by steps of which each can be undone:
/// additions and multiplications carry upwards, shifts downwards. What falls beyond the count is
/// permuted again until it doesn't.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    count: u64,
    mask: u64,
    shift: u32,
    keys: [u64; ROUNDS],
}

impl Order {
    /// The order of `count` numbers that belongs to the seed and the epoch.
    pub fn new(count: usize, seed: u64, epoch: usize) -> Order {
        let mut random = Random::new(Random::new(seed).next() ^ epoch as u64);
        let bits = u64::BITS - (count as u64).saturating_sub(1).leading_zeros();
        Order {
            count: count as u64,
            mask: 1_u64.checked_shl(bits).map_or(u64::MAX, |end| end - 1),
            shift: bits.div_ceil(2).max(1),
            keys: [(); ROUNDS].map(|()| random.next()),
        }
    }

    /// The number at a place, which is below the count as the number is.
    #[inline]
    pub fn at(&self, place: usize) -> usize {
        let mut number = place as u64;
        loop {
            for key in self.keys {
                number = number.wrapping_add(key).wrapping_mul(FACTOR) & self.mask;
                number ^= number >> self.shift;
            }
            if number < self.count {
                return number as usize;
            }
        }
    }
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
        for count in [1, 2, 3, 7, 8, 9, 1000, 1024, 1025] {
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
