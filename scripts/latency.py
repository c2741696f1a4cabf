#!/usr/bin/env python3
"""How fast the engine answers while all its threads search, and whether it rests when idle.

    scripts/latency.py                          # 1,000 stops each with 1 and with 16 threads
    scripts/latency.py --threads 16 --stops 50

For each number of threads: the time from `stop` to `bestmove` over many random moments of `go
infinite`, in games that the engine plays with itself from random Chess960 openings; the time from
`isready` to `readyok` in such searches; processor time while idle. Then processor time while an
answer waits after the end of the tree, and `isready` after Hash 4096. Run it on a machine that does
nothing else.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time

from uci_client import MIDDLEGAMES, ZUYLEN, Engine

# The longest game, in plies; then another one begins.
LONGEST_GAME = 120
# What is thought slow, in seconds.
SLOW_ANSWER = 0.05
SLOW_ALLOCATION = 5
# What is thought busy, as a share of a core, when nothing is to be done.
BUSY = 0.005


def shown(seconds: list[float]) -> str:
    """Median, 99th percentile and greatest in milliseconds."""
    percentile = statistics.quantiles(seconds, n=100, method="inclusive")[98]
    parts = [
        f"{name} {1000 * value:.2f} ms"
        for name, value in (
            ("median", statistics.median(seconds)),
            ("99th percentile", percentile),
            ("greatest", max(seconds)),
        )
    ]
    return ", ".join(parts)


def idle_share(engine: Engine, seconds: float) -> float:
    """Processor time of the engine as a share of real time, while nothing is asked of it."""
    before = engine.processor_seconds()
    time.sleep(seconds)
    return (engine.processor_seconds() - before) / seconds


def opening(engine: Engine, seed: int) -> str:
    """A random Chess960 opening in FEN, the same for the same seed."""
    word = "info string genfens "
    engine.send(f"genfens 1 seed {seed} book None")
    line = engine.read_until(lambda text: text.startswith(word), 60)[-1]
    return line.text.removeprefix(word)


def stops(engine: Engine, count: int, longest: float, rng: random.Random) -> list[float]:
    """Seconds from `stop` to `bestmove`, `count` times, each after a random while of at most
    `longest` seconds. What is answered is played, so that all phases of the game are met."""
    taken = []
    while len(taken) < count:
        start = opening(engine, rng.getrandbits(32))
        engine.new_game()
        moves: list[str] = []
        while len(taken) < count and len(moves) < LONGEST_GAME:
            engine.position(start, moves)
            engine.send("go infinite")
            time.sleep(rng.uniform(0, longest))
            sent = engine.send("stop")
            answer = engine.read_until("bestmove", 60)[-1]
            move = answer.text.split()[1]
            if move == "(none)":
                break
            taken.append(answer.at - sent)
            moves.append(move)
    return taken


def measure(arguments: argparse.Namespace, threads: int) -> bool:
    """Measures and prints what so many threads do; whether none of it is slow."""
    rng = random.Random(arguments.seed)
    ready = []
    options = {"Hash": 64, "Threads": threads, "UCI_Chess960": True}
    with Engine(arguments.engine, options) as engine:
        time.sleep(0.5)  # what starting took is not idling
        before = idle_share(engine, 3)
        for turn in range(arguments.rounds):
            engine.position(MIDDLEGAMES[turn % len(MIDDLEGAMES)])
            engine.send("go infinite")
            time.sleep(0.3)
            ready.append(engine.wait_ready())
            engine.send("stop")
            engine.read_until("bestmove", 60)
        stopped = stops(engine, arguments.stops, arguments.longest / 1000, rng)
        after = idle_share(engine, 3)
    print(f"{threads} threads, {len(stopped)} stops: {shown(stopped)}")
    print(f"{threads} threads, {len(ready)} times isready: {shown(ready)}")
    print(f"{threads} threads, idle: {100 * before:.2f}% at first, {100 * after:.2f}% after searches", flush=True)
    return max(ready + stopped) <= SLOW_ANSWER and max(before, after) <= BUSY


def rest_of_the_tree(arguments: argparse.Namespace, threads: int) -> bool:
    """Measures and prints the rest; whether none of it is slow."""
    options = {"Hash": 64, "Threads": threads}
    with Engine(arguments.engine, options) as engine:
        # A mate in a few moves: the search soon comes to its greatest depth and has to wait.
        engine.position("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1")
        engine.send("go infinite")
        time.sleep(3)
        finished = idle_share(engine, 3)
        engine.send("stop")
        engine.read_until("bestmove", 60)
        engine.set("Hash", arguments.hash)
        allocated = engine.wait_ready()
    print(f"processor time in 'go infinite' when the search has come to its end: {100 * finished:.2f}%")
    print(f"isready after Hash {arguments.hash}: {allocated:.2f} s")
    return allocated <= SLOW_ALLOCATION


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=str(ZUYLEN), help="the program")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--stops", type=int, default=1000, help="for each number of threads, at least 2")
    parser.add_argument("--longest", type=float, default=300, help="ms until a stop, at most")
    parser.add_argument("--rounds", type=int, default=20, help="of isready, at least 2")
    parser.add_argument("--hash", type=int, default=4096, help="MiB for the last measurement")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if min(arguments.stops, arguments.rounds) < 2:
        parser.error("a percentile needs two measurements")

    quick = [measure(arguments, threads) for threads in arguments.threads]
    quick.append(rest_of_the_tree(arguments, max(arguments.threads)))
    return 0 if all(quick) else 1


if __name__ == "__main__":
    sys.exit(main())
