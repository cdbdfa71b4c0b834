"""Score direct assessments: from ratings to systems, pairs and raters, ready for JSON."""

from __future__ import annotations

from itertools import combinations
from math import isnan
from typing import Any

import numpy as np

from annotation.stats.aggregate import Averages, aggregate
from annotation.stats.options import OptionsError, ScoreOptions
from annotation.stats.ranking import WIN_LEVEL, clusters
from annotation.stats.records import BoolArray, FloatArray, IntArray, RatingTable
from annotation.stats.resampling import bootstrap_systems, percentile_interval
from annotation.stats.significance import (
    RANK_DECIMALS,
    BootstrapP,
    bootstrap_p_values,
    rank_sum_p,
    same_sample,
    sorted_sample,
)
from annotation.stats.standardise import RaterSummary, standardise

CONDITION_KEYS = ("testset", "input", "reference", "direction")


def score_ratings(table: RatingTable, options: ScoreOptions | None = None) -> dict[str, Any]:
    """Score every system of a table of ratings.

    Returns:
        `{"systems": […], "pairs": […], "raters": […]}` of plain numbers and strings; what is not defined is
        None.

        systems: by condition, then z from high to low (without z last), then name. Intervals need two
            segments; `wins` and `cluster` ([first, last]) are within a condition and None for a system
            without z.

        pairs: within a condition, `system_a` has the higher z (equal: name order). `z_difference`, its
            interval and the bootstrap are over the `n_common` segments with a z of both; the bootstrap needs
            two of them. `one_sided` is "declared" when `options.hypothesis` names the pair, and then
            `p_bootstrap_one_sided` tests that direction; else it is "post_hoc": the direction was read off
            the data, so it rejects a true null in up to 2α of cases. `p_rank_sum` (A better, unpaired) needs
            two segments of each. By condition a pair carries the condition's keys.

        raters: in order of name, as `RaterSummary`.

    Raises:
        OptionsError: the hypothesis names a system that has no ratings.
    """
    options = options or ScoreOptions()
    table = (table if options.by_condition else table.by_system()).canonical()
    _check_hypothesis(table, options)
    standardised = standardise(table, options.population)
    averages = aggregate(table, standardised.z, options.repeats)
    groups = _ranked_groups(averages)
    pairs = np.array([pair for group in groups for pair in combinations(group, 2)], dtype=np.int64).reshape(
        -1, 2
    )
    p_rank = _rank_sums(averages, pairs)
    rng = np.random.default_rng(options.seed)
    raw, z, differences = bootstrap_systems(
        rng, averages.raw, averages.z, pairs, averages.strata, options.resamples
    )
    placing = _placing(averages, groups, pairs, p_rank, options.clusters)
    order = [entry for group in groups for entry in group]
    return {
        "systems": _system_rows(averages, order, raw, z, placing),
        "pairs": _pair_rows(averages, pairs, differences, p_rank, options),
        "raters": [rater_row(summary) for summary in standardised.raters],
    }


def rater_row(summary: RaterSummary) -> dict[str, Any]:
    """Return a rater's summary as a row of the result."""
    return summary._asdict()


def _check_hypothesis(table: RatingTable, options: ScoreOptions) -> None:
    known = {entry.system for entry in table.entries}
    for name in options.hypothesis or ():
        if name not in known:
            raise OptionsError(f"hypothesis names {name!r}, which has no ratings here")


def _ranked_groups(averages: Averages) -> list[list[int]]:
    """Return the entries of each condition in ranked order: z from high to low, without z last, then name."""
    ranked = np.round(averages.z_mean, RANK_DECIMALS)
    groups: dict[tuple[str | None, ...], list[int]] = {}
    for code, entry in enumerate(averages.entries):
        if averages.listed[code]:
            groups.setdefault(entry.condition, []).append(code)
    for group in groups.values():
        group.sort(key=lambda code: (isnan(ranked[code]), -np.nan_to_num(ranked[code]), code))
    return list(groups.values())


def _rank_sums(averages: Averages, pairs: IntArray) -> FloatArray:
    """Return the one-sided rank-sum p of each pair [P], nan where one has fewer than two segments."""
    samples = [sorted_sample(row) for row in averages.z]
    result = np.full(len(pairs), np.nan)
    for place, (a, b) in enumerate(pairs):
        if min(len(samples[a]), len(samples[b])) >= 2:
            same = same_sample(averages.z[a], averages.z[b])
            result[place] = 1.0 if same else rank_sum_p(samples[a], samples[b])
    return result


def _placing(
    averages: Averages, groups: list[list[int]], pairs: IntArray, p_rank: FloatArray, rule: str
) -> dict[int, tuple[int, list[int]]]:
    """Return wins and cluster of each entry that has a z."""
    ranked = np.round(averages.z_mean, RANK_DECIMALS)
    beats: BoolArray = np.zeros((len(ranked),) * 2, dtype=bool)
    for (a, b), p_value in zip(pairs, p_rank, strict=True):
        beats[a, b] = ranked[a] > ranked[b] and p_value < WIN_LEVEL
    result: dict[int, tuple[int, list[int]]] = {}
    for group in groups:
        ordered = [code for code in group if not isnan(ranked[code])]
        own = beats[np.ix_(ordered, ordered)]
        for code, row, cluster in zip(ordered, own, clusters(own, rule), strict=True):
            result[code] = (int(row.sum()), list(cluster))
    return result


def _system_rows(
    averages: Averages,
    order: list[int],
    raw: FloatArray,
    z: FloatArray,
    placing: dict[int, tuple[int, list[int]]],
) -> list[dict[str, Any]]:
    raw_ci = percentile_interval(raw, averages.raw_mean)
    z_ci = percentile_interval(z, averages.z_mean)
    n_z_segments = np.count_nonzero(~np.isnan(averages.z), axis=1)
    rows = []
    for code in order:
        entry = averages.entries[code]
        wins, cluster = placing.get(code, (None, None))
        rows.append(
            {
                "system": entry.system,
                **dict(zip(CONDITION_KEYS, entry.condition, strict=True)),
                "raw_mean": _number(averages.raw_mean[code]),
                "z_mean": _number(averages.z_mean[code]),
                "raw_ci": _interval(raw_ci[code], int(averages.n_segments[code])),
                "z_ci": _interval(z_ci[code], int(n_z_segments[code])),
                "n_segments": int(averages.n_segments[code]),
                "n_judgements": int(averages.n_judgements[code]),
                "n_z": int(averages.n_z[code]),
                "n_raters": int(averages.n_raters[code]),
                "wins": wins,
                "cluster": cluster,
            }
        )
    return rows


def _pair_rows(
    averages: Averages, pairs: IntArray, differences: FloatArray, p_rank: FloatArray, options: ScoreOptions
) -> list[dict[str, Any]]:
    own = averages.z[pairs[:, 0]] - averages.z[pairs[:, 1]]
    n_common = np.count_nonzero(~np.isnan(own), axis=1)
    estimate = np.nansum(own, axis=1) / np.where(n_common > 0, n_common, np.nan)
    interval = percentile_interval(differences, estimate)
    p_values = bootstrap_p_values(differences)
    rows = []
    for place, (a, b) in enumerate(pairs):
        first, second = averages.entries[a], averages.entries[b]
        n = int(n_common[place])
        one_sided, label = _one_sided(p_values, place, (first.system, second.system), options.hypothesis)
        row = {
            "system_a": first.system,
            "system_b": second.system,
            "z_difference": _number(estimate[place]),
            "z_difference_ci": _interval(interval[place], n),
            "p_bootstrap_one_sided": one_sided if n >= 2 else None,
            "p_bootstrap_two_sided": float(p_values.two_sided[place]) if n >= 2 else None,
            "one_sided": label,
            "p_rank_sum": _number(p_rank[place]),
            "n_common": n,
        }
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


def _number(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _interval(bounds: FloatArray, n_segments: int) -> list[float] | None:
    return [float(bounds[0]), float(bounds[1])] if n_segments >= 2 else None
