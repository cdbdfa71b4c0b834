"""Small figures drawn on the server as SVG: intervals with a zero line, bars, shares.

Colours and strokes come from the style sheet (classes), so the figures follow dark mode and print.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT = 160, 20
MARGIN = 8
Bounds = Sequence[float]


def span_of(values: Iterable[float | None], always: Iterable[float] = (0.0,)) -> tuple[float, float]:
    """Return the lowest and highest of what a column of figures has to show."""
    known = [value for value in values if value is not None]
    known += list(always)
    low, high = min(known), max(known)
    return (low, high) if low < high else (low - 1, high + 1)


def interval_svg(
    estimate: float | None, bounds: Bounds | None, span: tuple[float, float], label: str, line_at: float = 0.0
) -> SafeString:
    """Draw an estimate and its interval on the common span, with a line at zero (or `line_at`)."""
    if estimate is None:
        return SafeString("")

    def place(value: float) -> str:
        return f"{MARGIN + (WIDTH - 2 * MARGIN) * (value - span[0]) / (span[1] - span[0]):.1f}"

    middle = HEIGHT / 2
    low, high = bounds or (estimate, estimate)
    return format_html(
        '<svg width="{}" height="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<line class="axis" x1="{}" x2="{}" y1="0" y2="{}"/>'
        '<line class="interval" x1="{}" x2="{}" y1="{}" y2="{}"/>'
        '<circle class="point" cx="{}" cy="{}" r="4.5"/></svg>',
        WIDTH, HEIGHT, WIDTH, HEIGHT, label, place(line_at), place(line_at), HEIGHT,
        place(low), place(high), middle, middle, place(estimate), middle,
    )  # fmt: skip


def bars_svg(counts: Sequence[int], label: str) -> SafeString:
    """Draw counts as bars, the highest as high as the figure; a count of zero leaves a gap."""
    highest = max(counts, default=0)
    if not highest:
        return SafeString("")
    width, step = 96, 96 / len(counts)
    bars = format_html_join(
        "",
        '<rect class="bar-fill" x="{}" y="{}" width="{}" height="{}"/>',
        (
            (f"{step * n + 1:.1f}", f"{HEIGHT - height:.1f}", f"{step - 2:.1f}", f"{height:.1f}")
            for n, height in enumerate(max(2.0, HEIGHT * n / highest) if n else 0.0 for n in counts)
            if height
        ),
    )
    return format_html(
        '<svg width="{}" height="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        width, HEIGHT, width, HEIGHT, label, bars,
    )  # fmt: skip


def shares_svg(shares: Sequence[float], label: str) -> SafeString:
    """Draw shares that sum to one side by side: strong, faint, middling (A, equal, B)."""
    start, parts = 0.0, []
    for share, opacity in zip(shares, ("1", ".18", ".5"), strict=True):
        parts.append((f"{WIDTH * start:.1f}", f"{WIDTH * share:.1f}", opacity))
        start += share
    bars = format_html_join(
        "", '<rect class="bar-fill" x="{}" y="3" width="{}" height="14" opacity="{}"/>', parts
    )
    return format_html(
        '<svg width="{}" height="{}" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>',
        WIDTH, HEIGHT, WIDTH, HEIGHT, label, bars,
    )  # fmt: skip


def histogram_svg(
    shares: Sequence[float], others: Sequence[float], labels: Sequence[str], label: str
) -> SafeString:
    """Draw shares of answers as bars over the names of their parts, those of others as lines across."""
    highest = max((*shares, *others), default=0)
    if not highest:
        return SafeString("")
    width, height, foot = 600, 150, 24
    step = width / len(shares)

    def top(share: float) -> float:
        return foot / 2 + height * (1 - share / highest)

    bars = format_html_join(
        "",
        '<rect class="bar-fill" x="{}" y="{}" width="{}" height="{}"/>',
        (
            (
                f"{step * n + 4:.1f}",
                f"{top(share):.1f}",
                f"{step - 8:.1f}",
                f"{foot / 2 + height - top(share):.1f}",
            )
            for n, share in enumerate(shares)
            if share
        ),
    )
    lines = format_html_join(
        "",
        '<line class="axis others" x1="{}" x2="{}" y1="{}" y2="{}"/>',
        (
            (f"{step * n + 1:.1f}", f"{step * (n + 1) - 1:.1f}", f"{top(share):.1f}", f"{top(share):.1f}")
            for n, share in enumerate(others)
        ),
    )
    names = format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="middle">{}</text>',
        ((f"{step * (n + 0.5):.1f}", f"{height + foot + 6:.0f}", name) for n, name in enumerate(labels)),
    )
    return format_html(
        '<svg class="histogram" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}{}</svg>',
        width, height + foot + 12, label, bars, lines, names,
    )  # fmt: skip
