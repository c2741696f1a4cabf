//! Files of whole games: made under a name that nobody reads, then renamed.
//!
//! A file that stands under its final name is complete, whatever happened to the program that
//! wrote it, and is never written again.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufReader, Read, Write as _},
    path::{Path, PathBuf},
};

use super::format::{FormatError, Game, Reader};

/// How the names of files of games end that this program writes.
pub const ENDING: &str = ".viri.zst";
/// How those of files end that it reads in a folder.
const ENDINGS: [&str; 4] = [ENDING, ".viri", ".vf.zst", ".vf"];
/// How the name of a file in the making goes on.
const UNFINISHED: &str = ".part";
/// Files stay under this many bytes, so that they can be stored anywhere.
pub const MOST_BYTES: usize = 15_000_000;
/// What compression may add to so many bytes at most; zstd's own bound is a 256th part.
pub const OVERHEAD: usize = MOST_BYTES / 200;
/// zstd's level. Games hardly compress (moves and scores are dense already); higher levels gain a
/// percent or two.
const LEVEL: i32 = 9;

/// An error that says which file it is about.
pub fn about(path: &Path, error: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

/// Opens a file of games, compressed if its name ends in `.zst`.
///
/// # Errors
/// When it can't be opened.
pub fn open(path: &Path) -> io::Result<Reader<Box<dyn Read>>> {
    let file = File::open(path).map_err(|error| about(path, error))?;
    let source: Box<dyn Read> = if path.extension().is_some_and(|ending| ending == "zst") {
        Box::new(BufReader::new(
            zstd::Decoder::new(file).map_err(|error| about(path, error))?,
        ))
    } else {
        Box::new(BufReader::new(file))
    };
    Ok(Reader::new(source))
}

/// Reads a file of games as far as it is sound.
///
/// # Errors
/// When it can't be opened.
pub fn read(path: &Path) -> io::Result<(Vec<Game>, Option<FormatError>)> {
    let mut games = Vec::new();
    for game in open(path)? {
        match game {
            Ok(game) => games.push(game),
            Err(error) => return Ok((games, Some(error))),
        }
    }
    Ok((games, None))
}

/// The files of games among `paths`, folders standing for the files in them, in the order of their
/// names.
///
/// # Errors
/// When a path leads nowhere, a folder can't be listed, or there is no file.
pub fn files(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let kind = fs::metadata(path).map_err(|error| about(path, error))?;
        if kind.is_dir() {
            files.extend(files_in(path)?);
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        let names: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        return Err(io::Error::other(format!(
            "no files of games in {} (their names end in {})",
            names.join(", "),
            ENDINGS.join(", ")
        )));
    }
    Ok(files)
}

/// The files of games in a folder, in the order of their names.
///
/// # Errors
/// When it can't be listed.
pub fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| about(folder, error))? {
        let path = entry.map_err(|error| about(folder, error))?.path();
        let name = name_of(&path);
        if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Writes `content` under `path` so that it is there in whole or not at all, and replaces what was
/// there.
///
/// # Errors
/// When it can't be written; `path` is then as it was, and nothing else is left.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let unfinished = beside(path, UNFINISHED);
    let write = |mut file: File| file.write_all(content).and_then(|()| file.sync_all());
    let written = File::create(&unfinished)
        .and_then(write)
        .map_err(|error| about(&unfinished, error))
        .and_then(|()| fs::rename(&unfinished, path).map_err(|error| about(path, error)));
    if written.is_err() {
        // What there is of it would only fill a full disk.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// Makes the folder that `path` is to lie in, if it isn't there.
///
/// # Errors
/// When it can't be made.
pub fn make_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| {
        fs::create_dir_all(folder).map_err(|error| about(folder, error))
    })
}

/// The path with something more at the end of its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Takes the file `path`, which is made, for this program alone as long as what is returned lives.
///
/// # Errors
/// When another program has it, with `taken` as the reason, or it can't be made.
pub fn lock(path: &Path, taken: &str) -> io::Result<File> {
    let lock = File::create(path).map_err(|error| about(path, error))?;
    lock.try_lock().map_err(|error| match error {
        fs::TryLockError::WouldBlock => about(path, taken),
        fs::TryLockError::Error(error) => about(path, error),
    })?;
    Ok(lock)
}

/// Compresses stored games and writes them under `path`, which must be free.
///
/// # Errors
/// When there is a file already, or it can't be written.
pub fn write_new(path: &Path, games: &[u8]) -> io::Result<()> {
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.write_all(games)?;
    let compressed = encoder.finish()?;
    if path.exists() {
        return Err(about(path, "is there already, and is not written twice"));
    }
    replace(path, &compressed)
}

/// The numbered files of one run in a folder, which it has to itself while this lives.
#[derive(Debug)]
pub struct Series {
    folder: PathBuf,
    name: String,
    _lock: File,
}

impl Series {
    /// Takes the series `name` in `folder`, which is made if it isn't there, and removes what a
    /// killed run left unfinished.
    ///
    /// # Errors
    /// When another program has the series, or the folder can't be used.
    pub fn take(folder: &Path, name: &str) -> io::Result<Series> {
        fs::create_dir_all(folder).map_err(|error| about(folder, error))?;
        let path = folder.join(format!("{name}.lock"));
        let lock = lock(
            &path,
            "another program is writing this series; use another seed or folder",
        )?;
        let series = Series {
            folder: folder.to_owned(),
            name: name.to_owned(),
            _lock: lock,
        };
        for entry in fs::read_dir(folder).map_err(|error| about(folder, error))? {
            let path = entry.map_err(|error| about(folder, error))?.path();
            let name = name_of(&path);
            if name
                .strip_suffix(UNFINISHED)
                .is_some_and(|name| series.number(name).is_some())
            {
                fs::remove_file(&path).map_err(|error| about(&path, error))?;
            }
        }
        Ok(series)
    }

    /// Where the file of a number is or belongs.
    pub fn path(&self, number: u64) -> PathBuf {
        self.folder
            .join(format!("{}-{number:06}{ENDING}", self.name))
    }

    /// The number that the name of a file of this series has.
    fn number(&self, name: &str) -> Option<u64> {
        let digits = name
            .strip_prefix(&self.name)?
            .strip_prefix('-')?
            .strip_suffix(ENDING)?;
        digits.parse().ok()
    }

    /// The numbers of the files that are there.
    ///
    /// # Errors
    /// When the folder can't be listed.
    pub fn numbers(&self) -> io::Result<BTreeSet<u64>> {
        Ok(files_in(&self.folder)?
            .iter()
            .filter_map(|path| self.number(&name_of(path)))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::scratch::Scratch;

    #[test]
    fn a_series_belongs_to_one_and_clears_what_was_unfinished() {
        let scratch = Scratch::new("series");
        let stale = scratch.path("games-s1-000003.viri.zst.part");
        let foreign = scratch.path("games-s2-000003.viri.zst.part");
        fs::write(&stale, "half").unwrap();
        fs::write(&foreign, "half").unwrap();
        let series = Series::take(scratch.folder(), "games-s1").unwrap();
        assert!(!stale.exists() && foreign.exists());
        let error = Series::take(scratch.folder(), "games-s1").unwrap_err();
        assert!(error.to_string().contains("another program"), "{error}");
        assert!(Series::take(scratch.folder(), "games-s2").is_ok());
        assert!(series.numbers().unwrap().is_empty());
        write_new(&series.path(7), b"").unwrap();
        write_new(&scratch.path("games-s11-000001.viri.zst"), b"").unwrap();
        assert_eq!(series.numbers().unwrap(), BTreeSet::from([7]));
        drop(series);
        assert!(Series::take(scratch.folder(), "games-s1").is_ok());
    }

    #[test]
    fn a_finished_file_is_not_written_again() {
        let scratch = Scratch::new("finished");
        let path = scratch.path("a.viri.zst");
        write_new(&path, b"").unwrap();
        let before = fs::read(&path).unwrap();
        assert!(write_new(&path, b"other").is_err());
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn plain_files_of_a_folder_are_read_too() {
        let scratch = Scratch::new("endings");
        for name in [
            "d.viri.zst",
            "c.viri",
            "b.vf",
            "a.vf.zst",
            "e.lock",
            "f.viri.zst.part",
        ] {
            fs::write(scratch.path(name), "").unwrap();
        }
        let found = files(&[scratch.folder().to_owned()]).unwrap();
        let names: Vec<String> = found.iter().map(|path| name_of(path)).collect();
        assert_eq!(names, ["a.vf.zst", "b.vf", "c.viri", "d.viri.zst"]);
        let error = files(&[scratch.path("none")]).unwrap_err().to_string();
        assert!(error.contains("none: No such"), "{error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_leaves_no_half_of_a_file() {
        let scratch = Scratch::new("full-disk");
        let (path, unfinished) = (scratch.path("a"), scratch.path("a.part"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink("/dev/full", &unfinished).unwrap();
        let error = replace(&path, b"new").unwrap_err().to_string();
        assert!(error.contains("No space"), "{error}");
        assert!(fs::symlink_metadata(&unfinished).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        fs::create_dir(scratch.path("b")).unwrap();
        assert!(replace(&scratch.path("b"), b"new").is_err());
        assert!(!scratch.path("b.part").exists());
    }

    #[test]
    fn damaged_compression_is_an_error_with_a_reason() {
        let scratch = Scratch::new("damaged");
        let mut games = Vec::new();
        for _ in 0..50 {
            games.extend([7; 56]);
        }
        let path = scratch.path("a.viri.zst");
        write_new(&path, &games).unwrap();
        let whole = fs::read(&path).unwrap();
        for (end, flip) in [
            (whole.len() / 2, None),
            (whole.len(), Some(whole.len() - 1)),
            (3, None),
        ] {
            let mut bytes = whole[..end].to_vec();
            if let Some(at) = flip {
                bytes[at] ^= 0x40;
            }
            fs::write(&path, bytes).unwrap();
            let (_, fault) = read(&path).unwrap();
            assert!(fault.is_some());
        }
        assert!(open(&scratch.path("none")).is_err());
    }
}
