//! The commands that learn, as a person or a script runs them, and what a kill does to them.
#![cfg(feature = "tools")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::Duration,
};

/// A folder that is gone when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("zuylen-cli-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the test");
        Scratch(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn zuylen(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zuylen"));
    command
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    zuylen(arguments).output().expect("the program runs")
}

/// Runs it, expects success, and returns what it said.
fn success(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs it and kills it after a while, unless it is done before.
fn kill_after(arguments: &[&str], milliseconds: u64) {
    let mut child = zuylen(arguments).spawn().expect("the program runs");
    thread::sleep(Duration::from_millis(milliseconds));
    let _ = child.kill();
    let _ = child.wait();
}

/// The finished files of a folder and what is in them.
fn finished(folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(Path::new(folder)).into_iter().flatten();
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".viri.zst"))
        .map(|path| {
            (
                path.clone(),
                fs::read(&path).expect("a finished file can be read"),
            )
        })
        .collect()
}

#[test]
fn killing_datagen_and_train_loses_nothing_finished() {
    let scratch = Scratch::new("kill");
    let games = scratch.path("games");
    let play = |count: &'static str| {
        [
            "datagen",
            "--out",
            &games,
            "--nodes",
            "30",
            "--seed",
            "3",
            "--threads",
            "2",
            "--chunk-size",
            "4",
            "--games",
            count,
        ]
        .map(str::to_owned)
    };
    let endless = play("1000000");
    let endless: Vec<&str> = endless.iter().map(String::as_str).collect();
    let mut known: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for kill in 0..10 {
        kill_after(&endless, 20 + 67 * kill);
        let now = finished(&games);
        for (path, content) in &known {
            assert_eq!(now.get(path), Some(content), "{}", path.display());
        }
        known = now;
        if !known.is_empty() {
            success(&["dataset", "check", &games]);
        }
    }
    let enough = play("60");
    success(&enough.iter().map(String::as_str).collect::<Vec<&str>>());
    let checked = success(&["dataset", "check", &games]);
    assert!(
        checked.contains(" 0 repeated starts, 0 faults"),
        "{checked}"
    );
    let table = success(&["dataset", "wdl", &games]);
    assert!(
        table.starts_with("material,score,wins,draws,losses\n") && table.lines().count() > 100,
        "{table}"
    );

    let train = |out: &str| {
        [
            "train",
            &games,
            "--out",
            out,
            "--batch",
            "64",
            "--epochs",
            "40",
            "--patience",
            "40",
            "--held-out",
            "200",
            "--threads",
            "2",
            "--warm-up",
            "5",
        ]
        .map(str::to_owned)
    };
    let (whole, killed) = (
        scratch.path("whole.network"),
        scratch.path("killed.network"),
    );
    let words = train(&whole);
    success(&words.iter().map(String::as_str).collect::<Vec<&str>>());
    let words = train(&killed);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for kill in 0..10 {
        kill_after(&words, 20 + 31 * kill);
    }
    let said = success(&words);
    assert!(said.contains("quantised"), "{said}");
    let numbers = |path: &str| {
        let network = zuylen::nnue::Network::read(&fs::read(path).expect("a network"));
        let mut network = network.expect("a sound network");
        // The name of the file is in its description.
        network.name.clear();
        network
    };
    assert_eq!(numbers(&whole), numbers(&killed));
}

#[test]
fn damage_and_mistakes_are_told() {
    let scratch = Scratch::new("damage");
    let games = scratch.path("games");
    success(&[
        "datagen",
        "--out",
        &games,
        "--nodes",
        "20",
        "--threads",
        "1",
        "--chunk-size",
        "3",
        "--games",
        "3",
    ]);
    let path = finished(&games).into_keys().next().expect("a file");
    let content = fs::read(&path).expect("it can be read");
    fs::write(&path, &content[..content.len() - 5]).expect("it can be written");
    let output = run(&["dataset", "check", &games]);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("1 faults") && said.contains("game "),
        "{said}"
    );

    for wrong in [
        vec!["train", &games, "--out", "x", "--lambda", "1.5"],
        vec!["train", "/no/such/games", "--out", "x"],
        vec!["datagen", "--out", &games, "--chunk-size", "100000"],
        vec!["dataset", "stats"],
        vec!["dataset", "wdl", &games],
    ] {
        let output = run(&wrong);
        assert!(
            !output.status.success() && !output.stderr.is_empty(),
            "{wrong:?}"
        );
    }
}
