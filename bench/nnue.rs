//! What an evaluation by the network costs, on every set of instructions that the machine has.
//!
//! `cargo bench --bench nnue` runs it. The network is of random numbers, which costs the same. The
//! positions are those one move behind the engine's bench positions.
//!
//! - `incremental`: a move is pushed, the position evaluated and the move taken back; the sums of
//!   the position before are known. Kings that cross to the other half are among the moves.
//! - `output`: a position whose sums are known is evaluated.
//! - `refresh`: the sums are computed without a position before, from the last of the same view.

use std::{hint::black_box, sync::Arc, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shakmaty::Move;
use zuylen::{
    nnue::{Evaluator, Network, architecture::HIDDEN, simd::Simd},
    position::{Position, fen},
};

/// A position and what one move makes of it.
struct Family {
    parent: Position,
    children: Vec<(Move, Position)>,
}

fn families() -> Vec<Family> {
    let lines = include_str!("../src/tools/bench.epd").lines();
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let parent = fen::read(line).expect("a bench position is legal").position;
            let moves = parent.legal_moves();
            let children = moves.into_iter().map(|m| (m, parent.play(m))).collect();
            Family { parent, children }
        })
        .collect()
}

fn evaluation(c: &mut Criterion) {
    let network: Arc<Network> = Network::random(0).into();
    let families = families();
    let children: usize = families.iter().map(|family| family.children.len()).sum();
    for simd in Simd::available() {
        let mut group = c.benchmark_group(format!("nnue {HIDDEN} {}", simd.name()));
        let mut evaluators: Vec<Evaluator> = families
            .iter()
            .map(|_| Evaluator::with_simd(network.clone(), simd))
            .collect();
        for (evaluator, family) in evaluators.iter_mut().zip(&families) {
            evaluator.evaluate(&family.parent);
        }
        group.throughput(Throughput::Elements(children as u64));
        group.bench_function("incremental", |b| {
            b.iter(|| {
                for (evaluator, family) in evaluators.iter_mut().zip(&families) {
                    for (m, child) in &family.children {
                        evaluator.push(&family.parent, *m, child);
                        black_box(evaluator.evaluate(child));
                        evaluator.pop();
                    }
                }
            });
        });
        group.throughput(Throughput::Elements(families.len() as u64));
        group.bench_function("output", |b| {
            b.iter(|| {
                for (evaluator, family) in evaluators.iter_mut().zip(&families) {
                    black_box(evaluator.evaluate(&family.parent));
                }
            });
        });
        group.throughput(Throughput::Elements(children as u64));
        group.bench_function("refresh", |b| {
            b.iter(|| {
                for (evaluator, family) in evaluators.iter_mut().zip(&families) {
                    for (_, child) in &family.children {
                        evaluator.reset(child);
                        black_box(evaluator.evaluate(child));
                    }
                    evaluator.reset(&family.parent);
                    evaluator.evaluate(&family.parent);
                }
            });
        });
        group.finish();
    }
}

fn quick() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
}

criterion_group! {
    name = nnue;
    config = quick();
    targets = evaluation
}
criterion_main!(nnue);
