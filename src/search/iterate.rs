//! Iterative deepening: ever deeper searches of the root, each in a window around the last score.

use std::time::Duration;

use shakmaty::Move;

use super::{
    Event, ScoreBound,
    clock::Lesson,
    negamax::Root,
    params,
    score::{INFINITE, MATE_IN_MAX, MAX_DEPTH, is_decisive, is_loss, is_win},
    worker::{RootMove, Worker},
};

/// Bounds are told only once a search has lasted this long.
const BOUNDS_AFTER: Duration = Duration::from_secs(3);
/// The move in hand is told only once the leading thread has searched so many nodes.
const CURRENT_MOVE_AFTER: u64 = 10_000_000;

/// Iterations with the same proven mate after which a clocked search stops looking for a shorter.
const MATE_ITERATIONS: usize = 3;

/// What one thread found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Its best move, with score and line.
    pub best: RootMove,
    /// The last depth it completed.
    pub depth: i32,
}

/// What the leading thread remembers from one iteration to the next.
#[derive(Default)]
struct Course {
    best: Option<Move>,
    stable_iterations: usize,
    score: i32,
    mate_iterations: usize,
}

impl Worker<'_> {
    /// Searches deeper and deeper until a limit is reached.
    pub fn iterate(&mut self) -> Finding {
        let job = &self.search.job;
        let told_lines = job.multipv.clamp(1, self.root_moves.len());
        let lines = match &job.skill {
            Some(skill) => skill.candidates().clamp(told_lines, self.root_moves.len()),
            None => told_lines,
        };
        let last_depth = job.limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let mut course = Course::default();
        let mut completed = 0;
        let mut told = Vec::new();
        let mut hunt = self.new_hunt();

        self.rank_root_moves();
        if self.id == 0 {
            self.publish();
        }
        // Should not even one move be searched, this is what there is to say of it.
        let root = &self.search.job.root;
        self.root_moves[0].score = if root.in_check() {
            0
        } else {
            self.evaluate(root)
        };

        for depth in 1..=last_depth {
            self.root_depth = depth;
            let before = self.root_moves[..lines].to_vec();
            for root_move in &mut self.root_moves {
                // A move that lost its place keeps no score of when it had it.
                root_move.previous_score = root_move.score;
                root_move.score = -INFINITE;
            }
            let mut fail_lows = 0;
            for index in 0..lines {
                self.pv_index = index;
                self.seldepth = 0;
                fail_lows += self.aspirate(depth);
                if self.aborted {
                    break;
                }
                self.root_moves[index].depth = depth;
                self.has_result = true;
            }
            if self.aborted {
                self.settle(before, completed);
                break;
            }
            sort(&mut self.root_moves[..lines]);
            completed = depth;
            if self.id != 0 {
                continue;
            }
            self.publish();
            self.tell_lines(told_lines, &mut told);
            if let Some(current) = &mut hunt
                && self.hunt(current)
            {
                hunt = None;
                break;
            }
            if self.aborted || self.enough(&mut course, fail_lows) {
                break;
            }
        }
        if let Some(hunt) = &mut hunt {
            let alone = completed == MAX_DEPTH && self.search.job.limits.depth.is_none();
            self.end_hunt(hunt, alone && !self.aborted);
        }

        // An iteration cut short may still have found something better.
        self.yield_to_skill();
        if self.id == 0 {
            self.publish();
            self.tell_lines(told_lines, &mut told);
        }
        Finding {
            best: self.root_moves[0].clone(),
            depth: completed,
        }
    }

    /// Puts the lines of an iteration cut short in order: those that it finished, and then, as they
    /// were `before`, those that it did not. Of a single line what is found so far counts, for the
    /// depth that was `completed`.
    fn settle(&mut self, before: Vec<RootMove>, completed: i32) {
        let finished = self.pv_index;
        if before.len() == 1 || completed == 0 && finished == 0 {
            let (old, best) = (&before[0], &mut self.root_moves[0]);
            // A bound is worth less than the last exact score, unless it proves a win; and other
            // moves may yet avert a loss.
            let is_bound = best.bound != ScoreBound::Exact && !is_win(best.score);
            if best.m == old.m && (is_bound || is_loss(best.score)) {
                best.clone_from(old);
            }
            best.depth = completed.max(1);
            return;
        }
        sort(&mut self.root_moves[..finished]);
        let others = self.root_moves.split_off(finished);
        for root_move in before.into_iter().chain(others) {
            if self.root_moves.iter().all(|r| r.m != root_move.m) {
                self.root_moves.push(root_move);
            }
        }
    }

    /// Puts the move that a weakened search plays before the better ones.
    fn yield_to_skill(&mut self) {
        let Some(skill) = &self.search.job.skill else {
            return;
        };
        // A line that the last iteration did not come to is worth no more than those before it,
        // which were the best of all moves.
        let mut greatest = INFINITE;
        let candidates = self.root_moves.iter().take(skill.candidates());
        let scores: Vec<i32> = candidates
            .take_while(|r| r.depth > 0)
            .map(|r| {
                greatest = r.newest_score().min(greatest);
                greatest
            })
            .collect();
        self.root_moves[..=skill.choose(&scores)].rotate_right(1);
    }

    fn publish(&self) {
        let best = &self.root_moves[0];
        self.search
            .job
            .control
            .publish(best.m, best.line.get(1).copied());
    }

    /// Searches the root for the line in hand, in a window that widens until it holds the score.
    /// Returns how often it failed low.
    fn aspirate(&mut self, depth: i32) -> usize {
        let mut alpha = -INFINITE;
        let mut beta = INFINITE;
        let mut delta = params::aspiration_delta();
        if let Some(average) = self.root_moves[self.pv_index]
            .average
            .filter(|_| depth >= 3)
        {
            delta += average * average / params::aspiration_square_divisor();
            alpha = (average - delta).max(-INFINITE);
            beta = (average + delta).min(INFINITE);
        }
        let mut reduced = 0;
        let mut fail_lows = 0;
        loop {
            let depth_now = (depth - reduced).max(depth / 2).max(1);
            let root = &self.search.job.root;
            let score = self.negamax::<Root>(root, 0, alpha, beta, depth_now, false);
            sort(&mut self.root_moves[self.pv_index..]);
            if self.aborted {
                return fail_lows;
            }
            let bound = if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                reduced = 0;
                fail_lows += 1;
                ScoreBound::Upper
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
                if !is_decisive(score) {
                    reduced += 1;
                }
                ScoreBound::Lower
            } else {
                return fail_lows;
            };
            if self.id == 0
                && self.is_heard()
                && self.search.job.multipv == 1
                && self.search.job.skill.is_none()
                && self.search.job.control.started.elapsed() >= BOUNDS_AFTER
            {
                self.publish();
                self.tell_line(0, depth, bound);
            }
            let growth =
                params::aspiration_growth() + params::aspiration_growth_reduced() * reduced;
            delta = (delta + delta * growth / 128).min(2 * INFINITE);
            if is_decisive(score) {
                alpha = if bound == ScoreBound::Upper {
                    -INFINITE
                } else {
                    alpha
                };
                beta = if bound == ScoreBound::Lower {
                    INFINITE
                } else {
                    beta
                };
            }
        }
    }

    /// Tells the best lines, unless they are as they were `told` last.
    fn tell_lines(&self, lines: usize, told: &mut Vec<(Move, i32, i32)>) {
        // A search cut short early may not have come to the last lines.
        let known = self.root_moves[..lines].iter().take_while(|r| r.depth > 0);
        let now: Vec<_> = known.map(|r| (r.m, r.depth, r.newest_score())).collect();
        if now == *told {
            return;
        }
        for (index, &(_, depth, _)) in now.iter().enumerate() {
            self.tell_line(index, depth, ScoreBound::Exact);
        }
        *told = now;
    }

    fn tell_line(&self, index: usize, depth: i32, bound: ScoreBound) {
        self.say(|search| Event::Info {
            search,
            info: self
                .search
                .info(&self.root_moves[index], index, depth, bound),
        });
    }

    /// Whether the iterations so far are enough, by clock or nodes.
    fn enough(&mut self, course: &mut Course, fail_lows: usize) -> bool {
        let best = &self.root_moves[0];
        let (m, score, spent) = (best.m, best.newest_score(), best.nodes);
        course.stable_iterations = if course.best == Some(m) {
            course.stable_iterations + 1
        } else {
            0
        };
        course.mate_iterations = if score.abs() >= MATE_IN_MAX {
            course.mate_iterations + 1
        } else {
            0
        };
        let score_drop = if course.best.is_some() {
            course.score - score
        } else {
            0
        };
        course.best = Some(m);
        course.score = score;

        let limits = &self.search.job.limits;
        if limits.soft_nodes.is_some_and(|soft| self.nodes >= soft) {
            return true;
        }
        let Some(soft) = self.search.job.clock.soft else {
            return false;
        };
        let lesson = Lesson {
            stable_iterations: course.stable_iterations,
            fail_lows,
            best_move_share: spent as f64 / self.nodes.max(1) as f64,
            score_drop,
            forced: self.root_moves.len() == 1,
        };
        let over = self.search.job.control.started.elapsed().as_secs_f64()
            >= soft.as_secs_f64() * lesson.scale()
            || course.mate_iterations >= MATE_ITERATIONS;
        if over && self.search.job.control.pondering() {
            // Enough for our own clock, but it does not run yet.
            self.stop_on_ponderhit = true;
            return false;
        }
        over
    }

    /// Whether the root may play `m` in the line in hand.
    pub fn is_root_candidate(&self, m: Move) -> bool {
        // Looking for it would be felt in searches of a few hundred nodes.
        let left = &self.root_moves[self.pv_index..];
        self.unrestricted && self.pv_index == 0
            || left.iter().any(|r| r.m == m && r.rank() == left[0].rank())
    }

    /// Notes what the root learned of a move: its nodes, and if it is the best so far (the first, or
    /// one that rose above alpha), its score and line.
    pub fn note_root_move(
        &mut self,
        m: Move,
        score: i32,
        nodes: u64,
        first: bool,
        bound: ScoreBound,
    ) {
        let seldepth = self.seldepth;
        let (_, child) = self.memory.frame_and_child(0);
        if let Some(root_move) = self.root_moves.iter_mut().find(|r| r.m == m) {
            root_move.nodes += nodes;
            if first || bound != ScoreBound::Upper {
                root_move.score = score;
                root_move.bound = bound;
                root_move.seldepth = seldepth;
                root_move.average = Some(
                    root_move
                        .average
                        .map_or(score, |average| (2 * score + average) / 3),
                );
                root_move.line.clear();
                root_move.line.push(m);
                root_move.line.extend_from_slice(&child.line);
            } else {
                root_move.score = -INFINITE;
            }
        }
    }

    /// Says which root move is being searched for the first line, in long searches.
    pub fn tell_current_move(&self, m: Move, number: usize) {
        if self.id == 0 && self.pv_index == 0 && self.nodes > CURRENT_MOVE_AFTER {
            let depth = self.root_depth;
            self.say(|search| Event::CurrentMove {
                search,
                depth,
                current: m,
                number,
            });
        }
    }
}

/// Best first; equal ones keep their order.
fn sort(moves: &mut [RootMove]) {
    moves.sort_by_key(|r| std::cmp::Reverse((r.rank(), r.score, r.previous_score)));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crossbeam::channel::{Receiver, unbounded};

    use super::*;
    use crate::{
        nnue::Network,
        position::{Position, repetition::KeyHistory},
        search::{
            Control, Limits,
            clock::Clock,
            pool::{Job, Search},
            score::{mate_in, mated_in},
            skill::Skill,
            transposition::Table,
            worker::Memory,
        },
    };

    /// Has `act` use a worker on a search of the start position, and returns what was said.
    fn with_worker(skill: Option<Skill>, act: impl FnOnce(&mut Worker)) -> Receiver<Event> {
        let root = Position::startpos();
        let job = Job {
            history: KeyHistory::starting_at(&root),
            root_moves: root.legal_moves().to_vec(),
            root,
            limits: Limits::default(),
            clock: Clock::default(),
            multipv: 1,
            skill,
            probing: None,
            damped: true,
            control: Arc::new(Control::new(std::time::Instant::now(), false, None)),
        };
        let network = Network::embedded();
        let table = Table::new(1).expect("memory");
        let search = Search::new(0, job, table, Arc::clone(&network), 1);
        let (sender, events) = unbounded();
        let mut memory = Memory::new(network).expect("memory");
        act(&mut Worker::new(0, &search, &mut memory, Some(&sender)));
        events
    }

    #[test]
    fn the_move_in_hand_is_told_in_long_searches_of_the_first_line() {
        for (nodes, pv_index, expected) in [
            (CURRENT_MOVE_AFTER, 0, 0),
            (CURRENT_MOVE_AFTER + 1, 0, 1),
            (CURRENT_MOVE_AFTER + 1, 1, 0),
        ] {
            let events = with_worker(None, |worker| {
                worker.nodes = nodes;
                worker.pv_index = pv_index;
                worker.tell_current_move(worker.root_moves[0].m, 1);
            });
            let told = events.try_iter();
            let told = told.filter(|event| matches!(event, Event::CurrentMove { number: 1, .. }));
            assert_eq!(told.count(), expected, "{nodes} {pv_index}");
        }
    }

    #[test]
    fn what_a_single_line_learns_counts_unless_it_is_half_the_truth() {
        // The new score of the old best move, what it is, and what is told.
        for (score, bound, told) in [
            (15, ScoreBound::Exact, 15),
            (-80, ScoreBound::Exact, -80),
            (-80, ScoreBound::Upper, 30),
            (90, ScoreBound::Lower, 30),
            (mated_in(4), ScoreBound::Exact, 30),
            (mate_in(3), ScoreBound::Lower, mate_in(3)),
            (-INFINITE, ScoreBound::Exact, 30),
        ] {
            with_worker(None, |worker| {
                worker.root_moves[0].score = 30;
                let before = worker.root_moves[..1].to_vec();
                let best = &mut worker.root_moves[0];
                best.previous_score = 30;
                best.score = score;
                best.bound = bound;
                worker.settle(before, 7);
                let best = &worker.root_moves[0];
                assert_eq!((best.newest_score(), best.depth), (told, 7));
            });
        }
    }

    #[test]
    fn a_weakened_search_knows_that_older_lines_are_no_better() {
        let limits = Limits {
            depth: Some(9),
            ..Limits::default()
        };
        let skill = Skill::new(1000, &Position::startpos(), &limits);
        let chosen = skill.choose(&[10, 10]);
        with_worker(Some(skill), |worker| {
            for (index, (score, depth)) in [(10, 8), (mate_in(3), 7)].into_iter().enumerate() {
                worker.root_moves[index].score = score;
                worker.root_moves[index].depth = depth;
            }
            // By its score alone the older one would be a win that is always played.
            let expected = worker.root_moves[chosen].m;
            worker.yield_to_skill();
            assert_eq!(worker.root_moves[0].m, expected);
            assert_eq!(chosen, 0);
        });
    }
}
