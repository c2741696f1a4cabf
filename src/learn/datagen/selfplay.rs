//! One game against itself.

use std::{collections::HashSet, iter, sync::Arc};

use parking_lot::Mutex;
use shakmaty::{Color, Move};

use crate::{
    learn::{
        changes_material,
        format::{Game, GameResult, StartKind},
    },
    nnue::Network,
    position::{Position, repetition::KeyHistory},
    search::{Limits, solo::Solo},
    tablebase::{Outcome, Tablebases},
    tools::openings::{ORDINARY, Random, random_opening, random_start},
};

/// The table has a mebibyte for so many nodes a move, but at least one and at most [`MOST_HASH`]: a
/// game of small searches needs no more, and it stays in the cache.
const NODES_A_MEBIBYTE: u64 = 1000;
const MOST_HASH: u64 = 64;
/// Nodes of the look at an opening.
const LOOK_NODES: u64 = 1000;
/// Openings beyond this score, in the search's units, are decided.
const DECIDED: i32 = 300;
/// One decided opening in so many is played all the same, up to [`HOPELESS`].
const KEPT_DECIDED: u64 = 10;
const HOPELESS: i32 = 800;
/// Games that are all played to their end begin from openings up to this score, as games of engines
/// against each other do.
const LEVEL: i32 = 50;
/// The hard node limit is so many times the soft one.
const HARD_NODES: u64 = 8;
/// A side wins once both have agreed on this score for so many plies.
const WON: i32 = 800;
const WON_PLIES: usize = 4;
/// A game is drawn once both have agreed on at most this for so many plies, from a ply of the game
/// on.
const DRAWN: i32 = 8;
const DRAWN_PLIES: usize = 10;
const DRAWN_FROM: u32 = 80;
/// One game in so many is played to its end: to keep the rules above honest, and to see how won
/// endings are won.
const PLAYED_OUT: u64 = 8;
/// A game of so many plies is a draw, for no rule but patience.
pub const MOST_PLIES: usize = 600;
/// A game has at most so many asides.
pub const MOST_ASIDES: usize = 120;
/// So many random moves are tried to find an aside that can be learned from.
const ASIDE_TRIES: u64 = 8;

/// Who plays: one search for both sides.
#[derive(Debug)]
pub struct Player {
    solo: Solo,
    limits: Limits,
    /// Asides in a hundred moves of a game.
    asides: u64,
    tablebases: Option<Arc<Tablebases>>,
    play_out: bool,
}

impl Player {
    /// A player that evaluates by `network`, begins no iteration after `nodes` nodes a move, and
    /// looks aside at so many moves in a hundred. Games that come into `tablebases` end there. With
    /// `play_out` all games begin from level openings, and only the rules end them.
    ///
    /// # Errors
    /// When the memory can't be had.
    pub fn new(
        network: Arc<Network>,
        nodes: u64,
        asides: u64,
        tablebases: Option<Arc<Tablebases>>,
        play_out: bool,
    ) -> Result<Player, String> {
        let limits = Limits {
            soft_nodes: Some(nodes),
            nodes: Some(nodes.saturating_mul(HARD_NODES)),
            ..Limits::default()
        };
        let hash = (nodes / NODES_A_MEBIBYTE).clamp(1, MOST_HASH) as usize;
        Ok(Player {
            // The scores of games that are all played out are to be what they are in UCI.
            solo: Solo::new(hash, network, play_out)?,
            limits,
            asides,
            tablebases,
            play_out,
        })
    }

    /// Plays a game from a new opening, and returns it before its asides. The same random numbers
    /// and the same `seen` make the same.
    pub fn play(&mut self, random: &mut Random, seen: &Seen) -> Vec<Game> {
        let (start, kind, start_score) = self.opening(random, seen);
        let played_out = random.below(PLAYED_OUT) == 0 || self.play_out;
        let mut history = KeyHistory::starting_at(&start);
        let mut position = start.clone();
        let mut moves = Vec::new();
        let mut verdict = Adjudication::default();
        let mut asides = Vec::new();
        let result = loop {
            if let Some(result) = result_by_rule(&position, &history) {
                break result;
            }
            if let Some(result) = self.result_by_table(&position).filter(|_| !played_out) {
                break result;
            }
            if moves.len() >= MOST_PLIES {
                break GameResult::Draw;
            }
            let Some((best, score)) = self.search(&position, &history) else {
                break GameResult::Draw;
            };
            moves.push((best, stored(score)));
            let agreed = verdict.hear(score, position.game_ply());
            if let Some(result) = agreed.filter(|_| !played_out) {
                break result;
            }
            if random.below(100) < self.asides && asides.len() < MOST_ASIDES {
                asides.extend(self.aside(&position, &history, kind, random));
            }
            position = position.play(best);
            history.push(&position);
        };
        let game = Game {
            start,
            start_score: stored(start_score),
            result,
            kind,
            played_out,
            aside: false,
            moves,
        };
        iter::once(game).chain(asides).collect()
    }

    /// What tablebases say just after a capture or pawn move; wins that the fifty-move rule prevents
    /// are draws.
    fn result_by_table(&self, position: &Position) -> Option<GameResult> {
        let tables = self.tablebases.as_ref()?;
        let is_new = position.halfmoves() == 0;
        if !is_new || !Tablebases::covers(position, tables.most_men()) {
            return None;
        }
        let winner = match tables.outcome(position)? {
            Outcome::Win => Some(position.turn()),
            Outcome::Loss => Some(!position.turn()),
            Outcome::CursedWin | Outcome::Draw | Outcome::BlessedLoss => None,
        };
        Some(GameResult::of(winner))
    }

    /// The best move of a position, and its score from White's side. `None` if the game is over.
    fn search(&mut self, position: &Position, history: &KeyHistory) -> Option<(Move, i32)> {
        let outcome = self.solo.think(position, history, &self.limits)?;
        Some((outcome.best?, from_white(position, outcome.score)))
    }

    /// Looks at a position one random move away from `position`, such as the search meets and no game
    /// does. `None` if there is nothing to learn: each move that was tried ends the game, gives check
    /// or lets a capture win, or the best reply is a capture.
    fn aside(
        &mut self,
        position: &Position,
        history: &KeyHistory,
        kind: StartKind,
        random: &mut Random,
    ) -> Option<Game> {
        let moves = position.legal_moves();
        let start = (0..ASIDE_TRIES).find_map(|_| {
            let start = position.play(random.pick(&moves)?);
            is_quiet(&start).then_some(start)
        })?;
        let mut history = history.clone();
        history.push(&start);
        if result_by_rule(&start, &history).is_some() {
            return None;
        }
        let (best, score) = self.search(&start, &history)?;
        if changes_material(best) {
            return None;
        }
        Some(Game {
            start,
            start_score: stored(score),
            result: GameResult::Draw,
            kind,
            played_out: false,
            aside: true,
            moves: vec![(best, stored(score))],
        })
    }

    /// An opening that is not decided and was not played before, what it began from, and its score
    /// from White's side. The search keeps what it learned of it.
    fn opening(&mut self, random: &mut Random, seen: &Seen) -> (Position, StartKind, i32) {
        let look = Limits {
            nodes: Some(LOOK_NODES),
            ..Limits::default()
        };
        self.solo.clear();
        loop {
            let (white, black) = random_start(random);
            let Some(position) = Position::start_array(white, black)
                .and_then(|start| random_opening(&start, random))
            else {
                continue;
            };
            let history = KeyHistory::starting_at(&position);
            let Some(outcome) = self.solo.think(&position, &history, &look) else {
                continue;
            };
            let kept = random.below(KEPT_DECIDED) == 0;
            let bound = match kept {
                _ if self.play_out => LEVEL,
                true => HOPELESS,
                false => DECIDED,
            };
            if outcome.score.abs() > bound || !seen.insert(&position) {
                continue;
            }
            let kind = match (white, black) {
                (ORDINARY, ORDINARY) => StartKind::Ordinary,
                (white, black) if white == black => StartKind::Chess960,
                _ => StartKind::Double,
            };
            let score = from_white(&position, outcome.score);
            return (position, kind, score);
        }
    }
}

/// Whether the side to move is not in check and has no capture or promotion that wins material.
fn is_quiet(position: &Position) -> bool {
    let wins = |&m: &Move| position.see_ge(m, 1);
    !position.in_check() && !position.tactical_moves().iter().any(wins)
}

/// A score of the side to move from White's side.
fn from_white(position: &Position, score: i32) -> i32 {
    position.turn().fold_wb(score, -score)
}

fn stored(score: i32) -> i16 {
    score.clamp(i32::from(-i16::MAX), i32::from(i16::MAX)) as i16
}

/// How the rules end the game here, if they do.
pub fn result_by_rule(position: &Position, history: &KeyHistory) -> Option<GameResult> {
    if position.legal_moves().is_empty() {
        return Some(GameResult::of(
            position.in_check().then_some(!position.turn()),
        ));
    }
    history.is_draw(position).then_some(GameResult::Draw)
}

/// The positions that games have begun from, shared by all players.
#[derive(Debug, Default)]
pub struct Seen(Mutex<HashSet<u64>>);

impl Seen {
    /// Notes that a game begins from `position`; `false` if one did before.
    pub fn insert(&self, position: &Position) -> bool {
        self.0.lock().insert(position.keys().whole)
    }
}

/// What the scores of a game have agreed on so far.
#[derive(Debug, Default)]
struct Adjudication {
    won: [usize; 2],
    drawn: usize,
}

impl Adjudication {
    /// Takes the score of a ply of the game from White's side; says the result once it is agreed.
    fn hear(&mut self, score: i32, ply: u32) -> Option<GameResult> {
        let count = |plies: &mut usize, agrees: bool| {
            *plies = if agrees { *plies + 1 } else { 0 };
            *plies
        };
        if count(&mut self.won[0], score >= WON) >= WON_PLIES {
            return Some(GameResult::of(Some(Color::White)));
        }
        if count(&mut self.won[1], score <= -WON) >= WON_PLIES {
            return Some(GameResult::of(Some(Color::Black)));
        }
        let drawn = count(&mut self.drawn, score.abs() <= DRAWN && ply >= DRAWN_FROM);
        (drawn >= DRAWN_PLIES).then_some(GameResult::Draw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::fen;

    #[test]
    fn four_plies_of_eight_pawns_win_and_ten_of_nothing_draw() {
        let hear = |scores: &[i32], from: u32| {
            let mut verdict = Adjudication::default();
            scores
                .iter()
                .zip(from..)
                .find_map(|(&score, ply)| verdict.hear(score, ply))
        };
        assert_eq!(hear(&[900, 800, 801, 31_990], 5), Some(GameResult::White));
        assert_eq!(
            hear(&[-900, -800, -801, -31_990], 5),
            Some(GameResult::Black)
        );
        assert_eq!(hear(&[900, 800, 799, 900, 900, 900], 5), None);
        assert_eq!(hear(&[900, 900, -900, -900, 900, 900], 5), None);
        assert_eq!(hear(&[8; 10], 80), Some(GameResult::Draw));
        assert_eq!(hear(&[-8; 10], 79), None);
        assert_eq!(hear(&[-8; 11], 79), Some(GameResult::Draw));
        assert_eq!(hear(&[8, 8, 8, 8, 8, 9, 8, 8, 8, 8, 8], 80), None);
    }

    #[test]
    fn the_rules_end_games() {
        let result = |fen: &str| {
            let position = fen::read(fen).unwrap().position;
            result_by_rule(&position, &KeyHistory::starting_at(&position))
        };
        assert_eq!(
            result("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"),
            Some(GameResult::White)
        );
        assert_eq!(
            result("7K/6q1/6k1/8/8/8/8/8 w - - 0 1"),
            Some(GameResult::Black)
        );
        assert_eq!(
            result("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
            Some(GameResult::Draw)
        );
        assert_eq!(
            result("7k/8/6K1/8/8/8/8/N7 b - - 0 1"),
            Some(GameResult::Draw)
        );
        assert_eq!(
            result("7k/8/6K1/8/8/8/8/R7 b - - 100 90"),
            Some(GameResult::Draw)
        );
        assert_eq!(result("7k/8/6K1/8/8/8/8/R7 b - - 99 90"), None);
    }

    #[test]
    fn games_end_in_the_tables_with_their_result() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");
        let tables = Arc::new(Tablebases::open(folder).unwrap().0);
        let player = Player::new(Network::embedded(), 1, 0, Some(Arc::clone(&tables)), false);
        let player = player.unwrap();
        let result = |text: &str| player.result_by_table(&fen::read(text).unwrap().position);
        let won = "4k3/8/4K3/4P3/8/8/8/8";
        assert_eq!(result(&format!("{won} w - - 0 1")), Some(GameResult::White));
        assert_eq!(result(&format!("{won} b - - 0 1")), Some(GameResult::White));
        assert_eq!(
            result("4k3/8/8/8/4P3/4K3/8/8 b - - 0 1"),
            Some(GameResult::Draw)
        );
        assert_eq!(
            result("8/8/8/8/4p3/4k3/8/4K3 w - - 0 1"),
            Some(GameResult::Black)
        );
        assert_eq!(result(&format!("{won} w - - 1 1")), None);
        assert_eq!(result("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), None);
    }

    #[test]
    fn games_played_out_begin_level_and_end_by_the_rules() {
        let mut player = Player::new(Network::embedded(), 30, 0, None, true).unwrap();
        for seed in 0..4 {
            let games = player.play(&mut Random::new(seed), &Seen::default());
            let [game] = &games[..] else {
                panic!("one game")
            };
            assert!(game.played_out && i32::from(game.start_score).abs() <= LEVEL);
            let mut history = KeyHistory::starting_at(&game.start);
            for (position, m, _) in game.positions() {
                assert_eq!(result_by_rule(&position, &history), None);
                history.push(&position.play(m));
            }
            let ended = result_by_rule(&game.end(), &history);
            assert!(ended == Some(game.result) || game.moves.len() == MOST_PLIES);
        }
    }

    #[test]
    fn a_position_is_quiet_if_nothing_is_to_be_won_at_once() {
        let quiet = |fen: &str| is_quiet(&fen::read(fen).unwrap().position);
        // A guarded pawn, an equal exchange, a castling.
        assert!(quiet("4k3/4p3/3p4/8/8/8/3R4/3RK3 w - - 0 1"));
        assert!(quiet("3rk3/8/8/8/8/8/8/3RK3 w - - 0 1"));
        assert!(quiet("4k3/8/8/8/8/8/8/4K2R w K - 0 1"));
        // A pawn for nothing, a promotion, a check.
        assert!(!quiet("4k3/8/3p4/8/8/8/3R4/3RK3 w - - 0 1"));
        assert!(!quiet("8/P6k/8/8/8/8/8/K7 w - - 0 1"));
        assert!(!quiet("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"));
    }

    #[test]
    fn a_game_is_whole_and_the_same_again() {
        let play = || {
            let mut player = Player::new(Network::embedded(), 50, 40, None, false).unwrap();
            player.play(&mut Random::new(5), &Seen::default())
        };
        let bytes = |games: &[Game]| {
            let mut bytes = Vec::new();
            games.iter().for_each(|game| game.write(&mut bytes));
            bytes
        };
        let played = play();
        assert_eq!(bytes(&played), bytes(&play()));
        let [game, asides @ ..] = &played[..] else {
            panic!("no game")
        };
        assert!(!game.aside && !game.moves.is_empty() && game.start_score.abs() <= 800);
        let moves = game.moves.len();
        assert!(
            (moves / 5..moves / 2 + 5).contains(&asides.len()),
            "{moves} {}",
            asides.len()
        );
        for aside in asides {
            let positions: Vec<_> = aside.positions().collect();
            let [(position, m, _)] = &positions[..] else {
                panic!("one move")
            };
            assert!(aside.aside && is_quiet(position) && !changes_material(*m));
        }
    }
}
