//! Texts that are nearly right: real ones with a few changes. Chance alone makes nothing that is
//! read further than its first word.

use proptest::{collection::vec, prelude::*, sample::select};

/// One change to a text, at some place in it.
#[derive(Clone, Debug)]
pub enum Change {
    Replace(char),
    Insert(char),
    Remove,
    Repeat,
    /// Another word for the one that stands there.
    ReplaceWord(&'static str),
    InsertWord(&'static str),
    RemoveWord,
    /// The word that stands there goes to the end.
    PutOff,
}

/// A few changes with these letters and words, each with its place.
pub fn changes(
    letters: &'static str,
    words: &'static [&'static str],
) -> impl Strategy<Value = Vec<(usize, Change)>> {
    let letter = select(letters.chars().collect::<Vec<char>>());
    let word = select(words);
    let change = prop_oneof![
        4 => letter.clone().prop_map(Change::Replace),
        2 => letter.prop_map(Change::Insert),
        1 => Just(Change::Remove),
        1 => Just(Change::Repeat),
        4 => word.clone().prop_map(Change::ReplaceWord),
        2 => word.prop_map(Change::InsertWord),
        1 => Just(Change::RemoveWord),
        1 => Just(Change::PutOff),
    ];
    vec((any::<u16>().prop_map(usize::from), change), 0..6)
}

/// The text with its changes.
pub fn changed(text: &str, changes: Vec<(usize, Change)>) -> String {
    changes
        .into_iter()
        .fold(text.to_owned(), |text, (place, change)| match change {
            Change::ReplaceWord(_)
            | Change::InsertWord(_)
            | Change::RemoveWord
            | Change::PutOff => with_words_changed(&text, place, change),
            _ => with_letters_changed(&text, place, change),
        })
}

fn with_letters_changed(text: &str, place: usize, change: Change) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let place = place % (letters.len() + 1);
    match change {
        Change::Insert(letter) => letters.insert(place, letter),
        _ if place == letters.len() => {}
        Change::Replace(letter) => letters[place] = letter,
        Change::Remove => drop(letters.remove(place)),
        _ => letters.insert(place, letters[place]),
    }
    letters.into_iter().collect()
}

fn with_words_changed(text: &str, place: usize, change: Change) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    let place = place % words.len();
    match change {
        Change::ReplaceWord(word) => words[place] = word,
        Change::InsertWord(word) => words.insert(place, word),
        Change::RemoveWord => drop(words.remove(place)),
        _ => {
            let word = words.remove(place);
            words.push(word);
        }
    }
    words.join(" ")
}

/// The lines of a file of `tests/data/found`, without its comments.
pub fn lines_of(file: &'static str) -> Vec<&'static str> {
    let is_comment = |line: &&str| line.starts_with('#');
    file.lines().filter(|line| !is_comment(line)).collect()
}
