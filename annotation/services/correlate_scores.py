"""Segment scores of a metric that was computed elsewhere, read from a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from annotation.formats import ParseOptions
from annotation.formats.cells import Cells
from annotation.formats.table import Table, read_table
from evalplatform.errors import BadInput
from evalplatform.words import quoted
from mtcore.corpora.reader import read_bytes
from mtcore.services.texts import as_bad_input

NAMES: Mapping[str, tuple[str, ...]] = {
    "system": ("system",),
    "segment": ("segment", "segment_id", "line", "seg_id"),
    "score": ("score", "metric", "value"),
    "testset": ("testset",),
    "input": ("input",),
}
"""What a column may be called, the usual name first."""

MOST_SCORE = 1e100
"""The largest score: squares and sums of such stay finite."""

Key = tuple[str, str, str, str]
"""System, test set ("" for any), input ("" for any) and segment, by key or line number."""


def scores_read(name: str, path: str) -> dict[Key, float]:
    """Read the segment scores of a metric of one's own.

    The table (CSV or TSV) has a header and the columns system, segment and score; testset and input where
    several are meant.

    Args:
        name: of the metric, for messages.
        path: of the file.

    Raises:
        BadInput: a column is missing, a score is no number, or an output's segment is scored twice.
    """
    file = Path(path)
    with as_bad_input():
        table = read_table(read_bytes(file), file.name)
        at = _columns(table, name)
        cells = Cells(file.name, ParseOptions(), decimal_comma=table.delimiter == ";")
        found: dict[Key, float] = {}
        for line, row in table.rows:
            system, testset, input_, segment = (
                row[at[part]] if part in at else "" for part in ("system", "testset", "input", "segment")
            )
            key = (system, testset, input_, segment)
            if key in found:
                raise cells.error(
                    line,
                    f"segment “{segment}” of “{system}” is scored a second time",
                    "Keep one of the rows, or add the columns testset and input.",
                )
            found[key] = cells.score(row[at["score"]], line, None)
            if abs(found[key]) > MOST_SCORE:
                raise cells.error(
                    line,
                    f"the score {row[at['score']]} is beyond what can be averaged and correlated",
                    f"Give scores from {-MOST_SCORE:g} to {MOST_SCORE:g}.",
                )
    if not found:
        raise BadInput(f"{file.name} has no scores below its header.", "Give a row for each segment.")
    return found


def _columns(table: Table, name: str) -> dict[str, int]:
    header = [column.strip() for column in table.header]
    at: dict[str, int] = {}
    for part, names in NAMES.items():
        known = (*names, name) if part == "score" else names
        place = next((header.index(one) for one in known if one in header), None)
        if place is not None:
            at[part] = place
    missing = [part for part in ("system", "segment", "score") if part not in at]
    if missing:
        raise BadInput(
            f"{table.name} has no column {' or '.join(missing)}; it has {quoted(table.header)}.",
            "Name the columns system, segment and score.",
        )
    return at
