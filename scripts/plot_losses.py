#!/usr/bin/env python3
"""Draws the losses of a training run, from the table that `zuylen train` keeps beside the network.

    scripts/plot_losses.py gen1.network.csv
    scripts/plot_losses.py gen1.network.csv --out losses.svg

The upper panel has the loss while learning and the loss on the games held out, by epoch, and marks
the epoch that the network was taken from; the lower one has the learning rate, on a logarithmic
scale. The drawing is an SVG; any browser shows it.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 800, 560
LEFT, RIGHT = 80, 24
# Upper and lower edge of the two panels.
LOSSES, RATES = (56, 370), (418, 500)
TRAINING, HELD_OUT, RATE = "#0072b2", "#d55e00", "#555555"
STYLE = "text { font: 13px sans-serif; fill: #222 } .title { font-size: 15px; font-weight: bold }"


@dataclass
class Axis:
    """Takes values between `low` and `high` to pixels between `start` and `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def padded(values: list[float]) -> tuple[float, float]:
    """A range with some air around the values, and never empty."""
    low, high = min(values), max(values)
    air = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return low - air, high + air


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers within the range, at most so many."""
    size = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(step for step in (size, 2 * size, 5 * size, 10 * size) if (high - low) / step <= most)
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor(high / step) + 1)]


def text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    """A line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def line(points: list[tuple[float, float]], color: str, more: str = "") -> str:
    """A line through points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{color}" {more}/>'


def dots(points: list[tuple[float, float]], color: str) -> list[str]:
    """A dot at each point, so that a single one can be seen."""
    return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{color}"/>' for x, y in points]


def panel(x: Axis, y: Axis, marks: list[tuple[float, str]], name: str) -> list[str]:
    """Frame, grid and scale of a panel."""
    left, right, top, bottom = x.start, x.end, y.end, y.start
    parts = []
    for value, words in marks:
        at = y(value)
        parts.append(line([(left, at), (right, at)], "#dddddd"))
        parts.append(text(left - 8, at + 4, words, "end"))
    frame = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    parts.append(line(frame, "#888888"))
    middle = (top + bottom) / 2
    parts.append(text(18, middle, name, more=f'transform="rotate(-90 18 {middle:.1f})"'))
    return parts


def draw(rows: list[dict[str, float]], title: str) -> str:
    """The whole drawing."""
    epochs = [row["epoch"] for row in rows]
    training = [row["training_loss"] for row in rows]
    held_out = [row["held_out_loss"] for row in rows]
    rates = [math.log10(row["learning_rate"]) for row in rows]
    best = held_out.index(min(held_out))

    x = Axis(min(epochs) - 0.5, max(epochs) + 0.5, LEFT, WIDTH - RIGHT)
    y = Axis(*padded(training + held_out), LOSSES[1], LOSSES[0])
    z = Axis(*padded(rates), RATES[1], RATES[0])
    marks = ticks(y.low, y.high, 7)
    places = max(0, -math.floor(math.log10(marks[1] - marks[0]))) if len(marks) > 1 else 4
    decades = range(math.ceil(z.low), math.floor(z.high) + 1)
    powers = [(float(power), f"1e{power}") for power in decades] or [(rates[0], f"{10 ** rates[0]:.1e}")]

    parts = [text(WIDTH / 2, 22, title, more='class="title"')]
    parts += panel(x, y, [(mark, f"{mark:.{places}f}") for mark in marks], "loss (mean squared error)")
    parts += panel(x, z, powers, "learning rate")
    for epoch in ticks(x.low, x.high, 16):
        if epoch == int(epoch):
            parts.append(line([(x(epoch), RATES[1]), (x(epoch), RATES[1] + 5)], "#888888"))
            parts.append(text(x(epoch), RATES[1] + 20, f"{epoch:.0f}"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, RATES[1] + 42, "epoch"))

    at = x(epochs[best])
    parts.append(line([(at, LOSSES[0]), (at, LOSSES[1])], HELD_OUT, 'stroke-dasharray="2 4"'))
    for values, axis, color in ((training, y, TRAINING), (held_out, y, HELD_OUT), (rates, z, RATE)):
        points = [(x(epoch), axis(value)) for epoch, value in zip(epochs, values)]
        parts.append(line(points, color, 'stroke-width="2"'))
        parts += dots(points, color)
    keys = (
        (LEFT + 4, TRAINING, f"while learning (last {training[-1]:.5f})"),
        (LEFT + 250, HELD_OUT, f"on games held out (best {held_out[best]:.5f}, epoch {epochs[best]:.0f})"),
    )
    for start, color, words in keys:
        parts.append(line([(start, 42), (start + 24, 42)], color, 'stroke-width="2"'))
        parts.append(text(start + 30, 46, words, "start"))
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}">\n<style>{STYLE}</style>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{inside}\n</svg>\n'
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("losses", type=Path, help="the table, such as gen1.network.csv")
    parser.add_argument("--out", type=Path, help="the drawing [default: the table's name with .svg]")
    parser.add_argument("--title", help="[default: the table's name]")
    arguments = parser.parse_args()
    try:
        with open(arguments.losses, encoding="utf-8", newline="") as table:
            rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(table)]
        if not rows:
            sys.exit(f"{arguments.losses} has no epoch yet")
        drawing = draw(rows, arguments.title or arguments.losses.stem)
    except OSError as error:
        sys.exit(str(error))
    except (KeyError, TypeError, ValueError) as error:
        sys.exit(f"{arguments.losses} is no table of losses: {error!r}")
    out = arguments.out or arguments.losses.with_suffix(".svg")
    out.write_text(drawing, "utf-8")
    print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
