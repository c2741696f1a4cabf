//! Perft against known counts: shallow in every `cargo test`, where debug builds also compare all
//! keys with a recomputation, and in full with
//! `cargo test --release --test perft -- --ignored --nocapture`.

use std::path::PathBuf;

use zuylen::tools::perft::{self, SuiteLimits, Summary};

/// What a debug build counts in a second or so for each file.
const QUICK: SuiteLimits = SuiteLimits {
    depth: u32::MAX,
    nodes: 2_000_000,
};

fn run(file: &str, limits: SuiteLimits) -> Summary {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "data", "perft", file]
        .iter()
        .collect();
    let mut out = Vec::new();
    let cases = perft::read_suite(&path).expect("the suite is readable");
    let summary = perft::run_cases(&cases, limits, &mut out).expect("written");
    let out = String::from_utf8(out).expect("the report is text");
    print!("{out}");
    assert_eq!(summary.failures, 0, "{out}");
    assert!(
        summary.compared > 0,
        "{file} has no count within the limits"
    );
    summary
}

#[test]
fn all_960_start_positions_at_depth_3() {
    let summary = run("frc960.epd", SuiteLimits::depth(3));
    assert_eq!((summary.positions, summary.compared), (960, 3 * 960));
}

#[test]
fn x_fen_rights() {
    assert_eq!(run("frc_xfen.epd", QUICK).positions, 40);
}

#[test]
fn double_fischer_random() {
    assert_eq!(run("dfrc_start_arrays.tsv", QUICK).positions, 20);
    // Each in two spellings.
    assert_eq!(run("dfrc_midgame.tsv", QUICK).positions, 2 * 94);
}

#[test]
fn castling_legality() {
    let summary = run("castling_legality.tsv", SuiteLimits::NONE);
    assert_eq!((summary.positions, summary.compared), (30, 3 * 30));
}

#[test]
fn en_passant_pins_promotions_and_captured_rooks() {
    assert_eq!(run("misc_edge.tsv", SuiteLimits::NONE).positions, 22);
}

#[test]
fn lists_of_stockfish_and_cute_chess() {
    assert_eq!(run("cutechess_frc.tsv", SuiteLimits::NONE).positions, 5);
    // Most of Stockfish's counts are for the full run.
    let limits = SuiteLimits {
        depth: 5,
        nodes: 20_000_000,
    };
    assert_eq!(run("stockfish.tsv", limits).compared, 5);
}

#[test]
#[ignore = "13 thousand million nodes: minutes, in a release build"]
fn in_full() {
    let summary = run("frc960.epd", SuiteLimits::depth(4));
    assert_eq!((summary.positions, summary.compared), (960, 4 * 960));
    for file in [
        "frc_xfen.epd",
        "dfrc_start_arrays.tsv",
        "dfrc_midgame.tsv",
        "castling_legality.tsv",
        "misc_edge.tsv",
        "cutechess_frc.tsv",
        "stockfish.tsv",
    ] {
        run(file, SuiteLimits::NONE);
    }
}
