//! A `go` that has not been answered.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    game::Game,
    output::{Answer, Presentation},
    pace::Pace,
    told::Told,
};
use crate::{
    nnue::Network,
    search::{Control, Info, Limits, clock::Clock},
};

/// How long the search may take to obey a stop before the engine answers without it.
const STOP_GRACE: Duration = Duration::from_millis(40);
/// The bounds of [`grace`].
const CLOCK_GRACE: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(5)];

/// How much later than the hard limit of the clock the engine answers without the search, which
/// gives the search time to answer by itself: half of the move overhead, but when the clock is all
/// but run out no longer than the limit itself.
fn grace(overhead: Duration, hard: Duration) -> Duration {
    let [least, most] = CLOCK_GRACE;
    (overhead / 2).min(hard).clamp(least, most)
}

/// What is known of a `go` until its answer.
pub(super) struct Pending {
    control: Arc<Control>,
    presentation: Presentation,
    /// Whether only a stop may end it.
    infinite: bool,
    /// Whether it comes to its end by itself and no clock runs until then, but for pondering.
    off_the_clock: bool,
    /// When to answer without the search, after a stop.
    stop_by: Option<Instant>,
    source: Source,
}

/// Where the answer comes from.
enum Source {
    /// There is nothing to search; this waits until it may be said.
    Held(Answer),
    Search(Box<Search>),
}

struct Search {
    /// Its number in the pool.
    id: u64,
    game: Game,
    /// The time never to exceed, grace included, counted from the start of our clock.
    hard: Option<Duration>,
    pace: Pace,
    told: Told,
}

impl Pending {
    /// An answer that needs no search, held for as long as `limits` say.
    pub fn held(
        answer: Answer,
        limits: &Limits,
        presentation: Presentation,
        started: Instant,
    ) -> Pending {
        Pending {
            control: Arc::new(Control::new(started, limits.ponder, None)),
            presentation,
            infinite: limits.infinite,
            off_the_clock: false,
            stop_by: None,
            source: Source::Held(answer),
        }
    }

    /// A search that goes on in the pool under the number `id`.
    pub fn search(
        id: u64,
        game: Game,
        limits: &Limits,
        clock: &Clock,
        overhead: Duration,
        presentation: Presentation,
        control: Arc<Control>,
    ) -> Pending {
        let hard = clock
            .hard
            .map(|hard| hard.saturating_add(grace(overhead, hard)));
        let has_end =
            limits.depth.is_some() || limits.nodes.is_some() || limits.move_time.is_some();
        let pace = Pace::new(control.started, presentation.lines);
        Pending {
            control,
            presentation,
            infinite: limits.infinite,
            off_the_clock: has_end && !limits.has_clock(),
            stop_by: None,
            source: Source::Search(Box::new(Search {
                id,
                game,
                hard,
                pace,
                told: Told::default(),
            })),
        }
    }

    /// How to show its lines.
    pub fn presentation(&self) -> Presentation {
        self.presentation
    }

    /// Whether it is the pool's search of this number.
    pub fn is_search(&self, number: u64) -> bool {
        matches!(&self.source, Source::Search(search) if search.id == number)
    }

    /// Whether nothing is searched and nothing keeps the answer from being given.
    pub fn is_due(&self) -> bool {
        let free = !self.infinite && !self.control.pondering();
        matches!(self.source, Source::Held(_)) && (free || self.control.stopped())
    }

    /// Whether it goes on until it is told otherwise.
    pub fn has_no_end(&self) -> bool {
        self.infinite || self.control.pondering()
    }

    /// Whether it comes to its end by itself and no clock runs until then.
    pub fn is_off_the_clock(&self) -> bool {
        self.off_the_clock && !self.has_no_end()
    }

    /// When there is something to do even if nothing happens: to answer or to tell a line.
    pub fn deadline(&self) -> Option<Instant> {
        let told_by = match &self.source {
            Source::Search(search) => search.pace.due(),
            Source::Held(_) => None,
        };
        [self.answer_by(), told_by].into_iter().flatten().min()
    }

    /// When to answer without the search, if at all.
    pub fn answer_by(&self) -> Option<Instant> {
        let by_clock = match &self.source {
            Source::Search(search) if !self.infinite => search
                .hard
                .and_then(|hard| self.control.clock_start()?.checked_add(hard)),
            _ => None,
        };
        [self.stop_by, by_clock].into_iter().flatten().min()
    }

    /// Asks for the answer at `now`.
    pub fn stop(&mut self, now: Instant) {
        self.control.stop();
        self.stop_by.get_or_insert_with(|| now + STOP_GRACE);
    }

    /// The opponent played the expected move at `now`.
    pub fn ponderhit(&mut self, now: Instant) {
        if self.control.pondering() {
            self.control.ponderhit(now);
            if let Source::Search(search) = &mut self.source {
                search.told.ponderhit();
            }
        }
    }

    /// Takes a line that the search has found at `now` and returns those to tell.
    pub fn take(&mut self, info: Info, now: Instant) -> Vec<Info> {
        self.tell(|pace| pace.take(info, now))
    }

    /// The lines that were held back and are due at `now`.
    pub fn take_due(&mut self, now: Instant) -> Vec<Info> {
        self.tell(|pace| match pace.due() {
            Some(due) if due <= now => pace.release(now),
            _ => Vec::new(),
        })
    }

    /// The last lines to tell before the answer at `now`.
    pub fn take_rest(&mut self, now: Instant) -> Vec<Info> {
        self.tell(|pace| pace.finish(now))
    }

    fn tell(&mut self, lines: impl FnOnce(&mut Pace) -> Vec<Info>) -> Vec<Info> {
        let Source::Search(search) = &mut self.source else {
            return Vec::new();
        };
        let lines = lines(&mut search.pace);
        lines.iter().for_each(|info| search.told.note(info));
        lines
    }

    /// Whether a line may be told at `now` that can as well be left out.
    pub fn admits_one(&mut self, now: Instant) -> bool {
        match &mut self.source {
            Source::Search(search) => search.pace.admits_one(now),
            Source::Held(_) => false,
        }
    }

    /// The best answer known so far.
    pub fn answer(&self) -> Answer {
        let search = match &self.source {
            Source::Held(answer) => return *answer,
            Source::Search(search) => search,
        };
        let (best, reply) = self.control.best();
        let root = search.game.position();
        let first = || root.legal_moves().first().copied();
        match best.unpack(root).or_else(first) {
            Some(best) => Answer::Move {
                best,
                ponder: reply.unpack(&root.play(best)),
            },
            None => Answer::GameOver,
        }
    }

    /// The lines to tell before `answer`; none if the last ones told will do.
    pub fn missing_lines(&self, answer: Answer, network: &Arc<Network>) -> Vec<Info> {
        match (&self.source, answer) {
            (Source::Search(search), Answer::Move { best, ponder }) => {
                search.told.missing(network, &search.game, best, ponder)
            }
            _ => Vec::new(),
        }
    }
}
