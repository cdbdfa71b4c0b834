"""Wins, clusters and rank ranges of ranked systems."""

from __future__ import annotations

import numpy as np

from annotation.stats.records import BoolArray, FloatArray

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


def rank_ranges(beats: BoolArray) -> list[tuple[int, int]]:
    """Return the ranks that each system may have: losses + 1 to N − wins.

    Args:
        beats: beats[i, j] says that i wins over j, in any order [N, N].
    """
    losses, wins = beats.sum(axis=0), beats.sum(axis=1)
    return [(int(lost) + 1, len(beats) - int(won)) for lost, won in zip(losses, wins, strict=True)]


def bootstrap_rank_ranges(
    draws: FloatArray, estimate: FloatArray, level: float = 0.95
) -> list[tuple[int, int]]:
    """Return the ranks that each system has in the middle share of resamples, and in the data.

    Rank 1 is the highest value; systems that tie share the best of their ranks.

    Args:
        draws: resampled values [B, N].
        estimate: values from the data [N].
        level: the share of resamples inside, in (0, 1); the bounds are ranks that occur.
    """
    tail = (1 - level) / 2
    ranks = (draws[:, None, :] > draws[:, :, None]).sum(axis=2) + 1
    low = np.quantile(ranks, tail, axis=0, method="lower")
    high = np.quantile(ranks, 1 - tail, axis=0, method="higher")
    own = (estimate[None, :] > estimate[:, None]).sum(axis=1) + 1
    return [(int(min(a, r)), int(max(b, r))) for a, b, r in zip(low, high, own, strict=True)]
