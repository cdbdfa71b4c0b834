"""Write the plan of a campaign as CSV."""

from __future__ import annotations

from contextlib import closing

from annotation.formats.write import Stream, write_csv
from annotation.models import Campaign
from annotation.services.planning import PLAN_COLUMNS, plan_rows
from evalplatform.errors import BadInput
from mtcore.corpora.spreadsheets import FLAVOURS


def plan_export(*, campaign: Campaign, stream: Stream, flavour: str = "exact") -> int:
    """Write every live assignment, row by row, and return their number.

    Args:
        campaign: whose plan.
        stream: a text stream that leaves line ends as they are.
        flavour: "exact", or "spreadsheet" with cells escaped that a spreadsheet would take for formulas.

    Raises:
        BadInput: another flavour.
    """
    if flavour not in FLAVOURS:
        raise BadInput(f"flavour must be one of {', '.join(FLAVOURS)}; found {flavour!r}.")
    with closing(plan_rows(campaign)) as rows:
        return write_csv(rows, PLAN_COLUMNS, stream, spreadsheet=flavour == "spreadsheet")
