"""Where the counts of a system come from: its segments, its raters, its wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.services.report.behind import Behind, natural
from annotation.services.report.tables import Column, Table
from annotation.services.report.trace import Trace, found_row
from annotation.services.score_table import ranks, raw_decimals
from annotation.stats.ranking import WIN_LEVEL
from annotation.stats.records import IntArray

Row = dict[str, Any]
COUNTS = ("n_segments", "n_raters", "wins")


def count_trace(behind: Behind, system: str, condition: Mapping[str, str], quantity: str) -> Trace:
    """Return what is counted in one of `COUNTS` of a system.

    Raises:
        NotFound: the report has no such number.
    """
    row = found_row(
        one
        for one in behind.result["systems"]
        if one["system"] == system and quantity in COUNTS and one.get(quantity) is not None
        and all((one[key] or "") == value for key, value in condition.items())
    )  # fmt: skip
    if quantity == "wins":
        table, words = _wins(behind.result, system, condition), _win_words(row)
    else:
        table = _groups(behind, behind.rows_of(system, condition), quantity == "n_segments")
        words = [_("The ratings that count for the system, taken together.")]
    name = {"n_segments": _("segments"), "n_raters": _("raters"), "wins": _("wins")}[quantity]
    about = row.get("notation") or row["direction"] or row["testset"] if condition else None
    title = f"{system}, {about}: {name}" if about else f"{system}: {name}"
    return Trace(title, f"{row[quantity]:,}", words, table, behind.result["signature"])


def _groups(behind: Behind, rows: IntArray, by_segment: bool) -> Table:
    """Return ratings taken together by segment or by rater: how many, their raw and their z mean."""
    table, decimals = behind.table, raw_decimals(behind.scale)
    codes = (table.segment if by_segment else table.rater)[rows]
    found: list[Row] = []
    for code in np.unique(codes).tolist():
        own = rows[codes == code]
        testset, segment = table.segments[code] if by_segment else ("", "")
        z = behind.z[own][~np.isnan(behind.z[own])]
        raw_mean, z_mean = float(table.score[own].mean()), float(z.mean()) if len(z) else None
        if by_segment:
            raw_mean, z_mean = behind.mean(own, table.score[own]) or 0.0, behind.mean(own, behind.z[own])
        found.append(
            {
                "testset": testset,
                "segment": str(segment),
                "rater": "" if by_segment else table.raters[code],
                "n": len(own),
                "raw": raw_mean,
                "z": z_mean,
            }
            | behind.campaign_cell(own)
        )
    found.sort(key=lambda one: (natural(one["testset"], one["segment"]), one["rater"]))
    columns = [Column("rater", _("Rater"), "text", 0, "rater")]
    if by_segment:
        columns = [Column("segment", _("Segment"), "text", 0, "segment"), Column("testset", _("Test set"))]
    columns += [
        Column("n", _("Ratings"), "count"),
        Column("raw", _("Mean"), "number", decimals),
        Column("z", _("Mean z"), "number", 3),
        *behind.campaign_columns(found, opens=False),
    ]
    title = _("Segments behind the number") if by_segment else _("Raters behind the number")
    return Table("groups", title, columns, found)


def _wins(result: Row, system: str, condition: Mapping[str, str]) -> Table:
    """Return the rank-sum tests of a system against each other one."""
    rows = []
    for pair in result["pairs"]:
        if system not in (pair["system_a"], pair["system_b"]):
            continue
        if any((pair.get(key) or "") != value for key, value in condition.items()):
            continue
        is_first = pair["system_a"] == system
        p = pair["p_rank_sum"]
        decided = p is not None and p < WIN_LEVEL and pair["z_difference"] > 0
        outcome = (_("win") if is_first else _("loss")) if decided else _("undecided")
        rows.append(pair | {"other": pair["system_b" if is_first else "system_a"], "outcome": outcome})
    columns = [
        Column("other", _("Against")),
        Column("outcome", _("Outcome")),
        Column("system_a", _("Higher mean z")),
        Column("z_difference", _("Difference of z"), "number", 3, "z_difference"),
        Column("p_rank_sum", _("p, rank sum, one-sided"), "p"),
    ]
    return Table("wins", _("The system against each other one"), columns, rows)


def _win_words(row: Row) -> list[str]:
    words = [
        _(
            "A system wins over another if its mean z is higher and the one-sided rank-sum test over all "
            "segments of both, uncorrected, has p < %(level)s."
        )
        % {"level": f"{WIN_LEVEL:g}".removeprefix("0")}
    ]
    if row.get("rank_range"):
        words.append(
            _("Rank range %(ranks)s: from losses + 1 to the number of systems − wins.")
            % {"ranks": ranks(row["rank_range"])}
        )
    return words
