//! The house's one rule of building: a room knows the rooms under it and nothing above.
//!
//! Reads the sources for paths that begin with `crate::` and fails on one that points up, or to a
//! room that has no floor yet. Inside a room, files may know each other; `super::` stays inside it.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The rooms from top to bottom; rooms on the same floor don't know each other.
const FLOORS: [&[&str]; 12] = [
    &["main", "lib"],
    &["cli"],
    &["uci"],
    &["learn"],
    &["tools"],
    &["engine"],
    &["search"],
    &["nnue"],
    &["tablebase"],
    &["position"],
    &["chess960"],
    &["system"],
];

/// Lines that a source file may have.
const MOST_LINES: usize = 700;

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// Source text without comments and the insides of strings and characters, so that only code is
/// looked at. Block comments may nest.
fn code_only(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment_length(rest)
        } else if let Some(hashes) = raw_string_hashes(rest).filter(|_| !ends_in_word(&code)) {
            let close = format!("\"{}", "#".repeat(hashes));
            let open = 2 + hashes;
            rest[open..]
                .find(&close)
                .map_or(rest.len(), |end| open + end + close.len())
        } else if first == '"' {
            quoted_length(rest)
        } else if first == '\'' {
            // A lifetime has no closing quote; it is code.
            character_length(rest).unwrap_or(0)
        } else {
            0
        };
        if skipped > 0 {
            code.push(' ');
            rest = &rest[skipped..];
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    code
}

fn ends_in_word(code: &str) -> bool {
    code.chars()
        .last()
        .is_some_and(|c| c.is_alphanumeric() || c == '_')
}

fn block_comment_length(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The number of `#` if a raw string begins here.
fn raw_string_hashes(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let hashes = after.bytes().take_while(|&b| b == b'#').count();
    after[hashes..].starts_with('"').then_some(hashes)
}

fn quoted_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn character_length(text: &str) -> Option<usize> {
    let mut inside = text[1..].chars();
    let first = inside.next()?;
    if first == '\\' {
        let escaped = 2 + inside.next()?.len_utf8();
        return text[escaped..].find('\'').map(|end| escaped + end + 1);
    }
    (inside.next()? == '\'').then_some(1 + first.len_utf8() + 1)
}

/// The first names of all paths that begin with `crate::`, those in `crate::{a, b::c}` too.
fn rooms_named(source: &str) -> Vec<String> {
    let code: String = code_only(source);
    let mut rooms = Vec::new();
    let mut rest = code.as_str();
    while let Some(at) = rest.find("crate") {
        let starts_word = !ends_in_word(&rest[..at]);
        rest = &rest[at + "crate".len()..];
        let Some(path) = rest.trim_start().strip_prefix("::").filter(|_| starts_word) else {
            continue;
        };
        let path = path.trim_start();
        match path.strip_prefix('{') {
            Some(group) => rooms.extend(first_names(group)),
            None => rooms.extend(name_at(path)),
        }
    }
    rooms
}

fn name_at(text: &str) -> Option<String> {
    let name: String = text
        .chars()
        .take_while(|&c| c.is_alphanumeric() || c == '_')
        .collect();
    (!name.is_empty()).then_some(name)
}

/// The first names of the paths of a group, whose opening brace is taken off.
fn first_names(group: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 1;
    let mut at_start = true;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => at_start = true,
            _ if at_start && !c.is_whitespace() => {
                names.extend(name_at(&group[at..]));
                at_start = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

/// The room that a file under `src` belongs to.
fn room_of(file: &Path) -> String {
    let first = file.components().next().expect("a file has a name");
    let name = Path::new(first.as_os_str())
        .file_stem()
        .expect("a file has a name");
    name.to_string_lossy().into_owned()
}

/// What is wrong with a file of `room`.
fn violations(room: &str, source: &str) -> Vec<String> {
    let Some(own) = floor(room) else {
        return vec![format!(
            "the room '{room}' has no floor in tests/architecture.rs"
        )];
    };
    rooms_named(source)
        .into_iter()
        .filter(|other| other != room)
        .filter_map(|other| match floor(&other) {
            None => Some(format!("'{room}' names '{other}', which is no room")),
            Some(floor) if floor <= own => Some(format!("'{room}' knows '{other}' above it")),
            Some(_) => None,
        })
        .collect()
}

fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the sources can be listed") {
            let path = entry.expect("the sources can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("the sources can be read");
                let name = path
                    .strip_prefix(&root)
                    .expect("it lies under src")
                    .to_owned();
                files.push((name, text));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn no_room_knows_one_above_it() {
    let files = sources();
    assert!(files.len() > 20, "only {} sources found", files.len());
    let wrong: Vec<String> = files
        .iter()
        .flat_map(|(file, text)| {
            let shown = file.display().to_string();
            violations(&room_of(file), text)
                .into_iter()
                .map(move |wrong| format!("{shown}: {wrong}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_can_be_held_in_the_head() {
    let long: Vec<String> = sources()
        .iter()
        .filter(|(_, text)| text.lines().count() > MOST_LINES)
        .map(|(file, text)| format!("{}: {} lines", file.display(), text.lines().count()))
        .collect();
    assert!(
        long.is_empty(),
        "over {MOST_LINES} lines: {}",
        long.join(", ")
    );
}

#[test]
fn uses_that_point_up_are_found() {
    for source in [
        "use crate::search::Limits;",
        "use crate::{position::Position, search::{Limits, score}};",
        "use crate::{\n    system,\n    search,\n};",
        "fn f() { let x = crate::search::score::MATE; }",
        "pub(in crate::search) fn f() {}",
        "fn f<'a>(x: &'a str) -> char { crate::search::g(x, '\"') }",
        "use crate :: search;",
        "macro_rules! m { () => { $crate::search::f() } }",
        "const A: &str = r#\"\"#; use crate::search;",
    ] {
        assert_eq!(
            violations("position", source),
            ["'position' knows 'search' above it"],
            "{source}"
        );
    }
    assert_eq!(violations("search", "use crate::kitchen::Sink;").len(), 1);
    assert_eq!(violations("kitchen", "").len(), 1);
}

#[test]
fn uses_that_point_down_or_are_none_pass() {
    for source in [
        "use crate::{chess960, system};",
        "use crate::position::keys; use super::see; pub(crate) fn f() {}",
        "// use crate::search;\n/* crate::search /* crate::engine */ crate::uci */",
        "const A: &str = \"crate::search \\\" crate::search\"; const B: char = '\\'';",
        "const A: &str = r#\"\"crate::search\"#;",
        "use othercrate::search; use std::fmt;",
    ] {
        assert_eq!(violations("position", source), [""; 0], "{source}");
    }
}
