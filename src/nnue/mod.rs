//! The network: its shape, its inputs, and the file it is kept in.

pub mod architecture;
pub mod features;
pub mod network;
pub mod simd;

pub use network::{Network, NetworkError};
