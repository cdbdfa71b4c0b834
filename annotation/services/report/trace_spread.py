"""Where the spread of scores, their drift and the use of sides come from: the answers counted."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from scipy import stats

from annotation.services.report import sections_preferences, sections_ratings
from annotation.services.report.parts import PartOf
from annotation.services.report.ratings import counted
from annotation.services.report.tables import Table
from annotation.services.report.trace import Trace, rating_columns, rating_rows
from annotation.services.report.trace_preferences import comparison_table
from annotation.services.score_table import number
from annotation.stats.description import LEVEL, bins_of, parts_of_way
from annotation.stats.records import FloatArray, IntArray


def distribution_trace(part: PartOf) -> Trace:
    """Return the ratings behind a number of how a system's raw scores spread; of a bin, those in it.

    Raises:
        NotFound: the report has no such number.
    """
    part.needs("rating")
    section = sections_ratings.distribution(part.report)
    row, value = part.cell(section, "distributions", "system", "mean")
    table = part.data.ratings.table
    credited = counted(table)[table.credit_rating]
    names = np.array([entry.system for entry in table.entries], dtype=object)[table.credit_entry]
    own = table.credit_rating[credited & (names == part.row)]
    words = [
        _("All %(n)s ratings that count for the system, neither averaged nor standardised.")
        % {"n": f"{row['n']:,}"},
        _(
            "The sd divides by n − 1; quartiles and median are interpolated linearly between the two "
            "nearest ratings."
        ),
    ]
    if part.of.startswith("bin_"):
        low, high = part.report.scale
        place, width = int(part.of.removeprefix("bin_")) - 1, (high - low) / sections_ratings.BINS
        own = own[bins_of(table.score[own], low, high, sections_ratings.BINS) == place]
        words = [
            _(
                "The ratings x that count for the system with %(low)s ≤ x < %(high)s; the last part holds "
                "the end of the scale too."
            )
            % {"low": f"{low + place * width:g}", "high": f"{low + (place + 1) * width:g}"}
        ]
    return _rated(part, f"{part.row}: {section.title}", value, words, own)


def drift_trace(part: PartOf) -> Trace:
    """Return the ratings of a tenth of the raters' way.

    Raises:
        NotFound: the report has no such number.
    """
    part.needs("rating")
    section = sections_ratings.progress(part.report)
    row, value = part.cell(section, "drift", "row", "mean")
    table = part.data.ratings.table
    known = counted(table) & ~np.isnan(part.data.z)
    own = np.flatnonzero(parts_of_way(known, table.rater, part.data.answers.order) == row["part"] - 1)
    words = [
        _(
            "Each rater's ratings that count, in the order given, are cut into ten equal parts; the number "
            "is the mean z of the %(n)s ratings in this part."
        )
        % {"n": f"{row['n']:,}"}
    ]
    if row["ci"] is not None:
        words.append(_drift_words(row, part.data.z[own], table.rater[own]))
    title = _("Mean z, tenth %(part)s of the raters' way") % {"part": row["part"]}
    return _rated(part, title, value, words, own)


def _drift_words(row: dict[str, Any], z: FloatArray, rater: IntArray) -> str:
    """Say how the interval of a tenth is made from the means of its raters."""
    n = np.bincount(rater)
    means = np.bincount(rater, weights=z)[n > 0] / n[n > 0]
    return _(
        "95 %% interval %(low)s to %(high)s: %(mean)s ± t · sd / √n, where sd = %(sd)s is that of the means "
        "of the n = %(n)s raters in this part and t = %(t)s the 97.5 %% point of Student's t with n − 1 "
        "degrees of freedom."
    ) % {
        "low": number(row["ci"][0], 3),
        "high": number(row["ci"][1], 3),
        "mean": number(row["mean"], 3),
        "sd": number(float(means.std(ddof=1)), 4),
        "n": f"{len(means):,}",
        "t": number(float(stats.t.ppf((1 + LEVEL) / 2, len(means) - 1)), 3),
    }


def _rated(part: PartOf, title: str, value: str, words: list[str], own: IntArray) -> Trace:
    rows = rating_rows(part.behind, part.behind.rows_of_judgements(part.data.ratings.judgements[own]))
    columns = rating_columns(part.behind, rows, rater=True)
    table = Table("ratings", _("Ratings behind the number"), columns, rows)
    return Trace(title, value, words, table, part.signature)


def sides_trace(part: PartOf) -> Trace:
    """Return the comparisons of which a side was chosen, all of them for the share and its p.

    Raises:
        NotFound: the report has no such number.
    """
    part.needs("comparison")
    section = sections_preferences.sides(part.report)
    row, value = part.cell(section, "sides", "", "share_left")
    chosen = {part.of} if part.of in ("left", "equal", "right") else {"left", "equal", "right"}
    table = comparison_table(part.behind, {}, lambda one: one.winner in chosen and not one.excluded_by)
    words = [
        _(
            "%(left)s times the left text was chosen, %(right)s times the right one, %(equal)s times "
            "neither. The p-value is that of the exact binomial test of left against right, two-sided."
        )
        % {name: f"{row[name]:,}" for name in ("left", "right", "equal")}
    ]
    return Trace(section.title, value, words, table, part.signature)
