"""The tables of published studies as JSON: every cell with its value, what is behind it, or what fills it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.services.study_tables.cells import Cell, commands
from annotation.services.study_tables.filled import Filled
from annotation.services.study_tables.writers import title_of


def tables_told(found: Sequence[Filled]) -> list[dict[str, Any]]:
    """Return tables with their headings, labels and cells."""
    return [
        {
            "name": one.name,
            "title": title_of(one),
            "labels": list(one.label_heads),
            "columns": [list(column.heads) for column in one.columns],
            "rows": [
                {"labels": list(line.labels), "cells": [_cell(cell) for cell in line.cells]}
                for line in one.lines
            ],
            "notes": [str(note) for note in one.notes],
        }
        for one in found
    ]


def _cell(cell: Cell) -> dict[str, Any]:
    if cell.value is None:
        return {"value": None, "reason": cell.reason, "commands": commands(cell.needs)}
    return {
        "value": cell.value,
        "text": cell.text,
        "behind": list(cell.behind),
        "signature": cell.signature,
        "n": cell.n,
        "run": cell.link.run if cell.link else None,
    }
