//! Iterative deepening: ever deeper searches of the root, each in a window around the last score.

use std::time::Duration;

use shakmaty::Move;

use super::{
    Event, ScoreBound,
    clock::Lesson,
    negamax::Root,
    params,
    score::{INFINITE, MATE_IN_MAX, MAX_DEPTH, is_decisive},
    worker::{RootMove, Worker},
};

/// Bounds and the move in hand are told only once a search has lasted this long.
const TALKATIVE_AFTER: Duration = Duration::from_secs(3);

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
        let mut told: Vec<(Move, i32)> = Vec::new();
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
                self.has_result = true;
            }
            if self.aborted {
                break;
            }
            sort(&mut self.root_moves[..lines]);
            completed = depth;
            if self.id != 0 {
                continue;
            }
            self.publish();
            told = self.tell_lines(told_lines, depth);
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

        self.lower_what_is_stale(lines);
        // An iteration cut short may still have found something better.
        self.yield_to_skill();
        let best = self.root_moves[0].clone();
        if self.id == 0 {
            self.publish();
            if told.first() != Some(&(best.m, best.newest_score())) {
                self.tell_lines(told_lines, completed.max(1));
            }
        }
        Finding {
            best,
            depth: completed,
        }
    }

    /// In an iteration cut short, the lines that it did not come to have older scores. They are
    /// worth no more than the ones before, which were the best of all moves.
    fn lower_what_is_stale(&mut self, lines: usize) {
        let mut greatest = INFINITE;
        for root_move in &mut self.root_moves[..lines] {
            root_move.score = root_move.newest_score().min(greatest);
            greatest = root_move.score;
        }
    }

    /// Puts the move that a weakened search plays before the better ones.
    fn yield_to_skill(&mut self) {
        let Some(skill) = &self.search.job.skill else {
            return;
        };
        let scores: Vec<i32> = self
            .root_moves
            .iter()
            .take(skill.candidates())
            .map(RootMove::newest_score)
            .take_while(|&score| score > -INFINITE)
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
        let before = self.root_moves[self.pv_index].clone();
        let mut reduced = 0;
        let mut fail_lows = 0;
        loop {
            let depth_now = (depth - reduced).max(depth / 2).max(1);
            let root = &self.search.job.root;
            let score = self.negamax::<Root>(root, 0, alpha, beta, depth_now, false);
            sort(&mut self.root_moves[self.pv_index..]);
            if self.aborted {
                // A score known to be too high is worth less than the last exact one.
                let best = &mut self.root_moves[self.pv_index];
                if best.m == before.m && best.failed_low {
                    best.score = -INFINITE;
                    best.line = before.line;
                }
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
                && self.search.job.multipv == 1
                && self.search.job.skill.is_none()
                && self.search.job.control.started.elapsed() >= TALKATIVE_AFTER
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

    /// Tells all lines of a finished iteration and returns their first moves and scores.
    fn tell_lines(&self, lines: usize, depth: i32) -> Vec<(Move, i32)> {
        for index in 0..lines {
            // A search cut short early may not have come to the last lines.
            if self.root_moves[index].newest_score() > -INFINITE {
                self.tell_line(index, depth, ScoreBound::Exact);
            }
        }
        self.root_moves[..lines]
            .iter()
            .map(|r| (r.m, r.newest_score()))
            .collect()
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
        above_alpha: bool,
    ) {
        let seldepth = self.seldepth;
        let (_, child) = self.memory.frame_and_child(0);
        if let Some(root_move) = self.root_moves.iter_mut().find(|r| r.m == m) {
            root_move.nodes += nodes;
            if first || above_alpha {
                root_move.score = score;
                root_move.failed_low = !above_alpha;
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

    /// Says which root move is being searched, in long searches.
    pub fn tell_current_move(&self, m: Move, number: usize) {
        if self.id == 0 && self.search.job.control.started.elapsed() >= TALKATIVE_AFTER {
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
