use super::*;

fn engine() -> Engine {
    Engine::new(|_| {}).expect("threads and memory")
}

fn set(engine: &mut Engine, name: &str, value: Option<&str>) -> Result<(), OptionError> {
    let log = Log::default();
    super::set(Scope { engine, log: &log }, name, value)
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
        ("castling notation", Some("King TWO squares")),
        ("UCI_AnalyseMode", Some("true")),
        ("uci_opponent", Some("GM 2800 human Gary Kasparov")),
        ("UCI_Opponent", Some("none none computer Zuylen 0.1.0")),
        ("UCI_EngineAbout", Some("anything")),
        ("Debug Log File", Some("")),
        ("Debug Log File", Some("<empty>")),
        ("Debug Log File", None),
    ] {
        assert_eq!(set(&mut engine, name, value), Ok(()), "{name}");
    }
    let settings = engine.settings();
    assert!(settings.chess960 && settings.show_wdl);
    assert_eq!(settings.castling, Some(CastlingStyle::KingTwoSquares));
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
    for value in [None, Some(""), Some("king"), Some("0")] {
        let error = set(&mut engine, "Castling Notation", value).expect_err("no choice");
        assert!(error.to_string().contains("'king two squares'"), "{error}");
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
    assert_eq!(settings.castling, None);
}

#[test]
fn the_listing_is_what_a_gui_reads() {
    let lines: Vec<String> = listing().collect();
    assert!(lines.contains(&"option name Hash type spin default 16 min 1 max 33554432".to_owned()));
    assert!(lines.contains(&"option name UCI_Chess960 type check default false".to_owned()));
    assert!(lines.contains(&"option name Clear Hash type button".to_owned()));
    assert!(lines.contains(&"option name UCI_Opponent type string default <empty>".to_owned()));
    assert!(
        lines.contains(
            &"option name Castling Notation type combo default auto var auto var king takes rook \
          var king two squares var O-O"
                .to_owned()
        )
    );
}

#[test]
fn the_readme_lists_what_there_is() {
    let readme = include_str!("../../../README.md");
    let rows: Vec<Vec<&str>> = readme
        .lines()
        .filter(|line| line.starts_with("| "))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    for option in &OPTIONS {
        let row = rows.iter().find(|row| row[1] == option.name);
        let row = row.unwrap_or_else(|| panic!("no row for {}", option.name));
        let (default, range) = match option.kind {
            Kind::Spin {
                default, min, max, ..
            } => (default.to_string(), format!("{min} to {max}")),
            Kind::Check { default, .. } => (default.to_string(), String::new()),
            Kind::Combo { choices, .. } => (choices[0].to_owned(), choices.join(", ")),
            Kind::Text { .. } | Kind::Button { .. } => (row[2].to_owned(), row[3].to_owned()),
        };
        assert_eq!(
            (row[2], row[3]),
            (default.as_str(), range.as_str()),
            "{}",
            option.name
        );
    }
}
