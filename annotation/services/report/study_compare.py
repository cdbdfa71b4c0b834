"""Source-based against reference-based assessment in the report of a study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.services.compare import campaigns_compare
from annotation.services.report.figures.scatter import scatter
from annotation.services.report.section import Figure, Section
from annotation.services.report.tables import Column, Table, plain, used
from annotation.stats.options import ScoreOptions
from evalplatform.errors import UserError

Row = dict[str, Any]
MOST = 6
"""Pairs of campaigns compared in one report."""


def comparisons(campaigns: Sequence[Campaign]) -> Section | None:
    """Compare source-based with reference-based campaigns of one language pair; None without such pairs."""
    words: list[str] = []
    figures: list[Figure] = []
    tables: list[Table] = []
    for source, reference in _pairs(campaigns):
        try:
            result = campaigns_compare(first=source, second=reference, options=ScoreOptions())
        except UserError:
            continue  # nothing in common, or no judgements yet: the list of campaigns says so
        words += _words(result)
        figure, table = _drawn(f"compare-{len(tables) + 1}", result)
        figures += [figure] if figure else []
        tables.append(table)
        if len(tables) == MOST:
            break
    if not tables:
        return None
    return Section("compare", _("Do both ways of asking agree?"), words, figures, tables)


def _pairs(campaigns: Sequence[Campaign]) -> Iterator[tuple[Campaign, Campaign]]:
    for source, reference in product(campaigns, campaigns):
        if (source.protocol, reference.protocol) != ("source_da", "reference_da"):
            continue
        if (source.source_language, source.target_language) == (
            reference.source_language,
            reference.target_language,
        ):
            yield source, reference


def _drawn(name: str, result: Row) -> tuple[Figure | None, Table]:
    rows = [row | {"condition": _condition(row)} for row in result["systems"]]
    columns = [
        Column("system", _("System")),
        Column("condition", _("Condition"), "condition"),
        Column("first", _("Source-based z"), "number", 3),
        Column("second", _("Reference-based z"), "number", 3),
        Column("difference", _("Difference"), "number", 3),
        Column("first_raw", _("Source-based, raw"), "number", 1),
        Column("second_raw", _("Reference-based, raw"), "number", 1),
    ]
    title = _("%(first)s against %(second)s") % {"first": result["first"], "second": result["second"]}
    table = Table(name, title, used(columns, rows), rows)
    points = [
        {"x": row["first"], "y": row["second"], "name": _name(row)}
        for row in rows
        if None not in (row["first"], row["second"])
    ]
    if not points:
        return None, table
    drawing = scatter(points, _("source-based, mean z"), _("reference-based, mean z"), title)
    return Figure(name, title, drawing, name), table


def _words(result: Row) -> list[str]:
    names = _("%(first)s and %(second)s") % {"first": result["first"], "second": result["second"]}
    return [" ".join([f"{names}: {_correlation_words(result)}", *result["notes"]])]


def _name(row: Row) -> str:
    return ", ".join(filter(None, (row["system"], row["notation_second"])))


def _condition(row: Row) -> str:
    notation = row["notation_second"] or row["notation_first"] or row["direction"] or ""
    return " · ".join(filter(None, (notation, row["testset"])))


def _correlation_words(result: Row) -> str:
    found = result["correlation"]
    own = found["pearson"]
    values = {"n": found["n"], "outputs": found["n_distinct_outputs"]}
    if own["value"] is None:
        return (
            _(
                "%(n)s pairs of means over %(outputs)s distinct outputs are too few, or too equal, for a "
                "correlation."
            )
            % values
        )
    values |= {"r": plain(own["value"], 2)}
    if own["ci"] is None:
        return (
            _(
                "Pearson's r is %(r)s over %(n)s pairs of means (%(outputs)s distinct outputs); no "
                "interval can be given."
            )
            % values
        )
    values |= {"low": plain(own["ci"][0], 2), "high": plain(own["ci"][1], 2)}
    return (
        _(
            "Pearson's r is %(r)s (95 %% %(low)s to %(high)s) over %(n)s pairs of means, which come from "
            "%(outputs)s distinct outputs."
        )
        % values
    )
