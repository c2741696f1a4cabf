"""What was really played: the games that a client wrote down, and what its engines recorded.

Used by clients.py. A client's word is not taken for it: python-chess (the package `chess`) replays
every game, and only an end that the rules know, with the result that they give, is a good one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterator

import chess
import chess.pgn

from referee import Game

# Draws that the rules know, in the words of referee.py.
DRAWS: dict[str, Callable[[chess.Board], bool]] = {
    "Draw by stalemate": chess.Board.is_stalemate,
    "Draw by 3-fold repetition": lambda board: board.is_repetition(3),
    "Draw by fifty moves rule": chess.Board.is_fifty_moves,
    "Draw by insufficient mating material": chess.Board.is_insufficient_material,
}
# What clients write of a game that ended otherwise, and which fault that is. The first that fits.
ACCUSATIONS = [
    (re.compile("illegal|invalid", re.I), "makes an illegal move"),
    (re.compile("on time|timeout|time forfeit|flag", re.I), "loses on time"),
    (re.compile("disconnect|abandoned|exited|exits", re.I), "disconnects"),
    (re.compile("stall", re.I), "connection stalls"),
]
# How clients note what the engine thought of its move: score and depth.
SCORE = re.compile(r"[+-]?M?[0-9.]+/\d+")


@dataclass
class PlayedGame(Game):
    """A game with its moves by player as UCI has them in Chess960, castling as king takes rook."""

    by_rules: bool
    moves: dict[str, list[str]]
    # By player: castlings, and moves of which the client heard no score.
    castlings: Counter[str]
    unscored: Counter[str]


def read_games(pgn: Path) -> Iterator[PlayedGame]:
    """The games of a file, replayed."""
    with open(pgn, encoding="utf-8", errors="replace") as file:
        number = 0
        while game := chess.pgn.read_game(file):
            number += 1
            yield replay(number, game)


def replay(number: int, game: chess.pgn.Game) -> PlayedGame:
    """Plays a game again and sees how it ended."""
    white, black = game.headers["White"], game.headers["Black"]
    names = {chess.WHITE: white, chess.BLACK: black}
    moves: dict[str, list[str]] = {white: [], black: []}
    castlings: Counter[str] = Counter()
    unscored: Counter[str] = Counter()
    board = game.board()
    for node in game.mainline():
        player = names[board.turn]
        moves[player].append(board.uci(node.move, chess960=True))
        castlings[player] += board.is_castling(node.move)
        unscored[player] += not SCORE.match(node.comment)
        board.push(node.move)
    result = game.headers["Result"]
    ending = ending_by_rules(board, result) if not game.errors else None
    by_rules = ending is not None
    if game.errors:
        ending = f"can't be replayed: {game.errors[0]}"
    elif ending is None:
        ending = ending_by_fault(board, result, game)
    return PlayedGame(number, white, black, result, ending, by_rules, moves, castlings, unscored)


def ending_by_rules(board: chess.Board, result: str) -> str | None:
    """How the rules end the game with this result; None if they don't."""
    if board.is_checkmate():
        winner, points = ("Black", "0-1") if board.turn == chess.WHITE else ("White", "1-0")
        return f"{winner} mates" if result == points else None
    if result != "1/2-1/2":
        return None
    return next((words for words, holds in DRAWS.items() if holds(board)), None)


def ending_by_fault(board: chess.Board, result: str, game: chess.pgn.Game) -> str:
    """What the client says of the end, as one of referee.FAULTS if it is one. The fault is that of
    the side that lost, or of the side to move (a flag that falls against a bare king is a draw)."""
    said = f"{game.headers.get('Termination', '')} {game.end().comment}"
    on_turn = "White" if board.turn == chess.WHITE else "Black"
    culprit = {"0-1": "White", "1-0": "Black"}.get(result, on_turn)
    for words, fault in ACCUSATIONS:
        if words.search(said):
            return f"{culprit} {fault}"
    return f"ends with {result} without a reason ({' '.join(said.split())})"


@dataclass
class Record:
    """What one or more engines wrote into a Debug Log File."""

    # Moves that were answered, those thrown away by the client too.
    answers: Counter[str] = field(default_factory=Counter)
    # Searches on the opponent's time, and how many of them became searches on the engine's own.
    ponders: int = 0
    hits: int = 0
    # What was said of options and commands that the client got wrong.
    complaints: Counter[str] = field(default_factory=Counter)


def read_record(log: Path) -> Record:
    """Reads a Debug Log File; several engines may have written to it at once."""
    record = Record()
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            fields = line.rstrip("\n").split(" ", 3)
            direction, text = fields[0], fields[-1]
            if direction == ">":
                # polyglot writes it last.
                record.ponders += text.startswith("go ") and "ponder" in text.split()
                record.hits += text == "ponderhit"
            elif direction == "<" and text.startswith("bestmove "):
                record.answers[text.split()[1]] += 1
            elif direction == "<" and text.startswith("info string "):
                record.complaints[text.removeprefix("info string ")] += 1
    return record
