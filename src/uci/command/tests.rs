use proptest::prelude::*;

use super::*;

fn parse(line: &str) -> Command {
    let Parsed { command, notes } = Parsed::new(line);
    assert_eq!(notes, [""; 0], "{line}");
    command
}

fn go(line: &str) -> Go {
    match parse(line) {
        Command::Go(go) => go,
        other => panic!("{line}: {other:?}"),
    }
}

fn position(line: &str) -> Result<Setup, String> {
    match parse(line) {
        Command::Position(setup) => setup,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn white_space_and_unknown_words_before_a_command_are_skipped() {
    for line in [
        "isready",
        "  isready ",
        "\tisready\r",
        "joho isready",
        "\u{feff}isready",
    ] {
        assert_eq!(parse(line), Command::IsReady, "{line:?}");
    }
    assert_eq!(parse("joho debug\t on"), Command::Debug(true));
    for line in ["", "  \t\r", "# go infinite", "register later"] {
        assert_eq!(parse(line), Command::Nothing, "{line:?}");
    }
    // Words for people are too common to be looked for.
    for line in [
        "xyzzy",
        "hello d",
        "info string hello",
        "Isready",
        "debug maybe",
    ] {
        let parsed = Parsed::new(line);
        assert_eq!(parsed.command, Command::Unknown, "{line}");
        assert_eq!(parsed.notes.len(), 1, "{line}");
    }
}

#[test]
fn go_takes_its_parameters_in_any_order() {
    let every =
        go("go wtime 1 btime -2 winc 3 binc 4 movestogo 5 depth 6 nodes 7 mate 8 movetime 9");
    let limits = &every.limits;
    assert_eq!((limits.time.white, limits.time.black), (Some(1), Some(-2)));
    assert_eq!(
        (limits.increment.white, limits.increment.black),
        (Some(3), Some(4))
    );
    assert_eq!((limits.moves_to_go, limits.depth), (Some(5), Some(6)));
    assert_eq!(
        (limits.nodes, limits.mate, limits.move_time),
        (Some(7), Some(8), Some(9))
    );
    let reordered =
        go("go movetime 9 mate 8 nodes 7 depth 6 movestogo 5 binc 4 winc 3 btime -2 wtime 1");
    assert_eq!(every, reordered);
    assert_eq!(go("go"), Go::default());
    assert!(go("go infinite").limits.infinite);
    assert!(go("go wtime 5 ponder btime 5").limits.ponder);
    assert_eq!(parse("go perft 5"), Command::Perft(5));
}

#[test]
fn a_keyword_ends_searchmoves() {
    let before = go("go searchmoves e2e4 d2d4 depth 6");
    assert_eq!(before, go("go depth 6 searchmoves e2e4 d2d4"));
    assert_eq!(before.search_moves.as_deref().map(<[String]>::len), Some(2));
    assert_eq!(go("go searchmoves infinite").search_moves, Some(Vec::new()));
    assert_eq!(go("go depth 6").search_moves, None);
}

#[test]
fn a_bad_number_costs_one_parameter() {
    for (line, notes) in [
        ("go depth", 1),
        ("go depth abc", 1),
        ("go depth wtime 100", 1),
        ("go foo depth x bar", 3),
        ("go depth 7x nodes 1.5", 2),
        ("go mate 0", 1),
    ] {
        let parsed = Parsed::new(line);
        assert_eq!(parsed.notes.len(), notes, "{line}: {:?}", parsed.notes);
        let Command::Go(go) = parsed.command else {
            panic!("{line}")
        };
        assert_eq!(go.limits.depth, None, "{line}");
        assert_eq!(
            go.limits.time.white,
            line.contains("wtime").then_some(100),
            "{line}"
        );
    }
}

#[test]
fn numbers_out_of_range_become_the_nearest_in_it() {
    assert_eq!(go("go depth 0").limits.depth, Some(1));
    assert_eq!(go("go depth -3").limits.depth, Some(1));
    assert_eq!(
        go("go depth 99999999999999999999").limits.depth,
        Some(MAX_DEPTH)
    );
    assert_eq!(go("go nodes 0").limits.nodes, Some(1));
    assert_eq!(
        go("go wtime 99999999999999999999").limits.time.white,
        Some(i64::MAX)
    );
    assert_eq!(
        go("go wtime -99999999999999999999").limits.time.white,
        Some(i64::MIN)
    );
    assert_eq!(go("go movestogo 0").limits.moves_to_go, None);
    assert_eq!(parse("go perft 99999999999"), Command::Perft(u32::MAX));
}

#[test]
fn positions() {
    let start = |line: &str| position(line).expect(line).start;
    assert_eq!(start("position startpos"), Start::Array(518, 518));
    assert_eq!(start("position frc 12"), Start::Array(12, 12));
    assert_eq!(start("position dfrc 12 959"), Start::Array(12, 959));
    assert_eq!(
        start("position dfrc 921599 moves e2e4"),
        Start::Array(959, 959)
    );
    assert_eq!(start("position dfrc 961"), Start::Array(1, 1));
    assert_eq!(
        start("position  fen 8/8/8/8/8/8/8/8\tw - -  moves a1a2"),
        Start::Fen("8/8/8/8/8/8/8/8 w - -".to_owned())
    );
    assert_eq!(
        position("position startpos moves"),
        position("position startpos")
    );
    let moves = position("position startpos moves e2e4 e7e5")
        .expect("a position")
        .moves;
    assert_eq!(moves, ["e2e4", "e7e5"]);
    for line in [
        "position",
        "position hello world",
        "position startpos e2e4",
        "position startpos MOVES e2e4",
        "position frc",
        "position frc 960",
        "position frc -1",
        "position frc x",
        "position dfrc 921600",
        "position dfrc 960 0",
        "position dfrc 1 2 3",
    ] {
        assert!(position(line).is_err(), "{line}");
    }
}

#[test]
fn options_have_names_and_values_with_spaces() {
    let option = |line: &str| match parse(line) {
        Command::SetOption { name, value } => (name, value),
        other => panic!("{line}: {other:?}"),
    };
    let named = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
    assert_eq!(
        option("setoption name Hash value 16"),
        named("Hash", Some("16"))
    );
    assert_eq!(
        option("setoption  NAME move   overhead VALUE\t100 "),
        named("move overhead", Some("100"))
    );
    assert_eq!(
        option("setoption name Clear Hash"),
        named("Clear Hash", None)
    );
    assert_eq!(
        option("setoption name Path value /a  b/c"),
        named("Path", Some("/a  b/c"))
    );
    assert_eq!(
        option("setoption name Hash value "),
        named("Hash", Some(""))
    );
    assert_eq!(Parsed::new("setoption name").command, Command::Unknown);
    assert_eq!(Parsed::new("setoption").command, Command::Unknown);
}

#[test]
fn bench_and_openings() {
    let plan = |depth| bench::Plan {
        depth,
        ..bench::Plan::default()
    };
    assert_eq!(parse("bench"), Command::Bench(plan(12)));
    assert_eq!(parse("bench 9"), Command::Bench(plan(9)));
    assert_eq!(
        parse("bench 16 1 13 default depth"),
        Command::Bench(plan(13))
    );
    assert_eq!(Parsed::new("bench x").command, Command::Unknown);
    let request = |book: Option<&str>| {
        Command::GenFens(genfens::Request {
            count: 5,
            seed: 7,
            book: book.map(str::to_owned),
        })
    };
    assert_eq!(parse("genfens 5 seed 7 book None"), request(None));
    assert_eq!(
        parse("genfens 5 seed 7 book Books/x.epd"),
        request(Some("Books/x.epd"))
    );
    assert_eq!(
        Parsed::new("genfens 5 seed 7 book None extra").command,
        request(None)
    );
    assert_eq!(Parsed::new("genfens many").command, Command::Unknown);
}

#[test]
fn argument_lines_are_recognised() {
    for line in [
        "go depth 3",
        "uci",
        "genfens 5",
        "d",
        "setoption name Hash value 1",
    ] {
        assert!(is_command(line), "{line}");
    }
    for line in ["", "perft", "gone", "helpless"] {
        assert!(!is_command(line), "{line}");
    }
}

#[test]
fn help_lists_every_command_and_limit() {
    assert_eq!(parse("help"), Command::Help);
    let listed: Vec<&str> = HELP.split([' ', '\n', ',', '[', ']', '|']).collect();
    let words = PROTOCOL.into_iter().chain(EXTRAS).chain(GO_WORDS);
    // Registration is for engines that are sold.
    for word in words.filter(|&word| word != "register") {
        assert!(listed.contains(&word), "{word}");
    }
    assert!(HELP.lines().all(|line| line.len() <= 100));
    let note = &Parsed::new("xyzzy").notes[0];
    assert_eq!(note, "unknown command 'xyzzy'; help lists the commands");
}

#[test]
fn a_perft_without_a_depth_is_no_search() {
    for line in [
        "go perft",
        "go perft x",
        "go perft depth 3",
        "go infinite perft",
    ] {
        let parsed = Parsed::new(line);
        assert_eq!(parsed.command, Command::Unknown, "{line}");
        assert_eq!(parsed.notes.len(), 1, "{line}: {:?}", parsed.notes);
    }
}

#[test]
fn a_position_that_is_refused_is_told_what_is_missing() {
    for (line, reason) in [
        (
            "position frc",
            "the number is missing: a start position has a number from 0 to 959",
        ),
        (
            "position frc moves e2e4",
            "the number is missing: a start position has a number from 0 to 959",
        ),
        (
            "position frc 960",
            "'960' is no start position: a start position has a number from 0 to 959",
        ),
        (
            "position dfrc x",
            "'x' is no start position: a start position has a number from 0 to 921599",
        ),
    ] {
        assert_eq!(position(line), Err(reason.to_owned()), "{line}");
    }
}

/// Text that is nearly a command.
fn nearly() -> impl Strategy<Value = String> {
    let words: Vec<&str> = PROTOCOL
        .into_iter()
        .chain(EXTRAS)
        .chain(GO_WORDS)
        .chain([
            "name", "value", "fen", "startpos", "frc", "dfrc", "moves", "e2e4", "w", "-",
        ])
        .chain([
            "O-O",
            "<empty>",
            "0",
            "-1",
            "960",
            "99999999999999999999",
            "\u{feff}",
            "é",
            "\t",
            "book",
            "seed",
        ])
        .collect();
    proptest::collection::vec(proptest::sample::select(words), 0..12)
        .prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_words_are_a_line(line in nearly()) {
        let parsed = Parsed::new(&line);
        prop_assert!(parsed.notes.iter().all(|note| !note.contains(['\n', '\r'])));
        // White space means nothing, but in the value of an option.
        if !line.contains("value") && !line.contains('\u{feff}') {
            let spaced = format!("  {}\t", line.replace(' ', " \t "));
            prop_assert_eq!(Parsed::new(&spaced).command, parsed.command);
        }
    }

    #[test]
    fn the_order_of_limits_does_not_matter(
        (words, shuffled) in proptest::sample::subsequence(LIMITS.to_vec(), 0..LIMITS.len())
            .prop_flat_map(|words| (Just(words.clone()), Just(words).prop_shuffle()))
    ) {
        let line = |words: &[&str]| Parsed::new(&format!("go {}", words.join(" ")));
        prop_assert_eq!(line(&words), line(&shuffled));
    }
}

/// Everything that bounds a search.
const LIMITS: [&str; 11] = [
    "wtime 1",
    "btime -2",
    "winc 3",
    "binc 4",
    "movestogo 5",
    "depth 6",
    "nodes 7",
    "mate 8",
    "movetime 9",
    "ponder",
    "searchmoves e2e4 d2d4",
];
