//! The weights that training begins with.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use super::{
    checkpoint::State,
    model::{Line, Shape},
};
use crate::{
    learn::{chunks, quantise},
    nnue::{Weights, architecture::MOST_HIDDEN, weights::MAGIC},
};

/// The weights of a network's file, or the best ones of a checkpoint.
///
/// # Errors
/// When the file can't be read, or is neither.
pub fn read(path: &Path) -> io::Result<(Shape, Vec<Line>)> {
    let about = |error: &dyn std::fmt::Display| chunks::about(path, error);
    // Opening a pipe would wait for somebody to write into it.
    if !path.metadata().map_err(|error| about(&error))?.is_file() {
        return Err(about(&"not a file"));
    }
    let mut begins = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut begins))
        .map_err(|error| about(&error))?;
    if begins == MAGIC {
        let weights = Weights::load(path).map_err(|error| about(&error))?;
        return Ok(quantise::to_floating(&weights));
    }
    let most = Shape::new(MOST_HIDDEN).lines();
    let (_, state) = State::read(path, most).map_err(|error| about(&error))?;
    let shape = Shape::of_lines(state.best.len())
        .ok_or_else(|| about(&"a checkpoint of no possible number of neurons"))?;
    Ok((shape, state.best))
}

/// Weights for a network of `hidden` neurons: those of `from`, which is as wide or half as wide, or
/// random ones that belong to the seed.
///
/// # Errors
/// Those of [`read`], and when `from` is of another width.
pub fn weights(from: Option<&Path>, hidden: usize, seed: u64) -> io::Result<Vec<Line>> {
    let Some(path) = from else {
        return Ok(Shape::new(hidden).initial(seed));
    };
    let (shape, lines) = read(path)?;
    if shape.hidden() == hidden {
        Ok(lines)
    } else if 2 * shape.hidden() == hidden {
        Ok(shape.doubled(&lines, seed))
    } else {
        let found = shape.hidden();
        Err(chunks::about(
            path,
            format!("it has {found} hidden neurons; wanted are {hidden} or half as many"),
        ))
    }
}
