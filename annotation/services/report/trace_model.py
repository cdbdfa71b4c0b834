"""Where the mixed model's numbers come from: the ratings it was fitted to, taken together by its groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.services.report.behind import natural
from annotation.services.report.parts import PartOf
from annotation.services.report.ratings import counted
from annotation.services.report.sections_models import TERMS, mixed
from annotation.services.report.tables import Column, Table, used
from annotation.services.report.trace import Trace
from annotation.services.score_table import number
from annotation.stats.records import FloatArray, IntArray, RatingTable
from annotation.stats.standardise import standardise

Row = dict[str, Any]
GROUPS = {
    "rater": ("rater",),
    "rater_system": ("rater", "system"),
    "segment": ("segment",),
    "output": ("segment", "system"),
    "residual": ("segment", "system", "rater", "rating"),
}
"""Random term → what its groups are made of; the rest has one observation a group."""


@dataclass(frozen=True, eq=False)
class Observed:
    """What the model was fitted to, one observation a rating and system.

    Attributes:
        table: the ratings.
        z: of each rating, nan where there is none.
        rating: row of each observation [n].
        entry: its system, a code into the entries of the table [n].
    """

    table: RatingTable
    z: FloatArray
    rating: IntArray
    entry: IntArray


def system_trace(part: PartOf) -> Trace:
    """Return the z behind the model's estimate of a system.

    Raises:
        NotFound: the report has no such number.
    """
    row, value = part.cell(mixed(part.report), "mixed", "system", "estimate")
    observed = _observed(part)
    names = np.array([entry.system for entry in observed.table.entries], dtype=object)
    rows = _grouped(observed, np.flatnonzero(names[observed.entry] == part.row), GROUPS["residual"])
    words = [*_model_words(part), _estimate_words(row, (part.report.mixed or {})["systems"])]
    title = _("%(system)s: the mixed model's estimate") % {"system": part.row}
    return Trace(title, value, words, _table(rows, GROUPS["residual"]), part.signature)


def variance_trace(part: PartOf) -> Trace:
    """Return the groups behind a variance of the model, with the mean z of each.

    Raises:
        NotFound: the report has no such number.
    """
    row, value = part.cell(mixed(part.report), "variances", "row", "variance")
    observed = _observed(part)
    rows = _grouped(observed, np.arange(len(observed.rating)), GROUPS[part.row])
    total = sum(one["variance"] for one in (part.report.mixed or {})["variances"].values())
    own = _(
        "Variance of %(term)s %(variance)s, sd %(sd)s; its share is %(variance)s / %(total)s = %(share)s %%."
    ) % {
        "term": row["term"],
        "variance": number(row["variance"], 4),
        "sd": number(row["sd"], 4),
        "total": number(total, 4),
        "share": number(100 * row["share"], 1),
    }
    held = _(
        "REML finds all variances together, as those under which the z are likeliest once the fixed terms "
        "are taken out; the groups below are what this one is seen in. Their means also hold chance, so "
        "they spread more than the variance says."
    )
    title = _("Variance of z: %(term)s") % {"term": row["term"]}
    table = _table(rows, GROUPS[part.row])
    return Trace(title, value, [*_model_words(part), held, own], table, part.signature)


def _observed(part: PartOf) -> Observed:
    table = part.data.scored.by_system().canonical()
    z = standardise(table, part.report.options.population).z
    chosen = (counted(table) & ~np.isnan(z))[table.credit_rating]
    return Observed(table, z, table.credit_rating[chosen], table.credit_entry[chosen])


def _model_words(part: PartOf) -> list[str]:
    found = part.report.mixed or {}
    terms = " + ".join(str(TERMS[name]) for name in found["model"]["terms"])
    n, observations = found["model"]["n_ratings"], sum(row["n_judgements"] for row in found["systems"])
    words = [
        _(
            "z = %(fixed)s + %(terms)s + rest: %(fixed)s fixed, all others random, normal and independent; "
            "fitted by REML to %(n)s ratings."
        )
        % {
            "fixed": _("system + rater") if found["model"]["fixed"] else _("system"),
            "terms": terms or "–",
            "n": f"{n:,}",
        }
    ]
    if observations > n:
        words.append(
            _(
                "These are %(observations)s observations: a rating of a text that several systems wrote is "
                "one for each of them."
            )
            % {"observations": f"{observations:,}"}
        )
    return words


def _estimate_words(row: Row, systems: list[Row]) -> str:
    if row["ci"] is None:
        return _("There is one system only, so nothing is said about its distance from others.")
    values = {
        "mean": number(sum(one["estimate"] for one in systems) / len(systems), 3),
        "effect": number(row["effect"], 3),
        "se": number(row["se"], 3),
        "low": number(row["ci"][0], 3),
        "high": number(row["ci"][1], 3),
        "df": "∞" if row["df"] is None else number(row["df"], 1),
    }
    return (
        _(
            "The estimate is the mean of the systems, %(mean)s, and the system's distance from it, "
            "%(effect)s, which has the standard error %(se)s and the 95 %% interval %(low)s to %(high)s by "
            "Student's t with %(df)s degrees of freedom (Satterthwaite). In the table these bounds are moved "
            "to the estimate."
        )
        % values
    )


def _grouped(observed: Observed, chosen: IntArray, by: tuple[str, ...]) -> list[Row]:
    """Return how many observations each group has, and the mean of their z."""
    table, rows = observed.table, observed.rating[chosen]
    codes = {
        "rater": table.rater[rows],
        "segment": table.segment[rows],
        "system": observed.entry[chosen],
        "rating": rows,
    }
    key = np.stack([codes[name] for name in by])
    groups, place = np.unique(key, axis=1, return_inverse=True)
    n = np.bincount(place.ravel())
    mean = np.bincount(place.ravel(), weights=observed.z[rows]) / n
    found = []
    for group, size, value in zip(groups.T.tolist(), n.tolist(), mean.tolist(), strict=True):
        named = dict(zip(by, group, strict=True))
        testset, segment = table.segments[named["segment"]] if "segment" in named else ("", "")
        found.append(
            {
                "testset": testset,
                "segment": str(segment),
                "system": table.entries[named["system"]].system if "system" in named else "",
                "rater": table.raters[named["rater"]] if "rater" in named else "",
                "n": size,
                "z": value,
            }
        )
    return sorted(
        found, key=lambda one: (natural(one["testset"], one["segment"]), one["system"], one["rater"])
    )


def _table(rows: list[Row], by: tuple[str, ...]) -> Table:
    grouped = [Column("n", _("Ratings"), "count"), Column("z", _("Mean z"), "number", 3)]
    columns = [
        Column("segment", _("Segment"), "text", 0, "segment"),
        Column("testset", _("Test set")),
        Column("system", _("System")),
        Column("rater", _("Rater"), "text", 0, "rater"),
        *([Column("z", _("z"), "number", 3)] if "rating" in by else grouped),
    ]
    return Table("groups", _("What the model saw"), used(columns, rows), rows)
