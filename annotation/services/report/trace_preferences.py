"""Where a number of preferences comes from: the comparisons behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from annotation.services.records import Comparisons
from annotation.services.report.behind import Behind
from annotation.services.report.tables import Column, Table
from annotation.services.report.trace import Trace, found_row, resampled
from annotation.services.score_notes import is_judged_together
from annotation.services.score_table import number, p_value
from annotation.stats.options import ScoreOptions
from annotation.stats.records import Comparison

Row = dict[str, Any]
Names = tuple[str, str]


def pair_trace(behind: Behind, names: Names, condition: Mapping[str, str]) -> Trace:
    """Return the comparisons behind a pair of systems.

    Raises:
        NotFound: the report has no such pair.
    """
    row = found_row(
        one
        for one in behind.result["pairs"]
        if (one["system_a"], one["system_b"]) == names
        and all((one.get(key) or "") == value for key, value in condition.items())
    )
    first, second = names
    rows = _rows(
        behind,
        condition,
        lambda one: (
            (first in one.left and second in one.right) or (second in one.left and first in one.right)
        ),
    )
    values = {"a": first, "b": second, "p": p_value(row["p_sign_two_sided"])} | {
        key: f"{row[key]:,}" for key in ("a_better", "equal", "b_better", "identical")
    }
    words = [
        _(
            "%(a)s was better %(a_better)s times, %(b)s %(b_better)s times, neither %(equal)s times; on "
            "%(identical)s segments both say the same, so nobody was asked."
        )
        % values,
        *_test_words(row, behind.options, values["p"]),
    ]
    title = _("%(a)s against %(b)s") % {"a": first, "b": second}
    value = f"{row['a_better']:,} : {row['b_better']:,}"
    return Trace(title, value, words, _table(behind, rows), behind.result["signature"])


def _test_words(row: Row, options: ScoreOptions, sign: str) -> list[str]:
    """Return how the pair was tested, first what to go by: segments where one has several comparisons."""
    values = {
        "b": f"{options.preference_resamples:,}",
        "what": resampled(replace(options, raters="fixed")),
        "seed": options.seed,
        "one": p_value(row["p_bootstrap"]),
        "how": _("declared beforehand") if row["one_sided"] == "declared" else _("post hoc"),
        "two": p_value(row["p_bootstrap_two_sided"]),
        "n": f"{row['n_units']:,}",
        "of_a": f"{row['majority_a']:,}",
        "of_b": f"{row['majority_b']:,}",
        "p": p_value(row["p_sign_majority_two_sided"]),
        "sign": sign,
        "a": row["system_a"],
        "b_name": row["system_b"],
    }
    single = _(
        "Sign test: the exact probability of so uneven a split, equal ones left out; two-sided p %(sign)s."
    )
    drawn = _(
        "Bootstrap: %(b)s resamples of %(n)s %(what)s (seed %(seed)s), equal ones counted in; p "
        "one-sided %(one)s (%(how)s), two-sided %(two)s."
    )
    if not is_judged_together(row):
        return [single % values, drawn % values]
    majorities = _(
        "Sign test of majorities: %(a)s was preferred more often in %(of_a)s of the %(what)s, %(b_name)s in "
        "%(of_b)s; two-sided p %(p)s."
    )
    independent = _(
        "Sign test of single comparisons, which takes them as independent although several are of one "
        "segment: two-sided p %(sign)s."
    )
    return [drawn % values, majorities % values, independent % values]


def system_trace(behind: Behind, system: str, condition: Mapping[str, str], quantity: str) -> Trace:
    """Return the comparisons of a system with any other, for its expected wins or its win rate.

    Raises:
        NotFound: the report has no such number.
    """
    row = found_row(
        one
        for one in behind.result["systems"]
        if one["system"] == system and all((one.get(key) or "") == value for key, value in condition.items())
    )
    rows = _rows(behind, condition, lambda one: (system in one.left) != (system in one.right))
    words = [
        _(
            "Win rate = (times better + times equal / 2) / %(n)s comparisons. Expected wins leave equal "
            "ones out and are the mean over opponents of times better / (times better + times worse)."
        )
        % {"n": f"{row['n']:,}"}
    ]
    is_expected = quantity == "expected_wins"
    title = _("%(system)s: expected wins") if is_expected else _("%(system)s: win rate")
    value = number(row["expected_wins" if is_expected else "win_rate"], 3)
    table = _table(behind, rows)
    return Trace(title % {"system": system}, value, words, table, behind.result["signature"])


def rater_trace(behind: Behind, rater: str) -> Trace:
    """Return the comparisons of a rater.

    Raises:
        NotFound: the campaign has no answers of such a rater.
    """
    row = found_row(one for one in behind.result["raters"] if one["rater"] == rater)
    rows = _rows(behind, {}, lambda one: one.rater == rater)
    words = []
    if row["excluded_by"]:
        words.append(_("Excluded: %(why)s. The comparisons count nowhere.") % {"why": row["excluded_by"]})
    return Trace(rater, f"{row['n']:,}", words, _table(behind, rows), behind.result["signature"])


def comparison_table(
    behind: Behind, condition: Mapping[str, str], wanted: Callable[[Comparison], bool]
) -> Table:
    """Return the comparisons of a condition, "" for all, that somebody wants."""
    return _table(behind, _rows(behind, condition, wanted))


def _rows(behind: Behind, condition: Mapping[str, str], wanted: Callable[[Comparison], bool]) -> list[Row]:
    return [
        {
            "testset": one.testset,
            "segment": str(one.segment),
            "campaign": campaign.name,
            "campaign_key": campaign.key,
            "rater": one.rater,
            "left": " | ".join(one.left),
            "right": " | ".join(one.right),
            "winner": _winner(one),
            "remark": one.excluded_by,
        }
        for campaign, found in behind.parts
        if isinstance(found, Comparisons)
        for one in _shown(found, condition)
        if wanted(one)
    ]


def _shown(found: Comparisons, condition: Mapping[str, str]) -> list[Comparison]:
    if not condition:
        return found.all_shown()
    testset, input_, reference, direction = (
        condition[name] or None for name in ("testset", "input", "reference", "direction")
    )
    return found.shown.get((testset, input_, reference, direction), [])


def _winner(one: Comparison) -> str:
    return {"left": " | ".join(one.left), "right": " | ".join(one.right), "equal": _("equal")}[one.winner]


def _table(behind: Behind, rows: list[Row]) -> Table:
    columns = [
        Column("segment", _("Segment"), "text", 0, "segment"),
        Column("testset", _("Test set")),
        Column("rater", _("Rater"), "text", 0, "rater"),
        Column("left", _("On the left")),
        Column("right", _("On the right")),
        Column("winner", _("Better")),
        *behind.campaign_columns(rows),
        Column("remark", _("Excluded")),
    ]
    if not any(row["remark"] for row in rows):
        columns.pop()
    return Table("comparisons", _("Comparisons behind the number"), columns, rows)
