#!/usr/bin/env python3
"""Sends random lines into the UCI loop and sees whether the engine still lives and answers.

A third of the lines are random bytes, a third printable words, a third real commands with a few
characters changed, doubled or lost. `quit` is never sent, nor what would ask for hours or more
memory than there is. Every thousand lines the engine must answer `isready` and come to rest; at the
end it must play a legal first move.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading

from uci_client import MIDDLEGAMES, ZUYLEN, Engine, EngineError

COMMANDS = [
    "uci",
    "isready",
    "ucinewgame",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5",
    f"position fen {MIDDLEGAMES[0]}",
    f"position fen {MIDDLEGAMES[3]} moves e2e4 e7e5",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 99 200",
    "position startpos moves e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 O-O 0-0",
    "position frc 12",
    "position dfrc 959 0",
    "go depth 3",
    "go nodes 200",
    "go movetime 1",
    "go wtime 10 btime 10 winc 0 binc 0 movestogo 1",
    "go infinite",
    "go ponder wtime 100 btime 100",
    "go mate 2 nodes 500",
    "go searchmoves e2e4 d2d4 nodes 100",
    "go perft 2",
    "setoption name Castling Notation value king two squares",
    "setoption name Castling Notation value O-O",
    "ponderhit",
    "stop",
    "debug on",
    "setoption name Hash value 2",
    "setoption name Threads value 2",
    "setoption name MultiPV value 3",
    "setoption name UCI_Chess960 value true",
    "setoption name UCI_ShowWDL value true",
    "setoption name Move Overhead value 50",
    "setoption name Clear Hash",
    "d",
    "eval",
    "register later",
]
# Words that a mutation may put in: limits at the edges of what numbers can be.
NUMBERS = ["0", "-1", "1", "256", "-9223372036854775808", "18446744073709551616", "1e9", "NaN"]


def is_safe(line: bytes) -> bool:
    """Whether a line neither quits nor asks for hours of work or more memory than there is."""
    words = line.split()
    lowered = [word.lower() for word in words]
    if b"quit" in lowered or any(word in lowered for word in (b"bench", b"genfens")):
        return False
    if b"perft" in lowered or b"hash" in lowered or b"threads" in lowered:
        return all(len(word) <= 1 for word in words if word.strip(b"+-").isdigit())
    return True


def mutated(rng: random.Random) -> bytes:
    """A real command, damaged a little."""
    line = bytearray(rng.choice(COMMANDS).encode())
    if rng.random() < 0.3:
        words = line.split(b" ")
        words[rng.randrange(len(words))] = rng.choice(NUMBERS).encode()
        line = bytearray(b" ".join(words))
    if rng.random() < 0.1:
        line += b" " + bytes(rng.choice(COMMANDS), "ascii")
    for _ in range(rng.choice([0, 0, 1, 1, 2, 5])):
        if not line:
            break
        place = rng.randrange(len(line))
        match rng.randrange(4):
            case 0:
                line[place] = rng.choice(b"abcdefgh12345678 /-KQkq\t\r")
            case 1:
                del line[place]
            case 2:
                line.insert(place, line[place])
            case _:
                line[place] = rng.randrange(256)
    return bytes(line)


def random_line(rng: random.Random) -> bytes:
    """A line without its end."""
    kind = rng.randrange(3)
    if kind == 0:
        line = rng.randbytes(rng.choice([0, 1, 5, 40, 300]))
    elif kind == 1:
        line = bytes(rng.randrange(32, 127) for _ in range(rng.randrange(80)))
    else:
        line = mutated(rng)
    return line.replace(b"\n", b" ")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=str(ZUYLEN), help="the program")
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    rng = random.Random(arguments.seed)
    sent = 0
    recent: list[bytes] = []
    with Engine(arguments.engine) as engine:
        try:
            while sent < arguments.lines:
                count = min(1000, arguments.lines - sent)
                recent = [line for line in (random_line(rng) for _ in range(count)) if is_safe(line)]
                data = b"".join(line + b"\n" for line in recent)
                # The engine's answers are read by another thread; writing can't block for long.
                writer = threading.Thread(target=engine.send_bytes, args=(data,), daemon=True)
                writer.start()
                writer.join(60)
                if writer.is_alive():
                    raise EngineError("input isn't read any more")
                # Random lines hold `isready` too, so that one answer proves nothing yet.
                engine.send("stop")
                engine.settle(0.05, 60)
                sent += count
            engine.send("setoption name MultiPV value 1", "ucinewgame", "position startpos", "stop")
            engine.settle(1, 60)
            best = engine.go("nodes 1000", 30).best
        except EngineError as error:
            print(f"failed after {sent} lines: {error}")
            for line in recent[-20:]:
                print(repr(line))
            return 1
        moves = {f"{file}2{file}{rank}" for file in "abcdefgh" for rank in "34"}
        moves |= {"b1a3", "b1c3", "g1f3", "g1h3"}
        if best not in moves:
            print(f"after {sent} lines it plays {best} from the start position")
            return 1
    print(f"{sent} lines, alive, isready answered, plays {best}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
