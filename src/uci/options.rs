//! The options: one table, from which the listing after `uci` and every check come.

use std::{error::Error, fmt, path::Path, time::Duration};

use crate::{
    engine::{DEFAULT_ELO, DEFAULT_HASH, DEFAULT_MOVE_OVERHEAD, Engine},
    nnue::Network,
    position::notation::quoted,
    search::skill::{FULL_LEVEL, HIGHEST_ELO, LOWEST_ELO},
};

/// The greatest table in mebibytes: 32 tebibytes.
const GREATEST_HASH: i64 = 33_554_432;
/// The greatest number of threads.
const GREATEST_THREADS: i64 = 1024;
/// The greatest number of lines; no position has as many moves.
const GREATEST_MULTIPV: i64 = 256;
/// The greatest move overhead in milliseconds.
const GREATEST_MOVE_OVERHEAD: i64 = 5000;

/// One option.
#[derive(Debug)]
pub struct UciOption {
    /// The name, as it is listed; upper and lower case are the same when it is set.
    pub name: &'static str,
    /// What it is and how it is set.
    pub kind: Kind,
}

/// What kind of value an option has, and how it takes effect. The numbers handed to setters are
/// within the range.
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
        set: fn(&mut Engine, i64) -> Result<(), String>,
    },
    /// Yes or no.
    Check {
        /// The value before it is set.
        default: bool,
        /// Sets it.
        set: fn(&mut Engine, bool),
    },
    /// Text, spaces included.
    Text {
        /// The value before it is set; setting this, nothing or [`EMPTY`] goes back to it.
        default: &'static str,
        /// Sets it, `None` to go back; an error is why it can't be, and leaves the old value.
        set: fn(&mut Engine, Option<&str>) -> Result<(), String>,
    },
    /// Something to do.
    Button {
        /// Does it.
        press: fn(&mut Engine),
    },
}

/// All options, in the order in which they are listed.
static OPTIONS: [UciOption; 12] = [
    UciOption {
        name: "Hash",
        kind: Kind::Spin {
            default: DEFAULT_HASH as i64,
            min: 1,
            max: GREATEST_HASH,
            set: |engine, mebibytes| engine.set_hash(mebibytes as usize),
        },
    },
    UciOption {
        name: "Threads",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: GREATEST_THREADS,
            set: |engine, threads| engine.set_threads(threads as usize),
        },
    },
    UciOption {
        name: "MultiPV",
        kind: Kind::Spin {
            default: 1,
            min: 1,
            max: GREATEST_MULTIPV,
            set: |engine, lines| {
                engine.settings_mut().multipv = lines as usize;
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
            set: |engine, on| engine.settings_mut().chess960 = on,
        },
    },
    UciOption {
        name: "Move Overhead",
        kind: Kind::Spin {
            default: DEFAULT_MOVE_OVERHEAD as i64,
            min: 0,
            max: GREATEST_MOVE_OVERHEAD,
            set: |engine, milliseconds| {
                engine.settings_mut().move_overhead = Duration::from_millis(milliseconds as u64);
                Ok(())
            },
        },
    },
    UciOption {
        name: "Clear Hash",
        kind: Kind::Button {
            press: Engine::clear_hash,
        },
    },
    UciOption {
        name: "UCI_ShowWDL",
        kind: Kind::Check {
            default: false,
            set: |engine, on| engine.settings_mut().show_wdl = on,
        },
    },
    UciOption {
        name: "UCI_LimitStrength",
        kind: Kind::Check {
            default: false,
            set: |engine, on| engine.settings_mut().limit_strength = on,
        },
    },
    UciOption {
        name: "UCI_Elo",
        kind: Kind::Spin {
            default: DEFAULT_ELO as i64,
            min: LOWEST_ELO as i64,
            max: HIGHEST_ELO as i64,
            set: |engine, elo| {
                engine.settings_mut().elo = elo as i32;
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
            set: |engine, level| {
                engine.settings_mut().skill_level = level as i32;
                Ok(())
            },
        },
    },
    UciOption {
        name: "EvalFile",
        kind: Kind::Text {
            default: "<embedded>",
            set: |engine, path| {
                let network = match path {
                    Some(path) => Network::load(Path::new(path)).map_err(|e| e.to_string())?,
                    None => Network::embedded(),
                };
                engine.set_network(network);
                Ok(())
            },
        },
    },
];

/// How GUIs write a text of no length.
const EMPTY: &str = "<empty>";

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
            OptionError::Failed { name, reason } => write!(f, "{name} not set: {reason}"),
        }
    }
}

impl Error for OptionError {}

/// Sets an option of `engine` to a value as it was written.
///
/// # Errors
/// When there is no such option or it can't have this value; the old value stands.
pub fn set(engine: &mut Engine, name: &str, value: Option<&str>) -> Result<(), OptionError> {
    let Some(option) = OPTIONS
        .iter()
        .find(|option| option.name.eq_ignore_ascii_case(name))
    else {
        return tuning::set(name, value);
    };
    let name = option.name;
    match option.kind {
        Kind::Spin { min, max, set, .. } => {
            let number = number_within(name, value, min, max)?;
            set(engine, number).map_err(|reason| OptionError::Failed { name, reason })
        }
        Kind::Check { set, .. } => match value.map(str::to_ascii_lowercase).as_deref() {
            Some("true") => {
                set(engine, true);
                Ok(())
            }
            Some("false") => {
                set(engine, false);
                Ok(())
            }
            _ => Err(OptionError::NotBoolean {
                name,
                given: value.map(str::to_owned),
            }),
        },
        Kind::Text { default, set } => {
            let value = value.filter(|&value| !["", EMPTY, default].contains(&value));
            set(engine, value).map_err(|reason| OptionError::Failed { name, reason })
        }
        Kind::Button { press } => {
            press(engine);
            Ok(())
        }
    }
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
            Kind::Text { default, .. } => write!(f, "string default {default}"),
            Kind::Button { .. } => f.write_str("button"),
        }
    }
}

/// The constants of the search as options, for tuning runs.
#[cfg(feature = "tune")]
mod tuning {
    use super::{OptionError, number_within};
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

    pub fn set(name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let row = tunables()
            .find(|row| row.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        let number = number_within(row.name, value, row.min.into(), row.max.into())?;
        (row.set)(number as i32);
        Ok(())
    }
}

/// Without the feature `tune` the constants of the search are constant.
#[cfg(not(feature = "tune"))]
mod tuning {
    use super::OptionError;

    pub fn listing() -> impl Iterator<Item = String> {
        std::iter::empty()
    }

    pub fn set(name: &str, _value: Option<&str>) -> Result<(), OptionError> {
        Err(OptionError::Unknown(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine() -> Engine {
        Engine::new(|_| {}).expect("threads and memory")
    }

    #[test]
    fn values_within_the_range_are_taken() {
        let mut engine = engine();
        for (name, value) in [
            ("hash", Some("1")),
            ("THREADS", Some("2")),
            ("MultiPV", Some("256")),
            ("Move Overhead", Some("5000")),
            ("uci_chess960", Some("TRUE")),
            ("UCI_ShowWDL", Some("true")),
            ("Ponder", Some("true")),
            ("uci_limitstrength", Some("true")),
            ("UCI_ELO", Some("1700")),
            ("skill level", Some("3")),
            ("clear hash", None),
            ("Clear Hash", Some("now")),
        ] {
            assert_eq!(set(&mut engine, name, value), Ok(()), "{name}");
        }
        let settings = engine.settings();
        assert!(settings.chess960 && settings.show_wdl);
        assert_eq!(settings.multipv, 256);
        assert_eq!(settings.skill_level, 3);
        assert_eq!(settings.strength(), Some(1700));
        assert_eq!(settings.move_overhead, Duration::from_millis(5000));
    }

    #[test]
    fn anything_else_is_refused_and_changes_nothing() {
        let mut engine = engine();
        let before = engine.settings().clone();
        for name in [
            "Hash",
            "Threads",
            "MultiPV",
            "Move Overhead",
            "UCI_Elo",
            "Skill Level",
        ] {
            for value in [
                None,
                Some(""),
                Some("-1"),
                Some("99999999999999999999"),
                Some("1.5"),
                Some("x"),
            ] {
                let error = set(&mut engine, name, value).expect_err(name);
                assert!(matches!(error, OptionError::OutOfRange { .. }), "{error}");
                assert!(error.to_string().contains(" from "), "{error}");
            }
        }
        for value in [None, Some("yes"), Some("1"), Some("")] {
            assert!(
                set(&mut engine, "UCI_Chess960", value).is_err(),
                "{value:?}"
            );
        }
        assert!(matches!(
            set(&mut engine, "Hsah", Some("1")),
            Err(OptionError::Unknown(_))
        ));
        assert_eq!(*engine.settings(), before);
    }

    #[test]
    fn defaults_are_within_their_ranges_and_true() {
        for option in &OPTIONS {
            if let Kind::Spin {
                default, min, max, ..
            } = option.kind
            {
                assert!((min..=max).contains(&default), "{}", option.name);
            }
        }
        let settings = crate::engine::Settings::default();
        assert_eq!(
            settings.move_overhead.as_millis(),
            u128::from(DEFAULT_MOVE_OVERHEAD)
        );
        assert_eq!(settings.multipv, 1);
        assert!(!settings.chess960 && !settings.show_wdl);
        assert_eq!(settings.strength(), None);
    }

    #[test]
    fn the_listing_is_what_a_gui_reads() {
        let lines: Vec<String> = listing().collect();
        assert!(
            lines.contains(&"option name Hash type spin default 16 min 1 max 33554432".to_owned())
        );
        assert!(lines.contains(&"option name UCI_Chess960 type check default false".to_owned()));
        assert!(lines.contains(&"option name Clear Hash type button".to_owned()));
    }
}
