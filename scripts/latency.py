#!/usr/bin/env python3
"""How fast the engine answers while all its threads search, and whether it rests when idle.

Measures `isready` and `stop` during `go infinite` (median and greatest), processor time while idle
and while it waits after the end of an infinite search, and `isready` after Hash 4096.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

from uci_client import MIDDLEGAMES, ZUYLEN, Engine


def shown(seconds: list[float]) -> str:
    """Median and greatest in milliseconds."""
    return f"median {1000 * statistics.median(seconds):.1f} ms, greatest {1000 * max(seconds):.1f} ms"


def idle_share(engine: Engine, seconds: float) -> float:
    """Processor time of the engine as a share of real time, while nothing is asked of it."""
    before = engine.processor_seconds()
    time.sleep(seconds)
    return (engine.processor_seconds() - before) / seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=str(ZUYLEN), help="the program")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--hash", type=int, default=4096, help="MiB for the last measurement")
    arguments = parser.parse_args()

    ready: list[float] = []
    stopped: list[float] = []
    options = {"Hash": 64, "Threads": arguments.threads, "UCI_Chess960": True}
    with Engine(arguments.engine, options) as engine:
        time.sleep(0.5)  # what starting took is not idling
        before = idle_share(engine, 3)
        for turn in range(arguments.rounds):
            engine.position(MIDDLEGAMES[turn % len(MIDDLEGAMES)])
            engine.send("go infinite")
            time.sleep(0.3)
            ready.append(engine.wait_ready())
            sent = engine.send("stop")
            stopped.append(engine.read_until("bestmove", 60)[-1].at - sent)
        after = idle_share(engine, 3)

        # A mate in a few moves: the search soon comes to its greatest depth and has to wait.
        engine.position("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1")
        engine.send("go infinite")
        time.sleep(3)
        finished = idle_share(engine, 3)
        engine.send("stop")
        engine.read_until("bestmove", 60)

        engine.set("Hash", arguments.hash)
        allocated = engine.wait_ready()

    print(f"isready in a search on {arguments.threads} threads: {shown(ready)}")
    print(f"stop in a search on {arguments.threads} threads: {shown(stopped)}")
    print(f"processor time when idle: {100 * before:.2f}% at first, {100 * after:.2f}% after searches")
    print(f"processor time in 'go infinite' when the search has come to its end: {100 * finished:.2f}%")
    print(f"isready after Hash {arguments.hash}: {allocated:.2f} s")
    slow = max(ready) > 0.05 or max(stopped) > 0.05 or allocated > 5
    return 1 if slow or max(before, after) > 0.005 else 0


if __name__ == "__main__":
    sys.exit(main())
