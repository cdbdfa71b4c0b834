"""Score a campaign: from its judgements to systems, pairs and raters, stored with what made them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Max, Q, QuerySet

from annotation.models import Assignment, Campaign, CampaignOutput, Item, Judgement, Participation, ScoreRun
from annotation.protocols import PROTOCOLS
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.notation import Notations
from annotation.services.records import Comparisons, comparisons_read, ratings_read
from annotation.services.score_compute import Judged, scores_compute, table_with_others
from annotation.services.sealing import seal_check
from annotation.services.versions import versions_read
from annotation.stats.options import ScoreOptions, parse_hypothesis
from annotation.stats.records import RatingTable
from evalplatform.errors import BadInput, Conflict

KEYS = (
    "study campaign campaigns languages scale protocol signature groups "
    "pooled systems pairs raters shared ratings credits position notes options "
    "system system_a system_b rater testset input reference direction notation "
    "raw_mean z_mean raw_ci z_ci raw_sd z_sd n_segments n_judgements n_z n_raters wins cluster rank_range "
    "z_difference z_difference_ci p_bootstrap_one_sided p_bootstrap_two_sided one_sided hypothesis "
    "p_rank_sum p_randomisation p_signed_rank p_holm n_common "
    "expected_wins win_rate strength strength_ci strength_regularised "
    "a_better b_better equal identical n_units p_sign_one_sided p_sign_two_sided p_bootstrap "
    "majority_a majority_b p_sign_majority_one_sided p_sign_majority_two_sided "
    "shares a_better_ci b_better_ci equal_ci left right p_two_sided n mean sd no_variance excluded_by"
)
KEY_ORDER = {key: place for place, key in enumerate(KEYS.split())}
READS = 3
"""Times the judgements are read anew when some arrive while they are read."""


def options_read(campaign: Campaign, given: Mapping[str, Any]) -> ScoreOptions:
    """Make options for a campaign from what a person typed; see `options_from`.

    What is not said of items that were judged again is as the campaign has it.
    """
    said = {name: value for name, value in given.items() if value not in (None, "")}
    usual = {"disagreement": campaign_treatment(campaign)}
    return options_from(usual | said, CampaignOutput.objects.filter(campaign=campaign))


def campaign_treatment(campaign: Campaign) -> str:
    """Return what becomes of the first judgements of items that are judged again."""
    return CampaignSettings.of(campaign).treatment


def options_from(given: Mapping[str, Any], outputs: QuerySet[CampaignOutput]) -> ScoreOptions:
    """Make options from what a person typed (strings, or values of the right type; empty means the default).

    Known names are those of `ScoreOptions`, and `by` ("condition" or "system") for `by_condition`.

    Args:
        given: name → value.
        outputs: what is judged; a hypothesis names two of its systems.

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
            names = set(outputs.values_list("system__name", flat=True))
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
        Conflict: there are no judgements yet, or they are sealed, in another campaign that counts too
            (`scope` study) as in this one.
        BadInput: the options do not fit the campaign.
    """
    seal_check(campaign)
    if options.scope == "study":
        for other in scope_others(campaign):
            seal_check(other)
    versions = versions_read()
    plain = asdict(options)
    options_sha256 = digest([plain, versions])
    for _ in range(READS):
        judgements_sha256 = scope_digest(campaign, options)
        stored = campaign.scores.filter(
            options_sha256=options_sha256, judgements_sha256=judgements_sha256, result__isnull=False
        ).first()
        if stored is not None:
            stored.result = ordered(stored.result)
            return stored
        judged = campaign_judged(campaign, options)
        if judged.is_empty:
            raise _nothing_yet(campaign)
        try:
            scores = scores_compute(judged, options, versions)
        except ValueError as error:
            raise BadInput(f"{error}.") from error
        if scope_digest(campaign, options) == judgements_sha256:
            break
    head = {"campaign": campaign.name, "protocol": campaign.protocol}
    return ScoreRun.objects.create(
        campaign=campaign,
        options=plain,
        options_sha256=options_sha256,
        judgements_sha256=judgements_sha256,
        signature=scores["signature"],
        result=strict(head | scores | {"options": plain}),
        created_by=user if isinstance(user, User) else None,
    )


def campaign_judged(campaign: Campaign, options: ScoreOptions) -> Judged:
    """Read what was judged in a campaign, and with `scope` study its raters' other ratings in the study."""
    live = Assignment.objects.filter(item__campaign=campaign).live()
    records = records_read(campaign)
    if options.scope == "study" and isinstance(records, RatingTable):
        records = table_with_others(records, [ratings_read(one).table for one in scope_others(campaign)])
    notations = Notations.of_campaign(campaign)
    return Judged(campaign.protocol, records, notations, live.count(), live.done().count())


def records_read(campaign: Campaign) -> RatingTable | Comparisons:
    """Read the ratings of a campaign, or its comparisons.

    Raises:
        Sealed: nobody sees them yet.
    """
    seal_check(campaign)
    if PROTOCOLS[campaign.protocol].record == "rating":
        return ratings_read(campaign).table
    return comparisons_read(campaign)


def scope_others(campaign: Campaign) -> list[Campaign]:
    """Return the other campaigns of the study whose ratings are of the same kind.

    Those are campaigns of the same language direction and on the same scale (its lowest and highest score),
    whatever the rater compared with.
    """
    rated = [name for name, protocol in PROTOCOLS.items() if protocol.record == "rating"]
    if campaign.protocol not in rated:
        return []
    found = Campaign.objects.filter(
        study_id=campaign.study_id,
        source_language=campaign.source_language,
        target_language=campaign.target_language,
        scale_low=campaign.scale_low,
        scale_high=campaign.scale_high,
        protocol__in=rated,
    )
    return list(found.exclude(pk=campaign.pk).order_by("pk"))


def scope_digest(campaign: Campaign, options: ScoreOptions) -> str:
    """Return a hash of everything that the scores of a campaign depend on."""
    own = judgements_digest(campaign)
    if options.scope != "study":
        return own
    return digest([own, *(judgements_digest(one) for one in scope_others(campaign))])


def strict(result: Any) -> Any:
    """Return a result as strict JSON, its keys in their documented order.

    Raises:
        ValueError: it holds a number that is not finite.
    """
    return ordered(json.loads(json.dumps(result, allow_nan=False)))


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
    items = (
        Item.objects.counted()
        .filter(campaign=campaign)
        .order_by()
        .values("kind", "wanted", "segment__direction")
    )
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
    return digest(parts)


def _nothing_yet(campaign: Campaign) -> Conflict:
    return Conflict(
        f"The campaign “{campaign.name}” has no judgements yet.", "Scores appear with the first answers."
    )


def digest(value: Any) -> str:
    """Return a hash of plain values."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
