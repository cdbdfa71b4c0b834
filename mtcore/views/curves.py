"""Curves of what a run measured over its working time, drawn on the server as SVG, with their table.

The axis is the time that the run was worked on: pauses between attempts are left out, and a line stands where
a new attempt begins. Colours come from the style sheet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from mtcore.services.run_effort import Point, points_timed
from mtcore.views.curve_names import family_of_name, is_drawn, label_of, ordered
from mtcore.views.words import duration, figure

WIDTH, HEIGHT = 520, 220
START, END, TOP, FOOT = 62, 14, 14, 30
MOST_CURVES = 6
MOST_LINES = 4
TABLE_ROWS = 40
LINE_POINTS = 160
"""A line has at most so many corners: more cannot be seen, and the page is sent again and again."""
LOGARITHMIC_FROM = 20.0
"""A figure that falls, whose highest value is so many times the lowest, has a logarithmic axis."""


@dataclass
class Series:
    """One measured quantity: for each attempt its points (seconds of work, value)."""

    name: str
    attempts: dict[int, list[tuple[float, float]]] = field(default_factory=dict)

    @property
    def points(self) -> list[tuple[float, float]]:
        """Return the points of all attempts."""
        return [point for points in self.attempts.values() for point in points]


@dataclass(frozen=True)
class Curve:
    """A figure: its title, its drawing, and what its lines are (number of the style, name, last value)."""

    title: str
    svg: SafeString
    lines: list[tuple[int, str, str]]


@dataclass(frozen=True)
class History:
    """What a run measured: figures, and the same as a table."""

    curves: list[Curve]
    columns: list[str]
    rows: list[list[str]]
    n_points: int


def history_of(points: Sequence[Point]) -> History:
    """Return the figures and the table of what a run measured."""
    timed = [(seconds, point) for seconds, point, _at in points_timed(points)]
    measured = [(seconds, point) for seconds, point in timed if point.get("metrics")]
    names = list(dict.fromkeys(name for _s, point in measured for name in point["metrics"]))
    families: dict[str, list[str]] = {}
    for name in names:
        if is_drawn(name, names):
            families.setdefault(family_of_name(name), []).append(name)
    starts = _starts(timed)
    curves = [
        curve
        for family, members in list(ordered(families).items())[: 2 * MOST_CURVES]
        if (curve := _curve(family, [_series(name, measured) for name in members[:MOST_LINES]], starts))
    ]
    shown = _thinned(measured, TABLE_ROWS)
    rows = [
        [str(point.get("attempt", "")), duration(timedelta(seconds=seconds))]
        + [figure(point["metrics"].get(name, "–")) for name in names]
        for seconds, point in shown
    ]
    columns = [_("Attempt"), _("Working time"), *map(label_of, names)]
    return History(curves[:MOST_CURVES], columns, rows, len(measured))


def _starts(timed: Sequence[tuple[float, Point]]) -> list[float]:
    """Return when later attempts began."""
    found: list[float] = []
    for (_before, first), (seconds, second) in pairwise(timed):
        if first.get("attempt") != second.get("attempt"):
            found.append(seconds)
    return found


def _series(name: str, measured: Sequence[tuple[float, Point]]) -> Series:
    series = Series(name)
    for seconds, point in measured:
        value = point["metrics"].get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            series.attempts.setdefault(int(point.get("attempt") or 1), []).append((seconds, float(value)))
    return series


def _curve(family: str, series: Sequence[Series], starts: Sequence[float]) -> Curve | None:
    """Draw the quantities of a family; None where there is no line to draw."""
    shown = [one for one in series if len(one.points) > 1]
    if not shown:
        return None
    values = [value for one in shown for _seconds, value in one.points]
    low, high = min(values), max(values)
    falls = shown[0].points[0][1] > shown[0].points[-1][1]
    logarithmic = falls and low > 0 and high / low >= LOGARITHMIC_FROM
    scale = _Scale(low, high, max(seconds for one in shown for seconds, _v in one.points), logarithmic)
    title = label_of(family) + (_(" (logarithmic)") if logarithmic else "")
    both = len(shown) > 1
    lines = [
        (number, label_of(one.name, beside=both), figure(one.points[-1][1]))
        for number, one in enumerate(shown, 1)
    ]
    spoken = "; ".join(
        _("%(name)s: from %(first)s to %(last)s")
        % {"name": name, "first": figure(one.points[0][1]), "last": last}
        for one, (_n, name, last) in zip(shown, lines, strict=True)
    )
    return Curve(title, _drawn(shown, starts, scale, f"{title}. {spoken}"), lines)


class _Scale:
    """Places on the drawing."""

    def __init__(self, low: float, high: float, seconds: float, logarithmic: bool) -> None:
        self.logarithmic = logarithmic
        if not logarithmic:
            room = (high - low) * 0.05 or abs(high) * 0.1 or 1.0
            low, high = (max(0.0, low - room) if low >= 0 else low - room), high + room
        self.low, self.high, self.seconds = low, high, max(seconds, 1e-9)

    def x(self, seconds: float) -> str:
        return f"{START + (WIDTH - START - END) * seconds / self.seconds:.1f}"

    def y(self, value: float) -> str:
        if self.logarithmic:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return f"{TOP + (HEIGHT - TOP - FOOT) * (1 - part):.1f}"

    def values(self) -> list[float]:
        """Return where the lines across stand."""
        if self.logarithmic:
            return [self.low * (self.high / self.low) ** (n / 4) for n in range(5)]
        step = _round_step((self.high - self.low) / 5)
        first = math.ceil(self.low / step)
        return [step * n for n in range(first, first + 7) if step * n <= self.high]


def _round_step(rough: float) -> float:
    """Return the next of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * n for n in (1, 2, 5, 10) if power * n >= rough * 0.999)


def _drawn(series: Sequence[Series], starts: Sequence[float], scale: _Scale, label: str) -> SafeString:
    across = format_html_join(
        "",
        '<line class="c-grid" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        '<text x="{}" y="{}" text-anchor="end" dy=".35em">{}</text>',
        (
            (START, WIDTH - END, scale.y(v), scale.y(v), START - 8, scale.y(v), figure(round(v, 6)))
            for v in scale.values()
        ),
    )
    times = format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="{}">{}</text>',
        (
            (scale.x(scale.seconds * part), HEIGHT - 8, anchor, _short(scale.seconds * part))
            for part, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end"))
        ),
    )
    begun = format_html_join(
        "",
        '<line class="c-attempt" x1="{}" x2="{}" y1="{}" y2="{}"/>',
        ((scale.x(at), scale.x(at), TOP, HEIGHT - FOOT) for at in starts if 0 < at < scale.seconds),
    )
    lines = format_html_join(
        "",
        '<polyline class="c-line c-{}" points="{}"/>',
        (
            (
                number,
                " ".join(f"{scale.x(at)},{scale.y(value)}" for at, value in _thinned(points, LINE_POINTS)),
            )
            for number, one in enumerate(series, 1)
            for points in one.attempts.values()
        ),
    )
    ends = format_html_join(
        "",
        '<circle class="c-end c-{}" cx="{}" cy="{}" r="3.5"/>',
        (
            (number, scale.x(one.points[-1][0]), scale.y(one.points[-1][1]))
            for number, one in enumerate(series, 1)
        ),
    )
    axis = format_html(
        '<line class="c-axis" x1="{}" x2="{}" y1="{}" y2="{}"/>',
        START,
        WIDTH - END,
        HEIGHT - FOOT,
        HEIGHT - FOOT,
    )
    return format_html(
        '<svg class="curve" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}{}{}{}</svg>',
        WIDTH,
        HEIGHT,
        label,
        across,
        axis,
        begun,
        lines,
        ends,
        times,
    )


def _short(seconds: float) -> str:
    return duration(timedelta(seconds=seconds))


def _thinned(rows: Sequence[Any], most: int) -> list[Any]:
    """Return at most so many, evenly spread, the last among them."""
    if len(rows) <= most:
        return list(rows)
    step = (len(rows) - 1) / (most - 1)
    return [rows[round(n * step)] for n in range(most)]
