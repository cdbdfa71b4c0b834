"""The report of a study: its groups of campaigns scored together, each campaign, how campaigns compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.utils.translation import gettext as _

from annotation.models import Campaign, Study
from annotation.protocols import PROTOCOLS
from annotation.services.report import sections_preferences, sections_ratings
from annotation.services.report.figures import scores as drawn
from annotation.services.report.section import Figure, Section
from annotation.services.report.study_compare import comparisons
from annotation.services.report.tables import Column, Table
from annotation.services.scoring import campaign_score
from annotation.services.sealing import Sealed
from annotation.services.study_scores import study_score
from annotation.stats.options import ScoreOptions
from evalplatform.errors import Conflict
from mtcore.corpora.languages import language_name, parse_pair

Row = dict[str, Any]


@dataclass(frozen=True)
class StudyReport:
    """A study's report: the scores of its groups, and sections ready to show."""

    study: Study
    scores: Row
    sections: Sequence[Section]


def study_report(
    *, study: Study, options: ScoreOptions, user: User | AnonymousUser | None = None
) -> StudyReport:
    """Return the report of a study as it stands.

    Raises:
        Conflict: the study has no judgements yet.
        BadInput: the options do not fit.
    """
    scores = study_score(study=study, options=options, user=user).result or {}
    campaigns = list(study.campaigns.order_by("name"))
    sections = [_overview(campaigns)]
    keys = {campaign.name: campaign.key for campaign in campaigns}
    for number, group in enumerate(scores["groups"], start=1):
        opens = _opens(group, keys[group["campaigns"][0]], scores["options"])
        group["systems"] = [row | opens for row in group["systems"]]
        sections.append(_group(number, group))
    compared = comparisons(campaigns)
    sections += [compared] if compared else []
    return StudyReport(study, scores, sections)


def _opens(group: Row, key: str, options: Row) -> Row:
    """Return what a group's numbers open; what one campaign alone has made opens there, scored as here."""
    if len(group["campaigns"]) > 1:
        return {"trace_group": key}
    scored = {name: options[name] for name in ("scope", "disagreement")}
    known = {row["system"] for row in group["systems"]}
    if options["hypothesis"] and not set(options["hypothesis"]) <= known:
        scored["hypothesis"] = ""
    return {"trace_key": key, "trace_options": scored}


def _overview(campaigns: Sequence[Campaign]) -> Section:
    rows = [_campaign_row(campaign) for campaign in campaigns]
    columns = [
        Column("campaign", _("Campaign"), "text", 0, "campaign"),
        Column("protocol", _("Protocol")),
        Column("languages", _("Languages")),
        Column("systems", _("Systems"), "count"),
        Column("judgements", _("Judgements"), "count"),
        Column("raters", _("Raters"), "count"),
        Column("order", _("Systems, the best first")),
    ]
    table = Table("campaigns", _("The campaigns of the study"), columns, rows)
    return Section("campaigns", _("Campaigns"), [], [], [table], folded=False)


def _campaign_row(campaign: Campaign) -> Row:
    pair = " → ".join(language_name(tag) for tag in (campaign.source_language, campaign.target_language))
    row: Row = {
        "campaign": campaign.name,
        "campaign_key": campaign.key,
        "protocol": _(PROTOCOLS[campaign.protocol].title),
        "languages": pair,
    }
    try:
        found = campaign_score(campaign=campaign, options=ScoreOptions()).result or {}
    except Sealed:
        sealed = _("sealed until closing")
        return row | {"systems": None, "judgements": None, "raters": None, "order": sealed}
    except Conflict:
        return row | {"systems": None, "judgements": 0, "raters": 0, "order": ""}
    return row | {
        "systems": len(found["systems"]),
        "judgements": sum(one["n"] for one in found["raters"]),
        "raters": len(found["raters"]),
        "order": " > ".join(one["system"] for one in found["systems"]),
    }


def _group(number: int, group: Row) -> Section:
    """Show one group of campaigns scored together."""
    pair = " → ".join(language_name(tag) for tag in parse_pair(group["languages"]))
    title = f"{_(PROTOCOLS[group['protocol']].title)}, {pair}"
    words = [_("Campaigns taken together: %(names)s.") % {"names": ", ".join(group["campaigns"])}]
    words += group["notes"]
    name = f"group-{number}"
    apart = any(row.get("testset") is not None for row in group["systems"])
    if PROTOCOLS[group["protocol"]].record == "rating":
        scale = group["scale"]
        table = sections_ratings.ranking_table(group, name, title, scale, apart=apart)
        rows = (
            sections_ratings.named_rows(table.rows)
            if apart
            else [row | {"name": row["system"]} for row in table.rows]
        )
        drawing = drawn.intervals(rows, table.cuts, title, table.parts)
        figures = [Figure(name, _("Mean z with its 95 % bootstrap interval"), drawing, name)]
        return Section(name, title, words, figures, [table], folded=False)
    table = sections_preferences.systems_table(group["systems"], apart=apart, name=name)
    return Section(name, title, words, [], [table], folded=False)
