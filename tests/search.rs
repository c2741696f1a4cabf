//! The search through its pool, without a process or a GUI.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use shakmaty::{Move, Position as _, uci::UciMove};
use zuylen::{
    position::{Position, fen, repetition::KeyHistory},
    search::{
        Control, Event, Info, Limits, Outcome, ScoreBound,
        clock::Clock,
        pool::{Job, Pool},
        score::Score,
    },
};

const TIMEOUT: Duration = Duration::from_secs(120);

fn position(text: &str) -> Position {
    fen::read(text).expect("a legal position").position
}

fn job(root: &Position, limits: Limits, multipv: usize) -> Job {
    let root_moves = root.legal_moves().to_vec();
    let control = Control::new(Instant::now(), limits.ponder, root_moves.first().copied());
    Job {
        root: root.clone(),
        history: KeyHistory::starting_at(root),
        root_moves,
        clock: Clock::new(&limits, root.turn(), Duration::ZERO),
        limits,
        multipv,
        skill: None,
        probing: None,
        damped: true,
        control: Arc::new(control),
    }
}

fn depth(depth: i32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

/// Waits for the end of search `number`, gathering its lines.
fn finish(pool: &Pool, number: u64) -> (Vec<Info>, Outcome) {
    let mut infos = Vec::new();
    loop {
        match pool
            .events()
            .recv_timeout(TIMEOUT)
            .expect("the search ends")
        {
            Event::Info { search, info } if search == number => infos.push(info),
            Event::Done { search, outcome } if search == number => return (infos, outcome),
            Event::Note { text, .. } | Event::Failure(text) => panic!("{text}"),
            _ => {}
        }
    }
}

fn run(pool: &mut Pool, root: &Position, limits: Limits, multipv: usize) -> (Vec<Info>, Outcome) {
    let number = pool.start(job(root, limits, multipv));
    finish(pool, number)
}

fn uci(m: Option<Move>) -> String {
    m.map_or("(none)".to_owned(), |m| {
        UciMove::from_chess960(m).to_string()
    })
}

const MIDDLEGAMES: [&str; 4] = [
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "1rkr3b/1ppn3p/3pB1n1/6q1/R2P4/4N1P1/1P5P/2KRQ1B1 b Dbd - 0 14",
];

#[test]
fn mates_are_found_and_their_lines_are_complete() {
    let mut pool = Pool::new(16).unwrap();
    let mates = [
        ("4k3/8/8/8/8/8/R7/1R2K3 w - - 0 1", 2, 6),
        ("3k4/2p5/4Q3/8/8/8/8/2RK4 w C - 0 1", 1, 4),
        ("5k2/3P4/7p/6Q1/8/8/8/6KR w H - 0 1", 1, 4),
        ("8/8/2p5/3b1K1k/4p3/4PpR1/5P2/8 w - - 99 113", 1, 4),
        (
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
            1,
            4,
        ),
        ("k7/8/8/8/8/1r6/r7/7K w - - 0 1", -1, 5),
    ];
    for (text, mate, plies) in mates {
        pool.clear();
        let root = position(text);
        let (infos, outcome) = run(&mut pool, &root, depth(plies), 1);
        let last = infos.last().unwrap();
        assert_eq!(last.score, Score::Mate(mate), "{text}");
        assert_eq!(Some(last.pv[0]), outcome.best);
        let mated = last.pv.iter().fold(root, |p, &m| p.play(m));
        assert!(mated.chess().is_checkmate(), "{text} {:?}", last.pv);
    }
}

/// What `go mate` says of a position: the note, the score and the length of the line.
fn hunt(text: &str, moves: u32, threads: usize) -> (String, Score, usize) {
    let mut pool = Pool::new(4).unwrap();
    pool.set_threads(threads).unwrap();
    let limits = Limits {
        mate: Some(moves),
        ..Limits::default()
    };
    let root = position(text);
    let number = pool.start(job(&root, limits, 1));
    let (mut note, mut last) = (String::new(), None);
    loop {
        match pool.events().recv_timeout(TIMEOUT).expect("an end") {
            Event::Note { text, .. } => note.push_str(&text),
            Event::Info { info, .. } => last = Some(info),
            Event::Done { search, outcome } => {
                assert_eq!(search, number);
                let last = last.expect("a line");
                assert_eq!(outcome.best, Some(last.pv[0]));
                let end = last.pv.iter().fold(root, |p, &m| p.play(m));
                let mated = end.chess().is_checkmate();
                assert_eq!(mated, matches!(last.score, Score::Mate(_)), "{:?}", last.pv);
                return (note, last.score, last.pv.len());
            }
            Event::Failure(text) => panic!("{text}"),
            Event::CurrentMove { .. } => {}
        }
    }
}

#[test]
fn the_shortest_mate_is_proven() {
    for (text, moves) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("4k3/8/8/8/8/8/R7/1R2K3 w - - 0 1", 2),
        // S. Loyd, 1891: a quiet key move.
        ("1k6/1P5Q/8/7B/8/5K2/8/8 w - - 0 1", 3),
        // By castling in Chess960.
        ("3k4/2p5/4Q3/8/8/8/8/2RK4 w C - 0 1", 1),
        ("8/8/8/8/8/8/7R/1k2K2R w K - 0 1", 1),
        // By checks through squares that the move vacates: promotions, and en passant.
        ("8/P7/8/8/k7/8/8/1R2K3 w - - 0 1", 1),
        ("8/6P1/5k1K/3Q4/8/8/8/8 w - - 0 1", 1),
        ("2BK4/8/8/5Pp1/8/7k/5Q2/8 w - g6 0 1", 1),
        // Where only a move that keeps the clock low mates in time.
        ("k7/8/1K6/8/8/8/8/7R w - - 99 150", 1),
    ] {
        for wanted in [moves, moves + 2] {
            let threads = wanted as usize % 2 + 1;
            let (note, score, plies) = hunt(text, wanted, threads);
            assert_eq!(score, Score::Mate(moves as i32), "{text}: {note}");
            assert_eq!(plies, 2 * moves as usize - 1, "{text}");
            assert_eq!(
                note,
                format!("mate in {moves} is proven to be the shortest")
            );
        }
    }
}

#[test]
fn that_there_is_no_mate_is_proven_and_said() {
    for (text, moves) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            3,
        ),
        ("4k3/8/8/8/8/8/R7/1R2K3 w - - 0 1", 1),
        // Mate in two, but the fifty-move rule comes first.
        ("4k3/8/8/8/8/8/R7/1R2K3 w - - 98 150", 2),
        // The side to move is mated itself.
        ("k7/8/8/8/8/1r6/r7/7K w - - 0 1", 4),
        // Nothing to mate with, at any length; and a blocked position.
        ("8/8/8/4k3/8/8/8/4K3 w - - 0 1", 1000),
        ("8/8/p7/P7/4k3/8/8/4K3 w - - 0 1", 12),
    ] {
        let (note, score, _) = hunt(text, moves, 1);
        let proven = moves.min(119);
        assert_eq!(note, format!("there is no mate in {proven}"), "{text}");
        assert!(!matches!(score, Score::Mate(n) if n > 0), "{text}");
    }
}

#[test]
fn an_unfinished_hunt_says_how_far_it_came() {
    let mut pool = Pool::new(4).unwrap();
    let limits = Limits {
        mate: Some(9),
        ..nodes(60_000)
    };
    let root = position(MIDDLEGAMES[0]);
    let number = pool.start(job(&root, limits, 1));
    let mut notes = Vec::new();
    loop {
        match pool.events().recv_timeout(TIMEOUT).expect("an end") {
            Event::Note { text, .. } => notes.push(text),
            Event::Done { search, outcome } => {
                assert_eq!(search, number);
                assert!((60_000..60_010).contains(&outcome.nodes));
                break;
            }
            _ => {}
        }
    }
    let [note] = &notes[..] else {
        panic!("{notes:?}")
    };
    assert!(note.starts_with("there is no mate in "), "{note}");
    assert!(
        note.ends_with("whether there is one in 9 is not known"),
        "{note}"
    );
}

#[test]
fn one_thread_is_deterministic() {
    let mut first = Vec::new();
    for _ in 0..2 {
        let mut pool = Pool::new(4).unwrap();
        let counts: Vec<(u64, String)> = MIDDLEGAMES
            .iter()
            .map(|text| {
                let (_, outcome) = run(&mut pool, &position(text), depth(9), 1);
                (outcome.nodes, uci(outcome.best))
            })
            .collect();
        if first.is_empty() {
            first = counts;
        } else {
            assert_eq!(first, counts);
        }
    }
}

#[test]
fn clearing_makes_it_forget() {
    let mut pool = Pool::new(4).unwrap();
    let root = position(MIDDLEGAMES[0]);
    let (_, fresh) = run(&mut pool, &root, depth(9), 1);
    run(&mut pool, &position(MIDDLEGAMES[1]), depth(9), 1);
    let (_, warm) = run(&mut pool, &root, depth(9), 1);
    assert_ne!(fresh.nodes, warm.nodes);
    pool.clear();
    let (_, again) = run(&mut pool, &root, depth(9), 1);
    assert_eq!(
        (fresh.nodes, uci(fresh.best)),
        (again.nodes, uci(again.best))
    );
}

#[test]
fn every_line_is_legal_and_ordered() {
    let mut pool = Pool::new(4).unwrap();
    for text in MIDDLEGAMES {
        let root = position(text);
        let (infos, outcome) = run(&mut pool, &root, depth(8), 4);
        for group in infos.chunks(4) {
            let ranks: Vec<usize> = group.iter().map(|i| i.multipv).collect();
            assert_eq!(ranks, [1, 2, 3, 4]);
            let value = |score| match score {
                Score::Centipawns(score) => score,
                Score::Mate(moves) => moves.signum() * 100_000 - moves,
            };
            assert!(group.iter().is_sorted_by_key(|info| -value(info.score)));
            for (i, info) in group.iter().enumerate() {
                assert_eq!(info.bound, ScoreBound::Exact);
                assert_eq!(info.wdl.iter().sum::<u32>(), 1000);
                assert!(group[..i].iter().all(|other| other.pv[0] != info.pv[0]));
                let mut p = root.clone();
                for &m in &info.pv {
                    assert!(p.is_legal(m));
                    p = p.play(m);
                }
            }
        }
        assert_eq!(outcome.best, Some(infos[infos.len() - 4].pv[0]));
    }
}

#[test]
fn bounds_are_from_the_side_to_move() {
    let mut pool = Pool::new(4).unwrap();
    let mut seen = HashSet::new();
    let (mut right, mut wrong) = (0, 0);
    let turned = |text: &str| match text.contains(" w ") {
        true => text.replace(" w ", " b "),
        false => text.replace(" b ", " w "),
    };
    let both_sides = MIDDLEGAMES
        .into_iter()
        .flat_map(|text| [text.to_owned(), turned(text)]);
    for text in both_sides {
        pool.clear();
        let root = position(&text);
        let mut job = job(&root, depth(14), 1);
        // Bounds are told when a search has lasted for some seconds.
        let started = Instant::now() - Duration::from_secs(10);
        job.control = Arc::new(Control::new(
            started,
            false,
            job.root_moves.first().copied(),
        ));
        let number = pool.start(job);
        let (infos, _) = finish(&pool, number);
        let value = |info: &Info| match info.score {
            Score::Centipawns(score) => score,
            Score::Mate(moves) => 100_000 * moves.signum(),
        };
        for pair in infos.windows(2) {
            let (before, now) = (value(&pair[0]), value(&pair[1]));
            let kind = pair[1].bound;
            // A window stands around a mean, so the last score may rarely be on its other side.
            let told_rightly = match (pair[0].bound, kind) {
                (_, ScoreBound::Exact) => continue,
                (ScoreBound::Exact, ScoreBound::Lower) => now > before,
                (ScoreBound::Exact, ScoreBound::Upper) => now < before,
                (before, now) => before == now,
            };
            seen.insert((root.turn(), kind == ScoreBound::Lower));
            if told_rightly {
                right += 1;
            } else {
                wrong += 1;
            }
        }
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
    assert!(right >= 5 * wrong, "{right} right, {wrong} wrong");
}

#[test]
fn several_lines_are_whole_and_in_order_though_windows_fail() {
    let mut pool = Pool::new(4).unwrap();
    for text in MIDDLEGAMES {
        pool.clear();
        let root = position(text);
        let mut job = job(&root, depth(10), 4);
        // Bounds are told when a search has lasted for some seconds, but only of a single line.
        let started = Instant::now() - Duration::from_secs(10);
        let first = job.root_moves.first().copied();
        job.control = Arc::new(Control::new(started, false, first));
        let number = pool.start(job);
        let (infos, _) = finish(&pool, number);
        assert_eq!(infos.len(), 40, "{text}");
        for (lines, depth) in infos.chunks(4).zip(1..) {
            let ranks: Vec<usize> = lines.iter().map(|info| info.multipv).collect();
            assert_eq!(ranks, [1, 2, 3, 4]);
            let value = |info: &Info| match info.score {
                Score::Centipawns(score) => score,
                Score::Mate(moves) => 100_000 * moves.signum() - moves,
            };
            assert!(lines.is_sorted_by_key(|info| -value(info)), "{lines:#?}");
            for info in lines {
                assert_eq!((info.depth, info.bound), (depth, ScoreBound::Exact));
            }
            let firsts: HashSet<Move> = lines.iter().map(|info| info.pv[0]).collect();
            assert_eq!(firsts.len(), 4);
        }
    }
}

#[test]
fn limits_are_kept() {
    let mut pool = Pool::new(4).unwrap();
    let root = position(MIDDLEGAMES[0]);
    let (_, outcome) = run(&mut pool, &root, nodes(50_000), 1);
    assert!(
        (50_000..50_010).contains(&outcome.nodes),
        "{}",
        outcome.nodes
    );
    let limits = Limits {
        move_time: Some(100),
        ..Limits::default()
    };
    // A busy machine delays some searches, but not all.
    assert!((0..20).any(|_| {
        let before = Instant::now();
        run(&mut pool, &root, limits.clone(), 1);
        let taken = before.elapsed();
        assert!(taken >= Duration::from_millis(90), "{taken:?}");
        taken < Duration::from_millis(150)
    }));
    // The tightest of several limits wins.
    let limits = Limits {
        depth: Some(3),
        nodes: Some(1 << 40),
        infinite: false,
        ..Limits::default()
    };
    assert_eq!(run(&mut pool, &root, limits, 1).1.depth, 3);
}

#[test]
fn a_search_cut_short_tells_only_what_it_knows() {
    let mut pool = Pool::new(1).unwrap();
    for text in MIDDLEGAMES {
        let root = position(text);
        for limit in [1, 50, 300, 1100, 2000, 5000, 9000, 15_000] {
            pool.clear();
            let (infos, outcome) = run(&mut pool, &root, nodes(limit), 40);
            assert!(outcome.best.is_some_and(|m| root.is_legal(m)));
            let first = infos.iter().rfind(|info| info.multipv == 1).unwrap();
            assert_eq!(outcome.best, Some(first.pv[0]), "{text} {limit}");
            let value = |score| match score {
                Score::Centipawns(score) => score,
                Score::Mate(moves) => moves.signum() * 100_000 - moves,
            };
            let last = infos.iter().rposition(|info| info.multipv == 1).unwrap();
            let in_order = infos[last..].is_sorted_by_key(|info| (-info.depth, -value(info.score)));
            assert!(in_order, "{text} {limit}: {:#?}", &infos[last..]);
            for info in &infos {
                match info.score {
                    Score::Centipawns(score) => assert!(score.abs() < 3000, "{text} {limit}"),
                    Score::Mate(moves) => assert!(moves.abs() < 10, "{text} {limit}"),
                }
            }
        }
    }
}

/// A line without what depends on when it was told.
fn content(info: &Info) -> (Score, ScoreBound, Vec<Move>) {
    (info.score, info.bound, info.pv.clone())
}

#[test]
fn lines_of_an_iteration_cut_short_are_those_of_whole_ones() {
    let mut pool = Pool::new(4).unwrap();
    let mut mixed = 0;
    for (start, limit) in (0..960).step_by(120).zip((8000..).step_by(900)) {
        let root = Position::start_array(start, start).unwrap();
        pool.clear();
        let (infos, outcome) = run(&mut pool, &root, nodes(limit), 5);
        let last = &infos[infos.len() - 5..];
        assert!(last.iter().map(|info| info.multipv).eq(1..=5), "{last:#?}");
        assert_eq!(outcome.best, Some(last[0].pv[0]), "{start}");
        let mut whole = |plies| -> Vec<_> {
            pool.clear();
            let (infos, _) = run(&mut pool, &root, depth(plies), 5);
            infos[infos.len() - 5..].iter().map(content).collect()
        };
        let (old, new) = (whole(outcome.depth), whole(outcome.depth + 1));
        let finished = last
            .iter()
            .filter(|info| info.depth > outcome.depth)
            .count();
        let expected = |info: &Info| {
            let of_new = new.iter().find(|line| line.2[0] == info.pv[0]);
            of_new.expect("a line of the whole iteration").clone()
        };
        let is_finished = |m| last[..finished].iter().any(|info| info.pv[0] == m);
        let mut wanted: Vec<_> = last[..finished].iter().map(expected).collect();
        wanted.sort_by_key(|line| new.iter().position(|other| other == line));
        let rest = old.iter().filter(|line| !is_finished(line.2[0]));
        wanted.extend(rest.take(5 - finished).cloned());
        assert!(last.iter().map(content).eq(wanted), "{start}: {last:#?}");
        mixed += usize::from(finished > 0);
    }
    assert!(mixed >= 4, "{mixed}");
}

#[test]
fn a_better_line_of_an_iteration_cut_short_is_first_and_played() {
    let mut pool = Pool::new(32).unwrap();
    let (mut cut, mut last) = (Vec::new(), None);
    for start in [0, 518, 331, 959] {
        let root = Position::start_array(start, start).unwrap();
        let (infos, outcome) = run(&mut pool, &root, nodes(20_000), 5);
        cut = infos[infos.len() - 5..].iter().map(content).collect();
        last = outcome.best;
    }
    pool.clear();
    for start in [0, 518, 331] {
        let root = Position::start_array(start, start).unwrap();
        run(&mut pool, &root, nodes(20_000), 5);
    }
    let root = Position::start_array(959, 959).unwrap();
    let (infos, outcome) = run(&mut pool, &root, depth(8), 5);
    let whole: Vec<_> = infos[infos.len() - 5..].iter().map(content).collect();
    assert_eq!(last, outcome.best);
    assert_eq!(cut[..2], whole[..2]);
}

#[test]
fn the_move_in_hand_is_not_told_in_short_searches() {
    let mut pool = Pool::new(4).unwrap();
    let mut job = job(&position(MIDDLEGAMES[0]), depth(9), 2);
    // However long they last.
    let started = Instant::now() - Duration::from_secs(100);
    let first = job.root_moves.first().copied();
    job.control = Arc::new(Control::new(started, false, first));
    pool.start(job);
    let told = pool
        .events()
        .iter()
        .take_while(|e| !matches!(e, Event::Done { .. }));
    assert!(
        told.into_iter()
            .all(|e| !matches!(e, Event::CurrentMove { .. }))
    );
}

#[test]
fn stop_is_obeyed_at_once_and_never_lost() {
    let mut pool = Pool::new(4).unwrap();
    pool.set_threads(3).unwrap();
    let root = position(MIDDLEGAMES[1]);
    let mut soonest = TIMEOUT;
    for pause in [0, 0, 1, 5, 30] {
        let job = job(
            &root,
            Limits {
                infinite: true,
                ..Limits::default()
            },
            1,
        );
        let control = Arc::clone(&job.control);
        let number = pool.start(job);
        std::thread::sleep(Duration::from_millis(pause));
        let before = Instant::now();
        control.stop();
        let (_, outcome) = finish(&pool, number);
        assert!(outcome.best.is_some_and(|m| root.is_legal(m)));
        soonest = soonest.min(before.elapsed());
    }
    // A busy machine delays some answers, but not all.
    assert!(soonest < Duration::from_millis(100), "{soonest:?}");
}

#[test]
fn an_infinite_search_holds_its_answer() {
    let mut pool = Pool::new(1).unwrap();
    // Every line is a draw at once: the tree ends early.
    let root = position("8/8/8/2k5/8/8/4R3/4K3 w - - 99 150");
    let job = job(
        &root,
        Limits {
            infinite: true,
            depth: Some(2),
            ..Limits::default()
        },
        1,
    );
    let control = Arc::clone(&job.control);
    let number = pool.start(job);
    let until = Instant::now() + Duration::from_millis(300);
    while let Ok(event) = pool.events().recv_deadline(until) {
        assert!(!matches!(event, Event::Done { .. }));
    }
    control.stop();
    finish(&pool, number);
}

#[test]
fn pondering_becomes_a_search_on_the_clock() {
    let mut pool = Pool::new(4).unwrap();
    let root = position(MIDDLEGAMES[0]);
    let limits = Limits {
        time: shakmaty::ByColor {
            white: Some(2000),
            black: Some(2000),
        },
        ponder: true,
        ..Limits::default()
    };
    let job = job(&root, limits, 1);
    let control = Arc::clone(&job.control);
    let number = pool.start(job);
    std::thread::sleep(Duration::from_millis(400));
    assert!(
        !pool
            .events()
            .try_iter()
            .any(|e| matches!(e, Event::Done { .. }))
    );
    control.ponderhit(Instant::now());
    finish(&pool, number);
}

#[test]
fn threads_and_hash_change_between_searches() {
    let mut pool = Pool::new(1).unwrap();
    let root = position(MIDDLEGAMES[2]);
    for (threads, hash) in [(1, 1), (4, 8), (2, 2), (16, 1), (1, 16)] {
        pool.set_threads(threads).unwrap();
        pool.set_hash(hash).unwrap();
        assert_eq!(pool.threads(), threads);
        let (_, outcome) = run(&mut pool, &root, nodes(30_000), 1);
        assert!(outcome.best.is_some_and(|m| root.is_legal(m)));
    }
    assert!(pool.set_hash(1 << 40).is_err());
    run(&mut pool, &root, depth(5), 1);
}

#[test]
fn a_draw_at_hand_is_seen() {
    let mut pool = Pool::new(4).unwrap();
    // A rook down and about to be mated, White has perpetual check.
    let root = position("5rk1/5p1p/5Q2/8/8/1q6/5PPP/6K1 w - - 0 1");
    let (infos, _) = run(&mut pool, &root, depth(8), 1);
    let Score::Centipawns(score) = infos.last().unwrap().score else {
        panic!("no mate there")
    };
    assert!(score.abs() <= 2);
    // Bishop against king is nothing.
    let root = position("8/8/4k3/8/8/3BK3/8/8 w - - 0 1");
    let (infos, _) = run(&mut pool, &root, depth(6), 1);
    let Score::Centipawns(score) = infos.last().unwrap().score else {
        panic!("no mate there")
    };
    assert!(score.abs() <= 2);
}
