"""Does the ranking hold? Each rater, document and condition is left out in turn."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from annotation.services.report.compute import Report
from annotation.services.report.figures import people
from annotation.services.report.section import Figure, Section, sentence
from annotation.services.report.tables import Column, Table

Row = dict[str, Any]
KINDS = ("rater", "document", "condition")
MOST_NAMED = 3


def holds(report: Report) -> Section | None:
    """Show the ranking with each part left out; nothing when there is no ranking."""
    found = report.parts["holds"]
    if "refused" in found:
        return Section("holds", _("Does it hold?"), [sentence(found["refused"])])
    if len(found["systems"]) < 2:
        return None
    title = _("Mean z with each rater, document and condition left out")
    rows = [
        {"name": row["system"], "z_mean": row["z_mean"], "left_out": _ticks(found["left_out"], place)}
        for place, row in enumerate(found["systems"])
    ]
    figures = [Figure("holds", title, people.holds(rows, title), "holds")] if found["left_out"] else []
    words = [
        _(
            "The line is the mean z over everything; each tick is the mean when one rater, document or "
            "condition had never been there. A ranking that hangs on one of them is fragile."
        ),
        *(_summary_words(row) for row in found["summary"]),
        *(sentence(caveat) for caveat in found["caveats"] if "there are no two" not in caveat),
    ]
    tables = [_systems(found), _left_out(found)] if found["left_out"] else []
    return Section("holds", _("Does it hold?"), words, figures, tables)


def _ticks(left_out: list[Row], place: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for row in left_out:
        if row["z_means"][place] is not None:
            found[row["kind"]].append(row["z_means"][place])
    return found


def _summary_words(row: Row) -> str:
    names = {"rater": _("raters"), "document": _("documents"), "condition": _("conditions")}
    values = {"n": row["n"], "kinds": names[row["kind"]], "order": row["n_same_order"]}
    if row["n_same_order"] == row["n"]:
        return _("The order of the systems stays whichever of the %(n)s %(kinds)s is left out.") % values
    words = _("The order of the systems stays for %(order)s of the %(n)s %(kinds)s left out") % values
    first = row["n_same_first"]
    words += ", " + (
        _("the first place for all.") if first == row["n"] else _("the first place for %(n)s.") % {"n": first}
    )
    if row["lowest_tau"]:
        values = {"name": row["lowest_tau"]["name"], "tau": f"{row['lowest_tau']['kendall_tau']:.2f}"}
        words += (
            " " + _("It changes most without %(name)s (Kendall's τ with the full ranking %(tau)s).") % values
        )
    return words


def _systems(found: Row) -> Table:
    rows = []
    for row in found["systems"]:
        ends = {}
        for end in ("least", "greatest"):
            own = row[end]
            ends[end] = own and own["z_mean"]
            ends[f"{end}_name"] = f"{own['name']}" if own else ""
        rows.append({"system": row["system"], "z_mean": row["z_mean"]} | ends)
    columns = [
        Column("system", _("System")),
        Column("z_mean", _("Ave. z"), "number", 3, "z_mean"),
        Column("least", _("Lowest"), "number", 3),
        Column("least_name", _("without")),
        Column("greatest", _("Highest"), "number", 3),
        Column("greatest_name", _("without")),
    ]
    return Table("holds-systems", _("Mean z at its lowest and highest with one part left out"), columns, rows)


def _left_out(found: Row) -> Table:
    kinds = {"rater": _("rater"), "document": _("document"), "condition": _("condition")}
    rows = [
        {
            "kind": kinds[row["kind"]],
            "left_out": row["name"],
            "n_judgements": row["n_judgements"],
            "kendall_tau": row["kendall_tau"],
            "flips": _pairs(row["flips"]),
        }
        | {f"z_{place}": value for place, value in enumerate(row["z_means"])}
        for row in found["left_out"]
    ]
    columns = [
        Column("kind", _("Left out")),
        Column("left_out", _("Name")),
        Column("n_judgements", _("Judgements"), "count"),
        Column("kendall_tau", _("Kendall's τ"), "number", 2),
        Column("flips", _("Change places")),
        *(Column(f"z_{place}", row["system"], "number", 3) for place, row in enumerate(found["systems"])),
    ]
    return Table("holds", _("Mean z of each system with one part left out"), columns, rows)


def _pairs(pairs: list[list[str]]) -> str:
    words = ", ".join(f"{a} / {b}" for a, b in pairs[:MOST_NAMED])
    return words + (_(" and %(n)s more") % {"n": len(pairs) - MOST_NAMED} if len(pairs) > MOST_NAMED else "")
