//! Games against itself, on all cores, in files that a kill can't harm.
//!
//! A worker takes the next free number, plays a chunk of games and writes it under that number. A
//! game's random numbers follow from the seed, the chunk and its place in it, so a run that was
//! killed and started again plays what it would have played. The shared memory of openings is the
//! one thing that ties the workers together: with one of them, a seed gives the same bytes always.

pub mod selfplay;

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
};

use parking_lot::Mutex;

use super::{
    chunks::{self, Series},
    format::{Game, stored_bytes},
};
use crate::{nnue::Network, search::STACK_BYTES, tablebase::Tablebases, tools::openings::Random};
use selfplay::{MOST_ASIDES, MOST_PLIES, Player, Seen};

/// The greatest number of games in a chunk: even if all were as long as they may be, the file
/// stays under [`chunks::MOST_BYTES`].
pub const MOST_CHUNK_GAMES: u64 = 1500;

const _: () = assert!(
    MOST_CHUNK_GAMES as usize * (stored_bytes(MOST_PLIES) + MOST_ASIDES * stored_bytes(1))
        < chunks::MOST_BYTES - chunks::OVERHEAD,
    "the largest chunk is stored in one file, even if it doesn't compress"
);

/// What to play.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The folder for the files.
    pub folder: PathBuf,
    /// What positions are evaluated by.
    pub network: Arc<Network>,
    /// What ends games that come to it, but for those that are played to the end.
    pub tablebases: Option<Arc<Tablebases>>,
    /// Whether all games begin from level openings and only the rules end them.
    pub play_out: bool,
    /// The soft limit in nodes a move.
    pub nodes: u64,
    /// Asides in a hundred moves of a game, at most [`MOST_ASIDES`] in a game.
    pub asides: u64,
    /// How many games to play at a time.
    pub threads: usize,
    /// What makes them reproducible. Machines whose games are put together need different ones.
    pub seed: u64,
    /// Stop once the files of this seed hold so many games.
    pub games: Option<u64>,
    /// Stop once the files of this seed hold so many positions.
    pub positions: Option<u64>,
    /// Games a file, at most [`MOST_CHUNK_GAMES`].
    pub chunk_games: u64,
}

impl Settings {
    /// The name of the files, of all that makes the games what they are: games of another network
    /// are another series.
    fn series(&self) -> String {
        let (seed, nodes, asides) = (self.seed, self.nodes, self.asides);
        let network = self.network.checksum() >> 32;
        let tables = self.tablebases.as_ref();
        let tables = tables.map_or_else(String::new, |tables| format!("-t{}", tables.most_men()));
        let whole = if self.play_out { "-whole" } else { "" };
        format!("games-s{seed}-n{nodes}-a{asides}{tables}{whole}-{network:08x}")
    }
}

/// How far a run is; it may be looked at from other threads.
#[derive(Debug, Default)]
pub struct Progress {
    /// Games in the files of this seed, and those played for the next files.
    pub games: AtomicU64,
    /// Their positions, and those of their asides.
    pub positions: AtomicU64,
    /// Set it to stop: every worker ends its game and writes what it has.
    pub cancel: AtomicBool,
}

impl Progress {
    fn count(&self, game: &Game) {
        self.games.fetch_add(u64::from(!game.aside), Relaxed);
        self.positions.fetch_add(game.moves.len() as u64, Relaxed);
    }
}

/// The folder for games unless another one is named: `$ZUYLEN_DATA`, or `zuylen-games` at home.
pub fn default_folder() -> PathBuf {
    let home = || {
        std::env::home_dir()
            .unwrap_or_default()
            .join("zuylen-games")
    };
    std::env::var_os("ZUYLEN_DATA").map_or_else(home, PathBuf::from)
}

/// Plays until there are enough games, or for ever if no number of them is set.
///
/// `ready` is told once what was there before has been counted into `progress`; `note` is told of
/// files in the folder that can't be read.
///
/// # Errors
/// When memory, threads or the folder can't be had, or a file can't be written. Finished files
/// stay.
pub fn run(
    settings: &Settings,
    progress: &Progress,
    ready: impl FnOnce(),
    note: &mut dyn FnMut(&str),
) -> io::Result<()> {
    let series = Series::take(&settings.folder, &settings.series())?;
    let numbers = series.numbers()?;
    let run = Run {
        settings,
        progress,
        seen: Seen::default(),
        claimed: AtomicU64::new(0),
        numbers: Mutex::new(Numbers {
            used: numbers.clone(),
            next: 0,
        }),
        series,
    };
    let own: BTreeSet<PathBuf> = numbers
        .iter()
        .map(|&number| run.series.path(number))
        .collect();
    for path in chunks::files_in(&settings.folder)? {
        run.take_in(&path, own.contains(&path), note)?;
    }
    run.claimed.store(progress.games.load(Relaxed), Relaxed);
    ready();

    thread::scope(|scope| {
        let mut workers = Vec::new();
        for id in 0..settings.threads.max(1) {
            let worker = thread::Builder::new()
                .name(format!("game {id}"))
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, || run.work());
            match worker {
                Ok(worker) => workers.push(worker),
                Err(error) => {
                    progress.cancel.store(true, Relaxed);
                    return Err(error);
                }
            }
        }
        let results: Vec<io::Result<()>> = workers
            .into_iter()
            .map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|_| Err(io::Error::other("a search failed")))
            })
            .collect();
        results.into_iter().collect()
    })
}

/// What the workers of a run share.
struct Run<'a> {
    settings: &'a Settings,
    progress: &'a Progress,
    seen: Seen,
    /// Games played or begun.
    claimed: AtomicU64,
    numbers: Mutex<Numbers>,
    series: Series,
}

struct Numbers {
    used: BTreeSet<u64>,
    next: u64,
}

impl Numbers {
    fn take(&mut self) -> u64 {
        while self.used.contains(&self.next) {
            self.next += 1;
        }
        self.next += 1;
        self.next - 1
    }
}

impl Run<'_> {
    /// Notes where the games of a file began, and counts them if they are of this run.
    fn take_in(&self, path: &Path, own: bool, note: &mut dyn FnMut(&str)) -> io::Result<()> {
        let (games, fault) = chunks::read(path)?;
        if let Some(fault) = fault {
            note(&format!("{}: {fault}", path.display()));
        }
        for game in games {
            if !game.aside {
                self.seen.insert(&game.start);
            }
            if own {
                self.progress.count(&game);
            }
        }
        Ok(())
    }

    /// Claims the next game, unless there are enough.
    fn claim(&self) -> bool {
        let claim = self.claimed.fetch_add(1, Relaxed);
        let enough = self.settings.games.is_some_and(|games| claim >= games)
            || self
                .settings
                .positions
                .is_some_and(|positions| self.progress.positions.load(Relaxed) >= positions);
        !enough && !self.progress.cancel.load(Relaxed)
    }

    fn work(&self) -> io::Result<()> {
        let played = self.play_chunks();
        if played.is_err() {
            // A disk that is full for one is full for all.
            self.progress.cancel.store(true, Relaxed);
        }
        played
    }

    fn play_chunks(&self) -> io::Result<()> {
        let settings = self.settings;
        let network = Arc::clone(&settings.network);
        let tables = settings.tablebases.clone();
        let mut player = Player::new(
            network,
            settings.nodes,
            settings.asides,
            tables,
            settings.play_out,
        )
        .map_err(io::Error::other)?;
        loop {
            let number = self.numbers.lock().take();
            let mut games = Vec::new();
            let mut full = true;
            for index in 0..settings.chunk_games.clamp(1, MOST_CHUNK_GAMES) {
                if !self.claim() {
                    full = false;
                    break;
                }
                for game in player.play(&mut self.random(number, index), &self.seen) {
                    game.write(&mut games);
                    self.progress.count(&game);
                }
            }
            if !games.is_empty() {
                chunks::write_new(&self.series.path(number), &games)?;
            }
            if !full {
                return Ok(());
            }
        }
    }

    /// The random numbers of a game: far from those of every other one.
    fn random(&self, chunk: u64, index: u64) -> Random {
        let seed = Random::new(self.settings.seed).next();
        Random::new(Random::new(seed ^ (chunk * MOST_CHUNK_GAMES + index)).next())
    }
}

#[cfg(test)]
mod tests;
