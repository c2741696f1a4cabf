//! Files that are damaged, cut short or something else entirely: each is refused with a reason, and
//! none does harm. Checkpoints have their tests beside their code.
#![cfg(feature = "tools")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use proptest::{collection::vec, prelude::*};
use zuylen::{
    learn::{
        chunks,
        format::{Game, GameResult, StartKind},
    },
    nnue::Network,
    position::Position,
};

/// A folder that is gone when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("zuylen-damaged-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the test");
        Scratch(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Some games from all kinds of start positions, stored one after another.
fn games() -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..6_u16 {
        let start = Position::start_array(97 * number, 959 - 150 * number).expect("a number");
        let mut position = start.clone();
        let mut moves = Vec::new();
        for ply in 0..60_u16 {
            let legal = position.legal_moves();
            let castling = legal.iter().find(|m| m.is_castle());
            let any = legal.get(usize::from(ply * 31 + number) % legal.len().max(1));
            let Some(&m) = castling.or(any) else { break };
            moves.push((m, ply.wrapping_mul(7919) as i16));
            position = position.play(m);
        }
        let game = Game {
            start,
            start_score: 5,
            result: GameResult::Draw,
            kind: StartKind::Double,
            played_out: true,
            aside: number % 2 == 1,
            moves,
        };
        game.write(&mut bytes);
    }
    bytes
}

/// The compressed file of those games.
fn compressed() -> &'static [u8] {
    static FILE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let scratch = Scratch::new("whole");
        let path = scratch.path("a.viri.zst");
        chunks::write_new(&path, &games()).expect("a new file");
        fs::read(path).expect("it is there")
    });
    &FILE
}

/// Reads `content` as a file of games: their bytes when written again, and what is wrong.
fn read(path: &Path, content: &[u8]) -> (Vec<u8>, Option<String>) {
    // To overwrite a file would make some file systems wait for the disk.
    let _ = fs::remove_file(path);
    fs::write(path, content).expect("it can be written");
    let (found, fault) = chunks::read(path).expect("it can be opened");
    let mut again = Vec::new();
    for game in &found {
        game.write(&mut again);
        let _ = game.end().legal_moves();
    }
    (again, fault.map(|fault| fault.to_string()))
}

#[test]
fn compressed_games_are_refused_wherever_they_are_cut_or_changed() {
    let scratch = Scratch::new("compressed");
    let path = scratch.path("a.viri.zst");
    let (whole, games) = (compressed(), games());
    assert_eq!(read(&path, whole), (games.clone(), None));
    for end in 0..whole.len() {
        let (_, fault) = read(&path, &whole[..end]);
        let fault = fault.unwrap_or_else(|| panic!("cut at {end}, and nobody noticed"));
        assert!(fault.starts_with("game "), "{fault}");
    }
    for at in 0..whole.len() {
        let mut changed = whole.to_vec();
        changed[at] ^= 1 << (at % 8);
        let (found, fault) = read(&path, &changed);
        // A bit of zstd's header may be without meaning.
        assert!(
            fault.is_some() || found == games,
            "changed at {at}, and nobody noticed"
        );
    }
}

#[test]
fn other_files_are_no_games() {
    let scratch = Scratch::new("foreign");
    let mut network = Vec::new();
    Network::random(1)
        .write(&mut network)
        .expect("a vector takes everything");
    let text = b"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 *\n".to_vec();
    let foreign = [network, text.repeat(20), vec![0xff; 500], games()];
    for content in &foreign {
        let (found, fault) = read(&scratch.path("a.viri.zst"), content);
        let fault = fault.expect("it is not compressed");
        assert!(
            found.is_empty() && fault.contains("can't be read on"),
            "{fault}"
        );
    }
    for content in &foreign[..3] {
        let (found, fault) = read(&scratch.path("a.viri"), content);
        assert!(found.is_empty() && fault.is_some());
        // The same, compressed as games are.
        let path = scratch.path("b.viri.zst");
        let _ = fs::remove_file(&path);
        chunks::write_new(&path, content).expect("a new file");
        let (found, fault) = read(&path, &fs::read(&path).expect("it is there"));
        assert!(found.is_empty() && fault.is_some());
    }
}

#[test]
fn the_program_says_which_file_is_no_good() {
    let scratch = Scratch::new("program");
    let mut network = Vec::new();
    Network::random(1)
        .write(&mut network)
        .expect("a vector takes everything");
    let wrong = scratch.path("wrong.viri.zst");
    fs::write(&wrong, network).expect("it can be written");
    let out = scratch.path("new");
    for task in [
        vec!["dataset", "check"],
        vec!["dataset", "merge", "--out", out.to_str().expect("plain")],
        vec!["dataset", "shuffle", "--out", out.to_str().expect("plain")],
        vec!["dataset", "sample"],
        vec!["train", "--out", out.to_str().expect("plain")],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_zuylen"))
            .args(&task)
            .arg(&wrong)
            .output()
            .expect("the program runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(output.status.code(), Some(1), "{task:?}: {said}");
        assert!(said.contains("wrong.viri.zst"), "{task:?}: {said}");
    }
}

#[test]
fn the_program_refuses_games_as_a_network() {
    let scratch = Scratch::new("no-network");
    let path = scratch.path("games.network");
    fs::write(&path, compressed()).expect("it can be written");
    let (file, out) = (path.to_str().expect("plain"), scratch.path("games"));
    let datagen = ["datagen", "--games", "1", "--network", file, "--out"];
    let output = Command::new(env!("CARGO_BIN_EXE_zuylen"))
        .args(datagen)
        .arg(&out)
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("games.network: not a network of this engine") && !out.exists(),
        "{said}"
    );
    let option = format!("setoption name EvalFile value {file}");
    let output = Command::new(env!("CARGO_BIN_EXE_zuylen"))
        .args([&option, "quit"])
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&output.stdout);
    // scripts/learn takes such a line for a refusal, and none for consent.
    assert!(said.starts_with("info string "), "{said}");
    assert!(said.contains("not a network of this engine"), "{said}");
}

#[test]
fn a_network_is_refused_wherever_it_is_cut() {
    let mut whole = Vec::new();
    Network::random(2)
        .write(&mut whole)
        .expect("a vector takes everything");
    for end in 0..whole.len() {
        let error = Network::read(&whole[..end]).expect_err("it is cut short");
        assert!(!error.to_string().is_empty());
    }
    // Every bit of what frames the numbers; a sample of the rest is changed in tests/nnue.rs.
    let frame = 100;
    for at in (0..frame).chain(whole.len() - 12..whole.len()) {
        for bit in 0..8 {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            assert!(Network::read(&changed).is_err(), "bit {bit} of byte {at}");
        }
    }
}

#[test]
fn games_are_no_network() {
    for content in [games().as_slice(), compressed()] {
        let error = Network::read(content).expect_err("it is none");
        assert_eq!(error.to_string(), "not a network of this engine");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// What begins like games and goes on as it likes, compressed or not.
    #[test]
    fn any_bytes_may_be_read_as_games(
        ours in any::<prop::sample::Index>(),
        bytes in vec(any::<u8>(), 1..400),
        seal: bool,
    ) {
        let scratch = Scratch::new("any");
        let whole = if seal { games() } else { compressed().to_vec() };
        let content = [&whole[..ours.index(whole.len())], &bytes].concat();
        let path = scratch.path("a.viri.zst");
        if seal {
            chunks::write_new(&path, &content).expect("a new file");
            let content = fs::read(&path).expect("it is there");
            // Whatever is read is sound: it can be written, and is read the same again.
            let (found, _) = read(&path, &content);
            let raw = scratch.path("a.viri");
            prop_assert_eq!(read(&raw, &found), (found.clone(), None));
        } else {
            let (_, fault) = read(&path, &content);
            prop_assert!(fault.is_some());
        }
    }
}
