//! The shape and the number formats of the network: (768 -> [`HIDDEN`]) x 2 perspectives -> 1.
//!
//! The hidden layer is a squared clipped ReLU: `clamp(x, 0, 1)` squared. Of the output layer there
//! are [`BUCKETS`], one for each range of the number of men. All numbers are integers: a real
//! number `x` of the input layer is held as `x * QA`, a weight of the output layer as `x * QB`.

/// Inputs of one perspective: 12 kinds of pieces on 64 squares.
pub const INPUTS: usize = 768;

/// Hidden neurons of one perspective that the program plays with; a [width](is_width).
pub const HIDDEN: usize = 256;

/// Hidden neurons come by so many, which is what the widest registers hold.
pub const WIDTH_STEP: usize = 32;

/// The most hidden neurons that a network's file may have.
pub const MOST_HIDDEN: usize = 4096;

/// Output layers, chosen by the number of men.
pub const BUCKETS: usize = 8;

/// What 1.0 is in the input layer's weights and biases, and so in an accumulator.
pub const QA: i32 = 255;

/// What 1.0 is in the output layer's weights. Its biases are in `QA * QB`.
pub const QB: i32 = 64;

/// An output of 1.0 in units of evaluation. What a unit is worth, `src/learn/trainer/scale.rs` says.
pub const SCALE: i32 = 240;

/// The greatest evaluation, either way.
pub const LIMIT: i32 = 19_999;

/// The greatest output weight, either way, whose product with a clipped neuron fits in 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = i16::MAX / QA as i16;

/// The greatest output bias, either way: with it no evaluation leaves 32 bits. It stands for an
/// output of 32.0.
pub const MAX_OUTPUT_BIAS: i32 = 32 * QA * QB;

/// The men that a legal position can have.
pub const MAX_MEN: usize = 32;

const _: () = assert!(is_width(HIDDEN));
const _: () = assert!(
    (i32::MAX / QA + MAX_OUTPUT_BIAS) as i64 * SCALE as i64 <= i32::MAX as i64,
    "the largest sum with the largest bias is an evaluation"
);

/// Whether a network can have so many hidden neurons.
pub const fn is_width(hidden: usize) -> bool {
    hidden > 0 && hidden <= MOST_HIDDEN && hidden.is_multiple_of(WIDTH_STEP)
}

/// The output layer for a number of men: 2 to 5 men have the first, 30 to 32 the last.
#[inline]
pub const fn bucket(men: usize) -> usize {
    let bucket = men.saturating_sub(2) / 4;
    if bucket < BUCKETS {
        bucket
    } else {
        BUCKETS - 1
    }
}

/// The evaluation that the weighted sum of the squared neurons stands for, in units of
/// [`SCALE`] / 1.0, from the side whose neurons came first.
#[inline]
pub const fn evaluation(sum: i32, bias: i32) -> i32 {
    (sum / QA + bias) * SCALE / (QA * QB)
}

/// What tells networks of `hidden` neurons from those of another shape, number format or meaning of
/// the inputs.
pub const fn hash(hidden: usize) -> u64 {
    // Changes by hand when the inputs or the arithmetic change, but no constant does.
    const MEANING: u64 = 1;
    let facts = [
        MEANING,
        INPUTS as u64,
        hidden as u64,
        BUCKETS as u64,
        QA as u64,
        QB as u64,
        SCALE as u64,
    ];
    let mut hash = FNV_OFFSET;
    let mut at = 0;
    while at < facts.len() {
        hash = fnv1a(hash, &facts[at].to_le_bytes());
        at += 1;
    }
    hash
}

/// Where a hash of [`fnv1a`] begins.
pub(super) const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// Goes on with a hash over more bytes. Two texts of one length that differ in one byte never have
/// the same hash.
///
/// Source: the FNV-1a hash of G. Fowler, L. C. Noll and K.-P. Vo, in the public domain.
pub(super) const fn fnv1a(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_men_has_its_bucket() {
        let last_men: Vec<usize> = (0..BUCKETS)
            .map(|wanted| {
                (2..=32)
                    .rfind(|&men| bucket(men) == wanted)
                    .expect("a bucket is used")
            })
            .collect();
        assert_eq!(last_men, [5, 9, 13, 17, 21, 25, 29, 32]);
        assert_eq!([0, 1, 64].map(bucket), [0, 0, BUCKETS - 1]);
    }

    #[test]
    fn an_output_of_one_is_the_scale() {
        assert_eq!(evaluation(QA * QA * QB, 0), SCALE);
        assert_eq!(evaluation(-QA * QA * QB, 0), -SCALE);
        assert_eq!(evaluation(0, QA * QB / 2), SCALE / 2);
        for sum in [i32::MIN, i32::MAX] {
            evaluation(sum, sum.signum() * MAX_OUTPUT_BIAS);
        }
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv1a(FNV_OFFSET, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(FNV_OFFSET, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(FNV_OFFSET, b"foobar"), 0x8594_4171_f739_67e8);
    }
}
