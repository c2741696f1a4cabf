//! Looking after files of games: counting, checking, merging, shuffling, sampling.

use std::{
    collections::HashSet,
    fmt, io, iter,
    path::{Path, PathBuf},
};

use shakmaty::Move;

use super::{
    changes_material,
    chunks::{self, ENDING},
    format::{Game, GameResult, StartKind},
};
use crate::{
    position::{
        fen::{self, FenStyle},
        landing_square,
    },
    tools::openings::Random,
};

/// The upper ends of the classes that scores are counted in, in the search's units.
const SCORES: [i16; 8] = [10, 50, 100, 200, 400, 800, 2000, i16::MAX];
/// The upper ends of the classes that lengths are counted in, in plies.
const LENGTHS: [usize; 8] = [20, 40, 80, 120, 160, 240, 400, usize::MAX];
/// Bytes of games that a merged file holds: even if they didn't compress at all, the file would
/// stay under [`chunks::MOST_BYTES`].
const MERGED: usize = chunks::MOST_BYTES - chunks::OVERHEAD;

/// What a set of games is made of.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    files: u64,
    games: u64,
    positions: u64,
    asides: u64,
    aside_positions: u64,
    /// By kind of start, then by result.
    results: [[u64; 3]; 4],
    played_out: u64,
    /// Results of games that were played out.
    played_out_results: [u64; 3],
    scores: [u64; SCORES.len()],
    lengths: [u64; LENGTHS.len()],
    in_check: u64,
    tactical: u64,
    /// Castlings to the c- and the g-file.
    castlings: [u64; 2],
    /// Games in which neither side, one or both castled.
    castled: [u64; 3],
    starts: HashSet<u64>,
    men: [u64; 8],
    faults: Vec<String>,
}

impl Stats {
    /// Counts a game or an aside.
    pub fn add(&mut self, game: &Game) {
        if game.aside {
            self.asides += 1;
            self.aside_positions += game.moves.len() as u64;
            return;
        }
        self.games += 1;
        self.positions += game.moves.len() as u64;
        self.results[game.kind as usize][game.result as usize] += 1;
        if game.played_out {
            self.played_out += 1;
            self.played_out_results[game.result as usize] += 1;
        }
        self.lengths[LENGTHS.partition_point(|&end| end < game.moves.len())] += 1;
        self.starts.insert(game.start.keys().whole);
        let mut castled = 0;
        for (position, m, score) in game.positions() {
            let size = score.saturating_abs();
            self.scores[SCORES.partition_point(|&end| end < size)] += 1;
            self.in_check += u64::from(position.in_check());
            self.tactical += u64::from(changes_material(m));
            self.men[(position.occupied().count().saturating_sub(1) / 4).min(7)] += 1;
            if let Move::Castle { .. } = m {
                castled += 1;
                self.castlings[usize::from(landing_square(m).file() > shakmaty::File::D)] += 1;
            }
        }
        self.castled[castled.min(2)] += 1;
    }

    /// What is wrong with the files, a line each.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// How many games there are.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// How many games begin where another one does.
    pub fn repeated_starts(&self) -> u64 {
        self.games - self.starts.len() as u64
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Classes by their upper ends, with the share that each has.
fn classes(ends: impl Iterator<Item = Option<String>>, counts: &[u64]) -> String {
    let whole = counts.iter().sum();
    let class = |(end, &count): (Option<String>, &u64)| {
        let share = percent(count, whole);
        end.map_or(format!("above {share:.1}%"), |end| {
            format!("to {end} {share:.1}%")
        })
    };
    ends.zip(counts)
        .map(class)
        .collect::<Vec<String>>()
        .join(", ")
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.positions as f64 / self.games.max(1) as f64;
        writeln!(f, "files      {}", self.files)?;
        writeln!(f, "games      {}, {length:.1} plies each", self.games)?;
        writeln!(f, "positions  {}", self.positions)?;
        writeln!(
            f,
            "asides     {} with {} positions",
            self.asides, self.aside_positions
        )?;
        writeln!(f, "starts     {} repeated", self.repeated_starts())?;
        for (kind, results) in StartKind::ALL.into_iter().zip(&self.results) {
            let games: u64 = results.iter().sum();
            if games > 0 {
                let name = match kind {
                    StartKind::Unknown => "not told",
                    StartKind::Ordinary => "ordinary",
                    StartKind::Chess960 => "Chess960",
                    StartKind::Double => "double",
                };
                write!(
                    f,
                    "  {name:8} {:5.1}% of the games:",
                    percent(games, self.games)
                )?;
                writeln!(f, " {}", shares(results))?;
            }
        }
        let total =
            [0, 1, 2].map(|result| self.results.iter().map(|results| results[result]).sum());
        writeln!(f, "results    {}", shares(&total))?;
        let share = percent(self.played_out, self.games);
        writeln!(
            f,
            "played out {share:.1}%: {}",
            shares(&self.played_out_results)
        )?;
        let ends = LENGTHS
            .iter()
            .map(|&end| (end != usize::MAX).then(|| end.to_string()));
        writeln!(f, "plies      {}", classes(ends, &self.lengths))?;
        let ends = SCORES
            .iter()
            .map(|&end| (end != i16::MAX).then(|| end.to_string()));
        writeln!(f, "scores     {}", classes(ends, &self.scores))?;
        let ends = (1..=8).map(|class| Some((4 * class).to_string()));
        writeln!(f, "men        {}", classes(ends, &self.men))?;
        let (check, tactical) = (
            percent(self.in_check, self.positions),
            percent(self.tactical, self.positions),
        );
        writeln!(
            f,
            "moves      {check:.1}% in check, {tactical:.1}% captures or promotions"
        )?;
        let [none, one, both] = self.castled.map(|games| percent(games, self.games));
        let [c, g] = self.castlings;
        write!(f, "castlings  {c} to the c-file, {g} to the g-file; ")?;
        write!(
            f,
            "{none:.1}% of the games have none, {one:.1}% one, {both:.1}% two"
        )
    }
}

fn shares(results: &[u64; 3]) -> String {
    let games = results.iter().sum();
    let share = |result: GameResult| percent(results[result as usize], games);
    format!(
        "White {:.1}%, draw {:.1}%, Black {:.1}%",
        share(GameResult::White),
        share(GameResult::Draw),
        share(GameResult::Black)
    )
}

/// Reads all files and counts; faults are counted too, and end their file.
///
/// # Errors
/// When a file can't be opened.
pub fn stats(files: &[PathBuf]) -> io::Result<Stats> {
    let mut stats = Stats::default();
    for path in files {
        stats.files += 1;
        for game in chunks::open(path)? {
            match game {
                Ok(game) => stats.add(&game),
                Err(fault) => stats.faults.push(format!("{}: {fault}", path.display())),
            }
        }
    }
    Ok(stats)
}

/// Writes games into new numbered files `NAME-000000.viri.zst` and so on, each under
/// [`chunks::MOST_BYTES`].
#[derive(Debug)]
pub struct Output {
    stem: PathBuf,
    files: Vec<PathBuf>,
    pending: Vec<u8>,
}

impl Output {
    /// Files whose names begin with `stem`.
    pub fn new(stem: &Path) -> Output {
        Output {
            stem: stem.to_owned(),
            files: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Adds a game and its asides.
    ///
    /// # Errors
    /// When a file can't be written, or is there already.
    pub fn add(&mut self, group: &[Game]) -> io::Result<()> {
        let bytes: usize = group.iter().map(Game::stored_bytes).sum();
        if self.pending.len() + bytes > MERGED {
            self.flush()?;
        }
        for game in group {
            game.write(&mut self.pending);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut path = self.stem.as_os_str().to_owned();
        path.push(format!("-{:06}{ENDING}", self.files.len()));
        let path = PathBuf::from(path);
        chunks::write_new(&path, &self.pending)?;
        self.files.push(path);
        self.pending.clear();
        Ok(())
    }

    /// Writes what is left and returns the files.
    ///
    /// # Errors
    /// When the last file can't be written.
    pub fn finish(mut self) -> io::Result<Vec<PathBuf>> {
        if !self.pending.is_empty() {
            self.flush()?;
        }
        Ok(self.files)
    }
}

/// All games of the files; a fault is an error here, for what follows it would be lost unseen.
pub(super) fn all_games(files: &[PathBuf]) -> impl Iterator<Item = io::Result<Game>> + '_ {
    files.iter().flat_map(|path| {
        let (games, failure) = match chunks::open(path) {
            Ok(reader) => (Some(reader), None),
            Err(error) => (None, Some(Err(error))),
        };
        games
            .into_iter()
            .flatten()
            .map(move |game| game.map_err(|fault| chunks::about(path, fault)))
            .chain(failure)
    })
}

/// All games of the files, each before its asides.
fn groups(files: &[PathBuf]) -> impl Iterator<Item = io::Result<Vec<Game>>> + '_ {
    let mut games = all_games(files).peekable();
    iter::from_fn(move || {
        let mut group = match games.next()? {
            Ok(game) => vec![game],
            Err(error) => return Some(Err(error)),
        };
        while let Some(Ok(aside)) = games.next_if(|next| matches!(next, Ok(game) if game.aside)) {
            group.push(aside);
        }
        Some(Ok(group))
    })
}

/// Writes all games into few files, leaving out those that begin where an earlier one does if
/// `unique`. Returns the new files and how many games were left out.
///
/// # Errors
/// When a file is damaged, or can't be read or written.
pub fn merge(files: &[PathBuf], stem: &Path, unique: bool) -> io::Result<(Vec<PathBuf>, u64)> {
    let mut output = Output::new(stem);
    let mut starts = HashSet::new();
    let mut left_out = 0;
    for group in groups(files) {
        let group = group?;
        if starts.insert(group[0].start.keys().whole) || !unique {
            output.add(&group)?;
        } else {
            left_out += 1;
        }
    }
    Ok((output.finish()?, left_out))
}

/// Writes all games in random order. They are all in memory meanwhile, stored as in a file.
///
/// # Errors
/// When a file is damaged, or can't be read or written.
pub fn shuffle(files: &[PathBuf], stem: &Path, seed: u64) -> io::Result<Vec<PathBuf>> {
    let mut games: Vec<Vec<Game>> = groups(files).collect::<io::Result<_>>()?;
    let mut random = Random::new(seed);
    for last in (1..games.len()).rev() {
        games.swap(last, random.below(last as u64 + 1) as usize);
    }
    let mut output = Output::new(stem);
    for game in &games {
        output.add(game)?;
    }
    output.finish()
}

/// So many games with their asides, or all if there are fewer, each as likely as another.
///
/// # Errors
/// When a file is damaged or can't be read.
pub fn sample(files: &[PathBuf], count: usize, seed: u64) -> io::Result<Vec<Vec<Game>>> {
    let mut random = Random::new(seed);
    let mut chosen: Vec<Vec<Game>> = Vec::new();
    for (index, group) in groups(files).enumerate() {
        let group = group?;
        // Reservoir sampling: the game takes the place of another one with the right chance.
        let place = random.below(index as u64 + 1) as usize;
        if chosen.len() < count {
            chosen.push(group);
        } else if let Some(chosen) = chosen.get_mut(place) {
            *chosen = group;
        }
    }
    Ok(chosen)
}

/// One position of a game as text: FEN, score from White's side, White's points.
pub fn line(game: &Game, random: &mut Random) -> Option<String> {
    let ply = random.below(game.moves.len() as u64) as usize;
    let (position, _, score) = game.positions().nth(ply)?;
    let points = f64::from(game.result as u8) / 2.0;
    Some(format!(
        "{} | {score} | {points:.1}",
        fen::write(&position, FenStyle::Shredder)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{
        datagen::{self, Progress},
        scratch::Scratch,
    };
    use crate::nnue::Network;

    fn games(scratch: &Scratch) -> Vec<PathBuf> {
        let settings = datagen::Settings {
            network: Network::embedded(),
            folder: scratch.folder().to_owned(),
            nodes: 20,
            tablebases: None,
            asides: 30,
            threads: 1,
            seed: 4,
            games: Some(12),
            positions: None,
            chunk_games: 5,
        };
        datagen::run(&settings, &Progress::default(), || {}, &mut |_| {}).expect("games");
        chunks::files_in(scratch.folder()).expect("files")
    }

    /// What each game takes with its asides.
    fn bytes(files: &[PathBuf]) -> Vec<Vec<u8>> {
        let stored = |group: io::Result<Vec<Game>>| {
            let mut bytes = Vec::new();
            for game in group.expect("sound games") {
                game.write(&mut bytes);
            }
            bytes
        };
        groups(files).map(stored).collect()
    }

    #[test]
    fn merging_and_shuffling_lose_nothing() {
        let (scratch, new) = (Scratch::new("dataset"), Scratch::new("dataset-new"));
        let files = games(&scratch);
        assert_eq!(files.len(), 3);
        let twice = [files.clone(), files.clone()].concat();
        let (merged, left_out) = merge(&twice, &new.path("a"), true).unwrap();
        assert_eq!((merged.len(), left_out), (1, 12));
        assert_eq!(bytes(&merged), bytes(&files));
        assert!(
            merge(&files, &new.path("a"), false).is_err(),
            "nothing is written twice"
        );

        let shuffled = shuffle(&files, &new.path("b"), 3).unwrap();
        let (mut before, mut after) = (bytes(&files), bytes(&shuffled));
        assert_ne!(before, after);
        before.sort();
        after.sort();
        assert_eq!(before, after);
        assert_eq!(stats(&files).unwrap().games(), 12);
        let shown = stats(&files).unwrap().to_string();
        assert!(
            shown.contains("games      12") && shown.contains("castlings"),
            "{shown}"
        );
    }

    #[test]
    fn samples_are_of_the_size_asked_for() {
        let scratch = Scratch::new("dataset-sample");
        let files = games(&scratch);
        assert_eq!(sample(&files, 5, 1).unwrap().len(), 5);
        let all = sample(&files, 50, 1).unwrap();
        assert_eq!(all.len(), 12);
        let line = line(&all[0][0], &mut Random::new(1)).expect("a game has moves");
        assert_eq!(line.split(" | ").count(), 3, "{line}");
    }

    #[test]
    fn damage_is_reported_and_not_merged() {
        let scratch = Scratch::new("dataset-damage");
        let files = games(&scratch);
        let mut content = std::fs::read(&files[1]).unwrap();
        let middle = content.len() / 2;
        content[middle] ^= 1;
        std::fs::write(&files[1], content).unwrap();
        let stats = stats(&files).unwrap();
        assert_eq!(stats.faults().len(), 1);
        assert!(stats.faults()[0].contains("000001"), "{:?}", stats.faults());
        assert!(merge(&files, &scratch.path("a"), false).is_err());
    }
}
