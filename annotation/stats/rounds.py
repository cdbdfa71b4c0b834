"""Which ratings of a table count where some items were judged again."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from annotation.stats.aggregate import AVERAGED_KINDS
from annotation.stats.disagreement import counted_rounds, whole_rounds
from annotation.stats.records import BoolArray, RatingTable
from annotation.stats.standardise import of_kinds


class Again(NamedTuple):
    """How much was judged again, of what counts in averages.

    Attributes:
        n_items: texts with judgements of the extra round.
        n_first: first judgements of these.
        n_waiting: those of the texts that fewer raters have judged again than the first time.
    """

    n_items: int
    n_first: int
    n_waiting: int = 0


def numbers_again(table: RatingTable) -> Again:
    """Count the texts that were judged again, and their first judgements, of those that count in averages."""
    counted = _in_averages(table)
    entry = np.full(len(table.score), len(table.entries), dtype=np.int64)
    np.minimum.at(entry, table.credit_rating, table.credit_entry)
    cell = entry * max(1, len(table.segments)) + table.segment
    again = np.unique(cell[counted & (table.rounds > 1)])
    first = counted & (table.rounds == 1) & np.isin(cell, again)
    whole = whole_rounds(cell[counted], table.rounds[counted], table.rater[counted])
    waiting = np.unique(cell[counted][~whole])
    return Again(len(again), int(first.sum()), len(waiting))


def table_counted(table: RatingTable, treatment: str) -> RatingTable:
    """Take what does not count by the treatment out of the averages, condition by condition.

    Do this before conditions are taken together: an item that was judged again in one condition says nothing
    of the same segment in another.
    """
    credited = _in_averages(table)[table.credit_rating]
    row, entry = table.credit_rating[credited], table.credit_entry[credited]
    cell = entry * max(1, len(table.segments)) + table.segment[row]
    counts = counted_rounds(cell, table.rounds[row], table.rater[row], treatment)
    if counts.all():
        return table
    kept = table.averaged.copy()
    kept[row[~counts]] = False
    return replace(table, in_averages=kept)


def _in_averages(table: RatingTable) -> BoolArray:
    included = np.array([not reason for reason in table.excluded_by], dtype=bool)
    found: BoolArray = of_kinds(table.kind, AVERAGED_KINDS) & table.averaged & included[table.rater]
    return found
