"""Score a campaign: from its judgements to systems, pairs and raters, stored with what made them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Max, Q

from annotation.models import Assignment, Campaign, CampaignOutput, Item, Judgement, Participation, ScoreRun
from annotation.protocols import PROTOCOLS
from annotation.services import records
from annotation.services.notation import Notations
from annotation.services.versions import versions_read
from annotation.stats.options import ScoreOptions, parse_hypothesis, signature
from annotation.stats.preference import score_comparisons
from annotation.stats.score import CONDITION_KEYS, score_ratings
from annotation.stats.standardise import standardise
from evalplatform.errors import BadInput, Conflict

KEYS = (
    "campaign protocol signature systems pairs raters position notes options "
    "system system_a system_b rater testset input reference direction notation "
    "raw_mean z_mean raw_ci z_ci n_segments n_judgements n_z n_raters wins cluster "
    "z_difference z_difference_ci p_bootstrap_one_sided p_bootstrap_two_sided one_sided p_rank_sum n_common "
    "expected_wins win_rate a_better b_better equal identical p_sign_one_sided p_sign_two_sided p_bootstrap "
    "shares left right p_two_sided n mean sd no_variance excluded_by"
)
KEY_ORDER = {key: place for place, key in enumerate(KEYS.split())}
READS = 3
"""Times the judgements are read anew when some arrive while they are read."""


def options_read(campaign: Campaign, given: Mapping[str, Any]) -> ScoreOptions:
    """Make options from what a person typed (strings, or values of the right type; empty means the default).

    Known names are those of `ScoreOptions`, and `by` ("condition" or "system") for `by_condition`.

    Raises:
        BadInput: a value outside what is defined; the message states what is.
    """
    values = {name: value for name, value in given.items() if value not in (None, "")}
    by = values.pop("by", None)
    if by not in (None, "system", "condition"):
        raise BadInput(f"by must be system or condition; found {by!r}.")
    chosen: dict[str, Any] = {"by_condition": by == "condition"}
    for name, value in values.items():
        if name not in ScoreOptions.__dataclass_fields__:
            known = ", ".join(sorted({*ScoreOptions.__dataclass_fields__, "by"} - {"by_condition"}))
            raise BadInput(f"There is no option {name!r}.", f"The options are {known}.")
        chosen[name] = _whole(value) if name in ("resamples", "seed", "preference_resamples") else value
    try:
        if isinstance(chosen.get("hypothesis"), str):
            names = CampaignOutput.objects.filter(campaign=campaign).values_list("system__name", flat=True)
            chosen["hypothesis"] = parse_hypothesis(chosen["hypothesis"], names)
        return ScoreOptions(**chosen)
    except ValueError as error:
        raise BadInput(f"{error}.") from error


def _whole(value: Any) -> Any:
    """Return a whole number written in digits as a number, anything else as it is (to be refused)."""
    text = str(value)
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else value


def campaign_score(
    *, campaign: Campaign, options: ScoreOptions, user: User | AnonymousUser | None = None
) -> ScoreRun:
    """Return the scores of a campaign as it stands; computed once for the same options and judgements.

    Raises:
        Conflict: there are no judgements yet.
        BadInput: the options do not fit the campaign.
    """
    versions = versions_read()
    plain = asdict(options)
    options_sha256 = _digest([plain, versions])
    for _ in range(READS):
        judgements_sha256 = judgements_digest(campaign)
        stored = campaign.scores.filter(
            options_sha256=options_sha256, judgements_sha256=judgements_sha256, result__isnull=False
        ).first()
        if stored is not None:
            stored.result = ordered(stored.result)
            return stored
        scores = _compute(campaign, options)
        if judgements_digest(campaign) == judgements_sha256:
            break
    exclusions = sum(1 for row in scores["raters"] if row["excluded_by"])
    line = signature(options, campaign.protocol, exclusions, versions)
    head = {"campaign": campaign.name, "protocol": campaign.protocol, "signature": line}
    result = head | scores | {"options": plain, "notes": notes(campaign, scores)}
    return ScoreRun.objects.create(
        campaign=campaign,
        options=plain,
        options_sha256=options_sha256,
        judgements_sha256=judgements_sha256,
        signature=line,
        result=ordered(json.loads(json.dumps(result, allow_nan=False))),
        created_by=user if isinstance(user, User) else None,
    )


def ordered(value: Any) -> Any:
    """Return JSON with the keys of its objects in their documented order (PostgreSQL keeps no order)."""
    if isinstance(value, list):
        return [ordered(one) for one in value]
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (KEY_ORDER.get(key, len(KEY_ORDER)), key))
        return {key: ordered(value[key]) for key in keys}
    return value


def judgements_digest(campaign: Campaign) -> str:
    """Return a hash that changes when an answer, a correction, an exclusion, the plan or a name changes."""
    judgements = Judgement.objects.of_campaign(campaign.pk)
    outputs = CampaignOutput.objects.filter(campaign=campaign).order_by("pk")
    participations = Participation.objects.filter(campaign=campaign).order_by("pk")
    items = Item.objects.filter(campaign=campaign).order_by().values("kind", "wanted", "segment__direction")
    live = Assignment.objects.filter(item__campaign=campaign).live()
    parts = [
        campaign.name,
        campaign.protocol,
        list(
            judgements.aggregate(
                Count("pk"), Max("pk"), current=Count("pk", filter=Q(is_current=True))
            ).values()
        ),
        list(outputs.values_list("pk", "system__name", "testset__name", "input_version__name")),
        list(participations.values_list("pk", "rater__name", "excluded_by")),
        sorted(list(row.values()) for row in items.annotate(n=Count("pk"))),
        [live.count(), live.done().count()],
    ]
    return _digest(parts)


def ratings_z(*, campaign: Campaign, population: str = "all") -> dict[int, float]:
    """Return the z of each current judgement that has one, by its database id, as scoring makes it.

    Raises:
        BadInput: an unknown population.
    """
    if PROTOCOLS[campaign.protocol].record != "rating":
        return {}
    ratings = records.ratings_read(campaign)
    try:
        z = standardise(ratings.table, population).z
    except ValueError as error:
        raise BadInput(f"{error}.") from error
    known = ~np.isnan(z)
    return dict(zip(ratings.judgements[known].tolist(), np.round(z[known], 10).tolist(), strict=True))


def _compute(campaign: Campaign, options: ScoreOptions) -> dict[str, Any]:
    """Return systems, pairs and raters (and position, for preferences)."""
    rated = PROTOCOLS[campaign.protocol].record == "rating"
    try:
        scores = _score_ratings(campaign, options) if rated else _score_comparisons(campaign, options)
    except ValueError as error:
        raise BadInput(f"{error}.") from error
    if options.by_condition:
        notations = Notations.of_campaign(campaign)
        for row in (*scores["systems"], *scores["pairs"]):
            row["notation"] = notations.write(*(row[key] for key in CONDITION_KEYS))
    return scores


def _score_ratings(campaign: Campaign, options: ScoreOptions) -> dict[str, Any]:
    table = records.ratings_read(campaign).table
    if not len(table.score):
        raise _nothing_yet(campaign)
    return score_ratings(table, options)


def _score_comparisons(campaign: Campaign, options: ScoreOptions) -> dict[str, Any]:
    found = records.comparisons_read(campaign)
    shown, identical = found.all_shown(), found.all_identical()
    if not shown and not identical:
        raise _nothing_yet(campaign)
    scores = score_comparisons(shown, identical, options)
    if not options.by_condition:
        return scores
    for part in ("systems", "pairs"):
        scores[part] = []
    for condition in found.conditions():
        own = score_comparisons(found.shown.get(condition, []), found.identical.get(condition, []), options)
        keys = dict(zip(CONDITION_KEYS, condition, strict=True))
        for part in ("systems", "pairs"):
            scores[part] += [row | keys for row in own[part]]
    return scores


def _nothing_yet(campaign: Campaign) -> Conflict:
    return Conflict(
        f"The campaign “{campaign.name}” has no judgements yet.", "Scores appear with the first answers."
    )


def notes(campaign: Campaign, scores: Mapping[str, Any]) -> list[str]:
    """Say in words who was excluded and what is missing."""
    found = []
    flat = [row["rater"] for row in scores["raters"] if row.get("no_variance")]
    if flat:
        found.append(
            f"{_count(len(flat), 'rater')} without z (constant, or a single rating): {', '.join(flat)}."
        )
    for row in scores["raters"]:
        if row["excluded_by"]:
            found.append(f"Rater {row['rater']} is excluded ({row['excluded_by']}).")
    live = Assignment.objects.filter(item__campaign=campaign).live()
    total, done = live.count(), live.done().count()
    if done < total:
        found.append(f"{total - done:,} of {total:,} assigned judgements are missing.")
    sizes = {row["n_segments"] for row in scores["systems"] if "n_segments" in row}
    if len(sizes) > 1:
        found.append(
            f"The systems were judged on different numbers of segments ({min(sizes):,} to {max(sizes):,}); "
            "tests of pairs use common segments only."
        )
    return found


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
