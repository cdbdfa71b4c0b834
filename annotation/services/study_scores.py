"""Score a study: the campaigns of one protocol, language pair and scale together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.contrib.auth.models import AnonymousUser, User

from annotation.models import Assignment, Campaign, CampaignOutput, ScoreRun, Study
from annotation.protocols import PROTOCOLS
from annotation.services.notation import Notations
from annotation.services.records import Comparisons
from annotation.services.score_compute import (
    Judged,
    comparisons_merge,
    entries_of,
    scores_compute,
    table_with_others,
    tables_merge,
)
from annotation.services.scoring import (
    READS,
    campaign_treatment,
    digest,
    judgements_digest,
    options_from,
    ordered,
    records_read,
    strict,
)
from annotation.services.sealing import seal_check
from annotation.services.versions import versions_read
from annotation.stats.options import ScoreOptions
from annotation.stats.records import RatingTable
from evalplatform.errors import BadInput, Conflict

Row = dict[str, Any]


@dataclass(frozen=True)
class Facts:
    """What decides which campaigns go together.

    `scale` is None where people choose between translations; `treatment` says what becomes of the first
    judgements of items that are judged again.
    """

    name: str
    protocol: str
    languages: str
    scale: tuple[float, float] | None
    treatment: str = "replace"

    @property
    def group(self) -> tuple[str, str, tuple[float, float]]:
        """Return what the campaigns of a group share."""
        return (self.languages, self.protocol, self.scale or (0.0, 0.0))

    @property
    def spread(self) -> tuple[str, tuple[float, float] | None]:
        """Return what campaigns share whose ratings make a rater's mean and spread in the study."""
        return (self.languages, self.scale)


def facts_of(campaign: Campaign) -> Facts:
    """Return the facts of a campaign."""
    rated = PROTOCOLS[campaign.protocol].record == "rating"
    tags = (campaign.source_language, campaign.target_language)
    return Facts(
        campaign.name,
        campaign.protocol,
        (":" if any("-" in tag for tag in tags) else "-").join(tags),
        (campaign.scale_low, campaign.scale_high) if rated else None,
        campaign_treatment(campaign),
    )


def study_treatment(treatments: Iterable[str]) -> str:
    """Return what a study does with items that were judged again: what all its campaigns do, else replace."""
    found = set(treatments)
    return found.pop() if len(found) == 1 else ScoreOptions().disagreement


def study_options(study: Study, given: Mapping[str, Any]) -> ScoreOptions:
    """Make options for a study from what a person typed; the scope is the study unless another is named."""
    treatments = [campaign_treatment(one) for one in Campaign.objects.filter(study=study)]
    usual = {"scope": "study", "disagreement": study_treatment(treatments)}
    chosen = usual | {name: value for name, value in given.items() if value not in (None, "")}
    return options_from(chosen, CampaignOutput.objects.filter(campaign__study=study))


def study_score(*, study: Study, options: ScoreOptions, user: User | AnonymousUser | None = None) -> ScoreRun:
    """Return the scores of a study as it stands; computed once for the same options and judgements.

    The result holds `groups`, one for each protocol and language pair (and scale, where scales differ); each
    is like the result of a campaign, with the names of its campaigns. With `scope` study a rater's mean and
    spread are over all ratings in the study in the same language direction and on the same scale; with
    `scope` campaign a rater is standardised in each campaign apart, and counted once a campaign.

    Raises:
        Conflict: the study has no judgements yet, or those of one of its campaigns are sealed.
        BadInput: the options do not fit.
    """
    versions = versions_read()
    plain = asdict(options)
    options_sha256 = digest([plain, versions])
    for _ in range(READS):
        campaigns = list(Campaign.objects.filter(study=study).order_by("name"))
        for campaign in campaigns:
            seal_check(campaign)
        judgements_sha256 = study_digest(study, campaigns)
        stored = study.scores.filter(
            campaign=None,
            options_sha256=options_sha256,
            judgements_sha256=judgements_sha256,
            result__isnull=False,
        ).first()
        if stored is not None:
            stored.result = ordered(stored.result)
            return stored
        judged = [(facts_of(campaign), judged_read(campaign)) for campaign in campaigns]
        result = study_compute(study.name, judged, options, versions)
        if study_digest(study, campaigns) == judgements_sha256:
            break
    return ScoreRun.objects.create(
        study=study,
        options=plain,
        options_sha256=options_sha256,
        judgements_sha256=judgements_sha256,
        signature=result["signature"],
        result=strict(result),
        created_by=user if isinstance(user, User) else None,
    )


def study_digest(study: Study, campaigns: Sequence[Campaign]) -> str:
    """Return a hash that changes when anything changes that scores of the study depend on."""
    return digest([study.name, *(judgements_digest(campaign) for campaign in campaigns)])


def judged_read(campaign: Campaign) -> Judged:
    """Read what was judged in one campaign."""
    live = Assignment.objects.filter(item__campaign=campaign).live()
    notations = Notations.of_campaign(campaign)
    return Judged(campaign.protocol, records_read(campaign), notations, live.count(), live.done().count())


def study_compute(
    study: str, judged: Sequence[tuple[Facts, Judged]], options: ScoreOptions, versions: Mapping[str, str]
) -> Row:
    """Score what was judged in a study's campaigns.

    Raises:
        Conflict: nothing was judged.
        BadInput: the options do not fit what was judged.
    """
    filled = [(facts, one) for facts, one in judged if not one.is_empty]
    if not filled:
        raise Conflict(
            f"The study “{study}” has no judgements yet.", "Add campaigns with `manage.py add_to_study`."
        )
    groups = []
    for key in sorted({facts.group for facts, _ in filled}):
        own = [(facts, one) for facts, one in filled if facts.group == key]
        groups.append(_group(own, filled, options, versions))
    empty = [facts.name for facts, one in judged if one.is_empty]
    return {
        "study": study,
        "signature": "; ".join(dict.fromkeys(group["signature"] for group in groups)),
        "groups": groups,
        "options": asdict(options),
        "notes": [f"Without judgements yet: {', '.join(empty)}."] if empty else [],
    }


def _group(
    own: Sequence[tuple[Facts, Judged]],
    filled: Sequence[tuple[Facts, Judged]],
    options: ScoreOptions,
    versions: Mapping[str, str],
) -> Row:
    first = own[0][0]
    judged = group_judged(own, filled, options)
    known = {entry.system for entry in entries_of(judged)}
    if options.hypothesis and not set(options.hypothesis) <= known:
        options = replace(options, hypothesis=None)
    try:
        scores = scores_compute(judged, options, versions)
    except ValueError as error:
        raise BadInput(f"{first.protocol}, {first.languages}: {error}.") from error
    head = {
        "campaigns": [facts.name for facts, _ in own],
        "protocol": first.protocol,
        "languages": first.languages,
        "scale": None if first.scale is None else list(first.scale),
    }
    return head | scores


def group_judged(
    own: Sequence[tuple[Facts, Judged]], filled: Sequence[tuple[Facts, Judged]], options: ScoreOptions
) -> Judged:
    """Put what was judged in the campaigns of a group together, as it is scored.

    Args:
        own: the campaigns of the group.
        filled: those of the study that have judgements.
        options: with `scope` study, others' ratings make the raters' mean and spread too; with `scope`
            campaign raters are told apart by campaign.
    """
    judged = merge([one for _, one in (_apart(own) if options.scope == "campaign" else own)])
    if options.scope == "study" and isinstance(judged.records, RatingTable):
        others = [one.records for _, one in spread_only(own[0][0], filled)]
        tables = [table for table in others if isinstance(table, RatingTable)]
        judged = replace(judged, records=table_with_others(judged.records, tables))
    return judged


def spread_only(first: Facts, filled: Sequence[tuple[Facts, Judged]]) -> list[tuple[Facts, Judged]]:
    """Return the campaigns that are not of a group, whose ratings make its raters' mean and spread."""
    return [
        (facts, one) for facts, one in filled if facts.spread == first.spread and facts.group != first.group
    ]


def _apart(own: Sequence[tuple[Facts, Judged]]) -> list[tuple[Facts, Judged]]:
    """Give the raters of several campaigns a name of their own in each."""
    times = Counter(name for _, one in own for name in getattr(one.records, "raters", ()))
    found = []
    for facts, one in own:
        if isinstance(one.records, RatingTable):
            names = [f"{name} ({facts.name})" if times[name] > 1 else name for name in one.records.raters]
            one = replace(one, records=replace(one.records, raters=names))
        found.append((facts, one))
    return found


def merge(parts: Sequence[Judged]) -> Judged:
    """Put what was judged in several campaigns of one protocol together."""
    tables = [one.records for one in parts if isinstance(one.records, RatingTable)]
    chosen = [one.records for one in parts if isinstance(one.records, Comparisons)]
    versions = {name: known for one in parts for name, known in one.notations.versions.items()}
    return Judged(
        parts[0].protocol,
        tables_merge(tables) if tables else comparisons_merge(chosen),
        Notations(versions),
        sum(one.assigned for one in parts),
        sum(one.done for one in parts),
    )


def group_results(result: Mapping[str, Any]) -> list[Row]:
    """Return each group of a study's result in the shape of a campaign's result, for printing."""
    return [
        group
        | {
            "campaign": f"{result['study']} · {group['languages']} ({', '.join(group['campaigns'])})",
            "options": result["options"],
        }
        for group in result["groups"]
    ]
