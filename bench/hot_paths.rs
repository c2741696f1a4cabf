//! What a searched node is made of: moves, exchanges, the table.
//!
//! `cargo bench --bench hot_paths` runs it. The numbers are for one operation over a fixed set of positions: the
//! bench positions of the engine and everything one move behind them.

use std::{hint::black_box, time::Duration};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use shakmaty::Move;
use zuylen::{
    position::{PackedMove, Position, fen},
    search::{
        score,
        transposition::{Bound, Entry, Table},
    },
};

/// MiB of the table: far more than the processor's caches hold.
const TABLE: usize = 256;

fn positions() -> Vec<Position> {
    include_str!("../src/tools/bench.epd")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| fen::read(line).expect("a bench position is legal").position)
        .collect()
}

fn legal_moves(positions: &[Position]) -> Vec<(&Position, Move)> {
    let moves_of = |position: &Position| position.legal_moves().into_iter().collect::<Vec<_>>();
    positions
        .iter()
        .flat_map(|position| moves_of(position).into_iter().map(move |m| (position, m)))
        .collect()
}

fn moves(c: &mut Criterion) {
    let positions = positions();
    let played = legal_moves(&positions);
    let mut group = c.benchmark_group("moves");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("legal_moves", |b| {
        b.iter(|| {
            positions
                .iter()
                .map(|position| position.legal_moves().len())
                .sum::<usize>()
        });
    });
    group.throughput(Throughput::Elements(played.len() as u64));
    group.bench_function("play", |b| {
        b.iter(|| {
            for &(position, m) in &played {
                black_box(position.play(m));
            }
        });
    });
    group.bench_function("is_legal", |b| {
        b.iter(|| {
            played
                .iter()
                .filter(|(position, m)| position.is_legal(*m))
                .count()
        });
    });
    group.finish();
}

fn exchange(c: &mut Criterion) {
    let positions = positions();
    let mut captures = legal_moves(&positions);
    captures.retain(|(_, m)| m.is_capture());
    let mut group = c.benchmark_group("exchange");
    group.throughput(Throughput::Elements(captures.len() as u64));
    group.bench_function("see_ge", |b| {
        b.iter(|| {
            captures
                .iter()
                .filter(|(position, m)| position.see_ge(*m, 0))
                .count()
        });
    });
    group.finish();
}

fn table(c: &mut Criterion) {
    let table = Table::new(TABLE).expect("memory for the table");
    let mut key = 0_u64;
    // The steps of the golden ratio reach all parts of the table.
    let mut next_key = move || {
        key = key.wrapping_add(0x9e37_79b9_7f4a_7c15);
        key
    };
    let mut group = c.benchmark_group("table");
    group.throughput(Throughput::Elements(1));
    group.bench_function("store", |b| {
        let entry = Entry {
            best: PackedMove::NONE,
            score: 10,
            eval: score::DRAW,
            depth: 5,
            bound: Bound::Lower,
            pv: false,
        };
        b.iter_batched(
            &mut next_key,
            |key| table.store(key, 3, entry),
            BatchSize::SmallInput,
        );
    });
    group.bench_function("probe", |b| {
        b.iter_batched(
            &mut next_key,
            |key| table.probe(key, 3, 0),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn quick() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
}

criterion_group! {
    name = hot_paths;
    config = quick();
    targets = moves, exchange, table
}
criterion_main!(hot_paths);
