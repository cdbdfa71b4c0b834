"""Wins and clusters of ranked systems."""

from __future__ import annotations

from annotation.stats.records import BoolArray

RULES = ("strict", "wmt")
WIN_LEVEL = 0.05
"""A wins over B when z_A > z_B and the one-sided rank-sum p is below this."""


def clusters(beats: BoolArray, rule: str = "strict") -> list[tuple[int, int]]:
    """Return the ranks (first, last) of each system's cluster, ranks from 1.

    Args:
        beats: beats[i, j] says that i wins over j, systems in ranked order (best first) [N, N].
        rule: "strict": a cluster ends where everyone above beats everyone below. "wmt": it ends after rank i
            when system i wins over exactly N − i systems.

    Raises:
        ValueError: an unknown rule.
    """
    if rule not in RULES:
        raise ValueError(f"unknown cluster rule {rule!r}, expected one of {', '.join(RULES)}")
    size = len(beats)
    result: list[tuple[int, int]] = []
    first = 1
    for rank in range(1, size + 1):
        if rule == "strict":
            ends = bool(beats[:rank, rank:].all())
        else:
            ends = int(beats[rank - 1].sum()) == size - rank
        if ends or rank == size:
            result.extend([(first, rank)] * (rank - first + 1))
            first = rank + 1
    return result
