//! Tablebases of three men (in `data/syzygy`, from the public sets), and the search with them.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use shakmaty::{Move, uci::UciMove};
use zuylen::{
    position::{Position, fen, repetition::KeyHistory},
    search::{
        Control, Event, Info, Limits,
        clock::Clock,
        endgame::{Probing, Ranking},
        pool::{Job, Pool},
        score::Score,
    },
    tablebase::{Outcome, Tablebases},
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

fn position(text: &str) -> Position {
    fen::read(text).expect("a legal position").position
}

fn tables() -> Tablebases {
    let (tables, faults) = Tablebases::open(FOLDER).expect("tables");
    assert!(faults.is_empty(), "{faults:?}");
    tables
}

fn probing(fifty_move_rule: bool) -> Probing {
    let tables = Arc::new(tables());
    Probing {
        most_men: tables.most_men(),
        tables,
        least_depth: 1,
        fifty_move_rule,
    }
}

fn played(root: &Position, text: &str) -> Move {
    let m: UciMove = text.parse().expect("a move");
    m.to_move(root.chess()).expect("a legal move")
}

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("zuylen {} {name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).expect("a file");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn what_perfect_play_makes_of_a_position() {
    let tables = tables();
    assert_eq!((tables.files(), tables.most_men()), (10, 3));
    for (text, outcome, plies) in [
        // Plies to the next pawn move or mate.
        // A king before his pawn with the opposition to the other side.
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Outcome::Win, 3_i32),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", Outcome::Loss, -4),
        ("4k3/8/8/8/4P3/4K3/8/8 b - - 0 1", Outcome::Draw, 0),
        ("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", Outcome::Win, 1),
        ("8/8/8/4k3/8/8/8/KB6 w - - 0 1", Outcome::Draw, 0),
        // The rook is lost at once.
        ("8/8/8/8/8/8/1k6/R3K3 b - - 0 1", Outcome::Draw, 0),
    ] {
        let position = position(text);
        assert_eq!(tables.outcome(&position), Some(outcome), "{text}");
        let distance = tables.distance(&position).expect(text);
        assert_eq!(distance.plies.signum(), plies.signum(), "{text}");
        let off = (distance.plies - plies).abs();
        assert!(off <= i32::from(distance.rounded), "{text}: {distance:?}");
    }
}

#[test]
fn castling_rights_and_more_men_are_not_covered() {
    let castling = position("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    assert!(!Tablebases::covers(&castling, 7));
    assert_eq!(tables().outcome(&castling), None);
    let four = position("4k3/8/8/8/8/8/8/RR2K3 w - - 0 1");
    assert!(Tablebases::covers(&four, 4) && !Tablebases::covers(&four, 3));
    assert_eq!(tables().outcome(&four), None);
}

#[test]
fn folders_are_listed_in_the_ways_of_all_systems() {
    let folder = Folder::new("with spaces");
    folder.put("readme.txt", b"no table");
    for name in ["KRvK.rtbw", "KRvK.rtbz"] {
        folder.put(
            name,
            &fs::read(Path::new(FOLDER).join(name)).expect("a table"),
        );
    }
    let own = folder.0.to_str().expect("text");
    let both = format!(" {own} ; /no/such/folder;;{FOLDER}");
    let (tables, faults) = Tablebases::open(&both).expect("tables");
    assert_eq!(tables.files(), 12);
    assert!(
        faults.len() == 1 && faults[0].contains("/no/such/folder"),
        "{faults:?}"
    );
    if cfg!(unix) {
        let (tables, faults) = Tablebases::open(&format!("{own}:{FOLDER}")).expect("tables");
        assert_eq!((tables.files(), faults.len()), (12, 0));
    }
    for nothing in ["/no/such/folder", env!("CARGO_MANIFEST_DIR"), ";", ""] {
        assert!(Tablebases::open(nothing).is_err(), "{nothing}");
    }
}

#[test]
fn damaged_tables_know_nothing_and_harm_nobody() {
    let good = fs::read(Path::new(FOLDER).join("KPvK.rtbw")).expect("a table");
    let good_distances = fs::read(Path::new(FOLDER).join("KPvK.rtbz")).expect("a table");
    let root = position("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1");
    let folder = Folder::new("damaged");
    let mut random = 12_345_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (random >> 33) as usize % below
    };
    for round in 0..300 {
        let (mut wins, mut distances) = (good.clone(), good_distances.clone());
        for _ in 0..=round % 8 {
            // The first bytes say how the rest is to be read.
            let reach = if round % 2 == 0 { 200 } else { wins.len() };
            let (at, bit) = (next(reach), next(8));
            wins[at] ^= 1 << bit;
            let reach = if round % 2 == 0 { 200 } else { distances.len() };
            let (at, bit) = (next(reach), next(8));
            distances[at] ^= 1 << bit;
        }
        if round % 5 == 0 {
            wins.truncate(16 + 64 * next(wins.len() / 64));
        }
        folder.put("KPvK.rtbw", &wins);
        folder.put("KPvK.rtbz", &distances);
        let (tables, _) =
            Tablebases::open(folder.0.to_str().expect("text")).expect("names of tables");
        // What comes is chance; that it comes is what matters.
        let _ = (tables.outcome(&root), tables.distance(&root));
    }
    folder.put("KPvK.rtbw", &good[..100]);
    let (_, faults) = Tablebases::open(folder.0.to_str().expect("text")).expect("the other table");
    assert!(
        faults.len() == 1 && faults[0].contains("KPvK.rtbw"),
        "{faults:?}"
    );
}

#[test]
fn root_moves_are_ranked_by_what_they_keep() {
    // Who keeps the opposition wins.
    let root = position("8/8/3k4/8/3K4/8/3P4/8 w - - 0 1");
    let moves = root.legal_moves().to_vec();
    let history = KeyHistory::starting_at(&root);
    let Ranking {
        verdicts,
        way_is_known,
    } = probing(true)
        .rank(&root, &history, &moves, || false)
        .expect("tables");
    assert!(way_is_known);
    let best = verdicts.iter().map(|v| v.rank).max().expect("moves");
    for (m, verdict) in moves.iter().zip(&verdicts) {
        let wins = tables().outcome(&root.play(*m)) == Some(Outcome::Loss);
        assert_eq!(verdict.rank == best && best > 0, wins, "{m}");
        assert_eq!(verdict.score > 0, wins, "{m}");
    }

    // Where the fifty-move rule is near, the nearest mate goes first; without the rule there is
    // no hurry, but no draw either.
    let root = position("8/8/8/8/8/2k5/8/K6R b - - 0 1")
        .play(played(&position("8/8/8/8/8/2k5/8/K6R b - - 0 1"), "c3d4"));
    for clock in [0_u32, 72, 80, 99] {
        let text = fen::write(&root, fen::FenStyle::XFen).replace(" 1 2", &format!(" {clock} 90"));
        let root = position(&text);
        assert_eq!(root.halfmoves(), clock);
        let moves = root.legal_moves().to_vec();
        let history = KeyHistory::starting_at(&root);
        let rank = |rule| {
            let ranking = probing(rule).rank(&root, &history, &moves, || false);
            ranking.expect("tables").verdicts
        };
        let (with, without) = (rank(true), rank(false));
        // The game ends with the hundredth ply, rule or not.
        assert_eq!(without.iter().any(|v| v.score > 0), clock < 99);
        let distance = tables().distance(&root).expect("a table").plies;
        let in_time = with.iter().filter(|v| v.score > 0).count();
        assert_eq!(
            in_time > 0,
            distance + clock as i32 <= 100,
            "{text}: {distance}"
        );
        assert!(in_time <= without.iter().filter(|v| v.score > 0).count());
    }
}

#[test]
fn without_distances_outcomes_rank_and_whoever_must_stop_ranks_nothing() {
    let folder = Folder::new("outcomes");
    for name in ["KPvK", "KQvK", "KRvK", "KBvK", "KNvK"] {
        let name = format!("{name}.rtbw");
        folder.put(
            &name,
            &fs::read(Path::new(FOLDER).join(&name)).expect("a table"),
        );
    }
    let (tables, _) = Tablebases::open(folder.0.to_str().expect("text")).expect("tables");
    let outcomes = Probing {
        tables: Arc::new(tables),
        ..probing(true)
    };
    // A clock beyond all sense is as good as one that has run out.
    for (clock, stands) in [(0, true), (i32::MAX as u32, false)] {
        let root = position(&format!("8/8/3k4/8/3K4/8/3P4/8 w - - {clock} 1"));
        let (moves, history) = (root.legal_moves().to_vec(), KeyHistory::starting_at(&root));
        let rank = |probing: &Probing| probing.rank(&root, &history, &moves, || false);
        let (rough, exact) = (
            rank(&outcomes).expect("ranks"),
            rank(&probing(true)).expect("ranks"),
        );
        // With the clock run out, all but the pawn's moves draw by it.
        assert_eq!((rough.way_is_known, exact.way_is_known), (!stands, true));
        for (rough, exact) in rough.verdicts.iter().zip(&exact.verdicts) {
            assert!(!stands || rough.score == exact.score);
        }
        // The pawn's moves win whatever the clock was.
        let wins = exact.verdicts.iter().filter(|v| v.score > 0).count();
        assert!(wins > 0 && (stands || wins < moves.len()));
        assert_eq!(outcomes.rank(&root, &history, &moves, || true), None);
    }
}

/// Searches `root` with tablebases and returns its last line and best move.
fn search(root: &Position, limits: Limits, multipv: usize) -> (Vec<Info>, Move) {
    let root_moves = root.legal_moves().to_vec();
    let mut pool = Pool::new(1).expect("a pool");
    pool.set_threads(2).expect("threads");
    let number = pool.start(Job {
        root: root.clone(),
        history: KeyHistory::starting_at(root),
        clock: Clock::new(&limits, root.turn(), Duration::ZERO),
        damped: true,
        control: Arc::new(Control::new(
            Instant::now(),
            false,
            root_moves.first().copied(),
        )),
        root_moves,
        limits,
        multipv,
        skill: None,
        probing: Some(probing(true)),
    });
    let mut infos = Vec::new();
    loop {
        match pool
            .events()
            .recv_timeout(Duration::from_secs(120))
            .expect("an end")
        {
            Event::Info { info, .. } => infos.push(info),
            Event::Done { search, outcome } => {
                assert_eq!(search, number);
                return (infos, outcome.best.expect("a move"));
            }
            Event::Failure(text) => panic!("{text}"),
            Event::CurrentMove { .. } | Event::Note { .. } => {}
        }
    }
}

fn depth(depth: i32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

#[test]
fn a_search_in_the_tables_plays_what_wins_and_says_so() {
    let root = position("8/8/3k4/8/3K4/8/3P4/8 w - - 0 1");
    let (infos, best) = search(&root, depth(4), 1);
    assert_eq!(tables().outcome(&root.play(best)), Some(Outcome::Loss));
    let last = infos.last().expect("a line");
    assert!(
        matches!(last.score, Score::Centipawns(s) if s > 10_000),
        "{last:?}"
    );
    assert!(last.tablebase_hits > 0);

    // All moves, in the order of what becomes of them.
    let moves = root.legal_moves().len();
    let (infos, _) = search(&root, depth(4), moves);
    let lines = &infos[infos.len() - moves..];
    for line in lines {
        let wins = tables().outcome(&root.play(line.pv[0])) == Some(Outcome::Loss);
        let Score::Centipawns(score) = line.score else {
            panic!("{line:?}")
        };
        assert_eq!(score > 10_000, wins, "{line:?}");
        assert!(wins || score == 0, "{line:?}");
    }
}

#[test]
fn a_search_that_comes_to_the_tables_uses_them() {
    // Four men, of which no table is there; the rook takes, and three are in the tables. A mate is
    // further away than these depths see.
    for (text, best, wins) in [
        ("k7/7p/8/8/8/8/5K2/7R w - - 0 1", "h1h7", true),
        ("7r/5k2/8/8/8/8/7P/K7 b - - 0 1", "h8h2", true),
        // The bishop alone wins nothing, so it may not take the last pawn's guard for a gain.
        ("1k6/7p/8/8/4B3/8/5K2/8 w - - 0 1", "e4h7", false),
    ] {
        let root = position(text);
        for depth_now in 2..=6 {
            let (infos, found) = search(&root, depth(depth_now), 1);
            let last = infos.last().expect("a line");
            let Score::Centipawns(score) = last.score else {
                panic!("{text}: {last:?}")
            };
            assert_eq!(score > 10_000, wins, "{text}: {last:?}");
            if wins {
                assert_eq!(found, played(&root, best), "{text}: {last:?}");
                assert!(last.tablebase_hits > 0, "{text}: {last:?}");
            }
        }
    }
}
