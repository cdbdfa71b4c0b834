"""The page of what is behind a number, of a campaign or of campaigns scored together in a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Campaign, Study
from annotation.services.report.tables import Table, used
from annotation.services.report.trace import Trace, times_of
from annotation.services.report.writers import table_write
from annotation.stats.options import CHOICES
from annotation.views.files import attachment
from annotation.views.report_cells import table_cells

TYPES = {"csv": "text/csv", "md": "text/markdown", "tex": "application/x-tex", "svg": "image/svg+xml"}
FIELDS = (*CHOICES, "resamples", "preference_resamples", "seed", "hypothesis")
ROWS = 300
"""Rows of a trace on one page."""


def given_of(request: HttpRequest) -> dict[str, str]:
    """Return the options of scoring that an address names."""
    found = {name: request.GET.get(name, "").strip() for name in FIELDS}
    return {name: value for name, value in found.items() if value}


def trace_page(
    request: HttpRequest,
    owner: Campaign | Study,
    found: Trace,
    given: Mapping[str, str],
    more: Mapping[str, Any],
) -> HttpResponse:
    """Show what is behind a number page by page, or send all of it as a file.

    Args:
        request: its query names the page or `format=csv`.
        owner: whose number it is.
        found: what is behind it.
        given: the options of scoring that the address names.
        more: what the template needs beside.
    """
    if request.GET.get("format") == "csv":
        times_of(found.table.rows)
        text = table_write(found.table, found.signature, "csv", request.GET.get("flavour", "exact"))
        return attachment(text, f"{owner.name}.trace.csv", TYPES["csv"])
    page = Paginator(found.table.rows, ROWS).get_page(request.GET.get("page"))
    rows = list(page.object_list)
    times_of(rows)
    shown = replace(found, table=_used(found.table.with_rows(rows)))
    query = {name: value for name, value in request.GET.items() if name not in ("page", "format", "flavour")}
    context = {
        "trace": shown,
        "table": table_cells(shown.table, owner, given) | {"tall": False},
        "page": page,
        "query": urlencode(query),
        "report_query": urlencode(given),
    }
    template = "report/study_trace.html" if isinstance(owner, Study) else "report/trace.html"
    return render(request, template, context | dict(more))


def _used(table: Table) -> Table:
    """Return a table without the columns that are empty on this page."""
    return replace(table, columns=used(table.columns, table.rows))
