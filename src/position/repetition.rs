//! Repetition: positions that have occurred, and those that a single move can bring back.

use std::sync::LazyLock;

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{Position, keys};

/// The keys of a game and of the search's line below it, oldest first; the last is the current
/// position's.
#[derive(Clone, Debug)]
pub struct KeyHistory {
    keys: Vec<u64>,
}

impl KeyHistory {
    /// A history that begins with `position`.
    pub fn starting_at(position: &Position) -> KeyHistory {
        KeyHistory {
            keys: vec![position.keys().whole],
        }
    }

    /// Appends the position after a move.
    #[inline]
    pub fn push(&mut self, position: &Position) {
        self.keys.push(position.keys().whole);
    }

    /// Takes the last position back.
    #[inline]
    pub fn pop(&mut self) {
        self.keys.pop();
    }

    /// Whether the current position counts as a draw by repetition `ply` plies below the root: it
    /// has occurred once below the root, or twice in all.
    #[inline]
    pub fn is_repetition(&self, position: &Position, ply: usize) -> bool {
        self.earlier(position)
            .scan(0, |seen, distance| {
                *seen += 1;
                Some(distance < ply || *seen >= 2)
            })
            .any(|draw| draw)
    }

    /// How often the current position has occurred before.
    pub fn occurrences_before(&self, position: &Position) -> usize {
        self.earlier(position).count()
    }

    /// Whether the game is drawn in the current position: by its third occurrence, the fifty-move
    /// limit, or bare kings.
    pub fn is_draw(&self, position: &Position) -> bool {
        self.occurrences_before(position) >= 2
            || position.is_fifty_move_draw()
            || position.is_insufficient_material()
    }

    /// The keys that have occurred twice or more.
    pub fn repeated(&self) -> Vec<u64> {
        let mut sorted = self.keys.clone();
        sorted.sort_unstable();
        let mut repeated: Vec<u64> = sorted
            .windows(2)
            .filter(|pair| pair[0] == pair[1])
            .map(|pair| pair[0])
            .collect();
        repeated.dedup();
        repeated
    }

    /// The distances in plies back to earlier occurrences of the current position.
    fn earlier(&self, position: &Position) -> impl Iterator<Item = usize> + '_ {
        let last = self.keys.len() - 1;
        let current = self.keys[last];
        debug_assert_eq!(current, position.keys().whole);
        let reach = position.reversible_plies().min(last);
        (4..=reach)
            .step_by(2)
            .filter(move |&distance| self.keys[last - distance] == current)
    }

    /// Whether the side to move has a move that repeats an earlier position: one below the root,
    /// or one before it that had itself occurred before. Only moves that can be taken back are
    /// looked at.
    ///
    /// Source: M. N. J. van Kervinck, "The design and implementation of the Rookie 2.0 chess
    /// playing program" (2015), section on upcoming repetitions with cuckoo hashing.
    #[inline]
    pub fn has_upcoming_repetition(&self, position: &Position, ply: usize) -> bool {
        let last = self.keys.len() - 1;
        let reach = position.reversible_plies().min(last);
        if reach < 3 {
            return false;
        }
        let current = self.keys[last];
        for distance in (3..=reach).step_by(2) {
            let difference = current ^ self.keys[last - distance];
            let Some((a, b)) = CUCKOO.squares(difference) else {
                continue;
            };
            if (attacks::between(a, b) & position.occupied()).any() {
                continue;
            }
            // The piece on one of the two squares must be the mover's own.
            let mover = position
                .board()
                .color_at(a)
                .or_else(|| position.board().color_at(b));
            if mover != Some(position.turn()) {
                continue;
            }
            if distance < ply {
                return true;
            }
            let target = self.keys[last - distance];
            if (distance + 4..=reach)
                .step_by(2)
                .any(|d| self.keys[last - d] == target)
            {
                return true;
            }
        }
        false
    }
}

const SLOTS: usize = 8192;

/// A cuckoo table from key differences to the reversible move that makes them.
struct Cuckoo {
    keys: [u64; SLOTS],
    moves: [(Square, Square); SLOTS],
}

static CUCKOO: LazyLock<Box<Cuckoo>> = LazyLock::new(|| Box::new(Cuckoo::new()));

/// Builds the table of upcoming repetitions, so that no search pays for it.
pub fn prepare() {
    LazyLock::force(&CUCKOO);
}

fn slots(key: u64) -> [usize; 2] {
    [key as usize % SLOTS, (key >> 16) as usize % SLOTS]
}

impl Cuckoo {
    fn new() -> Cuckoo {
        let mut table = Cuckoo {
            keys: [0; SLOTS],
            moves: [(Square::A1, Square::A1); SLOTS],
        };
        for color in Color::ALL {
            for role in Role::ALL.into_iter().filter(|&r| r != Role::Pawn) {
                let piece = role.of(color);
                for a in Square::ALL {
                    for b in attacks::attacks(a, piece, Bitboard::EMPTY)
                        .into_iter()
                        .filter(|&b| b > a)
                    {
                        let key =
                            keys::piece(piece, a) ^ keys::piece(piece, b) ^ keys::black_to_move();
                        table.insert(key, (a, b));
                    }
                }
            }
        }
        table
    }

    fn insert(&mut self, mut key: u64, mut squares: (Square, Square)) {
        let mut slot = slots(key)[0];
        loop {
            std::mem::swap(&mut self.keys[slot], &mut key);
            std::mem::swap(&mut self.moves[slot], &mut squares);
            if key == 0 {
                return;
            }
            let [first, second] = slots(key);
            slot = if slot == first { second } else { first };
        }
    }

    #[inline]
    fn squares(&self, key: u64) -> Option<(Square, Square)> {
        slots(key)
            .into_iter()
            .find(|&slot| self.keys[slot] == key)
            .map(|slot| self.moves[slot])
    }
}
