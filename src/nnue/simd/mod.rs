//! The inner loops of the network, once for each set of instructions, chosen at run time.
//!
//! All do the same integer arithmetic, wrapping in 16 or 32 bits, so they agree to the last bit on
//! any numbers whatsoever. A file names the registers and operations of its instructions; the loops
//! over them are written once, in [`kernels`].

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod plain;
#[cfg(target_arch = "x86_64")]
mod sse41;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use super::architecture::HIDDEN;

/// One perspective's hidden neurons, or what an input adds to them; whole cache lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Row(pub [i16; HIDDEN]);

impl Row {
    /// All zeros.
    pub const ZERO: Row = Row([0; HIDDEN]);

    /// The part that the `at`th register of `LANES` numbers holds.
    #[inline]
    fn part<const LANES: usize>(&self, at: usize) -> &[i16; LANES] {
        &self.0.as_chunks().0[at]
    }

    #[inline]
    fn part_mut<const LANES: usize>(&mut self, at: usize) -> &mut [i16; LANES] {
        &mut self.0.as_chunks_mut().0[at]
    }
}

/// The loops over a row's registers, with the `Vector`, `LANES` and operations of the file that it
/// is used in. Attributes say what instructions they are compiled with.
macro_rules! kernels {
    ($(#[$attribute:meta])*) => {
        use super::{super::architecture::HIDDEN, Row};

        $(#[$attribute])*
        pub(super) fn update<const ADD: usize, const SUB: usize>(
            from: &Row,
            to: &mut Row,
            added: [&Row; ADD],
            removed: [&Row; SUB],
        ) {
            for at in 0..HIDDEN / LANES {
                let mut sums = load(from.part(at));
                for row in added {
                    sums = add(sums, load(row.part(at)));
                }
                for row in removed {
                    sums = subtract(sums, load(row.part(at)));
                }
                store(to.part_mut(at), sums);
            }
        }

        $(#[$attribute])*
        pub(super) fn refresh(row: &mut Row, added: &[&Row], removed: &[&Row]) {
            for at in 0..HIDDEN / LANES {
                let mut sums = load(row.part(at));
                for row in added {
                    sums = add(sums, load(row.part(at)));
                }
                for row in removed {
                    sums = subtract(sums, load(row.part(at)));
                }
                store(row.part_mut(at), sums);
            }
        }

        $(#[$attribute])*
        pub(super) fn output(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
            let mut sums = zero();
            for (neurons, weights) in [us, them].into_iter().zip(weights) {
                for at in 0..HIDDEN / LANES {
                    sums = add_weighted(sums, load(neurons.part(at)), load(weights.part(at)));
                }
            }
            total(sums)
        }
    };
}
use kernels;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Sse41,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Plain,
}

impl Level {
    /// From the fastest to the slowest.
    const ALL: &[Level] = &[
        #[cfg(target_arch = "x86_64")]
        Level::Avx512,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2,
        #[cfg(target_arch = "x86_64")]
        Level::Sse41,
        #[cfg(target_arch = "aarch64")]
        Level::Neon,
        Level::Plain,
    ];

    fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw")
            }
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Level::Sse41 => is_x86_feature_detected!("sse4.1"),
            #[cfg(target_arch = "aarch64")]
            Level::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            Level::Plain => true,
        }
    }
}

/// A set of instructions that this machine has.
// Only made by `available`, which is what the unsafe calls below stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simd(Level);

/// Calls the kernel of a level.
macro_rules! dispatch {
    ($simd:expr, $kernel:ident($($argument:expr),*)) => {
        match $simd.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Simd` of this level is only made where the machine has AVX-512 F and BW.
            Level::Avx512 => unsafe { avx512::$kernel($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Simd` of this level is only made where the machine has AVX2.
            Level::Avx2 => unsafe { avx2::$kernel($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Simd` of this level is only made where the machine has SSE4.1.
            Level::Sse41 => unsafe { sse41::$kernel($($argument),*) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: a `Simd` of this level is only made where the machine has NEON.
            Level::Neon => unsafe { neon::$kernel($($argument),*) },
            Level::Plain => plain::$kernel($($argument),*),
        }
    };
}

impl Simd {
    /// What this machine has, from the fastest to the slowest; plain Rust is always there.
    pub fn available() -> Vec<Simd> {
        let levels = Level::ALL.iter().copied();
        levels
            .filter(|level| level.is_available())
            .map(Simd)
            .collect()
    }

    /// The fastest that this machine has.
    pub fn best() -> Simd {
        static BEST: LazyLock<Simd> = LazyLock::new(|| Simd::available()[0]);
        *BEST
    }

    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Level::Sse41 => "SSE4.1",
            #[cfg(target_arch = "aarch64")]
            Level::Neon => "NEON",
            Level::Plain => "plain",
        }
    }

    /// Writes `from` with some rows added and some subtracted into `to`, in one pass.
    #[inline]
    pub(super) fn update<const ADD: usize, const SUB: usize>(
        self,
        from: &Row,
        to: &mut Row,
        added: [&Row; ADD],
        removed: [&Row; SUB],
    ) {
        dispatch!(self, update(from, to, added, removed))
    }

    /// Adds and subtracts any number of rows.
    #[inline]
    pub(super) fn refresh(self, row: &mut Row, added: &[&Row], removed: &[&Row]) {
        dispatch!(self, refresh(row, added, removed))
    }

    /// The sum over both rows of neurons, clipped to 0 to [`QA`](super::architecture::QA), squared
    /// and weighted.
    #[inline]
    pub(super) fn output(self, us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
        dispatch!(self, output(us, them, weights))
    }
}
