//! What the engine says becomes text.

use std::{fmt::Write as _, sync::atomic::AtomicBool};

use shakmaty::{File, Rank, Square};

use crate::{
    engine::{Answer, Game, Output, Presentation},
    nnue::{Breakdown, Network},
    position::{
        Position,
        fen::{self, FenStyle},
        notation::{self, CastlingStyle},
    },
    search::{Info, ScoreBound, wdl::Worth},
    tools::perft,
};

/// The line that says `output`, without its end.
pub fn line(output: &Output) -> String {
    match output {
        Output::Info(info, presentation) => info_line(info, *presentation),
        Output::CurrentMove {
            depth,
            current,
            number,
            presentation,
        } => {
            let current = notation::write(*current, presentation.castling);
            format!("info depth {depth} currmove {current} currmovenumber {number}")
        }
        Output::Finished { checkmate: true } => "info depth 0 score mate 0".to_owned(),
        Output::Finished { checkmate: false } => "info depth 0 score cp 0".to_owned(),
        Output::Note(text) => note(text),
        Output::Answer(answer, presentation) => answer_line(answer, *presentation),
    }
}

/// A line for a person to read.
pub fn note(text: &str) -> String {
    let one_line: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    format!("info string {one_line}")
}

fn info_line(info: &Info, presentation: Presentation) -> String {
    let mut line = format!(
        "info depth {} seldepth {} multipv {} score {}",
        info.depth, info.seldepth, info.multipv, info.score
    );
    line.push_str(match info.bound {
        ScoreBound::Exact => "",
        ScoreBound::Lower => " lowerbound",
        ScoreBound::Upper => " upperbound",
    });
    if presentation.wdl {
        let [win, draw, loss] = info.wdl;
        push(&mut line, format_args!(" wdl {win} {draw} {loss}"));
    }
    let milliseconds = info.time.as_millis();
    // A search may be over within its first millisecond.
    let nps = u128::from(info.nodes) * 1000 / milliseconds.max(1);
    push(
        &mut line,
        format_args!(
            " nodes {} nps {nps} hashfull {} tbhits {} time {milliseconds}",
            info.nodes, info.hashfull, info.tablebase_hits
        ),
    );
    if !info.pv.is_empty() {
        line.push_str(" pv");
    }
    for &m in &info.pv {
        line.push(' ');
        line.push_str(&notation::write(m, presentation.castling));
    }
    line
}

fn answer_line(answer: &Answer, presentation: Presentation) -> String {
    match *answer {
        Answer::Move { best, ponder } => {
            let mut line = format!("bestmove {}", notation::write(best, presentation.castling));
            if let Some(ponder) = ponder {
                let ponder = notation::write(ponder, presentation.castling);
                push(&mut line, format_args!(" ponder {ponder}"));
            }
            line
        }
        Answer::GameOver => "bestmove (none)".to_owned(),
        Answer::NoPosition => "bestmove 0000".to_owned(),
    }
}

/// A picture of the position on the board and what there is to know about it.
pub fn diagram(game: &Game) -> Vec<String> {
    let position = game.position();
    let mut lines = board(position);
    lines.push(format!("FEN: {}", fen::write(position, FenStyle::XFen)));
    lines.push(format!(
        "Shredder-FEN: {}",
        fen::write(position, FenStyle::Shredder)
    ));
    lines.push(format!("Key: {:016X}", position.keys().whole));
    let checkers: Vec<String> = position
        .checkers()
        .into_iter()
        .map(|s| s.to_string())
        .collect();
    lines.push(
        format!("Checkers: {}", checkers.join(" "))
            .trim_end()
            .to_owned(),
    );
    match game.start_numbers() {
        Some((white, black)) if white == black => lines.push(format!("Start position: {white}")),
        Some((white, black)) => lines.push(format!(
            "Start position: {white} against {black}, double number {}",
            u32::from(white) * u32::from(crate::chess960::START_POSITIONS) + u32::from(black)
        )),
        None => {}
    }
    lines
}

fn board(position: &Position) -> Vec<String> {
    const RULE: &str = "  +---+---+---+---+---+---+---+---+";
    let mut lines = vec![RULE.to_owned()];
    for rank in Rank::ALL.into_iter().rev() {
        let mut line = format!("{} |", rank.char());
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            push(
                &mut line,
                format_args!(" {} |", piece.map_or(' ', |piece| piece.char())),
            );
        }
        lines.push(line);
        lines.push(RULE.to_owned());
    }
    lines.push("    a   b   c   d   e   f   g   h".to_owned());
    lines.push(format!("{} to move", mover(position)));
    lines
}

/// The evaluation of the position on the board, without search, as a person reads it: what every
/// piece but the kings contributes, what each output layer says, and the sum.
pub fn evaluation(game: &Game, network: &Network) -> Vec<String> {
    const RULE: &str = "  +-------+-------+-------+-------+-------+-------+-------+-------+";
    let position = game.position();
    let breakdown = Breakdown::new(network, position);
    let worth = Worth::at(position);
    let for_white = |value: i32| worth.centipawns(position.turn().fold_wb(value, -value));

    let mut lines = vec![
        "Centipawns for White that each piece contributes:".to_owned(),
        RULE.to_owned(),
    ];
    for rank in Rank::ALL.into_iter().rev() {
        let mut pieces = format!("{} |", rank.char());
        let mut values = "  |".to_owned();
        for file in File::ALL {
            let square = Square::from_coords(file, rank);
            let piece = position.board().piece_at(square);
            let symbol = piece.map_or(' ', |piece| piece.char());
            push(&mut pieces, format_args!("   {symbol}   |"));
            let part = breakdown.pieces.iter().find(|part| part.square == square);
            let value = part.map_or(String::new(), |part| format!("{:+}", for_white(part.value)));
            push(&mut values, format_args!("{value:^7}|"));
        }
        lines.extend([pieces, values, RULE.to_owned()]);
    }
    lines.push("      a       b       c       d       e       f       g       h".to_owned());

    let mut layers = "By number of men:".to_owned();
    for (number, &value) in breakdown.buckets.iter().enumerate() {
        let used = if number == breakdown.bucket { "*" } else { "" };
        push(&mut layers, format_args!(" {:+}{used}", for_white(value)));
    }
    lines.push(layers);
    let mover = mover(position);
    lines.push(format!(
        "Evaluation: {} centipawns for {mover}, who is to move",
        worth.centipawns(breakdown.value)
    ));
    lines
}

/// The last line of a perft.
pub fn nodes_searched(nodes: u64) -> String {
    format!("Nodes searched: {nodes}")
}

fn mover(position: &Position) -> &'static str {
    position.turn().fold_wb("White", "Black")
}

/// The number of positions `depth` plies after each move, and their sum; `None` if `stop` was set
/// on the way.
pub fn division(
    position: &Position,
    depth: u32,
    castling: CastlingStyle,
    stop: &AtomicBool,
) -> Option<Vec<String>> {
    let counts = perft::divide(position, depth, stop)?;
    // At depth 0 the position itself is the only one.
    let sum = if depth == 0 {
        1
    } else {
        counts.iter().map(|&(_, nodes)| nodes).sum::<u64>()
    };
    let by_move = counts
        .iter()
        .map(|&(m, nodes)| format!("{}: {nodes}", notation::write(m, castling)));
    Some(by_move.chain([nodes_searched(sum)]).collect())
}

fn push(line: &mut String, text: std::fmt::Arguments) {
    line.write_fmt(text)
        .expect("writing to a string does not fail");
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use shakmaty::Move;

    use super::*;
    use crate::{
        engine::{Answer, Output},
        search::score::Score,
    };

    const KING_TAKES_ROOK: Presentation = Presentation {
        castling: CastlingStyle::KingTakesRook,
        wdl: false,
        lines: 1,
    };
    const TWO_SQUARES: Presentation = Presentation {
        castling: CastlingStyle::KingTwoSquares,
        wdl: true,
        lines: 1,
    };
    const CASTLE: Move = Move::Castle {
        king: Square::E1,
        rook: Square::H1,
    };

    fn info(time: Duration) -> Info {
        Info {
            depth: 7,
            seldepth: 12,
            multipv: 2,
            score: Score::Centipawns(-31),
            bound: ScoreBound::Exact,
            wdl: [100, 700, 200],
            nodes: 5000,
            time,
            hashfull: 13,
            tablebase_hits: 0,
            pv: vec![CASTLE],
        }
    }

    #[test]
    fn lines_of_analysis() {
        let half_a_second = info(Duration::from_millis(500));
        assert_eq!(
            line(&Output::Info(half_a_second.clone(), KING_TAKES_ROOK)),
            "info depth 7 seldepth 12 multipv 2 score cp -31 nodes 5000 nps 10000 hashfull 13 tbhits 0 time 500 pv e1h1"
        );
        let mate = Info {
            score: Score::Mate(3),
            bound: ScoreBound::Lower,
            pv: Vec::new(),
            ..half_a_second
        };
        assert_eq!(
            line(&Output::Info(mate, TWO_SQUARES)),
            "info depth 7 seldepth 12 multipv 2 score mate 3 lowerbound wdl 100 700 200 nodes 5000 nps 10000 hashfull 13 tbhits 0 time 500"
        );
    }

    #[test]
    fn speed_is_finite_when_no_time_has_passed() {
        let text = line(&Output::Info(info(Duration::ZERO), KING_TAKES_ROOK));
        assert!(
            text.contains(" nps 5000000 ") && text.contains(" time 0 "),
            "{text}"
        );
    }

    #[test]
    fn answers() {
        let answer = |answer, presentation| line(&Output::Answer(answer, presentation));
        let castle = |ponder| Answer::Move {
            best: CASTLE,
            ponder,
        };
        assert_eq!(answer(castle(None), TWO_SQUARES), "bestmove e1g1");
        assert_eq!(
            answer(castle(Some(CASTLE)), KING_TAKES_ROOK),
            "bestmove e1h1 ponder e1h1"
        );
        assert_eq!(answer(Answer::GameOver, TWO_SQUARES), "bestmove (none)");
        assert_eq!(answer(Answer::NoPosition, TWO_SQUARES), "bestmove 0000");
        assert_eq!(
            line(&Output::Finished { checkmate: true }),
            "info depth 0 score mate 0"
        );
        assert_eq!(
            line(&Output::Finished { checkmate: false }),
            "info depth 0 score cp 0"
        );
    }

    #[test]
    fn a_division_sums_up() {
        let division = |depth| {
            let never = AtomicBool::new(false);
            division(
                &Position::startpos(),
                depth,
                CastlingStyle::KingTwoSquares,
                &never,
            )
            .expect("not stopped")
        };
        assert_eq!(division(0), ["Nodes searched: 1"]);
        assert_eq!(
            division(2).last().map(String::as_str),
            Some("Nodes searched: 400")
        );
        assert!(division(2).contains(&"e2e4: 20".to_owned()));
    }

    #[test]
    fn a_diagram_tells_what_there_is_to_know() {
        let text = diagram(&Game::new(
            Position::start_array(12, 13).expect("start positions"),
        ));
        assert!(
            text.iter()
                .any(|line| line.ends_with("12 against 13, double number 11533")),
            "{text:?}"
        );
        assert!(diagram(&Game::default()).contains(&"Start position: 518".to_owned()));
    }
}
