//! The little that differs between systems, each with a plain fallback.

#[cfg(target_os = "linux")]
mod memory;

use std::{io, sync::atomic::AtomicU64};

use memmap2::{MmapMut, MmapRaw};

/// Zeroed memory shared between threads as atomic words, in large pages where the system offers
/// them. It costs nothing before it is touched.
#[derive(Debug)]
pub struct SharedMemory {
    // A raw map, for no reference to plain bytes may exist beside the words.
    map: MmapRaw,
}

impl SharedMemory {
    /// Asks the system for `bytes` bytes.
    ///
    /// # Errors
    /// When the system refuses; nothing is allocated then.
    pub fn zeroed(bytes: usize) -> io::Result<SharedMemory> {
        let map = MmapRaw::from(MmapMut::map_anon(bytes)?);
        // Advice only: where it is refused, the pages are small and everything still works. Miri
        // knows no advice.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(SharedMemory { map })
    }

    /// The memory as words.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the map is page-aligned, lives as long as `self`, is never handed out in any
        // other form, and every bit pattern is a valid AtomicU64.
        unsafe {
            std::slice::from_raw_parts(
                self.map.as_mut_ptr().cast::<AtomicU64>(),
                self.map.len() / 8,
            )
        }
    }
}

/// Bytes that can be had without driving the system, or a group of processes that we are limited
/// with, out of memory: a fiftieth, and at least 32 MiB of what is free, or half of it if that is
/// less, are left for everything else. `None` where the system doesn't say.
pub fn available_memory() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        memory::available(|path| std::fs::read_to_string(path).ok()).map(without_reserve)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(target_os = "linux")]
fn without_reserve(free: u64) -> u64 {
    free - (free / 50).max(32 << 20).min(free / 2)
}

/// Tells the processor that `value` will be read soon.
#[inline]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults, and SSE is part of every x86-64.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::without_reserve;

    #[test]
    fn a_part_of_what_is_free_stays_free() {
        const MIB: u64 = 1 << 20;
        assert_eq!(without_reserve(10_000 * MIB), 9800 * MIB);
        assert_eq!(without_reserve(1000 * MIB), 968 * MIB);
        assert_eq!(without_reserve(40 * MIB), 20 * MIB);
        assert_eq!(without_reserve(0), 0);
    }
}
