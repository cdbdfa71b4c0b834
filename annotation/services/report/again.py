"""What an extra round did: scores of the first judgements alone, and as they are counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from annotation.stats.options import ScoreOptions
from annotation.stats.records import RatingTable
from annotation.stats.rounds import numbers_again
from annotation.stats.score import score_ratings

Row = dict[str, Any]
FEW_DRAWS = 2


def judged_again(table: RatingTable, options: ScoreOptions) -> Row | None:
    """Compare the scores before and after the extra round; None where nothing was judged again.

    Returns:
        `n_items`, `n_first` judgements of them, `n_new`, `n_waiting` items with fewer of these, and
        `systems`: raw mean and mean z with the first judgements alone (`first_…`) and with what counts by the
        options.
    """
    n_items, n_first, n_waiting = numbers_again(table)
    if not n_items:
        return None
    few = replace(options, resamples=FEW_DRAWS, by_condition=False, hypothesis=None)
    before = score_ratings(table, replace(few, disagreement="none"))["systems"]
    after = {row["system"]: row for row in score_ratings(table, few)["systems"]}
    systems = [
        {
            "system": row["system"],
            "first_raw_mean": row["raw_mean"],
            "raw_mean": after[row["system"]]["raw_mean"],
            "first_z_mean": row["z_mean"],
            "z_mean": after[row["system"]]["z_mean"],
            "first_n": row["n_judgements"],
            "n": after[row["system"]]["n_judgements"],
        }
        for row in before
        if row["system"] in after
    ]
    return {
        "n_items": n_items,
        "n_first": n_first,
        "n_waiting": n_waiting,
        "n_new": int((table.rounds > 1).sum()),
        "systems": systems,
    }
