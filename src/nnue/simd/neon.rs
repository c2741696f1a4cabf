//! 128-bit registers of AArch64, every one of which has them.

use std::arch::aarch64::*;

use super::{super::architecture::QA, kernels};

type Vector = int16x8_t;
type Sums = int32x4_t;
const LANES: usize = 8;

#[inline]
#[target_feature(enable = "neon")]
fn load(part: &[i16; LANES]) -> Vector {
    // SAFETY: reads the 16 bytes of `part`, at any alignment.
    unsafe { vld1q_s16(part.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn store(part: &mut [i16; LANES], numbers: Vector) {
    // SAFETY: writes the 16 bytes of `part`, at any alignment.
    unsafe { vst1q_s16(part.as_mut_ptr(), numbers) }
}

#[inline]
#[target_feature(enable = "neon")]
fn add(a: Vector, b: Vector) -> Vector {
    vaddq_s16(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn subtract(a: Vector, b: Vector) -> Vector {
    vsubq_s16(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn zero() -> Sums {
    vdupq_n_s32(0)
}

#[inline]
#[target_feature(enable = "neon")]
fn add_weighted(sums: Sums, neurons: Vector, weights: Vector) -> Sums {
    let clipped = vminq_s16(vmaxq_s16(neurons, vdupq_n_s16(0)), vdupq_n_s16(QA as i16));
    let weighted = vmulq_s16(clipped, weights);
    let sums = vmlal_s16(sums, vget_low_s16(weighted), vget_low_s16(clipped));
    vmlal_high_s16(sums, weighted, clipped)
}

#[inline]
#[target_feature(enable = "neon")]
fn total(sums: Sums) -> i32 {
    vaddvq_s32(sums)
}

kernels!(#[target_feature(enable = "neon")]);
