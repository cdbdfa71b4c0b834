"""Tables in answers of the API: as JSON with raw values, or as files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.services.report.section import Figure, Section
from annotation.services.report.tables import Table
from annotation.services.report.writers import table_write
from evalplatform.errors import BadInput
from evalplatform.files import TABLE_TYPES, attachment
from mtcore.corpora.spreadsheets import FLAVOURS

ENDINGS = ("json", "csv", "md", "tex")
FILE = [
    OpenApiParameter("file", str, enum=ENDINGS, default="json"),
    OpenApiParameter("flavour", str, enum=FLAVOURS, default="exact", description="of CSV"),
]
FILES: dict[Any, Any] = {
    (200, "application/json"): OpenApiTypes.OBJECT,
    **{(200, TABLE_TYPES[ending]): OpenApiTypes.STR for ending in ENDINGS[1:]},
}


def table_json(table: Table, signature: str) -> dict[str, Any]:
    """Return a table with its columns and raw values."""
    keys = [column.key for column in table.columns]
    return {
        "name": table.name,
        "title": str(table.title),
        "columns": [{"key": one.key, "title": str(one.title), "kind": one.kind} for one in table.columns],
        "rows": [{key: row.get(key) for key in keys} for row in table.rows],
        "note": str(table.note),
        "signature": signature,
    }


def sent(request: Request, table: Table, signature: str, name: str) -> HttpResponseBase:
    """Send a table as the query says: `file` and `flavour`."""
    ending = file_of(request, ENDINGS)
    if ending == "json":
        return Response(table_json(table, signature))
    text = table_write(table, signature, ending, request.query_params.get("flavour", "exact"))
    return attachment(text, f"{name}.{ending}", TABLE_TYPES[ending])


def file_of(request: Request, endings: Sequence[str]) -> str:
    """Return which file the query asks for, the first where it says nothing.

    Raises:
        BadInput: there is no such file.
    """
    ending = request.query_params.get("file", endings[0])
    if ending not in endings:
        raise BadInput(f"There is no file “{ending}”.", f"Give file as one of {', '.join(endings)}.")
    return ending


def figures_told(
    request: Request, view: str, address: Mapping[str, Any]
) -> Callable[[Figure], dict[str, str]]:
    """Return what tells a figure: its name, its title, the table of its data, the address of its SVG."""
    query = request.META.get("QUERY_STRING", "")

    def told(figure: Figure) -> dict[str, str]:
        place = reverse(view, kwargs={**address, "name": figure.name})
        url = request.build_absolute_uri(f"{place}?{query}" if query else place)
        return {"name": figure.name, "title": str(figure.title), "table": figure.table, "svg": url}

    return told


def report_json(sections: Sequence[Section], figure: Callable[[Figure], dict[str, str]]) -> dict[str, Any]:
    """Return the sections of a report."""
    return {
        "sections": [
            {
                "name": one.name,
                "title": str(one.title),
                "words": [str(words) for words in one.words],
                "remark": str(one.remark),
                "figures": [figure(own) for own in one.figures],
                "tables": [table_json(own, "") for own in one.tables],
            }
            for one in sections
        ]
    }
