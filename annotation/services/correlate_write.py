"""Write metrics against people as aligned text, CSV, JSON and LaTeX."""

from __future__ import annotations

import json
from typing import Any

from annotation.services.correlate_tables import TABLES, coefficients_long, tables_of
from annotation.services.report.latex import to_latex
from annotation.services.report.tables import Table, to_csv, to_spreadsheet
from annotation.services.text_layout import align

Row = dict[str, Any]
FORMATS = ("table", "json", "csv", "latex")
PAIRS_SHOWN = 30
"""Pairs of systems in the text; all are in the other formats."""


def correlate_write(result: Row, format: str, table: str) -> str:
    """Return the result of a comparison in a format.

    Args:
        result: of `campaigns_correlate`.
        format: of FORMATS.
        table: of TABLES, for CSV and LaTeX.
    """
    if format == "json":
        return json.dumps(result, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    if format == "csv":
        return correlate_csv(result, table)
    if format == "latex":
        return "\n".join(to_latex(one, result["signature"]) for one in tables_of(result, table) if one.rows)
    return _text(result)


def correlate_csv(result: Row, table: str, flavour: str = "exact") -> str:
    """Return a table as CSV with raw values."""
    chosen = coefficients_long(result) if table == "coefficients" else tables_of(result, table)[0]
    return (to_spreadsheet if flavour == "spreadsheet" else to_csv)(chosen, result["signature"])


def _text(result: Row) -> str:
    parts = []
    for name in ("points", *(name for name in TABLES if name != "points")):
        parts += [_aligned(one) for one in tables_of(result, name) if one.rows]
    notes = [f"Note: {note}" for note in result["notes"]]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else []), result["signature"]]) + "\n"


def _aligned(table: Table) -> str:
    cells = table.cells()
    more = len(cells) - PAIRS_SHOWN if table.name == "pairs" else 0
    rows = cells[:PAIRS_SHOWN] if more > 0 else cells
    n_text = next((place for place, one in enumerate(table.columns) if one.numeric), len(table.columns))
    text = align([[column.title for column in table.columns], *rows], n_text)
    told = f"\n… {more:,} more: --format csv --table pairs" if more > 0 else ""
    return f"{table.title}\n{text}{told}"
