#!/usr/bin/env python3
"""What a second thread is worth.

First: nodes of one process with two threads against two processes with one thread each, at the same
time. Then: time to a depth with one and with two threads, over positions where one thread takes at
least two seconds. Both are medians; run it on an otherwise idle machine with two cores or more.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading

from uci_client import MIDDLEGAMES, ROOT, ZUYLEN, Engine, number


def speed_ratio(program: str, fen: str, movetime: int) -> float:
    """Nodes a second of two threads divided by those of two processes."""
    with Engine(program, {"Hash": 256, "Threads": 2, "UCI_Chess960": True}) as engine:
        engine.position(fen)
        together = engine.go(f"movetime {movetime}").speed()

    apart = [0.0, 0.0]
    single = {"Hash": 128, "Threads": 1, "UCI_Chess960": True}
    with Engine(program, single) as one, Engine(program, single) as two:

        def search(index: int, engine: Engine) -> None:
            apart[index] = engine.go(f"movetime {movetime}").speed()

        for engine in (one, two):
            engine.position(fen)
        threads = [
            threading.Thread(target=search, args=(index, engine))
            for index, engine in enumerate((one, two))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return together / sum(apart)


def time_to_depth(engine: Engine, fen: str, depth: int) -> float:
    """Seconds of a search from an empty table."""
    engine.new_game()
    engine.position(fen)
    return engine.go(f"depth {depth}", timeout=600).seconds


def suitable_depth(engine: Engine, fen: str, least: float, most: float) -> tuple[int, float] | None:
    """The first depth that takes one thread `least` seconds, and how long it took; none if that
    depth takes more than `most`."""
    engine.new_game()
    engine.position(fen)
    for line in engine.go(f"movetime {int(1000 * most)}", timeout=600).infos:
        depth, milliseconds = number(line, "depth"), number(line, "time")
        if depth is None or milliseconds is None or "bound" in line or " pv " not in line:
            continue
        if milliseconds >= 1000 * least:
            return depth, time_to_depth(engine, fen, depth)
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=str(ZUYLEN), help="the program")
    parser.add_argument("--positions", type=int, default=20, help="positions for the time to depth")
    parser.add_argument("--book", default=str(ROOT / "src" / "tools" / "bench.epd"))
    parser.add_argument("--movetime", type=int, default=3000, help="ms a search for the nodes")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of the nodes")
    parser.add_argument("--least", type=float, default=2.0, help="seconds one thread must take")
    arguments = parser.parse_args()

    ratios = []
    for fen in MIDDLEGAMES:
        for _ in range(arguments.rounds):
            ratios.append(speed_ratio(arguments.engine, fen, arguments.movetime))
            print(f"nodes {ratios[-1]:.3f}  {fen}", flush=True)

    with open(arguments.book, encoding="ascii") as book:
        fens = [line.strip() for line in book if line.strip() and not line.startswith("#")]
    options = {"Hash": 256, "UCI_Chess960": True}
    times = []
    one_thread = {**options, "Threads": 1}
    two_threads = {**options, "Threads": 2}
    with Engine(arguments.engine, one_thread) as one, Engine(arguments.engine, two_threads) as two:
        for fen in fens:
            if len(times) >= arguments.positions:
                break
            found = suitable_depth(one, fen, arguments.least, 5 * arguments.least)
            if found is None or found[1] < arguments.least:
                continue
            depth, alone = found
            both = time_to_depth(two, fen, depth)
            times.append(both / alone)
            print(f"depth {depth:2}: {alone:6.2f} s, {both:6.2f} s  {times[-1]:.3f}  {fen}", flush=True)

    print(f"nodes of two threads / of two processes: median {statistics.median(ratios):.3f}")
    if not times:
        print("no position took one thread long enough")
        return 1
    print(
        f"time to depth of two threads / of one: median {statistics.median(times):.3f} "
        f"over {len(times)} positions"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
