//! Lines of all kinds: whatever comes in is understood or refused with a word, and what is
//! understood becomes a position and moves without harm.

mod mutation;

use proptest::{prelude::*, sample::select};
use zuylen::uci::{
    command::{Command, Parsed},
    setup,
};

use mutation::{changed, changes, lines_of};

/// Lines that went wrong once, in this program or in others.
const FOUND: &str = include_str!("data/found/lines.txt");
const FENS: &str = include_str!("data/found/fens.txt");

const LETTERS: &str = "abcdefgh12345678 -+_=OQKqk0.x\t\r\u{feff}\u{a0}\u{e9}\u{1b}\0";
const WORDS: &[&str] = &[
    "go",
    "position",
    "setoption",
    "stop",
    "debug",
    "on",
    "startpos",
    "fen",
    "frc",
    "dfrc",
    "518",
    "959",
    "960",
    "moves",
    "searchmoves",
    "infinite",
    "ponder",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "movestogo",
    "perft",
    "name",
    "value",
    "Value",
    "Hash",
    "UCI_Elo",
    "Skill",
    "Level",
    "<empty>",
    "0",
    "1",
    "-1",
    "1e9",
    "NaN",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "e2e4",
    "e7e8q",
    "e1g1",
    "O-O",
    "0-0-0+",
    "0000",
    "a1a1",
    "P@e4",
    "",
];

/// One line as a person reads it, which any client can show.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.is_ascii() && !text.contains(|c: char| c.is_control())
}

/// Reads any line, and if it sets up a position, sets it up.
fn check(line: &str) -> Result<(), TestCaseError> {
    let parsed = Parsed::new(line);
    for note in &parsed.notes {
        prop_assert!(is_plain(note), "{note:?}");
    }
    // Behind anything else, a byte order mark is as unknown as other letters.
    if line.starts_with('\u{feff}') {
        return Ok(());
    }
    // White space around it means nothing.
    prop_assert_eq!(&parsed, &Parsed::new(&format!(" \t{line} \r")));
    match &parsed.command {
        Command::Position(Err(reason)) => prop_assert!(is_plain(reason), "{reason:?}"),
        Command::Position(Ok(setup)) => match setup::build(setup) {
            Ok((game, notes)) => {
                prop_assert!(notes.iter().all(|note| is_plain(note)), "{notes:?}");
                let (moves, notes) = setup::root_moves(game.position(), &setup.moves);
                prop_assert!(moves.iter().all(|&m| game.position().is_legal(m)));
                prop_assert!(notes.iter().all(|note| is_plain(note)), "{notes:?}");
            }
            Err(error) => prop_assert!(is_plain(&error.to_string()), "{error}"),
        },
        _ => {}
    }
    // Unknown words before a command of the protocol are skipped.
    let is_for_people = matches!(
        parsed.command,
        Command::Nothing
            | Command::Unknown
            | Command::Display
            | Command::Eval
            | Command::Bench { .. }
            | Command::GenFens(_)
    );
    if !is_for_people {
        prop_assert_eq!(parsed.command, Parsed::new(&format!("joho {line}")).command);
    }
    Ok(())
}

/// Real lines: those that were found, and a `position` with every FEN that was.
fn real() -> Vec<String> {
    let fens = lines_of(FENS).into_iter();
    let lines = lines_of(FOUND).into_iter().map(str::to_owned);
    lines
        .chain(fens.map(|fen| format!("position fen {fen} moves e1g1")))
        .collect()
}

#[test]
fn lines_that_went_wrong_once() {
    for line in real() {
        check(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
    }
}

proptest! {
    #[test]
    fn a_line_with_faults_is_understood_or_refused(line in select(real()), changes in changes(LETTERS, WORDS)) {
        check(&changed(&line, changes))?;
    }

    #[test]
    fn any_bytes_are_a_line(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check(&String::from_utf8_lossy(&bytes))?;
    }
}
