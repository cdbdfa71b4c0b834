"""Where a number comes from: the judgements behind it, and its formula with its own values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.models import Campaign, Judgement
from annotation.services.report.data import RatedData, rated_read
from annotation.services.report.ratings import counted
from annotation.services.report.tables import Column, Table
from annotation.services.score_table import number, raw_decimals
from annotation.services.scoring import campaign_score
from annotation.stats.options import ScoreOptions
from annotation.stats.records import KINDS, BoolArray, IntArray
from annotation.stats.rounds import table_counted
from evalplatform.errors import NotFound

Row = dict[str, Any]
QUANTITIES = ("raw_mean", "z_mean", "n_judgements")


@dataclass(frozen=True)
class Trace:
    """What is behind a number.

    Attributes:
        title: what the number is.
        value: as written in the report.
        words: the formula in words, with its own values.
        table: the judgements or segments it is made from.
        signature: of the scores it belongs to.
    """

    title: str
    value: str
    words: Sequence[str]
    table: Table
    signature: str


def system_trace(
    campaign: Campaign, options: ScoreOptions, system: str, condition: Mapping[str, str], quantity: str
) -> Trace:
    """Return the ratings behind a system's mean.

    Args:
        campaign: whose number it is.
        options: how it is scored; by condition when one is given.
        system: name.
        condition: test set, input, reference and direction; empty for all conditions together.
        quantity: one of `QUANTITIES`.

    Raises:
        NotFound: the report has no such number.
    """
    result = campaign_score(campaign=campaign, options=options).result or {}
    row = found_row(
        one
        for one in result["systems"]
        if one["system"] == system
        and quantity in QUANTITIES
        and all((one[key] or "") == value for key, value in condition.items())
    )
    data = rated_read(campaign, options)
    rows = ratings_of(data, options, system, condition)
    scale = campaign.scale_low, campaign.scale_high
    decimals = raw_decimals(scale) if quantity == "raw_mean" else 3
    name = {"raw_mean": _("raw mean"), "z_mean": _("mean z")}.get(quantity, _("judgements"))
    value = f"{row[quantity]:,}" if quantity == "n_judgements" else number(row[quantity], decimals)
    about = row.get("notation") or row["direction"] or row["testset"] if condition else None
    title = f"{system}, {about}: {name}" if about else f"{system}: {name}"
    columns = _rating_columns(data, rater=True)
    table = Table("ratings", _("Ratings behind the number"), columns, _rating_rows(data, rows))
    return Trace(title, value, _mean_words(row, quantity, options, decimals), table, result["signature"])


def found_row(rows: Iterable[Row]) -> Row:
    """Return the first row.

    Raises:
        NotFound: there is none.
    """
    row = next(iter(rows), None)
    if row is None:
        raise NotFound(_("The report has no such number."), _("Open it from the report again."))
    return row


def natural(testset: str, key: object) -> tuple[str, int, str]:
    """Return what sorts segments as people count them: 2 before 10."""
    words = str(key)
    return testset, int(words) if words.isascii() and words.isdigit() and len(words) < 19 else 0, words


def resampled(options: ScoreOptions) -> str:
    """Say what the bootstrap draws anew."""
    if options.raters == "random":
        return _("documents and raters") if options.unit == "document" else _("segments and raters")
    return _("documents") if options.unit == "document" else _("segments")


def ratings_of(data: RatedData, options: ScoreOptions, system: str, condition: Mapping[str, str]) -> IntArray:
    """Return the rows of the ratings that count for a system, by test set and segment."""
    table = data.ratings.table
    wanted = np.array(
        [
            entry.system == system
            and all((getattr(entry, key) or "") == value for key, value in condition.items())
            for entry in table.entries
        ],
        dtype=bool,
    )
    rows = np.unique(table.credit_rating[wanted[table.credit_entry]])
    rows = rows[counted(table_counted(table, options.disagreement))[rows]]
    return np.array(
        sorted(rows.tolist(), key=lambda row: (natural(*table.segments[int(table.segment[row])]), row)),
        dtype=np.int64,
    )


def _rating_rows(data: RatedData, rows: IntArray) -> list[Row]:
    table, z = data.ratings.table, data.z
    return [
        {
            "testset": table.segments[table.segment[row]][0],
            "segment": str(table.segments[table.segment[row]][1]),
            "rater": table.raters[table.rater[row]],
            "score": float(table.score[row]),
            "z": None if np.isnan(z[row]) else float(z[row]),
            "kind": KINDS[table.kind[row]].replace("_", " "),
            "system": " | ".join(_systems(data, row)),
            "judgement": int(data.ratings.judgements[row]),
        }
        for row in rows.tolist()
    ]


def _systems(data: RatedData, row: int) -> list[str]:
    table = data.ratings.table
    start = np.searchsorted(table.credit_rating, [row, row + 1])
    codes = table.credit_entry[start[0] : start[1]]
    return list(dict.fromkeys(table.entries[code].system for code in codes))


def _rating_columns(data: RatedData, *, rater: bool) -> list[Column]:
    columns = [Column("segment", _("Segment"), "text", 0, "segment"), Column("testset", _("Test set"))]
    if rater:
        columns.append(Column("rater", _("Rater"), "text", 0, "rater"))
    else:
        columns.append(Column("system", _("System")))
    return [
        *columns,
        Column("score", _("Raw"), "number", 0),
        Column("z", _("z"), "number", 3),
        Column("kind", _("Kind")),
        Column("when", _("When")),
    ]


def _mean_words(row: Row, quantity: str, options: ScoreOptions, decimals: int) -> list[str]:
    values = {
        "n": f"{row['n_segments']:,}",
        "ratings": f"{row['n_judgements']:,}",
        "with_z": f"{row['n_z']:,}",
    }
    words = [
        _("%(ratings)s ratings of %(n)s segments count; %(with_z)s of them have a z.") % values,
        _(
            "Ratings of one segment are averaged first; the number is the mean over segments of these "
            "averages."
        ),
    ]
    if quantity == "z_mean":
        words.append(_("z = (x − mean of the rater) / sd of the rater; open a rater to see these two."))
    bounds = row["raw_ci" if quantity == "raw_mean" else "z_ci"]
    if bounds is not None and quantity != "n_judgements":
        words.append(
            _("95 %% interval %(low)s to %(high)s from %(b)s bootstrap resamples of %(what)s, seed %(seed)s.")
            % {
                "low": number(bounds[0], decimals),
                "high": number(bounds[1], decimals),
                "b": f"{options.resamples:,}",
                "seed": options.seed,
                "what": resampled(options),
            }
        )
    return words


def rater_trace(campaign: Campaign, options: ScoreOptions, rater: str) -> Trace:
    """Return the ratings of a rater, with the mean and spread that make their z.

    Raises:
        NotFound: the campaign has no answers of such a rater.
    """
    result = campaign_score(campaign=campaign, options=options).result or {}
    row = found_row(one for one in result["raters"] if one["rater"] == rater)
    data = rated_read(campaign, options)
    table = data.ratings.table
    own: BoolArray = np.array([name == rater for name in table.raters], dtype=bool)[table.rater]
    rows = np.flatnonzero(own)
    rows = rows[np.argsort(data.answers.order[rows], kind="stable")]
    values = {"n": f"{row['n']:,}", "mean": number(row["mean"], 2), "sd": number(row["sd"], 2)}
    words = [
        _(
            "z of this rater = (x − %(mean)s) / %(sd)s: mean and sample standard deviation of %(n)s ratings "
            "(population: %(population)s; scope: %(scope)s)."
        )
        % (values | {"population": options.population.replace("_", " "), "scope": options.scope})
    ]
    if row["no_variance"]:
        words = [_("This rater has no z: all ratings are equal, or there is a single one.")]
    if row["excluded_by"]:
        words.append(_("Excluded: %(why)s. The ratings count in no average.") % {"why": row["excluded_by"]})
    found = Table(
        "ratings",
        _("All ratings, in the order given"),
        _rating_columns(data, rater=False),
        _rating_rows(data, rows),
    )
    return Trace(rater, f"{values['mean']} ± {values['sd']}", words, found, result["signature"])


def times_of(rows: Sequence[Row]) -> None:
    """Fill in when each judgement was given, "" where nobody noted it."""
    ids = [row["judgement"] for row in rows if "judgement" in row]
    when = dict(Judgement.objects.filter(pk__in=ids).values_list("pk", "submitted_at"))
    for row in rows:
        at = when.get(row.get("judgement", -1))
        row["when"] = at.isoformat(sep=" ", timespec="minutes") if at else ""
