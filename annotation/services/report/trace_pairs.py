"""Where a difference of two systems comes from: both means on every common segment, the test spelt out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.services.report.data import RatedData, rated_read
from annotation.services.report.tables import Column, Table
from annotation.services.report.trace import Trace, found_row, natural, ratings_of, resampled
from annotation.services.score_notes import BOUND, pair_is_bound
from annotation.services.score_table import number, p_value
from annotation.services.scoring import campaign_score
from annotation.stats.options import ScoreOptions

Row = dict[str, Any]


def pair_trace(
    campaign: Campaign, options: ScoreOptions, names: tuple[str, str], condition: Mapping[str, str]
) -> Trace:
    """Return the segments behind the test of a pair of systems.

    Raises:
        NotFound: the report has no such pair.
    """
    result = campaign_score(campaign=campaign, options=options).result or {}
    row = found_row(
        one
        for one in result["pairs"]
        if (one["system_a"], one["system_b"]) == names
        and all((one.get(key) or "") == value for key, value in condition.items())
    )
    data = rated_read(campaign, options)
    rows = _segment_rows(data, [_segment_means(data, options, name, condition) for name in names])
    columns = [
        Column("segment", _("Segment"), "text", 0, "segment"),
        Column("testset", _("Test set")),
        Column("a", names[0], "number", 3),
        Column("b", names[1], "number", 3),
        Column("difference", _("Difference"), "number", 3),
    ]
    table = Table("segments", _("Mean z of both systems on each common segment"), columns, rows)
    title = _("%(a)s against %(b)s") % {"a": names[0], "b": names[1]}
    return Trace(title, number(row["z_difference"], 3), _pair_words(row, options), table, result["signature"])


def _segment_means(
    data: RatedData, options: ScoreOptions, system: str, condition: Mapping[str, str]
) -> dict[int, float]:
    rows = ratings_of(data, options, system, condition)
    rows = rows[~np.isnan(data.z[rows])]
    segment = data.ratings.table.segment[rows]
    return {int(code): float(data.z[rows][segment == code].mean()) for code in np.unique(segment)}


def _segment_rows(data: RatedData, means: list[dict[int, float]]) -> list[Row]:
    segments = data.ratings.table.segments
    return [
        {
            "testset": segments[code][0],
            "segment": str(segments[code][1]),
            "a": means[0][code],
            "b": means[1][code],
            "difference": means[0][code] - means[1][code],
        }
        for code in sorted(means[0].keys() & means[1].keys(), key=lambda code: natural(*segments[code]))
    ]


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
