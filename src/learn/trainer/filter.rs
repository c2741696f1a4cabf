//! Which positions of a game are worth learning from.
//!
//! A network without search should know quiet positions: what a capture is about to change, the
//! search finds out by itself. The first plies stay, for they alone hold castling rights, and so do
//! all drawn games.

use std::collections::HashSet;

use super::record::{NO_RESULT, Record, from_side};
use crate::{
    learn::{changes_material, format::Game},
    nnue::endings::KNOWN_WIN,
    search::score::DRAW_JITTER,
};

/// Beyond this halfmove clock nothing happens any more.
const MOST_HALFMOVES: u32 = 60;
/// So many positions of the dead end of a game are kept.
const DEAD_KEPT: usize = 8;
/// A score beyond this, in the search's units, with the opposite result was a mistake.
const CONTRADICTED: i16 = 600;
/// How many moves the later scores are averaged over.
const LATER: usize = 8;
/// No later score counts for more than this.
const MOST_LATER: i32 = 2000;

/// How many positions there were, and why some were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games, without asides.
    pub games: u64,
    /// Positions in which a move was made.
    pub positions: u64,
    /// The side to move was in check.
    pub check: u64,
    /// The best move was a capture or a promotion.
    pub tactical: u64,
    /// The halfmove clock was high.
    pub stale: u64,
    /// The game had long been dead drawn.
    pub dead: u64,
    /// The search saw a mate or a known win.
    pub decided: u64,
    /// The result was the opposite of a clear score.
    pub contradicted: u64,
    /// The yardstick has the position.
    pub yardstick: u64,
    /// What is left to learn from.
    pub kept: u64,
    /// Games that were left out, for they begin as one that is held out.
    pub repeated: u64,
}

impl Counts {
    /// Adds another part's counts.
    pub fn add(&mut self, other: &Counts) {
        self.games += other.games;
        self.positions += other.positions;
        self.check += other.check;
        self.tactical += other.tactical;
        self.stale += other.stale;
        self.dead += other.dead;
        self.decided += other.decided;
        self.contradicted += other.contradicted;
        self.yardstick += other.yardstick;
        self.kept += other.kept;
        self.repeated += other.repeated;
    }
}

/// Appends the positions of a game that are worth learning from, but for those whose keys are in
/// `avoided`.
pub fn select(game: &Game, avoided: &HashSet<u64>, records: &mut Vec<Record>, counts: &mut Counts) {
    let scores: Vec<i16> = game.moves.iter().map(|&(_, score)| score).collect();
    let alive = scores
        .iter()
        .rposition(|score| i32::from(score.saturating_abs()) > DRAW_JITTER)
        .map_or(0, |last| last + 1);
    counts.games += u64::from(!game.aside);
    for (ply, (position, m, score)) in game.positions().enumerate() {
        let side = position.turn();
        let half_points = if game.aside {
            NO_RESULT
        } else {
            game.result.half_points(side)
        };
        let seen = from_side(i32::from(score), side);
        counts.positions += 1;
        let reason = if position.in_check() {
            &mut counts.check
        } else if changes_material(m) {
            &mut counts.tactical
        } else if position.halfmoves() > MOST_HALFMOVES {
            &mut counts.stale
        } else if ply >= alive + DEAD_KEPT {
            &mut counts.dead
        } else if i32::from(score).abs() >= KNOWN_WIN {
            &mut counts.decided
        } else if seen > CONTRADICTED && half_points == 0
            || seen < -CONTRADICTED && half_points == 2
        {
            &mut counts.contradicted
        } else if avoided.contains(&position.keys().whole) {
            &mut counts.yardstick
        } else {
            let later = from_side(later(&scores, ply), side);
            records.push(Record::new(&position, seen, later, half_points));
            &mut counts.kept
        };
        *reason += 1;
    }
}

/// The mean of the scores that follow, from White's side; at the last move its own.
fn later(scores: &[i16], ply: usize) -> i32 {
    let following = &scores[ply + 1..(ply + 1 + LATER).min(scores.len())];
    if following.is_empty() {
        return i32::from(scores[ply]);
    }
    let sum: i32 = following
        .iter()
        .map(|&score| i32::from(score).clamp(-MOST_LATER, MOST_LATER))
        .sum();
    sum / following.len() as i32
}

#[cfg(test)]
mod tests {
    use shakmaty::{Move, Square};

    use super::*;
    use crate::{
        learn::format::{GameResult, StartKind},
        position::{Position, fen, notation},
    };

    fn game(fen: &str, result: GameResult, moves: &[(&str, i16)]) -> Game {
        let start = fen::read(fen).expect(fen).position;
        let mut position: Position = start.clone();
        let moves = moves
            .iter()
            .map(|&(text, score)| {
                let m = notation::read(&position, text).expect(text);
                position = position.play(m);
                (m, score)
            })
            .collect();
        Game {
            start,
            start_score: 0,
            result,
            kind: StartKind::Unknown,
            played_out: false,
            aside: false,
            moves,
        }
    }

    fn counts(game: &Game) -> (Counts, Vec<Record>) {
        let mut records = Vec::new();
        let mut counts = Counts::default();
        select(game, &HashSet::new(), &mut records, &mut counts);
        assert_eq!(counts.kept, records.len() as u64);
        (counts, records)
    }

    #[test]
    fn castling_is_quiet_and_captures_and_promotions_are_not() {
        let castling = game(
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            GameResult::White,
            &[("e1h1", 300)],
        );
        assert!(matches!(
            castling.moves[0].0,
            Move::Castle {
                rook: Square::H1,
                ..
            }
        ));
        assert_eq!(counts(&castling).0.kept, 1);
        let capture = game(
            "4k3/8/8/8/8/8/r7/4K2R w K - 0 1",
            GameResult::White,
            &[("h1h8", 300), ("e8d7", 310), ("h8h2", 320), ("a2h2", 0)],
        );
        let (counted, _) = counts(&capture);
        assert_eq!((counted.kept, counted.check, counted.tactical), (2, 1, 1));
        let promotion = game(
            "8/P6k/8/8/8/8/8/K7 w - - 0 1",
            GameResult::White,
            &[("a7a8q", 900)],
        );
        assert_eq!(counts(&promotion).0.tactical, 1);
    }

    #[test]
    fn contradicted_scores_go_but_draws_stay() {
        let fen = "4k3/8/8/8/8/8/8/4K2R w - - 0 1";
        let after = |result, score| counts(&game(fen, result, &[("e1e2", score)])).0;
        assert_eq!(after(GameResult::Black, 601).contradicted, 1);
        assert_eq!(after(GameResult::Black, 600).kept, 1);
        assert_eq!(after(GameResult::White, -601).contradicted, 1);
        assert_eq!(after(GameResult::Draw, 2000).kept, 1);
        assert_eq!(after(GameResult::White, 31_990).decided, 1);
        assert_eq!(after(GameResult::White, i16::MIN).decided, 1);
        let black = "4k2r/8/8/8/8/8/8/4K3 b - - 0 1";
        assert_eq!(
            counts(&game(black, GameResult::White, &[("e8e7", -700)]))
                .0
                .contradicted,
            1
        );
        let (_, records) = counts(&game(black, GameResult::Black, &[("e8e7", -700)]));
        assert_eq!((records[0].score, records[0].half_points), (700, 2));
    }

    #[test]
    fn the_dead_end_of_a_draw_is_short() {
        let shuffle = ["e1d1", "e8d8", "d1e1", "d8e8"];
        let moves: Vec<(&str, i16)> = (0..40)
            .map(|ply| {
                (
                    shuffle[ply % 4],
                    if ply < 10 { 30 } else { ply as i16 % 3 - 1 },
                )
            })
            .collect();
        let (counted, records) = counts(&game(
            "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
            GameResult::Draw,
            &moves,
        ));
        assert_eq!((counted.kept, counted.dead), (18, 22));
        assert_eq!((records[0].score, records[0].later), (30, 30));
        assert_eq!((records[9].score, records[9].later), (-30, 0));
        let stale = game(
            "4k3/8/8/8/8/8/8/4K2R w - - 60 80",
            GameResult::Draw,
            &moves[..2],
        );
        assert_eq!((counts(&stale).0.kept, counts(&stale).0.stale), (1, 1));
    }
}
