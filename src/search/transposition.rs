//! The transposition table: what earlier searches found, shared by all threads without locks.
//!
//! A cluster is 32 bytes: three entries of eight bytes, and a word that holds their three 16-bit
//! tags. A tag is stored mixed with its entry's data (after R. Hyatt and T. Mann, "A lock-less
//! transposition table implementation for parallel search", 2002), so that an entry torn by
//! two threads writing at once reads as a miss.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
};

use super::score::{self, MATE, MATE_IN_MAX, TABLEBASE_WIN, is_decisive};
use crate::{position::PackedMove, system};

/// What kind of bound an entry's score is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    /// No score, only an evaluation.
    None = 0,
    /// The true score is this or less.
    Upper = 1,
    /// The true score is this or more.
    Lower = 2,
    /// The true score.
    Exact = 3,
}

impl Bound {
    fn from_bits(bits: u64) -> Bound {
        match bits & 3 {
            0 => Bound::None,
            1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        }
    }

    /// Whether a score of this kind says that the true score is at least itself.
    #[inline]
    pub fn is_lower(self) -> bool {
        matches!(self, Bound::Lower | Bound::Exact)
    }

    /// Whether a score of this kind says that the true score is at most itself.
    #[inline]
    pub fn is_upper(self) -> bool {
        matches!(self, Bound::Upper | Bound::Exact)
    }
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move found.
    pub best: PackedMove,
    /// The score from the side to move, mates counted from the root of the asking search;
    /// [`score::NONE`] if there is none.
    pub score: i32,
    /// The raw evaluation, [`score::NONE`] in check.
    pub eval: i32,
    /// The depth it was searched to in plies; 0 for quiescence.
    pub depth: i32,
    /// What the score is.
    pub bound: Bound,
    /// Whether the position was ever on a principal variation.
    pub pv: bool,
}

impl Entry {
    /// Whether the score tells on which side of `beta` the true score is.
    #[inline]
    pub fn settles(&self, beta: i32) -> bool {
        self.score != score::NONE
            && if self.score >= beta {
                self.bound.is_lower()
            } else {
                self.bound.is_upper()
            }
    }
}

const CLUSTER_WORDS: usize = 4;
const ENTRIES: usize = 3;
const AGES: u64 = 32;
/// The smallest page of any system, in words.
const PAGE_WORDS: usize = 4096 / 8;
/// A part of the table for a thread to clear has at least so many words, 4 MiB: less is done before
/// a thread has begun.
const LEAST_PART: usize = 4 << 20 >> 3;
/// Bytes of a table that is there only to have one.
const SMALLEST: usize = 8 * PAGE_WORDS;

/// The table. All methods take `&self`; races cost at most an entry.
#[derive(Debug)]
pub struct Table {
    memory: system::SharedMemory,
    clusters: usize,
    age: AtomicU64,
}

/// The eight bytes of an entry: move 16, score 16, evaluation 16, depth 8, then bound 2, pv 1,
/// age 5.
#[derive(Clone, Copy)]
struct Data(u64);

impl Data {
    fn new(entry: &Entry, age: u64) -> Data {
        Data(
            u64::from(entry.best.bits())
                | u64::from(entry.score as i16 as u16) << 16
                | u64::from(entry.eval as i16 as u16) << 32
                | (entry.depth as u64 & 0xff) << 48
                | (entry.bound as u64) << 56
                | u64::from(entry.pv) << 58
                | age << 59,
        )
    }

    fn entry(self) -> Entry {
        Entry {
            best: PackedMove::from_bits(self.0 as u16),
            score: i32::from((self.0 >> 16) as i16),
            eval: i32::from((self.0 >> 32) as i16),
            depth: self.depth(),
            bound: Bound::from_bits(self.0 >> 56),
            pv: self.0 >> 58 & 1 != 0,
        }
    }

    fn depth(self) -> i32 {
        (self.0 >> 48 & 0xff) as i32
    }

    fn age(self) -> u64 {
        self.0 >> 59
    }

    /// The data's 16 bits that its tag is mixed with.
    fn fold(self) -> u16 {
        (self.0 ^ self.0 >> 16 ^ self.0 >> 32 ^ self.0 >> 48) as u16
    }
}

fn tag_at(tags: u64, slot: usize) -> u16 {
    (tags >> (16 * slot)) as u16
}

impl Table {
    /// An empty table of `mebibytes` MiB.
    ///
    /// # Errors
    /// When the system has not that much memory.
    pub fn new(mebibytes: usize) -> Result<Arc<Table>, String> {
        let bytes = bytes_of(mebibytes)?;
        ensure_room(bytes, 0, system::available_memory())?;
        Table::of(bytes)
    }

    /// Puts an empty table of `mebibytes` MiB in the place of `table`, and has the system provide
    /// its memory now, rather than page by page in the first search. The old one makes room for it,
    /// if nobody else holds it.
    ///
    /// # Errors
    /// When the system has not that much memory. Then the old table stays, or one of its size if
    /// only without it could be tried whether there is enough.
    pub fn replace(table: &mut Arc<Table>, mebibytes: usize) -> Result<(), String> {
        let bytes = bytes_of(mebibytes)?;
        let old_bytes = table.bytes();
        ensure_room(bytes, old_bytes, system::available_memory())?;
        // Memory costs nothing before it is touched, so that two tables may be there for a moment.
        let new = Table::of(bytes).or_else(|_| {
            // Not everywhere: addresses can be short, and some systems count promises.
            *table = Table::of(SMALLEST)?;
            Table::of(bytes)
        });
        let outcome = match new {
            Ok(new) => {
                *table = new;
                Ok(())
            }
            Err(error) if table.bytes() == old_bytes => return Err(error),
            Err(error) => {
                *table = Table::of(old_bytes)
                    .map_err(|again| format!("{error}; nor can the old size be had: {again}"))?;
                Err(error)
            }
        };
        table.settle();
        outcome
    }

    fn of(bytes: usize) -> Result<Arc<Table>, String> {
        let memory = system::SharedMemory::zeroed(bytes).map_err(|error| error.to_string())?;
        let clusters = memory.words().len() / CLUSTER_WORDS;
        Ok(Arc::new(Table {
            memory,
            clusters,
            age: AtomicU64::new(0),
        }))
    }

    fn bytes(&self) -> usize {
        size_of_val(self.memory.words())
    }

    fn cluster(&self, key: u64) -> &[AtomicU64] {
        // Lemire's multiply-and-shift takes the key's high bits; the tag is its low bits.
        let index = ((u128::from(key) * self.clusters as u128) >> 64) as usize;
        &self.memory.words()[index * CLUSTER_WORDS..][..CLUSTER_WORDS]
    }

    /// Asks for the cluster of `key` to be brought near.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        system::prefetch(&self.cluster(key)[0]);
    }

    /// A new search begins: entries of earlier ones are replaced first.
    pub fn new_search(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    /// What is known of the position of `key`, `ply` plies below the root, its halfmove clock at
    /// `halfmoves`.
    ///
    /// A win or loss that an earlier search proved has depth 0: the zero-window searches would take
    /// it at once, while the nodes of the principal variation must prove it anew and can't at the
    /// present depth, so that every iteration is searched again and again and an endgame that more
    /// time should shorten grows longer.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize, halfmoves: u32) -> Option<Entry> {
        let cluster = self.cluster(key);
        let tags = cluster[ENTRIES].load(Relaxed);
        for (slot, word) in cluster[..ENTRIES].iter().enumerate() {
            let data = Data(word.load(Relaxed));
            if data.0 != 0 && tag_at(tags, slot) ^ data.fold() == key as u16 {
                let mut entry = data.entry();
                if is_decisive(entry.score) && data.age() != self.age.load(Relaxed) {
                    entry.depth = 0;
                }
                entry.score = from_table(entry.score, ply, halfmoves);
                return Some(entry);
            }
        }
        None
    }

    /// Stores what was found of the position of `key`, `ply` plies below the root, where it seems
    /// worth more than what it replaces.
    pub fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        let cluster = self.cluster(key);
        let age = self.age.load(Relaxed);
        let tags = cluster[ENTRIES].load(Relaxed);

        let mut victim = 0;
        let mut victim_worth = i32::MAX;
        let mut known = None;
        for (slot, word) in cluster[..ENTRIES].iter().enumerate() {
            let data = Data(word.load(Relaxed));
            if data.0 != 0 && tag_at(tags, slot) ^ data.fold() == key as u16 {
                victim = slot;
                known = Some(data);
                break;
            }
            let worth = if data.0 == 0 {
                i32::MIN
            } else {
                data.depth() - 4 * ((age + AGES - data.age()) % AGES) as i32
            };
            if worth < victim_worth {
                victim_worth = worth;
                victim = slot;
            }
        }

        if let Some(old_data) = known {
            let old = old_data.entry();
            if !entry.best.is_some() {
                entry.best = old.best;
            }
            let age_difference = ((age + AGES - old_data.age()) % AGES) as i32;
            let new_worth = entry.depth
                + entry.bound as i32
                + age_difference * age_difference / 4
                + i32::from(entry.pv);
            let old_worth = old.depth + old.bound as i32;
            let exact_over_bound = entry.bound == Bound::Exact && old.bound != Bound::Exact;
            if !exact_over_bound && 3 * new_worth < 2 * old_worth {
                return;
            }
        }

        entry.score = to_table(entry.score, ply);
        let data = Data::new(&entry, age);
        let shift = 16 * victim;
        let tag = u64::from(key as u16 ^ data.fold()) << shift;
        cluster[victim].store(data.0, Relaxed);
        // Another thread may write another entry's tag here at the same moment; that entry then
        // reads as a miss.
        cluster[ENTRIES].store(tags & !(0xffff << shift) | tag, Relaxed);
    }

    /// How much of the table this search has filled, in thousandths, from a sample.
    pub fn hashfull(&self) -> u32 {
        let age = self.age.load(Relaxed);
        let sample = self.clusters.min(1000);
        let used = self.memory.words()[..sample * CLUSTER_WORDS]
            .chunks_exact(CLUSTER_WORDS)
            .flat_map(|cluster| &cluster[..ENTRIES])
            .map(|word| Data(word.load(Relaxed)))
            .filter(|data| data.0 != 0 && data.age() == age)
            .count();
        (used * 1000 / (sample * ENTRIES)) as u32
    }

    /// Empties the table, with a thread a core if it is large: that is bound by memory, however few
    /// search.
    pub fn clear(&self) {
        self.in_parts(|part| part.iter().for_each(|word| word.store(0, Relaxed)));
        self.age.store(0, Relaxed);
    }

    fn settle(&self) {
        self.in_parts(|part| {
            part.iter()
                .step_by(PAGE_WORDS)
                .for_each(|word| word.store(0, Relaxed));
        });
    }

    fn in_parts(&self, work: impl Fn(&[AtomicU64]) + Sync) {
        let words = self.memory.words();
        if words.len() <= LEAST_PART {
            return work(words);
        }
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let part_words = words.len().div_ceil(threads).max(LEAST_PART);
        let work = &work;
        thread::scope(|scope| {
            for part in words.chunks(part_words) {
                let spawned = system::start_thread(system::SMALL_STACK, |thread, begun| {
                    thread.spawn_scoped(scope, move || {
                        drop(begun);
                        work(part);
                    })
                });
                if spawned.is_err() {
                    work(part);
                }
            }
        });
    }
}

fn bytes_of(mebibytes: usize) -> Result<usize, String> {
    let bytes = mebibytes.max(1).checked_mul(1 << 20);
    bytes.ok_or_else(|| "that is more than this machine can address".to_owned())
}

/// Refuses a table for which there is no room, when `own` bytes of a table that goes can be used
/// besides the `available` ones. The system may promise memory that it hasn't got, and kill whoever
/// then touches it.
fn ensure_room(bytes: usize, own: usize, available: Option<u64>) -> Result<(), String> {
    match available.map(|available| available.saturating_add(own as u64)) {
        Some(room) if bytes as u64 > room => {
            Err(format!("there is memory for {} MiB only", room >> 20))
        }
        _ => Ok(()),
    }
}

/// Mates are stored as distances from their own position, not from the root.
fn to_table(score: i32, ply: usize) -> i32 {
    match score {
        score::NONE => score,
        s if s >= TABLEBASE_WIN => s + ply as i32,
        s if s <= -TABLEBASE_WIN => s - ply as i32,
        s => s,
    }
}

/// The reverse; a mate or tablebase win that the fifty-move rule could cut short counts as less.
fn from_table(score: i32, ply: usize, halfmoves: u32) -> i32 {
    if score == score::NONE || score.abs() < TABLEBASE_WIN {
        return score;
    }
    let plies_left = 100 - halfmoves.min(100) as i32;
    let magnitude = score.abs();
    let distance = if magnitude >= MATE_IN_MAX {
        MATE - magnitude
    } else {
        MATE_IN_MAX - 1 - magnitude
    };
    let seen = if distance > plies_left {
        TABLEBASE_WIN - 1
    } else {
        magnitude - ply as i32
    };
    seen * score.signum()
}

#[cfg(test)]
mod tests;
