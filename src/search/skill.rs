//! Playing weaker than one can, as a person does.
//!
//! A weakened search looks at fewer nodes, and at the few best moves rather than at the best alone.
//! Then it takes one of them: most often the best, a slightly worse one quite often, one that loses
//! a piece hardly ever. That is the logit rule of discrete choice (R. D. Luce, "Individual Choice
//! Behavior", 1959): a move that is worse by `s` is `exp(-s / temperature)` times as likely. What is
//! seen to win by force is always played, so mate in one is never missed, and so is the way to mate
//! a bare king.
//!
//! The budget is in nodes, so a level means the same on a slow machine and a fast one, in blitz and
//! with hours to think, as long as the time suffices for the budget. For the same reason one thread
//! does it all, however many there are. Of the clock it takes a part, or the moves would come in no
//! time; the processor is idle meanwhile.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher as _, Hasher as _},
    time::Duration,
};

use super::{Limits, clock::Clock};
use crate::{
    nnue::endings::KNOWN_WIN,
    position::{Position, keys::splitmix64},
};

/// The lowest strength in Elo that can be asked for.
pub const LOWEST_ELO: i32 = 1000;
/// The highest strength in Elo that can be asked for; above it is only the full strength.
pub const HIGHEST_ELO: i32 = 2850;
/// The level that is the full strength.
pub const FULL_LEVEL: i32 = 20;
/// The strength in Elo of level 0.
const ELO_OF_LEVEL_0: i32 = 1600;
/// Elo from one level to the next.
const ELO_A_LEVEL: i32 = 65;

/// What makes a strength.
struct Strength {
    elo: i32,
    /// How many of the best moves may be played.
    candidates: f64,
    /// Nodes for each of them. Every line costs its own, so this is what decides how far it sees.
    nodes: f64,
    /// How much worse a move must feel to be played e times less often, in the search's units.
    temperature: f64,
}

/// Some strengths, from weak to strong; the others lie between them. From level 0 upwards the
/// differences are about those of games between levels, up to a full strength of some 25,000 nodes a
/// move. Below, where games of a program against itself say little, the lowest is set against
/// Stockfish 15.1, which, weakened to 1400, wins nine games of ten against it.
const STRENGTHS: [Strength; 3] = [
    Strength {
        elo: LOWEST_ELO,
        candidates: 8.0,
        nodes: 50.0,
        temperature: 120.0,
    },
    Strength {
        elo: ELO_OF_LEVEL_0,
        candidates: 3.0,
        nodes: 1700.0,
        temperature: 14.0,
    },
    Strength {
        elo: HIGHEST_ELO,
        candidates: 2.0,
        nodes: 13_500.0,
        temperature: 3.5,
    },
];

/// So many times its nodes an iteration may use up that was begun within them.
const HARD_BUDGETS: u64 = 4;
/// A score about which a person no longer counts every pawn, in the search's units.
const CLEARLY_DECIDED: f64 = 520.0;

/// The parts of the time to aim for that a move takes at the least: one between these two.
const PAUSE: [f64; 2] = [0.1, 0.4];
/// The longest time that is let pass only not to answer at once.
const LONGEST_PAUSE: Duration = Duration::from_secs(3);

/// The strength in Elo of a level from 0; `None` for the full strength.
pub fn elo_of_level(level: i32) -> Option<i32> {
    (level < FULL_LEVEL).then_some(ELO_OF_LEVEL_0 + ELO_A_LEVEL * level)
}

/// How one search is to be weakened.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// Nodes after which no further iteration begins.
    nodes: u64,
    /// How many of the best moves may be played.
    candidates: usize,
    temperature: f64,
    /// What decides between the candidates, and the time taken.
    seed: u64,
}

impl Skill {
    /// The skill of somebody with this Elo, from [`LOWEST_ELO`] to [`HIGHEST_ELO`], for a search of
    /// `root` within `limits`.
    ///
    /// With nodes or depth limited the position alone decides what is chosen, so that a search can
    /// be repeated. Otherwise it is different each time.
    pub fn new(elo: i32, root: &Position, limits: &Limits) -> Skill {
        let elo = elo.clamp(LOWEST_ELO, HIGHEST_ELO);
        let [low, high] = match &STRENGTHS {
            [low, high, _] if elo < high.elo => [low, high],
            [_, low, high] => [low, high],
        };
        let share = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        // Each Elo multiplies.
        let between = |low: f64, high: f64| low * (high / low).powf(share);
        let seed = if limits.nodes.is_some() || limits.depth.is_some() {
            root.keys().whole ^ u64::from(root.game_ply())
        } else {
            // The standard library has no other source of chance.
            RandomState::new().build_hasher().finish()
        };
        let candidates = between(low.candidates, high.candidates).round();
        Skill {
            nodes: (candidates * between(low.nodes, high.nodes)) as u64,
            candidates: candidates as usize,
            temperature: between(low.temperature, high.temperature),
            seed,
        }
    }

    /// How many of the best moves it chooses from.
    pub fn candidates(&self) -> usize {
        self.candidates
    }

    /// Tightens `limits` to the nodes it may look at.
    pub fn bound(&self, limits: &mut Limits) {
        let least = |limit: Option<u64>, own: u64| limit.map_or(own, |limit| limit.min(own));
        limits.soft_nodes = Some(least(limits.soft_nodes, self.nodes));
        limits.nodes = Some(least(limits.nodes, HARD_BUDGETS * self.nodes));
    }

    /// Which of some moves with these scores, in the search's units, it plays; the first if there
    /// are none.
    pub fn choose(&self, scores: &[i32]) -> usize {
        let greatest = |values: &[f64]| {
            (0..values.len())
                .rev()
                .max_by(|&a, &b| values[a].total_cmp(&values[b]))
                .unwrap_or(0)
        };
        let exact: Vec<f64> = scores.iter().copied().map(f64::from).collect();
        let best = greatest(&exact);
        if scores.get(best).is_some_and(|&score| score >= KNOWN_WIN) {
            return best;
        }
        let mut state = self.seed;
        let tempting: Vec<f64> = exact
            .iter()
            .map(|&score| felt(score) + self.temperature * gumbel(&mut state))
            .collect();
        greatest(&tempting)
    }

    /// How much of the time for a move is to pass before it is answered, counted from the start of
    /// our clock.
    pub fn pause(&self, clock: &Clock) -> Duration {
        let Some(time) = clock.soft.or(clock.hard) else {
            return Duration::ZERO;
        };
        // Not the numbers that chose the move.
        let chance = unit(&mut !self.seed);
        time.mul_f64(PAUSE[0] + (PAUSE[1] - PAUSE[0]) * chance)
            .min(LONGEST_PAUSE)
    }
}

/// A score as a person feels it: the pawn that decides a game counts in full, the ninth hardly.
fn felt(score: f64) -> f64 {
    (1.0 + score.abs() / CLEARLY_DECIDED).ln() * CLEARLY_DECIDED * score.signum()
}

/// A random number between 0 and 1, neither included.
fn unit(state: &mut u64) -> f64 {
    ((splitmix64(state) >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// A random number with Gumbel's distribution. The greatest of values that each have one added is
/// the logit rule.
fn gumbel(state: &mut u64) -> f64 {
    -(-unit(state).ln()).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{mate_in, mated_in};

    fn repeatable() -> Limits {
        Limits {
            nodes: Some(100_000),
            ..Limits::default()
        }
    }

    fn skill(elo: i32) -> Skill {
        Skill::new(elo, &Position::startpos(), &repeatable())
    }

    /// How often each of some moves is played in a thousand games.
    fn choices(elo: i32, scores: &[i32]) -> Vec<usize> {
        let mut counts = vec![0; scores.len()];
        for seed in 0..1000 {
            let skill = Skill { seed, ..skill(elo) };
            counts[skill.choose(scores)] += 1;
        }
        counts
    }

    #[test]
    fn levels_rise_within_the_range_and_the_last_is_without_limit() {
        let elos: Vec<i32> = (0..FULL_LEVEL).filter_map(elo_of_level).collect();
        assert_eq!(elos.len(), FULL_LEVEL as usize);
        assert!(elos.is_sorted_by(|a, b| a < b), "{elos:?}");
        assert!(
            elos.iter()
                .all(|elo| (LOWEST_ELO..=HIGHEST_ELO).contains(elo))
        );
        assert_eq!(elo_of_level(FULL_LEVEL), None);
    }

    #[test]
    fn the_stronger_looks_further_and_errs_less() {
        for elo in LOWEST_ELO..HIGHEST_ELO {
            let (weaker, stronger) = (skill(elo), skill(elo + 1));
            assert!(
                weaker.nodes / weaker.candidates as u64
                    <= stronger.nodes / stronger.candidates as u64
            );
            assert!(weaker.candidates >= stronger.candidates);
            assert!(weaker.temperature > stronger.temperature);
        }
        assert!(skill(LOWEST_ELO).candidates > skill(HIGHEST_ELO).candidates);
        assert!(skill(HIGHEST_ELO).candidates > 1);
        assert!(2 * skill(LOWEST_ELO).nodes < skill(HIGHEST_ELO).nodes);
        // Beyond the range lies nothing.
        assert_eq!(skill(i32::MIN), skill(LOWEST_ELO));
        assert_eq!(skill(i32::MAX), skill(HIGHEST_ELO));
    }

    #[test]
    fn better_moves_are_played_more_often_and_by_the_stronger_more_so() {
        let scores = [40, 20, -40, -300, -900];
        let (weak, strong) = (choices(LOWEST_ELO, &scores), choices(HIGHEST_ELO, &scores));
        assert!(weak.is_sorted_by(|a, b| a >= b), "{weak:?}");
        assert!(weak[0] < 600 && weak[2] > 50, "{weak:?}");
        assert!(strong[0] > 950, "{strong:?}");
    }

    #[test]
    fn the_weakest_loses_its_queen_now_and_then_and_no_more() {
        let lost = 1000 - choices(LOWEST_ELO, &[10, -900, -900, -910, -950, -1000])[0];
        assert!((1..200).contains(&lost), "{lost}");
        let mated = 1000 - choices(LOWEST_ELO, &[-700, mated_in(2), mated_in(2)])[0];
        assert!(mated < 10, "{mated}");
    }

    #[test]
    fn a_win_that_is_seen_is_played() {
        let scores = [900, 880, mate_in(1), mate_in(3), 870];
        assert_eq!(choices(LOWEST_ELO, &scores), [0, 0, 1000, 0, 0]);
        let known = [KNOWN_WIN + 100, 0, KNOWN_WIN + 140, 300];
        assert_eq!(choices(LOWEST_ELO, &known), [0, 0, 1000, 0]);
    }

    #[test]
    fn without_a_choice_there_is_none() {
        assert_eq!(skill(LOWEST_ELO).choose(&[]), 0);
        assert_eq!(skill(LOWEST_ELO).choose(&[-30]), 0);
    }

    #[test]
    fn limits_get_tighter_and_never_looser() {
        let skill = skill(1500);
        let mut limits = Limits {
            depth: Some(9),
            ..Limits::default()
        };
        skill.bound(&mut limits);
        assert_eq!(limits.soft_nodes, Some(skill.nodes));
        assert_eq!(limits.nodes, Some(HARD_BUDGETS * skill.nodes));
        assert_eq!(limits.depth, Some(9));
        limits.nodes = Some(3);
        limits.soft_nodes = Some(2);
        skill.bound(&mut limits);
        assert_eq!((limits.soft_nodes, limits.nodes), (Some(2), Some(3)));
    }

    #[test]
    fn chance_decides_unless_nodes_or_depth_are_limited() {
        let start = Position::startpos();
        let depth = Limits {
            depth: Some(5),
            ..Limits::default()
        };
        for limits in [repeatable(), depth] {
            let again = || Skill::new(1500, &start, &limits);
            assert_eq!(again(), again());
            let other = Position::start_array(12, 12).expect("numbers below 960");
            assert_ne!(again().seed, Skill::new(1500, &other, &limits).seed);
        }
        let clock = || Skill::new(1500, &start, &Limits::default());
        assert_ne!(clock().seed, clock().seed);
    }

    #[test]
    fn a_part_of_the_time_passes() {
        let clock = |soft, hard| Clock {
            soft: Some(soft),
            hard: Some(hard),
        };
        let second = Duration::from_secs(1);
        let mut pauses = Vec::new();
        for seed in 0..100 {
            let skill = Skill {
                seed,
                ..skill(1500)
            };
            let pause = skill.pause(&clock(second, 4 * second));
            assert!((second / 10..second / 5 * 2).contains(&pause), "{pause:?}");
            pauses.push(pause);
            assert_eq!(
                skill.pause(&clock(100 * second, 400 * second)),
                LONGEST_PAUSE
            );
            assert_eq!(skill.pause(&Clock::default()), Duration::ZERO);
        }
        let mean = pauses.iter().sum::<Duration>() / 100;
        assert!((second / 5..second / 10 * 3).contains(&mean), "{mean:?}");
    }
}
