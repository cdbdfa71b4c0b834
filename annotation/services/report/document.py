"""Put a report together: its sections in reading order."""

from __future__ import annotations

from collections.abc import Iterable

from annotation.services.report import (
    sections_again,
    sections_agreement,
    sections_everybody,
    sections_holds,
    sections_models,
    sections_outlook,
    sections_preferences,
    sections_raters,
    sections_ratings,
)
from annotation.services.report.compute import Report
from annotation.services.report.section import Figure, Section
from annotation.services.report.tables import Table


def sections_of(report: Report) -> list[Section]:
    """Return the sections of a campaign's report."""
    if report.rated:
        found = [
            sections_ratings.ranking(report),
            sections_ratings.pairs(report),
            sections_ratings.conditions(report),
            sections_outlook.outlook(report),
            sections_again.again(report),
            sections_holds.holds(report),
            sections_models.mixed(report),
            sections_ratings.distribution(report),
            sections_agreement.agreement(report),
            sections_raters.raters(report),
            sections_everybody.everybody(report),
            sections_ratings.progress(report),
            sections_ratings.apart(report),
        ]
    else:
        found = [
            sections_preferences.preferred(report),
            sections_preferences.conditions(report),
            sections_preferences.holds(report),
            sections_agreement.agreement(report),
            sections_raters.raters(report),
            sections_everybody.everybody(report),
            sections_preferences.sides(report),
        ]
    return [section for section in found if section is not None]


def figure_named(sections: Iterable[Section], name: str) -> Figure | None:
    """Return a figure by its name."""
    return next((one for section in sections for one in section.figures if one.name == name), None)


def table_named(sections: Iterable[Section], name: str) -> Table | None:
    """Return a table by its name."""
    return next((one for section in sections for one in section.tables if one.name == name), None)
