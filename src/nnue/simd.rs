//! The unit that the network's numbers are kept in.

use super::architecture::HIDDEN;

/// One perspective's hidden neurons, or what an input adds to them; whole cache lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Row(pub [i16; HIDDEN]);

impl Row {
    /// All zeros.
    pub const ZERO: Row = Row([0; HIDDEN]);
}
