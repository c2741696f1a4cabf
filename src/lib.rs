//! Zuylen: a chess engine that speaks UCI. Its home game is Chess960 (Fischer random), with
//! ordinary chess and double Fischer random as equals.
//!
//! The house, from top to bottom. A room knows the rooms under it and nothing above.
//!
//! - [`cli`] - the program: one file a subcommand; no argument means UCI on stdin and stdout
//! - [`uci`] - text in, text out: commands, options, the loop between, reports
//! - `learn` - self-play, data sets, the trainer: from nothing to a network (feature `tools`)
//! - [`tools`] - what is done with the engine besides playing: bench, perft, openings
//! - [`engine`] - the engine as a library: a position, options, go, stop; knows no text
//! - [`search`] - from a position and limits to a move, a score and a line
//! - [`nnue`] - the value of a position without search, by a neural network
//! - [`tablebase`] - what perfect play makes of an endgame, by Syzygy tables
//! - [`position`] - the rules (by `shakmaty`), hash keys, repetition, exchanges, FEN, notation
//! - [`chess960`] - the start positions by number
//! - [`system`] - the little that differs between systems
//!
//! How a command flows is told in [`uci`].

pub mod chess960;
pub mod cli;
pub mod engine;
#[cfg(feature = "tools")]
pub mod learn;
pub mod nnue;
pub mod position;
pub mod search;
pub mod system;
pub mod tablebase;
pub mod tools;
pub mod uci;
