//! Openings for games that OpenBench has played: random, different, and the same for the same
//! seed.

use std::{
    fs, io,
    sync::atomic::{AtomicBool, Ordering},
};

use shakmaty::Move;

use crate::{
    chess960::START_POSITIONS,
    position::{
        Position,
        fen::{self, FenStyle},
    },
};

/// Of a hundred openings without a book, so many are double Fischer random and so many Chess960;
/// the rest is ordinary chess.
const DOUBLE_PERCENT: u64 = 50;
const CHESS960_PERCENT: u64 = 30;
/// The number of the ordinary start position.
const ORDINARY: u16 = 518;
/// The fewest random moves (plies) of an opening, and how many more there may be.
const FEWEST_MOVES: u64 = 4;
const MORE_MOVES: u64 = 2;
/// How often an opening may end in a bad position before its start is given up.
const TRIES: usize = 100;

/// What openings to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// How many.
    pub count: u64,
    /// What makes them reproducible.
    pub seed: u64,
    /// A file with a FEN a line to begin from, instead of start positions.
    pub book: Option<String>,
}

/// Makes openings and hands each to `say` as a FEN of six fields, until there are enough or
/// `cancel` is set.
///
/// # Errors
/// When the book can't be read or holds no position to begin from.
pub fn run(request: &Request, cancel: &AtomicBool, say: &mut dyn FnMut(&str)) -> io::Result<()> {
    let book = request.book.as_deref().map(read_book).transpose()?;
    let mut random = Random(request.seed);
    let mut made = 0;
    while made < request.count && !cancel.load(Ordering::Relaxed) {
        let start = match &book {
            Some(book) => Some(book[random.below(book.len() as u64) as usize].clone()),
            None => random_start(&mut random),
        };
        // A start from which every line goes wrong is left for another one.
        if let Some(opening) = start.and_then(|start| random_opening(&start, &mut random)) {
            say(&fen::write(&opening, FenStyle::XFen));
            made += 1;
        }
    }
    Ok(())
}

fn read_book(path: &str) -> io::Result<Vec<Position>> {
    let text = fs::read_to_string(path)
        .map_err(|error| io::Error::new(error.kind(), format!("{path}: {error}")))?;
    let positions: Vec<Position> = text
        .lines()
        .filter_map(|line| fen::read(line).ok())
        .map(|reading| reading.position)
        // From a position without an opening, the search for one would never end.
        .filter(|position| random_opening(position, &mut Random(0)).is_some())
        .collect();
    if positions.is_empty() {
        let message = format!("{path} holds no position to begin from");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(positions)
}

fn random_start(random: &mut Random) -> Option<Position> {
    let number = |random: &mut Random| random.below(u64::from(START_POSITIONS)) as u16;
    let kind = random.below(100);
    let (white, black) = if kind < DOUBLE_PERCENT {
        (number(random), number(random))
    } else if kind < DOUBLE_PERCENT + CHESS960_PERCENT {
        let both = number(random);
        (both, both)
    } else {
        (ORDINARY, ORDINARY)
    };
    Position::start_array(white, black)
}

/// A few random moves on from `start`; not to the end of the game, nor to where it can end at once.
fn random_opening(start: &Position, random: &mut Random) -> Option<Position> {
    (0..TRIES).find_map(|_| {
        let moves = FEWEST_MOVES + random.below(MORE_MOVES + 1);
        let mut position = start.clone();
        for _ in 0..moves {
            let m = random.pick(&position.legal_moves())?;
            position = position.play(m);
        }
        is_playable(&position).then_some(position)
    })
}

fn is_playable(position: &Position) -> bool {
    let moves = position.legal_moves();
    let mates = |&m: &Move| {
        let after = position.play(m);
        after.in_check() && after.legal_moves().is_empty()
    };
    !moves.is_empty() && !position.is_insufficient_material() && !moves.iter().any(mates)
}

/// A small generator of random numbers, the same on every machine.
///
/// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators"
/// (2014), with the constants of S. Vigna's splitmix64, which is in the public domain.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number from 0 to `end - 1`.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> Option<T> {
        choices
            .get(self.below(choices.len() as u64) as usize)
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shakmaty::CastlingMode;

    use super::*;

    fn fens(request: &Request) -> Vec<String> {
        let mut fens = Vec::new();
        let cancel = AtomicBool::new(false);
        run(request, &cancel, &mut |fen| fens.push(fen.to_owned())).expect("openings");
        fens
    }

    #[test]
    fn openings_are_reproducible_and_playable() {
        let request = Request {
            count: 200,
            seed: 17,
            book: None,
        };
        let first = fens(&request);
        assert_eq!(first.len(), 200);
        assert_eq!(first, fens(&request));
        assert_ne!(
            first,
            fens(&Request {
                seed: 18,
                ..request
            })
        );

        let different: HashSet<&String> = first.iter().collect();
        assert!(different.len() > 190, "{}", different.len());
        let mut ordinary = 0;
        for fen in &first {
            assert_eq!(fen.split(' ').count(), 6, "{fen}");
            let reading = fen::read(fen).expect(fen);
            assert!(reading.notes.is_empty(), "{fen}: {:?}", reading.notes);
            assert!(is_playable(&reading.position), "{fen}");
            let mode = CastlingMode::detect(&reading.position.to_setup());
            ordinary += usize::from(mode.is_standard());
        }
        assert!((20..=80).contains(&ordinary), "{ordinary}");
    }

    #[test]
    fn positions_next_to_mate_are_not_playable() {
        for fen in [
            // Mate in one, stalemate, mate, bare kings.
            "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
            "7k/8/6K1/8/8/8/8/8 b - - 0 1",
        ] {
            let position = fen::read(fen).expect(fen).position;
            assert!(!is_playable(&position), "{fen}");
        }
    }

    #[test]
    fn a_book_that_is_not_there_is_an_error() {
        let request = Request {
            count: 1,
            seed: 0,
            book: Some("/no/such/book.epd".to_owned()),
        };
        let error = run(&request, &AtomicBool::new(false), &mut |_| {}).expect_err("no book");
        assert!(error.to_string().contains("/no/such/book.epd"), "{error}");
    }
}
