//! Perft: counting the leaves of the legal move tree, to compare with numbers known to be right.

use std::{
    fmt, fs, io,
    path::Path,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use crossbeam::channel;
use shakmaty::Move;

use crate::position::{Position, fen};

/// Greater depths are taken as this one, which no count reaches; it bounds the recursion.
pub const MAX_DEPTH: u32 = 100;

/// The number of move sequences of `depth` plies, or `None` if `stop` was set on the way.
pub fn count(position: &Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    let depth = depth.min(MAX_DEPTH);
    if depth == 0 {
        return Some(1);
    }
    let moves = position.legal_moves();
    if depth == 1 {
        return Some(moves.len() as u64);
    }
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    moves.into_iter().try_fold(0_u64, |nodes, m| {
        Some(nodes.saturating_add(count(&position.play(m), depth - 1, stop)?))
    })
}

/// The count below each legal move, or `None` if `stop` was set on the way. At depth 0 there is
/// nothing to divide.
pub fn divide(position: &Position, depth: u32, stop: &AtomicBool) -> Option<Vec<(Move, u64)>> {
    if depth == 0 {
        return Some(Vec::new());
    }
    let moves = position.legal_moves().into_iter();
    moves
        .map(|m| Some((m, count(&position.play(m), depth - 1, stop)?)))
        .collect()
}

/// One position of a suite and its known counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The position.
    pub fen: String,
    /// Pairs of a depth in plies and the number of leaves there.
    pub counts: Vec<(u32, u64)>,
}

/// What running a suite found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Positions run.
    pub positions: usize,
    /// Known counts compared.
    pub compared: usize,
    /// Counts that differed and positions that could not be read.
    pub failures: usize,
    /// Leaves counted.
    pub nodes: u64,
    /// Time from beginning to end.
    pub elapsed: Duration,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary {
            positions,
            compared,
            failures,
            nodes,
            elapsed,
        } = self;
        write!(
            f,
            "{positions} positions, {compared} counts, {failures} failures, {nodes} nodes in {:.1} s",
            elapsed.as_secs_f64()
        )
    }
}

/// Limits for the counts of a suite; greater ones are left out.
#[derive(Clone, Copy, Debug)]
pub struct SuiteLimits {
    /// The greatest depth, in plies.
    pub depth: u32,
    /// The greatest known count.
    pub nodes: u64,
}

impl SuiteLimits {
    /// Every count of the file.
    pub const NONE: SuiteLimits = SuiteLimits {
        depth: u32::MAX,
        nodes: u64::MAX,
    };

    /// Every count up to a depth in plies.
    pub fn depth(depth: u32) -> SuiteLimits {
        SuiteLimits {
            depth,
            ..SuiteLimits::NONE
        }
    }
}

/// Reads the lines of a suite. There are two formats, and a file may mix them:
///
/// - `FEN ;D1 20 ;D2 400`, in any order and with gaps;
/// - columns separated by tabs, among them one FEN or more (spellings of the same position), and
///   after the last of them the counts of depths 1, 2 and so on. If the comment line (`#`) above
///   names columns `depth` and `nodes`, there is one depth and its count instead. Other columns
///   are for people.
///
/// A byte order mark before the first line is skipped.
///
/// # Errors
/// When a line holds neither, which is named, or there is no position at all.
pub fn parse_suite(text: &str) -> io::Result<Vec<Case>> {
    let bad = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
    let mut cases = Vec::new();
    let mut depth_named = false;
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        let found = if let Some(comment) = line.strip_prefix('#') {
            depth_named = comment.replace("<TAB>", " ").contains("depth nodes");
            continue;
        } else if line.trim().is_empty() {
            continue;
        } else if line.contains('\t') {
            parse_columns(line, depth_named)
        } else {
            parse_epd(line).into_iter().collect()
        };
        if found.is_empty() {
            return Err(bad(format!("line {number}: no position with counts")));
        }
        cases.extend(found);
    }
    if cases.is_empty() {
        return Err(bad("no position with counts".to_owned()));
    }
    Ok(cases)
}

fn parse_epd(line: &str) -> Option<Case> {
    let (fen, counts) = line.split_once(';')?;
    let counts: Option<Vec<_>> = counts
        .split(';')
        .map(str::trim)
        .filter(|operation| !operation.is_empty())
        .map(|operation| {
            let (depth, nodes) = operation.strip_prefix('D')?.split_once(' ')?;
            Some((depth.parse().ok()?, nodes.trim().parse().ok()?))
        })
        .collect();
    Some(Case {
        fen: fen.trim().to_owned(),
        counts: counts?,
    })
}

fn parse_columns(line: &str, depth_named: bool) -> Vec<Case> {
    let columns: Vec<&str> = line.split('\t').collect();
    let is_fen = |column: &&str| column.matches('/').count() == 7;
    let after_fens = columns
        .iter()
        .rposition(is_fen)
        .map_or(columns.len(), |last| last + 1);
    let numbers: Vec<u64> = columns[after_fens..]
        .iter()
        .map_while(|column| column.parse().ok())
        .collect();
    let counts: Vec<(u32, u64)> = match numbers[..] {
        [] => return Vec::new(),
        [depth, nodes, ..] if depth_named => vec![(depth.min(MAX_DEPTH.into()) as u32, nodes)],
        _ => (1..).zip(numbers).collect(),
    };
    let fens = columns.into_iter().filter(is_fen);
    fens.map(|fen| Case {
        fen: fen.to_owned(),
        counts: counts.clone(),
    })
    .collect()
}

/// Reads a suite from a file; see [`parse_suite`].
///
/// # Errors
/// Those of the file and of what stands in it.
pub fn read_suite(path: &Path) -> io::Result<Vec<Case>> {
    parse_suite(&fs::read_to_string(path)?)
}

/// Runs the positions of a suite on all processors and writes a line for each failure.
///
/// # Errors
/// Those of `out`.
pub fn run_cases(
    cases: &[Case],
    limits: SuiteLimits,
    out: &mut dyn io::Write,
) -> io::Result<Summary> {
    let begin = Instant::now();
    let mut summary = Summary::default();
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = channel::unbounded();
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            scope.spawn(move || {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // The receiver is gone if the report could not be written.
                    if sender.send(run_case(case, limits, stop)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);

        let written = receiver.iter().try_for_each(|result| {
            summary.positions += 1;
            summary.compared += result.compared;
            summary.nodes += result.nodes;
            summary.failures += result.failures.len();
            result
                .failures
                .iter()
                .try_for_each(|failure| writeln!(out, "{failure}"))
        });
        stop.store(true, Ordering::Relaxed);
        written
    })?;
    summary.elapsed = begin.elapsed();
    Ok(summary)
}

#[derive(Default)]
struct CaseResult {
    compared: usize,
    nodes: u64,
    failures: Vec<String>,
}

fn run_case(case: &Case, limits: SuiteLimits, stop: &AtomicBool) -> CaseResult {
    let mut result = CaseResult::default();
    let position = match fen::read(&case.fen) {
        Ok(reading) => reading.position,
        Err(error) => {
            result.failures.push(format!("{}: {error}", case.fen));
            return result;
        }
    };
    for &(depth, expected) in &case.counts {
        if depth > limits.depth || expected > limits.nodes {
            continue;
        }
        let Some(nodes) = count(&position, depth, stop) else {
            break;
        };
        result.compared += 1;
        result.nodes += nodes;
        if nodes != expected {
            result.failures.push(format!(
                "{}: depth {depth} has {nodes} nodes instead of {expected}",
                case.fen
            ));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(fen: &str, counts: &[(u32, u64)]) -> Case {
        Case {
            fen: fen.to_owned(),
            counts: counts.to_vec(),
        }
    }

    const BARE: &str = "4k3/8/8/8/8/8/8/4K3 w - -";

    #[test]
    fn reads_both_formats() {
        let text = format!(
            "{BARE} ;D1 5 ;D3 170;\n\
             # a | kind<TAB>fen<TAB>d1<TAB>d2<TAB>what\n\
             legal\t{BARE}\t5\t25\t7 words\n\
             \n\
             43/9\tx\t{BARE}\t{BARE} 0 1\t5\r\n\
             # columns: fen<TAB>depth<TAB>nodes\n\
             {BARE}\t2\t25\n"
        );
        let longer = format!("{BARE} 0 1");
        let cases = parse_suite(&text).unwrap();
        assert_eq!(
            cases,
            [
                case(BARE, &[(1, 5), (3, 170)]),
                case(BARE, &[(1, 5), (2, 25)]),
                case(BARE, &[(1, 5)]),
                case(&longer, &[(1, 5)]),
                case(BARE, &[(2, 25)]),
            ]
        );
    }

    #[test]
    fn names_the_line_that_it_cannot_read() {
        for line in ["nonsense", "a\tb", "8/8 ;D1 x", "\t1\t2", "fen ;E1 2"] {
            let error = parse_suite(&format!("# one\n{line}\n")).unwrap_err();
            assert!(error.to_string().starts_with("line 2:"), "{line}: {error}");
        }
    }

    #[test]
    fn reports_what_differs() {
        let cases = [
            case(BARE, &[(1, 5), (2, 24)]),
            case("8/8/8/8/8/8/8/8 w - -", &[(1, 0)]),
        ];
        let mut out = Vec::new();
        let summary = run_cases(&cases, SuiteLimits::NONE, &mut out).unwrap();
        assert_eq!((summary.positions, summary.failures), (2, 2));
        assert_eq!((summary.compared, summary.nodes), (2, 30));
        let out = String::from_utf8(out).unwrap();
        assert!(out.contains("depth 2 has 25 nodes instead of 24"), "{out}");
        assert!(out.contains("white has 0 kings"), "{out}");
    }

    #[test]
    fn limits_leave_out_what_is_greater() {
        let cases = [case(BARE, &[(1, 5), (2, 25), (3, 170)])];
        let limits = SuiteLimits {
            depth: 2,
            nodes: 20,
        };
        let summary = run_cases(&cases, limits, &mut Vec::new()).unwrap();
        assert_eq!((summary.compared, summary.nodes), (1, 5));
    }

    #[test]
    fn divide_adds_up_to_count() {
        let position = fen::read("rkr5/8/8/8/8/8/8/RKR5 w CAca - 0 1")
            .unwrap()
            .position;
        let stop = AtomicBool::new(false);
        let divided = divide(&position, 3, &stop).unwrap();
        assert_eq!(divided.len(), 20);
        assert_eq!(divided.iter().map(|(_, nodes)| nodes).sum::<u64>(), 6855);
        assert_eq!(count(&position, 3, &stop), Some(6855));
        assert_eq!(count(&position, 0, &stop), Some(1));
        assert_eq!(divide(&position, 0, &stop), Some(Vec::new()));
    }

    #[test]
    fn stops_when_told_however_deep() {
        let stop = AtomicBool::new(false);
        let position = Position::startpos();
        thread::scope(|scope| {
            let run = scope.spawn(|| divide(&position, u32::MAX, &stop));
            thread::sleep(Duration::from_millis(20));
            stop.store(true, Ordering::Relaxed);
            assert_eq!(run.join().unwrap(), None);
        });
    }
}
