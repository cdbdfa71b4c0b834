"""How far raters agree: α, ICC and κ of a campaign's ratings or comparisons."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.alpha import krippendorff_alpha
from annotation.stats.estimate import Estimate
from annotation.stats.icc import Components, classic_icc, variance_components
from annotation.stats.kappa import PAIRS, wmt_kappa
from annotation.stats.records import Comparison, FloatArray, IntArray, RatingTable
from annotation.stats.standardise import of_kinds

APART = ("between", "within")
NO_Z = "no rating has a z"
OUTCOMES = {"left": 1.0, "equal": 0.0, "right": -1.0}


@dataclass(frozen=True, eq=False)
class Judged:
    """Who judged what: one value a rater and unit.

    Attributes:
        unit: codes, 0 to U − 1 [n].
        rater: codes [n].
        value: [n].
        place: of a rating or comparison of what was judged, in what the values are made from [n].
    """

    unit: IntArray
    rater: IntArray
    value: FloatArray
    place: IntArray

    def alpha(self, level: str, rng: np.random.Generator | None, resamples: int) -> Estimate:
        """Return Krippendorff's α; see `krippendorff_alpha`."""
        return krippendorff_alpha(self.unit, self.value, level, rng=rng, resamples=resamples)

    def components(self) -> Components:
        """Return the variance components; see `variance_components`."""
        return variance_components(self.unit, self.rater, self.value)

    def complete(self) -> FloatArray | None:
        """Return the judgements as a table [units, raters], None unless every rater judged every unit."""
        if not self.unit.size:
            return None
        units, unit = np.unique(self.unit, return_inverse=True)
        raters, rater = np.unique(self.rater, return_inverse=True)
        if len(units) * len(raters) != len(self.value):
            return None
        table = np.empty((len(units), len(raters)))
        table[unit, rater] = self.value
        return table


def judged_ratings(table: RatingTable, values: FloatArray) -> Judged:
    """Return one value a rater and item: the mean over what the rater gave to it, repeats included.

    An item is a segment and the systems its text is credited to. Quality-control items, raters whom a person
    excluded and ratings that are not `in_averages` do not count.

    Args:
        table: the ratings.
        values: raw scores or z of the ratings [n]; those without a value (nan) are left out.
    """
    kept = np.array([not reason for reason in table.excluded_by], dtype=bool)
    counted = of_kinds(table.kind, AVERAGED_KINDS) & table.averaged & kept[table.rater] & ~np.isnan(values)
    candidate, size = _candidates(table)
    unit = (table.segment * size + candidate)[counted]
    width = max(1, len(table.raters))
    own, first, inverse, times = np.unique(
        unit * width + table.rater[counted], return_index=True, return_inverse=True, return_counts=True
    )
    means = np.bincount(inverse, weights=values[counted], minlength=len(own)) / times
    place = np.flatnonzero(counted)[first]
    return Judged(np.unique(own // width, return_inverse=True)[1], own % width, means, place)


def _candidates(table: RatingTable) -> tuple[IntArray, int]:
    """Return a code of the set of entries each rating is credited to [n], and how many codes there are."""
    n = len(table.score)
    credits_of = np.bincount(table.credit_rating, minlength=n)
    code = np.zeros(n, dtype=np.int64)
    code[table.credit_rating] = table.credit_entry + 1
    joined: dict[tuple[int, ...], int] = {}
    order = np.argsort(table.credit_rating, kind="stable")
    ends = np.cumsum(credits_of)
    for row in np.flatnonzero(credits_of > 1).tolist():
        entries = np.sort(table.credit_entry[order[ends[row] - credits_of[row] : ends[row]]]).tolist()
        code[row] = joined.setdefault(tuple(entries), len(table.entries) + 1 + len(joined))
    return code, len(table.entries) + 1 + len(joined)


def judged_comparisons(comparisons: Iterable[Comparison]) -> Judged:
    """Return one outcome a rater, segment and pair: 1, 0 or −1 for the first candidate in name order.

    When a rater judged a pair twice, the first judgement counts: outcomes have no mean. Raters whom a person
    excluded do not count.
    """
    units: dict[Hashable, int] = {}
    raters: dict[str, int] = {}
    first: dict[tuple[int, int], tuple[float, int]] = {}
    for place, one in enumerate(comparisons):
        if one.excluded_by:
            continue
        turned = one.left > one.right
        pair = (one.right, one.left) if turned else (one.left, one.right)
        outcome = OUTCOMES[one.winner]
        unit = units.setdefault((one.testset, one.segment, pair), len(units))
        rater = raters.setdefault(one.rater, len(raters))
        first.setdefault((unit, rater), (-outcome if turned else outcome, place))
    codes = np.array(list(first), dtype=np.int64).reshape(-1, 2)
    values = np.array([value for value, _ in first.values()], dtype=np.float64)
    return Judged(
        codes[:, 0], codes[:, 1], values, np.array([place for _, place in first.values()], dtype=np.int64)
    )


def rating_agreement(
    table: RatingTable, z: FloatArray, rng: np.random.Generator, resamples: int = 1000
) -> dict[str, Any]:
    """Return how far raters agree on items, on raw scores and on z.

    Args:
        table: the ratings.
        z: their z [n], nan where there is none.
        rng: the source of chance for the intervals of α.
        resamples: bootstrap resamples of items.

    Returns:
        `{"n_values", "n_items", "n_items_of_several", "n_raters", "raw": {…}, "z": {…}}`; each part has
        `alpha` (interval level; an estimate as `Estimate.as_dict`), `components` (see `Components`) and
        `icc_2_1`, `icc_2_k`, None unless every rater judged every item. Strict JSON.
    """
    parts = {"raw": judged_ratings(table, table.score), "z": judged_ratings(table, z)}
    raw = parts["raw"]
    raters_of = np.bincount(raw.unit)
    result: dict[str, Any] = {
        "n_values": len(raw.value),
        "n_items": len(raters_of),
        "n_items_of_several": int((raters_of > 1).sum()),
        "n_raters": len(np.unique(raw.rater)),
    }
    for (name, judged), child in zip(parts.items(), rng.spawn(2), strict=True):
        complete = judged.complete()
        classic = None if complete is None else classic_icc(complete)
        why = {"caveat": NO_Z} if raw.value.size and not judged.value.size else {}
        result[name] = {
            "alpha": judged.alpha("interval", child, resamples).as_dict() | why,
            "components": judged.components().as_dict() | why,
            "icc_2_1": None if classic is None else classic.single.as_dict(),
            "icc_2_k": None if classic is None else classic.average.as_dict(),
        }
    return result


def comparison_agreement(
    comparisons: Iterable[Comparison], rng: np.random.Generator, resamples: int = 1000
) -> dict[str, Any]:
    """Return how far raters agree on preferences.

    Returns:
        `{"alpha_nominal", "alpha_ordinal", "kappa": {"all", "between", "within"}, "kappa_wmt",
        "kappa_wmt_apart": {"between", "within"}}`. `kappa` turns labels round where the candidates stood the
        other way; `kappa_wmt` is computed as WMT publishes it, over all pairs of labels, and
        `kappa_wmt_apart` over those of two raters and those of one. Strict JSON.
    """
    kept = [one for one in comparisons if not one.excluded_by]
    judged = judged_comparisons(kept)
    children = rng.spawn(3 + len(PAIRS) + len(APART))
    return {
        "alpha_nominal": judged.alpha("nominal", children[0], resamples).as_dict(),
        "alpha_ordinal": judged.alpha("ordinal", children[1], resamples).as_dict(),
        "kappa_wmt": wmt_kappa(kept, rng=children[2], resamples=resamples).as_dict(),
        "kappa": {
            pairs: wmt_kappa(kept, order="either", pairs=pairs, rng=child, resamples=resamples).as_dict()
            for pairs, child in zip(PAIRS, children[3:], strict=False)
        },
        "kappa_wmt_apart": {
            pairs: wmt_kappa(kept, pairs=pairs, rng=child, resamples=resamples).as_dict()
            for pairs, child in zip(APART, children[-len(APART) :], strict=True)
        },
    }
