"""Where a difference of two systems comes from: both means on every common segment, the test spelt out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.services.report.behind import Behind, natural
from annotation.services.report.tables import Column, Table
from annotation.services.report.trace import Trace, found_row, resampled
from annotation.services.score_notes import BOUND, pair_is_bound
from annotation.services.score_table import number, p_value
from annotation.stats.options import ScoreOptions
from annotation.stats.records import IntArray

Row = dict[str, Any]


def pair_trace(behind: Behind, names: tuple[str, str], condition: Mapping[str, str]) -> Trace:
    """Return the segments behind the test of a pair of systems.

    Raises:
        NotFound: the report has no such pair.
    """
    row = found_row(
        one
        for one in behind.result["pairs"]
        if (one["system_a"], one["system_b"]) == names
        and all((one.get(key) or "") == value for key, value in condition.items())
    )
    rows = _segment_rows(behind, [_segments(behind, name, condition) for name in names])
    columns = [
        Column("segment", _("Segment"), "text", 0, "segment"),
        Column("testset", _("Test set")),
        Column("a", names[0], "number", 3),
        Column("b", names[1], "number", 3),
        Column("difference", _("Difference"), "number", 3),
        *behind.campaign_columns(rows, opens=False),
    ]
    table = Table("segments", _("Mean z of both systems on each common segment"), columns, rows)
    title = _("%(a)s against %(b)s") % {"a": names[0], "b": names[1]}
    words = _pair_words(row, behind.options)
    return Trace(title, number(row["z_difference"], 3), words, table, behind.result["signature"])


def _segments(behind: Behind, system: str, condition: Mapping[str, str]) -> dict[int, IntArray]:
    """Return the ratings of a system that have a z, by segment."""
    rows = behind.rows_of(system, condition)
    rows = rows[~np.isnan(behind.z[rows])]
    segment = behind.table.segment[rows]
    return {int(code): rows[segment == code] for code in np.unique(segment)}


def _segment_rows(behind: Behind, rows: list[dict[int, IntArray]]) -> list[Row]:
    segments, found = behind.table.segments, []
    for code in sorted(rows[0].keys() & rows[1].keys(), key=lambda code: natural(*segments[code])):
        a, b = (behind.mean(own[code], behind.z[own[code]]) or 0.0 for own in rows)
        row = {"testset": segments[code][0], "segment": str(segments[code][1]), "a": a, "b": b}
        both = np.concatenate([own[code] for own in rows])
        found.append(row | {"difference": a - b} | behind.campaign_cell(both))
    return found


def _pair_words(row: Row, options: ScoreOptions) -> list[str]:
    p, b = row["p_bootstrap_two_sided"], options.resamples
    words = [
        _("The difference is the mean over the %(n)s segments that both have.")
        % {"n": f"{row['n_common']:,}"}
    ]
    if p is None:
        return [*words, _("Two common segments at least are needed to test it.")]
    if pair_is_bound(row):
        return [*words, BOUND]
    count = round(p * (b + 1) / 2) - 1
    values = {"b": f"{b:,}", "seed": options.seed, "p": p_value(p), "count": f"{max(0, count):,}"}
    values["what"] = resampled(options)
    if p >= 1:
        return [
            *words,
            _("Of %(b)s resamples of %(what)s (seed %(seed)s) about half favour either system: p = 1.")
            % values,
        ]
    return [
        *words,
        _(
            "Of %(b)s resamples of %(what)s (seed %(seed)s) %(count)s had a difference of 0 or on the "
            "other side, so the two-sided p is 2 · (%(count)s + 1) / (%(b)s + 1) = %(p)s."
        )
        % values,
    ]
