//! The Universal Chess Interface: text in, text out.
//!
//! ```text
//! reader thread -- (Command, time it was read) --> session -- go --> engine -- Job --> workers
//!                                                    ^                 |
//! stdout <-- writer thread <-- lines ----------------+---- reports ----+
//! ```
//!
//! [`input`] only reads, stamps the time and parses; it blocks on its input and on nothing else.
//! [`session`] is the loop between. [`output`] writes whole lines and never makes anybody wait.
//! [`log`] keeps a record of both for a user who wants one.

pub mod command;
pub mod input;
pub mod log;
pub mod options;
pub mod output;
pub mod report;
pub mod session;
pub mod setup;
mod task;
