//! Conversations with the built program, as GUIs and match runners hold them. `shakmaty` alone
//! says which moves are legal.

mod analysis;
mod arguments;
mod bug_reports;
mod castling;
mod harness;
mod limits;
mod log;
mod model;
#[path = "../mutation/mod.rs"]
mod mutation;
mod network;
mod options;
mod ponder;
mod positions;
mod properties;
mod protocol;
mod resources;
mod skill;
mod tablebases;
