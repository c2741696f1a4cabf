"""A UCI engine as a child process, for the scripts beside this file.

Standard library only. Every line that is read carries the moment it came, so that latencies can be
measured; every wait has a deadline, so that a hanging engine fails a script and doesn't hang it.
"""

from __future__ import annotations

import os
import queue
import shlex
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parent.parent
ZUYLEN = ROOT / "target" / "release" / "zuylen"

# Four Chess960 middlegames with all pieces' work still to do; castling rights as Shredder-FEN.
MIDDLEGAMES = [
    "nbrqkrbn/2p1p1pp/p7/1p1p1p2/4P1P1/5P2/PPPP3P/NBRQKRBN w FCfc - 0 9",
    "1qbbn1kr/1ppppppp/r3n3/8/p1P5/P7/1P1PPPPP/RQBBNNKR w HAh - 1 9",
    "n1rkbqrb/pp1ppp2/2n3p1/2p4p/P5PP/1P6/2PPPP2/NNRKBQRB w GCgc - 0 9",
    "r1qkbb1r/pp1ppppp/2n2n2/2p5/P7/2N2N2/1PPPPPPP/R1QKBB1R w HAha - 2 4",
]


class EngineError(Exception):
    """The engine died, hung or said something that it must not."""


@dataclass
class Line:
    """A line of output and when it was read, in seconds of `time.monotonic`."""

    at: float
    text: str


@dataclass
class Search:
    """What came back of one `go`."""

    best: str
    infos: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def speed(self) -> float:
        """Nodes a second, from the last info line that has both nodes and time."""
        for line in reversed(self.infos):
            nodes, milliseconds = number(line, "nodes"), number(line, "time")
            if nodes and milliseconds:
                return 1000 * nodes / milliseconds
        raise EngineError("no info line with nodes and time")


def number(line: str, key: str) -> int | None:
    """The number after a word such as `nodes` or `depth` in an info line."""
    words = line.split()
    if "string" in words or key not in words[:-1]:
        return None
    return int(words[words.index(key) + 1])


def random_openings(program: str | Path, count: int, seed: int, starts: Path | None = None) -> list[str]:
    """Openings of a few random moves, made by the `genfens` of a Zuylen: from the positions of a file,
    or half of them double Fischer random, three tenths Chess960 and the rest ordinary chess."""
    command = [str(program), f"genfens {count} seed {seed} book {starts}", "quit"]
    try:
        made = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineError(f"no openings: {error}") from error
    word = "info string genfens "
    openings = [line.removeprefix(word) for line in made.splitlines() if line.startswith(word)]
    if len(openings) != count:
        raise EngineError(f"{program} makes no openings; only a Zuylen does")
    return openings


class Engine:
    """A running engine. Use it as a context manager, so that it never outlives its script."""

    def __init__(self, command: str | Path, options: dict[str, object] | None = None):
        self.command = [str(command)] if isinstance(command, Path) else shlex.split(command)
        self.name = Path(self.command[0]).name
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.lines: queue.Queue[Line | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.send("uci")
        self.options = {
            line.text.split(" name ", 1)[1].split(" type ")[0]
            for line in self.read_until("uciok", 10)
            if line.text.startswith("option name ")
        }
        for name, value in (options or {}).items():
            self.set(name, value)
        self.wait_ready()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        for raw in self.process.stdout:
            text = raw.decode("utf-8", "replace").rstrip("\r\n")
            self.lines.put(Line(time.monotonic(), text))
        self.lines.put(None)

    def send(self, *commands: str) -> float:
        """Writes the commands in one piece; returns when."""
        self.send_bytes("".join(command + "\n" for command in commands).encode())
        return time.monotonic()

    def send_bytes(self, data: bytes) -> None:
        """Writes bytes as they are."""
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except OSError as error:
            raise EngineError(f"{self.name} doesn't read: {error}") from error

    def set(self, name: str, value: object) -> None:
        """Sets an option."""
        text = str(value).lower() if isinstance(value, bool) else value
        self.send(f"setoption name {name} value {text}")

    def read(self, timeout: float) -> Line:
        """The next line, within `timeout` seconds."""
        try:
            line = self.lines.get(timeout=max(timeout, 0.001))
        except queue.Empty:
            raise EngineError(f"{self.name}: no answer within the time") from None
        if line is None:
            raise EngineError(f"{self.name} has ended with code {self.process.wait()}")
        return line

    def read_until(self, wanted: str | Callable[[str], bool], timeout: float) -> list[Line]:
        """All lines up to the first that is `wanted` (or begins with it and a space)."""
        if isinstance(wanted, str):
            word = wanted
            wanted = lambda text: text.split(" ", 1)[0] == word  # noqa: E731
        deadline = time.monotonic() + timeout
        lines = []
        while True:
            lines.append(self.read(deadline - time.monotonic()))
            if wanted(lines[-1].text):
                return lines

    def wait_ready(self, timeout: float = 60) -> float:
        """Sends `isready`; returns the seconds until `readyok`."""
        sent = self.send("isready")
        return self.read_until("readyok", timeout)[-1].at - sent

    def settle(self, quiet: float, timeout: float) -> None:
        """Asks `isready` and reads until it is answered and `quiet` seconds pass without output, so
        that nothing which was asked before is still to come."""
        self.wait_ready(timeout)
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            try:
                if self.lines.get(timeout=quiet) is None:
                    raise EngineError(f"{self.name} has ended with code {self.process.wait()}")
            except queue.Empty:
                return
        raise EngineError(f"{self.name} doesn't stop talking")

    def new_game(self) -> None:
        """`ucinewgame`, and waits until it is done."""
        self.send("ucinewgame")
        self.wait_ready()

    def position(self, fen: str | None, moves: list[str] | None = None) -> None:
        """Sets up a FEN (or the ordinary start) and moves."""
        setup = "startpos" if fen is None else f"fen {fen}"
        tail = f" moves {' '.join(moves)}" if moves else ""
        self.send(f"position {setup}{tail}")

    def go(self, limits: str, timeout: float = 120) -> Search:
        """Searches and waits for the best move."""
        sent = self.send(f"go {limits}")
        lines = self.read_until("bestmove", timeout)
        return Search(
            best=(lines[-1].text.split() + ["(none)"])[1],
            infos=[line.text for line in lines if line.text.startswith("info ")],
            seconds=lines[-1].at - sent,
        )

    def processor_seconds(self) -> float:
        """Processor time used so far by all threads of the engine (Linux)."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def close(self) -> None:
        """Asks the engine to quit, and makes it after two seconds."""
        try:
            if not self.process.stdin.closed:
                self.process.stdin.write(b"quit\n")
                self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
