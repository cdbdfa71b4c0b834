"""Parts of a report that judge: whether raters are reliable, and what it would take to separate systems."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from annotation.design.outlook import look_ahead
from annotation.design.power import PowerError
from annotation.services.report.data import RatedData
from annotation.services.report.ratings import counted
from annotation.stats.records import KINDS
from annotation.stats.reliability import Answer, ReliabilityOptions, assess_all

Row = dict[str, Any]
MOST_PAIRS = 300


def reliability(data: RatedData, scale: tuple[float, float]) -> list[Row]:
    """Judge every rater by quality control, repeats, runs and times; see `annotation.stats.reliability`."""
    table, answers = data.ratings.table, data.answers
    found = [
        Answer(
            table.raters[table.rater[row]],
            KINDS[table.kind[row]],
            int(answers.pair[row]),
            float(table.score[row]),
            None if np.isnan(answers.seconds[row]) else float(answers.seconds[row]),
            int(answers.order[row]),
        )
        for row in range(len(table.score))
    ]
    return [
        {
            "rater": row["rater"],
            "state": row["state"],
            "reason": row["reason"],
            "n_pairs": row["pairs"]["n_pairs"],
            "p_value": row["pairs"]["p_value"],
            "carelessness": row["carelessness"]["total"],
            "n_repeats": row["repeats"]["n"],
            "repeat_difference": row["repeats"]["mean_absolute_difference"],
        }
        for row in assess_all(found, ReliabilityOptions(scale=scale))
    ]


def outlooks(data: RatedData, scores: Row) -> list[Row]:
    """Say of each pair of systems how many more judgements would separate it.

    Each row has `system_a`, `system_b` and either the fields of `Outlook` or `refused`. Above 300 pairs only
    neighbours in the ranking are looked at.
    """
    table = data.ratings.table.by_system()
    chosen = (counted(table) & ~np.isnan(data.z))[table.credit_rating]
    row = table.credit_rating[chosen]
    names = np.array([entry.system for entry in table.entries], dtype=object)[table.credit_entry[chosen]]
    ranked = [one["system"] for one in scores["systems"]]
    own = {name: np.unique(row[names == name]) for name in ranked}
    pairs = [(a, b) for place, a in enumerate(ranked) for b in ranked[place + 1 :]]
    if len(pairs) > MOST_PAIRS:
        pairs = list(pairwise(ranked))
    found = []
    for a, b in pairs:
        rows = np.concatenate([own[a], own[b]])
        second = np.arange(len(rows)) >= len(own[a])
        try:
            seen = look_ahead(data.z[rows], table.segment[rows], second, table.rater[rows])
        except PowerError as error:
            found.append({"system_a": a, "system_b": b, "refused": str(error)})
            continue
        found.append({"system_a": a, "system_b": b} | seen._asdict())
    return found
