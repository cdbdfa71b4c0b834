"""The raters of a report: how each used the scale or the sides, how long it took, what repeats say."""

from __future__ import annotations

from typing import Any

import numpy as np

from annotation.services.report.data import SIDES, Answers
from annotation.stats.description import five_numbers, histogram
from annotation.stats.records import BoolArray
from annotation.stats.standardise import of_kinds

Row = dict[str, Any]


def profiles(answers: Answers, scale: tuple[float, float], kinds: tuple[str, ...]) -> list[Row]:
    """Describe every rater's answers, in order of name.

    Each row has `rater`, `excluded_by`, and over the answers to items of the given kinds `n`, `top_share`
    (the share of the commonest answer), for scores the five numbers and a `histogram`, for preferences the
    counts `left`, `equal`, `right`. Over all answers: `seconds` (median), `seconds_spread` (quartiles) and
    `longest_run` of equal answers.
    """
    rated = bool((answers.side < 0).all())
    order = sorted(range(len(answers.raters)), key=lambda code: answers.raters[code])
    described = of_kinds(answers.kind, kinds)
    return [_profile(answers, code, scale, described, rated=rated) for code in order]


def _profile(
    answers: Answers, code: int, scale: tuple[float, float], described: BoolArray, *, rated: bool
) -> Row:
    rows = answers.rows_of(code)
    seconds = answers.seconds[rows]
    times = five_numbers(seconds[~np.isnan(seconds)])
    rows = rows[described[rows]]
    values = answers.score[rows] if rated else answers.side[rows].astype(np.float64)
    commonest = int(np.unique(values, return_counts=True)[1].max()) if len(values) else 0
    row: Row = {
        "rater": answers.raters[code],
        "n": len(rows),
        "excluded_by": answers.excluded_by[code],
        "seconds": times["median"],
        "seconds_spread": [times["lower_quartile"], times["upper_quartile"]] if times["n"] else None,
        "longest_run": answers.run_of(code),
        "top_share": commonest / len(rows) if len(rows) else None,
    }
    if rated:
        return row | five_numbers(values) | {"histogram": histogram(values, *scale)}
    counts = np.bincount(answers.side[rows], minlength=len(SIDES))
    return row | dict(zip(SIDES, map(int, counts), strict=True))
