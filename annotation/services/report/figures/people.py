"""Figures of raters and of preferences: use of the scale, drift, shares, sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.services.report.figures.canvas import WIDTH, Axis, Canvas, axis_over, label_width
from annotation.services.report.figures.scatter import MOST_NAMED, Labels, left_axis
from annotation.services.score_table import interval, number

Row = dict[str, Any]


def raters(rows: Sequence[Row], scale: tuple[float, float], label: str) -> SafeString:
    """Draw each rater as a dot: mean across, spread (sd) upwards; excluded or constant ones hollow.

    Args:
        rows: with `rater`, `mean`, `sd` and `excluded_by`.
        scale: lowest and highest score.
        label: what the figure shows.
    """
    bottom, left = 250.0, 46.0
    canvas = Canvas(WIDTH, bottom + 44, label)
    across = Axis(*scale, left, WIDTH - 90)
    upwards = axis_over([row["sd"] for row in rows], bottom, 12.0, zero=True)
    canvas.bottom_axis(across, bottom, _("mean raw score"), top=12)
    left_axis(canvas, upwards, left, WIDTH - 90, _("sd"))
    labels = Labels(canvas)
    for row in rows:
        if row["mean"] is None:
            continue
        x, y = across.place(row["mean"]), upwards.place(row["sd"] or 0.0)
        look = "hollow" if row["excluded_by"] or not row["sd"] else "point"
        canvas.dot(
            x, y, look, f"{row['rater']}: {number(row['mean'], 1)} ± {number(row['sd'], 1)}, n {row['n']:,}"
        )
        if len(rows) <= MOST_NAMED:
            labels.write(x, y, row["rater"])
    return canvas.svg()


def drift(parts: Sequence[Row], label: str) -> SafeString:
    """Draw mean z over tenths of the raters' way, with its interval.

    Args:
        parts: with `part`, `mean` and `ci`.
        label: what the figure shows.
    """
    bottom, left, right = 190.0, 56.0, WIDTH - 14.0
    canvas = Canvas(WIDTH, bottom + 44, label)
    known = [row for row in parts if row["mean"] is not None]
    ends = [end for row in known for end in row["ci"] or ()]
    upwards = axis_over([*(row["mean"] for row in known), *ends], bottom, 16.0, zero=True)
    left_axis(canvas, upwards, left, right, _("mean z"))
    step = (right - left) / max(1, len(parts))
    places = {row["part"]: left + step * (row["part"] - 0.5) for row in parts}
    for row in known:
        x = places[row["part"]]
        low, high = row["ci"] or (row["mean"], row["mean"])
        canvas.line(x, upwards.place(low), x, upwards.place(high), "interval")
        words = f"{number(row['mean'], 3)}, {interval(row['ci'], 3)}, n {row['n']:,}"
        canvas.dot(x, upwards.place(row["mean"]), "point", words)
    canvas.shape([(places[row["part"]], upwards.place(row["mean"])) for row in known], "path")
    for part, x in places.items():
        canvas.text(x, bottom + 16, str(part), "small", "middle")
    canvas.text(
        (left + right) / 2, bottom + 34, _("tenth of a rater's way through the items"), "small", "middle"
    )
    return canvas.svg()


def shares(rows: Sequence[Row], label: str) -> SafeString:
    """Draw shares side by side, one row each: first, equal, second, with the percentages written in.

    Args:
        rows: with `first`, `second` (words for the ends) and `parts`, three shares that sum to 1.
        label: what the figure shows.
    """
    high = 34
    left, right = label_width(row["first"] for row in rows), label_width(row["second"] for row in rows)
    canvas = Canvas(WIDTH, high * len(rows) + 30, label)
    width = WIDTH - left - right
    for place, row in enumerate(rows):
        y, x = high * place + 4.0, left
        canvas.text(left - 10, y + 17, row["first"], "label", "end")
        for share, look in zip(row["parts"], ("strong", "faint", "middle"), strict=True):
            canvas.rect(x, y, width * share, high - 10, look, f"{100 * share:.1f} %")
            if share >= 0.06:
                ink = "inverse" if look == "strong" else "cell"
                canvas.text(x + width * share / 2, y + 16, f"{100 * share:.0f} %", ink, "middle")
            x += width * share
        canvas.text(WIDTH - right + 10, y + 17, row["second"], "label")
    middle = left + width / 2
    canvas.line(middle, 0, middle, high * len(rows), "axis")
    canvas.text(
        middle, high * len(rows) + 18, _("half of the comparisons; in between: equal"), "small", "middle"
    )
    return canvas.svg()


def holds(rows: Sequence[Row], label: str) -> SafeString:
    """Draw every mean of z again and again: a line for all, a tick for each part left out.

    Args:
        rows: with `name`, `z_mean` and `left_out`, the means by kind ("rater", "document", "condition").
        label: what the figure shows.
    """
    looks = {
        "rater": ("tick", _("a rater left out")),
        "document": ("tick2", _("a document left out")),
        "condition": ("tick3", _("a condition left out")),
    }
    kinds = [kind for kind in looks if any(row["left_out"].get(kind) for row in rows)]
    high = 13 * len(kinds) + 11
    left = label_width(row["name"] for row in rows)
    bottom = high * len(rows) + 30
    canvas = Canvas(WIDTH, bottom + 44, label)
    values = [value for row in rows for own in row["left_out"].values() for value in own]
    axis = axis_over([*(row["z_mean"] for row in rows), *values], left, WIDTH - 14)
    for place, kind in enumerate(kinds):
        x = left + 160 * place
        canvas.line(x + 4, 4, x + 4, 18, looks[kind][0])
        canvas.text(x + 12, 16, looks[kind][1])
    canvas.bottom_axis(axis, bottom, _("mean z"), top=24, zero=True)
    for place, row in enumerate(rows):
        top = high * place + 28
        canvas.text(0, top + high / 2 + 1, row["name"], "label")
        for lane, kind in enumerate(kinds):
            y = top + 13 * lane + 7
            for value in row["left_out"].get(kind, ()):
                canvas.line(axis.place(value), y - 5, axis.place(value), y + 5, looks[kind][0])
        if row["z_mean"] is not None:
            canvas.line(axis.place(row["z_mean"]), top, axis.place(row["z_mean"]), top + high - 8, "rule")
    return canvas.svg()
