//! The engine driven as a front-end drives it, without a process and without text.

use std::time::{Duration, Instant};

use crossbeam::{
    channel::{Receiver, at, unbounded},
    select,
};

use super::*;
use crate::position::{Position, fen, notation};

/// Long enough for anything, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// Long enough for something to show that should not happen.
const A_WHILE: Duration = Duration::from_millis(150);

struct Driver {
    engine: Engine,
    said: Receiver<Output>,
}

impl Driver {
    fn new() -> Driver {
        let (sender, said) = unbounded();
        let engine = Engine::new(move |output| sender.send(output).expect("a listener"));
        Driver {
            engine: engine.expect("threads and memory"),
            said,
        }
    }

    fn at(fen: &str) -> Driver {
        let mut driver = Driver::new();
        driver.engine.set_game(game(fen));
        driver
    }

    fn go(&mut self, limits: Limits) {
        self.engine.go(limits, Vec::new(), Instant::now());
    }

    /// Hands events and deadlines to the engine until it has answered or `patience` is over.
    fn drive(&mut self, patience: Duration) {
        let end = Instant::now() + patience;
        while self.engine.is_searching() && Instant::now() < end {
            let until = self
                .engine
                .deadline()
                .map_or(end, |deadline| deadline.min(end));
            let event = select! {
                recv(self.engine.events()) -> event => event.ok(),
                recv(at(until)) -> _ => None,
            };
            match event {
                Some(event) => self.engine.handle(event),
                None => self.engine.check_deadline(Instant::now()),
            }
        }
    }

    /// Takes what has been said and returns the answers in it.
    fn answers(&mut self) -> Vec<Answer> {
        let answer = |output| match output {
            Output::Answer(answer, _) => Some(answer),
            _ => None,
        };
        self.said.try_iter().filter_map(answer).collect()
    }

    fn best(&mut self) -> Move {
        self.drive(PATIENCE);
        match self.answers()[..] {
            [Answer::Move { best, .. }] => best,
            ref other => panic!("one move expected: {other:?}"),
        }
    }
}

fn game(fen: &str) -> Game {
    Game::new(fen::read(fen).expect(fen).position)
}

fn depth(plies: i32) -> Limits {
    Limits {
        depth: Some(plies),
        ..Limits::default()
    }
}

fn infinite() -> Limits {
    Limits {
        infinite: true,
        ..Limits::default()
    }
}

const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9";
const MATED: &str = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
const STALEMATED: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

#[test]
fn every_go_is_answered_once_with_a_legal_move() {
    let mut driver = Driver::at(MIDDLEGAME);
    for limits in [
        depth(3),
        Limits {
            nodes: Some(500),
            ..Limits::default()
        },
        depth(1),
    ] {
        driver.go(limits);
        let best = driver.best();
        assert!(
            driver
                .engine
                .game()
                .is_ok_and(|game| game.position().is_legal(best))
        );
    }
}

#[test]
fn an_infinite_search_waits_for_stop() {
    let mut driver = Driver::at("7k/8/5KQ1/8/8/8/8/8 w - - 0 1");
    driver.go(infinite());
    driver.drive(A_WHILE);
    assert_eq!(driver.answers(), []);
    assert!(driver.engine.is_searching_without_end());
    driver.engine.stop();
    driver.best();
    driver.engine.stop();
    driver.drive(A_WHILE);
    assert_eq!(driver.answers(), []);
}

#[test]
fn pondering_waits_for_ponderhit_and_then_minds_the_clock() {
    let mut driver = Driver::at(MIDDLEGAME);
    let limits = Limits {
        ponder: true,
        move_time: Some(50),
        ..Limits::default()
    };
    driver.go(limits.clone());
    assert_eq!(driver.engine.deadline(), None);
    driver.drive(A_WHILE);
    assert_eq!(driver.answers(), []);
    let hit = Instant::now();
    driver.engine.ponderhit(hit);
    assert!(
        driver
            .engine
            .deadline()
            .is_some_and(|deadline| deadline > hit)
    );
    driver.best();

    driver.go(limits);
    driver.engine.stop();
    driver.best();
}

#[test]
fn stop_and_ponderhit_mean_nothing_when_idle_or_not_pondering() {
    let mut driver = Driver::at(MIDDLEGAME);
    driver.engine.stop();
    driver.engine.ponderhit(Instant::now());
    driver.drive(A_WHILE);
    assert_eq!(driver.answers(), []);
    driver.go(infinite());
    driver.engine.ponderhit(Instant::now());
    driver.drive(A_WHILE);
    assert_eq!(driver.answers(), []);
}

#[test]
fn a_finished_game_is_answered_without_a_search() {
    for (fen, mate) in [(MATED, true), (STALEMATED, false)] {
        let mut driver = Driver::at(fen);
        driver.go(depth(5));
        assert!(!driver.engine.is_searching());
        let said: Vec<Output> = driver.said.try_iter().collect();
        assert!(
            matches!(said[..], [
                Output::Finished { checkmate },
                Output::Answer(Answer::GameOver, _),
            ] if checkmate == mate),
            "{said:?}"
        );
    }
}

#[test]
fn an_answer_without_search_is_held_for_infinite_and_ponder() {
    let ponder = || Limits {
        ponder: true,
        ..depth(3)
    };
    let mut driver = Driver::at(MATED);
    driver.go(infinite());
    assert_eq!(driver.answers(), []);
    driver.engine.stop();
    assert_eq!(driver.answers(), [Answer::GameOver]);

    driver.go(ponder());
    assert_eq!(driver.answers(), []);
    driver.engine.ponderhit(Instant::now());
    assert_eq!(driver.answers(), [Answer::GameOver]);

    driver.engine.refuse_game();
    driver.go(Limits {
        infinite: true,
        ..ponder()
    });
    driver.engine.ponderhit(Instant::now());
    assert_eq!(driver.answers(), []);
    driver.engine.stop();
    assert_eq!(driver.answers(), [Answer::NoPosition]);
}

#[test]
fn there_is_no_move_after_a_refused_position_until_the_next_good_one() {
    let mut driver = Driver::new();
    driver.engine.refuse_game();
    driver.go(depth(3));
    assert_eq!(driver.answers(), [Answer::NoPosition]);
    driver.engine.new_game();
    driver.go(depth(3));
    assert_eq!(driver.answers(), [Answer::NoPosition]);
    driver.engine.set_game(Game::default());
    driver.go(depth(3));
    driver.best();
}

#[test]
fn what_disturbs_a_search_lets_it_answer_first() {
    let disturb: [fn(&mut Engine); 6] = [
        |engine| engine.set_game(Game::default()),
        |engine| engine.refuse_game(),
        Engine::new_game,
        Engine::clear_hash,
        |engine| engine.set_hash(1).expect("memory"),
        |engine| engine.set_threads(2).expect("threads"),
    ];
    for disturb in disturb {
        let mut driver = Driver::at("8/8/8/8/8/4k3/8/R3K3 w - - 0 1");
        let root = driver.engine.game().expect("a game").position().clone();
        driver.go(infinite());
        disturb(&mut driver.engine);
        assert!(!driver.engine.is_searching());
        let best = driver.best();
        assert!(root.is_legal(best), "{best:?}");
    }
}

#[test]
fn a_second_go_comes_after_the_answer_to_the_first() {
    let mut driver = Driver::at(MIDDLEGAME);
    driver.go(infinite());
    driver.go(depth(2));
    driver.drive(PATIENCE);
    assert_eq!(driver.answers().len(), 2);
}

#[test]
fn at_the_deadline_the_engine_answers_without_the_search() {
    let mut driver = Driver::at(MIDDLEGAME);
    driver.go(Limits {
        move_time: Some(60_000),
        ..Limits::default()
    });
    let deadline = driver.engine.deadline().expect("a clock");
    driver
        .engine
        .check_deadline(deadline - Duration::from_millis(1));
    assert_eq!(driver.answers(), []);
    driver.engine.check_deadline(deadline);
    assert_eq!(driver.answers().len(), 1);

    // The search ends after that, and is not heard any more.
    while let Ok(event) = driver.engine.events().recv_timeout(PATIENCE) {
        let done = matches!(event, Event::Done { .. });
        driver.engine.handle(event);
        if done {
            break;
        }
    }
    assert_eq!(driver.said.try_iter().count(), 0);
    driver.go(depth(2));
    driver.best();
}

#[test]
fn the_clock_counts_from_when_the_command_was_read() {
    let mut driver = Driver::at(MIDDLEGAME);
    let read = Instant::now() - Duration::from_secs(1);
    let limits = Limits {
        move_time: Some(1000),
        ..Limits::default()
    };
    driver.engine.go(limits, Vec::new(), read);
    let deadline = driver.engine.deadline().expect("a clock");
    assert!(deadline <= read + Duration::from_millis(1005));
    driver.best();
}

/// A game is lost on time by what is forgotten here.
#[test]
fn the_move_overhead_is_kept_back() {
    let fixed = Limits {
        move_time: Some(60_000),
        ..Limits::default()
    };
    let mut clock = Limits::default();
    clock.time.white = Some(60_000);
    let mut last = Limits::default();
    last.time.white = Some(36);
    let milliseconds = Duration::from_millis;
    for (limits, overhead, latest) in [
        // To the fixed time itself, a millisecond of grace comes.
        (&fixed, 0, 60_001),
        (&fixed, 4000, 56_005),
        // Of a clock it is 0.46 of what the overhead leaves.
        (&clock, 0, 27_601),
        (&clock, 4000, 25_765),
        // 0.2 of what it leaves of a clock that has all but run out, and as much grace.
        (&last, 25, 4),
    ] {
        let mut driver = Driver::at(MIDDLEGAME);
        driver.engine.settings_mut().move_overhead = milliseconds(overhead);
        let read = Instant::now();
        driver.engine.go(limits.clone(), Vec::new(), read);
        let deadline = driver.engine.deadline().expect("a clock");
        assert_eq!(
            (deadline - read).as_millis(),
            latest,
            "{limits:?} {overhead}"
        );
        driver.engine.stop();
        driver.best();
    }
}

#[test]
fn clocks_beyond_all_reason_do_no_harm() {
    for time in [i64::MIN, -50, 0, 1] {
        let mut driver = Driver::at(MIDDLEGAME);
        let mut limits = Limits::default();
        limits.time.white = Some(time);
        driver.go(limits);
        driver.best();
    }
    let mut driver = Driver::at(MIDDLEGAME);
    let mut limits = Limits::default();
    limits.time.white = Some(i64::MAX);
    limits.increment.white = Some(i64::MAX);
    driver.go(limits);
    driver.drive(A_WHILE);
    driver.engine.stop();
    driver.best();
}

#[test]
fn root_moves_restrict_the_search() {
    let mut driver = Driver::new();
    let m = notation::read(&Position::startpos(), "a2a3").expect("a move");
    driver.engine.go(depth(4), vec![m], Instant::now());
    assert_eq!(driver.best(), m);
}

#[test]
fn a_chess960_setup_is_pointed_out_once_for_each_position() {
    let notes = |driver: &Driver| {
        driver
            .said
            .try_iter()
            .filter(|output| matches!(output, Output::Note(_)))
            .count()
    };
    let frc = || Game::new(Position::start_array(12, 12).expect("a start position"));
    let dfrc = || Game::new(Position::start_array(12, 13).expect("a start position"));
    let mut driver = Driver::new();
    driver.engine.set_game(Game::default());
    assert_eq!(notes(&driver), 0);
    driver.engine.set_game(frc());
    driver.engine.set_game(frc());
    assert_eq!(notes(&driver), 1);
    driver.engine.set_game(dfrc());
    assert_eq!(notes(&driver), 1);
    assert_eq!(driver.engine.castling(), CastlingStyle::KingTakesRook);
    driver.engine.settings_mut().chess960 = true;
    driver.engine.set_game(frc());
    assert_eq!(notes(&driver), 0);
    driver.engine.set_game(Game::default());
    assert_eq!(driver.engine.castling(), CastlingStyle::KingTakesRook);
    driver.engine.settings_mut().chess960 = false;
    assert_eq!(driver.engine.castling(), CastlingStyle::KingTwoSquares);
}
