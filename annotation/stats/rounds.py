"""Which ratings of a table count where some items were judged again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.disagreement import counted_rounds
from annotation.stats.records import BoolArray, RatingTable
from annotation.stats.standardise import of_kinds


def numbers_again(table: RatingTable) -> tuple[int, int]:
    """Count the texts that were judged again, and their first judgements, of those that count in averages."""
    counted = _in_averages(table)
    entry = np.full(len(table.score), len(table.entries), dtype=np.int64)
    np.minimum.at(entry, table.credit_rating, table.credit_entry)
    cell = entry * max(1, len(table.segments)) + table.segment
    again = np.unique(cell[counted & (table.rounds > 1)])
    first = counted & (table.rounds == 1) & np.isin(cell, again)
    return len(again), int(first.sum())


def table_counted(table: RatingTable, treatment: str) -> RatingTable:
    """Take what does not count by the treatment out of the averages, condition by condition.

    Do this before conditions are taken together: an item that was judged again in one condition says nothing
    of the same segment in another.
    """
    credited = _in_averages(table)[table.credit_rating]
    row, entry = table.credit_rating[credited], table.credit_entry[credited]
    cell = entry * max(1, len(table.segments)) + table.segment[row]
    counts = counted_rounds(cell, table.rounds[row], treatment)
    if counts.all():
        return table
    kept = table.averaged.copy()
    kept[row[~counts]] = False
    return replace(table, in_averages=kept)


def _in_averages(table: RatingTable) -> BoolArray:
    included = np.array([not reason for reason in table.excluded_by], dtype=bool)
    found: BoolArray = of_kinds(table.kind, AVERAGED_KINDS) & table.averaged & included[table.rater]
    return found
