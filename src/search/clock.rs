//! From limits to the moments at which to stop.

use std::{fmt, time::Duration};

use shakmaty::Color;

use super::Limits;

/// How long a move may take, counted from the start of our clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clock {
    /// The time to aim for, before what the search learns scales it.
    pub soft: Option<Duration>,
    /// The time never to exceed.
    pub hard: Option<Duration>,
}

/// Moves that the remaining time is spread over when the GUI doesn't say.
const MOVES_LEFT: f64 = 24.0;
/// The share of the increment that a move may count on.
const INCREMENT_SHARE: f64 = 0.94;
/// The share of a move's fair part that is aimed for.
const SOFT_SHARE: f64 = 0.73;
/// The share of the remaining time that one move may take at the most.
const HARD_SHARE: f64 = 0.46;
/// The same when almost no time is left: a busy machine may keep us waiting for longer than that.
const LEAST_HARD_SHARE: f64 = 0.2;
/// Milliseconds left from which on [`HARD_SHARE`] holds in full.
const COMFORTABLE: f64 = 1000.0;
/// The share of the remaining time that counts as usable when the overhead leaves less of it.
const LAST_SHARE: f64 = 0.125;

impl Clock {
    /// The times for a move of `turn`, keeping `overhead` back for the way between engine and GUI.
    ///
    /// A clock that is missing for the side to move is taken to be the other side's; an increment
    /// alone is taken for a clock.
    pub fn new(limits: &Limits, turn: Color, overhead: Duration) -> Clock {
        let overhead = overhead.as_secs_f64() * 1000.0;
        let mut clock = Clock::default();
        let own = |times: &shakmaty::ByColor<Option<i64>>| *times.get(turn);
        let other = |times: &shakmaty::ByColor<Option<i64>>| *times.get(!turn);
        let time = own(&limits.time)
            .or(other(&limits.time))
            .or(own(&limits.increment))
            .or(other(&limits.increment));
        if let Some(time) = time {
            let time = time.max(0) as f64;
            let increment = own(&limits.increment).unwrap_or(0).max(0) as f64;
            let usable = (time - overhead).max(time * LAST_SHARE);
            let moves = limits
                .moves_to_go
                .map_or(MOVES_LEFT, |moves| f64::from(moves).clamp(2.0, MOVES_LEFT));
            let comfort = (usable / COMFORTABLE).min(1.0);
            let hard = usable * (LEAST_HARD_SHARE + (HARD_SHARE - LEAST_HARD_SHARE) * comfort);
            let soft = SOFT_SHARE * (usable / moves + INCREMENT_SHARE * increment);
            clock.hard = Some(milliseconds(hard));
            clock.soft = Some(milliseconds(soft.min(hard)));
        }
        if let Some(time) = limits.move_time {
            let time = time.max(0) as f64;
            let fixed = milliseconds(time - overhead.min(time / 4.0));
            clock.hard = Some(clock.hard.map_or(fixed, |hard| hard.min(fixed)));
        }
        clock
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(soft) = self.soft {
            write!(f, "{} ms to aim for, ", soft.as_millis())?;
        }
        match self.hard {
            Some(hard) => write!(f, "{} ms at most", hard.as_millis()),
            None => f.write_str("no limit"),
        }
    }
}

fn milliseconds(ms: f64) -> Duration {
    Duration::from_secs_f64(ms / 1000.0)
}

/// What an iteration taught about how long to think.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// Iterations in a row with the same best move.
    pub stable_iterations: usize,
    /// Times the last iteration failed low.
    pub fail_lows: usize,
    /// The share of all nodes spent on the best move, 0 to 1.
    pub best_move_share: f64,
    /// How far the score fell since the last iteration, in centipawns.
    pub score_drop: i32,
    /// Whether there is only one legal move.
    pub forced: bool,
}

impl Lesson {
    /// What to multiply the soft time by.
    pub fn scale(&self) -> f64 {
        const STABILITY: [f64; 5] = [2.5, 1.2, 0.9, 0.8, 0.75];
        if self.forced {
            return 0.01;
        }
        let stability = STABILITY[self.stable_iterations.min(STABILITY.len() - 1)];
        let failing = 1.0 + 0.34 * self.fail_lows.min(2) as f64;
        let effort = (1.62 - self.best_move_share) * 1.4;
        let trend = (0.95 + 0.01 * f64::from(self.score_drop)).clamp(0.85, 1.3);
        stability * failing * effort * trend
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::ByColor;

    const OVERHEAD: Duration = Duration::from_millis(25);

    fn limits(white: Option<i64>, increment: Option<i64>, moves_to_go: Option<u32>) -> Limits {
        Limits {
            time: ByColor { white, black: None },
            increment: ByColor {
                white: increment,
                black: None,
            },
            moves_to_go,
            ..Limits::default()
        }
    }

    #[test]
    fn the_hard_limit_never_reaches_the_flag() {
        for time in [
            -50,
            0,
            1,
            10,
            24,
            26,
            100,
            1000,
            60_000,
            10_000_000,
            i64::MAX / 2,
        ] {
            for increment in [None, Some(0), Some(100), Some(1_000_000)] {
                for moves in [None, Some(0), Some(1), Some(40)] {
                    let clock = Clock::new(
                        &limits(Some(time), increment, moves),
                        Color::White,
                        OVERHEAD,
                    );
                    let (soft, hard) = (clock.soft.unwrap(), clock.hard.unwrap());
                    assert!(soft <= hard);
                    let room = (time.max(0) as f64 - 25.0).max(time.max(0) as f64 / 8.0) / 1000.0;
                    assert!(hard.as_secs_f64() <= room * 0.6 + 1e-6, "{time} {hard:?}");
                }
            }
        }
    }

    #[test]
    fn a_missing_clock_is_the_other_sides() {
        let clock = Clock::new(&limits(Some(1000), None, None), Color::Black, OVERHEAD);
        assert_eq!(
            clock,
            Clock::new(&limits(Some(1000), None, None), Color::White, OVERHEAD)
        );
        let increment_only = limits(None, Some(1000), None);
        assert!(
            Clock::new(&increment_only, Color::White, OVERHEAD)
                .hard
                .is_some()
        );
    }

    #[test]
    fn a_fixed_time_has_no_soft_limit_and_binds_a_longer_clock() {
        let fixed = Limits {
            move_time: Some(100),
            ..Limits::default()
        };
        let clock = Clock::new(&fixed, Color::White, OVERHEAD);
        assert_eq!(
            clock,
            Clock {
                soft: None,
                hard: Some(Duration::from_millis(75))
            }
        );
        let both = Limits {
            move_time: Some(100),
            ..limits(Some(60_000), None, None)
        };
        assert_eq!(
            Clock::new(&both, Color::White, OVERHEAD).hard,
            Some(Duration::from_millis(75))
        );
    }

    #[test]
    fn no_clock_means_no_limit() {
        assert_eq!(
            Clock::new(&Limits::default(), Color::White, OVERHEAD),
            Clock::default()
        );
    }

    #[test]
    fn doubt_takes_time_and_certainty_saves_it() {
        let calm = Lesson {
            stable_iterations: 6,
            fail_lows: 0,
            best_move_share: 0.9,
            score_drop: 0,
            forced: false,
        };
        let doubt = Lesson {
            stable_iterations: 0,
            fail_lows: 2,
            best_move_share: 0.3,
            ..calm
        };
        assert!(calm.scale() < 1.0 && doubt.scale() > 2.0);
        assert!(
            Lesson {
                score_drop: 30,
                ..calm
            }
            .scale()
                > calm.scale()
        );
        assert!(
            Lesson {
                forced: true,
                ..doubt
            }
            .scale()
                < 0.1
        );
    }
}
