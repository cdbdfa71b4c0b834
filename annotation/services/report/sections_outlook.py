"""The section of a report about what more judgements would bring."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from annotation.services.report.compute import Report
from annotation.services.report.section import Section, sentence
from annotation.services.report.tables import Column, Table

Row = dict[str, Any]


def outlook(report: Report) -> Section | None:
    """Say how many more judgements would separate which systems; nothing for one system."""
    found = report.parts["outlook"]
    title = _("What would more judgements bring?")
    if not isinstance(found, list):
        return Section("outlook", title, [sentence(found["refused"])])
    if not found:
        return None
    open_pairs = [row for row in found if "refused" in row or not row["separated"]]
    if not open_pairs:
        return Section("outlook", title, [_("All systems are separated already (two-sided at .05).")])
    words = [
        _(
            # xgettext:no-python-format
            "For pairs that are not separated yet: how many more judgements, on further segments and as "
            "many each as so far, find a true difference of the size seen in 80 % of cases (two-sided at "
            ".05, for these raters). The bounds belong to the ends of the difference's 95 % interval; "
            "where it holds 0 perhaps no number is enough, so there is no upper bound."
        )
    ]
    rows = [_row(row) for row in open_pairs]
    columns = [
        Column("system_a", "A"),
        Column("system_b", "B"),
        Column("difference", _("Difference of z"), "number", 3, "z_difference"),
        Column("ci", _("95 %"), "interval", 3, "z_difference"),
        Column("more_judgements", _("More judgements"), "count"),
        Column("more_low", _("at least"), "count"),
        Column("more_high", _("at most"), "count"),
        Column("more_segments", _("on further segments"), "count"),
        Column("remark", _("Remark")),
    ]
    if not any(row.get("remark") for row in rows):
        columns.pop()
    table = Table("outlook", _("More judgements that would separate two systems"), columns, rows)
    return Section("outlook", title, words, [], [table], folded=False)


def _row(row: Row) -> Row:
    if "refused" in row:
        return row | {"remark": sentence(row["refused"])}
    if row["more_judgements"] is None:
        return row | {"remark": _("No difference is seen.")}
    return row
