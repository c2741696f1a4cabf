//! Openings for games that OpenBench has played: random, different, and the same for the same
//! seed.

use std::{
    fs, io,
    sync::atomic::{AtomicBool, Ordering},
};

use super::openings::{Random, random_opening, random_start};
use crate::position::{
    Position,
    fen::{self, FenStyle},
};

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
    let mut random = Random::new(request.seed);
    let mut made = 0;
    while made < request.count && !cancel.load(Ordering::Relaxed) {
        let start = match &book {
            Some(book) => Some(book[random.below(book.len() as u64) as usize].clone()),
            None => {
                let (white, black) = random_start(&mut random);
                Position::start_array(white, black)
            }
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
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{path}: {error}"));
    // Opening a pipe would wait for somebody to write into it, and a device may have no end.
    if !fs::metadata(path).map_err(named)?.is_file() {
        return Err(named(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a file",
        )));
    }
    let text = fs::read_to_string(path).map_err(named)?;
    let positions: Vec<Position> = text
        .lines()
        .filter_map(|line| fen::read(line).ok())
        .map(|reading| reading.position)
        // From a position without an opening, the search for one would never end.
        .filter(|position| random_opening(position, &mut Random::new(0)).is_some())
        .collect();
    if positions.is_empty() {
        let message = format!("{path} holds no position to begin from");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(positions)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use shakmaty::CastlingMode;

    use super::*;
    use crate::tools::openings;

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
            assert!(openings::is_playable(&reading.position), "{fen}");
            let mode = CastlingMode::detect(&reading.position.to_setup());
            ordinary += usize::from(mode.is_standard());
        }
        assert!((20..=80).contains(&ordinary), "{ordinary}");
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

    #[cfg(unix)]
    #[test]
    fn a_book_without_end_is_an_error() {
        let request = Request {
            count: 1,
            seed: 0,
            book: Some("/dev/zero".to_owned()),
        };
        let error = run(&request, &AtomicBool::new(false), &mut |_| {}).expect_err("no book");
        assert_eq!(error.to_string(), "/dev/zero: not a file");
    }
}
