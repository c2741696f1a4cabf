//! 128-bit registers of x86-64, for machines without AVX2.

use std::arch::x86_64::*;

use super::{super::architecture::QA, kernels};

type Vector = __m128i;
type Sums = __m128i;
const LANES: usize = 8;

#[inline]
#[target_feature(enable = "sse4.1")]
fn load(part: &[i16; LANES]) -> Vector {
    // SAFETY: reads the 16 bytes of `part`, at any alignment.
    unsafe { _mm_loadu_si128(part.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn store(part: &mut [i16; LANES], numbers: Vector) {
    // SAFETY: writes the 16 bytes of `part`, at any alignment.
    unsafe { _mm_storeu_si128(part.as_mut_ptr().cast(), numbers) }
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm_add_epi16(a, b)
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn subtract(a: Vector, b: Vector) -> Vector {
    _mm_sub_epi16(a, b)
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn zero() -> Sums {
    _mm_setzero_si128()
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn add_weighted(sums: Sums, neurons: Vector, weights: Vector) -> Sums {
    let clipped = _mm_min_epi16(_mm_max_epi16(neurons, zero()), _mm_set1_epi16(QA as i16));
    let weighted = _mm_mullo_epi16(clipped, weights);
    _mm_add_epi32(sums, _mm_madd_epi16(weighted, clipped))
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn total(sums: Sums) -> i32 {
    let halves = _mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums));
    _mm_cvtsi128_si32(_mm_add_epi32(halves, _mm_shuffle_epi32::<1>(halves)))
}

kernels!(#[target_feature(enable = "sse4.1")]);
