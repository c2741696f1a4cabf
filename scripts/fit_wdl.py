#!/usr/bin/env python3
"""Fits the win/draw/loss model of src/search/wdl.rs to games.

    zuylen dataset wdl ~/zuylen-games/gen1/games > wdl.csv
    scripts/fit_wdl.py wdl.csv --games "15 million positions of generation 1, 700 nodes a move"

To refit the engine, run both commands on games of the network that it plays with, read the report,
and put the lines from its end in the place of those in src/search/wdl.rs. Nothing in the search
changes by that, and the node count of `zuylen bench` stays.

The table has a line of wins, draws and losses of the side to move for each material (both sides,
in pawns, 17 to 78) and class of score (the search's units). A score s wins with the chance
logistic((s - a) / b), and loses with that of -s; the rest is drawn. a and b are cubic polynomials
of material / 58, found by maximum likelihood (Fisher's scoring). Positions of a game aren't
independent, so the fit is surer of itself than it should be; no error bars are given.

Scores beyond --limit are left out, for the model is there to tell where games are open. On the
games of generation 0 limits from 300 to 2000 gave an even chance over all material of 124 to 125,
and the games that were played out (`zuylen dataset wdl --played-out`) gave 128, so neither the
limit nor adjudication bends the model much.

The report tells the log likelihood, the score of an even chance over all material (the search's
margins are made for 101, and the trainer chooses the network's units so), and real against
predicted frequencies by score and by material.
"""

from __future__ import annotations

import argparse
import csv
import math
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

# As in src/search/wdl.rs.
MATERIAL_UNIT = 58
LEAST_MATERIAL, GREATEST_MATERIAL = 17, 78
NAMES = ["material", "score", "wins", "draws", "losses"]

# The even chance and the spread that the search starts from.
START = (100.0, 60.0)
MOST_STEPS = 200
# Log likelihood that a last step gains at most.
ENOUGH = 1e-6


class Cell(NamedTuple):
    """What became of positions with so much material and a score of zero or more."""

    material: int
    score: int
    wins: int
    draws: int
    losses: int


class Model(NamedTuple):
    """The coefficients of the even chance and the spread, the highest power first."""

    even_chance: list[float]
    spread: list[float]

    def at(self, material: int) -> tuple[float, float]:
        """The even chance and the spread at a material."""
        return polynomial(self.even_chance, material), polynomial(self.spread, material)

    def is_sound(self) -> bool:
        """Whether both numbers are positive at every material."""
        return all(min(self.at(m)) > 0 for m in range(LEAST_MATERIAL, GREATEST_MATERIAL + 1))


def polynomial(coefficients: list[float], material: int) -> float:
    x, value = material / MATERIAL_UNIT, 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def logistic(x: float) -> float:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(x) / (1 + math.exp(x))


def chances(score: float, even_chance: float, spread: float) -> tuple[float, float, float]:
    """Win, draw and loss at a score of zero or more; none is zero within sane bounds."""
    win = logistic((score - even_chance) / spread)
    loss = logistic((-score - even_chance) / spread)
    # Not 1 - win - loss, which is all rounding error where a draw is rare.
    return win, logistic((even_chance - score) / spread) - loss, loss


def read_table(lines: Iterable[str]) -> list[Cell]:
    """The cells of a table; negative scores are those of the other side."""
    table = csv.reader(lines)
    if next(table, None) != NAMES:
        raise ValueError(f"the first line is not {','.join(NAMES)}")
    counts: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for number, row in enumerate(table, 2):
        try:
            material, score, *fates = map(int, row)
            if len(fates) != 3 or min(fates) < 0:
                raise ValueError
        except ValueError:
            raise ValueError(f"line {number} is not five whole numbers: {','.join(row)}") from None
        for fate, count in enumerate(fates if score >= 0 else fates[::-1]):
            counts[material, abs(score)][fate] += count
    return [Cell(*key, *fates) for key, fates in sorted(counts.items())]


def log_likelihood(cells: list[Cell], model: Model) -> float:
    total = 0.0
    for cell in cells:
        fates = chances(cell.score, *model.at(cell.material))
        for count, chance in zip(cell[2:], fates):
            if count:
                total += count * math.log(max(chance, 1e-300))
    return total


def slopes(cells: list[Cell], model: Model) -> tuple[list[float], list[list[float]]]:
    """The gradient of the log likelihood by the coefficients, and Fisher's information."""
    terms = len(model.even_chance)
    gradient = [0.0] * (2 * terms)
    information = [[0.0] * (2 * terms) for _ in gradient]
    by_material = defaultdict(list)
    for cell in cells:
        by_material[cell.material].append(cell)
    for material, group in by_material.items():
        even_chance, spread = model.at(material)
        # By even chance and spread first, and by their coefficients when the group is summed up.
        slope = [0.0, 0.0]
        weight = [[0.0, 0.0], [0.0, 0.0]]
        for cell in group:
            fates = chances(cell.score, even_chance, spread)
            if min(fates) < 1e-300:
                continue
            win, _, loss = fates
            steep_win = -win * (1 - win) / spread
            steep_loss = -loss * (1 - loss) / spread
            by_win = [steep_win, steep_win * (cell.score - even_chance) / spread]
            by_loss = [steep_loss, steep_loss * (-cell.score - even_chance) / spread]
            steps = [by_win, [-w - l for w, l in zip(by_win, by_loss)], by_loss]
            positions = sum(cell[2:])
            for count, chance, step in zip(cell[2:], fates, steps):
                for i in range(2):
                    slope[i] += count * step[i] / chance
                    for j in range(2):
                        weight[i][j] += positions * step[i] * step[j] / chance
        powers = [(material / MATERIAL_UNIT) ** power for power in reversed(range(terms))]
        for i in range(2 * terms):
            gradient[i] += slope[i // terms] * powers[i % terms]
            for j in range(2 * terms):
                product = powers[i % terms] * powers[j % terms]
                information[i][j] += weight[i // terms][j // terms] * product
    return gradient, information


def solve(matrix: list[list[float]], vector: list[float]) -> list[float]:
    """The solution of a system of linear equations, by elimination with pivots."""
    rows = [[*row, value] for row, value in zip(matrix, vector)]
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        if rows[column][column] == 0:
            raise ValueError("too few different materials or scores to fit the model")
        for row in range(column + 1, size):
            factor = rows[row][column] / rows[column][column]
            for k in range(column, size + 1):
                rows[row][k] -= factor * rows[column][k]
    solution = [0.0] * size
    for row in reversed(range(size)):
        known = sum(rows[row][k] * solution[k] for k in range(row + 1, size))
        solution[row] = (rows[row][size] - known) / rows[row][row]
    return solution


def fit(cells: list[Cell], degree: int) -> Model:
    """The likeliest model with polynomials of a degree."""
    model = Model(*([0.0] * degree + [start] for start in START))
    value = log_likelihood(cells, model)
    for _ in range(MOST_STEPS):
        step = solve(*reversed(slopes(cells, model)))
        share, gain = 1.0, -math.inf
        # A whole step may overshoot, or leave the models that make sense.
        while share > 1e-9:
            flat = [c + share * s for c, s in zip(model.even_chance + model.spread, step)]
            tried = Model(flat[: degree + 1], flat[degree + 1 :])
            gain = log_likelihood(cells, tried) - value if tried.is_sound() else -math.inf
            if gain >= 0:
                break
            share /= 2
        if gain < 0:
            break
        model, value = tried, value + gain
        if gain < ENOUGH:
            break
    return model


def compare(cells: list[Cell], model: Model, classes: Callable[[Cell], int]) -> list[str]:
    """Predicted and real frequencies in classes, a line each."""
    sums: dict[int, list[float]] = defaultdict(lambda: [0.0] * 6)
    for cell in cells:
        own = sums[classes(cell)]
        positions = sum(cell[2:])
        for i, (count, chance) in enumerate(
            zip(cell[2:], chances(cell.score, *model.at(cell.material)))
        ):
            own[i] += count
            own[3 + i] += positions * chance
    lines = []
    for name, own in sorted(sums.items()):
        positions = sum(own[:3])
        shares = [100 * part / positions for part in own]
        pairs = "".join(f"{shares[i]:9.1f} ({shares[3 + i]:5.1f})" for i in range(3))
        lines.append(f"{name:5} {positions:11.0f}{pairs}")
    return lines


def report(cells: list[Cell], games: str) -> None:
    positions = sum(sum(cell[2:]) for cell in cells)
    flat, model = fit(cells, 0), fit(cells, 3)
    even_chance, spread = flat.at(MATERIAL_UNIT)
    print(f"positions         {positions}")
    for name, tried in (("any material", flat), ("by material", model)):
        print(f"log likelihood    {log_likelihood(cells, tried) / positions:.6f} a position, {name}")
    print(f"even chance       {even_chance:.1f} over all material (wanted: 101), spread {spread:.1f}")

    title = "positions      win (model)     draw (model)     loss (model)  in percent"
    print(f"\nscore   {title}")
    print("\n".join(compare(cells, model, lambda cell: (cell.score + 12) // 25 * 25)))
    print(f"\nmaterial from\n        {title}")
    print("\n".join(compare(cells, model, lambda cell: cell.material // 5 * 5)))
    print("\nmaterial  even chance  spread")
    for material in [LEAST_MATERIAL, *range(20, GREATEST_MATERIAL, 10), GREATEST_MATERIAL]:
        print("{:8} {:12.1f} {:7.1f}".format(material, *model.at(material)))

    print(f"\n// Fitted to {games}.")
    for name, numbers in (("EVEN_CHANCE", model.even_chance), ("SPREAD", model.spread)):
        print(f"const {name}: [f64; 4] = [{', '.join(f'{number:.3f}' for number in numbers)}];")


def self_test() -> None:
    """Makes games of a known model and finds it again."""
    known = Model([-40.0, 120.0, -100.0, 120.0], [10.0, -20.0, 30.0, 40.0])
    dice = random.Random(1)
    lines = [",".join(NAMES)]
    for material in range(LEAST_MATERIAL, GREATEST_MATERIAL + 1, 3):
        for score in range(-400, 401, 20):
            win, _, loss = chances(abs(score), *known.at(material))
            if score < 0:
                win, loss = loss, win
            thrown = [dice.random() for _ in range(1000)]
            wins = sum(throw < win for throw in thrown)
            losses = sum(throw > 1 - loss for throw in thrown)
            lines.append(f"{material},{score},{wins},{1000 - wins - losses},{losses}")
    cells = read_table(lines)
    assert sum(sum(cell[2:]) for cell in cells) == 1000 * (len(lines) - 1)
    found = fit(cells, 3)
    assert log_likelihood(cells, found) >= log_likelihood(cells, known)
    for material in range(LEAST_MATERIAL, GREATEST_MATERIAL + 1):
        for expected, number in zip(known.at(material), found.at(material)):
            assert abs(number / expected - 1) < 0.03, (material, expected, number)
    for wrong in (["a,b"], [lines[0], "1,2,3"], [lines[0], "20,5,1,x,1"], [lines[0], "20,5,-1,0,1"]):
        try:
            read_table(wrong)
        except ValueError:
            continue
        raise AssertionError(f"{wrong} was read")
    print("the model was found again")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", type=Path, nargs="?", help="what `zuylen dataset wdl` printed")
    parser.add_argument("--limit", type=int, default=600, help="greatest score that counts")
    parser.add_argument("--games", default="FILL IN WHICH GAMES", help="which, for the constants")
    parser.add_argument("--self-test", action="store_true", help="try the fit on made-up games")
    arguments = parser.parse_args()
    if arguments.self_test:
        self_test()
        return 0
    if arguments.table is None:
        parser.error("which table?")
    try:
        with arguments.table.open(newline="") as table:
            cells = [cell for cell in read_table(table) if cell.score <= arguments.limit]
        report(cells, arguments.games)
    except (OSError, ValueError) as error:
        sys.exit(f"{arguments.table}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
