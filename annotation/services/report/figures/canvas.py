"""Draw SVG that looks right in a page and alone.

Every mark has a class and plain attributes: a page's style sheet (which follows dark mode and print) wins
over the attributes, and a file opened elsewhere has the attributes. No style is written inline.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from annotation.services.score_table import number

LOOKS: dict[str, SafeString] = {
    name: mark_safe(f'class="f-{name}" {attributes}')  # nosec B308, B703 # noqa: S308 (constants)
    for name, attributes in {
        "axis": 'stroke="#8b8678" stroke-width="1"',
        "grid": 'stroke="#dcd9d1" stroke-width="1"',
        "rule": 'stroke="#1b1f24" stroke-width="2"',
        "part": 'stroke="#dcd9d1" stroke-width="6"',
        "interval": 'stroke="#1f5fae" stroke-width="3"',
        "second": 'stroke="#8f5500" stroke-width="3"',
        "path": 'fill="none" stroke="#1f5fae" stroke-width="2"',
        "band": 'fill="#1f5fae" fill-opacity="0.15"',
        "point": 'fill="#1f5fae"',
        "point2": 'fill="#8f5500"',
        "hollow": 'fill="none" stroke="#8f5500" stroke-width="2"',
        "tick": 'stroke="#1f5fae" stroke-width="1.5" stroke-opacity="0.55"',
        "tick2": 'stroke="#8f5500" stroke-width="1.5" stroke-opacity="0.7"',
        "tick3": 'stroke="#1a7045" stroke-width="1.5"',
        "bar": 'fill="#1f5fae"',
        "strong": 'fill="#1f5fae"',
        "middle": 'fill="#1f5fae" fill-opacity="0.55"',
        "faint": 'fill="#1f5fae" fill-opacity="0.22"',
        "none": 'fill="#1f5fae" fill-opacity="0.05"',
        "label": 'fill="#1b1f24" font-size="13"',
        "small": 'fill="#596370" font-size="12"',
        "cell": 'fill="#1b1f24" font-size="11"',
        "inverse": 'fill="#ffffff" font-size="11"',
    }.items()
}
FONT = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
WIDTH = 720
LONGEST_LABEL = 40
NO_SPREAD = 1e-9
"""Values whose spread is at most this times max(1, the largest) differ by rounding alone."""


@dataclass(frozen=True)
class Axis:
    """A horizontal scale from values to places."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Return where a value stands; values outside stand at the end."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    def ticks(self, about: int = 6) -> list[float]:
        """Return round values inside the axis, two at the least."""
        step, first, last = 1.0, 0, 0
        for parts in range(max(1, about), about + 8):
            step = round_step((self.high - self.low) / parts)
            first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
            if last > first:
                break
        decimals = 10 - floor(log10(step))
        return [round(n * step, decimals) + 0.0 for n in range(first, last + 1)]


def round_step(rough: float) -> float:
    """Return 1, 2 or 5 times a power of ten, not below `rough`."""
    power = 10.0 ** floor(log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def axis_over(values: Iterable[float | None], start: float, end: float, *, zero: bool = False) -> Axis:
    """Return an axis with a little room around all values (and zero, when asked)."""
    known = [value for value in values if value is not None] + ([0.0] if zero else [])
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    largest = max(abs(low), abs(high))
    is_flat = high - low <= NO_SPREAD * max(1.0, largest)
    room = max(0.5, 1e-6 * largest) if is_flat else 0.04 * (high - low)
    return Axis(low - room, high + room, start, end)


class Canvas:
    """Collects marks and gives the SVG."""

    def __init__(self, width: float, height: float, label: str) -> None:
        self.width, self.height, self.label = width, height, label
        self.marks: list[SafeString] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, look: str) -> None:
        """Draw a line."""
        self.marks.append(
            format_html(
                '<line x1="{}" y1="{}" x2="{}" y2="{}" {}/>', _n(x1), _n(y1), _n(x2), _n(y2), LOOKS[look]
            )
        )

    def rect(self, x: float, y: float, width: float, height: float, look: str, title: str = "") -> None:
        """Draw a box, with words that appear when it is pointed at."""
        sizes = (_n(x), _n(y), _n(max(0.0, width)), _n(max(0.0, height)))
        self.marks.append(
            format_html(
                '<rect x="{}" y="{}" width="{}" height="{}" {}>{}</rect>', *sizes, LOOKS[look], _title(title)
            )
        )

    def dot(self, x: float, y: float, look: str = "point", title: str = "", r: float = 4.5) -> None:
        """Draw a dot."""
        self.marks.append(
            format_html(
                '<circle cx="{}" cy="{}" r="{}" {}>{}</circle>',
                _n(x),
                _n(y),
                _n(r),
                LOOKS[look],
                _title(title),
            )
        )

    def shape(self, points: Iterable[tuple[float, float]], look: str, *, closed: bool = False) -> None:
        """Draw a line through points, or a closed shape."""
        places = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
        tag = "polygon" if closed else "polyline"
        self.marks.append(format_html('<{} points="{}" {}/>', tag, places, LOOKS[look]))

    def text(self, x: float, y: float, words: str, look: str = "small", anchor: str = "start") -> None:
        """Write words; long labels are cut and whole when pointed at."""
        short = cut(words) if look == "label" else words
        title = _title(words if short != words else "")
        self.marks.append(
            format_html(
                '<text x="{}" y="{}" text-anchor="{}" {}>{}{}</text>',
                _n(x),
                _n(y),
                anchor,
                LOOKS[look],
                title,
                short,
            )
        )

    def bottom_axis(self, axis: Axis, y: float, title: str, *, top: float, zero: bool = False) -> None:
        """Draw grid lines, tick labels and the title of a horizontal scale; zero as a stronger line."""
        ticks = axis.ticks()
        decimals = decimals_of(ticks)
        for value in ticks:
            strong = zero and value == 0
            self.line(axis.place(value), top, axis.place(value), y, "axis" if strong else "grid")
            self.text(axis.place(value), y + 16, number(value, decimals), "small", "middle")
        self.text((axis.start + axis.end) / 2, y + 34, title, "small", "middle")

    def svg(self) -> SafeString:
        """Return the figure."""
        return format_html(
            '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {} {}" role="img" '
            'font-family="{}"><title>{}</title>{}</svg>',
            _n(self.width), _n(self.height), _n(self.width), _n(self.height), FONT, self.label,
            format_html_join("", "{}", ((mark,) for mark in self.marks)),
        )  # fmt: skip


def decimals_of(ticks: list[float]) -> int:
    """Return how many decimals tell ticks apart."""
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    return max(0, -floor(log10(step) + 1e-9))


def cut(words: str, longest: int = LONGEST_LABEL) -> str:
    """Return words that fit a label."""
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"


def label_width(labels: Iterable[str]) -> float:
    """Return about how wide the longest label is in units of the figure."""
    return max((sum(13 if _wide(mark) else 7.4 for mark in cut(label)) for label in labels), default=0) + 12


def _wide(mark: str) -> bool:
    return unicodedata.east_asian_width(mark) in "WF"


def _title(words: str) -> SafeString:
    return format_html("<title>{}</title>", words) if words else SafeString("")


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
