//! Conversations with the built program, as GUIs and match runners hold them. `shakmaty` alone
//! says which moves are legal.

mod arguments;
mod castling;
mod harness;
mod limits;
mod options;
mod ponder;
mod positions;
mod protocol;
mod skill;
