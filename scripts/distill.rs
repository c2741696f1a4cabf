//! Teaches a network the hand-written evaluation, as the start of generation 0.
//!
//! `cargo run --release --example distill GAMES SIDESTEPS HIDDEN EPOCHS CHECKPOINT`
//!
//! A few million searched positions are too few to begin with: a network learns them by heart. What
//! the evaluation says without search costs next to nothing, so there can be as many positions as
//! wanted: those of the games, and others up to three random moves off them. Only quiet ones are
//! taken. The checkpoint is what `zuylen train --from` begins with.

use std::path::PathBuf;

use rayon::prelude::*;
use zuylen::{
    evaluation::Evaluator,
    learn::{
        chunks,
        trainer::{self, Files, Report, Settings, data::Data, record::Record},
    },
    position::Position,
    tools::openings::Random,
};

/// Thousandths of the games that are held out; no sidestep is made from these.
const HELD_OUT: u64 = 20;
/// A capture that wins so much makes a position unquiet.
const UNQUIET: i32 = 60;
/// What the evaluation says is cut to this.
const MOST: i32 = 3000;

fn quiet(position: &Position) -> bool {
    let legal = position.legal_moves();
    let wins =
        |&m: &shakmaty::Move| (m.is_capture() || m.is_promotion()) && position.see_ge(m, UNQUIET);
    !position.in_check() && !legal.is_empty() && !legal.iter().any(wins)
}

/// `position` after so many random moves, unless the game ends before.
fn sidestep(position: &Position, moves: usize, random: &mut Random) -> Option<Position> {
    (0..moves).try_fold(position.clone(), |position, _| {
        Some(position.play(random.pick(&position.legal_moves())?))
    })
}

fn records(file: &std::path::Path, number: usize, sidesteps: usize) -> Vec<Record> {
    let mut random = Random::new(number as u64 + 77);
    let mut evaluator = Evaluator::new();
    let mut records = Vec::new();
    let (games, _) = chunks::read(file).expect("a file of games");
    for game in games {
        if game.start.keys().whole % 1000 < HELD_OUT {
            continue;
        }
        for (position, _, _) in game.positions() {
            for index in 0..sidesteps {
                let moves = if index == 0 { 0 } else { 1 + index % 3 };
                let Some(position) = sidestep(&position, moves, &mut random).filter(quiet) else {
                    continue;
                };
                evaluator.reset(&position);
                let score = evaluator.evaluate(&position).clamp(-MOST, MOST) as i16;
                let half_points = game.result.half_points(position.turn());
                records.push(Record::new(&position, score, score, half_points));
            }
        }
    }
    records
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, games, sidesteps, hidden, epochs, checkpoint] = &words[..] else {
        eprintln!("GAMES SIDESTEPS HIDDEN EPOCHS CHECKPOINT");
        std::process::exit(2);
    };
    let number = |word: &str| word.parse::<usize>().expect("a number");
    let files = chunks::files(&[PathBuf::from(games)]).expect("files of games");
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    trainer::pool(threads).expect("threads").install(|| {
        // What is held out are searched positions: the loss says how well it foresees the search.
        let mut data = Data::load(&files, HELD_OUT).expect("games");
        let parts: Vec<Vec<Record>> = files
            .par_iter()
            .enumerate()
            .map(|(index, file)| records(file, index, number(sidesteps)))
            .collect();
        data.training = parts.concat();
        println!("{} positions", data.training.len());
        let settings = Settings {
            hidden: number(hidden),
            lambda: 0.0,
            smooth: 0.0,
            epochs: number(epochs),
            batch: 16_384,
            rate: 1e-3,
            final_rate: 3e-5,
            warm_up: 200,
            decay: 0.01,
            seed: 1,
            threads,
            patience: number(epochs),
            held_out: HELD_OUT,
            network_k: Some(139.8),
        };
        let kept = Files {
            checkpoint: Some(PathBuf::from(checkpoint)),
            losses: None,
        };
        trainer::train(&settings, &data, &kept, &mut |report| {
            if let Report::Epoch(epoch, row) = report {
                println!(
                    "epoch {epoch}: loss {:.6}, held out {:.6}, {:.0} s",
                    row.training_loss, row.held_out_loss, row.seconds
                );
            }
        })
        .expect("files that can be written");
    });
}
