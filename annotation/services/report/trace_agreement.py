"""Where agreement comes from: each rater's value of each item, and the formula with its own values."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.services.records import comparisons_read
from annotation.services.report.compute import AGREEMENT_RESAMPLES
from annotation.services.report.parts import PartOf
from annotation.services.report.section import sentence
from annotation.services.report.sections_agreement import agreement, kappa_of
from annotation.services.report.tables import Column, Table
from annotation.services.report.trace import Trace
from annotation.services.report.trace_preferences import comparison_table
from annotation.services.score_table import number
from annotation.stats.agreement import Judged, judged_comparisons, judged_ratings
from annotation.stats.icc import mean_squares
from annotation.stats.records import Comparison, FloatArray, IntArray

Row = dict[str, Any]


def agreement_trace(part: PartOf) -> Trace:
    """Return the values behind a measure of agreement.

    Raises:
        NotFound: the report has no such number.
    """
    row, value = part.cell(agreement(part.report), "agreement", "row", "value")
    is_known, caveat = row["value"] is not None, row["caveat"]
    if part.report.rated:
        words, table = _of_ratings(part, is_known)
    elif "." in part.row:
        words, table = _of_labels(part, is_known)
        caveat = kappa_of(part.report.parts["agreement"], part.row)["caveat"]
    else:
        words, table = _of_outcomes(part, is_known)
    if row["ci"] is not None:
        words.append(_interval_words(part, row["ci"]))
    if caveat:
        words.append(sentence(caveat))
    return Trace(row["measure"], value, words, table, part.signature)


def _interval_words(part: PartOf, ci: list[float]) -> str:
    values = {"low": number(ci[0], 3), "high": number(ci[1], 3)}
    if "icc" in part.row:
        return _("95 %% interval %(low)s to %(high)s after McGraw and Wong (1996).") % values
    drawn = _("segments") if "." in part.row and not part.report.rated else _("items")
    return _(
        "95 %% interval %(low)s to %(high)s from %(b)s bootstrap resamples of %(what)s, seed %(seed)s."
    ) % (values | {"b": f"{AGREEMENT_RESAMPLES:,}", "what": drawn, "seed": part.report.options.seed})


def _of_ratings(part: PartOf, is_known: bool) -> tuple[list[str], Table]:
    """Return the words and values of a measure of scores, "raw.…" or "z.…"; no formula without a value."""
    scores, measure = part.row.split(".")
    source = part.data.ratings.table
    judged = judged_ratings(source, source.score if scores == "raw" else part.data.z)
    several = np.bincount(judged.unit)[judged.unit] > 1
    shown = several if measure == "alpha" else np.ones(len(several), dtype=bool)
    names = [source.entries[code].system for code in source.credit_entry.tolist()]
    systems: dict[int, list[str]] = {}
    for rating, name in zip(source.credit_rating.tolist(), names, strict=True):
        systems.setdefault(rating, []).append(name)
    rows = []
    for place in sorted(
        np.flatnonzero(shown).tolist(), key=lambda one: (judged.unit[one], judged.rater[one])
    ):
        rating = int(judged.place[place])
        testset, segment = source.segments[source.segment[rating]]
        rows.append(
            {
                "item": str(judged.unit[place] + 1),
                "testset": testset,
                "segment": str(segment),
                "system": " | ".join(dict.fromkeys(systems.get(rating, []))),
                "rater": source.raters[judged.rater[place]],
                "value": float(judged.value[place]),
            }
        )
    kind = Column("value", _("z") if scores == "z" else _("Raw"), "number", 3)
    words = [
        _("An item is a segment with the systems that wrote its text; what one rater gave to it several "
          "times counts once, by its mean."),
        *(_measure_words(part, measure, judged) if is_known else ()),
    ]  # fmt: skip
    return words, _values_table(rows, [Column("system", _("System"))], kind)


def _values_table(rows: list[Row], about: list[Column], value: Column) -> Table:
    columns = [
        Column("item", _("Item")),
        Column("segment", _("Segment"), "text", 0, "segment"),
        Column("testset", _("Test set")),
        *about,
        Column("rater", _("Rater"), "text", 0, "rater"),
        value,
    ]
    return Table("values", _("One value a rater and item"), columns, rows)


def _measure_words(part: PartOf, measure: str, judged: Judged) -> list[str]:
    found = part.report.parts["agreement"][part.row.split(".")[0]]
    if measure == "alpha":
        return [_alpha_words(judged)]
    if measure.startswith("icc"):
        return [_classic_words(measure, judged)]
    values = {name: number(found["components"][name], 4) for name in ("unit", "rater", "residual")}
    parts = _(
        "Variance components by Henderson's method III: items %(unit)s, raters %(rater)s, rest %(residual)s."
    )
    if measure == "single":
        formula = _("ICC of one rater = items / (items + raters + rest).")
    else:
        formula = _(
            "ICC of the mean = items / (items + (raters + rest) / k); k = %(k)s is the harmonic mean of "
            "raters an item."
        ) % {"k": number(found["components"]["k"], 3)}
    return [parts % values, formula]


def _alpha_words(judged: Judged) -> str:
    several = np.bincount(judged.unit)[judged.unit] > 1
    unit, value = np.unique(judged.unit[several], return_inverse=True)[1], judged.value[several]
    observed, expected = _spreads(unit, value[:, None])
    return _(
        "α = 1 − D_o / D_e over the %(n)s values of the %(items)s items with two values or more: D_o = "
        "%(observed)s is the variance within items (n − 1 below, each item counted by its values), D_e = "
        "%(expected)s the variance of all these values."
    ) % {
        "n": f"{len(value):,}",
        "items": f"{int(unit.max()) + 1:,}",
        "observed": number(observed, 4),
        "expected": number(expected, 4),
    }


def _spreads(unit: IntArray, values: FloatArray) -> tuple[float, float]:
    """Return the variance within units, each counted by its values, and that of all values.

    Args:
        unit: codes, 0 to U − 1, each of two values or more [n].
        values: [n, d]; the variances of the d columns are added up.
    """
    m = np.bincount(unit)
    sums = np.zeros((len(m), values.shape[1]))
    np.add.at(sums, unit, values)
    away = ((values - (sums / m[:, None])[unit]) ** 2).sum(axis=1)
    within = (m / (m - 1) * np.bincount(unit, weights=away)).sum() / m.sum()
    return float(within), float(values.var(axis=0, ddof=1).sum())


def _classic_words(measure: str, judged: Judged) -> str:
    table = judged.complete()
    assert table is not None  # noqa: S101 (else the report has no such measure)
    between, raters, residual = mean_squares(table)
    values = {
        "b": number(between, 4),
        "j": number(raters, 4),
        "e": number(residual, 4),
        "n": f"{len(np.unique(judged.unit)):,}",
        "k": f"{len(np.unique(judged.rater)):,}",
    }
    seen = _(
        "Every one of %(k)s raters judged every one of %(n)s items. Mean squares: B = %(b)s between items, J "
        "= %(j)s between raters, E = %(e)s of the rest."
    )
    formula = {
        "icc_2_1": _("ICC(2,1) = (B − E) / (B + (k − 1) E + k (J − E) / n) (Shrout and Fleiss 1979)."),
        "icc_2_k": _("ICC(2,k) = (B − E) / (B + (J − E) / n) (Shrout and Fleiss 1979)."),
    }
    return f"{seen % values} {formula[measure]}"


def _shown(part: PartOf) -> list[Comparison]:
    return [one for one in comparisons_read(part.report.campaign).all_shown() if not one.excluded_by]


def _of_outcomes(part: PartOf, is_known: bool) -> tuple[list[str], Table]:
    """Return the words and the outcomes of α on preferences; no formula without a value."""
    shown = _shown(part)
    judged = judged_comparisons(shown)
    several = np.bincount(judged.unit)[judged.unit] > 1
    outcomes = {1.0: _("A better"), 0.0: _("Equal"), -1.0: _("B better")}
    rows = []
    for place in sorted(
        np.flatnonzero(several).tolist(), key=lambda one: (judged.unit[one], judged.rater[one])
    ):
        one = shown[int(judged.place[place])]
        first, second = sorted((one.left, one.right))
        rows.append(
            {
                "item": str(judged.unit[place] + 1),
                "testset": one.testset,
                "segment": str(one.segment),
                "first": " | ".join(first),
                "second": " | ".join(second),
                "rater": one.rater,
                "value": outcomes[float(judged.value[place])],
            }
        )
    words = [_("An item is a segment with two candidates; the first answer of a rater counts.")]
    if is_known:
        words += _outcome_words(judged.unit[several], judged.value[several], part.row == "nominal")
    return words, _values_table(
        rows, [Column("first", "A"), Column("second", "B")], Column("value", _("Outcome"))
    )


def _outcome_words(unit: IntArray, value: FloatArray, is_nominal: bool) -> list[str]:
    unit = np.unique(unit, return_inverse=True)[1]
    category, n = np.unique(value, return_inverse=True, return_counts=True)[1:]
    words = _(
        "α = 1 − D_o / D_e over the %(n)s outcomes of the %(items)s items that two raters or more judged "
        "(Krippendorff 2011)."
    ) % {"n": f"{len(value):,}", "items": f"{int(unit.max()) + 1:,}"}
    if is_nominal:
        observed, expected = _spreads(unit, np.eye(len(n))[category])
        told = _(
            "D_o = %(observed)s and D_e = %(expected)s are the shares of unequal pairs of outcomes within "
            "items, each item counted by its outcomes, and among all."
        )
    else:
        ranks = (np.cumsum(n) - n / 2)[category]
        observed, expected = (2 * one for one in _spreads(unit, ranks[:, None]))
        told = _(
            "D_o = %(observed)s and D_e = %(expected)s are mean squared differences of mid-ranks within "
            "items, each item counted by its outcomes, and among all; B better < equal < A better."
        )
    return [words, told % {"observed": number(observed, 4), "expected": number(expected, 4)}]


def _of_labels(part: PartOf, is_known: bool) -> tuple[list[str], Table]:
    """Return the words and the comparisons of κ; no formula without a value."""
    found = kappa_of(part.report.parts["agreement"], part.row)
    order, pairs = part.row.split(".")
    which = {
        "all": _("Any two labels about the same segment and the same two candidates are a pair."),
        "between": _("Two labels of different raters about the same segment and candidates are a pair."),
        "within": _("Two labels of one rater about the same segment and candidates are a pair."),
    }[pairs]
    sides = {
        "same": _("They are compared only where the candidates stood on the same sides."),
        "either": _("Where the candidates stood the other way round, the label is turned round."),
    }[order]
    table = comparison_table(part.behind, {}, lambda one: not one.excluded_by)
    if not is_known:
        return [which, sides], table
    numbers = _(
        "%(agree)s of %(comparable)s pairs agree, P(A) = %(p_agree)s. %(ties)s of %(labels)s labels say "
        "“equal”, so by chance P(E) = t² + 2 ((1 − t) / 2)² = %(p_expected)s with t = %(ties)s / %(labels)s. "
        "κ = (P(A) − P(E)) / (1 − P(E))."
    ) % {
        **{name: f"{found[name]:,}" for name in ("agree", "comparable", "ties", "labels")},
        **{name: number(found[name], 4) for name in ("p_agree", "p_expected")},
    }
    return [which, sides, numbers], table
