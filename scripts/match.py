#!/usr/bin/env python3
"""Plays a match of two engines under fastchess and says how it went.

    scripts/match.py --opponent ethereal --tc 4+0.04 --games 100 --book frc-960.epd
    scripts/match.py --opponent path/to/older/zuylen --nodes 5000 --games 1000 --sprt 0 5

The subject is target/release/zuylen unless --engine names another. Prints the score, the Elo
difference with its 95% error bar, and what went wrong on either side. Ends with 1 if the subject
made an illegal move, lost on time, disconnected, stalled or sent a wrong PV.

fastchess is looked for in $FASTCHESS, then on the PATH.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from uci_client import ZUYLEN

# Engines whose defaults don't suit a match: what to run and what to set.
PRESETS: dict[str, tuple[str, dict[str, str]]] = {
    "glaurung": ("/usr/games/glaurung", {"Threads": "1", "Ponder": "false", "OwnBook": "false"}),
    "ethereal": ("/usr/games/ethereal-chess", {"MoveOverhead": "30"}),
    "stockfish": ("/usr/games/stockfish", {"Move Overhead": "30"}),
}

# How fastchess says that a game ended by a fault of the colour in front.
GAME_FAULTS = {
    "illegal moves": "makes an illegal move",
    "time losses": "loses on time",
    "disconnects": "disconnects",
    "stalls": "connection stalls",
}
# Its warnings about what an engine sends, and all others that name the engine.
PV_WARNING = re.compile(r"Warning; (.*\bPV\b.*|Sign mismatch .*)")


def engine_arguments(name: str, command: str, options: dict[str, str]) -> list[str]:
    """fastchess's arguments for one engine."""
    path = shutil.which(command) or str(Path(command).resolve())
    if not os.access(path, os.X_OK):
        sys.exit(f"{command} is no program")
    settings = [f"option.{key}={value}" for key, value in options.items()]
    return ["-engine", f"cmd={path}", f"name={name}", *settings]


def elo(wins: int, draws: int, losses: int, pairs: list[float]) -> str:
    """The Elo difference and its 95% error bar, from pairs of games on the same opening."""
    games = wins + draws + losses
    if games == 0:
        return "no games"
    mean = (wins + draws / 2) / games
    samples = pairs or [1.0] * wins + [0.5] * draws + [0.0] * losses
    variance = sum((sample - mean) ** 2 for sample in samples) / max(len(samples) - 1, 1)
    error = 1.96 * math.sqrt(variance / len(samples))

    def difference(score: float) -> float:
        score = min(max(score, 1e-4), 1 - 1e-4)
        return -400 * math.log10(1 / score - 1)

    if variance == 0 and mean in (0, 1):
        return f"score {100 * mean:.0f}%, too one-sided for a difference"
    bar = (difference(mean + error) - difference(mean - error)) / 2
    return f"Elo {difference(mean):+.1f} +/- {bar:.1f}, score {100 * mean:.1f}% +/- {100 * error:.1f}%"


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
    parser.add_argument("--book", required=True, type=Path, help="openings, one EPD or FEN a line")
    parser.add_argument("--standard", action="store_true", help="ordinary chess, not Chess960")
    parser.add_argument("--hash", type=int, default=16, help="MiB for each side")
    parser.add_argument("--threads", type=int, default=1, help="threads for each side")
    parser.add_argument("--concurrency", type=int, default=2, help="games at a time")
    parser.add_argument("--margin", type=int, default=0, help="ms over the limit that are forgiven")
    parser.add_argument("--sprt", nargs=2, type=float, metavar=("ELO0", "ELO1"), help="stop when decided")
    parser.add_argument("--mate-pvs", action="store_true", help="warn of mate PVs that don't mate")
    parser.add_argument("--option", action="append", default=[], help="NAME=VALUE for the subject")
    parser.add_argument("--opponent-option", action="append", default=[], help="NAME=VALUE")
    parser.add_argument("--seed", type=int, default=1, help="order of the openings")
    parser.add_argument("--pgn", type=Path, help="keep the games here")
    parser.add_argument("--log", type=Path, help="keep fastchess's output here")
    arguments = parser.parse_args()

    fastchess = os.environ.get("FASTCHESS") or shutil.which("fastchess")
    if not fastchess:
        sys.exit("fastchess is neither in $FASTCHESS nor on the PATH")
    if not arguments.book.is_file():
        sys.exit(f"no book {arguments.book}")
    limits = [
        f"{key}={value}"
        for key, value in (("tc", arguments.tc), ("st", arguments.st), ("nodes", arguments.nodes))
        if value is not None
    ]
    if not limits:
        sys.exit("one of --tc, --st, --nodes is needed")

    command, preset = PRESETS.get(arguments.opponent, (arguments.opponent, {}))
    rival = arguments.opponent_name or Path(command).stem
    subject = arguments.name
    if rival == subject:
        rival += "-opponent"
    common = {"Hash": str(arguments.hash), "Threads": str(arguments.threads)}
    own = {**common, **parse_options(arguments.option)}
    other = {**common, **preset, **parse_options(arguments.opponent_option)}
    other["Threads"] = str(arguments.threads)

    with tempfile.TemporaryDirectory() as scratch:
        words = [
            fastchess,
            *engine_arguments(subject, arguments.engine, own),
            *engine_arguments(rival, command, other),
            "-each", *limits, f"timemargin={arguments.margin}",
            "-openings", f"file={arguments.book.resolve()}", "format=epd", "order=random",
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

    return report(output, subject, rival)


def run(words: list[str], log: Path | None, scratch: str) -> list[str]:
    """Runs fastchess, showing its progress; returns all it said, without colours."""
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
        if line.startswith(("Elo:", "LLR:", "Games:")) or "Warning" in line or "SPRT" in line:
            print(line, flush=True)
    if sink:
        sink.close()
    if process.wait() != 0:
        print("\n".join(output[-20:]))
        sys.exit(f"fastchess ended with code {process.returncode}")
    return output


def report(output: list[str], subject: str, rival: str) -> int:
    """Prints what the match came to; returns the exit code."""
    points = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
    endings: Counter[str] = Counter()
    faults = {name: Counter() for name in (subject, rival)}
    results: dict[int, float] = {}
    finished = re.compile(r"Finished game (\d+) \((.+) vs (.+)\): (\S+) \{(.*)\}")
    for line in output:
        if warning := PV_WARNING.search(line):
            for name in faults:
                faults[name]["PV warnings"] += bool(re.search(rf"from {re.escape(name)}\b", warning[1]))
            continue
        found = finished.search(line)
        if not found:
            continue
        number, white, black, result, ending = found.groups()
        ending = re.sub(r" \(.*\)", "", ending)
        for color, name in (("White", white), ("Black", black)):
            for fault, words in GAME_FAULTS.items():
                faults[name][fault] += ending.startswith(color) and words in ending
            ending = ending.replace(color, name)
        endings[ending] += 1
        if result in points:
            results[int(number)] = points[result] if white == subject else 1 - points[result]

    wins = sum(score == 1 for score in results.values())
    losses = sum(score == 0 for score in results.values())
    draws = len(results) - wins - losses
    pairs = [
        (score + results[game + 1]) / 2
        for game, score in results.items()
        if game % 2 == 1 and game + 1 in results
    ]
    print(f"\n{subject} against {rival}: {len(results)} games,", end=" ")
    print(f"{wins} won, {draws} drawn, {losses} lost")
    print(elo(wins, draws, losses, pairs))
    for ending, count in endings.most_common():
        print(f"{count:6} {ending}")
    for name, counts in faults.items():
        kinds = [*GAME_FAULTS, "PV warnings"]
        print(f"{name}: " + ", ".join(f"{counts[kind]} {kind}" for kind in kinds))
    if not results:
        print("no game was finished")
    return 1 if faults[subject].total() or not results else 0


if __name__ == "__main__":
    sys.exit(main())
