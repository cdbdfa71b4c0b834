"""Turn the tables of a report into cells that open what is behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Campaign, Study
from annotation.services.report.section import Section
from annotation.services.report.tables import Column, Table
from annotation.services.report.trace_parts import PARTS
from annotation.views.figures import bars_svg

Row = dict[str, Any]
CONDITION = ("testset", "input", "reference", "direction")
FORMATS = (("csv", "CSV"), ("tex", "LaTeX"), ("md", "Markdown"))
TALL = 15
"""Rows from which a table scrolls in its own box on a screen."""


def section_cells(section: Section, owner: Campaign | Study, given: Mapping[str, str]) -> Row:
    """Return a section of a campaign's or study's report ready for its template."""
    return {
        "name": section.name,
        "title": section.title,
        "words": section.words,
        "figures": [
            {
                "title": figure.title,
                "svg": figure.svg,
                "files": [
                    ("SVG", _file(owner, figure.name, "svg", given)),
                    (_("its data, CSV"), _file(owner, figure.table, "csv", given)),
                ],
            }
            for figure in section.figures
        ],
        "tables": [
            table_cells(table, owner, given) | {"files": _table_files(owner, table.name, given)}
            for table in section.tables
        ],
        "folded": section.folded and section.figures,
        "remark": section.remark,
    }


def _table_files(owner: Campaign | Study, name: str, given: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return title and address of every file of a table."""
    exact, *others = [(title, _file(owner, name, end, given)) for end, title in FORMATS]
    safe = _file(owner, name, "csv", {**given, "flavour": "spreadsheet"})
    return [exact, (_("CSV for spreadsheets"), safe), *others]


def _file(owner: Campaign | Study, name: str, format: str, given: Mapping[str, str]) -> str:
    """Return the address of a figure or table as a file."""
    if isinstance(owner, Study):
        address = reverse("study_file", args=[owner.pk, name, format])
    elif format == "svg":
        address = reverse("report_figure", args=[owner.key, name])
    else:
        address = reverse("report_table", args=[owner.key, name, format])
    return f"{address}?{urlencode(given)}" if given else address


def table_cells(table: Table, owner: Campaign | Study, given: Mapping[str, str]) -> Row:
    """Return a table with the address that each cell opens ("" when there is nothing behind it)."""
    rows = []
    for place, row in enumerate(table.rows):
        cells = [
            {
                "text": column.write(row),
                "figure": bars_svg(row[column.key], column.write(row)) if column.kind == "bars" else "",
                "numeric": column.numeric,
                "href": _href(owner, column, row, given),
            }
            for column in table.columns
        ]
        below = "condition-end" if place in table.parts else "cut" if place in table.cuts else ""
        rows.append({"cells": cells, "below": below if place < len(table.rows) - 1 else ""})
    return {
        "name": table.name,
        "title": table.title,
        "columns": table.columns,
        "rows": rows,
        "tall": len(rows) > TALL,
        "note": table.note,
    }


def _href(owner: Campaign | Study, column: Column, row: Row, given: Mapping[str, str]) -> str:
    if not column.trace or row.get(column.key) in (None, ""):
        return ""
    if column.trace == "campaign":
        return reverse("campaign_report", args=[row["campaign_key"]])
    query = dict(given)
    if column.trace == "segment":
        return _segment_href(owner, row, query)
    address = _trace_href(owner, row, query)
    if not address:
        return ""
    if column.trace in PARTS:
        query |= {"part": column.trace, "of": column.key}
        query |= {name: row[name] for name in ("system", "row") if name in row}
    elif column.trace == "rater":
        query["rater"] = row.get("rater") or row["left_out"]
    elif "system_a" in row:
        query |= {"a": row["system_a"], "b": row["system_b"]}
    else:
        query |= {"system": row["system"], "of": column.trace}
    if column.trace not in ("rater", *PARTS) and row.get("testset") is not None:
        query |= {f"in_{key}": row[key] or "" for key in CONDITION}
    return f"{address}?{urlencode(query)}"


def _segment_href(owner: Campaign | Study, row: Row, query: dict[str, str]) -> str:
    """Return where a segment stands: in the campaign of the row, by the options that any campaign knows."""
    key = row.get("campaign_key") or (owner.key if isinstance(owner, Campaign) else "")
    if not key:
        return ""
    if isinstance(owner, Study) or key != owner.key:
        query = {name: value for name, value in query.items() if name not in ("hypothesis", "by")}
    query |= {"testset": row["testset"], "segment": row["segment"]}
    return f"{reverse('campaign_segment', args=[key])}?{urlencode(query)}"


def _trace_href(owner: Campaign | Study, row: Row, query: dict[str, str]) -> str:
    """Return the page of what is behind the numbers of a row, and complete its query; "" without one."""
    if isinstance(owner, Campaign):
        return reverse("campaign_trace", args=[owner.key])
    if "trace_key" in row:
        query |= row["trace_options"]
        return reverse("campaign_trace", args=[row["trace_key"]])
    if "trace_group" in row:
        query["group"] = row["trace_group"]
        return reverse("study_trace", args=[owner.pk])
    return ""
