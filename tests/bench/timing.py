"""What a benchmark gives back, and how time is taken."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass
class Section:
    """One part of docs/benchmarks.md.

    Attributes:
        title: its heading.
        text: what was measured, in Markdown.
        promises: what must hold, in words.
        missed: those of them that did not hold in this run.
    """

    title: str
    text: str
    promises: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def promise(self, words: str, kept: bool) -> None:
        """Note what must hold and whether it does."""
        self.promises.append(words)
        if not kept:
            self.missed.append(words)


def best(function: Callable[[], T], times: int = 3) -> tuple[float, T]:
    """Return the shortest processor time of several runs, in seconds, and what the last one returned.

    Processor time of all threads together: other programs on the machine disturb it least.
    """
    shortest = float("inf")
    for _ in range(times):
        start = time.process_time()
        result = function()
        shortest = min(shortest, time.process_time() - start)
    return shortest, result


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; columns after the first are aligned to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (header, rule, *rows))
