//! `tests/README.md` says which test proves what; here it is checked that those tests exist.

use std::{collections::HashSet, fs, path::Path};

/// The names between backquotes that name a test: `place::function`.
fn tests_named(text: &str) -> Vec<&str> {
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.contains("::") && !name.contains(' '))
        .collect()
}

/// Whether the file that `place` stands for has a test called `function`.
fn exists(place: &str, function: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = match place.strip_prefix("src/") {
        Some(place) => root.join("src").join(place),
        None => root.join("tests").join(place),
    };
    let source = fs::read_to_string(path.with_extension("rs")).unwrap_or_default();
    let declaration = format!("fn {function}(");
    // A test has its attribute above it; in `proptest!` the parameters may follow on other lines.
    source.match_indices(&declaration).any(|(at, _)| {
        let before: Vec<&str> = source[..at].lines().rev().take(4).collect();
        before.iter().any(|line| line.trim() == "#[test]")
    })
}

#[test]
fn every_test_in_the_readme_exists() {
    let text = include_str!("README.md");
    let missing: Vec<&str> = tests_named(text)
        .into_iter()
        .filter(|name| {
            let (place, function) = name.split_once("::").expect("a name of two parts");
            !exists(place, function)
        })
        .collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn every_point_has_a_row() {
    let text = include_str!("README.md");
    let points: HashSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .collect();
    for point in 1..=24 {
        assert!(points.contains(point.to_string().as_str()), "{point}");
    }
}

#[test]
fn names_of_tests_are_found() {
    assert_eq!(
        tests_named("a `b::c` d `e f::g` `h` `i::j`"),
        ["b::c", "i::j"]
    );
    assert!(exists("index", "every_point_has_a_row"));
    assert!(!exists("index", "tests_named"));
    assert!(!exists("nowhere", "every_point_has_a_row"));
}
