"""How small a p-value from resamples can be, and when they are too few for a correction over pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from annotation.stats.options import RESAMPLES, ScoreOptions
from evalplatform.words import counted

LEVEL = 0.05
RESAMPLED = {"bootstrap": (2, "p_bootstrap_two_sided"), "randomisation": (1, "p_randomisation")}
"""Tests by B resamples: (count, key); the two-sided p under the key is at least count / (B + 1)."""


def correction_notes(pairs: Sequence[Mapping[str, Any]], options: ScoreOptions) -> list[str]:
    """Say when no p corrected by Holm can be below .05, and with how many resamples one can.

    Args:
        pairs: as `score_ratings` returns them; those of preferences have an exact test and no such bound.
        options: how they were tested.
    """
    least = least_p(pairs, options)
    if options.correction != "holm" or least < LEVEL:
        return []
    count, key = RESAMPLED[options.test]
    n_pairs = _tested(pairs, key)
    needed = 100 * ceil(round(count * n_pairs / LEVEL) / 100)
    remedy = f"--resamples {needed} or more" if needed <= RESAMPLES[1] else "--test signed_rank"
    written = "1" if least >= 1 else f"{least:.2f}".removeprefix("0")
    return [
        f"With {options.resamples:,} resamples and {counted(n_pairs, 'pair')} no corrected p can be below "
        f"{written}: use {remedy}."
    ]


def least_p(pairs: Sequence[Mapping[str, Any]], options: ScoreOptions) -> float:
    """Return the bound below which no two-sided p lies that decides: corrected where asked for.

    Holm multiplies the smallest p by the number of pairs tested, so its bound can be above 1. Uncorrected,
    the bootstrap decides whatever test is chosen. 0 for tests without resamples.

    Args:
        pairs: as for `correction_notes`.
        options: how they were tested.
    """
    corrected = options.correction == "holm"
    count, key = RESAMPLED.get(options.test if corrected else "bootstrap", (0, ""))
    return count * (_tested(pairs, key) if corrected else 1) / (options.resamples + 1)


def _tested(pairs: Sequence[Mapping[str, Any]], key: str) -> int:
    return sum(1 for row in pairs if row.get(key) is not None and "a_better" not in row)
