//! What is owed for the lines of a conversation, however chance put them together.

use shakmaty::Move;
use zuylen::{
    position::{Position, notation},
    search::Limits,
    uci::{
        command::{Command, Go, Parsed},
        setup,
    },
};

/// What has to come back for all that was sent.
pub struct Owed {
    /// The position on the board, if there is one.
    position: Option<Position>,
    answers: Vec<Answer>,
    /// How many of the answers, from the first, nothing holds back any more.
    free: usize,
    /// What the last answer waits for, if it does.
    held: Option<Hold>,
    readies: usize,
    introductions: usize,
    counts: usize,
}

/// What an answer waits for.
#[derive(Clone, Copy, PartialEq)]
enum Hold {
    /// `stop`, or what the search can't go on with.
    Stop,
    /// `ponderhit` as well.
    PonderHit,
}

/// What a `go` may be answered with.
enum Answer {
    /// One of these moves in this position.
    Move(Box<Position>, Vec<Move>),
    /// The game is over.
    None,
    /// There is no position.
    Null,
}

impl Default for Owed {
    fn default() -> Owed {
        Owed {
            position: Some(Position::startpos()),
            answers: Vec::new(),
            free: 0,
            held: None,
            readies: 0,
            introductions: 0,
            counts: 0,
        }
    }
}

impl Owed {
    /// Takes note of a line that is sent.
    pub fn note(&mut self, line: &str) {
        let command = Parsed::new(line).command;
        let is_hit = command == Command::PonderHit && self.held == Some(Hold::PonderHit);
        if is_hit || ends_a_search(&command) {
            self.held = None;
        }
        match command {
            Command::Position(Ok(setup)) => {
                let game = setup::build(&setup).ok();
                self.position = game.map(|(game, _)| game.position().clone());
            }
            Command::Position(Err(_)) => self.position = None,
            Command::Go(go) => {
                self.free = self.answers.len();
                self.answers.push(self.answer(&go));
                let searches = matches!(self.answers.last(), Some(Answer::Move(..)));
                let no_end = searches && has_no_end(&go.limits);
                self.held = match (go.limits.infinite || no_end, go.limits.ponder) {
                    (true, _) => Some(Hold::Stop),
                    (false, true) => Some(Hold::PonderHit),
                    (false, false) => None,
                };
            }
            Command::Perft(_) => self.counts += 1,
            Command::IsReady => self.readies += 1,
            Command::Uci => self.introductions += 1,
            _ => {}
        }
        if self.held.is_none() {
            self.free = self.answers.len();
        }
    }

    fn answer(&self, go: &Go) -> Answer {
        let Some(position) = &self.position else {
            return Answer::Null;
        };
        let mut moves = match &go.search_moves {
            Some(words) => setup::root_moves(position, words).0,
            None => Vec::new(),
        };
        if moves.is_empty() {
            moves = position.legal_moves().to_vec();
        }
        if moves.is_empty() {
            return Answer::None;
        }
        Answer::Move(Box::new(position.clone()), moves)
    }

    /// How many answers to `go` are owed.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// How many answers may have come by now; the others are held back.
    pub fn free_answers(&self) -> usize {
        self.free
    }

    /// Holds what was said, up to the last answer, against what is owed.
    ///
    /// # Errors
    /// What is wrong.
    pub fn settle(&self, said: &[String]) -> Result<(), String> {
        let count = |what: &str, owed: usize, is_it: &dyn Fn(&str) -> bool| {
            let came = said.iter().filter(|line| is_it(line)).count();
            let right = came == owed;
            right
                .then_some(())
                .ok_or(format!("{came} {what} of {owed}"))
        };
        count("readyok", self.readies, &|line| line == "readyok")?;
        count("uciok", self.introductions, &|line| line == "uciok")?;
        count("perft", self.counts, &|line| {
            line.starts_with("Nodes searched: ") || line == "info string perft stopped"
        })?;
        let is_answer = |line: &str| line.starts_with("bestmove ");
        count("bestmove", self.answers.len(), &is_answer)?;
        let lines = said.iter().filter(|line| is_answer(line));
        let mut pairs = lines.zip(&self.answers);
        pairs.try_for_each(|(line, answer)| answer.judge(line))
    }
}

/// Whether there is nothing in a `go` that bounds a search; moves to go need a clock.
fn has_no_end(limits: &Limits) -> bool {
    let bounds = Limits {
        ponder: false,
        moves_to_go: None,
        ..limits.clone()
    };
    bounds == Limits::default()
}

/// Whether a search, whatever it is, is answered before this command is obeyed.
fn ends_a_search(command: &Command) -> bool {
    match command {
        Command::Stop
        | Command::Position(_)
        | Command::NewGame
        | Command::Go(_)
        | Command::Perft(_)
        | Command::Bench(_)
        | Command::GenFens(_)
        | Command::Quit => true,
        Command::SetOption { name, value } => {
            let value = value.as_deref();
            let within = |most: u64| {
                let number = value.and_then(|value| value.parse().ok());
                number.is_some_and(|number| (1..=most).contains(&number))
            };
            match name.to_ascii_lowercase().as_str() {
                "clear hash" => true,
                "hash" => within(33_554_432),
                "threads" => within(1024),
                // Not if there is no such network, which is for other tests to tell.
                "evalfile" => true,
                _ => false,
            }
        }
        _ => false,
    }
}

impl Answer {
    fn judge(&self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split(' ').collect();
        let right = match (self, &words[..]) {
            (Answer::Null, ["bestmove", "0000"]) | (Answer::None, ["bestmove", "(none)"]) => true,
            (Answer::Move(position, moves), ["bestmove", best, ponder @ ..]) => {
                let best = notation::read(position, best).ok();
                let best = best.filter(|best| moves.contains(best));
                best.is_some_and(|best| match ponder {
                    [] => true,
                    ["ponder", reply] => notation::read(&position.play(best), reply).is_ok(),
                    _ => false,
                })
            }
            _ => false,
        };
        let wanted = match self {
            Answer::Move(position, _) => format!("{:?}", position.to_setup()),
            Answer::None => "a game that is over".to_owned(),
            Answer::Null => "no position".to_owned(),
        };
        right.then_some(()).ok_or(format!("'{line}' in {wanted}"))
    }
}
