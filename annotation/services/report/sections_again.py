"""The section on items that were judged again."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.services.report.compute import Report
from annotation.services.report.section import Section, sentence
from annotation.services.report.tables import Column, Table
from annotation.services.round_words import rounds_told
from annotation.services.score_table import raw_decimals


def again(report: Report) -> Section | None:
    """Say which items were judged again by whom, and what it changed; nothing where none were."""
    found = report.parts.get("again")
    if found is None:
        return None
    title = _("Judged again")
    if "refused" in found:
        return Section("again", title, [sentence(found["refused"])])
    counts = {
        "replace": _("The new judgements count alone; the first stay in their raters' mean and spread."),
        "pool": _("First and new judgements count together."),
        "none": _("The first judgements count alone."),
    }
    n = found["n_items"]
    words = [
        ngettext(
            "%(n)s item on which raters differed was judged again: %(first)s first and %(new)s new "
            "judgements.",
            "%(n)s items on which raters differed were judged again: %(first)s first and %(new)s new "
            "judgements.",
            n,
        )
        % {"n": f"{n:,}", "first": f"{found['n_first']:,}", "new": f"{found['n_new']:,}"}
        + " "
        + counts[report.options.disagreement],
        *_waiting(found["n_waiting"]),
        *_told(report),
    ]
    decimals = raw_decimals(report.scale)
    columns = [
        Column("system", _("System")),
        Column("first_raw_mean", _("Ave., first"), "number", decimals),
        Column("raw_mean", _("Ave., counted"), "number", decimals),
        Column("first_z_mean", _("Ave. z, first"), "number", 3),
        Column("z_mean", _("Ave. z, counted"), "number", 3),
        Column("first_n", _("Judgements, first"), "count"),
        Column("n", _("counted"), "count"),
    ]
    table = Table("again", _("Scores before and after the extra round"), columns, found["systems"])
    return Section("again", title, words, [], [table], folded=False)


def _waiting(n: int) -> list[str]:
    """Say how many items wait for judgements of the extra round; nothing where none do."""
    words = _(
        "Items with fewer new judgements than first ones: %(n)s. Where the new judgements count alone, the "
        "first ones count until then."
    )
    return [words % {"n": f"{n:,}"}] if n else []


def _told(report: Report) -> list[str]:
    """Say what was given out when, by which rule and to whom."""
    return [
        _(
            "%(day)s: %(items)s items given out again (%(rule)s), %(new)s to raters who had not had them, "
            "%(same)s to those who had judged them."
        )
        % {
            "day": one["at"].date().isoformat(),
            "items": f"{one['items']:,}",
            "rule": one["rule"],
            "new": f"{one['new_raters']:,}",
            "same": f"{one['same_raters']:,}",
        }
        for one in rounds_told(report.campaign)
        if one["items"]
    ]
