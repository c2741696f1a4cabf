//! What is done with the engine besides playing: measuring, counting, making openings.

pub mod bench;
pub mod genfens;
pub mod openings;
pub mod perft;
