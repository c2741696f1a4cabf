#!/usr/bin/env python3
"""What more threads are worth.

    scripts/smp.py                      # two threads
    scripts/smp.py --threads 4 8 16     # on a machine that has the cores

First: nodes of one process with so many threads against as many processes with one thread each, at
the same time. Then: time to a depth with so many threads and with one, over positions where one
thread takes at least two seconds (--least). Both are medians; run it on an otherwise idle machine
with as many cores.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from uci_client import MIDDLEGAMES, ROOT, ZUYLEN, Engine, number


def speed_ratio(program: str, fen: str, threads: int, movetime: int) -> tuple[float, float]:
    """Nodes a second of one process with so many threads, and of as many processes with one."""
    with Engine(program, {"Hash": 128 * threads, "Threads": threads, "UCI_Chess960": True}) as engine:
        engine.position(fen)
        together = engine.go(f"movetime {movetime}").speed()

    single = {"Hash": 128, "Threads": 1, "UCI_Chess960": True}
    with ExitStack() as stack:
        engines = [stack.enter_context(Engine(program, single)) for _ in range(threads)]
        for engine in engines:
            engine.position(fen)
        with ThreadPoolExecutor(threads) as pool:
            apart = sum(pool.map(lambda engine: engine.go(f"movetime {movetime}").speed(), engines))
    return together, apart


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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", default=str(ZUYLEN), help="the program")
    parser.add_argument("--threads", type=int, nargs="+", default=[2], help="numbers of threads to try")
    parser.add_argument("--positions", type=int, default=20, help="positions for the time to depth")
    parser.add_argument("--book", default=str(ROOT / "src" / "tools" / "bench.epd"))
    parser.add_argument("--movetime", type=int, default=3000, help="ms a search for the nodes")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of the nodes")
    parser.add_argument("--least", type=float, default=2.0, help="seconds one thread must take")
    arguments = parser.parse_args()
    if min(arguments.threads) < 1:
        parser.error("a search has a thread at least")

    ratios: dict[int, list[float]] = {threads: [] for threads in arguments.threads}
    for threads, found in ratios.items():
        for fen in MIDDLEGAMES:
            for _ in range(arguments.rounds):
                together, apart = speed_ratio(arguments.engine, fen, threads, arguments.movetime)
                found.append(together / apart)
                speeds = f"{together / 1e6:7.3f} of {apart / 1e6:7.3f} Mn/s"
                print(f"{threads:3} threads {speeds}  {found[-1]:.3f}  {fen}", flush=True)

    with open(arguments.book, encoding="ascii") as book:
        fens = [line.strip() for line in book if line.strip() and not line.startswith("#")]
    options = {"Hash": 256, "UCI_Chess960": True}
    times: dict[int, list[float]] = {threads: [] for threads in arguments.threads}
    positions = 0
    with ExitStack() as stack:

        def start(threads: int) -> Engine:
            return stack.enter_context(Engine(arguments.engine, {**options, "Threads": threads}))

        one = start(1)
        engines = {threads: start(threads) for threads in arguments.threads}
        for fen in fens:
            if positions >= arguments.positions:
                break
            chosen = suitable_depth(one, fen, arguments.least, 5 * arguments.least)
            if chosen is None or chosen[1] < arguments.least:
                continue
            positions += 1
            depth, alone = chosen
            told = f"depth {depth:2}: 1 thread {alone:6.2f} s"
            for threads, engine in engines.items():
                seconds = time_to_depth(engine, fen, depth)
                times[threads].append(seconds / alone)
                told += f", {threads} {seconds:6.2f} s ({seconds / alone:.3f})"
            print(f"{told}  {fen}", flush=True)

    for threads, found in ratios.items():
        ratio = statistics.median(found)
        print(f"nodes of {threads} threads / of {threads} processes: median {ratio:.3f}")
    if not positions:
        print("no position took one thread long enough")
        return 1
    for threads, found in times.items():
        print(
            f"time to depth of {threads} threads / of one: median {statistics.median(found):.3f} "
            f"over {positions} positions"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
