//! The options: one table, from which the listing after `uci` and every check come.

use std::{error::Error, fmt, path::Path, time::Duration};

use super::log::Log;
use crate::{
    engine::{
        DEFAULT_ELO, DEFAULT_HASH, DEFAULT_MOVE_OVERHEAD, Engine, GREATEST_HASH, GREATEST_THREADS,
    },
    nnue::Network,
    position::notation::{CastlingStyle, quoted},
    search::skill::{FULL_LEVEL, HIGHEST_ELO, LOWEST_ELO},
    tablebase::MOST_MEN,
};

/// The greatest number of lines; no position has as many moves.
const GREATEST_MULTIPV: i64 = 256;
/// The greatest move overhead in milliseconds.
const GREATEST_MOVE_OVERHEAD: i64 = 5000;

/// How GUIs write a text of no length.
const EMPTY: &str = "<empty>";

/// What options act on.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The engine.
    pub engine: &'a mut Engine,
    /// The record of the conversation.
    pub log: &'a Log,
}

/// One option.
#[derive(Debug)]
pub struct UciOption {
    /// The name, as it is listed; upper and lower case are the same when it is set.
    pub name: &'static str,
    /// What it is and how it is set.
    pub kind: Kind,
}

/// What kind of value an option has, and how it takes effect. Setters are handed only values that
/// the option can have. A running search goes on, unless it uses what is set; then the engine stops
/// and answers it first.
#[derive(Debug)]
pub enum Kind {
    /// A whole number.
    Spin {
        /// The value before it is set.
        default: i64,
        /// The smallest value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// Sets it; an error is why it can't be, and leaves the old value.
        set: fn(&mut Scope, i64) -> Result<(), String>,
    },
    /// Yes or no.
    Check {
        /// The value before it is set.
        default: bool,
        /// Sets it.
        set: fn(&mut Scope, bool),
    },
    /// One of a few words.
    Combo {
        /// The words; the first is the value before it is set.
        choices: &'static [&'static str],
        /// Sets it to the word of this index.
        set: fn(&mut Scope, usize),
    },
    /// Text, spaces included; quotation marks around it, as around a path that was copied, are no
    /// part of it.
    Text {
        /// The value before it is set; setting this, nothing or `<empty>` goes back to it.
        default: &'static str,
        /// Sets it, `None` to go back; an error is why it can't be, and leaves the old value.
        set: fn(&mut Scope, Option<&str>) -> Result<(), String>,
    },
    /// Something to do.
    Button {
        /// Does it.
        press: fn(&mut Scope),
    },
}

/// All options, in the order in which they are listed. Many clients set them in that order, so the
/// record of the conversation comes first.
static OPTIONS: [UciOption; 21] = [
    UciOption {
        name: "Debug Log File",
        kind: Kind::Text {
            default: EMPTY,
            set: |scope, path| match path {
                Some(path) => scope.log.open(path),
                None => {
                    scope.log.close();
                    Ok(())
                }
            },
        },
    },
    UciOption {
        name: "Hash",
        kind: Kind::Spin {
            default: DEFAULT_HASH as i64,
            min: 1,
            max: GREATEST_HASH as i64,
            set: |scope, mebibytes| scope.engine.set_hash(mebibytes as usize),
        },
    },
    UciOption {
        name: "Threads",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: GREATEST_THREADS as i64,
            set: |scope, threads| scope.engine.set_threads(threads as usize),
        },
    },
    UciOption {
        name: "MultiPV",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: GREATEST_MULTIPV,
            set: |scope, lines| {
                scope.engine.settings_mut().multipv = lines as usize;
                Ok(())
            },
        },
    },
    UciOption {
        name: "Ponder",
        // It tells the GUI that `go ponder` is understood; nothing depends on its value.
        kind: Kind::Check {
            default: false,
            set: |_, _| {},
        },
    },
    UciOption {
        name: "UCI_Chess960",
        kind: Kind::Check {
            default: false,
            set: |scope, on| scope.engine.settings_mut().chess960 = on,
        },
    },
    UciOption {
        name: "Castling Notation",
        kind: Kind::Combo {
            choices: &["auto", "king takes rook", "king two squares", "O-O"],
            set: |scope, choice| {
                scope.engine.settings_mut().castling = [
                    None,
                    Some(CastlingStyle::KingTakesRook),
                    Some(CastlingStyle::KingTwoSquares),
                    Some(CastlingStyle::Letters),
                ][choice];
            },
        },
    },
    UciOption {
        name: "Move Overhead",
        kind: Kind::Spin {
            default: DEFAULT_MOVE_OVERHEAD as i64,
            min: 0,
            max: GREATEST_MOVE_OVERHEAD,
            set: |scope, milliseconds| {
                scope.engine.settings_mut().move_overhead =
                    Duration::from_millis(milliseconds as u64);
                Ok(())
            },
        },
    },
    UciOption {
        name: "Clear Hash",
        kind: Kind::Button {
            press: |scope| scope.engine.clear_hash(),
        },
    },
    UciOption {
        name: "UCI_ShowWDL",
        kind: Kind::Check {
            default: false,
            set: |scope, on| scope.engine.settings_mut().show_wdl = on,
        },
    },
    // Clients tell these to every engine that lists them. They change nothing: Zuylen plays alike
    // against everybody, and analyses as it plays.
    UciOption {
        name: "UCI_AnalyseMode",
        kind: Kind::Check {
            default: false,
            set: |_, _| {},
        },
    },
    UciOption {
        name: "UCI_Opponent",
        kind: Kind::Text {
            default: EMPTY,
            set: |_, _| Ok(()),
        },
    },
    // For reading; whoever sets it all the same is left in peace.
    UciOption {
        name: "UCI_EngineAbout",
        kind: Kind::Text {
            default: concat!(
                "Zuylen ",
                env!("CARGO_PKG_VERSION"),
                ", a Chess960 engine; free software under the GPL, version 3 or later"
            ),
            set: |_, _| Ok(()),
        },
    },
    UciOption {
        name: "UCI_LimitStrength",
        kind: Kind::Check {
            default: false,
            set: |scope, on| scope.engine.settings_mut().limit_strength = on,
        },
    },
    UciOption {
        name: "UCI_Elo",
        kind: Kind::Spin {
            default: DEFAULT_ELO as i64,
            min: LOWEST_ELO as i64,
            max: HIGHEST_ELO as i64,
            set: |scope, elo| {
                scope.engine.settings_mut().elo = elo as i32;
                Ok(())
            },
        },
    },
    UciOption {
        name: "Skill Level",
        kind: Kind::Spin {
            default: FULL_LEVEL as i64,
            min: 0,
            max: FULL_LEVEL as i64,
            set: |scope, level| {
                scope.engine.settings_mut().skill_level = level as i32;
                Ok(())
            },
        },
    },
    UciOption {
        name: "SyzygyPath",
        kind: Kind::Text {
            default: EMPTY,
            set: |scope, folders| scope.engine.set_tablebases(folders),
        },
    },
    UciOption {
        name: "SyzygyProbeDepth",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: 100,
            set: |scope, depth| {
                scope.engine.settings_mut().probe_depth = depth as i32;
                Ok(())
            },
        },
    },
    UciOption {
        name: "Syzygy50MoveRule",
        kind: Kind::Check {
            default: true,
            set: |scope, on| scope.engine.settings_mut().fifty_move_rule = on,
        },
    },
    UciOption {
        name: "SyzygyProbeLimit",
        kind: Kind::Spin {
            default: MOST_MEN as i64,
            min: 0,
            max: MOST_MEN as i64,
            set: |scope, men| {
                scope.engine.settings_mut().probe_limit = men as usize;
                Ok(())
            },
        },
    },
    UciOption {
        name: "EvalFile",
        kind: Kind::Text {
            default: "<embedded>",
            set: |scope, path| {
                let network = match path {
                    Some(path) => {
                        Network::load(Path::new(path)).map_err(|e| format!("{path}: {e}"))?
                    }
                    None => Network::embedded(),
                };
                scope.engine.set_network(network);
                Ok(())
            },
        },
    },
];

/// Why an option was not set. Its old value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// No option has this name.
    Unknown(String),
    /// The value is no whole number in the range.
    OutOfRange {
        /// The option.
        name: &'static str,
        /// What was given.
        given: Option<String>,
        /// The smallest value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// The value is neither `true` nor `false`.
    NotBoolean {
        /// The option.
        name: &'static str,
        /// What was given.
        given: Option<String>,
    },
    /// The value is none of the words that the option knows.
    NotAChoice {
        /// The option.
        name: &'static str,
        /// What was given.
        given: Option<String>,
        /// The words.
        choices: &'static [&'static str],
    },
    /// The value is good, but could not be put into force.
    Failed {
        /// The option.
        name: &'static str,
        /// Why.
        reason: String,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |given: &Option<String>| given.as_deref().map_or("nothing".into(), quoted);
        match self {
            OptionError::Unknown(name) => write!(f, "there is no option {}", quoted(name)),
            OptionError::OutOfRange {
                name,
                given,
                min,
                max,
            } => {
                write!(
                    f,
                    "{name} takes a whole number from {min} to {max}, not {}",
                    shown(given)
                )
            }
            OptionError::NotBoolean { name, given } => {
                write!(f, "{name} takes 'true' or 'false', not {}", shown(given))
            }
            OptionError::NotAChoice {
                name,
                given,
                choices,
            } => {
                let choices = choices.join("', '");
                write!(f, "{name} takes one of '{choices}', not {}", shown(given))
            }
            OptionError::Failed { name, reason } => write!(f, "{name} not set: {reason}"),
        }
    }
}

impl Error for OptionError {}

/// Sets an option to a value as it was written. A running search is answered early only by what
/// concerns its table, its threads, or another network. All else leaves it alone, and so does a value
/// that is refused.
///
/// # Errors
/// When there is no such option or it can't have this value; the old value stands.
pub fn set(mut scope: Scope, name: &str, value: Option<&str>) -> Result<(), OptionError> {
    let Some(option) = OPTIONS
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))
    else {
        return tuning::set(&mut scope, name, value);
    };
    let name = option.name;
    let given = || value.map(str::to_owned);
    let failed = |reason| OptionError::Failed { name, reason };
    match option.kind {
        Kind::Spin { min, max, set, .. } => {
            let number = number_within(name, value, min, max)?;
            set(&mut scope, number).map_err(failed)
        }
        Kind::Check { set, .. } => {
            let on = match value.map(str::to_ascii_lowercase).as_deref() {
                Some("true") => true,
                Some("false") => false,
                _ => {
                    return Err(OptionError::NotBoolean {
                        name,
                        given: given(),
                    });
                }
            };
            set(&mut scope, on);
            Ok(())
        }
        Kind::Combo { choices, set } => {
            let is_given = |choice: &&str| value.is_some_and(|v| v.eq_ignore_ascii_case(choice));
            let choice =
                choices
                    .iter()
                    .position(is_given)
                    .ok_or_else(|| OptionError::NotAChoice {
                        name,
                        given: given(),
                        choices,
                    })?;
            set(&mut scope, choice);
            Ok(())
        }
        Kind::Text { default, set } => {
            let value = value
                .map(without_quotes)
                .filter(|&value| !["", EMPTY, default].contains(&value));
            set(&mut scope, value).map_err(failed)
        }
        Kind::Button { press } => {
            press(&mut scope);
            Ok(())
        }
    }
}

/// What stands between a pair of quotation marks, or else all of `text`.
fn without_quotes(text: &str) -> &str {
    let inside = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    inside
        .filter(|inside| !inside.contains('"'))
        .unwrap_or(text)
}

fn number_within(
    name: &'static str,
    value: Option<&str>,
    min: i64,
    max: i64,
) -> Result<i64, OptionError> {
    value
        .and_then(|value| value.parse().ok())
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| OptionError::OutOfRange {
            name,
            given: value.map(str::to_owned),
            min,
            max,
        })
}

/// The lines that list the options after `uci`.
pub fn listing() -> impl Iterator<Item = String> {
    OPTIONS
        .iter()
        .map(UciOption::to_string)
        .chain(tuning::listing())
}

impl fmt::Display for UciOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match self.kind {
            Kind::Spin {
                default, min, max, ..
            } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            Kind::Check { default, .. } => write!(f, "check default {default}"),
            Kind::Combo { choices, .. } => {
                write!(f, "combo default {}", choices[0])?;
                choices
                    .iter()
                    .try_for_each(|choice| write!(f, " var {choice}"))
            }
            Kind::Text { default, .. } => write!(f, "string default {default}"),
            Kind::Button { .. } => f.write_str("button"),
        }
    }
}

/// The constants of the search as options, for tuning runs.
#[cfg(feature = "tune")]
mod tuning {
    use super::{OptionError, Scope, number_within};
    use crate::search::params::tunables;

    pub fn listing() -> impl Iterator<Item = String> {
        tunables().map(|row| {
            let (name, value) = (row.name, (row.get)());
            format!(
                "option name {name} type spin default {value} min {} max {}",
                row.min, row.max
            )
        })
    }

    pub fn set(scope: &mut Scope, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let row = tunables()
            .find(|row| row.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        let number = number_within(row.name, value, row.min.into(), row.max.into())?;
        // A running search reads them all the time.
        scope.engine.finish();
        (row.set)(number as i32);
        Ok(())
    }
}

/// Without the feature `tune` the constants of the search are constant.
#[cfg(not(feature = "tune"))]
mod tuning {
    use super::{OptionError, Scope};

    pub fn listing() -> impl Iterator<Item = String> {
        std::iter::empty()
    }

    pub fn set(_: &mut Scope, name: &str, _: Option<&str>) -> Result<(), OptionError> {
        Err(OptionError::Unknown(name.to_owned()))
    }
}

#[cfg(test)]
mod tests;
