"""Sections of a report of direct assessments: ranking, tests, conditions, spread, drift, items apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from annotation.services.correction_notes import least_p
from annotation.services.report.compute import Report
from annotation.services.report.figures import people
from annotation.services.report.figures import scores as drawn
from annotation.services.report.section import Figure, Section
from annotation.services.report.tables import Column, Table
from annotation.services.score_notes import shared_words
from annotation.services.score_table import (
    new_block,
    new_condition,
    number,
    ordered_pairs,
    p_value,
    raw_decimals,
)

Row = dict[str, Any]
BINS = 10


def ranking(report: Report) -> Section:
    """Show the ranking: means, intervals, wins, clusters, rank ranges."""
    table = ranking_table(report.scores, "ranking", _("Ranking of the systems"), report.scale)
    rows = [row | {"name": row["system"]} for row in table.rows]
    title = _("Mean z of each system with its 95 % bootstrap interval")
    figure = Figure("ranking", title, drawn.intervals(rows, table.cuts, title), "ranking")
    words = [
        _(
            "Scores of each rater are standardised (z), averaged within a segment, then over segments. A "
            "rule ends a cluster: everyone above it is significantly better than everyone below. The rank "
            "range counts the systems that are significantly better or worse."
        )
    ]
    return Section("ranking", _("Ranking"), words, [figure], [table], folded=False)


def ranking_table(
    scores: Row, name: str, title: str, scale: Sequence[float], *, apart: bool = False
) -> Table:
    """Return the systems of scores as a table.

    Args:
        scores: of a campaign, or of a group of a study.
        name: of the table.
        title: what it shows.
        scale: [low, high], which sets the decimals.
        apart: add the condition.
    """
    decimals = raw_decimals(scale)
    found = [row | {"condition": condition_of(row)} for row in scores["systems"]]
    parts = {place for place, (row, below) in enumerate(pairwise(found)) if new_condition(row, below)}
    cuts = {place for place, (row, below) in enumerate(pairwise(found)) if new_block(row, below)} - parts
    head = [Column("system", _("System"))]
    if apart:
        head.append(Column("condition", _("Condition"), "condition"))
    columns = [
        *head,
        Column("raw_mean", _("Ave."), "number", decimals, "raw_mean"),
        Column("raw_ci", _("95 %"), "interval", decimals, "raw_mean"),
        Column("z_mean", _("Ave. z"), "number", 3, "z_mean"),
        Column("z_ci", _("95 %"), "interval", 3, "z_mean"),
        Column("n_segments", _("Segments"), "count", 0, "n_segments"),
        Column("n_judgements", _("Judgements"), "count", 0, "n_judgements"),
        Column("n_raters", _("Raters"), "count", 0, "n_raters"),
        Column("wins", _("Wins"), "count", 0, "wins"),
        Column("cluster", _("Cluster"), "ranks", 0, "wins"),
    ]
    if any(row.get("rank_range") for row in found):
        columns.append(Column("rank_range", _("Rank range"), "ranks", 0, "wins"))
    return Table(name, title, columns, found, frozenset(cuts), frozenset(parts), shared_words(scores))


def named_rows(rows: Sequence[Row]) -> list[Row]:
    """Return rows with the shortest `name` that tells system and condition apart."""
    short = [f"{row['system']}, {row.get('notation') or row['testset']}" for row in rows]
    if len(set(short)) < len(rows):
        short = [f"{row['system']}, {row['condition']}" for row in rows]
    return [row | {"name": name} for row, name in zip(rows, short, strict=True)]


def condition_of(row: Row) -> str:
    """Write the condition of a row; empty when scores are not cut by condition."""
    if row.get("testset") is None:
        return ""
    return f"{row.get('notation') or row.get('direction') or '–'} · {row['testset']}"


def pairs(report: Report) -> Section | None:
    """Show the tests of all pairs as a matrix and a table; nothing for one system."""
    rows = ordered_pairs(report.scores)
    if not rows:
        return None
    key = "p_holm" if report.options.correction == "holm" else "p_bootstrap_two_sided"
    names = [row["system"] for row in report.scores["systems"]]
    values = {(row["system_a"], row["system_b"]): row.get(key) for row in rows}
    title = _("p-values of all pairs of systems")
    figure = Figure(
        "pairs", title, drawn.matrix(names, values, title, least_p(rows, report.options)), "pairs"
    )
    return Section(
        "pairs",
        _("Which differences are significant?"),
        _pair_words(report),
        [figure],
        [pairs_table(rows, report)],
    )


def _pair_words(report: Report) -> list[str]:
    corrected = report.options.correction == "holm"
    first = _(
        "A row is better than a column by the p-value in their cell: two-sided, from the paired bootstrap "
        "over the segments that both have."
    )
    if corrected:
        first += " " + _("The p-values are corrected for the number of pairs (Holm).")
    else:
        first += " " + _("They are not corrected for the number of pairs; choose Holm below to do so.")
    if report.options.hypothesis is None:
        return [first]
    return [
        first,
        _("Declared beforehand: %(a)s is better than %(b)s. The table has its one-sided p.")
        % {"a": report.options.hypothesis[0], "b": report.options.hypothesis[1]},
    ]


def pairs_table(rows: Sequence[Row], report: Report, *, apart: bool = False, name: str = "pairs") -> Table:
    """Return the pairs as a table; one-sided p-values only where the direction was declared."""
    found = [
        row
        | {"condition": condition_of(row)}
        | {"p_declared": row["p_bootstrap_one_sided"] if row["one_sided"] == "declared" else None}
        for row in rows
    ]
    columns = [Column("system_a", "A"), Column("system_b", "B")]
    if apart:
        columns.append(Column("condition", _("Condition"), "condition"))
    columns += [
        Column("z_difference", _("Difference of z"), "number", 3, "z_difference"),
        Column("z_difference_ci", _("95 %"), "interval", 3, "z_difference"),
        Column("p_bootstrap_two_sided", _("p, bootstrap, two-sided"), "p", 0, "p_bootstrap_two_sided"),
    ]
    if report.options.correction == "holm":
        columns.append(Column("p_holm", _("p, Holm, two-sided"), "p", 0, "z_difference"))
    if report.options.hypothesis is not None:
        columns.append(Column("p_declared", _("p, one-sided as declared"), "p", 0, "z_difference"))
    for key, title in (
        ("p_randomisation", _("p, randomisation, two-sided")),
        ("p_signed_rank", _("p, signed rank, two-sided")),
        ("p_rank_sum", _("p, rank sum, one-sided")),
    ):
        if any(row.get(key) is not None for row in found):
            columns.append(Column(key, title, "p", 0, "z_difference"))
    columns.append(Column("n_common", _("Segments"), "count", 0, "z_difference"))
    return Table(
        name,
        _(
            "Tests of pairs; A has the higher mean z; two-sided over common segments, but the rank sum is "
            "one-sided over all segments of each system"
        ),
        columns,
        found,
    )


def conditions(report: Report) -> Section | None:
    """Show systems and pairs in each condition; nothing for one condition."""
    if report.conditions is None:
        return None
    table = ranking_table(
        report.conditions, "conditions", _("Systems by condition"), report.scale, apart=True
    )
    rows = named_rows(table.rows)
    title = _("Mean z by condition with its 95 % bootstrap interval")
    figure = Figure("conditions", title, drawn.intervals(rows, table.cuts, title, table.parts), "conditions")
    tested = ordered_pairs(report.conditions)
    tables = [table]
    if tested:
        tables.append(pairs_table(tested, report, apart=True, name="condition-pairs"))
    words = [
        _(
            "A condition is what the systems translated (X, X*, X**), what their output was held against, "
            "and the direction of the text. z is computed once for each rater, over all conditions "
            "together."
        ),
        _("A thin rule ends a cluster within a condition; a wide band parts the conditions."),
    ]
    if _repeats_source_based(report):
        words.append(_("A source-based score does not depend on the reference; it stands beside each."))
    return Section("conditions", _("By condition"), words, [figure], tables, folded=False)


def _repeats_source_based(report: Report) -> bool:
    references = {row["reference"] for row in (report.conditions or {}).get("systems", [])}
    return report.campaign.protocol == "source_da" and len(references) > 1


def distribution(report: Report) -> Section:
    """Show how raw scores spread by system."""
    rows = [
        row | {f"bin_{place + 1}": count for place, count in enumerate(row["histogram"])}
        for row in report.parts["distributions"]
    ]
    low, high = report.scale
    decimals = raw_decimals(report.scale)
    edges = [low + (high - low) * place / BINS for place in range(BINS + 1)]
    columns = [
        Column("system", _("System")),
        Column("n", _("Ratings"), "count", 0, "distributions"),
        Column("mean", _("Mean"), "number", decimals, "distributions"),
        Column("sd", _("sd"), "number", decimals, "distributions"),
        Column("lower_quartile", _("Lower quartile"), "number", decimals - 1, "distributions"),
        Column("median", _("Median"), "number", decimals - 1, "distributions"),
        Column("upper_quartile", _("Upper quartile"), "number", decimals - 1, "distributions"),
        *(
            Column(
                f"bin_{place + 1}",
                f"{edges[place]:.{decimals - 1}f}–{edges[place + 1]:.{decimals - 1}f}",
                "count",
                0,
                "distributions",
            )
            for place in range(BINS)
        ),
    ]
    title = _("Raw scores by system")
    table = Table("distributions", title, columns, rows)
    figure = Figure("distributions", title, drawn.distributions(rows, report.scale, title), "distributions")
    words = [_("All ratings that count, before they are averaged or standardised.")]
    return Section("distributions", _("How the scores spread"), words, [figure], [table])


def progress(report: Report) -> Section | None:
    """Show whether scores drift while raters go on."""
    found = report.parts["progress"]
    if not any(row["n"] for row in found["parts"]):
        return None
    columns = [
        Column("part", _("Tenth"), "count"),
        Column("n", _("Ratings"), "count", 0, "drift"),
        Column("mean", _("Mean z"), "number", 3, "drift"),
        Column("ci", _("95 %"), "interval", 3, "drift"),
    ]
    title = _("Mean z over tenths of the raters' way")
    rows = [row | {"row": str(row["part"])} for row in found["parts"]]
    table = Table("drift", title, columns, rows)
    figure = Figure("drift", title, people.drift(found["parts"], title), "drift")
    return Section("drift", _("Does the order matter?"), [_slope_words(found["slope"])], [figure], [table])


def _slope_words(slope: Row | None) -> str:
    if slope is None:
        return _("There are too few raters or ratings to say whether scores drift.")
    low, high = (number(end, 3) for end in slope["ci"])
    values = {
        "mean": number(slope["mean"], 3), "low": low, "high": high, "p": p_value(slope["p_value"]),
        "n": slope["n_raters"],
    }  # fmt: skip
    if slope["p_value"] < 0.05:
        return (
            _(
                "Scores drift: from the first to the last item of a rater z changes by %(mean)s on average "
                "(95 %% %(low)s to %(high)s over %(n)s raters, p %(p)s). Items come in random order, so "
                "systems are hit alike."
            )
            % values
        )
    return (
        _(
            "No drift is seen: from the first to the last item of a rater z changes by %(mean)s on average "
            "(95 %% %(low)s to %(high)s over %(n)s raters, p %(p)s)."
        )
        % values
    )


def apart(report: Report) -> Section | None:
    """List items on which raters differ by more than 30 points."""
    found = report.parts["apart"]
    if "refused" in found or not found["n_items"]:
        words = [_("No item has ratings of two raters, so nothing can be said about disagreement on items.")]
        return Section("apart", _("Items to look at"), words)
    values = {"n": found["n_apart"], "items": found["n_items"], "limit": f"{found['limit']:g}"}
    words = [
        _(
            "On %(n)s of %(items)s items that several ratings are about, these differ by more than "
            "%(limit)s points."
        )
        % values
    ]
    if len(found["rows"]) < found["n_apart"]:
        words.append(_("The %(n)s farthest apart are listed.") % {"n": len(found["rows"])})
    columns = [
        Column("segment", _("Segment"), "text", 0, "segment"),
        Column("testset", _("Test set")),
        Column("system", _("System")),
        Column("apart", _("Apart"), "number", 0),
        Column("n", _("Ratings"), "count"),
        Column("scores", _("Scores")),
    ]
    table = Table("apart", _("Items on which raters disagree"), columns, found["rows"])
    return Section("apart", _("Items to look at"), words, [], [table] if found["rows"] else [])
