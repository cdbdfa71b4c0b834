"""The addresses that open what is behind a cell."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from django.urls import reverse

from annotation.models import Study
from annotation.services.study_tables.cells import Cell
from annotation.services.study_tables.filled import Filled
from annotation.services.study_tables.writers import Links


def links_of(study: Study, query: Mapping[str, object], base: str = "") -> Links:
    """Return what gives cells their addresses.

    Args:
        study: whose tables.
        query: the wish, as the page's address states it.
        base: what addresses begin with.
    """

    def address(table: Filled, row: int, column: int, cell: Cell) -> str:
        if cell.link is None or cell.value is None:
            return ""
        if cell.link.kind == "campaign":
            own = reverse("campaign_trace", args=[cell.link.campaign])
            return f"{base}{own}?{urlencode(cell.link.query)}"
        own = reverse("study_table_cell", args=[study.pk, table.name, row, column])
        return f"{base}{own}" + (f"?{urlencode(query, doseq=True)}" if query else "")

    return address
