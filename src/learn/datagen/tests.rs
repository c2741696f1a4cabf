use std::fs;

use super::*;
use crate::learn::scratch::Scratch;

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

fn settings(folder: &Path) -> Settings {
    Settings {
        folder: folder.to_owned(),
        network: Network::embedded(),
        play_out: false,
        nodes: 40,
        tablebases: None,
        asides: 20,
        threads: 1,
        seed: 9,
        games: Some(5),
        positions: None,
        chunk_games: 2,
    }
}

/// The name of a file of the series that [`settings`] play.
fn file(number: u64, ending: &str) -> String {
    let series = settings(Path::new("")).series();
    format!("{series}-{number:06}.viri.zst{ending}")
}

fn play(settings: &Settings) -> (u64, u64, Vec<String>) {
    let progress = Progress::default();
    let mut notes = Vec::new();
    run(settings, &progress, || {}, &mut |note| {
        notes.push(note.to_owned())
    })
    .expect("games");
    (
        progress.games.load(Relaxed),
        progress.positions.load(Relaxed),
        notes,
    )
}

/// Names and contents of the files of games.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = chunks::files_in(folder).expect("a folder");
    files
        .into_iter()
        .map(|path| {
            let content = fs::read(&path).expect("a file");
            (path.file_name().expect("a name").into(), content)
        })
        .collect()
}

#[test]
fn one_worker_writes_the_same_bytes_even_after_a_kill() {
    let (a, b) = (Scratch::new("datagen-a"), Scratch::new("datagen-b"));
    assert_eq!(play(&settings(a.folder())).0, 5);
    let whole = contents(a.folder());
    assert_eq!(whole.len(), 3, "two games a file");

    // As after a kill in the last file: the finished ones are there, and half of one.
    play(&Settings {
        games: Some(4),
        ..settings(b.folder())
    });
    let unfinished = b.path(&file(2, ".part"));
    fs::write(&unfinished, [1, 2, 3]).unwrap();
    let (games, positions, notes) = play(&settings(b.folder()));
    assert_eq!((games, notes), (5, Vec::new()));
    assert!(!unfinished.exists());
    assert_eq!(contents(b.folder()), whole);
    let counted: usize = whole
        .iter()
        .map(|(name, _)| chunks::read(&a.path(&name.to_string_lossy())).unwrap().0)
        .map(|games| games.iter().map(|game| game.moves.len()).sum::<usize>())
        .sum();
    assert_eq!(positions, counted as u64);

    // Enough is enough.
    assert_eq!(play(&settings(a.folder())).0, 5);
    assert_eq!(contents(a.folder()), whole);
}

#[test]
fn another_seed_plays_other_games_in_the_same_folder() {
    let scratch = Scratch::new("datagen-seeds");
    play(&Settings {
        games: Some(2),
        ..settings(scratch.folder())
    });
    play(&Settings {
        games: Some(2),
        seed: 10,
        ..settings(scratch.folder())
    });
    let files = contents(scratch.folder());
    assert_eq!(files.len(), 2);
    assert_ne!(files[0].1, files[1].1);
}

#[test]
fn several_workers_stop_at_enough_positions() {
    let scratch = Scratch::new("datagen-many");
    let wanted = Settings {
        threads: 3,
        games: None,
        positions: Some(300),
        ..settings(scratch.folder())
    };
    let (games, positions, _) = play(&wanted);
    assert!(positions >= 300 && games >= 1);
    let mut starts = BTreeSet::new();
    let mut stored = 0;
    for path in chunks::files_in(scratch.folder()).unwrap() {
        let (found, fault) = chunks::read(&path).unwrap();
        assert!(fault.is_none());
        let games = || found.iter().filter(|game| !game.aside);
        stored += games().count() as u64;
        starts.extend(games().map(|game| game.start.keys().whole));
    }
    assert_eq!((stored, starts.len() as u64), (games, games));
}

#[test]
fn a_damaged_file_is_told_of_and_left_alone() {
    let scratch = Scratch::new("datagen-damaged");
    play(&Settings {
        games: Some(2),
        ..settings(scratch.folder())
    });
    let path = scratch.path(&file(0, ""));
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(bytes.len() / 2);
    fs::write(&path, &bytes).unwrap();
    let (_, _, notes) = play(&Settings {
        games: Some(2),
        ..settings(scratch.folder())
    });
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert!(scratch.path(&file(1, "")).exists());
}

#[test]
fn games_of_another_network_are_another_series() {
    let one = settings(Path::new("here"));
    let others = [
        Settings {
            network: Network::random(3).into(),
            ..one.clone()
        },
        Settings {
            asides: 0,
            ..one.clone()
        },
        Settings {
            tablebases: Some(Arc::new(Tablebases::open(TABLES).unwrap().0)),
            ..one.clone()
        },
        Settings {
            play_out: true,
            ..one.clone()
        },
        Settings {
            nodes: 41,
            ..one.clone()
        },
        Settings {
            seed: 8,
            ..one.clone()
        },
    ];
    for other in others {
        assert_ne!(one.series(), other.series());
    }
    let folder = settings(Path::new("there"));
    assert_eq!(one.series(), folder.series());
}
