"""The parts of the page of metrics against people: figures, and tables whose cells open what is behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.services.correlate_figures import segments_scatter, systems_scatter
from annotation.services.correlate_tables import coefficients_wide, tables_of, titles_of
from annotation.services.report.tables import Column, Table

Row = dict[str, Any]
Campaigns = Mapping[str, Campaign]
Files = Mapping[str, list[tuple[str, str]]]
TALL = 15
"""Rows from which a table scrolls in its own box."""


def sections(result: Row, campaigns: Campaigns, files: Files) -> list[Row]:
    """Return the parts of the page, ready for its template.

    Args:
        result: of `campaigns_correlate`.
        campaigns: by name.
        files: titles and addresses of the files of each table.
    """
    return [
        {
            "name": "systems",
            "title": _("Systems"),
            "words": [
                _(
                    "A dot is a system: the metric across, people upwards. Intervals are of other systems "
                    "like these: Fisher’s for Pearson’s r, the jackknife over systems for pairs ordered "
                    "alike."
                )
            ],
            "figures": _system_figures(result, campaigns),
            "tables": [
                _table(coefficients_wide(result, "system"), campaigns) | {"files": files["coefficients"]},
                _table(tables_of(result, "points")[0], campaigns) | {"files": files["points"]},
            ],
        },
        {
            "name": "pairs",
            "title": _("Pairs of systems"),
            "words": [
                _(
                    "Which system is better, by people and by each metric; p-values by sign flips over the "
                    "segments. Where only one side decides, or both decide otherwise, the metric would have "
                    "misled: look at direct text first."
                )
            ],
            "figures": [],
            "tables": [_table(tables_of(result, "pairs")[0], campaigns) | {"files": files["pairs"]}],
        },
        {
            "name": "segments",
            "title": _("Segments"),
            "words": [
                _(
                    # xgettext:no-python-format
                    "A dot is one output of one segment and opens its dossier. Intervals are over resampled "
                    "segments. Marked are the outputs on which metric and people are farthest apart: the "
                    "table has them, each placed among all scores from 0 % (worst) to 100 % (best)."
                )
            ],
            "figures": _segment_figures(result, campaigns),
            "tables": [
                _table(coefficients_wide(result, "segment"), campaigns) | {"files": files["coefficients"]},
                _table(tables_of(result, "segments")[0], campaigns) | {"files": files["segments"]},
            ],
        },
        {
            "name": "williams",
            "title": _("Metrics against each other"),
            "words": [
                _(
                    "Williams’ test of two correlations with the same human scores. Over segments it takes "
                    "scores as independent; the bootstrap over segments does not."
                )
            ],
            "figures": [],
            "tables": [_table(tables_of(result, "williams")[0], campaigns) | {"files": files["williams"]}],
        },
    ]  # fmt: skip


def _blocks(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """Return rows by campaign and direction."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row["campaign"], row["direction"]), []).append(row)
    return found


def _named(result: Row, campaign: str, direction: str, metric: str) -> str:
    """Return the title of a figure: metric, direction where there are several, campaign likewise."""
    parts = [metric]
    if direction != "all":
        parts.append({"direct": _("direct text"), "reverse": _("reverse text")}[direction])
    if len(result["campaigns"]) > 1:
        parts.append(campaign)
    return " · ".join(parts)


def _system_figures(result: Row, campaigns: Campaigns) -> list[Row]:
    titles, figures = titles_of(result), []
    for (campaign, direction), rows in _blocks(result["points"]).items():
        for metric in dict.fromkeys(name for row in rows for name in row["metrics"]):
            points = [
                {
                    "x": row["metrics"][metric]["value"],
                    "y": row["human"],
                    "name": f"{row['system']}, {row['condition']}" if _by_condition(rows) else row["system"],
                    "href": _system_href(campaigns[campaign], row),
                }
                for row in rows
                if row["human"] is not None and row["metrics"][metric]["value"] is not None
            ]
            if len(points) < 2:
                continue
            title = _named(result, campaign, direction, titles.get(metric, metric))
            label = _("%(title)s against people, systems") % {"title": title}
            svg = systems_scatter(points, titles.get(metric, metric), _unit(result, "system"), label)
            figures.append({"title": title, "label": label, "svg": svg})
    return figures


def _by_condition(rows: Sequence[Row]) -> bool:
    return any(row["testset"] is not None for row in rows)


def _segment_figures(result: Row, campaigns: Campaigns) -> list[Row]:
    titles, figures = titles_of(result), []
    far: dict[tuple[Any, ...], dict[tuple[str, str, str], Row]] = {}
    for row in result["segments"]:
        far.setdefault(_cloud_key(row), {})[_place(row)] = row
    for cloud in result.get("clouds", ()):
        marked = far.get(_cloud_key(cloud), {})
        drawn = [row for row in cloud["points"] if _place(row) not in marked]
        points = [
            {
                "x": row["x"], "y": row["y"], "name": _("%(system)s, segment %(segment)s") % row,
                "href": segment_href(campaigns[cloud["campaign"]], row), "far": is_far,
            }
            for is_far, rows in ((False, drawn), (True, [_far_point(row) for row in marked.values()]))
            for row in rows
        ]  # fmt: skip
        if len(points) < 2:
            continue
        title = _named(result, cloud["campaign"], cloud["direction"], titles.get(cloud["metric"], ""))
        if cloud["n"] > len(cloud["points"]):
            title += " · " + _("%(drawn)s of %(n)s scores, drawn at random, and those farthest apart") % {
                "drawn": f"{len(cloud['points']):,}", "n": f"{cloud['n']:,}",
            }  # fmt: skip
        label = _("%(title)s against people, segments") % {"title": title}
        svg = segments_scatter(points, titles.get(cloud["metric"], ""), _unit(result, "segment"), label)
        figures.append({"title": title, "label": label, "svg": svg})
    return figures


def _cloud_key(row: Row) -> tuple[Any, ...]:
    return row["campaign"], row["direction"], row["metric"], row["reference"]


def _place(row: Row) -> tuple[str, str, str]:
    return row["testset"], row["segment"], f"{row['system']}|{row['condition'] or ''}"


def _far_point(row: Row) -> Row:
    return row | {"x": row["value"], "y": row["human"]}


def _unit(result: Row, level: str) -> str:
    units = {row["human"] for row in result["results"] if row["level"] == level and row["human"]}
    words = {
        "mean z": _("People, mean z"), "raw mean": _("People, mean raw score"), "z": _("People, z"),
        "mean raw score": _("People, mean raw score"), "raw score": _("People, raw score"),
        "expected wins": _("People, expected wins"), "win rate": _("People, win rate"),
    }  # fmt: skip
    return " / ".join(sorted(words.get(unit, unit) for unit in units)) or _("People")


def _table(table: Table, campaigns: Campaigns) -> Row:
    """Return a table with the address that each cell opens."""
    return {
        "name": table.name,
        "title": table.title,
        "columns": table.columns,
        "rows": [
            {"cells": [_cell(column, row, campaigns) for column in table.columns], "below": ""}
            for row in table.rows
        ],
        "tall": len(table.rows) > TALL,
    }


def _cell(column: Column, row: Row, campaigns: Campaigns) -> Row:
    href = ""
    campaign = campaigns.get(row.get("campaign") or "")
    if campaign is not None:
        if column.trace == "dossier":
            href = segment_href(campaign, row)
        elif column.key == "system" and "metrics" in row:
            href = _system_href(campaign, row)
    return {"text": column.write(row), "figure": "", "numeric": column.numeric, "href": href}


def _system_href(campaign: Campaign, row: Row) -> str:
    """Return the address of the ratings behind a system's score; "" where no page has them."""
    query = {"system": row["system"], "of": "z_mean"}
    if row["testset"] is not None:
        keys = ("testset", "input", "reference")
        query |= {f"in_{key}": row[key] or "" for key in keys}
        query["in_direction"] = row["point_direction"] or ""
    elif row.get("direction_key", row["direction"]) != "all":
        return ""
    return f"{reverse('campaign_trace', args=[campaign.key])}?{urlencode(query)}"


def segment_href(campaign: Campaign, row: Mapping[str, Any]) -> str:
    """Return the address of a segment's dossier."""
    query = {"testset": row["testset"], "segment": row["segment"]}
    return f"{reverse('campaign_dossier', args=[campaign.key])}?{urlencode(query)}"
