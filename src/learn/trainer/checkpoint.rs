//! What training needs to go on after it was killed, in one file.

use std::{
    fmt,
    io::{self, Read as _},
    path::Path,
};

use super::{
    Row,
    model::{LANES, Line},
};
use crate::learn::chunks;

/// The first bytes of a checkpoint.
const MAGIC: [u8; 8] = *b"ZUYLENC2";
/// The longest description of a run, in bytes.
const MOST_TEXT: usize = 1 << 16;

/// Training between two epochs.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Epochs done.
    pub epoch: usize,
    /// Steps done.
    pub steps: usize,
    /// The weights.
    pub parameters: Vec<Line>,
    /// AdamW's running mean of the gradient.
    pub momentum: Vec<Line>,
    /// AdamW's running mean of its square.
    pub velocity: Vec<Line>,
    /// The weights of the epoch with the least held-out loss.
    pub best: Vec<Line>,
    /// What each epoch came to.
    pub rows: Vec<Row>,
}

/// Why a checkpoint can't be gone on from.
#[derive(Debug)]
pub enum CheckpointError {
    /// It can't be read.
    Unreadable(io::Error),
    /// It is damaged or no checkpoint.
    Damaged,
    /// It belongs to a run with other settings or data: its description, and ours.
    OtherRun(String, String),
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::Unreadable(error) => write!(f, "{error}"),
            CheckpointError::Damaged => write!(f, "damaged, or no checkpoint of this program"),
            CheckpointError::OtherRun(theirs, ours) => write!(
                f,
                "the checkpoint of another run; remove it to begin anew\n  it has: {theirs}\n  wanted: {ours}"
            ),
        }
    }
}

impl std::error::Error for CheckpointError {}

impl State {
    /// Writes the state of the run that `description` tells of; `path` is replaced whole.
    ///
    /// # Errors
    /// When it can't be written; the old file stays.
    pub fn save(&self, path: &Path, description: &str) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        let number = |bytes: &mut Vec<u8>, n: usize| bytes.extend((n as u64).to_le_bytes());
        number(&mut bytes, description.len());
        bytes.extend(description.as_bytes());
        for n in [
            self.epoch,
            self.steps,
            self.parameters.len(),
            self.rows.len(),
        ] {
            number(&mut bytes, n);
        }
        for array in [&self.parameters, &self.momentum, &self.velocity, &self.best] {
            bytes.extend(
                array
                    .iter()
                    .flat_map(|line| line.0)
                    .flat_map(f32::to_le_bytes),
            );
        }
        for row in &self.rows {
            let static_error = row.static_error.unwrap_or(f64::NAN);
            for x in [
                row.rate,
                row.training_loss,
                row.held_out_loss,
                static_error,
                row.seconds,
            ] {
                bytes.extend(x.to_le_bytes());
            }
        }
        // The frame's checksum is what finds damage.
        let mut encoder = zstd::Encoder::new(Vec::new(), 1)?;
        encoder.include_checksum(true)?;
        io::Write::write_all(&mut encoder, &bytes)?;
        chunks::replace(path, &encoder.finish()?)
    }

    /// Reads the state of the run that `description` tells of, with so many lines of parameters and
    /// so many steps an epoch.
    ///
    /// # Errors
    /// When the file is damaged, or of another run.
    pub fn load(
        path: &Path,
        description: &str,
        lines: usize,
        steps_per_epoch: usize,
    ) -> Result<State, CheckpointError> {
        let (theirs, state) = State::read(path, lines)?;
        if theirs != description {
            return Err(CheckpointError::OtherRun(theirs, description.to_owned()));
        }
        if state.parameters.len() != lines
            || state.epoch != state.rows.len()
            || state.epoch.checked_mul(steps_per_epoch) != Some(state.steps)
        {
            return Err(CheckpointError::Damaged);
        }
        Ok(state)
    }

    /// Reads the state of any run with at most so many lines of parameters, and the description of
    /// that run.
    ///
    /// # Errors
    /// When the file is damaged, or holds more.
    pub fn read(path: &Path, most_lines: usize) -> Result<(String, State), CheckpointError> {
        let file = std::fs::File::open(path).map_err(CheckpointError::Unreadable)?;
        let most = (4 * 4 * LANES * most_lines + 2 * MOST_TEXT) as u64;
        let mut bytes = Vec::new();
        zstd::Decoder::new(file)
            .and_then(|decoder| decoder.take(most).read_to_end(&mut bytes))
            .map_err(|_| CheckpointError::Damaged)?;
        let mut bytes = Bytes(&bytes);
        if bytes.take(MAGIC.len())? != MAGIC {
            return Err(CheckpointError::Damaged);
        }
        let length = bytes.number()?;
        let description = String::from_utf8_lossy(bytes.take(length)?).into_owned();
        let [epoch, steps, lines, rows] = [
            bytes.number()?,
            bytes.number()?,
            bytes.number()?,
            bytes.number()?,
        ];
        if lines > most_lines {
            return Err(CheckpointError::Damaged);
        }
        let mut array = || -> Result<Vec<Line>, CheckpointError> {
            let raw = bytes.take(4 * LANES * lines)?;
            let number = |x: &[u8; 4]| f32::from_le_bytes(*x);
            let line = |raw: &[u8; 4 * LANES]| {
                let mut line = Line::ZERO;
                for (lane, x) in line.0.iter_mut().zip(raw.as_chunks().0) {
                    *lane = number(x);
                }
                line
            };
            Ok(raw.as_chunks().0.iter().map(line).collect())
        };
        let (parameters, momentum, velocity, best) = (array()?, array()?, array()?, array()?);
        let rows = (0..rows)
            .map(|_| {
                let mut x = || bytes.number().map(|bits| f64::from_bits(bits as u64));
                Ok(Row {
                    rate: x()?,
                    training_loss: x()?,
                    held_out_loss: x()?,
                    static_error: Some(x()?).filter(|error| !error.is_nan()),
                    seconds: x()?,
                })
            })
            .collect::<Result<Vec<Row>, CheckpointError>>()?;
        let state = State {
            epoch,
            steps,
            parameters,
            momentum,
            velocity,
            best,
            rows,
        };
        Ok((description, state))
    }
}

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], CheckpointError> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or(CheckpointError::Damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<usize, CheckpointError> {
        let raw = self.take(8)?;
        Ok(raw
            .as_chunks()
            .0
            .first()
            .map_or(0, |x| u64::from_le_bytes(*x)) as usize)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::learn::scratch::Scratch;

    fn state() -> State {
        State {
            epoch: 1,
            steps: 77,
            parameters: (0..50).map(|x| Line([x as f32 / 7.0; LANES])).collect(),
            momentum: vec![Line([0.25; LANES]); 50],
            velocity: vec![Line([1e-9; LANES]); 50],
            best: vec![Line([-1.98; LANES]); 50],
            rows: vec![Row {
                rate: 1e-3,
                training_loss: 0.08,
                held_out_loss: 0.09,
                static_error: None,
                seconds: 2.5,
            }],
        }
    }

    #[test]
    fn what_is_saved_is_loaded() {
        let scratch = Scratch::new("checkpoint");
        let path = scratch.path("a.checkpoint");
        state().save(&path, "a run").unwrap();
        assert_eq!(State::load(&path, "a run", 50, 77).unwrap(), state());
        assert!(matches!(
            State::load(&path, "another run", 50, 77),
            Err(CheckpointError::OtherRun(theirs, _)) if theirs == "a run"
        ));
        assert!(State::load(&path, "a run", 51, 77).is_err());
        assert!(State::load(&path, "a run", 50, 76).is_err());
        assert_eq!(
            State::read(&path, 51).unwrap(),
            ("a run".to_owned(), state())
        );
        assert!(State::read(&path, 49).is_err());
        assert!(State::load(&scratch.path("none"), "a run", 50, 77).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn foreign_files_are_refused(bytes in vec(any::<u8>(), 0..300), ours in 0..60_usize, sealed: bool) {
            let scratch = Scratch::new("checkpoint-foreign");
            let path = scratch.path("a.checkpoint");
            state().save(&path, "a run").unwrap();
            let mut whole = std::fs::read(&path).unwrap();
            if sealed {
                whole = zstd::decode_all(whole.as_slice()).unwrap();
            }
            // What begins like a checkpoint goes on as it likes.
            let mut foreign = [&whole[..ours], &bytes].concat();
            if sealed {
                foreign = zstd::encode_all(foreign.as_slice(), 1).unwrap();
            }
            std::fs::write(&path, foreign).unwrap();
            let error = State::load(&path, "a run", 50, 77).unwrap_err();
            prop_assert!(!error.to_string().is_empty());
        }

        #[test]
        fn numbers_that_contradict_are_refused(at in 8 + 8 + 5..8 + 8 + 5 + 32_usize, xor in 1..=u8::MAX) {
            let scratch = Scratch::new("checkpoint-numbers");
            let path = scratch.path("a.checkpoint");
            state().save(&path, "a run").unwrap();
            let mut bytes = zstd::decode_all(std::fs::read(&path).unwrap().as_slice()).unwrap();
            bytes[at] ^= xor;
            std::fs::write(&path, zstd::encode_all(bytes.as_slice(), 1).unwrap()).unwrap();
            let refused = matches!(State::load(&path, "a run", 50, 77), Err(CheckpointError::Damaged));
            prop_assert!(refused);
        }
    }

    #[test]
    fn damage_is_found() {
        let scratch = Scratch::new("checkpoint-damage");
        let path = scratch.path("a.checkpoint");
        state().save(&path, "a run").unwrap();
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(&path, &bytes).unwrap();
            // A flip in zstd's own header may be without effect; what loads is what was saved.
            if let Ok(loaded) = State::load(&path, "a run", 50, 77) {
                assert_eq!(loaded, state());
            }
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(State::load(&path, "a run", 50, 77).is_err(), "cut at {at}");
        }
    }
}
