"""Metrics against people as scatter plots whose points open what is behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from annotation.services.report.figures.canvas import FONT, LOOKS, Canvas, axis_over, cut
from annotation.services.report.figures.scatter import MOST_NAMED, left_axis
from annotation.services.score_table import number

Row = dict[str, Any]
Box = tuple[float, float, float, float]
WIDTH, HEIGHT = 600.0, 320.0
LONGEST_NAME = 24
PLACES = (
    (9.0, 4.0, "start"), (-9.0, 4.0, "end"), (0.0, -9.0, "middle"), (0.0, 17.0, "middle"),
    (7.0, -7.0, "start"), (7.0, 15.0, "start"), (-7.0, -7.0, "end"), (-7.0, 15.0, "end"),
    (16.0, -18.0, "start"), (16.0, 27.0, "start"), (-16.0, -18.0, "end"), (-16.0, 27.0, "end"),
)  # fmt: skip
"""Where a name may stand from its dot: to the right, downwards, and which end is there; the best first."""

SKIPPED = mark_safe(' tabindex="-1"')  # nosec B308 # a constant
SMALL = 2.6
"""Radius of the dots of a cloud."""


class LinkedCanvas(Canvas):
    """A canvas whose dots are links; so the figure is a group, not a picture without parts."""

    def link(self, x: float, y: float, href: str, words: str, *, look: str, r: float, stop: bool) -> None:
        """Draw a dot that opens a page.

        Args:
            x: across.
            y: downwards.
            href: address, "" for a dot that opens nothing.
            words: what the dot is.
            look: of LOOKS.
            r: radius.
            stop: whether the Tab key stops at it.
        """
        if not href:
            self.dot(x, y, look, words, r)
            return
        circle = format_html(
            '<circle cx="{}" cy="{}" r="{}" {}><title>{}</title></circle>',
            f"{x:.1f}", f"{y:.1f}", r, LOOKS[look], words,
        )  # fmt: skip
        self.marks.append(
            format_html('<a href="{}" aria-label="{}"{}>{}</a>', href, words, "" if stop else SKIPPED, circle)
        )

    def svg(self) -> SafeString:
        """Return the figure."""
        return format_html(
            '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}" role="group" '
            'aria-label="{}" font-family="{}">{}</svg>',
            int(self.width), int(self.height), int(self.width), int(self.height), self.label, FONT,
            format_html_join("", "{}", ((mark,) for mark in self.marks)),
        )  # fmt: skip


def systems_scatter(points: Sequence[Row], across: str, upwards: str, label: str) -> SafeString:
    """Draw a dot a system, with names as long as there is room for them.

    Args:
        points: with `x`, `y`, `name` and `href`.
        across: title of the metric's scale.
        upwards: title of the people's scale.
        label: what the figure shows.
    """
    canvas, place = _framed(points, across, upwards, label)
    names = _Names(canvas, [place(point) for point in points])
    for point in sorted(points, key=lambda one: -one["y"]):
        x, y = place(point)
        words = f"{point['name']}: {number(point['x'], 2)}, {number(point['y'], 3)}"
        canvas.link(x, y, point["href"], words, look="point", r=5, stop=True)
        if len(points) <= MOST_NAMED:
            names.write(x, y, point["name"])
    return canvas.svg()


def segments_scatter(points: Sequence[Row], across: str, upwards: str, label: str) -> SafeString:
    """Draw a small dot a segment score; those with `far` are marked.

    Args:
        points: with `x`, `y`, `name`, `href` and `far`.
        across: title of the metric's scale.
        upwards: title of the people's scale.
        label: what the figure shows.
    """
    canvas, place = _framed(points, across, upwards, label)
    for point in sorted(points, key=lambda one: bool(one["far"])):
        x, y = place(point)
        words = f"{point['name']}: {number(point['x'], 2)}, {number(point['y'], 3)}"
        look, r = ("point2", 5.0) if point["far"] else ("middle", SMALL)
        canvas.link(x, y, point["href"], words, look=look, r=r, stop=False)
    return canvas.svg()


def _framed(points: Sequence[Row], across: str, upwards: str, label: str) -> tuple[LinkedCanvas, Any]:
    bottom, left, right = HEIGHT - 40, 56.0, WIDTH - 20.0
    canvas = LinkedCanvas(WIDTH, HEIGHT + 4, label)
    x_axis = axis_over([point["x"] for point in points], left, right)
    y_axis = axis_over([point["y"] for point in points], bottom, 24.0)
    canvas.bottom_axis(x_axis, bottom, across, top=24)
    left_axis(canvas, y_axis, left, right, upwards)
    return canvas, lambda point: (x_axis.place(point["x"]), y_axis.place(point["y"]))


class _Names:
    """Writes names beside dots, each where it covers the least of dots and other names."""

    def __init__(self, canvas: Canvas, dots: Sequence[tuple[float, float]]) -> None:
        self.canvas = canvas
        self.boxes: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for x, y in dots]

    def write(self, x: float, y: float, name: str) -> None:
        """Write the name of the dot at a place."""
        words = cut(name, LONGEST_NAME)
        boxes = [_box(x + right, y + down, words, anchor) for right, down, anchor in PLACES]
        covered = [self._covered(box) for box in boxes]
        best = covered.index(min(covered))
        right, down, anchor = PLACES[best]
        self.boxes.append(boxes[best])
        self.canvas.text(x + right, y + down, words, "small", anchor)

    def _covered(self, box: Box) -> float:
        """Return how much of what is drawn a name would cover; beyond the edge it must not go."""
        if box[0] < 0 or box[2] > self.canvas.width or box[1] < 16 or box[3] > HEIGHT - 40:
            return float("inf")
        return sum(_overlap(box, other) for other in self.boxes)


def _box(x: float, y: float, words: str, anchor: str) -> Box:
    """Return the edges of words about as wide as they are drawn: left, top, right, bottom."""
    wide = 6.6 * len(words)
    start = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
    return start, y - 10, start + wide, y + 3


def _overlap(one: Box, other: Box) -> float:
    wide = min(one[2], other[2]) - max(one[0], other[0])
    high = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, wide) * max(0.0, high)
