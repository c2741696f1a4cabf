//! UCI on standard input and output, or from the arguments.

use std::{ffi::OsString, io, process};

use super::Ending;
use crate::{
    engine::Engine,
    uci::{command, session},
};

/// Speaks UCI until the end.
pub fn converse() -> Ending {
    let engine = session::run(io::stdin(), io::stdout())?;
    leave(engine)
}

/// Obeys the arguments, each a command of UCI.
pub fn obey(arguments: &[OsString]) -> Ending {
    let lines: Vec<String> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    if let Some(first) = lines.first().filter(|line| !command::is_command(line)) {
        return Err(format!("'{first}' is no command; see zuylen --help").into());
    }
    let engine = session::run_lines(lines.iter().map(String::as_str), io::stdout())?;
    leave(engine)
}

/// Ends the process at once, whatever the search threads may be doing.
fn leave(engine: Engine) -> Ending {
    std::mem::forget(engine);
    process::exit(0)
}
