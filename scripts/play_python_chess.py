#!/usr/bin/env python3
"""python-chess plays games with the engine on both sides: Chess960 starts and double ones.

Half of the games are played by nodes, half by a clock. Fails on any EngineError, on anything that
python-chess says it can't parse, and on a game that doesn't end by the rules. Needs the package
`chess`.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import time

import chess
import chess.engine

from uci_client import ZUYLEN

# Seconds a move in the games by clock.
INCREMENT = 0.05


class Complaints(logging.Handler):
    """Collects what python-chess has to say about the engine's output."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


def start(game: int, rng: random.Random) -> tuple[str, chess.Board]:
    """The start of a game: one number for both sides, or in every third game two."""
    white = rng.randrange(960)
    black = rng.randrange(960) if game % 3 == 2 else white
    board = chess.Board.from_chess960_pos(white)
    if black != white:
        other = chess.Board.from_chess960_pos(black)
        for square in chess.SquareSet(chess.BB_RANK_8):
            board.set_piece_at(square, other.piece_at(square))
        board.castling_rights = board.rooks & (chess.BB_RANK_1 | chess.BB_RANK_8)
    return f"{white}/{black}", board


def play(engine: chess.engine.SimpleEngine, board: chess.Board, by_clock: bool, game: object) -> None:
    """Plays a game to its end by the rules. A clock may run half a second over: the time that
    python-chess itself takes is counted too."""
    clock = {chess.WHITE: 2.0, chess.BLACK: 2.0}
    while not board.is_game_over(claim_draw=True):
        if by_clock:
            limit = chess.engine.Limit(
                white_clock=max(clock[chess.WHITE], 0.001),
                black_clock=max(clock[chess.BLACK], 0.001),
                white_inc=INCREMENT,
                black_inc=INCREMENT,
            )
        else:
            limit = chess.engine.Limit(nodes=2000)
        begin = time.monotonic()
        result = engine.play(board, limit, game=game, info=chess.engine.INFO_ALL)
        clock[board.turn] += INCREMENT - (time.monotonic() - begin)
        if by_clock and clock[board.turn] < -0.5:
            raise chess.engine.EngineError(f"lost on time in {board.fen()}")
        if result.move is None:
            raise chess.engine.EngineError(f"no move in {board.fen()}")
        board.push(result.move)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=str(ZUYLEN), help="the program")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=960)
    arguments = parser.parse_args()

    complaints = Complaints()
    logging.getLogger("chess.engine").addHandler(complaints)
    rng = random.Random(arguments.seed)
    failures = 0
    with chess.engine.SimpleEngine.popen_uci(arguments.engine, timeout=20) as engine:
        for number in range(arguments.games):
            name, board = start(number, rng)
            by_clock = number % 2 == 1
            try:
                play(engine, board, by_clock, game=number)
            except chess.engine.EngineError as error:
                failures += 1
                print(f"game {number + 1} ({name}): {error}")
                if isinstance(error, chess.engine.EngineTerminatedError):
                    break
                continue
            outcome = board.outcome(claim_draw=True)
            print(
                f"game {number + 1:2} ({name}, {'clock' if by_clock else 'nodes'}): "
                f"{board.result(claim_draw=True)} {outcome.termination.name.lower()}, "
                f"{len(board.move_stack)} plies",
                flush=True,
            )
    for line in complaints.lines:
        print(f"python-chess: {line}")
    print(f"{failures} failures, {len(complaints.lines)} complaints in {arguments.games} games")
    return 1 if failures or complaints.lines else 0


if __name__ == "__main__":
    sys.exit(main())
