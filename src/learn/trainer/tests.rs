use std::fs;

use super::*;
use crate::learn::{
    datagen::{self, Progress},
    quantise,
    scratch::Scratch,
    trainer::data::{HeldOut, Sources},
};
use crate::nnue::{Network, Weights, architecture::HIDDEN};

/// Some games of the hand-written evaluation, the same every time.
fn games(scratch: &Scratch, count: u64) -> Data {
    let settings = datagen::Settings {
        network: Network::embedded(),
        folder: scratch.folder().to_owned(),
        play_out: false,
        nodes: 60,
        asides: 0,
        tablebases: None,
        threads: 1,
        seed: 1,
        games: Some(count),
        positions: None,
        chunk_games: 20,
    };
    datagen::run(&settings, &Progress::default(), || {}, &mut |note| {
        panic!("{note}")
    })
    .expect("games");
    Data::load(Sources {
        games: chunks::files_in(scratch.folder()).unwrap(),
        held_out: HeldOut::Part(150),
        yardstick: None,
    })
    .expect("positions")
}

fn settings() -> Settings {
    Settings {
        hidden: HIDDEN,
        from: None,
        lambda: 0.3,
        smooth: 0.0,
        epochs: 6,
        batch: 128,
        rate: 2e-3,
        final_rate: 1e-5,
        warm_up: 4,
        decay: 0.01,
        seed: 5,
        threads: 2,
        patience: 6,
        score_k: scale::K,
        network_k: scale::K,
    }
}

fn run(settings: &Settings, data: &Data, files: &Files) -> io::Result<Trained> {
    pool(settings.threads)
        .unwrap()
        .install(|| train(settings, data, files, &mut |_| {}))
}

#[test]
fn from_games_to_a_network_that_loads() {
    // Fewer teach nothing about others.
    const GAMES: u64 = 200;
    let scratch = Scratch::new("train");
    let data = games(&scratch, GAMES);
    assert!(data.faults.is_empty() && data.counts.games == GAMES);
    assert!(
        data.counts.kept > 500 && data.counts.tactical > 100,
        "{:?}",
        data.counts
    );
    // Scores alone: the results of a few held-out games are mostly chance.
    let settings = Settings {
        lambda: 0.0,
        ..settings()
    };
    let shape = Shape::new(HIDDEN);
    let before = loss(&shape.initial(5), shape, &settings.target(), &data.held_out);
    let trained = run(&settings, &data, &Files::default()).unwrap();
    let (first, last) = (trained.rows[0], trained.rows[5]);
    assert!(
        last.training_loss < 0.8 * first.training_loss,
        "{:?}",
        trained.rows
    );
    assert!(trained.best.1 < 0.9 * before, "{before} {:?}", trained.best);

    let network = quantise::quantise(&trained.parameters, shape, "a test".to_owned());
    let rounded = quantise::loss(&network, &trained.target, &data.held_out);
    assert!(
        (rounded - trained.best.1).abs() < 0.01 * trained.best.1,
        "{rounded} {:?}",
        trained.best
    );
    let mut file = Vec::new();
    network.write(&mut file).unwrap();
    assert_eq!(Weights::read(&file).unwrap(), network);
}

#[test]
fn an_interrupted_run_ends_where_the_whole_one_does() {
    let scratch = Scratch::new("resume");
    let data = games(&scratch, 60);
    let whole = run(&settings(), &data, &Files::default()).unwrap();

    let files = Files::beside(&scratch.path("a")).unwrap();
    let killed = std::panic::catch_unwind(|| {
        pool(2).unwrap().install(|| {
            let mut epochs = 0;
            train(&settings(), &data, &files, &mut |report| {
                epochs += usize::from(matches!(report, Report::Epoch(..)));
                // In the middle of the fourth epoch.
                assert!(
                    epochs < 3 || !matches!(report, Report::Positions(_)),
                    "killed"
                );
            })
        })
    });
    assert!(killed.is_err());
    let resumed = run(&settings(), &data, &files).unwrap();
    assert_eq!(resumed.parameters, whole.parameters);
    assert_eq!(resumed.best, whole.best);
    let table = fs::read_to_string(scratch.path("a.csv")).unwrap();
    assert_eq!(table.lines().count(), 7);

    // It is done, and stays so.
    assert_eq!(
        run(&settings(), &data, &files).unwrap().parameters,
        whole.parameters
    );
    let other = run(
        &Settings {
            seed: 6,
            ..settings()
        },
        &data,
        &files,
    )
    .unwrap_err()
    .to_string();
    assert!(other.contains("another run"), "{other}");
}

#[test]
fn training_ends_when_the_held_out_loss_no_longer_falls() {
    let scratch = Scratch::new("patience");
    let data = games(&scratch, 60);
    // Hardly any data and a high rate: it learns the games by heart.
    let eager = Settings {
        epochs: 200,
        rate: 1e-2,
        patience: 2,
        lambda: 1.0,
        ..settings()
    };
    let trained = run(&eager, &data, &Files::default()).unwrap();
    assert_eq!(trained.rows.len(), trained.best.0 + 2);
    assert!(trained.rows.len() < 200);
}

#[test]
fn the_rate_rises_and_falls() {
    let settings = Settings {
        warm_up: 10,
        rate: 1e-3,
        final_rate: 3e-6,
        ..settings()
    };
    assert!((settings.rate_at(0, 1000) - 1e-4).abs() < 1e-9);
    assert!((settings.rate_at(10, 1000) - 1e-3).abs() < 1e-9);
    assert!(settings.rate_at(505, 1000) < 5.1e-4);
    assert!((settings.rate_at(1000, 1000) - 3e-6).abs() < 1e-9);
}

/// The first report of a run.
fn begun(settings: &Settings, data: &Data) -> f64 {
    let mut found = None;
    pool(settings.threads).unwrap().install(|| {
        train(settings, data, &Files::default(), &mut |report| {
            if let Report::Begun(loss, _) = report {
                found = Some(loss);
            }
        })
        .expect("a run")
    });
    found.expect("it has begun")
}

#[test]
fn training_goes_on_from_a_network() {
    let scratch = Scratch::new("from-network");
    let data = games(&scratch, 60);
    let path = scratch.path("a.network");
    let mut file = Vec::new();
    Network::embedded().write(&mut file).unwrap();
    fs::write(&path, file).unwrap();
    let settings = Settings {
        from: Some(path.clone()),
        epochs: 1,
        rate: 1e-4,
        ..settings()
    };
    let weights = Network::embedded().weights();
    let (shape, lines) = quantise::to_floating(&weights);
    let own = loss(&lines, shape, &settings.target(), &data.held_out);
    assert_eq!(begun(&settings, &data), own);
    // The integers of the engine are cut off where these numbers are not.
    let exact = quantise::loss(&weights, &settings.target(), &data.held_out);
    assert!((exact / own - 1.0).abs() < 0.005, "{exact} {own}");
    // Random weights know nothing of it.
    let fresh = Settings {
        from: None,
        ..settings.clone()
    };
    assert!(begun(&fresh, &data) > 1.5 * own);

    // Twice as wide it says the same but for rounding; other widths are refused.
    let wide = Settings {
        hidden: 2 * HIDDEN,
        ..settings.clone()
    };
    let found = begun(&wide, &data);
    assert!((found / own - 1.0).abs() < 0.1, "{found} {own}");
    for hidden in [HIDDEN / 2, HIDDEN + 32, 4 * HIDDEN] {
        let other = Settings {
            hidden,
            ..settings.clone()
        };
        let error = other.first_weights().unwrap_err().to_string();
        assert!(
            error.contains("a.network: it has 256 hidden neurons; wanted are"),
            "{error}"
        );
    }
}
