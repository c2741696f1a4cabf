//! A network of any width: its numbers in the order of its file, and that file.
//!
//! A file is, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | [`MAGIC`] |
//! | 8 | the [hash](architecture::hash) of an architecture, which tells the number of neurons too |
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
};

use super::architecture::{
    self, BUCKETS, FNV_OFFSET, HIDDEN, INPUTS, MAX_MEN, MAX_OUTPUT_BIAS, MAX_OUTPUT_WEIGHT,
    MOST_HIDDEN, QA, WIDTH_STEP, fnv1a, is_width,
};

/// The first bytes of every network file.
pub const MAGIC: [u8; 8] = *b"ZUYLENN1";

/// The longest name, in bytes.
pub const MAX_NAME: usize = 4096;

/// Rows of numbers, each as long as there are hidden neurons: one an input, the input biases, and
/// two an output layer, the first for the neurons of the side to move.
pub const ROWS: usize = INPUTS + 1 + 2 * BUCKETS;

/// The row of the input biases. The rows before are of the input layer too.
pub const BIAS_ROW: usize = INPUTS;

/// Bytes that stand around name and numbers in a file.
const FRAME: usize = MAGIC.len() + 8 + 4 + 8 + 8;

/// Bytes of the longest file.
const LONGEST_FILE: usize = FRAME + MAX_NAME + payload(MOST_HIDDEN);

/// Bytes of all numbers of a network of `hidden` neurons.
const fn payload(hidden: usize) -> usize {
    2 * ROWS * hidden + 4 * BUCKETS
}

/// A quantised network of any width: 400 KiB at 256 hidden neurons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// How it was made.
    pub name: String,
    hidden: usize,
    /// The rows one after another. Those of the input layer are times [`QA`], those of the outputs
    /// times [`QB`](architecture::QB).
    numbers: Vec<i16>,
    /// What is added to the output, times `QA * QB`.
    pub output_bias: [i32; BUCKETS],
}

/// Why a network is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The file does not begin like a network.
    Foreign,
    /// It was made for other inputs or by other arithmetic, or has no possible number of neurons.
    OtherArchitecture,
    /// It has so many hidden neurons, and not as many as are played with.
    OtherWidth(usize),
    /// The name is too long or no text.
    Name,
    /// The numbers take so many bytes, which is not what that many neurons have.
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
            NetworkError::OtherArchitecture => {
                f.write_str("a network of another architecture than this program's")
            }
            NetworkError::OtherWidth(hidden) => write!(
                f,
                "a network of {hidden} hidden neurons; this program plays with {HIDDEN}"
            ),
            NetworkError::Name => write!(f, "its name is not text of at most {MAX_NAME} bytes"),
            NetworkError::Payload(bytes) => {
                write!(
                    f,
                    "it has {bytes} bytes of numbers, which don't fit its neurons"
                )
            }
            NetworkError::Truncated => f.write_str("the file ends too early"),
            NetworkError::Trailing(bytes) => write!(f, "{bytes} bytes follow its end"),
            NetworkError::Damaged => f.write_str("it is damaged: the checksum is wrong"),
            NetworkError::Overflow(what) => write!(f, "its {what} are too large"),
        }
    }
}

impl error::Error for NetworkError {}

impl Weights {
    /// A network of zeros without a name, to be filled.
    pub fn zeroed(hidden: usize) -> Weights {
        Weights {
            name: String::new(),
            hidden,
            numbers: vec![0; ROWS * hidden],
            output_bias: [0; BUCKETS],
        }
    }

    /// Hidden neurons a perspective.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// One of the [`ROWS`].
    pub fn row(&self, row: usize) -> &[i16] {
        &self.numbers[row * self.hidden..][..self.hidden]
    }

    /// One of the [`ROWS`].
    pub fn row_mut(&mut self, row: usize) -> &mut [i16] {
        &mut self.numbers[row * self.hidden..][..self.hidden]
    }

    /// The weights of an output layer for the neurons of the side to move (0) or the other (1).
    pub fn output(&self, bucket: usize, side: usize) -> &[i16] {
        self.row(BIAS_ROW + 1 + 2 * bucket + side)
    }

    /// Reads a network from a file.
    ///
    /// # Errors
    /// When it can't be read, with the system's reason; [`io::ErrorKind::InvalidData`] with a
    /// [`NetworkError`] when [`Weights::read`] refuses it.
    pub fn load(path: &Path) -> io::Result<Weights> {
        // Opening a pipe would wait for somebody to write into it.
        if !path.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
        }
        let mut bytes = Vec::new();
        File::open(path)?
            .take(LONGEST_FILE as u64 + 1)
            .read_to_end(&mut bytes)?;
        Weights::read(&bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// When they are anything but a whole, undamaged network whose sums fit in their numbers.
    pub fn read(file: &[u8]) -> Result<Weights, NetworkError> {
        let mut bytes = Bytes(file);
        if bytes.take(MAGIC.len()) != Ok(&MAGIC) {
            return Err(NetworkError::Foreign);
        }
        let hash = bytes.array().map(u64::from_le_bytes)?;
        let hidden = (WIDTH_STEP..=MOST_HIDDEN)
            .step_by(WIDTH_STEP)
            .find(|&hidden| architecture::hash(hidden) == hash)
            .ok_or(NetworkError::OtherArchitecture)?;
        let name_length = bytes.array().map(u32::from_le_bytes)? as usize;
        if name_length > MAX_NAME {
            return Err(NetworkError::Name);
        }
        let name = bytes.take(name_length)?;
        let payload_length = bytes.array().map(u64::from_le_bytes)?;
        if payload_length != payload(hidden) as u64 {
            return Err(NetworkError::Payload(payload_length));
        }
        let mut numbers = Bytes(bytes.take(payload(hidden))?);
        let checked = &file[..file.len() - bytes.0.len()];
        let checksum = bytes.array().map(u64::from_le_bytes)?;
        if !bytes.0.is_empty() {
            return Err(NetworkError::Trailing(bytes.0.len()));
        }
        if checksum != fnv1a(FNV_OFFSET, checked) {
            return Err(NetworkError::Damaged);
        }

        let mut weights = Weights::zeroed(hidden);
        weights.name = str::from_utf8(name)
            .map_err(|_| NetworkError::Name)?
            .to_owned();
        for number in &mut weights.numbers {
            *number = numbers.array().map(i16::from_le_bytes)?;
        }
        for bias in &mut weights.output_bias {
            *bias = numbers.array().map(i32::from_le_bytes)?;
        }
        weights.check()?;
        Ok(weights)
    }

    /// A number that tells it from other networks: the checksum of its file.
    pub fn checksum(&self) -> u64 {
        fnv1a(FNV_OFFSET, &self.content())
    }

    /// Writes the network's file.
    ///
    /// # Errors
    /// Those of `out`, and [`io::ErrorKind::InvalidInput`] for a network that [`Weights::read`]
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
        let payload = payload(self.hidden);
        let mut file = Vec::with_capacity(FRAME + self.name.len() + payload);
        file.extend(MAGIC);
        file.extend(architecture::hash(self.hidden).to_le_bytes());
        file.extend((self.name.len() as u32).to_le_bytes());
        file.extend(self.name.as_bytes());
        file.extend((payload as u64).to_le_bytes());
        file.extend(self.numbers.iter().flat_map(|number| number.to_le_bytes()));
        file.extend(self.output_bias.into_iter().flat_map(i32::to_le_bytes));
        file
    }

    /// Whether it can be written, and evaluates every position without leaving the range of a
    /// number.
    ///
    /// # Errors
    /// [`NetworkError::Overflow`], [`NetworkError::Name`] or [`NetworkError::OtherArchitecture`].
    pub fn check(&self) -> Result<(), NetworkError> {
        if !is_width(self.hidden) {
            return Err(NetworkError::OtherArchitecture);
        }
        if self.name.len() > MAX_NAME {
            return Err(NetworkError::Name);
        }
        let magnitude = |number: i16| usize::from(number.unsigned_abs());
        let mut greatest = vec![0; self.hidden];
        for input in 0..INPUTS {
            for (greatest, &weight) in greatest.iter_mut().zip(self.row(input)) {
                *greatest = magnitude(weight).max(*greatest);
            }
        }
        for (greatest, &bias) in greatest.iter().zip(self.row(BIAS_ROW)) {
            if magnitude(bias) + MAX_MEN * greatest > i16::MAX as usize {
                return Err(NetworkError::Overflow("input weights"));
            }
        }
        for bucket in 0..BUCKETS {
            let weights = || (0..2).flat_map(|side| self.output(bucket, side).iter().copied());
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

    /// A file with any name and numbers and a right checksum, which [`Weights::write`] would not
    /// make.
    fn sealed(name: &[u8], numbers: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        file.extend(architecture::hash(HIDDEN).to_le_bytes());
        file.extend((name.len() as u32).to_le_bytes());
        file.extend(name);
        file.extend((numbers.len() as u64).to_le_bytes());
        file.extend(numbers);
        file.extend(fnv1a(FNV_OFFSET, &file).to_le_bytes());
        file
    }

    #[test]
    fn the_file_is_as_documented() {
        let mut expected = Weights::zeroed(HIDDEN);
        expected.name = "by hand".to_owned();
        expected.row_mut(0)[1] = -2;
        expected.row_mut(1)[0] = 0x102;
        expected.row_mut(BIAS_ROW)[0] = 3;
        expected.row_mut(BIAS_ROW + 2)[0] = 4;
        expected.output_bias[BUCKETS - 1] = -5;

        let mut numbers = vec![0; payload(HIDDEN)];
        let mut put = |number: usize, bytes: [u8; 2]| {
            numbers[2 * number..2 * number + 2].copy_from_slice(&bytes);
        };
        put(1, [0xfe, 0xff]);
        put(HIDDEN, [2, 1]);
        put(INPUTS * HIDDEN, [3, 0]);
        put((INPUTS + 2) * HIDDEN, [4, 0]);
        numbers[payload(HIDDEN) - 4..].copy_from_slice(&[0xfb, 0xff, 0xff, 0xff]);

        let file = sealed(b"by hand", &numbers);
        let mut written = Vec::new();
        expected
            .write(&mut written)
            .expect("a vector takes everything");
        assert!(written == file);
        assert_eq!(Weights::read(&file), Ok(expected));
    }

    #[test]
    fn a_sealed_file_can_still_be_refused() {
        let zeros = vec![0; payload(HIDDEN)];
        assert!(Weights::read(&sealed(b"", &zeros)).is_ok());
        assert_eq!(
            Weights::read(&sealed(b"\xff", &zeros)),
            Err(NetworkError::Name)
        );
        assert_eq!(
            Weights::read(&sealed(b"", &zeros[1..])),
            Err(NetworkError::Payload(payload(HIDDEN) as u64 - 1))
        );
        let mut state = 0;
        for _ in 0..20 {
            let numbers: Vec<u8> = zeros.iter().map(|_| splitmix64(&mut state) as u8).collect();
            assert_eq!(
                Weights::read(&sealed(b"", &numbers)),
                Err(NetworkError::Overflow("input weights"))
            );
        }
    }

    #[test]
    fn files_of_every_width_come_back() {
        for hidden in [WIDTH_STEP, 512, MOST_HIDDEN] {
            let mut weights = Weights::zeroed(hidden);
            weights.row_mut(3)[hidden - 1] = 7;
            weights.row_mut(ROWS - 1)[hidden - 1] = -9;
            let mut file = Vec::new();
            weights.write(&mut file).expect("a vector takes everything");
            assert_eq!(Weights::read(&file).as_ref(), Ok(&weights));
            assert!(file.len() <= LONGEST_FILE);
        }
        for hidden in [0, 48, MOST_HIDDEN + WIDTH_STEP] {
            let refused = Weights::zeroed(hidden).check();
            assert_eq!(refused, Err(NetworkError::OtherArchitecture));
        }
    }
}
