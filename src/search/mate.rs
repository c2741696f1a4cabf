//! `go mate`: proof of the shortest mate, or that there is none.
//!
//! The search finds mates, but what it prunes may hide a shorter one. The proof looks at every
//! move of both sides, one length after the other, so the first mate it finds is the shortest. It
//! takes turns with the search, which finds the long forced ones sooner.

use shakmaty::{Move, MoveList};

use super::{
    Event, ScoreBound,
    score::{self, MAX_PLY},
    worker::Worker,
};
use crate::position::Position;

/// The longest mate in moves that scores can tell.
const LONGEST: u32 = MAX_PLY as u32 / 2 - 1;
/// Nodes that the proof may take beyond those of the search, before it gives way to it.
const FIRST_SHARE: u64 = 20_000;
/// Once the search has found a mate that will do, the proof that there is no shorter one may take
/// this many times the nodes of the search, and [`LAST_SHARE`] in addition.
const LAST_TIMES: u64 = 4;
/// See [`LAST_TIMES`].
const LAST_SHARE: u64 = 10_000_000;

/// Positions whose mates are remembered; 16 bytes each.
const SLOTS: usize = 1 << 20;

/// A hunt for a mate in a number of moves, while it lasts.
pub struct Hunt {
    wanted: u32,
    /// There is no mate in so many moves or fewer.
    refuted: u32,
    /// Nodes that the proof has taken so far.
    spent: u64,
    /// Positions of the game that have occurred twice: a third time is a draw.
    drawn: Vec<u64>,
    slots: Box<[Slot]>,
    /// By moves to go: the reply that last refuted an attack.
    refutations: Vec<Option<Move>>,
}

/// What is known of a position with the attacker to move.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    /// The attacker mates in so many moves or fewer; 0 if that is not known.
    mate: u8,
    /// There is no mate in so many moves or fewer.
    refuted: u8,
}

/// The search has to end, or the proof has had its share.
struct Interrupted;

/// What a [`Hunt`] has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The best root move mates in so many moves, and nothing is shorter.
    Proven(u32),
    /// The best root move mates in so many moves; there may be a shorter mate.
    Found(u32),
    /// There is no mate of the length that is wanted.
    None,
    /// That is not known, but there is none in so many moves.
    Open(u32),
}

impl Hunt {
    fn new(worker: &Worker, wanted: u32) -> Hunt {
        let wanted = wanted.min(LONGEST);
        Hunt {
            wanted,
            refuted: 0,
            spent: 0,
            drawn: worker.keys.repeated(),
            slots: vec![Slot::default(); SLOTS].into(),
            refutations: vec![None; wanted as usize + 1],
        }
    }

    fn slot(&mut self, key: u64) -> &mut Slot {
        &mut self.slots[key as usize % SLOTS]
    }

    /// Whether the game is drawn here, whatever could be mated later.
    fn is_draw(&self, position: &Position) -> bool {
        position.halfmoves() >= 100
            || position.is_insufficient_material()
            || self.drawn.contains(&position.keys().whole)
    }

    /// Whether the side to move mates in `moves` moves or fewer, from 1.
    fn attack(
        &mut self,
        worker: &mut Worker,
        position: &Position,
        moves: u32,
        end: u64,
    ) -> Result<bool, Interrupted> {
        if self.is_draw(position) {
            return Ok(false);
        }
        let key = key(position, moves);
        let known = *self.slot(key);
        if known.key == key {
            if known.mate > 0 && u32::from(known.mate) <= moves {
                return Ok(true);
            }
            if u32::from(known.refuted) >= moves {
                return Ok(false);
            }
        }
        worker.count_node();
        if worker.must_stop() || worker.nodes >= end {
            return Err(Interrupted);
        }
        let mut mates = false;
        for m in attacking_moves(position, moves) {
            if self.holds(worker, &position.play(m), moves, end)? {
                mates = true;
                break;
            }
        }
        let slot = self.slot(key);
        if slot.key != key {
            *slot = Slot {
                key,
                ..Slot::default()
            };
        }
        // Both fit: no mate that scores can tell is longer.
        if mates {
            slot.mate = moves as u8;
        } else {
            slot.refuted = slot.refuted.max(moves as u8);
        }
        Ok(mates)
    }

    /// Whether the attacker, who has just moved the last but `moves - 1` of its moves, mates
    /// whatever the side to move replies.
    fn holds(
        &mut self,
        worker: &mut Worker,
        position: &Position,
        moves: u32,
        end: u64,
    ) -> Result<bool, Interrupted> {
        let mut replies = position.legal_moves();
        if replies.is_empty() {
            return Ok(position.in_check());
        }
        if moves == 1 || self.is_draw(position) {
            return Ok(false);
        }
        // What refuted the last attack often refutes this one.
        let refutation = self.refutations[moves as usize];
        if let Some(index) = replies.iter().position(|&m| Some(m) == refutation) {
            replies.swap(0, index);
        }
        for reply in replies {
            if !self.attack(worker, &position.play(reply), moves - 1, end)? {
                self.refutations[moves as usize] = Some(reply);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The root move that mates in `moves` moves, if there is one.
    fn find(
        &mut self,
        worker: &mut Worker,
        moves: u32,
        end: u64,
    ) -> Result<Option<Move>, Interrupted> {
        let root = worker.search.job.root.clone();
        for m in attacking_moves(&root, moves) {
            if worker.root_moves.iter().any(|r| r.m == m)
                && self.holds(worker, &root.play(m), moves, end)?
            {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }

    /// The moves up to mate after the attacker has played `first`, which is proven to mate in
    /// `moves` moves, the longest resistance in each. Interrupted, it is the part known by then.
    fn line(&mut self, worker: &mut Worker, first: Move, moves: u32) -> Vec<Move> {
        let mut line = vec![first];
        let mut position = worker.search.job.root.play(first);
        for left in (1..moves).rev() {
            let Ok(Some(reply)) = self.longest_reply(worker, &position, left) else {
                break;
            };
            position = position.play(reply);
            let Ok(Some(m)) = self.mating_move(worker, &position, left) else {
                break;
            };
            position = position.play(m);
            line.extend([reply, m]);
        }
        line
    }

    /// A reply after which the attacker, who mates in `left` moves, can't do it in fewer.
    fn longest_reply(
        &mut self,
        worker: &mut Worker,
        position: &Position,
        left: u32,
    ) -> Result<Option<Move>, Interrupted> {
        for reply in position.legal_moves() {
            let after = position.play(reply);
            if left == 1 || !self.attack(worker, &after, left - 1, u64::MAX)? {
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    fn mating_move(
        &mut self,
        worker: &mut Worker,
        position: &Position,
        moves: u32,
    ) -> Result<Option<Move>, Interrupted> {
        for m in attacking_moves(position, moves) {
            if self.holds(worker, &position.play(m), moves, u64::MAX)? {
                return Ok(Some(m));
            }
        }
        Ok(None)
    }
}

/// What tells a position with so many moves to go from others. Its clock is part of that where it
/// could run out before the mate.
fn key(position: &Position, moves: u32) -> u64 {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let clock = position.halfmoves();
    let matters = clock.saturating_add(2 * moves) >= 100;
    let clock = if matters { u64::from(clock) + 1 } else { 0 };
    position.keys().whole ^ clock.wrapping_mul(SPREAD)
}

/// The moves with which a mate in `moves` moves may begin, checks first; the last must be one.
fn attacking_moves(position: &Position, moves: u32) -> MoveList {
    let checks = position.check_squares();
    let mut list = position.legal_moves();
    if moves == 1 {
        list.retain(|m| checks.gives_check(*m));
    } else {
        list.sort_by_key(|&m| !checks.gives_check(m));
    }
    list
}

impl Worker<'_> {
    /// The hunt that this thread has been asked for, if it leads.
    pub fn new_hunt(&self) -> Option<Hunt> {
        let wanted = self.search.job.limits.mate.filter(|_| self.id == 0)?;
        Some(Hunt::new(self, wanted))
    }

    /// Goes on with a hunt after an iteration. When it is over, the root moves are in the order
    /// of what it found, and this is `true`.
    pub fn hunt(&mut self, hunt: &mut Hunt) -> bool {
        let found = self.mate_found(hunt);
        let searched = self.nodes - hunt.spent;
        let share = match found {
            None => (searched + FIRST_SHARE).saturating_sub(hunt.spent),
            Some(_) => searched * LAST_TIMES + LAST_SHARE,
        };
        let before = self.nodes;
        let verdict = self.prove(hunt, before.saturating_add(share));
        hunt.spent += self.nodes - before;
        match verdict {
            Some(verdict) => {
                self.tell_verdict(hunt, verdict);
                true
            }
            // The search goes on, unless it has found what will do.
            None => {
                let found = found.filter(|_| !self.aborted);
                if let Some(moves) = found {
                    self.tell_verdict(hunt, Verdict::Found(moves));
                }
                found.is_some()
            }
        }
    }

    /// Ends a hunt and says how far it has come. `alone` means that the search has come to its
    /// greatest depth, but the proof may go on.
    pub fn end_hunt(&mut self, hunt: &mut Hunt, alone: bool) {
        let proven = alone.then(|| self.prove(hunt, u64::MAX)).flatten();
        let verdict = proven
            .or_else(|| self.mate_found(hunt).map(Verdict::Found))
            .unwrap_or(Verdict::Open(hunt.refuted));
        self.tell_verdict(hunt, verdict);
    }

    /// The length of the mate that the search has found, if it is one that is hunted for.
    fn mate_found(&self, hunt: &Hunt) -> Option<u32> {
        let moves = score::moves_to_mate(self.root_moves[0].newest_score())?;
        let moves = u32::try_from(moves).ok()?;
        (hunt.refuted + 1..=hunt.wanted)
            .contains(&moves)
            .then_some(moves)
    }

    /// The outcome of the proof, if it comes to its end before the worker has searched `end`
    /// nodes.
    fn prove(&mut self, hunt: &mut Hunt, end: u64) -> Option<Verdict> {
        while hunt.refuted < hunt.wanted {
            let moves = hunt.refuted + 1;
            match hunt.find(self, moves, end) {
                Ok(Some(m)) => {
                    let line = hunt.line(self, m, moves);
                    let score = score::mate_in(2 * moves as usize - 1);
                    self.put_first(m, score, line);
                    return Some(Verdict::Proven(moves));
                }
                Ok(None) => hunt.refuted = moves,
                Err(Interrupted) => return None,
            }
        }
        Some(Verdict::None)
    }

    /// Makes `m` the best root move.
    fn put_first(&mut self, m: Move, score: i32, line: Vec<Move>) {
        if let Some(index) = self.root_moves.iter().position(|r| r.m == m) {
            let root_move = &mut self.root_moves[index];
            root_move.score = score;
            root_move.bound = ScoreBound::Exact;
            root_move.depth = self.root_depth;
            root_move.seldepth = root_move.seldepth.max(line.len());
            root_move.line = line;
            self.root_moves[..=index].rotate_right(1);
        }
    }

    fn tell_verdict(&self, hunt: &Hunt, verdict: Verdict) {
        let wanted = hunt.wanted;
        let which = if self.unrestricted {
            ""
        } else {
            " with the moves given"
        };
        let text = match verdict {
            Verdict::Proven(moves) => {
                format!("mate in {moves} is proven to be the shortest{which}")
            }
            Verdict::Found(moves) => {
                format!("mate in {moves} is found; whether there is a shorter one is not known")
            }
            Verdict::None => format!("there is no mate in {wanted}{which}"),
            Verdict::Open(0) => format!("whether there is a mate in {wanted} is not known"),
            Verdict::Open(refuted) => format!(
                "there is no mate in {refuted}{which}; whether there is one in {wanted} is not known"
            ),
        };
        self.say(|search| Event::Note { search, text });
    }
}
