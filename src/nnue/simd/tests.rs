use super::{super::architecture::QA, *};
use crate::position::keys::splitmix64;

/// How many times each kernel is tried. Miri, which knows instructions that the machine at hand may
/// not have, is slow.
const TRIES: usize = if cfg!(miri) { 3 } else { 500 };

/// Rows over the whole range of 16 bits, every fourth number at an edge of something.
fn rows(count: usize) -> Vec<Row> {
    const EDGES: [i16; 8] = [
        i16::MIN,
        i16::MAX,
        -1,
        0,
        1,
        QA as i16 - 1,
        QA as i16,
        QA as i16 + 1,
    ];
    let mut state = 7;
    let mut number = || {
        let random = splitmix64(&mut state);
        match random >> 62 {
            0 => EDGES[random as usize % EDGES.len()],
            1 => (random % 512) as i16 - 128,
            _ => random as i16,
        }
    };
    let mut row = || Row([(); HIDDEN].map(|()| number()));
    (0..count).map(|_| row()).collect()
}

fn sum(start: &Row, added: &[&Row], removed: &[&Row]) -> Row {
    Row(std::array::from_fn(|at| {
        let plus: i64 = added.iter().map(|row| i64::from(row.0[at])).sum();
        let minus: i64 = removed.iter().map(|row| i64::from(row.0[at])).sum();
        (i64::from(start.0[at]) + plus - minus) as i16
    }))
}

fn weighted_squares(us: &Row, them: &Row, weights: &[Row; 2]) -> i32 {
    let neurons = us.0.iter().chain(&them.0);
    let terms = neurons.zip(weights.iter().flat_map(|row| row.0));
    terms
        .map(|(&neuron, weight)| {
            let clipped = i64::from(neuron).clamp(0, i64::from(QA));
            i64::from((clipped * i64::from(weight)) as i16) * clipped
        })
        .sum::<i64>() as i32
}

#[test]
fn the_fastest_comes_first_and_plain_rust_last() {
    let available = Simd::available();
    assert_eq!(Simd::best(), available[0]);
    assert_eq!(available.last(), Some(&Simd(Level::Plain)));
    let names: Vec<&str> = available.iter().map(|simd| simd.name()).collect();
    println!("tested here: {}", names.join(", "));
}

#[test]
fn all_levels_update_as_plain_arithmetic_does() {
    for rows in rows(5 * TRIES).chunks_exact(5) {
        let [from, a, b, c, d] = rows else {
            unreachable!()
        };
        for simd in Simd::available() {
            let mut to = Row::ZERO;
            simd.update(from, &mut to, [a], [b]);
            assert_eq!(to, sum(from, &[a], &[b]), "{simd:?}");
            simd.update(from, &mut to, [a], [b, c]);
            assert_eq!(to, sum(from, &[a], &[b, c]), "{simd:?}");
            simd.update(from, &mut to, [a, b], [c, d]);
            assert_eq!(to, sum(from, &[a, b], &[c, d]), "{simd:?}");
        }
    }
}

#[test]
fn all_levels_refresh_as_plain_arithmetic_does() {
    let rows = rows(100);
    for added in [0, 1, 2, 7, 32, 64] {
        for removed in [0, 1, 3, 32] {
            let start = &rows[added + removed];
            let plus: Vec<&Row> = rows[..added].iter().collect();
            let minus: Vec<&Row> = rows[added..added + removed].iter().collect();
            for simd in Simd::available() {
                let mut row = *start;
                simd.refresh(&mut row, &plus, &minus);
                assert_eq!(row, sum(start, &plus, &minus), "{simd:?} {added} {removed}");
            }
        }
    }
}

#[test]
fn all_levels_have_the_output_of_plain_arithmetic() {
    for rows in rows(4 * TRIES).chunks_exact(4) {
        let weights = [rows[2], rows[3]];
        let expected = weighted_squares(&rows[0], &rows[1], &weights);
        for simd in Simd::available() {
            assert_eq!(
                simd.output(&rows[0], &rows[1], &weights),
                expected,
                "{simd:?}"
            );
        }
    }
}
