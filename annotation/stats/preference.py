"""Score pairwise preferences: counts, sign tests, bootstrap, expected wins, position bias."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from annotation.stats.davidson import fit_strengths
from annotation.stats.options import ScoreOptions
from annotation.stats.preference_counts import (
    PairCounts,
    count_preferences,
    preference_p_value,
    preference_p_values,
)
from annotation.stats.ranking import bootstrap_rank_ranges
from annotation.stats.records import BoolArray, Comparison, FloatArray, IdenticalPair, IntArray
from annotation.stats.resampling import percentile_interval, resample_counts
from annotation.stats.significance import holm, sign_test, wilson_interval

__all__ = ["preference_p_value", "rank_systems", "score_comparisons"]

Pairs = dict[tuple[str, str], PairCounts]
FIT_CELLS = 2_000_000
"""Fitted at once: resamples times pairs times parameters squared."""


class _Strength(NamedTuple):
    """A system in the model: its log strength, the interval of it, its range of ranks."""

    theta: float
    interval: list[float] | None
    rank_range: list[int] | None
    regularised: bool


def score_comparisons(
    comparisons: Iterable[Comparison],
    identical: Iterable[IdenticalPair] = (),
    options: ScoreOptions | None = None,
) -> dict[str, Any]:
    """Score every system and pair of systems that were compared.

    A comparison of merged candidates counts for every pair of a system on the left and one on the right; a
    system is never compared with itself. Raters whom a person excluded do not count. Identical pairs are left
    out of tests and rates and reported as a number of segments.

    Returns:
        `{"systems": […], "pairs": […], "position": {…}, "raters": […]}`, undefined values None.

        systems: by expected wins, then win rate, from high to low, then name. `expected_wins` is the mean
            over opponents of wins / (wins + losses), ties left out (WMT); `win_rate` is (wins + ties / 2) / n
            over the n comparisons. `strength` is the log strength of Davidson's model, mean 0; its interval
            and `rank_range` (first and last rank by strength in 95 % of resamples) come from
            `options.resamples` bootstrap resamples of segments (documents) and need two of them.
            `strength_regularised` says that strengths would be infinite without a weak prior.

        pairs: `system_a` is the one preferred more often (equal: name order). `one_sided` is "declared" when
            `options.hypothesis` names the pair: then `p_sign_one_sided` and `p_bootstrap` test that
            direction; else it is "post_hoc": the direction was read off the data. `hypothesis` spells the
            direction, as "BT>OP". `p_bootstrap` is None where a preference rests on one segment. `shares`
            holds [share, low, high] with Wilson's 95 % interval for a_better, b_better and equal. The sign
            test and these intervals take comparisons as independent, which several of one segment are not:
            `n_units` is the number of segments (documents) compared. `p_bootstrap`,
            `p_bootstrap_two_sided`, and `p_sign_majority_one_sided` and `…_two_sided` hold either way; the
            latter test exactly whether more units have a majority for A (`majority_a`) than for B
            (`majority_b`). So do the intervals `a_better_ci`, `b_better_ci` and `equal_ci` of the shares.
            `p_holm`, when asked for, corrects the two-sided test of majorities over all pairs; with one
            comparison a unit it is the sign test.

        position: how often the left, the right and neither candidate was chosen, and the exact two-sided p
            for left against right.

    Raises:
        RecordError: an unknown winner, or a side without a system.
        OptionsError: documents are to be resampled and a comparison has none.
    """
    options = options or ScoreOptions()
    shown = list(comparisons)
    kept = [comparison for comparison in shown if not comparison.excluded_by]
    pairs = count_preferences(kept, identical, options.unit)
    rng = np.random.default_rng(options.seed)
    children = rng.spawn(len(pairs))
    rows = [
        _pair_row(names, pair, options, child)
        for (names, pair), child in zip(pairs.items(), children, strict=True)
    ]
    if options.correction == "holm":
        corrected = holm(np.array([row["p_sign_majority_two_sided"] for row in rows], dtype=np.float64))
        for row, p_value in zip(rows, corrected.tolist(), strict=True):
            row["p_holm"] = p_value
    (of_strengths,) = rng.spawn(1)
    return {
        "systems": _system_rows(pairs, _strengths(pairs, options.resamples, of_strengths)),
        "pairs": rows,
        "position": _position(kept),
        "raters": _rater_rows(shown),
    }


def rank_systems(
    comparisons: Iterable[Comparison], identical: Iterable[IdenticalPair] = ()
) -> list[dict[str, Any]]:
    """Count what systems won, without tests, intervals and strengths; raters who are excluded do not count.

    Returns:
        The rows and order of `score_comparisons(…)["systems"]`; strengths are None.
    """
    kept = [comparison for comparison in comparisons if not comparison.excluded_by]
    return _system_rows(count_preferences(kept, identical, ScoreOptions().unit), {})


def _pair_row(
    names: tuple[str, str], pair: PairCounts, options: ScoreOptions, rng: np.random.Generator
) -> dict[str, Any]:
    first, second, equal = pair.totals
    better, worse = names[::-1] if second > first else names
    counts = (max(first, second), min(first, second))
    declared = options.hypothesis if options.hypothesis in (names, names[::-1]) else None
    claims_first = (declared or (better, worse))[0] == names[0]
    own, majority = (tally if claims_first else tally[::-1] for tally in ((first, second), pair.majorities))
    n = first + second + equal
    shares = {"a_better": counts[0], "b_better": counts[1], "equal": equal}
    places = {"a_better": names.index(better), "b_better": names.index(worse), "equal": 2}
    resampled = preference_p_values(pair.nets(1 if claims_first else -1), options.preference_resamples, rng)
    by_sign, by_majority = sign_test(*own), sign_test(*majority)
    return {
        "system_a": better,
        "system_b": worse,
        **shares,
        "identical": len(pair.identical),
        "p_sign_one_sided": by_sign.one_sided,
        "p_sign_two_sided": by_sign.two_sided,
        "p_bootstrap": resampled.one_sided,
        "p_bootstrap_two_sided": resampled.two_sided,
        "p_sign_majority_one_sided": by_majority.one_sided,
        "p_sign_majority_two_sided": by_majority.two_sided,
        "majority_a": pair.majorities[places["a_better"]],
        "majority_b": pair.majorities[places["b_better"]],
        "n_units": len(pair.units),
        "one_sided": "declared" if declared else "post_hoc",
        "hypothesis": ">".join(declared or (better, worse)),
        "shares": {name: _share(count, n) for name, count in shares.items()},
        **{f"{name}_ci": _bounds(pair.share_interval(place)) for name, place in places.items()},
    }


def _bounds(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _share(count: int, n: int) -> list[float] | None:
    interval = wilson_interval(count, n)
    return None if interval is None else [count / n, *interval]


def _system_rows(pairs: Pairs, strengths: dict[str, _Strength]) -> list[dict[str, Any]]:
    tallies: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for (first, second), pair in pairs.items():
        won, lost, equal = pair.totals
        tallies[first].append((won, lost, equal))
        tallies[second].append((lost, won, equal))
    rows = []
    for system, opponents in tallies.items():
        decided = [wins / (wins + losses) for wins, losses, _ in opponents if wins + losses]
        n = sum(sum(tally) for tally in opponents)
        points = sum(wins + ties / 2 for wins, _, ties in opponents)
        fitted = strengths.get(system)
        rows.append(
            {
                "system": system,
                "expected_wins": sum(decided) / len(decided) if decided else None,
                "win_rate": points / n if n else None,
                "n": n,
                "strength": fitted.theta if fitted else None,
                "strength_ci": fitted.interval if fitted else None,
                "rank_range": fitted.rank_range if fitted else None,
                "strength_regularised": fitted.regularised if fitted else None,
            }
        )
    return sorted(rows, key=_system_order)


def _strengths(pairs: Pairs, resamples: int, rng: np.random.Generator) -> dict[str, _Strength]:
    """Fit the systems that were compared, to the data and to resamples of its units."""
    shown = {names: pair for names, pair in pairs.items() if pair.units}
    if not shown:
        return {}
    systems = sorted({name for names in shown for name in names})
    code = {name: place for place, name in enumerate(systems)}
    index = np.array([(code[a], code[b]) for a, b in shown], dtype=np.int64)
    units = sorted({unit for pair in shown.values() for unit in pair.units}, key=_unit_key)
    place_of = {unit: place for place, unit in enumerate(units)}
    outcomes = np.zeros((len(units), len(shown), 3))
    for column, pair in enumerate(shown.values()):
        for unit, counts in pair.units.items():
            outcomes[place_of[unit], column] = counts
    fit = _fitted(outcomes.sum(axis=0)[None], index, len(systems))
    intervals = ranges = None
    if len(units) > 1:
        testsets = {name: number for number, name in enumerate(sorted({testset for testset, _ in units}))}
        strata = np.array([testsets[testset] for testset, _ in units], dtype=np.int64)
        flat = outcomes.reshape(len(units), -1)
        rows = max(1, FIT_CELLS // (len(shown) * (len(systems) + 1) ** 2))
        draws = np.vstack(
            [
                _fitted((counts @ flat).reshape(-1, len(shown), 3), index, len(systems))[0]
                for counts in resample_counts(rng, strata, resamples, rows * len(units))
            ]
        )
        intervals = percentile_interval(draws, fit[0][0]).tolist()
        ranges = bootstrap_rank_ranges(np.round(draws, 9), np.round(fit[0][0], 9))
    return {
        name: _Strength(
            float(fit[0][0, place]),
            intervals[place] if intervals else None,
            list(ranges[place]) if ranges else None,
            bool(fit[1][0]),
        )
        for name, place in code.items()
    }


def _fitted(outcomes: FloatArray, index: IntArray, systems: int) -> tuple[FloatArray, BoolArray]:
    """Fit data sets [B, P, 3] to strengths [B, N], and tell which were regularised [B]."""
    fit = fit_strengths(outcomes[:, :, :2], outcomes[:, :, 2], index, systems)
    return fit.theta, fit.regularised


def _unit_key(unit: tuple[str, Any]) -> tuple[str, str, Any]:
    testset, key = unit
    sortable = key if isinstance(key, str | int) and not isinstance(key, bool) else repr(key)
    return testset, type(sortable).__name__, sortable


def _system_order(row: dict[str, Any]) -> tuple[float, float, str]:
    expected, rate = row["expected_wins"], row["win_rate"]
    return (1.0 if expected is None else -expected, 1.0 if rate is None else -rate, row["system"])


def _position(comparisons: list[Comparison]) -> dict[str, Any]:
    chosen = Counter(comparison.winner for comparison in comparisons)
    return {
        **{winner: chosen[winner] for winner in ("left", "right", "equal")},
        "p_two_sided": sign_test(chosen["left"], chosen["right"]).two_sided,
    }


def _rater_rows(comparisons: list[Comparison]) -> list[dict[str, Any]]:
    given = Counter(comparison.rater for comparison in comparisons)
    reasons = {
        comparison.rater: comparison.excluded_by for comparison in comparisons if comparison.excluded_by
    }
    return [
        {"rater": rater, "n": n, "excluded_by": reasons.get(rater, "")} for rater, n in sorted(given.items())
    ]
