"""The tables, one file each; a new one is a file here and a line in `TABLES`."""

from __future__ import annotations

from annotation.services.study_tables.definitions import (
    edunov_1,
    edunov_2,
    edunov_3,
    edunov_4,
    edunov_5,
    edunov_6,
    edunov_7,
    edunov_8,
    edunov_9,
    vanmassenhove_1,
    vanmassenhove_2,
    vanmassenhove_3,
    vanmassenhove_4,
    vanmassenhove_5,
    vanmassenhove_6,
    vanmassenhove_7,
    vanmassenhove_8,
)
from annotation.services.study_tables.spec import TableSpec

TABLES: dict[str, TableSpec] = {
    one.TABLE.name: one.TABLE
    for one in (
        edunov_1,
        edunov_2,
        edunov_3,
        edunov_4,
        edunov_5,
        edunov_6,
        edunov_7,
        edunov_8,
        edunov_9,
        vanmassenhove_1,
        vanmassenhove_2,
        vanmassenhove_3,
        vanmassenhove_4,
        vanmassenhove_5,
        vanmassenhove_6,
        vanmassenhove_7,
        vanmassenhove_8,
    )
}
"""Name → table."""
