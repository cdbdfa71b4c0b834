"""What has to be known beside coefficients of metrics and people, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Campaign
from annotation.services.correlate_options import CorrelateOptions
from mtcore.services.texts import sentence

Row = dict[str, Any]
FEW = 5
"""Systems below which a correlation of systems says little."""

LEVELS = {"system": "systems", "segment": "segments"}
NAMES = {
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "kendall": "Kendall τ-b",
    "pairwise_accuracy": "pairwise accuracy",
    "soft_pairwise_accuracy": "soft pairwise accuracy",
    "kendall_like": "Kendall-like τ",
    "acc_eq": "acc_eq",
}


def notes_write(found: Row, campaigns: Sequence[Campaign], options: CorrelateOptions) -> list[str]:
    """Return what has to be known, each once."""
    notes = [_segments_note(options)]
    for campaign in campaigns:
        rows = [row for row in found["results"] if row["campaign"] == campaign.name]
        notes += _campaign_notes(campaign, rows, len(campaigns) > 1)
    notes += _lower(found["results"])
    return list(dict.fromkeys(notes))


def _segments_note(options: CorrelateOptions) -> str:
    if options.segments == "all":
        return _(
            "Metrics are over each whole test set, people over the segments they judged: the table of "
            "systems has n of both."
        )
    return _("Metrics and people are taken over the same segments, those that people judged of each system.")


def _campaign_notes(campaign: Campaign, rows: Sequence[Row], several: bool) -> list[str]:
    prefix = f"“{campaign.name}”: " if several else ""
    notes = [f"{row['title']}: {sentence(row['reason'])}" for row in rows if row["reason"]]
    of_systems = [row for row in rows if row["level"] == "system" and not row["reason"]]
    notes += _gathered(
        (_("No %(metric)s for %(systems)s%(where)s: left out."), ", ".join(row["left_out"]), row)
        for row in of_systems
        if row["left_out"]
    )
    notes += [
        f"{row['title']}, {system}: {sentence(why)}"
        for row in of_systems
        for system, why in row["failures"].items()
    ]
    for row in of_systems:
        told = {"n": row["n"], "where": _where(row)}
        if row["n"] < 2:
            notes.append(_("%(n)d systems with a metric%(where)s: they cannot be correlated.") % told)
        elif row["n"] < FEW:
            notes.append(_("%(n)d systems%(where)s: so few say little; look at the pairs.") % told)
    caveats = [
        (own["caveat"], name, row)
        for row in rows
        for name, own in row["estimates"].items()
        if own["value"] is None and own["caveat"]
    ]
    gathered: dict[str, dict[str, None]] = {}
    for caveat, name, row in caveats:
        words = f"{NAMES[name]} ({LEVELS[row['level']]}, {row['title']})"
        gathered.setdefault(caveat, {})[words] = None
    notes += [
        _("Undefined, %(why)s: %(what)s.") % {"why": why, "what": ", ".join(what)}
        for why, what in gathered.items()
    ]
    return [f"{prefix}{note}" for note in dict.fromkeys(notes)]


def _gathered(found: Iterable[tuple[str, str, Row]]) -> list[str]:
    """Say a thing once for all metrics that share it."""
    metrics: dict[tuple[str, str, str], dict[str, None]] = {}
    for words, systems, row in found:
        metrics.setdefault((words, systems, _where(row)), {})[row["title"]] = None
    return [
        words % {"metric": ", ".join(titles), "systems": systems, "where": where}
        for (words, systems, where), titles in metrics.items()
    ]


def _where(row: Row) -> str:
    """Write the direction as the end of a phrase."""
    ends = {"all": "", "direct": _(" on direct text"), "reverse": _(" on reverse text")}
    return ends[row["direction"]]


def _lower(rows: Sequence[Row]) -> list[str]:
    titles = dict.fromkeys(row["title"] for row in rows if row["higher_is_better"] is False)
    if not titles:
        return []
    return [
        _(
            "Of %(metrics)s less is better: the sign is turned, so that a positive coefficient or difference "
            "always speaks for the system that is better."
        )
        % {"metrics": ", ".join(titles)}
    ]
