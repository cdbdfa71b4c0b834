"""The section of a report that shows what excluding raters changed."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from annotation.services.report.compute import Report
from annotation.services.report.section import Section
from annotation.services.report.tables import Column, Table

Row = dict[str, Any]


def everybody(report: Report) -> Section | None:
    """Show the scores with nobody excluded beside the scores; nothing when nobody is excluded."""
    found = report.parts["everybody"]
    if not isinstance(found, list):
        return None
    keys = ("z_mean", "raw_mean") if report.rated else ("win_rate", "expected_wins")
    all_in = {row["system"]: row for row in found}
    rows = [_row(row, all_in.get(row["system"], {}), keys) for row in report.scores["systems"]]
    titles = (_("Ave. z"), _("Ave.")) if report.rated else (_("Win rate"), _("Expected wins"))
    decimals = (3, 1) if report.rated else (3, 3)
    columns = [Column("system", _("System"))]
    for key, title, places in zip(keys, titles, decimals, strict=True):
        columns.append(Column(key, title, "number", places))
        columns.append(Column(f"{key}_all", _("with everybody"), "number", places))
    table = Table("everybody", _("Scores without and with the excluded raters"), columns, rows)
    excluded = [
        f"{row['rater']} ({row['excluded_by']})" for row in report.scores["raters"] if row["excluded_by"]
    ]
    words = _("Excluded: %(names)s.") % {"names": ", ".join(excluded)}
    order = [row["system"] for row in report.scores["systems"]]
    same = order == [row["system"] for row in found if row["system"] in order]
    kept = (
        _("The order of the systems is the same with everybody.")
        if same
        else _("With everybody the order is another.")
    )
    return Section(
        "everybody", _("Without the excluded, and with them"), [words, kept], [], [table], folded=False
    )


def _row(row: Row, other: Row, keys: tuple[str, str]) -> Row:
    return (
        {"system": row["system"]}
        | {key: row[key] for key in keys}
        | {f"{key}_all": other.get(key) for key in keys}
    )
