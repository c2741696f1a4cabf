//! UCI on standard input and output, or from the arguments.

use std::{ffi::OsString, io, process::ExitCode};

use super::Ending;
use crate::uci::{
    command,
    session::{self, Ended},
};

/// What a build without a feature lacks, and how to have it.
const LEFT_OUT: [(&str, bool, &str); 4] = [
    ("spsa", cfg!(feature = "tune"), "tune"),
    ("datagen", cfg!(feature = "tools"), "tools"),
    ("dataset", cfg!(feature = "tools"), "tools"),
    ("train", cfg!(feature = "tools"), "tools"),
];

/// Speaks UCI until the end.
pub fn converse() -> Ending {
    leave(session::run(io::stdin(), io::stdout())?)
}

/// Obeys the arguments, which are commands of UCI.
pub fn obey(arguments: &[OsString]) -> Ending {
    let words: Vec<String> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    if let Some(first) = words.first().filter(|word| !command::is_command(word)) {
        let without = LEFT_OUT.iter().find(|(name, _, _)| name == first);
        return Err(match without {
            Some((name, _, feature)) => format!(
                "this program was built without '{name}'; cargo build --release --features {feature} has it"
            ),
            None => format!("'{first}' is no command; see zuylen --help"),
        }
        .into());
    }
    let lines = commands(&words);
    leave(session::run_lines(
        lines.iter().map(String::as_str),
        io::stdout(),
    )?)
}

/// The commands that arguments amount to: one each, but what doesn't begin like a command belongs to
/// the one before, so that `zuylen go depth 5` does what it looks like.
fn commands(arguments: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for argument in arguments {
        match lines.last_mut().filter(|_| !command::is_command(argument)) {
            Some(line) => {
                line.push(' ');
                line.push_str(argument);
            }
            None => lines.push(argument.clone()),
        }
    }
    lines
}

/// Ends without waiting for the search threads, whatever they may be doing.
fn leave((engine, result): Ended) -> Ending {
    std::mem::forget(engine);
    result?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_joined_to_commands() {
        let joined = |arguments: &[&str]| {
            let words: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
            commands(&words)
        };
        assert_eq!(joined(&["go", "depth", "5"]), ["go depth 5"]);
        assert_eq!(
            joined(&["position", "frc", "12", "go", "depth", "5", "quit"]),
            ["position frc 12", "go depth 5", "quit"]
        );
        assert_eq!(
            joined(&["position frc 12", "go depth 5"]),
            ["position frc 12", "go depth 5"]
        );
        let fen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
        assert_eq!(
            joined(&["position", "fen", fen, "d"]),
            [format!("position fen {fen}"), "d".to_owned()]
        );
        assert_eq!(joined(&[]), [""; 0]);
    }
}
