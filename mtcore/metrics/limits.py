"""How long a line may be for metrics whose time or memory grows faster than the line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mtcore.metrics.base import MetricError

MOST_WORDS = {"ter": 500, "meteor": 1_000, "beer": 10_000}
"""Metric → words that it takes in a line of an output or reference; all others take lines of any length."""

_SIGNS = r"\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORDS = re.compile(rf"[{_SIGNS}]|[^\s{_SIGNS}]+")


def words_count(line: str) -> int:
    """Count what stands between white space; a Chinese or Japanese character is a word by itself."""
    return sum(1 for _ in _WORDS.finditer(line))


def check_words(
    name: str, title: str, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> None:
    """Refuse lines that are too long for a metric.

    Args:
        name: of the metric.
        title: what messages call it.
        hypotheses: the output, a line a segment [n].
        references: one sequence of lines a reference translation, each [n].

    Raises:
        MetricError: with the first line that is too long, its words, and how many the metric takes.
    """
    most = MOST_WORDS[name]
    sides = [("the output", hypotheses)]
    for number, lines in enumerate(references, start=1):
        sides.append((f"reference {number}" if len(references) > 1 else "the reference", lines))
    for side, lines in sides:
        for number, line in enumerate(lines, start=1):
            # a word has one character at least
            if len(line) > most and (count := words_count(line)) > most:
                raise MetricError(
                    f"line {number:,} of {side} has {count:,} words; {title} takes at most {most:,} a line"
                )
