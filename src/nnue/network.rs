//! The network's numbers, and the file that holds them.
//!
//! A file is, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 8 | the architecture's [hash](architecture::hash) |
//! | 4 | length of the name in bytes, at most [`MAX_NAME`] |
//! | | the name: UTF-8, how the network was made |
//! | 8 | length of the payload in bytes |
//! | | input weights, input by input; input biases; output weights and then biases, bucket by bucket |
//! | 8 | FNV-1a hash of everything before |

use std::{
    error, fmt,
    fs::File,
    io::{self, Read, Write},
    path::Path,
    sync::{Arc, LazyLock},
};

use super::{
    architecture::{
        self, BUCKETS, FNV_OFFSET, HIDDEN, INPUTS, MAX_MEN, MAX_OUTPUT_BIAS, MAX_OUTPUT_WEIGHT, QA,
        fnv1a,
    },
    simd::Row,
};

/// The first bytes of every network file.
pub const MAGIC: [u8; 8] = *b"ZUYLENN1";

/// The longest name, in bytes.
pub const MAX_NAME: usize = 4096;

/// Bytes of all numbers.
const PAYLOAD: usize = 2 * (INPUTS + 1 + 2 * BUCKETS) * HIDDEN + 4 * BUCKETS;

/// Bytes that stand around name and numbers in a file.
const FRAME: usize = MAGIC.len() + 8 + 4 + 8 + 8;

/// Bytes of the longest file.
const LONGEST_FILE: usize = FRAME + MAX_NAME + PAYLOAD;

/// A quantised network: 400 KiB at 256 hidden neurons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// How it was made.
    pub name: String,
    /// What each input adds to the hidden neurons, times [`QA`].
    pub input_weights: Box<[Row; INPUTS]>,
    /// What the hidden neurons begin with, times [`QA`].
    pub input_bias: Row,
    /// Weights of the hidden neurons, first of the side to move, times
    /// [`QB`](architecture::QB).
    pub output_weights: [[Row; 2]; BUCKETS],
    /// What is added to the output, times `QA * QB`.
    pub output_bias: [i32; BUCKETS],
}

/// The network that is part of the program.
static EMBEDDED: LazyLock<Arc<Network>> = LazyLock::new(|| {
    let network = Network::read(include_bytes!("zuylen.network"));
    Arc::from(network.expect("a test reads the same file"))
});

/// Why a network is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The file does not begin like a network.
    Foreign,
    /// It was made for another number of neurons, or for other inputs.
    OtherArchitecture,
    /// The name is too long or no text.
    Name,
    /// The numbers take so many bytes, which is not what this architecture has.
    Payload(u64),
    /// The file ends too early.
    Truncated,
    /// The file goes on after its end, by so many bytes.
    Trailing(usize),
    /// The checksum is wrong.
    Damaged,
    /// Sums could leave the range of their numbers, because of what is named.
    Overflow(&'static str),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkError::Foreign => f.write_str("not a network of this engine"),
            NetworkError::OtherArchitecture => write!(
                f,
                "a network of another architecture than this program is built for, which has {HIDDEN} hidden neurons"
            ),
            NetworkError::Name => write!(f, "its name is not text of at most {MAX_NAME} bytes"),
            NetworkError::Payload(bytes) => {
                write!(f, "it has {bytes} bytes of numbers instead of {PAYLOAD}")
            }
            NetworkError::Truncated => f.write_str("the file ends too early"),
            NetworkError::Trailing(bytes) => write!(f, "{bytes} bytes follow its end"),
            NetworkError::Damaged => f.write_str("it is damaged: the checksum is wrong"),
            NetworkError::Overflow(what) => write!(f, "its {what} are too large"),
        }
    }
}

impl error::Error for NetworkError {}

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
    /// When it can't be read, with the system's reason; [`io::ErrorKind::InvalidData`] with a
    /// [`NetworkError`] when [`Network::read`] refuses it.
    pub fn load(path: &Path) -> io::Result<Arc<Network>> {
        // Opening a pipe would wait for somebody to write into it.
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
        }
        let mut bytes = Vec::new();
        File::open(path)?
            .take(LONGEST_FILE as u64 + 1)
            .read_to_end(&mut bytes)?;
        let network = Network::read(&bytes)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(Arc::from(network))
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// When they are anything but a whole, undamaged network of this architecture, whose sums fit
    /// in their numbers.
    pub fn read(file: &[u8]) -> Result<Box<Network>, NetworkError> {
        let mut bytes = Bytes(file);
        if bytes.take(MAGIC.len()) != Ok(&MAGIC) {
            return Err(NetworkError::Foreign);
        }
        if bytes.array().map(u64::from_le_bytes)? != architecture::hash() {
            return Err(NetworkError::OtherArchitecture);
        }
        let name_length = bytes.array().map(u32::from_le_bytes)? as usize;
        if name_length > MAX_NAME {
            return Err(NetworkError::Name);
        }
        let name = bytes.take(name_length)?;
        let payload_length = bytes.array().map(u64::from_le_bytes)?;
        if payload_length != PAYLOAD as u64 {
            return Err(NetworkError::Payload(payload_length));
        }
        let mut payload = Bytes(bytes.take(PAYLOAD)?);
        let checked = &file[..file.len() - bytes.0.len()];
        let checksum = bytes.array().map(u64::from_le_bytes)?;
        if !bytes.0.is_empty() {
            return Err(NetworkError::Trailing(bytes.0.len()));
        }
        if checksum != fnv1a(FNV_OFFSET, checked) {
            return Err(NetworkError::Damaged);
        }

        let mut network = Network::zeroed();
        network.name = str::from_utf8(name)
            .map_err(|_| NetworkError::Name)?
            .to_owned();
        for row in network.rows_mut() {
            for number in &mut row.0 {
                *number = payload.array().map(i16::from_le_bytes)?;
            }
        }
        for bias in &mut network.output_bias {
            *bias = payload.array().map(i32::from_le_bytes)?;
        }
        network.check()?;
        Ok(network)
    }

    /// A number that tells it from other networks: the checksum of its file.
    pub fn checksum(&self) -> u64 {
        fnv1a(FNV_OFFSET, &self.content())
    }

    /// Writes the network's file.
    ///
    /// # Errors
    /// Those of `out`, and [`io::ErrorKind::InvalidInput`] for a network that [`Network::read`]
    /// would refuse.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        self.check()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let mut file = self.content();
        file.extend(fnv1a(FNV_OFFSET, &file).to_le_bytes());
        out.write_all(&file)
    }

    /// The file without its checksum.
    fn content(&self) -> Vec<u8> {
        let mut file = Vec::with_capacity(FRAME + self.name.len() + PAYLOAD);
        file.extend(MAGIC);
        file.extend(architecture::hash().to_le_bytes());
        file.extend((self.name.len() as u32).to_le_bytes());
        file.extend(self.name.as_bytes());
        file.extend((PAYLOAD as u64).to_le_bytes());
        file.extend(self.rows().flat_map(|row| row.0).flat_map(i16::to_le_bytes));
        file.extend(self.output_bias.into_iter().flat_map(i32::to_le_bytes));
        file
    }

    /// Whether it can be written, and evaluates every position without leaving the range of a
    /// number.
    ///
    /// # Errors
    /// [`NetworkError::Overflow`] or [`NetworkError::Name`].
    pub fn check(&self) -> Result<(), NetworkError> {
        if self.name.len() > MAX_NAME {
            return Err(NetworkError::Name);
        }
        let magnitude = |number: i16| usize::from(number.unsigned_abs());
        let mut greatest = [0; HIDDEN];
        for row in self.input_weights.iter() {
            for (greatest, &weight) in greatest.iter_mut().zip(&row.0) {
                *greatest = magnitude(weight).max(*greatest);
            }
        }
        for (greatest, &bias) in greatest.iter().zip(&self.input_bias.0) {
            if magnitude(bias) + MAX_MEN * greatest > i16::MAX as usize {
                return Err(NetworkError::Overflow("input weights"));
            }
        }
        for rows in &self.output_weights {
            let weights = || rows.iter().flat_map(|row| row.0);
            let sum = |sign: i16| -> i64 {
                let wanted = weights().filter(|weight| weight.signum() == sign);
                wanted.map(|weight| i64::from(weight.unsigned_abs())).sum()
            };
            let greatest_sum = i64::from(QA * QA) * sum(1).max(sum(-1));
            if greatest_sum > i64::from(i32::MAX)
                || weights().any(|weight| weight.unsigned_abs() > MAX_OUTPUT_WEIGHT as u16)
            {
                return Err(NetworkError::Overflow("output weights"));
            }
        }
        let is_large = |bias: &i32| bias.unsigned_abs() > MAX_OUTPUT_BIAS as u32;
        if self.output_bias.iter().any(is_large) {
            return Err(NetworkError::Overflow("output biases"));
        }
        Ok(())
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

/// What is left to read.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], NetworkError> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or(NetworkError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], NetworkError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(NetworkError::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::keys::splitmix64;

    /// A file with any name and numbers and a right checksum, which [`Network::write`] would not
    /// make.
    fn sealed(name: &[u8], payload: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend(architecture::hash().to_le_bytes());
        file.extend((name.len() as u32).to_le_bytes());
        file.extend(name);
        file.extend((payload.len() as u64).to_le_bytes());
        file.extend(payload);
        file.extend(fnv1a(FNV_OFFSET, &file).to_le_bytes());
        file
    }

    #[test]
    fn the_file_is_as_documented() {
        let mut expected = Network::zeroed();
        expected.name = "by hand".to_owned();
        expected.input_weights[0].0[1] = -2;
        expected.input_weights[1].0[0] = 0x102;
        expected.input_bias.0[0] = 3;
        expected.output_weights[0][1].0[0] = 4;
        expected.output_bias[BUCKETS - 1] = -5;

        let mut payload = vec![0; PAYLOAD];
        let mut put = |number: usize, bytes: [u8; 2]| {
            payload[2 * number..2 * number + 2].copy_from_slice(&bytes);
        };
        put(1, [0xfe, 0xff]);
        put(HIDDEN, [2, 1]);
        put(INPUTS * HIDDEN, [3, 0]);
        put((INPUTS + 2) * HIDDEN, [4, 0]);
        payload[PAYLOAD - 4..].copy_from_slice(&[0xfb, 0xff, 0xff, 0xff]);

        let file = sealed(b"by hand", &payload);
        let mut written = Vec::new();
        expected
            .write(&mut written)
            .expect("a vector takes everything");
        assert!(written == file);
        assert_eq!(Network::read(&file), Ok(expected));
    }

    #[test]
    fn the_embedded_network_can_be_read_and_says_how_it_was_made() {
        assert!(Network::embedded().name.contains("games of its own"));
    }

    #[test]
    fn a_sealed_file_can_still_be_refused() {
        let zeros = vec![0; PAYLOAD];
        assert!(Network::read(&sealed(b"", &zeros)).is_ok());
        assert_eq!(
            Network::read(&sealed(b"\xff", &zeros)),
            Err(NetworkError::Name)
        );
        assert_eq!(
            Network::read(&sealed(b"", &zeros[1..])),
            Err(NetworkError::Payload(PAYLOAD as u64 - 1))
        );
        let mut state = 0;
        for _ in 0..20 {
            let payload: Vec<u8> = zeros.iter().map(|_| splitmix64(&mut state) as u8).collect();
            assert_eq!(
                Network::read(&sealed(b"", &payload)),
                Err(NetworkError::Overflow("input weights"))
            );
        }
    }
}
