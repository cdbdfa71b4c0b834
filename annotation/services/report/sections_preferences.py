"""Sections of a report of preferences: systems, pairs, conditions, sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.services.report.compute import Report
from annotation.services.report.figures import people
from annotation.services.report.section import Figure, Section
from annotation.services.report.sections_ratings import condition_of
from annotation.services.report.tables import Column, Table
from annotation.services.score_notes import is_judged_together
from annotation.services.score_table import ordered_pairs, p_value

Row = dict[str, Any]
SHARES = ("a_better", "equal", "b_better")


def preferred(report: Report) -> Section:
    """Show how often each system was preferred to each other one, and the systems in order."""
    rows = [_pair(row) for row in ordered_pairs(report.scores)]
    title = _("Shares of comparisons: the left system better, equal, the right system better")
    figures = []
    shown = [row for row in rows if row["shares"]["equal"] is not None]
    if shown:
        figures.append(
            Figure("preferences", title, people.shares([_drawn(row) for row in shown], title), "preferences")
        )
    systems = report.scores["systems"]
    tables = [pairs_table(rows, report), systems_table(systems)]
    words = [_pair_words(rows)]
    if len(systems) > 2:
        words.append(
            _(
                "Expected wins leave ties out (mean over opponents); the win rate counts a tie as half; "
                "the strength is that of Davidson's model (Bradley–Terry with ties), on a log scale with "
                "mean 0."
            )
        )
    return Section("ranking", _("Which reads better?"), words, figures, tables, folded=False)


def _pair_words(rows: Sequence[Row]) -> str:
    if any(is_judged_together(row) for row in rows):
        return _(
            # xgettext:no-python-format
            "A is the system preferred more often. A segment has several comparisons, which resemble each "
            "other: go by the bootstrap over segments, which counts equal ones in, or by the sign test of "
            "majorities (who was preferred more often in a segment). The 95 % intervals of the shares are "
            "by segment too. The sign test of single comparisons takes them as independent and finds too "
            "much. Identical outputs were never shown."
        )
    return _(
        # xgettext:no-python-format
        "A is the system preferred more often. The sign test leaves equal ones out; the bootstrap "
        "over segments counts them in. Identical outputs were never shown. Shares have Wilson's 95 % "
        "intervals."
    )


def _pair(row: Row) -> Row:
    together = is_judged_together(row)
    shares = {f"share_{name}": _share(row, name, together=together) for name in SHARES}
    return row | shares | {"condition": condition_of(row)}


def _share(row: Row, name: str, *, together: bool) -> list[float] | None:
    """Return a share with its interval, that of segments where comparisons of one resemble each other."""
    known: list[float] | None = row["shares"][name]
    if known is None or not together:
        return known
    return [known[0], *(row[f"{name}_ci"] or known[1:])]


def _drawn(row: Row) -> Row:
    parts = [row["shares"][name][0] for name in SHARES]
    return {"first": row["system_a"], "second": row["system_b"], "parts": parts}


def pairs_table(
    rows: Sequence[Row], report: Report, *, apart: bool = False, name: str = "preferences"
) -> Table:
    """Return pairs of systems as a table."""
    columns = [Column("system_a", "A"), Column("system_b", "B")]
    if apart:
        columns.append(Column("condition", _("Condition"), "condition"))
    columns += [
        Column("a_better", _("A better"), "count", 0, "a_better"),
        Column("share_a_better", _("Share"), "ci_percent", 0, "a_better"),
        Column("equal", _("Equal"), "count", 0, "a_better"),
        Column("share_equal", _("Share"), "ci_percent", 0, "a_better"),
        Column("b_better", _("B better"), "count", 0, "a_better"),
        Column("share_b_better", _("Share"), "ci_percent", 0, "a_better"),
        Column("identical", _("Identical"), "count", 0, "a_better"),
    ]
    declared = report.options.hypothesis is not None
    if declared:
        rows = [row if row["one_sided"] == "declared" else row | {"p_bootstrap": None} for row in rows]
    columns += _tests(together=any(is_judged_together(row) for row in rows), declared=declared)
    if report.options.correction == "holm":
        columns.append(Column("p_holm", _("p, Holm"), "p", 0, "p_holm"))
    return Table(name, _("Preferences by pair of systems; A is preferred more often"), columns, rows)


def _tests(*, together: bool, declared: bool) -> list[Column]:
    """Return the columns of p-values, the one to go by first; one-sided ones say how they chose a side."""
    title = _("p, bootstrap, one-sided as declared") if declared else _("p, bootstrap, one-sided, post hoc")
    one_sided = Column("p_bootstrap", title, "p", 0, "p_bootstrap")
    if not together:
        sign = Column("p_sign_two_sided", _("p, sign test, two-sided"), "p", 0, "p_sign_two_sided")
        return [sign, one_sided]
    return [
        Column("p_bootstrap_two_sided", _("p, bootstrap, two-sided"), "p", 0, "p_bootstrap_two_sided"),
        one_sided,
        Column(
            "p_sign_majority_two_sided",
            _("p, sign test of majorities, two-sided"),
            "p",
            0,
            "p_sign_majority_two_sided",
        ),
        Column(
            "p_sign_two_sided",
            _("p, sign test of single comparisons, two-sided"),
            "p",
            0,
            "p_sign_two_sided",
        ),
    ]


def systems_table(systems: Sequence[Row], *, apart: bool = False, name: str = "ranking") -> Table:
    """Return systems as a table."""
    rows = [row | {"condition": condition_of(row)} for row in systems]
    columns = [Column("system", _("System"))]
    if apart:
        columns.append(Column("condition", _("Condition"), "condition"))
    columns += [
        Column("expected_wins", _("Expected wins"), "number", 3, "expected_wins"),
        Column("win_rate", _("Win rate"), "number", 3, "win_rate"),
    ]
    if any(row.get("strength") is not None for row in rows):
        columns += [
            Column("strength", _("Strength"), "number", 2, "strength"),
            Column("strength_ci", _("95 %"), "interval", 2, "strength"),
            Column("rank_range", _("Rank range"), "ranks", 0, "rank_range"),
        ]
    columns.append(Column("n", _("Comparisons"), "count", 0, "win_rate"))
    return Table(name, _("Systems by how often they are preferred"), columns, rows)


def conditions(report: Report) -> Section | None:
    """Show pairs and systems in each condition; nothing for one condition."""
    if report.conditions is None:
        return None
    rows = [_pair(row) for row in ordered_pairs(report.conditions)]
    shown = [row for row in rows if row["shares"]["equal"] is not None]
    title = _("Shares of comparisons by condition")
    drawn = [
        _drawn(row) | {"second": f"{row['system_b']}, {row.get('notation') or row['testset']}"}
        for row in shown
    ]
    figures = [Figure("conditions", title, people.shares(drawn, title), "condition-pairs")] if drawn else []
    tables = [
        pairs_table(rows, report, apart=True, name="condition-pairs"),
        systems_table(report.conditions["systems"], apart=True, name="conditions"),
    ]
    return Section("conditions", _("By condition"), [], figures, tables)


def sides(report: Report) -> Section:
    """Show whether one side of the screen is preferred."""
    found = report.scores["position"]
    total = found["left"] + found["right"] + found["equal"]
    row = found | {"share_left": found["left"] / total if total else None}
    columns = [
        Column("left", _("Left chosen"), "count", 0, "sides"),
        Column("equal", _("Equal"), "count", 0, "sides"),
        Column("right", _("Right chosen"), "count", 0, "sides"),
        Column("share_left", _("Share of left"), "percent", 1, "sides"),
        Column("p_two_sided", _("p, two-sided"), "p", 0, "sides"),
    ]
    table = Table("sides", _("Choices by side of the screen"), columns, [row])
    figures = []
    if total:
        parts = [found[name] / total for name in ("left", "equal", "right")]
        title = _("How often the left text, neither, and the right text was chosen")
        drawn = people.shares([{"first": _("left"), "second": _("right"), "parts": parts}], title)
        figures.append(Figure("sides", title, drawn, "sides"))
    return Section("sides", _("Does the side matter?"), [_side_words(found)], figures, [table])


def _side_words(found: Row) -> str:
    p = p_value(found["p_two_sided"])
    values = {"left": found["left"], "right": found["right"], "p": p if p.startswith("<") else f"= {p}"}
    if found["p_two_sided"] is not None and found["p_two_sided"] < 0.05:
        return (
            _(
                "The left text was chosen %(left)s times, the right one %(right)s times (exact two-sided "
                "p %(p)s): one side is preferred. Where sides are drawn at random and balanced, systems "
                "are hit alike."
            )
            % values
        )
    return (
        _("The left text was chosen %(left)s times, the right one %(right)s times (exact two-sided p %(p)s).")
        % values
    )


def holds(report: Report) -> Section | None:
    """Show whether the order stays when a rater is left out."""
    found = report.parts["holds"]
    if "refused" in found or not found["rows"]:
        return None
    rows = [
        {
            "left_out": row["left_out"],
            "order": " > ".join(row["order"]),
            "same": _("yes") if row["same"] else _("no"),
        }
        | {f"rate_{place}": row["rates"].get(system) for place, system in enumerate(found["order"])}
        for row in found["rows"]
    ]
    changed = [row["left_out"] for row in found["rows"] if not row["same"]]
    columns = [
        Column("left_out", _("Left out"), "text", 0, "rater"),
        Column("same", _("Same order")),
        Column("order", _("Order")),
        *(Column(f"rate_{place}", system, "number", 3) for place, system in enumerate(found["order"])),
    ]
    if changed:
        words = _("The order of the systems changes when one of these raters is left out: %(names)s.") % {
            "names": ", ".join(changed)
        }
    else:
        words = _("The order of the systems stays the same whichever rater is left out.")
    table = Table("holds", _("Win rates with one rater left out"), columns, rows)
    return Section("holds", _("Does it hold?"), [words], [], [table])
