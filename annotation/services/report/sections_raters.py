"""The section of a report about raters: use of the scale or the sides, times, repeats, quality control."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.utils.translation import gettext as _

from annotation.services.remarks import skips_count
from annotation.services.report.compute import Report
from annotation.services.report.figures import people
from annotation.services.report.section import Figure, Section, sentence
from annotation.services.report.tables import Column, Table, used

Row = dict[str, Any]


def raters(report: Report) -> Section:
    """Show every rater's use of the scale, time, runs."""
    judged = report.parts.get("reliability", [])
    summaries = {row["rater"]: row for row in report.scores["raters"]}
    skips = skips_count(report.campaign)
    rows = []
    for row in report.parts["raters"]:
        summary = summaries.get(row["rater"], {})
        rows.append(row | {"remark": _remark(row, summary, skips.get(row["rater"], 0))})
    table = Table("raters", _("Raters"), _rater_columns(report.rated, rows), rows)
    figures, tables = [], [table]
    if report.rated:
        title = _("Each rater's mean and spread of raw scores")
        figures.append(Figure("raters", title, people.raters(rows, report.scale, title), "raters"))
        words = [
            _(
                "Raters use a scale differently; z-scores take each rater's mean and spread out. A rater "
                "without spread has no z. Means and spreads here are over the ratings that make z: practice "
                "and attention items are left out."
            )
        ]
        if isinstance(judged, list):
            words.append(_reliability_words(judged))
            tables.append(_control(judged))
    else:
        words = [_("How often each rater chose a side, or neither, and how long the answers took.")]
    return Section("raters", _("Raters"), words, figures, tables, folded=False)


def _reliability_words(judged: list[Row]) -> str:
    n = Counter(row["state"] for row in judged)
    values = {state: n[state] for state in ("passed", "undecided", "failed")}
    return (
        _(
            "Quality control: %(passed)s passed (they score bad references lower than what these were "
            "made from), %(undecided)s are undecided, %(failed)s failed. Not having passed is not "
            "failing: that takes evidence of carelessness from bad references, repeats, runs of one score "
            "and times. Nobody is excluded by this."
        )
        % values
    )


def _control(judged: list[Row]) -> Table:
    """Return what is known of each rater's reliability; those who failed come first."""
    words = {"failed": _("failed: look"), "undecided": _("undecided"), "passed": _("passed")}
    ordered = sorted(judged, key=lambda row: (list(words).index(row["state"]), row["rater"]))
    rows = [row | {"state": words[row["state"]], "evidence": sentence(row["reason"])} for row in ordered]
    columns = [
        Column("rater", _("Rater"), "text", 0, "rater"),
        Column("state", _("State")),
        Column("evidence", _("Evidence")),
        Column("n_pairs", _("Bad references"), "count", 0, "rater"),
        Column("p_value", _("p, one-sided"), "p", 0, "rater"),
        Column("n_repeats", _("Repeats"), "count", 0, "rater"),
        Column("repeat_difference", _("differ by"), "number", 1, "rater"),
    ]
    return Table("quality-control", _("Quality control of raters"), used(columns, rows), rows)


def _remark(row: Row, summary: Row, n_skipped: int) -> str:
    words = []
    if row["excluded_by"]:
        words.append(_("excluded: %(why)s") % {"why": row["excluded_by"]})
    elif summary.get("no_variance"):
        words.append(_("no z: constant, or a single rating"))
    if n_skipped:
        words.append(_("passed over: %(n)s") % {"n": f"{n_skipped:,}"})
    return "; ".join(words)


def _rater_columns(rated: bool, rows: list[Row]) -> list[Column]:
    if rated:
        own = [
            Column("histogram", _("Scores"), "bars"),
            Column("mean", _("Mean"), "number", 1, "rater"),
            Column("sd", _("sd"), "number", 1, "rater"),
            Column("minimum", _("Lowest"), "number", 0, "rater"),
            Column("median", _("Median"), "number", 0, "rater"),
            Column("maximum", _("Highest"), "number", 0, "rater"),
        ]
    else:
        own = [
            Column("left", _("Left"), "count", 0, "rater"),
            Column("equal", _("Equal"), "count", 0, "rater"),
            Column("right", _("Right"), "count", 0, "rater"),
        ]
    columns = [
        Column("rater", _("Rater"), "text", 0, "rater"),
        Column("n", _("Answers"), "count", 0, "rater"),
        *own,
        Column("seconds", _("Seconds, median"), "number", 0, "rater"),
        Column("seconds_spread", _("Quartiles"), "interval", 0, "rater"),
        Column("longest_run", _("Longest run"), "count", 0, "rater"),
        Column("top_share", _("Commonest answer"), "percent", 0, "rater"),
        Column("remark", _("Remark")),
    ]
    return used(columns, rows)
