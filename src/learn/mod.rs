//! From nothing to a network: games against itself, data sets of them, a trainer on the CPU.
//!
//! The way of a generation: [`datagen`] plays and writes games ([`format`], in [`chunks`]),
//! [`dataset`] looks after the files and [`stats`] counts what is in them, [`trainer`] makes a
//! floating network of their positions, and [`quantise`] the integer one of the engine. [`yardstick`]
//! measures a network, and [`wdl`] finds what scores are worth.

use shakmaty::Move;

pub mod chunks;
pub mod datagen;
pub mod dataset;
pub mod format;
pub mod quantise;
#[cfg(test)]
mod scratch;
pub mod stats;
pub mod trainer;
pub mod wdl;
pub mod yardstick;

/// Whether a move is a capture or a promotion. Castling takes a rook only in its notation, and
/// shakmaty doesn't call it a capture.
fn changes_material(m: Move) -> bool {
    m.is_capture() || m.is_promotion()
}
