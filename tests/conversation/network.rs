//! The evaluation: another network's file, what is no such file, and what the console shows.

use std::{fs, path::PathBuf};

use zuylen::nnue::Network;

use crate::harness::{Program, Referee, notes};

/// A folder that is gone when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("zuylen {name} {}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the test");
        Scratch(folder)
    }

    /// A file with these bytes; its path has spaces.
    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        fs::write(&path, bytes).expect("a file for the test");
        path.display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn bytes_of(network: &Network) -> Vec<u8> {
    let mut bytes = Vec::new();
    network.write(&mut bytes).expect("memory takes everything");
    bytes
}

fn evaluation(program: &mut Program) -> String {
    program.send("eval");
    let said = program.sync();
    said.last().expect("an evaluation").clone()
}

#[test]
fn another_network_is_loaded_and_the_embedded_one_comes_back() {
    let scratch = Scratch::new("networks");
    let other = scratch.file("of random numbers", &bytes_of(&Network::random(4)));
    let mut program = Program::start();
    program.send("position fen r1b1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let own = evaluation(&mut program);
    program.send(&format!("setoption name evalfile value {other}"));
    assert_eq!(program.sync(), [""; 0]);
    assert_ne!(evaluation(&mut program), own);
    // As a path is copied from elsewhere.
    program.send(&format!("setoption name EvalFile value \"{other}\""));
    assert_eq!(program.sync(), [""; 0]);
    assert_ne!(evaluation(&mut program), own);
    program.send("setoption name EvalFile value /no/such.network");
    let said = program.sync();
    assert!(
        matches!(notes(&said)[..], [note] if note.starts_with("EvalFile not set: /no/such.network: ")),
        "{said:?}"
    );
    for default in ["<embedded>", "<empty>", ""] {
        program.send(&format!("setoption name EvalFile value {other}"));
        program.send(&format!("setoption name EvalFile value {default}"));
        assert_eq!(program.sync(), [""; 0], "{default}");
        assert_eq!(evaluation(&mut program), own, "{default}");
    }
}

#[test]
fn what_is_no_network_is_refused_with_a_reason_and_changes_nothing() {
    let scratch = Scratch::new("no networks");
    let whole = bytes_of(&Network::embedded());
    let mut damaged = whole.clone();
    damaged[5000] ^= 1;
    let mut program = Program::start();
    program.send("position startpos moves e2e4");
    let own = evaluation(&mut program);
    for (path, reason) in [
        (scratch.file("empty", &[]), "not a network"),
        (scratch.file("foreign", b"PNG and so on"), "not a network"),
        (
            scratch.file("cut", &whole[..whole.len() / 2]),
            "ends too early",
        ),
        (scratch.file("damaged", &damaged), "damaged"),
        (
            scratch.file("long", &[&whole[..], &[0; 9]].concat()),
            "follow its end",
        ),
        (scratch.0.display().to_string(), "not a file"),
        ("/no such file".to_owned(), "EvalFile not set"),
    ] {
        program.send(&format!("setoption name EvalFile value {path}"));
        let said = program.sync();
        assert!(
            matches!(notes(&said)[..], [note] if note.contains(reason)),
            "{path}: {said:?}"
        );
        assert_eq!(evaluation(&mut program), own);
    }
    Referee::startpos("e2e4").judge(&program.ask("position startpos moves e2e4\ngo depth 3"));
}

#[test]
fn a_file_in_the_middle_of_a_search_comes_after_its_answer() {
    let scratch = Scratch::new("search");
    let other = scratch.file("other", &bytes_of(&Network::random(5)));
    let mut program = Program::start();
    program.send("position startpos\ngo infinite");
    let answer = program.ask(&format!("setoption name EvalFile value {other}"));
    Referee::startpos("").judge(&answer);
    Referee::startpos("").judge(&program.ask("go nodes 3000"));
}

#[test]
fn the_console_shows_what_pieces_and_layers_say() {
    let mut program = Program::start();
    program.send("position fen 4k3/8/8/8/8/8/8/Q3K3 b - - 0 1");
    program.send("eval");
    let said = program.sync();
    let queen = said.iter().position(|line| line.contains("Q   |"));
    let contributions = &said[queen.expect("the queen's rank") + 1];
    assert!(contributions.contains('+'), "{said:#?}");
    let layers = said
        .iter()
        .find(|line| line.starts_with("By number of men"));
    let layers = layers.expect("the layers");
    assert_eq!(layers.split(' ').count(), 4 + 8);
    assert_eq!(layers.matches('*').count(), 1);
    let last = said.last().expect("the value");
    assert!(
        last.starts_with("Evaluation: -") && last.contains("Black"),
        "{last}"
    );
}
