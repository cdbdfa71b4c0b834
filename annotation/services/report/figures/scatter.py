"""Two numbers of the same systems against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.safestring import SafeString

from annotation.services.report.figures.canvas import WIDTH, Axis, Canvas, axis_over, decimals_of
from annotation.services.score_table import number

Row = dict[str, Any]
CLOSE = (90.0, 13.0)
"""Labels nearer than this to each other, across and upwards, are moved apart."""

MOST_NAMED = 24


def left_axis(canvas: Canvas, axis: Axis, left: float, right: float, title: str) -> None:
    """Draw grid lines, tick labels and the title of an upward scale."""
    ticks = axis.ticks(4)
    decimals = decimals_of(ticks)
    for value in ticks:
        y = axis.place(value)
        canvas.line(left, y, right, y, "axis" if value == 0 else "grid")
        canvas.text(left - 6, y + 4, number(value, decimals), "small", "end")
    canvas.text(0, 10, title)


class Labels:
    """Places labels beside dots so that none covers another."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas
        self.taken: list[tuple[float, float]] = []

    def write(self, x: float, y: float, words: str) -> None:
        """Write a label beside a dot, lower where another one stands."""
        y += 4
        while any(abs(x - x0) < CLOSE[0] and abs(y - y0) < CLOSE[1] for x0, y0 in self.taken):
            y += CLOSE[1]
        self.taken.append((x, y))
        self.canvas.text(x + 8, y, words)


def scatter(points: Sequence[Row], across: str, upwards: str, label: str) -> SafeString:
    """Draw a dot a point, with names as long as there is room for them.

    Args:
        points: with `x`, `y` and `name`.
        across: title of the scale of x.
        upwards: title of the scale of y.
        label: what the figure shows.
    """
    bottom, left, right = 280.0, 56.0, WIDTH - 150.0
    canvas = Canvas(WIDTH, bottom + 44, label)
    x_axis = axis_over([point["x"] for point in points], left, right)
    y_axis = axis_over([point["y"] for point in points], bottom, 22.0)
    canvas.bottom_axis(x_axis, bottom, across, top=22, zero=True)
    left_axis(canvas, y_axis, left, right, upwards)
    labels = Labels(canvas)
    for point in points:
        x, y = x_axis.place(point["x"]), y_axis.place(point["y"])
        words = f"{point['name']}: {number(point['x'], 3)}, {number(point['y'], 3)}"
        canvas.dot(x, y, "point", words)
        if len(points) <= MOST_NAMED:
            labels.write(x, y, point["name"])
    return canvas.svg()
