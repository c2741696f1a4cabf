//! A network as it is played with: rows that fill registers, of the width that the program is built
//! for.

use std::{
    io::{self, Write},
    path::Path,
    sync::{Arc, LazyLock},
};

use super::{
    architecture::{self, BUCKETS, HIDDEN, INPUTS},
    simd::Row,
    weights::{NetworkError, Weights},
};

/// A quantised network: 400 KiB at 256 hidden neurons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// How it was made.
    pub name: String,
    /// What each input adds to the hidden neurons, times [`QA`](architecture::QA).
    pub input_weights: Box<[Row; INPUTS]>,
    /// What the hidden neurons begin with, times [`QA`](architecture::QA).
    pub input_bias: Row,
    /// Weights of the hidden neurons, first of the side to move, times
    /// [`QB`](architecture::QB).
    pub output_weights: [[Row; 2]; BUCKETS],
    /// What is added to the output, times `QA * QB`.
    pub output_bias: [i32; BUCKETS],
}

/// The file of the network that is part of the program.
const FILE: &[u8] = include_bytes!("zuylen.network");

const _: () = assert!(
    match FILE.split_at(8).1.first_chunk() {
        Some(hash) => u64::from_le_bytes(*hash) == architecture::hash(HIDDEN),
        None => false,
    },
    "src/nnue/zuylen.network has another number of hidden neurons than HIDDEN in architecture.rs"
);

/// The network that is part of the program.
static EMBEDDED: LazyLock<Arc<Network>> =
    LazyLock::new(|| Arc::from(Network::read(FILE).expect("a test reads the same file")));

impl Network {
    /// A network of zeros without a name, to be filled.
    pub fn zeroed() -> Box<Network> {
        let input_weights = vec![Row::ZERO; INPUTS].into_boxed_slice();
        Box::new(Network {
            name: String::new(),
            input_weights: input_weights.try_into().expect("it was made that long"),
            input_bias: Row::ZERO,
            output_weights: [[Row::ZERO; 2]; BUCKETS],
            output_bias: [0; BUCKETS],
        })
    }

    /// The network that is part of the program, made from Zuylen's own games alone; its name says
    /// how.
    pub fn embedded() -> Arc<Network> {
        Arc::clone(&EMBEDDED)
    }

    /// Reads a network from a file.
    ///
    /// # Errors
    /// Those of [`Weights::load`]; [`io::ErrorKind::InvalidData`] with a [`NetworkError`] for a
    /// network of another width.
    pub fn load(path: &Path) -> io::Result<Arc<Network>> {
        let network = Network::of(&Weights::load(path)?)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(Arc::from(network))
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// When they are anything but a whole, undamaged network of [`HIDDEN`] neurons, whose sums fit
    /// in their numbers.
    pub fn read(file: &[u8]) -> Result<Box<Network>, NetworkError> {
        Network::of(&Weights::read(file)?)
    }

    /// The network of these numbers.
    ///
    /// # Errors
    /// [`NetworkError::OtherWidth`].
    pub fn of(weights: &Weights) -> Result<Box<Network>, NetworkError> {
        if weights.hidden() != HIDDEN {
            return Err(NetworkError::OtherWidth(weights.hidden()));
        }
        let mut network = Network::zeroed();
        network.name.clone_from(&weights.name);
        network.output_bias = weights.output_bias;
        for (index, row) in network.rows_mut().enumerate() {
            row.0.copy_from_slice(weights.row(index));
        }
        Ok(network)
    }

    /// Its numbers in the order of its file.
    pub fn weights(&self) -> Weights {
        let mut weights = Weights::zeroed(HIDDEN);
        weights.name.clone_from(&self.name);
        weights.output_bias = self.output_bias;
        for (index, row) in self.rows().enumerate() {
            weights.row_mut(index).copy_from_slice(&row.0);
        }
        weights
    }

    /// A number that tells it from other networks: the checksum of its file.
    pub fn checksum(&self) -> u64 {
        self.weights().checksum()
    }

    /// Writes the network's file.
    ///
    /// # Errors
    /// Those of [`Weights::write`].
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        self.weights().write(out)
    }

    /// All rows in the order of the file.
    fn rows(&self) -> impl Iterator<Item = &Row> {
        let output = self.output_weights.iter().flatten();
        self.input_weights
            .iter()
            .chain([&self.input_bias])
            .chain(output)
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        let output = self.output_weights.iter_mut().flatten();
        self.input_weights
            .iter_mut()
            .chain([&mut self.input_bias])
            .chain(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_network_can_be_read_and_says_how_it_was_made() {
        assert!(Network::embedded().name.contains("games of its own"));
    }

    #[test]
    fn another_width_is_refused_in_words() {
        let wide = Weights::zeroed(2 * HIDDEN);
        let mut file = Vec::new();
        wide.write(&mut file).expect("a vector takes everything");
        let error = Network::read(&file).expect_err("it is too wide");
        assert_eq!(error, NetworkError::OtherWidth(2 * HIDDEN));
        assert_eq!(
            error.to_string(),
            "a network of 512 hidden neurons; this program plays with 256"
        );
    }
}
