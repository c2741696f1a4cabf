#!/usr/bin/env python3
"""Nodes a second of two engines in turn on four Chess960 middlegames.

    scripts/speed.py --other /usr/games/ethereal-chess

The engines search one after the other, A B A B, so that what else the machine does meets both. One
thread, a fresh game for every search. Prints each engine's median and the ratio, which is the
median of the ratios of neighbours.
"""

from __future__ import annotations

import argparse
import statistics
import sys

from uci_client import MIDDLEGAMES, ZUYLEN, Engine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=str(ZUYLEN), help="the program")
    parser.add_argument("--other", default="/usr/games/ethereal-chess", help="what it is held against")
    parser.add_argument("--movetime", type=int, default=3000, help="ms a search")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hash", type=int, default=16, help="MiB")
    parser.add_argument("--at-least", type=float, default=0.0, help="fail below this ratio")
    arguments = parser.parse_args()

    options = {"Hash": arguments.hash, "Threads": 1, "UCI_Chess960": True}
    ratios = []
    speeds: list[list[float]] = [[], []]
    with Engine(arguments.engine, options) as one, Engine(arguments.other, options) as two:
        for fen in MIDDLEGAMES:
            for _ in range(arguments.rounds):
                pair = []
                for engine in (one, two):
                    engine.new_game()
                    engine.position(fen)
                    pair.append(engine.go(f"movetime {arguments.movetime}").speed())
                for all_speeds, speed in zip(speeds, pair):
                    all_speeds.append(speed)
                ratios.append(pair[0] / pair[1])
                print(f"{pair[0] / 1e6:7.3f} {pair[1] / 1e6:7.3f} Mn/s  {ratios[-1]:.3f}  {fen}", flush=True)
        medians = [statistics.median(speed) for speed in speeds]
        print(f"{one.name}: median {medians[0] / 1e6:.3f} Mn/s")
        print(f"{two.name}: median {medians[1] / 1e6:.3f} Mn/s")
    ratio = statistics.median(ratios)
    print(f"ratio {ratio:.3f} (from {min(ratios):.3f} to {max(ratios):.3f}, {len(ratios)} pairs)")
    return 0 if ratio >= arguments.at_least else 1


if __name__ == "__main__":
    sys.exit(main())
