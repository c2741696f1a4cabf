"""A match of two engines at fixed nodes a move, for a machine without fastchess.

Used by match.py. Two engines sit at each board, and beside it a third program as arbiter: a Zuylen,
whose `d` and `go perft 1` tell what stands on the board and which moves are legal. There are no
clocks, so nothing here depends on how busy the machine is.
"""

from __future__ import annotations

import queue
import re
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from uci_client import Engine, EngineError

# How the programs that run games say that a game ended by a fault of the colour in front.
FAULTS = {
    "illegal moves": "makes an illegal move",
    "time losses": "loses on time",
    "disconnects": "disconnects",
    "stalls": "connection stalls",
}
# Seconds after which an engine that owes a move, or the arbiter, is held to hang.
PATIENCE = 120.0


@dataclass
class Side:
    """One of the two engines: its name, program and options."""

    name: str
    command: Path
    options: dict[str, str]

    def start(self) -> Engine:
        """Runs it."""
        return Engine(self.command, {**self.options, "UCI_Chess960": True})


@dataclass
class Game:
    """A finished game; `number` is from 1, and games 1 and 2, 3 and 4, ... share an opening."""

    number: int
    white: str
    black: str
    result: str
    ending: str

    def told(self) -> str:
        """How it ended, with names for colours and without particulars."""
        words = re.sub(r" \(.*\)", "", self.ending)
        return words.replace("White", self.white).replace("Black", self.black)

    def fault(self) -> tuple[str, str] | None:
        """Whose fault ended it, and which of FAULTS it is; None if nobody's."""
        for color, name in (("White", self.white), ("Black", self.black)):
            for fault, words in FAULTS.items():
                if self.ending.startswith(color) and words in self.ending:
                    return name, fault
        return None


@dataclass
class Board:
    """What the arbiter says of a position."""

    fen: str
    key: str
    in_check: bool
    moves: set[str]

    def ending(self, occurrences: int) -> tuple[str, str] | None:
        """Result and reason if the game is over; `occurrences` counts this position too."""
        men, turn, *_, halfmoves, _ = self.fen.split()
        if not self.moves and self.in_check:
            return ("0-1", "Black mates") if turn == "w" else ("1-0", "White mates")
        if not self.moves:
            return "1/2-1/2", "Draw by stalemate"
        if occurrences >= 3:
            return "1/2-1/2", "Draw by 3-fold repetition"
        if int(halfmoves) >= 100:
            return "1/2-1/2", "Draw by fifty moves rule"
        pieces = [letter for letter in men.lower() if letter.isalpha() and letter != "k"]
        if not pieces or pieces in (["n"], ["b"]):
            return "1/2-1/2", "Draw by insufficient mating material"
        return None


class Arbiter:
    """A Zuylen that is asked about positions."""

    def __init__(self, command: Path):
        self.engine = Engine(command, {"UCI_Chess960": True})

    def board(self, fen: str, move: str | None = None) -> Board:
        """The position of a FEN, or after a legal move from there."""
        self.engine.position(fen, [move] if move else None)
        self.engine.send("d", "go perft 1")
        told: dict[str, str] = {}
        for line in self.engine.read_until(lambda text: text.startswith("Nodes searched"), PATIENCE):
            key, _, value = line.text.partition(":")
            told[key] = value.strip()
        if not {"Shredder-FEN", "Key", "Checkers"} <= told.keys():
            raise EngineError(f"{self.engine.name} can't be the arbiter: it is no Zuylen, or {fen} no position")
        moves = {key for key, count in told.items() if count == "1" and key[:1].islower()}
        return Board(told["Shredder-FEN"], told["Key"], bool(told["Checkers"]), moves)


def play_game(arbiter: Arbiter, engines: dict[str, Engine], opening: str, nodes: int) -> tuple[str, str]:
    """Plays from `opening`; returns the result and how it came about. `engines` are by "w" and "b".

    Raises EngineError if the arbiter fails; what goes wrong with a player is how the game ends.
    """
    board = arbiter.board(opening)
    start, moves = board.fen, []
    seen = Counter([board.key])
    while not (over := board.ending(seen[board.key])):
        turn = board.fen.split()[1]
        color, lost = ("White", "0-1") if turn == "w" else ("Black", "1-0")
        engine = engines[turn]
        try:
            engine.position(start, moves)
            move = engine.go(f"nodes {nodes}", PATIENCE).best
        except EngineError as error:
            return lost, f"{color} {'disconnects' if not engine.is_alive() else 'connection stalls'} ({error})"
        if move not in board.moves:
            return lost, f"{color} makes an illegal move ({move})"
        moves.append(move)
        board = arbiter.board(board.fen, move)
        seen[board.key] += 1
    return over


def play(
    sides: tuple[Side, Side],
    openings: list[str],
    nodes: int,
    concurrency: int,
    tell: Callable[[Game], None],
) -> list[Game]:
    """Plays two games from each opening with colours exchanged, `concurrency` at a time. The first
    side's program is the arbiter too. `tell` hears of each game as it ends. Raises what goes wrong
    with anything but a player in a game."""
    rounds: queue.SimpleQueue[tuple[int, str]] = queue.SimpleQueue()
    for number, opening in enumerate(openings):
        rounds.put((number, opening))
    games: list[Game] = []
    failures: list[Exception] = []
    lock = threading.Lock()

    def work() -> None:
        engines: dict[str, Engine] = {}
        arbiter = None
        try:
            arbiter = Arbiter(sides[0].command)
            while not failures:
                try:
                    number, opening = rounds.get_nowait()
                except queue.Empty:
                    return
                for leg, (white, black) in enumerate((sides, sides[::-1])):
                    for side in sides:
                        if side.name in engines and engines[side.name].is_alive():
                            engines[side.name].new_game()
                        else:
                            engines[side.name] = side.start()
                    colors = {"w": engines[white.name], "b": engines[black.name]}
                    result, ending = play_game(arbiter, colors, opening, nodes)
                    if "connection stalls" in ending:
                        # What hangs is replaced.
                        for engine in engines.values():
                            engine.close()
                    game = Game(2 * number + leg + 1, white.name, black.name, result, ending)
                    with lock:
                        games.append(game)
                        tell(game)
        except Exception as error:  # noqa: BLE001 (a thread's errors are nobody's otherwise)
            failures.append(error)
        finally:
            for engine in (*engines.values(), *([arbiter.engine] if arbiter else [])):
                engine.close()

    workers = [threading.Thread(target=work) for _ in range(min(concurrency, len(openings)))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]
    return games
