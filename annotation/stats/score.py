"""Score direct assessments: from ratings to systems, pairs and raters, ready for JSON."""

from __future__ import annotations

from itertools import combinations
from math import isnan
from typing import Any

import numpy as np

from annotation.stats.aggregate import Averages, aggregate, listed_entries, n_counted
from annotation.stats.bca import acceleration, bca_interval
from annotation.stats.options import OptionsError, ScoreOptions
from annotation.stats.randomisation import randomisation_p_values
from annotation.stats.ranking import WIN_LEVEL, clusters, rank_ranges
from annotation.stats.records import BoolArray, FloatArray, IntArray, RatingTable
from annotation.stats.resampling import bootstrap_systems, per_unit, percentile_interval
from annotation.stats.rounds import table_counted
from annotation.stats.score_rows import (
    CONDITION_KEYS,
    Intervals,
    PairTests,
    Placing,
    pair_rows,
    rater_row,
    system_rows,
)
from annotation.stats.significance import TIE_TOLERANCE, bootstrap_p_values, bounded, holm
from annotation.stats.standardise import standardise
from annotation.stats.twoway import bootstrap_twoway
from annotation.stats.wilcoxon import (
    RANK_DECIMALS,
    rank_sample,
    ranked_sum_p,
    same_sample,
    signed_rank,
    sorted_sample,
)

__all__ = ["CONDITION_KEYS", "rater_row", "score_ratings", "table_scored"]


def score_ratings(table: RatingTable, options: ScoreOptions | None = None) -> dict[str, Any]:
    """Score every system of a table of ratings.

    Returns:
        `{"systems": […], "pairs": […], "raters": […]}` of plain numbers and strings; what is not defined is
        None.

        systems: by condition, then z from high to low (without z last), then name. Intervals and `raw_sd`,
            `z_sd` (over segments) need two segments; `wins`, `cluster` and `rank_range` ([first, last]) are
            within a condition and None for a system without z.

        pairs: within a condition, `system_a` has the higher z (equal: name order). `z_difference`, its
            interval and all tests but the rank-sum are over the `n_common` segments with a z of both and need
            two of them; `bounded` keeps the bootstrap's from being too sure of few segments. `one_sided` is
            "declared" when `options.hypothesis` names the pair, and then
            `p_bootstrap_one_sided` tests that direction; else it is "post_hoc": the direction was read off
            the data, so it rejects a true null in up to 2α of cases. `hypothesis` spells the direction
            tested, as "BT>OP". `p_randomisation` and `p_signed_rank` are two-sided; `p_rank_sum` (A better,
            one-sided, unpaired) needs two segments of each. `p_holm`, when asked for, corrects the two-sided
            p of `options.test` over all pairs. By condition a pair carries the condition's keys.

        raters: in order of name, as `RaterSummary`.

        shared: only where identical outputs share ratings: how many `ratings` count, and to how many systems
            these are credited in all (`credits`, the sum of `n_judgements`).

    Raises:
        OptionsError: the hypothesis names a system that has no ratings, or documents are to be resampled and
            a segment has none.
    """
    options = options or ScoreOptions()
    table = table_scored(table, options)
    _check_hypothesis(table, options)
    standardised = standardise(table, options.population)
    averages = aggregate(table, standardised.z, options.repeats, "pool")
    units = _units(averages, options)
    groups = _ranked_groups(averages)
    pairs = np.array([pair for group in groups for pair in combinations(group, 2)], dtype=np.int64).reshape(
        -1, 2
    )
    intervals, tests = _resampled(averages, pairs, units, options)
    placing = _placing(averages, groups, pairs, tests.rank_sum, options.clusters)
    order = [entry for group in groups for entry in group]
    n_ratings, n_credits = n_counted(table), int(averages.n_judgements.sum())
    shared = {"shared": {"ratings": n_ratings, "credits": n_credits}} if n_credits > n_ratings else {}
    return {
        "systems": system_rows(averages, order, intervals, placing),
        "pairs": pair_rows(averages, pairs, intervals, tests, options),
        "raters": [rater_row(summary) for summary in standardised.raters],
        **shared,
    }


def table_scored(table: RatingTable, options: ScoreOptions) -> RatingTable:
    """Return the table from which scores are made: what does not count is out of the averages."""
    table = table_counted(table, options.disagreement)
    return (table if options.by_condition else table.by_system()).canonical()


def _check_hypothesis(table: RatingTable, options: ScoreOptions) -> None:
    known = {table.entries[place].system for place in np.flatnonzero(listed_entries(table)).tolist()}
    for name in options.hypothesis or ():
        if name not in known:
            raise OptionsError(f"hypothesis names {name!r}, which has no ratings here")


def _units(averages: Averages, options: ScoreOptions) -> IntArray | None:
    """Return what is resampled: a document code for each segment [S], or None for segments."""
    if options.unit == "segment":
        return None
    missing = int(np.count_nonzero(averages.documents < 0))
    if missing:
        raise OptionsError(
            f"unit document needs a document for every segment; {missing:,} of "
            f"{len(averages.documents):,} have none"
        )
    codes: IntArray = np.unique(averages.documents, return_inverse=True)[1].astype(np.int64)
    return codes


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


def _resampled(
    averages: Averages, pairs: IntArray, units: IntArray | None, options: ScoreOptions
) -> tuple[Intervals, PairTests]:
    """Return the intervals of all means and differences, and the tests of all pairs."""
    rng = np.random.default_rng(options.seed)
    if options.raters == "random":
        raw, z, differences = bootstrap_twoway(
            rng, averages, pairs, options.resamples, options.repeats, units
        )
    else:
        raw, z, differences = bootstrap_systems(
            rng, averages.raw, averages.z, pairs, averages.strata, options.resamples, units
        )
    (signs,) = rng.spawn(1)
    apart = averages.z[pairs[:, 0]] - averages.z[pairs[:, 1]]
    n_common = np.count_nonzero(~np.isnan(apart), axis=1)
    estimate = np.nansum(apart, axis=1) / np.where(n_common > 0, n_common, np.nan)

    def interval(draws: FloatArray, centre: FloatArray, values: FloatArray) -> FloatArray:
        if options.interval == "bca":
            return bca_interval(draws, centre, acceleration(values, averages.strata, units))
        return percentile_interval(draws, centre)

    intervals = Intervals(
        raw=interval(raw, averages.raw_mean, averages.raw),
        z=interval(z, averages.z_mean, averages.z),
        difference=interval(differences, estimate, apart),
    )
    tested = n_common >= 2
    randomised = randomisation_p_values(signs, averages.z, pairs, options.resamples, units)
    tests = PairTests(
        n_common=n_common,
        difference=estimate,
        bootstrap=bounded(bootstrap_p_values(differences), _differing(apart, units)),
        randomisation=np.where(tested, randomised, np.nan),
        signed_rank=np.array(
            [
                signed_rank(own).two_sided if enough else np.nan
                for own, enough in zip(apart, tested, strict=True)
            ],
            dtype=np.float64,
        ),
        rank_sum=_rank_sums(averages, pairs),
        corrected=None,
    )
    if options.correction == "holm":
        tests = tests._replace(corrected=holm(_two_sided(averages, pairs, tests, options.test)))
    return intervals, tests


def _differing(apart: FloatArray, units: IntArray | None) -> IntArray:
    """Return the number of units in which the two of each pair differ [P], from differences [P, S]."""
    sums = per_unit(np.nan_to_num(apart), units)
    return np.count_nonzero(np.abs(sums) > TIE_TOLERANCE, axis=0)


def _two_sided(averages: Averages, pairs: IntArray, tests: PairTests, test: str) -> FloatArray:
    """Return the two-sided p of the named test of each pair [P], nan where it has too few segments."""
    if test == "randomisation":
        return tests.randomisation
    if test == "signed_rank":
        return tests.signed_rank
    if test == "rank_sum":
        other = _rank_sums(averages, pairs[:, ::-1])
        return np.minimum(1.0, 2 * np.minimum(tests.rank_sum, other))
    return np.where(tests.n_common >= 2, tests.bootstrap.two_sided, np.nan)


def _rank_sums(averages: Averages, pairs: IntArray) -> FloatArray:
    """Return the one-sided rank-sum p of each pair [P], nan where one has fewer than two segments."""
    ordered = [sorted_sample(row) for row in averages.z]
    samples = [rank_sample(values) for values in ordered]
    result = np.full(len(pairs), np.nan)
    for place, (a, b) in enumerate(pairs.tolist()):
        if min(samples[a].n, samples[b].n) >= 2:
            same = same_sample(averages.z[a], averages.z[b])
            result[place] = 1.0 if same else ranked_sum_p(samples[a], samples[b], ordered[b])
    return result


def _placing(
    averages: Averages, groups: list[list[int]], pairs: IntArray, p_rank: FloatArray, rule: str
) -> dict[int, Placing]:
    """Return wins, cluster and rank range of each entry that has a z."""
    ranked = np.round(averages.z_mean, RANK_DECIMALS)
    beats: BoolArray = np.zeros((len(ranked),) * 2, dtype=bool)
    for (a, b), p_value in zip(pairs, p_rank, strict=True):
        beats[a, b] = ranked[a] > ranked[b] and p_value < WIN_LEVEL
    result: dict[int, Placing] = {}
    for group in groups:
        ordered = [code for code in group if not isnan(ranked[code])]
        own = beats[np.ix_(ordered, ordered)]
        places = zip(ordered, own, clusters(own, rule), rank_ranges(own), strict=True)
        for code, row, cluster, ranks in places:
            result[code] = Placing(int(row.sum()), list(cluster), list(ranks))
    return result
