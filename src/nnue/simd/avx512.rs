//! 512-bit registers of x86-64, with the operations on 16-bit numbers (BW).

use std::arch::x86_64::*;

use super::{super::architecture::QA, kernels};

type Vector = __m512i;
type Sums = __m512i;
const LANES: usize = 32;

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn load(part: &[i16; LANES]) -> Vector {
    // SAFETY: reads the 64 bytes of `part`, at any alignment.
    unsafe { _mm512_loadu_si512(part.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store(part: &mut [i16; LANES], numbers: Vector) {
    // SAFETY: writes the 64 bytes of `part`, at any alignment.
    unsafe { _mm512_storeu_si512(part.as_mut_ptr().cast(), numbers) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm512_add_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn subtract(a: Vector, b: Vector) -> Vector {
    _mm512_sub_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn zero() -> Sums {
    _mm512_setzero_si512()
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn add_weighted(sums: Sums, neurons: Vector, weights: Vector) -> Sums {
    let floored = _mm512_max_epi16(neurons, zero());
    let clipped = _mm512_min_epi16(floored, _mm512_set1_epi16(QA as i16));
    let weighted = _mm512_mullo_epi16(clipped, weights);
    _mm512_add_epi32(sums, _mm512_madd_epi16(weighted, clipped))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn total(sums: Sums) -> i32 {
    _mm512_reduce_add_epi32(sums)
}

kernels!(#[target_feature(enable = "avx512f,avx512bw")]);
