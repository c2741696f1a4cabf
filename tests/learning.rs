//! The commands that learn, as a person or a script runs them, and what a kill does to them.
#![cfg(feature = "tools")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use zuylen::{
    nnue::{Evaluator, Network, Weights},
    position::fen,
    tools::openings::Random,
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

/// Runs it and kills it after a while, unless it is done before; returns what it said.
fn kill_after(arguments: &[&str], time: Duration) -> String {
    let mut child = zuylen(arguments).spawn().expect("the program runs");
    thread::sleep(time);
    let _ = child.kill();
    let output = child.wait_with_output().expect("it has ended");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Twenty random moments within `span`.
fn moments(span: Duration) -> impl Iterator<Item = Duration> {
    let mut random = Random::new(960);
    (0..20).map(move |_| span.mul_f64(random.below(1000) as f64 / 1000.0))
}

/// How long something takes, and what comes of it.
fn timed<T>(task: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = task();
    (start.elapsed(), result)
}

/// The greatest number after `word` in the lines that begin with it.
fn last_number(said: &str, word: &str) -> usize {
    let numbers = said.lines().filter_map(|line| {
        let rest = line.strip_prefix(word)?.trim_start();
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    });
    numbers.max().unwrap_or(0)
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

/// Plays `count` games of few nodes into a folder, in small files.
fn play<'a>(folder: &'a str, count: &'a str) -> Vec<&'a str> {
    let mut words = vec!["datagen", "--out", folder, "--games", count];
    words.extend("--nodes 30 --seed 3 --threads 2 --chunk-size 2".split(' '));
    words
}

/// Trains for `epochs` on few games, in steps of `batch` positions.
fn train<'a>(games: &'a str, out: &'a str, epochs: &'a str, batch: &'a str) -> Vec<&'a str> {
    let mut words = vec!["train", games, "--out", out, "--epochs", epochs];
    words.extend(["--batch", batch]);
    words.extend("--patience 100 --held-out-part 200 --threads 2 --warm-up 5".split(' '));
    words
}

#[test]
fn killing_datagen_loses_no_finished_file() {
    let scratch = Scratch::new("kill-datagen");
    let (games, other) = (scratch.path("games"), scratch.path("other"));
    // As long as four files of two games take, on a busy machine too.
    let (span, _) = timed(|| success(&play(&other, "8")));
    let mut known: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    for moment in moments(span) {
        kill_after(&play(&games, "1000000"), moment);
        let now = finished(&games);
        for (path, content) in &known {
            assert_eq!(now.get(path), Some(content), "{}", path.display());
        }
        known = now;
        if !known.is_empty() {
            success(&["dataset", "check", &games]);
        }
    }
    assert!(known.len() > 1, "{} files", known.len());
    success(&play(&games, &(2 * known.len() + 4).to_string()));
    let checked = success(&["dataset", "check", &games]);
    assert!(
        checked.contains(" 0 repeated starts, 0 faults"),
        "{checked}"
    );
}

#[test]
fn killing_train_loses_no_checkpoint() {
    let scratch = Scratch::new("kill-train");
    let games = scratch.path("games");
    success(&play(&games, "40"));
    let (whole, killed) = (
        scratch.path("whole.network"),
        scratch.path("killed.network"),
    );
    let (span, _) = timed(|| success(&train(&games, &whole, "30", "128")));
    let mut known = 0;
    for moment in moments(span / 5) {
        let said = kill_after(&train(&games, &killed, "30", "128"), moment);
        let resumed = last_number(&said, "on from epoch");
        let reached = resumed.max(last_number(&said, "epoch"));
        // It may have been killed before it looked.
        assert!(reached == 0 || resumed >= known, "{known}: {said}");
        known = known.max(reached);
    }
    assert!(known > 0, "no epoch came to its end");
    let said = success(&train(&games, &killed, "30", "128"));
    assert!(last_number(&said, "on from epoch") >= known, "{said}");
    assert!(said.contains("in the engine's integers"), "{said}");
    let numbers = |path: &str| {
        let network = Network::read(&fs::read(path).expect("a network"));
        let mut network = network.expect("a sound network");
        // The name of the file is in its description.
        network.name.clear();
        network
    };
    assert_eq!(numbers(&whole), numbers(&killed));
}

/// The columns of the table of losses: while learning, and on games held out.
fn losses(network: &str) -> (Vec<f64>, Vec<f64>) {
    let table = fs::read_to_string(format!("{network}.csv")).expect("a table of losses");
    let number = |line: &str, column: usize| -> f64 {
        let word = line.split(',').nth(column).expect("a column");
        word.parse().expect("a number")
    };
    let rows = table.lines().skip(1);
    rows.map(|line| (number(line, 2), number(line, 3))).unzip()
}

/// What `scripts/learn` does but for the match, smaller.
#[test]
fn from_nothing_to_a_network_that_evaluates() {
    let scratch = Scratch::new("circle");
    let (games, network) = (scratch.path("games"), scratch.path("a.network"));
    success(&play(&games, "400"));
    let shown = success(&["dataset", "stats", &games]);
    assert!(shown.contains("games      400"), "{shown}");
    let table = success(&["dataset", "wdl", &games]);
    assert!(
        table.starts_with("material,score,wins,draws,losses\n") && table.lines().count() > 100,
        "{table}"
    );

    let fitted = success(&["dataset", "wdl", "--fit", &games]);
    assert!(
        fitted.contains("400 games") && fitted.contains("pub const FITTED: Model = Model {"),
        "{fitted}"
    );

    let mut words = train(&games, &network, "8", "128");
    words.extend(["--lambda", "0"]);
    let said = success(&words);
    assert!(said.contains("in the engine's integers"), "{said}");
    let (learning, held_out) = losses(&network);
    assert_eq!(learning.len(), 8);
    assert!(learning[7] < 0.8 * learning[0], "{learning:?}");
    let best = held_out.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(best < held_out[0], "{held_out:?}");

    let network = Network::read(&fs::read(&network).expect("a network")).expect("a sound one");
    assert!(network.name.contains("400 games"), "{}", network.name);
    let mut evaluator = Evaluator::new(network.into());
    let mut evaluate = |fen: &str| {
        let position = fen::read(fen).expect(fen).position;
        evaluator.reset(&position);
        evaluator.evaluate(&position)
    };
    let level = evaluate("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let ahead = evaluate("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let behind = evaluate("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1");
    assert!(
        behind < level && level < ahead,
        "a queen ahead {ahead}, level {level}, behind {behind}"
    );
}

/// What a yardstick is like, in short.
const TRUTH: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\t60\t900\t40\n\
    rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1\t1000\t0\t0\n";

#[test]
fn a_network_of_another_width_is_trained_measured_and_not_played_with() {
    let scratch = Scratch::new("width");
    let (games, wide) = (scratch.path("games"), scratch.path("wide.network"));
    success(&play(&games, "40"));
    let (apart, truth) = (scratch.path("apart"), scratch.path("truth.tsv"));
    fs::create_dir(&apart).expect("a folder");
    let first = finished(&games).into_keys().next().expect("a file");
    fs::copy(&first, scratch.0.join("apart/a.viri.zst")).expect("a copy");
    fs::write(&truth, TRUTH).expect("a file");

    let train = |out: &str, more: &[&str]| {
        let mut words = vec!["train", &games, "--out", out, "--batch", "128"];
        words.extend([
            "--held-out",
            &apart,
            "--yardstick",
            &truth,
            "--threads",
            "2",
        ]);
        words.extend(more);
        success(&words)
    };
    let said = train(&wide, &["--hidden", "512", "--epochs", "2"]);
    assert!(
        said.contains(" 2 games that begin as one held out"),
        "{said}"
    );
    let width = |path: &str| Weights::load(Path::new(path)).expect("a network").hidden();
    assert_eq!(width(&wide), 512);
    let table = fs::read_to_string(format!("{wide}.csv")).expect("a table of losses");
    assert!(
        table.starts_with("epoch,") && table.lines().next().unwrap().ends_with(",static_error"),
        "{table}"
    );

    // From its file it goes on where it was: what was said last is said first.
    let loss = |said: &str, begin: &str| -> f64 {
        let line = said.lines().find(|line| line.starts_with(begin));
        let rest = line
            .and_then(|line| line.split("held out ").nth(1))
            .expect(begin);
        rest.split(',').next().unwrap().parse().expect("a number")
    };
    let further = scratch.path("further.network");
    let went_on = train(&further, &["--from", &wide, "--epochs", "1"]);
    assert_eq!(width(&further), 512);
    let best = loss(&said, "epoch 1:").min(loss(&said, "epoch 2:"));
    let begun = loss(&went_on, "to begin with:");
    assert!((begun - best).abs() < 1e-5, "{said}{went_on}");

    let both = [
        "dataset",
        "error",
        &truth,
        "--network",
        &wide,
        "--network",
        &further,
    ];
    let compared = success(&both);
    assert!(
        compared.contains("25-32 men") && compared.contains("to the first"),
        "{compared}"
    );
    assert!(success(&both[..3]).starts_with("the program's own network: 0.0"));
    refused(
        &["dataset", "error", &truth, "--network", &truth],
        "not a network",
    );

    let reason = "a network of 512 hidden neurons; this program plays with 256";
    refused(&["datagen", "--out", &games, "--network", &wide], reason);
    let option = format!("setoption name EvalFile value {wide}");
    let said = String::from_utf8_lossy(&run(&[&option, "quit"]).stdout).into_owned();
    assert!(
        said.starts_with("info string ") && said.contains(reason),
        "{said}"
    );
}

#[test]
fn damage_and_mistakes_are_told() {
    let scratch = Scratch::new("damage");
    let games = scratch.path("games");
    success(&play(&games, "3"));
    let path = finished(&games).into_keys().next().expect("a file");
    let content = fs::read(&path).expect("it can be read");
    fs::write(&path, &content[..content.len() - 5]).expect("it can be written");
    let (merged, shuffled) = (scratch.path("new/merged"), scratch.path("new/shuffled"));
    for task in [
        vec!["check"],
        vec!["stats"],
        vec!["sample"],
        vec!["wdl"],
        vec!["merge", "--out", &merged],
        vec!["shuffle", "--out", &shuffled],
    ] {
        let mut words = vec!["dataset"];
        words.extend(&task);
        words.push(&games);
        let output = run(&words);
        assert_eq!(output.status.code(), Some(1), "{task:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains(".viri.zst: game ") && !output.stdout.is_empty(),
            "{task:?}: {said}"
        );
    }
    for rest in [merged, shuffled] {
        let checked = success(&["dataset", "check", &format!("{rest}-000000.viri.zst")]);
        assert!(checked.contains(" 0 faults"), "{checked}");
    }

    let empty = scratch.path("empty");
    fs::create_dir(&empty).expect("a folder");
    let garbage = scratch.path("garbage.viri");
    fs::write(&garbage, [7; 100]).expect("a file");
    for (wrong, reason) in [
        (vec!["dataset", "stats"], "required"),
        (vec!["dataset", "stats", "/no/such/games"], "No such file"),
        (vec!["dataset", "stats", &empty], "no files of games in"),
        (vec!["dataset", "stats", &garbage], "there is no sound game"),
        (vec!["dataset", "wdl", "--fit", &garbage], "too few games"),
    ] {
        refused(&wrong, reason);
    }
}

/// Runs it, and expects a failure with a reason.
fn refused(arguments: &[&str], reason: &str) {
    let output = run(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains(reason),
        "{arguments:?}: {said}"
    );
}

#[test]
fn what_cannot_be_trained_is_refused_before_training() {
    let scratch = Scratch::new("refused");
    let games = scratch.path("games");
    success(&play(&games, "40"));
    let (network, folder) = (scratch.path("a.network"), scratch.path("folder"));
    fs::create_dir(&folder).expect("a folder");
    let file = format!(
        "{}/b.network",
        finished(&games).into_keys().next().unwrap().display()
    );
    let train = |words: &[&'static str], out: &str, reason: &str| {
        let mut all = vec!["train", &games, "--out", out];
        all.extend(words);
        refused(&all, reason);
    };
    for (word, value, reason) in [
        ("--lambda", "1.5", "not between 0 and 1"),
        ("--lambda", "NaN", "not between 0 and 1"),
        ("--network-k", "1e-300", "not between 20 and 2000"),
        ("--network-k", "1e300", "not between 20 and 2000"),
        ("--batch", "0", "not in 1..="),
        ("--epochs", "0", "not in 1..="),
        ("--epochs", "18446744073709551615", "not in 1..="),
        ("--patience", "0", "not in 1..="),
        ("--threads", "0", "not in 1..=1024"),
        ("--threads", "100000", "not in 1..=1024"),
        ("--rate", "1e300", "not between"),
        ("--final-rate", "0", "not between"),
        ("--from", "/no/such/checkpoint", "/no/such/checkpoint"),
        ("--from", "/dev/zero", "not a file"),
        ("--from", "Cargo.toml", "no checkpoint of this program"),
        ("--hidden", "0", "not a multiple of 32 up to 4096"),
        ("--hidden", "48", "not a multiple of 32 up to 4096"),
        ("--hidden", "1000000", "not a multiple of 32 up to 4096"),
        ("--score-k", "1", "not between 20 and 2000"),
        ("--held-out", "/no/such/games", "/no/such/games"),
        ("--yardstick", "/no/such/positions", "/no/such/positions"),
        ("--yardstick", "Cargo.toml", "line 1: "),
    ] {
        train(&[word, value], &network, reason);
    }
    train(&[], &folder, "is a folder, not a file");
    train(&[], &file, "File exists");
    refused(
        &["train", "/no/such/games", "--out", &network],
        "/no/such/games",
    );
    refused(
        &["datagen", "--out", &games, "--chunk-size", "100000"],
        "not in 1..=",
    );
    refused(
        &["datagen", "--out", &games, "--threads", "100000"],
        "not in 1..=",
    );
    assert!(!Path::new(&network).exists() && !Path::new(&format!("{network}.csv")).exists());

    // A folder that isn't there is made, and of two trainers of one network the second is refused.
    let network = scratch.path("new/a.network");
    let words: Vec<String> = ["train", &games, "--out", &network, "--epochs", "100000"]
        .map(str::to_owned)
        .to_vec();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut first = zuylen(&words).spawn().expect("the program runs");
    let checkpoint = format!("{network}.checkpoint");
    while !Path::new(&checkpoint).exists() && first.try_wait().is_ok_and(|end| end.is_none()) {
        thread::sleep(Duration::from_millis(10));
    }
    let second = run(&words);
    let _ = first.kill();
    let _ = first.wait();
    let said = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(
        !second.status.success() && said.contains("another program is training this network"),
        "{said}"
    );
}
