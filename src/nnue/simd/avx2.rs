//! 256-bit registers of x86-64.

use std::arch::x86_64::*;

use super::{super::architecture::QA, kernels};

type Vector = __m256i;
type Sums = __m256i;
const LANES: usize = 16;

#[inline]
#[target_feature(enable = "avx2")]
fn load(part: &[i16; LANES]) -> Vector {
    // SAFETY: reads the 32 bytes of `part`, at any alignment.
    unsafe { _mm256_loadu_si256(part.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(part: &mut [i16; LANES], numbers: Vector) {
    // SAFETY: writes the 32 bytes of `part`, at any alignment.
    unsafe { _mm256_storeu_si256(part.as_mut_ptr().cast(), numbers) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm256_add_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn subtract(a: Vector, b: Vector) -> Vector {
    _mm256_sub_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn zero() -> Sums {
    _mm256_setzero_si256()
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_weighted(sums: Sums, neurons: Vector, weights: Vector) -> Sums {
    let floored = _mm256_max_epi16(neurons, zero());
    let clipped = _mm256_min_epi16(floored, _mm256_set1_epi16(QA as i16));
    let weighted = _mm256_mullo_epi16(clipped, weights);
    _mm256_add_epi32(sums, _mm256_madd_epi16(weighted, clipped))
}

#[inline]
#[target_feature(enable = "avx2")]
fn total(sums: Sums) -> i32 {
    let low = _mm256_castsi256_si128(sums);
    let quarters = _mm_add_epi32(low, _mm256_extracti128_si256::<1>(sums));
    let halves = _mm_add_epi32(quarters, _mm_unpackhi_epi64(quarters, quarters));
    _mm_cvtsi128_si32(_mm_add_epi32(halves, _mm_shuffle_epi32::<1>(halves)))
}

kernels!(#[target_feature(enable = "avx2")]);
