//! What a trained position costs: its gradient and its share of a step, on one thread.
//!
//! `cargo bench --bench training` runs it. The positions are of games against itself, so that they
//! have as many men as those of a real training.

use std::{collections::HashSet, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use zuylen::{
    learn::{
        datagen::selfplay::{Player, Seen},
        trainer::{
            filter::{self, Counts},
            model::{self, Line, Scratch, Shape, Step, Target},
            record::Record,
        },
    },
    nnue::Network,
    tools::openings::Random,
};

/// Positions a step of one thread: half a batch of the default size.
const POSITIONS: usize = 8192;

fn records() -> Vec<Record> {
    let mut player = Player::new(Network::embedded(), 10, 0, None, false).expect("a megabyte");
    let seen = Seen::default();
    let mut random = Random::new(1);
    let mut records = Vec::new();
    while records.len() < POSITIONS {
        for game in player.play(&mut random, &seen) {
            filter::select(&game, &HashSet::new(), &mut records, &mut Counts::default());
        }
    }
    for last in (1..records.len()).rev() {
        records.swap(last, random.below(last as u64 + 1) as usize);
    }
    records.truncate(POSITIONS);
    records
}

fn training(c: &mut Criterion) {
    let records = records();
    let target = Target {
        lambda: 0.3,
        smooth: 0.0,
        score_k: 200.0,
        network_k: 200.0,
    };
    let mut group = c.benchmark_group("training");
    group.sample_size(10);
    group.throughput(Throughput::Elements(POSITIONS as u64));
    for hidden in [128, 256] {
        let shape = Shape::new(hidden);
        let mut parameters = shape.initial(1);
        let mut momentum = vec![Line::ZERO; shape.lines()];
        let mut velocity = momentum.clone();
        let mut gradient = momentum.clone();
        let mut scratch = Scratch::new(shape);
        group.bench_function(format!("gradient of {hidden}"), |b| {
            b.iter(|| {
                model::add_gradient(
                    &parameters,
                    shape,
                    &target,
                    &records,
                    2 * POSITIONS,
                    &mut scratch,
                    &mut gradient,
                )
            });
        });
        let settings = Step {
            rate: 1e-6,
            decay: 0.01,
            number: 1,
        };
        let gradients = [gradient.as_slice(), gradient.as_slice()];
        group.bench_function(format!("step of {hidden}"), |b| {
            b.iter(|| {
                model::step(
                    &settings,
                    &gradients,
                    &mut parameters,
                    &mut momentum,
                    &mut velocity,
                );
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = all;
    config = Criterion::default().warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(3));
    targets = training
}
criterion_main!(all);
