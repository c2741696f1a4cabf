#!/usr/bin/env python3
"""Zuylen plays Zuylen at Chess960 under the programs that people use, and all that goes wrong counts.

    scripts/clients.py                                  # which there are, and how to get the others
    scripts/clients.py cutechess-cli --games 200 --tc 1+0.01
    scripts/clients.py xboard cutechess --games 2 --tc 10+0.1 --folder /tmp/seen
    scripts/clients.py all

Both engines think on the opponent's time wherever the client knows that. Ends with 1 if a move was
illegal; if a game was lost on time, by a stall or a lost connection, or ended in any way but by the
rules; if a castling was not written king takes rook, or the client noted a move without a score; if
the client complained of the engine or the engine of the client; if no thinking on the opponent's time
was of use; or if games are missing. Castlings are counted, so that one can see that there were some.

A program is looked for in an environment variable of its name ($CUTECHESS_CLI), on the PATH, and in
/usr/games. --folder keeps the games, what the engines recorded, and pictures of the windows.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator

import match
from referee import FAULTS, Side
from screen import PROGRAMS as SCREEN_PROGRAMS
from screen import Screen, wait
from uci_client import ZUYLEN

SCRIPTS = Path(__file__).resolve().parent
CUTECHESS = "build https://github.com/cutechess/cutechess (cmake, qt6-base-dev, libqt6svg6-dev)"
SCREEN = "apt-get install xvfb xdotool imagemagick"
# Seconds that a program may take beyond its clocks: for a game, and for its window to come.
PATIENCE = 60
# No game has so many moves that the increments are worth more than this many of them.
LONG_GAME = 300
# What cutechess-cli says when an engine does what it shouldn't.
CUTECHESS_WARNING = re.compile(
    r"^(Premature|Unexpected|Illegal|Invalid|Failed|Terminating|Writing|Engine .*\(\d+\)|Warning|PV:)"
    r"|doesn't|tried to|forfeits|is not a combo option"
)


@dataclass
class Bout:
    """Games of one client: who plays, how many, how fast, and where everything lies."""

    engine: Path
    games: int
    # Seconds a side has at first, and gets with every move.
    base: float
    increment: float
    concurrency: int
    seed: int
    openings: Path
    folder: Path
    pictures: bool

    def sides(self) -> tuple[Side, Side]:
        """The players, each with its own record."""
        return tuple(
            Side(name, self.engine, {"Debug Log File": str(self.folder / f"{name}.log")})
            for name in ("zuylen-1", "zuylen-2")
        )

    @property
    def pgn(self) -> Path:
        """Where the games go."""
        return self.folder / "games.pgn"

    @property
    def clock(self) -> str:
        """As match.py and cutechess-cli want it."""
        return f"{self.base:g}+{self.increment:g}"

    @property
    def longest_game(self) -> float:
        """Seconds after which a game must be over."""
        return 2 * (self.base + LONG_GAME * self.increment) + PATIENCE


@dataclass
class Client:
    """A program that runs games: what it needs, how to get that, and how it is driven. `play`
    returns complaints, and leaves the games in `bout.pgn` to be counted if `written`."""

    needs: tuple[str, ...]
    get: str
    play: Callable[[Bout], list[str]]
    written: bool = True

    def missing(self) -> list[str]:
        """What it needs and is not there; python-chess replays what was played."""
        needs = dict.fromkeys((*self.needs, "chess"))
        return [name for name in needs if not (find(name) if name != "chess" else has_python_chess())]


def find(program: str) -> str | None:
    """Where a program is."""
    named = os.environ.get(program.upper().replace("-", "_"))
    return named or shutil.which(program, path=f"{os.environ['PATH']}:/usr/games")


def has_python_chess() -> bool:
    """Whether the package `chess` is installed."""
    return importlib.util.find_spec("chess") is not None


def play_cutechess_cli(bout: Bout) -> list[str]:
    """cutechess-cli, two games from each opening with colours exchanged."""
    first, second = bout.sides()
    words = [
        find("cutechess-cli"),
        *match.engine_arguments(first),
        *match.engine_arguments(second),
        "-each", "proto=uci", f"tc={bout.clock}", "ponder",
        "-variant", "fischerandom",
        "-openings", f"file={bout.openings}", "format=epd", "order=sequential",
        "-rounds", str((bout.games + 1) // 2), "-games", "2", "-repeat",
        "-concurrency", str(bout.concurrency), "-recover",
        "-ratinginterval", "20", "-pgnout", str(bout.pgn),
    ]  # fmt: skip
    output = match.run(words, bout.folder / "output.txt", bout.folder, re.compile("^Elo difference"))
    return [line for line in output if CUTECHESS_WARNING.search(line)]


def play_xboard(bout: Bout) -> list[str]:
    """xboard in its window, with polyglot between it and the engines. xboard knows whole seconds at
    first, and polyglot doesn't tell an engine of increments under a second. Moves are not animated:
    that takes 80 ms off the engines' clocks every time."""
    engines = []
    for flag, engine in zip(("-fcp", "-scp"), bout.sides()):
        options = "\n".join(f"{key} = {value}" for key, value in engine.options.items())
        settings = bout.folder / f"{engine.name}.ini"
        settings.write_text(
            f"[PolyGlot]\nEngineCommand = {engine.command}\nEngineName = {engine.name}\n"
            f"[Engine]\n{options}\n",
            "utf-8",
        )
        engines += [flag, f"{find('polyglot')} {settings}"]
    seconds = max(round(bout.base), 1)
    words = [
        find("xboard"),
        "-variant", "fischerandom", *engines, "-mg", str(bout.games), "-ponder", "-autoflag",
        "-tc", f"{seconds // 60}:{seconds % 60:02}", "-inc", f"{bout.increment:g}",
        "-lpf", str(bout.openings), "-lpi", "-2", "-sgf", str(bout.pgn),
        # Debian's own settings name tables that aren't there, and the engine would say so.
        "-egtFormats", "",
        "-xanimate", "-soundProgram", "true", "-saveSettingsFile", str(bout.folder / "xboardrc"), "-xexit",
    ]  # fmt: skip
    with Screen() as screen, running(words, screen, bout) as client:
        if not watch(screen, bout, lambda: client.poll() is not None, bout.games * bout.longest_game):
            return ["xboard doesn't come to an end"]
    return []


def play_cutechess(bout: Bout) -> list[str]:
    """The Cute Chess GUI: its dialog for a new game, once a game."""
    settings = bout.folder / "config" / "cutechess"
    settings.mkdir(parents=True)
    engines = [
        {
            "name": engine.name,
            "command": str(engine.command),
            "protocol": "uci",
            "ponder": True,
            "variants": ["standard", "fischerandom"],
            "initStrings": [f"setoption name {key} value {value}" for key, value in engine.options.items()],
        }
        for engine in bout.sides()
    ]
    (settings / "engines.json").write_text(json.dumps(engines), "utf-8")
    clocks = [
        f"{group}time_control\\moves_per_tc=0\n{group}time_control\\time_per_tc={bout.base * 1000:.0f}\n"
        f"{group}time_control\\increment={bout.increment * 1000:.0f}\n"
        for group in ("", "second_time_control\\")
    ]
    (settings / "cutechess.ini").write_text(
        "[games]\nvariant=fischerandom\npondering=true\n"
        f"default_pgn_output_file={bout.pgn}\n"
        f"opening_suite\\file={bout.openings}\nopening_suite\\random_order=true\n" + "".join(clocks),
        "utf-8",
    )
    with Screen() as screen:
        screen.environment["XDG_CONFIG_HOME"] = str(settings.parent)
        with running([find("cutechess")], screen, bout):
            for game in range(bout.games):
                if not new_game_in_cutechess(screen, second_is_white=game % 2 == 1):
                    return ["Cute Chess doesn't open its window"]
                if not watch(screen, bout, lambda: results(bout.pgn) > game, bout.longest_game):
                    return ["a game in Cute Chess doesn't come to an end"]
    return []


def new_game_in_cutechess(screen: Screen, second_is_white: bool) -> bool:
    """Begins a game between the two engines as a person does; returns whether there was a window."""
    if not screen.wait_for_window(" vs ", PATIENCE):
        return False
    screen.keys("ctrl+n")
    if not screen.wait_for_window("New Game", PATIENCE):
        return False
    # For White and then for Black: from Human down to CPU, on to the list of engines, which shows the
    # first of them, and past the button behind it.
    first, second = ("Down", "Tab", "Tab", "Tab"), ("Down", "Tab", "Down", "Tab", "Tab")
    screen.keys(*(second + first if second_is_white else first + second), "Return")
    return True


def play_fastchess(bout: Bout) -> list[str]:
    """fastchess, by match.py, which minds the faults of one side only."""
    result = bout.folder / "result.json"
    words = ["--engine", bout.engine, "--opponent", bout.engine, "--book", bout.openings, "--tc", bout.clock]
    words += ["--games", bout.games, "--concurrency", bout.concurrency, "--seed", bout.seed, "--json", result]
    complaints = play_script("match.py", words, {"FASTCHESS": find("fastchess")})
    if result.exists():
        for name, faults in json.loads(result.read_text("utf-8"))["faults"].items():
            complaints += [f"{name}: {times} {fault}" for fault, times in faults.items() if times]
    return complaints


def play_python_chess(bout: Bout) -> list[str]:
    """python-chess, by play_python_chess.py, which has openings and clocks of its own."""
    words = ["--engine", bout.engine, "--games", bout.games, "--seed", bout.seed]
    return play_script("play_python_chess.py", words)


def play_script(name: str, words: list[object], environment: dict[str, str] | None = None) -> list[str]:
    """Another script of this folder, which tells what it sees."""
    command = [sys.executable, str(SCRIPTS / name), *map(str, words)]
    code = subprocess.run(command, env={**os.environ, **(environment or {})}).returncode
    return [f"{name} ended with code {code}"] if code else []


CLIENTS = {
    "cutechess-cli": Client(("cutechess-cli",), CUTECHESS, play_cutechess_cli),
    "fastchess": Client(
        ("fastchess",), "build https://github.com/Disservin/fastchess (make)", play_fastchess, written=False
    ),
    "python-chess": Client(("chess",), "pip install chess", play_python_chess, written=False),
    "xboard": Client(
        ("xboard", "polyglot", *SCREEN_PROGRAMS), f"{SCREEN} xboard polyglot", play_xboard
    ),
    "cutechess": Client(("cutechess", *SCREEN_PROGRAMS), f"{CUTECHESS}; {SCREEN}", play_cutechess),
}


@contextmanager
def running(words: list[str], screen: Screen, bout: Bout) -> Iterator[subprocess.Popen]:
    """A program with a window; it and all that it started are gone afterwards."""
    with open(bout.folder / "output.txt", "w", encoding="utf-8") as output:
        process = subprocess.Popen(
            words, env=screen.environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            yield process
        finally:
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            process.wait()


def watch(screen: Screen, bout: Bout, done: Callable[[], bool], timeout: float) -> bool:
    """Waits until something is done, and takes pictures meanwhile; returns whether it was in time."""
    for _ in range(max(round(timeout / 5), 1)):
        if wait(done, 5):
            return True
        if bout.pictures:
            screen.picture(bout.folder / f"picture-{len(list(bout.folder.glob('picture-*'))) + 1:03}.png")
    return False


def results(pgn: Path) -> int:
    """How many games have been written down."""
    return len(re.findall(r'^\[Result "[^*]', pgn.read_text("utf-8"), re.M)) if pgn.exists() else 0


def count(bout: Bout, complaints: list[str]) -> list[str]:
    """Prints what was played; returns all that was wrong with it, with the complaints."""
    from played_games import Record, read_games, read_record  # Needs python-chess.

    games = list(read_games(bout.pgn)) if bout.pgn.exists() else []
    if len(games) < bout.games:
        complaints.append(f"{bout.games - len(games)} games are missing")
    faults: Counter[tuple[str, str]] = Counter(fault for game in games if (fault := game.fault()))
    castlings: Counter[tuple[str, str]] = Counter()
    moves = {side.name: Counter() for side in bout.sides()}
    for game in games:
        if not game.by_rules:
            complaints.append(f"game {game.number}: {game.told()}")
        for color, name in (("White", game.white), ("Black", game.black)):
            castlings[name, color] += game.castlings[name]
            moves.setdefault(name, Counter()).update(game.moves[name])

    print(f"{len(games)} games, {sum(map(Counter.total, moves.values()))} plies")
    for ending, times in Counter(game.told() for game in games).most_common():
        print(f"{times:6} {ending}")
    for side in bout.sides():
        log = Path(side.options["Debug Log File"])
        record = read_record(log) if log.exists() else Record()
        print(
            f"{side.name}: " + ", ".join(f"{faults[side.name, fault]} {fault}" for fault in FAULTS),
            f"castled {castlings[side.name, 'White']} times as White, {castlings[side.name, 'Black']} as Black",
            f"pondered {record.ponders} times, {record.hits} hits",
            sep="; ",
        )
        if strange := moves[side.name] - record.answers:
            complaints.append(f"{side.name} wrote these moves otherwise: {' '.join(strange)}")
        if silent := sum(game.unscored[side.name] for game in games):
            complaints.append(f"{silent} moves of {side.name} are written down without a score")
        if games and not record.hits:
            complaints.append(f"{side.name} never thought on the opponent's time")
        complaints += [f"{side.name} says: {text} ({times} times)" for text, times in record.complaints.items()]
    return complaints


def write_openings(path: Path, book: Path | None, games: int, seed: int) -> None:
    """As many openings as the games need: of the book, or start positions of Chess960."""
    rounds = (games + 1) // 2
    rng = random.Random(seed)
    if book:
        lines = [line for line in book.read_text("utf-8").splitlines() if line.strip()]
    else:
        import chess

        lines = [chess.Board.from_chess960_pos(number).shredder_fen() for number in range(960)]
    rng.shuffle(lines)
    lines = (lines * (rounds // len(lines) + 1))[:rounds]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")


def tell_clients() -> int:
    """Prints which clients there are."""
    for name, client in CLIENTS.items():
        missing = client.missing()
        print(f"{name:14}", f"missing: {', '.join(missing)}; {client.get}" if missing else "ready")
    return 0


def play(name: str, arguments: argparse.Namespace, folder: Path) -> bool:
    """Plays the games of one client; returns whether all was well."""
    client = CLIENTS[name]
    if missing := client.missing():
        print(f"{name}: missing: {', '.join(missing)}; {client.get}")
        return False
    base, _, increment = arguments.tc.partition("+")
    bout = Bout(
        engine=Path(arguments.engine).resolve(),
        games=arguments.games,
        base=float(base),
        increment=float(increment or 0),
        concurrency=arguments.concurrency,
        seed=arguments.seed,
        openings=folder / "openings.epd",
        folder=folder,
        pictures=arguments.folder is not None,
    )
    write_openings(bout.openings, arguments.book, bout.games, bout.seed)
    print(f"\n{name}:", flush=True)
    complaints = client.play(bout)
    if client.written:
        complaints = count(bout, complaints)
    for complaint in complaints:
        print(f"{name}: {complaint}")
    print(f"{name}: {len(complaints)} complaints" if complaints else f"{name}: all is well", flush=True)
    return not complaints


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=f"all, or of {', '.join(CLIENTS)}")
    parser.add_argument("--engine", default=str(ZUYLEN), help="the program")
    parser.add_argument("--games", type=int, default=4, help="games under each client")
    parser.add_argument("--tc", default="10+0.1", help="seconds+increment for each side")
    parser.add_argument("--concurrency", type=int, default=1, help="games at a time, if the client can")
    parser.add_argument("--book", type=Path, help="openings, one EPD or FEN a line; else start positions")
    parser.add_argument("--seed", type=int, default=960, help="chooses the openings")
    parser.add_argument("--folder", type=Path, help="keep everything here, a folder for each client")
    arguments = parser.parse_args()

    if not arguments.clients:
        return tell_clients()
    if not os.access(arguments.engine, os.X_OK):
        sys.exit(f"{arguments.engine} is no program")
    names = list(CLIENTS) if arguments.clients == ["all"] else arguments.clients
    if unknown := [name for name in names if name not in CLIENTS]:
        sys.exit(f"no client {', '.join(unknown)}; there are {', '.join(CLIENTS)}")
    well = True
    for name in names:
        if arguments.folder:
            folder = arguments.folder.resolve() / name
            folder.mkdir(parents=True)
            well &= play(name, arguments, folder)
        else:
            with tempfile.TemporaryDirectory() as folder:
                well &= play(name, arguments, Path(folder))
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
