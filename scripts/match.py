#!/usr/bin/env python3
"""Plays a match of two engines and says how it went.

    scripts/match.py --opponent path/to/older/zuylen --nodes 5000 --games 1000
    scripts/match.py --opponent ethereal --tc 4+0.04 --games 100 --book frc-960.epd

The subject is target/release/zuylen unless --engine names another. Prints the score, the Elo
difference with its 95% error bar, and what went wrong on either side. Ends with 1 if the subject
made an illegal move, lost on time, disconnected, stalled or sent a wrong PV.

Without --book the subject, a Zuylen, makes random openings: double Fischer random, Chess960 and
ordinary chess, or with --standard ordinary chess alone.

fastchess (https://github.com/Disservin/fastchess; `make` there builds it) is looked for in
$FASTCHESS, then on the PATH. Without it, a match at fixed nodes is played all the same, by
referee.py; a match by the clock is not.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import referee
from referee import FAULTS, Game, Side
from uci_client import ZUYLEN, EngineError, random_openings

# Engines whose defaults don't suit a match: what to run and what to set.
PRESETS: dict[str, tuple[str, dict[str, str]]] = {
    "glaurung": ("/usr/games/glaurung", {"Threads": "1", "Ponder": "false", "OwnBook": "false"}),
    "ethereal": ("/usr/games/ethereal-chess", {"MoveOverhead": "30"}),
    "stockfish": ("/usr/games/stockfish", {"Move Overhead": "30"}),
}

# Where random openings of ordinary chess begin.
STARTPOS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
# The warnings of fastchess about what an engine sends.
PV_WARNING = re.compile(r"Warning; (.*\bPV\b.*|Sign mismatch .*)")
# Its lines that are shown as they come.
PROGRESS = re.compile("^(Elo:|LLR:|Games:)|Warning|SPRT")


@dataclass
class Score:
    """What a match came to. Bars are for 95%; scores are shares of the points, 0 to 1."""

    won: int
    drawn: int
    lost: int
    score: float
    score_bar: float
    # None if it is too one-sided for a difference.
    elo: float | None
    elo_bar: float | None

    def __str__(self) -> str:
        share = f"score {100 * self.score:.1f}% +/- {100 * self.score_bar:.1f}%"
        if self.elo is None:
            return f"{share}, too one-sided for an Elo difference"
        return f"Elo {self.elo:+.1f} +/- {self.elo_bar:.1f}, {share}"


def side(name: str, command: str, options: dict[str, str]) -> Side:
    """An engine that is there."""
    path = shutil.which(command) or str(Path(command).resolve())
    if not os.access(path, os.X_OK):
        sys.exit(f"{command} is no program")
    return Side(name, Path(path), options)


def engine_arguments(engine: Side) -> list[str]:
    """fastchess's arguments for one engine."""
    settings = [f"option.{key}={value}" for key, value in engine.options.items()]
    return ["-engine", f"cmd={engine.command}", f"name={engine.name}", *settings]


def evaluate(results: dict[int, float]) -> Score:
    """What the subject's points come to, by the number of the game. Its error is that of pairs of
    games on the same opening, which are alike."""
    points = list(results.values())
    won, lost = points.count(1.0), points.count(0.0)
    mean = sum(points) / len(points)
    pairs = [
        (score + results[game + 1]) / 2
        for game, score in results.items()
        if game % 2 == 1 and game + 1 in results
    ]
    samples = pairs or points
    variance = sum((sample - mean) ** 2 for sample in samples) / max(len(samples) - 1, 1)
    bar = 1.96 * math.sqrt(variance / len(samples))

    def difference(score: float) -> float:
        score = min(max(score, 1e-4), 1 - 1e-4)
        return -400 * math.log10(1 / score - 1)

    elo = elo_bar = None
    if 0 < mean < 1:
        elo = difference(mean) + 0.0  # No "-0.0".
        elo_bar = (difference(mean + bar) - difference(mean - bar)) / 2
    return Score(won, len(points) - won - lost, lost, mean, bar, elo, elo_bar)


def parse_options(words: list[str]) -> dict[str, str]:
    """Options given as NAME=VALUE."""
    return dict(word.split("=", 1) for word in words)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", default=str(ZUYLEN), help="the subject's program")
    parser.add_argument("--name", default="zuylen", help="the subject's name")
    parser.add_argument("--opponent", required=True, help=f"a program or one of {', '.join(PRESETS)}")
    parser.add_argument("--opponent-name", help="the opponent's name; from its program if left out")
    parser.add_argument("--tc", help="clock as seconds+increment, such as 4+0.04")
    parser.add_argument("--st", help="seconds a move")
    parser.add_argument("--nodes", type=int, help="nodes a move")
    parser.add_argument("--games", type=int, default=100, help="games; colours are exchanged in pairs")
    parser.add_argument("--book", type=Path, help="openings, one EPD or FEN a line; else random ones")
    parser.add_argument("--standard", action="store_true", help="ordinary chess, not Chess960")
    parser.add_argument("--hash", type=int, default=16, help="MiB for each side")
    parser.add_argument("--threads", type=int, default=1, help="threads for each side")
    parser.add_argument("--concurrency", type=int, default=2, help="games at a time")
    parser.add_argument("--margin", type=int, default=0, help="ms over the limit that are forgiven")
    parser.add_argument("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"), help="stop when decided")
    parser.add_argument("--mate-pvs", action="store_true", help="warn of mate PVs that don't mate")
    parser.add_argument("--option", action="append", default=[], help="NAME=VALUE for the subject")
    parser.add_argument("--opponent-option", action="append", default=[], help="NAME=VALUE")
    parser.add_argument("--seed", type=int, default=1, help="order of the openings, or what they are")
    parser.add_argument("--pgn", type=Path, help="keep the games here")
    parser.add_argument("--log", type=Path, help="keep fastchess's output here")
    parser.add_argument("--json", type=Path, help="keep what came out here")
    arguments = parser.parse_args()

    fastchess = os.environ.get("FASTCHESS") or shutil.which("fastchess")
    if arguments.book and not arguments.book.is_file():
        sys.exit(f"no book {arguments.book}; without --book the openings are random")
    limits = [
        f"{key}={value}"
        for key, value in (("tc", arguments.tc), ("st", arguments.st), ("nodes", arguments.nodes))
        if value is not None
    ]
    if not limits:
        sys.exit("one of --tc, --st, --nodes is needed")

    command, preset = PRESETS.get(arguments.opponent, (arguments.opponent, {}))
    rival_name = arguments.opponent_name or Path(command).stem
    if rival_name == arguments.name:
        rival_name += "-opponent"
    common = {"Hash": str(arguments.hash), "Threads": str(arguments.threads)}
    own = {**common, **parse_options(arguments.option)}
    other = {**common, **preset, **parse_options(arguments.opponent_option)}
    other["Threads"] = str(arguments.threads)
    subject = side(arguments.name, arguments.engine, own)
    rival = side(rival_name, command, other)

    with tempfile.TemporaryDirectory() as scratch:
        book = arguments.book or random_book(arguments, subject, Path(scratch))
        if fastchess:
            games, warnings = play_fastchess(fastchess, arguments, book, limits, subject, rival)
        else:
            games, warnings = play_here(arguments, book, subject, rival), None
    return report(arguments, limits, games, warnings)


def random_book(arguments: argparse.Namespace, subject: Side, folder: Path) -> Path:
    """As many random openings as the match needs."""
    book, start = folder / "openings.epd", folder / "start.epd"
    start.write_text(f"{STARTPOS}\n", "utf-8")
    rounds = (arguments.games + 1) // 2
    try:
        openings = random_openings(
            subject.command, rounds, arguments.seed, start if arguments.standard else None
        )
    except EngineError as error:
        sys.exit(f"{error}; --book names a file of them")
    book.write_text("".join(f"{opening}\n" for opening in openings), "utf-8")
    return book


def play_fastchess(
    fastchess: str,
    arguments: argparse.Namespace,
    book: Path,
    limits: list[str],
    subject: Side,
    rival: Side,
) -> tuple[list[Game], list[str]]:
    """Plays under fastchess; returns the games and what it warned of."""
    with tempfile.TemporaryDirectory() as scratch:
        words = [
            fastchess,
            *engine_arguments(subject),
            *engine_arguments(rival),
            "-each", *limits, f"timemargin={arguments.margin}",
            "-openings", f"file={book.resolve()}", "format=epd", "order=random",
            "-srand", str(arguments.seed),
            "-variant", "standard" if arguments.standard else "fischerandom",
            "-rounds", str((arguments.games + 1) // 2), "-games", "2", "-repeat",
            "-concurrency", str(arguments.concurrency), "-force-concurrency",
            "-recover", "-autosaveinterval", "0",
            "-config", f"outname={scratch}/config.json",
        ]  # fmt: skip
        if arguments.mate_pvs:
            words.append("-check-mate-pvs")
        if arguments.sprt:
            low, high = arguments.sprt
            words += ["-sprt", f"elo0={low}", f"elo1={high}", "alpha=0.05", "beta=0.05"]
        if arguments.pgn:
            words += ["-pgnout", f"file={arguments.pgn.resolve()}", "nodes=true", "append=false"]
        output = run(words, arguments.log, scratch)
    finished = re.compile(r"Finished game (\d+) \((.+) vs (.+)\): (\S+) \{(.*)\}")
    found = (finished.search(line) for line in output)
    games = [Game(int(game[1]), *game.groups()[1:]) for game in found if game]
    return games, [warning[1] for line in output if (warning := PV_WARNING.search(line))]


def play_here(arguments: argparse.Namespace, book: Path, subject: Side, rival: Side) -> list[Game]:
    """Plays by referee.py, which knows no clocks and writes no games down."""
    unknown = ("tc", "st", "sprt", "pgn", "log", "mate_pvs", "standard")
    if wanted := [f"--{name.replace('_', '-')}" for name in unknown if getattr(arguments, name)]:
        sys.exit(
            f"fastchess is neither in $FASTCHESS nor on the PATH, and {' '.join(wanted)} needs it: "
            "get it from https://github.com/Disservin/fastchess"
        )
    print("no fastchess: referee.py plays", flush=True)
    openings = [line for line in book.read_text("utf-8").splitlines() if line.strip()]
    if not openings:
        sys.exit(f"{book} holds no openings")
    random.Random(arguments.seed).shuffle(openings)
    rounds = (arguments.games + 1) // 2
    openings = (openings * (rounds // len(openings) + 1))[:rounds]
    done = Counter()

    def tell(game: Game) -> None:
        done["games"] += 1
        if done["games"] % 20 == 0 or done["games"] == 2 * rounds:
            print(f"{done['games']} of {2 * rounds} games", flush=True)

    try:
        return referee.play((subject, rival), openings, arguments.nodes, arguments.concurrency, tell)
    except EngineError as error:
        sys.exit(str(error))


def run(
    words: list[str], log: Path | None, scratch: str | Path, progress: re.Pattern[str] = PROGRESS
) -> list[str]:
    """Runs a program that plays matches, showing its progress; returns all it said, without colours."""
    print(" ".join(words), flush=True)
    output = []
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", cwd=scratch
    )
    sink = open(log, "w", encoding="utf-8") if log else None
    for line in process.stdout:
        line = re.sub(r"\x1b\[[0-9;]*m", "", line.rstrip())
        output.append(line)
        if sink:
            print(line, file=sink, flush=True)
        if progress.search(line):
            print(line, flush=True)
    if sink:
        sink.close()
    if process.wait() != 0:
        print("\n".join(output[-20:]))
        sys.exit(f"{Path(words[0]).name} ended with code {process.returncode}")
    return output


def report(
    arguments: argparse.Namespace, limits: list[str], games: list[Game], warnings: list[str] | None
) -> int:
    """Prints what the match came to; returns the exit code. `warnings` are of wrong variations, if
    somebody looked for them."""
    points = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
    subject = arguments.name
    names = sorted({name for game in games for name in (game.white, game.black)}, key=lambda n: n != subject)
    faults = {name: dict.fromkeys(FAULTS, 0) for name in names}
    endings: Counter[str] = Counter()
    results: dict[int, float] = {}
    for game in games:
        endings[game.told()] += 1
        if fault := game.fault():
            name, kind = fault
            faults[name][kind] += 1
        if game.result in points:
            value = points[game.result]
            results[game.number] = value if game.white == subject else 1 - value
    if warnings is not None:
        for name in names:
            of_name = re.compile(rf"from {re.escape(name)}\b")
            faults[name]["PV warnings"] = sum(bool(of_name.search(warning)) for warning in warnings)
    if not results:
        print("no game was finished")
        return 1

    score = evaluate(results)
    print(f"\n{' against '.join(names)}: {len(results)} games,", end=" ")
    print(f"{score.won} won, {score.drawn} drawn, {score.lost} lost")
    print(score)
    for ending, count in endings.most_common():
        print(f"{count:6} {ending}")
    for name, counts in faults.items():
        print(f"{name}: " + ", ".join(f"{count} {fault}" for fault, count in counts.items()))
    if arguments.json:
        whole = {
            "limits": limits,
            "hash": arguments.hash,
            "threads": arguments.threads,
            "book": str(arguments.book or "random openings"),
            "games": len(results),
            **asdict(score),
            "endings": endings,
            "faults": faults,
        }
        arguments.json.write_text(json.dumps(whole, indent=2) + "\n", "utf-8")
    return 1 if any(faults[subject].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
