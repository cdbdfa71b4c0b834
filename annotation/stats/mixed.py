"""A linear mixed-effects model of the ratings, to stand beside the z-score.

score = system + rater + rater × system + segment + segment × system ("output") + error, where all but the
system are random, normal and independent, fitted by REML. What the z-score does by dividing and averaging,
the model does by estimating: a lenient rater, a hard segment, a rater's favourite system and the luck of one
output each have their own variance, so its errors speak for other raters and other segments as well.

On the scale "z" raters are fixed, not random. Standardising makes the mean of every rater 0. A random rater
would take this for what raters are like, and so of two systems miss half of the variance of rater × system:
the errors of a difference would be too small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.mixed_algebra import CrossedModel, Family
from annotation.stats.mixed_reml import METHODS, NOTHING_FIXED, PERFECT, Estimate, Fixed, estimate
from annotation.stats.mixed_report import (
    Observations,
    caveats,
    pair_rows,
    ranked_groups,
    system_rows,
    variance_rows,
)
from annotation.stats.records import FloatArray, IntArray, RatingTable
from annotation.stats.standardise import CONSTANT_TOLERANCE, POPULATIONS, of_kinds, standardise

TERMS = ("rater", "rater_system", "segment", "output")
SCALES = ("raw", "z")
LARGEST_BLOCK = 6000
"""Random effects of the smaller family (raters or segments) that are still solved together."""

APART = (
    "some systems share no raters, directly or through others: standardising takes their difference away "
    "with the raters' means, so what is said of them is too small and too sure"
)
"""The caveat on z where raters cannot be fixed."""


class MixedModelError(ValueError):
    """Ratings from which the model cannot be estimated; the message says what is missing."""


@dataclass(frozen=True)
class MixedOptions:
    """The choices behind a fit.

    Attributes:
        scale: "raw" models the scores as given, a rater's leniency being a random intercept; "z" standardises
            each rater first, so raters may also use more or less of the scale, and an intercept is fixed.
        terms: the random terms, from `TERMS`.
        method: "reml" or "ml".
        population: the ratings that make a rater's mean and spread, for the scale "z".
        by_condition: estimate a system apart in each condition.
    """

    scale: str = "raw"
    terms: tuple[str, ...] = TERMS
    method: str = "reml"
    population: str = "all"
    by_condition: bool = False

    def __post_init__(self) -> None:
        """Check every option.

        Raises:
            MixedModelError: naming the option, what was expected and what was found.
        """
        for name, value, known in (
            ("scale", self.scale, SCALES),
            ("method", self.method, METHODS),
            ("population", self.population, tuple(POPULATIONS)),
        ):
            if value not in known:
                raise MixedModelError(f"{name} must be one of {', '.join(known)}; found {value!r}")
        for term in self.terms:
            if term not in TERMS:
                raise MixedModelError(f"a random term must be one of {', '.join(TERMS)}; found {term!r}")


def fit_mixed(table: RatingTable, options: MixedOptions | None = None) -> dict[str, Any]:
    """Fit the model to the ratings that count in averages.

    Returns:
        `{"model": {…}, "systems": […], "pairs": […], "variances": {…}, "caveats": […]}` of plain numbers and
        strings, in points (scale "raw") or z.

        systems: by condition, then estimate from high to low; `estimate` is the expected score, `effect` its
            distance from the mean of the systems of the condition, `se`, `df` and `ci` (95 %) belong to
            `effect` and are None for a single system.

        pairs: within a condition, `system_a` has the higher estimate; `p_value` is two-sided, from Wald's t
            with Satterthwaite's degrees of freedom (`df` None: infinite).

        variances: per random term `variance`, `sd` and `share` of the sum; "residual" is the error.

        model: what was fitted, with the terms that are random in `terms`, those that are not in `fixed`, the
            ones that the data cannot tell apart in `dropped`, those estimated at 0 in `at_zero`, and
            `converged`.

    Raises:
        MixedModelError: no ratings, too few for the number of systems, all equal, or too many groups.
    """
    options = options or MixedOptions()
    data = _collect(table, options)
    terms, dropped = _usable_terms(data, options.terms)
    kept, eliminated = _families(data.codes, terms)
    x = np.eye(len(data.entries))[data.entry]
    model = CrossedModel(x, (data.y - data.centre) / data.spread, kept, eliminated)
    places = _connected(data)
    fixed = _fixed(data, options, terms, places)
    fitted = estimate(model, options.method, fixed)
    if fitted.residual < PERFECT:
        raise MixedModelError("systems, raters and segments explain every score, no error is left")
    if fixed.name:
        terms = [name for name in terms if name != fixed.name]
        fitted = replace(fitted, beta=_levelled(data, fitted.beta, places))
    named = zip(
        [*(name for name in model.names if name != fixed.name), "residual"],
        [*fitted.variances, fitted.residual],
        strict=True,
    )
    variances = {name: float(value) * data.spread**2 for name, value in named}
    groups = ranked_groups(data, fitted)
    return {
        "model": {
            **_model_row(data, options, fitted, fixed),
            "terms": terms,
            "fixed": [fixed.name] if fixed.name else [],
            "dropped": dropped,
            "at_zero": [name for name in terms if variances[name] == 0.0],
        },
        "systems": [row for group in groups for row in system_rows(data, fitted, group)],
        "pairs": [row for group in groups for row in pair_rows(data, fitted, group)],
        "variances": variance_rows(variances),
        "caveats": caveats(data, dropped, fitted)
        + ([APART] if options.scale == "z" and "rater" in terms else []),
    }


def _model_row(data: Observations, options: MixedOptions, fitted: Estimate, fixed: Fixed) -> dict[str, Any]:
    degrees = len(data.y) - (len(data.entries) if options.method == "reml" else 0) - fixed.rank
    return {
        "scale": options.scale,
        "method": options.method,
        "population": options.population if options.scale == "z" else None,
        "n_ratings": data.n_ratings,
        "n_raters": data.n_groups("rater"),
        "n_segments": data.n_groups("segment"),
        "n_systems": len(data.entries),
        "log_likelihood": fitted.log_likelihood - degrees * float(np.log(data.spread)),
        "converged": fitted.converged,
        "message": fitted.message,
    }


def _collect(table: RatingTable, options: MixedOptions) -> Observations:
    table = (table if options.by_condition else table.by_system()).canonical()
    value = table.score if options.scale == "raw" else standardise(table, options.population).z
    kept = np.array([not reason for reason in table.excluded_by], dtype=bool)
    counted = of_kinds(table.kind, AVERAGED_KINDS) & table.averaged & kept[table.rater] & ~np.isnan(value)
    chosen = counted[table.credit_rating]
    row, credit = table.credit_rating[chosen], table.credit_entry[chosen]
    if not len(row):
        raise MixedModelError("there are no ratings that count, so there is nothing to model")
    y = value[row]
    used, entry = np.unique(credit, return_inverse=True)
    if len(y) <= len(used) + 1:
        raise MixedModelError(f"{len(y)} ratings of {len(used)} systems are too few to estimate an error")
    centre, spread = float(y.mean()), float(y.std())
    if spread <= CONSTANT_TOLERANCE * max(1.0, abs(centre)):
        raise MixedModelError("all scores are equal, so there is nothing to compare")
    rater, segment = _compact(table.rater[row]), _compact(table.segment[row])
    codes = {
        "rater": rater,
        "rater_system": _compact(rater * len(used) + entry),
        "segment": segment,
        "output": _compact(segment * len(used) + entry),
    }
    entries = [table.entries[code] for code in used]
    return Observations(y, entry, codes, entries, len(np.unique(row)), centre, spread)


def _connected(data: Observations) -> IntArray:
    """Return a code of each entry [p]: two have the same when raters connect them, directly or by others."""
    raters, size = data.n_groups("rater"), data.n_groups("rater") + len(data.entries)
    edges = (np.ones(len(data.y)), (data.codes["rater"], raters + data.entry))
    places = connected_components(sparse.coo_array(edges, shape=(size, size)), directed=False)[1]
    return np.asarray(places[raters:], dtype=np.int64)


def _fixed(data: Observations, options: MixedOptions, terms: list[str], places: IntArray) -> Fixed:
    """Return the grouping that is not random: raters on the scale "z", where they connect the systems.

    Raises:
        MixedModelError: too few ratings to estimate an error beside the raters' means.
    """
    if options.scale != "z" or "rater" not in terms or _groups_apart(data, places):
        return NOTHING_FIXED
    rank = data.n_groups("rater") - (len(np.unique(places)) if options.method == "reml" else 0)
    if len(data.y) <= len(data.entries) + rank:
        raise MixedModelError(
            f"{len(data.y)} ratings of {len(data.entries)} systems by {data.n_groups('rater')} raters are "
            "too few to estimate an error"
        )
    return Fixed("rater", rank)


def _groups_apart(data: Observations, places: IntArray) -> bool:
    """Tell whether systems of one condition were judged by raters who have nothing in common."""
    found: dict[Any, set[int]] = {}
    for entry, place in zip(data.entries, places.tolist(), strict=True):
        found.setdefault(entry.condition, set()).add(place)
    return any(len(group) > 1 for group in found.values())


def _levelled(data: Observations, beta: FloatArray, places: IntArray) -> FloatArray:
    """Return the estimates shifted so that they have, over the observations, the mean of the scores [p].

    Beside fixed raters only differences are estimable; the level is set, once for each group of systems that
    raters connect.
    """
    where = places[data.entry]
    size = int(places.max()) + 1
    left_over = (data.y - data.centre) / data.spread - beta[data.entry]
    shift = np.bincount(where, left_over, size) / np.maximum(1, np.bincount(where, minlength=size))
    levelled: FloatArray = beta + shift[places]
    return levelled


def _compact(codes: IntArray) -> IntArray:
    """Return the same groups with codes without gaps [n]."""
    return np.unique(codes, return_inverse=True)[1]


def _usable_terms(data: Observations, wanted: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """Return the terms that the data can tell apart, and for the others the reason why not."""
    n = len(data.y)
    groups = {name: data.n_groups(name) for name in TERMS}
    dropped: dict[str, str] = {}
    for outer, inner, word in (("rater", "rater_system", "rater"), ("segment", "output", "segment")):
        if groups[outer] == 1:
            reason = f"there is one {word} only"
            dropped |= {outer: reason, inner: reason}
        if groups[outer] == n:
            dropped[outer] = f"no {word} has two ratings"
        if groups[inner] == n:
            dropped.setdefault(inner, f"no {word} has two ratings of one system")
        if groups[inner] == groups[outer]:
            dropped.setdefault(inner, f"no {word} has ratings of two systems")
    dropped = {name: reason for name, reason in dropped.items() if name in wanted}
    return [name for name in TERMS if name in wanted and name not in dropped], dropped


def _families(codes: dict[str, IntArray], terms: list[str]) -> tuple[Family, Family]:
    """Return the smaller family, to be solved densely, and the larger one.

    Raises:
        MixedModelError: both are too large.
    """
    families = []
    for outer, inner in (("rater", "rater_system"), ("segment", "output")):
        has_outer, has_inner = outer in terms, inner in terms
        finest = codes[inner] if has_inner else codes[outer]
        families.append(
            Family(outer if has_outer else None, inner if has_inner else None, codes[outer], finest)
        )
    small, large = sorted(families, key=lambda family: family.size)
    if small.size > LARGEST_BLOCK:
        raise MixedModelError(
            f"{small.size:,} random effects of {' and '.join(name for name, _ in small.terms)} are more than "
            f"{LARGEST_BLOCK:,}; leave out rater_system or output"
        )
    return small, large
