//! Plain Rust, for every machine: a register of one number, which the compiler widens as it can.

use super::{super::architecture::QA, kernels};

type Vector = i16;
type Sums = i32;
const LANES: usize = 1;

#[inline]
fn load(part: &[i16; LANES]) -> Vector {
    part[0]
}

#[inline]
fn store(part: &mut [i16; LANES], numbers: Vector) {
    part[0] = numbers;
}

#[inline]
fn add(a: Vector, b: Vector) -> Vector {
    a.wrapping_add(b)
}

#[inline]
fn subtract(a: Vector, b: Vector) -> Vector {
    a.wrapping_sub(b)
}

#[inline]
fn zero() -> Sums {
    0
}

#[inline]
fn add_weighted(sums: Sums, neurons: Vector, weights: Vector) -> Sums {
    let clipped = neurons.clamp(0, QA as i16);
    let weighted = clipped.wrapping_mul(weights);
    sums.wrapping_add(i32::from(weighted) * i32::from(clipped))
}

#[inline]
fn total(sums: Sums) -> i32 {
    sums
}

kernels!();
