"""A number of a part of the report: its table, its row, its column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from annotation.protocols import PROTOCOLS
from annotation.services.report.behind import Behind
from annotation.services.report.compute import Report
from annotation.services.report.data import RatedData, rated_read
from annotation.services.report.section import Section
from annotation.services.report.trace import found_row
from evalplatform.errors import NotFound

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class PartOf:
    """What an address asks for.

    Attributes:
        behind: the scores of the campaign.
        report: in which the number stands.
        of: the column, "" for the one that counts.
        row: its name; of systems, the system's.
    """

    behind: Behind
    report: Report
    of: str
    row: str

    @cached_property
    def data(self) -> RatedData:
        """Return the ratings of the campaign as the report reads them."""
        return rated_read(self.report.campaign, self.report.options)

    @property
    def signature(self) -> str:
        """Return the signature of the scores."""
        return str(self.behind.result["signature"])

    def needs(self, record: str) -> None:
        """Refuse a number that campaigns of another kind of judgement have.

        Raises:
            NotFound: the campaign's judgements are no such records.
        """
        if PROTOCOLS[self.report.campaign.protocol].record != record:
            raise _nothing()

    def cell(self, section: Section | None, name: str, key: str, usual: str) -> tuple[Row, str]:
        """Return a row of a table of the report, and one of its cells as written there.

        Args:
            section: of the report, None where it has none.
            name: of the table.
            key: what names its rows, "" where there is one row.
            usual: the column, where none is asked for.

        Raises:
            NotFound: the report has no such number.
        """
        tables = [one for one in (section.tables if section else ()) if one.name == name]
        rows = [one for table in tables for one in table.rows]
        found = found_row(one for one in rows if not key or str(one.get(key)) == self.row)
        column = self.of or usual
        written = [one.write(found) for one in tables[0].columns if one.key == column and one.trace]
        if not written or found.get(column) is None:
            raise _nothing()
        return found, written[0]


def _nothing() -> NotFound:
    return NotFound(_("The report has no such number."), _("Open it from the report again."))
