//! How fast lines of analysis are told.
//!
//! The first iterations of a search take microseconds, and in a small tree all of them do; with
//! many lines an iteration that is a flood which no client can show. So a search may tell
//! some lines at once and then a few in a hundredth of a second. What comes faster is held back
//! until its time has come or something newer replaces it; the last that was found is always told.

use std::{
    mem,
    time::{Duration, Instant},
};

use crate::search::{Info, ScoreBound};

/// Lines that may be told at once.
const BURST: u32 = 64;
/// The time after which there may be another.
const INTERVAL: Duration = Duration::from_millis(2);

/// The lines of one search on their way out.
#[derive(Debug)]
pub(super) struct Pace {
    /// When all lines told so far will be paid for, at one an interval.
    paid: Instant,
    /// How many lines an iteration has.
    lines: usize,
    /// Those of the iteration that is coming in.
    incoming: Vec<Info>,
    /// Those of an iteration that came too early.
    held: Vec<Info>,
    /// Whether an iteration has been told.
    told: bool,
}

impl Pace {
    /// For a search that begins at `now` and has `lines` lines in an iteration.
    pub fn new(now: Instant, lines: usize) -> Pace {
        Pace {
            paid: now,
            lines,
            incoming: Vec::new(),
            held: Vec::new(),
            told: false,
        }
    }

    fn admits(&self, now: Instant) -> bool {
        self.paid <= now + INTERVAL * BURST
    }

    fn count(&mut self, lines: usize, now: Instant) {
        // No search tells more lines than fit.
        self.paid = self.paid.max(now) + INTERVAL * lines as u32;
    }

    /// Whether one line more may be told at `now`; if so, it is counted.
    pub fn admits_one(&mut self, now: Instant) -> bool {
        let admitted = self.admits(now);
        if admitted {
            self.count(1, now);
        }
        admitted
    }

    /// Takes a line that is found at `now` and returns those to tell: an iteration's lines
    /// together or not at all.
    pub fn take(&mut self, info: Info, now: Instant) -> Vec<Info> {
        if info.bound != ScoreBound::Exact {
            // Passing news: late, they are worth nothing.
            if !self.admits_one(now) {
                return Vec::new();
            }
            let mut lines = self.release(now);
            lines.push(info);
            return lines;
        }
        if info.multipv == 1 {
            self.incoming.clear();
        }
        self.incoming.push(info);
        if self.incoming.len() < self.lines {
            return Vec::new();
        }
        self.held = mem::take(&mut self.incoming);
        if self.admits(now) {
            self.release(now)
        } else {
            Vec::new()
        }
    }

    /// When to ask for what is held back, if anything is.
    pub fn due(&self) -> Option<Instant> {
        let waits = !self.held.is_empty();
        waits.then(|| self.paid.checked_sub(INTERVAL * BURST))?
    }

    /// Lets go what is held back.
    pub fn release(&mut self, now: Instant) -> Vec<Info> {
        self.told |= !self.held.is_empty();
        self.count(self.held.len(), now);
        mem::take(&mut self.held)
    }

    /// Lets go the last that there is to tell when the search ends at `now`. A part of an iteration
    /// is better than nothing, but not than a whole one before it.
    pub fn finish(&mut self, now: Instant) -> Vec<Info> {
        let rest = self.release(now);
        if self.told {
            rest
        } else {
            mem::take(&mut self.incoming)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::Score;

    fn info(depth: i32, multipv: usize) -> Info {
        Info {
            depth,
            seldepth: 1,
            multipv,
            score: Score::Centipawns(0),
            bound: ScoreBound::Exact,
            wdl: [0; 3],
            nodes: 1,
            time: Duration::ZERO,
            hashfull: 0,
            tablebase_hits: 0,
            pv: Vec::new(),
        }
    }

    fn depths(lines: &[Info]) -> Vec<i32> {
        lines.iter().map(|line| line.depth).collect()
    }

    #[test]
    fn a_flood_is_held_back_and_its_last_iteration_told() {
        let start = Instant::now();
        let mut pace = Pace::new(start, 3);
        let told = |pace: &mut Pace, depth, now| -> Vec<i32> {
            let ranks = (1..=3).flat_map(|multipv| pace.take(info(depth, multipv), now));
            depths(&ranks.collect::<Vec<_>>())
        };
        let mut lines = 0;
        for depth in 1..=100 {
            let told = told(&mut pace, depth, start);
            assert!([0, 3].contains(&told.len()), "a part of depth {depth}");
            lines += told.len();
        }
        assert!((64..=67).contains(&lines), "{lines}");
        let due = pace.due().expect("lines held back");
        assert!(
            due > start && due <= start + 4 * INTERVAL,
            "{:?}",
            due - start
        );
        assert_eq!(depths(&pace.release(due)), [100; 3]);
        assert_eq!(pace.due(), None);
        // After a while everything is told at once again.
        let later = start + Duration::from_secs(1);
        for depth in 101..121 {
            assert_eq!(told(&mut pace, depth, later), [depth; 3]);
        }
    }

    #[test]
    fn what_is_held_comes_before_a_bound() {
        let start = Instant::now();
        let mut pace = Pace::new(start, 1);
        while pace.admits_one(start) {}
        assert!(pace.take(info(5, 1), start).is_empty());
        let bound = Info {
            bound: ScoreBound::Lower,
            ..info(6, 1)
        };
        assert!(pace.take(bound.clone(), start).is_empty());
        let later = start + Duration::from_secs(1);
        assert_eq!(depths(&pace.take(bound, later)), [5, 6]);
    }

    #[test]
    fn a_part_of_an_iteration_is_told_only_if_there_is_nothing_else() {
        let start = Instant::now();
        let mut pace = Pace::new(start, 2);
        assert!(pace.take(info(1, 1), start).is_empty());
        assert_eq!(depths(&pace.finish(start)), [1]);

        let mut pace = Pace::new(start, 2);
        assert!(pace.take(info(1, 1), start).is_empty());
        assert_eq!(depths(&pace.take(info(1, 2), start)), [1, 1]);
        assert!(pace.take(info(2, 1), start).is_empty());
        assert!(pace.finish(start).is_empty());
    }
}
