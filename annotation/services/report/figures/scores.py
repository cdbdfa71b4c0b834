"""Figures of scores: intervals, tests of pairs, distributions, the mixed model beside z."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.services.report.figures.canvas import WIDTH, Axis, Canvas, axis_over, label_width
from annotation.services.score_table import interval, number, p_value

Row = dict[str, Any]
ROW = 26
TEXT_DROP = 4.5
LEVELS = ((0.001, "strong"), (0.01, "middle"), (0.05, "faint"))
MOST_WRITTEN = 14
"""Systems up to which a matrix has its p-values written in."""


def intervals(
    rows: Sequence[Row], cuts: frozenset[int], label: str, parts: frozenset[int] = frozenset()
) -> SafeString:
    """Draw means of z with their intervals, one row a system (and condition), rules below clusters.

    Args:
        rows: with `name`, `z_mean` and `z_ci`.
        cuts: rows below which a rule is drawn.
        label: what the figure shows, in words.
        parts: rows below which a pale band is drawn, where a condition ends.
    """
    left = label_width(row["name"] for row in rows)
    bottom = ROW * len(rows) + 8
    canvas = Canvas(WIDTH, bottom + 44, label)
    values = [value for row in rows for value in (row["z_mean"], *(row["z_ci"] or ()))]
    axis = axis_over(values, left, WIDTH - 14, zero=True)
    # xgettext:no-python-format
    canvas.bottom_axis(axis, bottom, _("mean z, 95 % interval"), top=0, zero=True)
    for place, row in enumerate(rows):
        y = ROW * (place + 0.5) + 4
        canvas.text(0, y + TEXT_DROP, row["name"], "label")
        if row["z_mean"] is not None:
            words = f"{row['name']}: {number(row['z_mean'], 3)}, {interval(row['z_ci'], 3)}"
            _bar(canvas, axis, y, row["z_mean"], row["z_ci"], words)
        if place < len(rows) - 1 and place in cuts | parts:
            canvas.line(0, y + ROW / 2, WIDTH, y + ROW / 2, "rule" if place in cuts else "part")
    return canvas.svg()


def _bar(
    canvas: Canvas,
    axis: Axis,
    y: float,
    value: float,
    bounds: Any,
    title: str,
    looks: Any = ("interval", "point"),
) -> None:
    low, high = bounds or (value, value)
    canvas.line(axis.place(low), y, axis.place(high), y, looks[0])
    canvas.dot(axis.place(value), y, looks[1], title)


def matrix(
    names: Sequence[str],
    p_values: dict[tuple[str, str], float | None],
    label: str,
    least: float = 0.0,
) -> SafeString:
    """Draw p-values of all pairs: the row is better than the column where a cell is filled.

    Args:
        names: systems in ranked order.
        p_values: of (better, worse).
        label: what the figure shows.
        least: the smallest p that the test can give; classes below it are left out of the legend.
    """
    written = len(names) <= MOST_WRITTEN
    left = label_width(names)
    size = min(46.0, (WIDTH - left - 8) / max(1, len(names)))
    top = 20.0
    canvas = Canvas(WIDTH, top + size * len(names) + 44, label)
    for place, name in enumerate(names):
        canvas.text(0, top + size * (place + 0.5) + TEXT_DROP, f"{place + 1} {name}", "label")
        canvas.text(left + size * (place + 0.5), top - 6, str(place + 1), "small", "middle")
    for a, first in enumerate(names):
        for b, second in enumerate(names):
            if (first, second) not in p_values:
                continue
            value = p_values[first, second]
            look = next((look for limit, look in LEVELS if value is not None and value < limit), "none")
            x, y = left + size * b, top + size * a
            canvas.rect(x, y, size - 2, size - 2, look, f"{first} – {second}: p {p_value(value)}")
            if written and value is not None:
                ink = "inverse" if look == "strong" else "cell"
                words = "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
                canvas.text(x + (size - 2) / 2, y + size / 2 + 3, words, ink, "middle")
    _key(canvas, left, top + size * len(names) + 14, least)
    return canvas.svg()


def _key(canvas: Canvas, x: float, y: float, least: float) -> None:
    reachable = [(limit, look) for limit, look in LEVELS if least < limit]
    known = [(f"p < {limit:g}".replace("0.", "."), look) for limit, look in reachable]
    for words, look in (*known, (_("not below .05"), "none")):
        canvas.rect(x, y, 14, 14, look)
        canvas.text(x + 20, y + 11, words)
        x += 44 + 7 * len(words)


def distributions(rows: Sequence[Row], scale: tuple[float, float], label: str) -> SafeString:
    """Draw how each system's raw scores spread: a histogram over tenths of the scale, quartiles, the mean.

    Args:
        rows: with `system`, `histogram` and the five numbers.
        scale: lowest and highest score.
        label: what the figure shows.
    """
    high = 46.0
    left = label_width(row["system"] for row in rows)
    bottom = (high + 12) * len(rows) + 6
    canvas = Canvas(WIDTH, bottom + 44, label)
    axis = Axis(*scale, left, WIDTH - 14)
    canvas.bottom_axis(
        axis,
        bottom,
        _("raw score; the line under the bars spans the middle half, the dot is the mean"),
        top=0,
    )
    for place, row in enumerate(rows):
        floor = (high + 12) * (place + 1) - 6
        canvas.text(0, floor - high / 2 + TEXT_DROP, row["system"], "label")
        _bars(canvas, axis, floor, high - 6, row["histogram"])
        if row["n"]:
            y = floor + 5
            canvas.line(axis.place(row["lower_quartile"]), y, axis.place(row["upper_quartile"]), y, "second")
            words = _("mean %(mean)s, median %(median)s") % {
                "mean": number(row["mean"], 1), "median": number(row["median"], 1)
            }  # fmt: skip
            canvas.dot(axis.place(row["mean"]), y, "point2", words, 4)
    return canvas.svg()


def _bars(canvas: Canvas, axis: Axis, floor: float, high: float, counts: Sequence[int]) -> None:
    step = (axis.end - axis.start) / len(counts)
    total, most = sum(counts), max(counts, default=0)
    for place, count in enumerate(counts):
        if count:
            height = max(1.5, high * count / most)
            words = f"{count:,} ({100 * count / total:.0f} %)"
            canvas.rect(axis.start + step * place + 1, floor - height, step - 2, height, "middle", words)


def mixed_beside_z(rows: Sequence[Row], label: str) -> SafeString:
    """Draw each system twice: mean z with its bootstrap interval, and the model's estimate with its own.

    Args:
        rows: with `name`, `z_mean`, `z_ci`, `estimate` and `estimate_ci`.
        label: what the figure shows.
    """
    high = 32
    left = label_width(row["name"] for row in rows)
    bottom = high * len(rows) + 26
    canvas = Canvas(WIDTH, bottom + 44, label)
    keys = ("z_mean", "estimate")
    ends = [end for row in rows for name in ("z_ci", "estimate_ci") for end in row[name] or ()]
    axis = axis_over([*(row[key] for row in rows for key in keys), *ends], left, WIDTH - 14, zero=True)
    canvas.dot(left + 8, 10, "point")
    canvas.text(left + 18, 14, _("mean z, bootstrap"))
    canvas.dot(left + 170, 10, "point2")
    canvas.text(left + 180, 14, _("mixed model"))
    canvas.bottom_axis(axis, bottom, _("z"), top=24, zero=True)
    for place, row in enumerate(rows):
        y = high * (place + 0.5) + 24
        canvas.text(0, y + TEXT_DROP, row["name"], "label")
        if row["z_mean"] is not None:
            _bar(canvas, axis, y - 6, row["z_mean"], row["z_ci"], interval(row["z_ci"], 3))
        looks = ("second", "point2")
        _bar(canvas, axis, y + 6, row["estimate"], row["estimate_ci"], interval(row["estimate_ci"], 3), looks)
    return canvas.svg()
