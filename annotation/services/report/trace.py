"""Where a number comes from: the judgements behind it, and its formula with its own values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.models import Judgement
from annotation.services.report.behind import Behind
from annotation.services.report.tables import Column, Table
from annotation.services.score_table import number, raw_decimals
from annotation.stats.options import ScoreOptions
from annotation.stats.records import KINDS, BoolArray, IntArray
from evalplatform.errors import NotFound

Row = dict[str, Any]
CHUNK = 5000
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


def system_trace(behind: Behind, system: str, condition: Mapping[str, str], quantity: str) -> Trace:
    """Return the ratings behind a system's mean.

    Args:
        behind: whose number it is; scored by condition when one is given.
        system: name.
        condition: test set, input, reference and direction; empty for all conditions together.
        quantity: one of `QUANTITIES`.

    Raises:
        NotFound: the report has no such number.
    """
    row = found_row(
        one
        for one in behind.result["systems"]
        if one["system"] == system
        and quantity in QUANTITIES
        and all((one[key] or "") == value for key, value in condition.items())
    )
    rows = rating_rows(behind, behind.rows_of(system, condition))
    decimals = raw_decimals(behind.scale) if quantity == "raw_mean" else 3
    name = {"raw_mean": _("raw mean"), "z_mean": _("mean z")}.get(quantity, _("judgements"))
    value = f"{row[quantity]:,}" if quantity == "n_judgements" else number(row[quantity], decimals)
    about = row.get("notation") or row["direction"] or row["testset"] if condition else None
    title = f"{system}, {about}: {name}" if about else f"{system}: {name}"
    columns = rating_columns(behind, rows, rater=True)
    table = Table("ratings", _("Ratings behind the number"), columns, rows)
    words = _mean_words(row, quantity, behind.options, decimals)
    return Trace(title, value, words, table, behind.result["signature"])


def found_row(rows: Iterable[Row]) -> Row:
    """Return the first row.

    Raises:
        NotFound: there is none.
    """
    row = next(iter(rows), None)
    if row is None:
        raise NotFound(_("The report has no such number."), _("Open it from the report again."))
    return row


def resampled(options: ScoreOptions) -> str:
    """Say what the bootstrap draws anew."""
    if options.raters == "random":
        return _("documents and raters") if options.unit == "document" else _("segments and raters")
    return _("documents") if options.unit == "document" else _("segments")


def rating_rows(behind: Behind, rows: IntArray) -> list[Row]:
    """Return some ratings as rows of a table.

    Args:
        behind: whose ratings they are.
        rows: of its table [n].
    """
    table, z = behind.table, behind.z
    return [
        {
            "testset": table.segments[table.segment[row]][0],
            "segment": str(table.segments[table.segment[row]][1]),
            "rater": table.raters[table.rater[row]],
            "score": float(table.score[row]),
            "z": None if np.isnan(z[row]) else float(z[row]),
            "kind": KINDS[table.kind[row]].replace("_", " "),
            "system": " | ".join(behind.systems_of(row)),
            "judgement": int(table.origins[row]),
        }
        | behind.campaign_cell(rows[place : place + 1])
        for place, row in enumerate(rows.tolist())
    ]


def rating_columns(behind: Behind, rows: Sequence[Row], *, rater: bool) -> list[Column]:
    """Return the columns of ratings: with their raters, or with the systems of one rater's."""
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
        *behind.campaign_columns(rows),
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
    if options.repeats == "within_rater_first":
        words.append(_("What one rater gave to the same text several times counts once, by its mean."))
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


def rater_trace(behind: Behind, rater: str) -> Trace:
    """Return the ratings of a rater, with the mean and spread that make their z.

    Raises:
        NotFound: there are no answers of such a rater.
    """
    row = found_row(one for one in behind.result["raters"] if one["rater"] == rater)
    table, options = behind.table, behind.options
    own: BoolArray = np.array([name == rater for name in table.raters], dtype=bool)[table.rater]
    rows = _in_order(behind, np.flatnonzero(own))
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
    found = rating_rows(behind, rows)
    shown = Table(
        "ratings",
        _("All ratings, in the order given"),
        rating_columns(behind, found, rater=False),
        found,
    )
    return Trace(rater, f"{values['mean']} ± {values['sd']}", words, shown, behind.result["signature"])


def _in_order(behind: Behind, rows: IntArray) -> IntArray:
    """Return rows campaign by campaign, in each as its plan has them: by round, then by position."""
    ids = behind.table.origins
    places: dict[int, tuple[int, int]] = {}
    for some in _chunks(ids[rows].tolist()):
        found = Judgement.objects.filter(pk__in=some)
        for pk, *place in found.values_list("pk", "assignment__round", "assignment__position"):
            places[pk] = (place[0], place[1])
    ordered = sorted(rows.tolist(), key=lambda row: (int(behind.part[row]), places[int(ids[row])]))
    return np.array(ordered, dtype=np.int64)


def _chunks(ids: list[int]) -> Iterator[list[int]]:
    """Yield parts of a list that a database takes at once."""
    for start in range(0, len(ids), CHUNK):
        yield ids[start : start + CHUNK]


def times_of(rows: Sequence[Row]) -> None:
    """Fill in when each judgement was given, "" where nobody noted it."""
    ids = [row["judgement"] for row in rows if "judgement" in row]
    when: dict[int, datetime | None] = {}
    for some in _chunks(ids):
        when |= dict(Judgement.objects.filter(pk__in=some).values_list("pk", "submitted_at"))
    for row in rows:
        at = when.get(row.get("judgement", -1))
        row["when"] = at.isoformat(sep=" ", timespec="minutes") if at else ""
