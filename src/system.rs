//! The little that differs between systems, each with a plain fallback.

#[cfg(target_os = "linux")]
mod memory;

#[cfg(unix)]
use std::sync::atomic::AtomicBool;
use std::{collections::TryReserveError, io, sync::atomic::AtomicU64, thread};

use crossbeam::channel::{Sender, bounded};
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
    /// When the system refuses, or has [no room](room_for) for anything else then; nothing is
    /// allocated then.
    pub fn zeroed(bytes: usize) -> io::Result<SharedMemory> {
        let map = MmapRaw::from(MmapMut::map_anon(bytes)?);
        room_for(0)?;
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

/// Bytes that are left for the small things which end the program if they can't be had.
const RESERVE: usize = 8 << 20;

/// Whether the system would give us `bytes` bytes of addresses, and a reserve besides. It may still
/// not have the memory behind them, see [`available_memory`].
///
/// # Errors
/// The system's, when it would not.
pub fn room_for(bytes: usize) -> io::Result<()> {
    MmapMut::map_anon(bytes.saturating_add(RESERVE)).map(drop)
}

/// Bytes of stack for a thread that doesn't search.
pub const SMALL_STACK: usize = 2 << 20;

/// Dropped by a thread when it has begun.
pub type Begun = Sender<()>;

/// Starts a thread of `stack` bytes of stack by `spawn`, and waits until that has begun.
///
/// A thread that can't have what the language sets up for it would end the program. So there has to
/// be room for that, and no two threads begin at once, for they could take it from each other.
///
/// # Errors
/// When there is no room, or the system gives no thread.
pub fn start_thread<H>(
    stack: usize,
    spawn: impl FnOnce(thread::Builder, Begun) -> io::Result<H>,
) -> io::Result<H> {
    room_for(stack)?;
    let (begun, begins) = bounded(0);
    let thread = spawn(thread::Builder::new().stack_size(stack), begun)?;
    // Nothing is ever sent: this returns when the other end is dropped.
    let _ = begins.recv();
    Ok(thread)
}

/// A table of `len` values that `make` makes.
///
/// # Errors
/// When the memory can't be had, where a plain `Box` or `Vec` would end the program.
pub fn table<T>(len: usize, make: impl FnMut() -> T) -> Result<Box<[T]>, TryReserveError> {
    let mut table = Vec::new();
    table.try_reserve_exact(len)?;
    table.resize_with(len, make);
    Ok(table.into_boxed_slice())
}

/// The same where the length is known to the compiler.
///
/// # Errors
/// Those of [`table`].
pub fn array<T, const LEN: usize>(
    make: impl FnMut() -> T,
) -> Result<Box<[T; LEN]>, TryReserveError> {
    let array = table(LEN, make)?.try_into();
    Ok(array.unwrap_or_else(|_| unreachable!("it was made that long")))
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

/// Has a write beyond the greatest size of a file (`ulimit -f`) fail like any other, where the system
/// would end the program by a signal.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGXFSZ, flag};
        // Nobody asks for it.
        static EXCEEDED: AtomicBool = AtomicBool::new(false);
        // Where the signal can't be handled, all is as it would be.
        let _ = flag::register(SIGXFSZ, &EXCEEDED);
    }
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
