"""Rows of a score: plain numbers and strings, None where nothing is defined."""

from __future__ import annotations

from math import isnan
from typing import Any, NamedTuple

import numpy as np

from annotation.stats.aggregate import Averages, row_sds
from annotation.stats.options import ScoreOptions
from annotation.stats.records import FloatArray, IntArray
from annotation.stats.significance import BootstrapP
from annotation.stats.standardise import RaterSummary

CONDITION_KEYS = ("testset", "input", "reference", "direction")


class Intervals(NamedTuple):
    """95 % intervals of raw means [E, 2], z means [E, 2] and differences of z means [P, 2]."""

    raw: FloatArray
    z: FloatArray
    difference: FloatArray


class PairTests(NamedTuple):
    """What was found of each pair [P], nan where it has too few segments.

    `rank_sum` is one-sided, the others two-sided; `corrected` is None when no correction was asked for.
    """

    n_common: IntArray
    difference: FloatArray
    bootstrap: BootstrapP
    randomisation: FloatArray
    signed_rank: FloatArray
    rank_sum: FloatArray
    corrected: FloatArray | None


class Placing(NamedTuple):
    """Wins of an entry within its condition, and the first and last rank of its cluster and of itself."""

    wins: int
    cluster: list[int]
    rank_range: list[int]


def rater_row(summary: RaterSummary) -> dict[str, Any]:
    """Return a rater's summary as a row of the result."""
    return summary._asdict()


def system_rows(
    averages: Averages, order: list[int], intervals: Intervals, placing: dict[int, Placing]
) -> list[dict[str, Any]]:
    """Return the rows of the entries in the given order."""
    n_z_segments = np.count_nonzero(~np.isnan(averages.z), axis=1)
    raw_sd, z_sd = row_sds(averages.raw), row_sds(averages.z)
    rows = []
    for code in order:
        entry, place = averages.entries[code], placing.get(code)
        rows.append(
            {
                "system": entry.system,
                **dict(zip(CONDITION_KEYS, entry.condition, strict=True)),
                "raw_mean": number(averages.raw_mean[code]),
                "raw_sd": number(raw_sd[code]),
                "z_mean": number(averages.z_mean[code]),
                "z_sd": number(z_sd[code]),
                "raw_ci": interval(intervals.raw[code], int(averages.n_segments[code])),
                "z_ci": interval(intervals.z[code], int(n_z_segments[code])),
                "n_segments": int(averages.n_segments[code]),
                "n_judgements": int(averages.n_judgements[code]),
                "n_z": int(averages.n_z[code]),
                "n_raters": int(averages.n_raters[code]),
                "wins": place.wins if place else None,
                "cluster": place.cluster if place else None,
                "rank_range": place.rank_range if place else None,
            }
        )
    return rows


def pair_rows(
    averages: Averages, pairs: IntArray, intervals: Intervals, tests: PairTests, options: ScoreOptions
) -> list[dict[str, Any]]:
    """Return the rows of the pairs in the given order."""
    rows = []
    for place, (a, b) in enumerate(pairs):
        first, second = averages.entries[a], averages.entries[b]
        n = int(tests.n_common[place])
        names = (first.system, second.system)
        one_sided, label = _one_sided(tests.bootstrap, place, names, options.hypothesis)
        row = {
            "system_a": first.system,
            "system_b": second.system,
            "z_difference": number(tests.difference[place]),
            "z_difference_ci": interval(intervals.difference[place], n),
            "p_bootstrap_one_sided": one_sided if n >= 2 else None,
            "p_bootstrap_two_sided": float(tests.bootstrap.two_sided[place]) if n >= 2 else None,
            "one_sided": label,
            "hypothesis": ">".join((options.hypothesis if label == "declared" else None) or names),
            "p_rank_sum": number(tests.rank_sum[place]),
            "p_randomisation": number(tests.randomisation[place]),
            "p_signed_rank": number(tests.signed_rank[place]),
            "n_common": n,
        }
        if tests.corrected is not None:
            row["p_holm"] = number(tests.corrected[place])
        if options.by_condition:
            row |= dict(zip(CONDITION_KEYS, first.condition, strict=True))
        rows.append(row)
    return rows


def _one_sided(
    p_values: BootstrapP, place: int, names: tuple[str, str], hypothesis: tuple[str, str] | None
) -> tuple[float, str]:
    """Return the one-sided p and whether its direction was declared or read off the data."""
    if hypothesis == names:
        return float(p_values.greater[place]), "declared"
    if hypothesis == names[::-1]:
        return float(p_values.less[place]), "declared"
    return float(p_values.greater[place]), "post_hoc"


def number(value: float) -> float | None:
    """Return a plain number, None for nan."""
    return None if isnan(value) else float(value)


def interval(bounds: FloatArray, n_segments: int) -> list[float] | None:
    """Return plain bounds [2]; None for fewer than two segments, where nothing can be resampled."""
    return [float(bounds[0]), float(bounds[1])] if n_segments >= 2 else None
