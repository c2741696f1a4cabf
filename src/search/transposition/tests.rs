use super::*;

fn entry(depth: i32, bound: Bound) -> Entry {
    Entry {
        best: PackedMove::from_bits(0x1234),
        score: -57,
        eval: 31,
        depth,
        bound,
        pv: true,
    }
}

#[test]
fn what_is_stored_is_found() {
    let table = Table::new(1).unwrap();
    let stored = entry(7, Bound::Lower);
    table.store(0xdead_beef_0123_4567, 3, stored);
    assert_eq!(table.probe(0xdead_beef_0123_4567, 3, 0), Some(stored));
    assert_eq!(table.probe(0xdead_beef_0123_4568, 3, 0), None);
}

#[test]
fn an_empty_table_knows_nothing() {
    let table = Table::new(1).unwrap();
    assert_eq!(table.probe(0, 0, 0), None);
    assert_eq!(table.hashfull(), 0);
}

#[test]
fn a_torn_entry_is_a_miss() {
    let table = Table::new(1).unwrap();
    let key = 0x0123_4567_89ab_cdef;
    table.store(key, 0, entry(7, Bound::Lower));
    let word = &table.cluster(key)[0];
    word.store(word.load(Relaxed) ^ 1 << 20, Relaxed);
    assert_eq!(table.probe(key, 0, 0), None);
}

#[test]
fn threads_that_write_at_once_leave_no_entry_of_another_key() {
    // Eight keys for each of four clusters of three entries, so that all are replaced over and
    // over; no mixture of two of them is taken for a third.
    let key = |number: u64| (number % 4) << 62 | (number * 0x9e37) & 0xffff;
    let entry_of = |number: u64| Entry {
        best: PackedMove::from_bits(0x100 + number as u16),
        score: 37 * number as i32,
        eval: -(number as i32),
        depth: 1 + number as i32,
        bound: Bound::Exact,
        pv: false,
    };
    let rounds = if cfg!(miri) { 40 } else { 20_000 };
    let table = Table::new(1).unwrap();
    let found = AtomicU64::new(0);
    thread::scope(|scope| {
        for first in 0..4 {
            let (table, found) = (&table, &found);
            scope.spawn(move || {
                for number in (0..32).cycle().skip(8 * first).take(rounds) {
                    table.store(key(number), 0, entry_of(number));
                    let other = (number * 5 + 4) % 32;
                    if let Some(entry) = table.probe(key(other), 0, 0) {
                        assert_eq!(entry, entry_of(other));
                        found.fetch_add(1, Relaxed);
                    }
                }
            });
        }
    });
    assert!(found.into_inner() > 0);
}

#[test]
fn a_missing_move_keeps_the_old_one() {
    let table = Table::new(1).unwrap();
    table.store(1, 0, entry(3, Bound::Lower));
    table.store(
        1,
        0,
        Entry {
            best: PackedMove::NONE,
            ..entry(9, Bound::Upper)
        },
    );
    let found = table.probe(1, 0, 0).unwrap();
    assert_eq!(
        (found.best, found.depth),
        (PackedMove::from_bits(0x1234), 9)
    );
}

#[test]
fn a_shallow_bound_does_not_replace_a_deep_one() {
    let table = Table::new(1).unwrap();
    table.store(1, 0, entry(20, Bound::Lower));
    table.store(1, 0, entry(2, Bound::Upper));
    assert_eq!(table.probe(1, 0, 0).unwrap().depth, 20);
    table.store(1, 0, entry(2, Bound::Exact));
    assert_eq!(table.probe(1, 0, 0).unwrap().depth, 2);
}

#[test]
fn mates_are_counted_from_the_asking_root() {
    let table = Table::new(1).unwrap();
    let mate = score::mate_in(7);
    table.store(
        1,
        4,
        Entry {
            score: mate,
            ..entry(5, Bound::Exact)
        },
    );
    assert_eq!(table.probe(1, 4, 0).unwrap().score, mate);
    assert_eq!(table.probe(1, 2, 0).unwrap().score, score::mate_in(5));
    table.store(
        2,
        4,
        Entry {
            score: -mate,
            ..entry(5, Bound::Exact)
        },
    );
    assert_eq!(table.probe(2, 0, 0).unwrap().score, score::mated_in(3));
}

#[test]
fn a_mate_beyond_the_fifty_move_limit_is_not_claimed() {
    let table = Table::new(1).unwrap();
    table.store(
        1,
        0,
        Entry {
            score: score::mate_in(9),
            ..entry(5, Bound::Exact)
        },
    );
    assert_eq!(table.probe(1, 0, 91).unwrap().score, score::mate_in(9));
    assert!(!score::is_decisive(table.probe(1, 0, 92).unwrap().score));
}

#[test]
fn clearing_empties_it() {
    let table = Table::new(2).unwrap();
    table.store(1, 0, entry(5, Bound::Exact));
    table.clear();
    assert_eq!(table.probe(1, 0, 0), None);
}

#[test]
fn too_much_memory_is_an_error() {
    assert!(Table::new(usize::MAX).is_err());
    assert!(Table::new(1 << 40).is_err());
}

#[test]
fn a_table_makes_room_for_the_next_one() {
    const MIB: usize = 1 << 20;
    // 16 GiB, of which a table has 12,000 MiB and 3000 are left.
    let left = Some(3000 << 20);
    assert_eq!(ensure_room(8000 * MIB, 12_000 * MIB, left), Ok(()));
    assert_eq!(ensure_room(15_000 * MIB, 12_000 * MIB, left), Ok(()));
    let refused = ensure_room(15_001 * MIB, 12_000 * MIB, left);
    assert_eq!(
        refused,
        Err("there is memory for 15000 MiB only".to_owned())
    );
    assert!(ensure_room(8000 * MIB, 0, left).is_err());
    assert_eq!(ensure_room(8000 * MIB, 0, None), Ok(()));
}

#[test]
fn a_replaced_table_is_empty_and_a_refused_one_changes_nothing() {
    let mut table = Table::new(2).unwrap();
    for mebibytes in [2, 1, 3] {
        table.store(1, 0, entry(5, Bound::Exact));
        assert_eq!(Table::replace(&mut table, mebibytes), Ok(()));
        assert_eq!(table.bytes(), mebibytes << 20);
        assert_eq!(table.probe(1, 0, 0), None);
    }
    table.store(1, 0, entry(5, Bound::Exact));
    assert!(Table::replace(&mut table, usize::MAX).is_err());
    assert_eq!(table.bytes(), 3 << 20);
    assert!(table.probe(1, 0, 0).is_some());
}

#[test]
fn what_an_earlier_search_proved_is_searched_again() {
    let table = Table::new(1).unwrap();
    let drawish = entry(20, Bound::Lower);
    let won = Entry {
        score: score::mate_in(9),
        ..drawish
    };
    table.store(1, 0, won);
    table.store(2, 0, drawish);
    assert_eq!(table.probe(1, 0, 0), Some(won));
    table.new_search();
    assert_eq!(table.probe(1, 0, 0), Some(Entry { depth: 0, ..won }));
    assert_eq!(table.probe(2, 0, 0), Some(drawish));
    // Proved again, it counts again.
    table.store(1, 0, won);
    assert_eq!(table.probe(1, 0, 0), Some(won));
}
