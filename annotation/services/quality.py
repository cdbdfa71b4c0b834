"""Quality control of a campaign's raters: what is known of each, warnings, and exclusion by a person.

Everything here is read from what the server stored; nothing that a browser sends decides.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.models import AuditEvent, Campaign, Item, Judgement, Participation
from annotation.protocols import PROTOCOLS
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.quality_evidence import choice_evidence, others_agreement, rating_answers
from annotation.services.sealing import is_sealed
from annotation.stats.reliability import ReliabilityOptions, assess_all
from annotation.stats.reliability_choices import assess_choices
from evalplatform.errors import BadInput, Conflict, NotFound
from evalplatform.words import quoted

WHY_LENGTH = 300
#: Runs of one answer that a coordinator is warned of: of scores, of choices.
LONG_RUN, LONG_RUN_OF_CHOICES = 8, 15
#: Median seconds an item below which a rater is called fast, from so many answers on.
FAST_SECONDS, FAST_FROM = 3.0, 10
#: Correlation with the mean of the others below which they disagree, from so many items on.
LITTLE_AGREEMENT, AGREEMENT_FROM = 0.1, 20
STATES = ("failed", "undecided", "passed")
#: Evidence that is a value on the scale, or says how texts were scored: hidden while results are sealed.
#: Counts, shares, runs, correlations, p-values and likelihoods stay, for warnings rest on them.
VALUES = (
    ("pairs", "mean_difference"),
    ("repeats", "mean_absolute_difference"),
    ("most_common", "value"),
    ("scale_use",),
    ("reference_above_systems",),
)


@dataclass(frozen=True)
class RaterQuality:
    """What is known of one rater.

    Attributes:
        state: "passed", "undecided" or "failed".
        reason: why, in words.
        warnings: what a coordinator should look at: (code, value), see `quality_words`.
        evidence: the numbers; see `annotation.stats.reliability.assess` and `assess_choices`.
        attention: attention items answered as told, and answered at all.
        agreement: correlation with the mean of the other raters, and over how many items; None where unknown.
    """

    rater: str
    state: str
    reason: str
    excluded_by: str
    warnings: tuple[tuple[str, float], ...]
    evidence: dict[str, Any]
    attention: tuple[int, int]
    agreement: tuple[float, int] | None


def quality_read(campaign: Campaign) -> list[RaterQuality]:
    """Judge every rater of a campaign, in order of name; who has answered nothing is undecided.

    While results are sealed, evidence comes without values on the scale (see `VALUES`): they are None.
    """
    rated = PROTOCOLS[campaign.protocol].record == "rating"
    scale = (campaign.scale_low, campaign.scale_high)
    judged: dict[str, dict[str, Any]] = {}
    agreement: dict[str, tuple[float, int]] = {}
    if rated:
        answers, table = rating_answers(campaign)
        judged = {row["rater"]: row for row in assess_all(answers, ReliabilityOptions(scale=scale))}
        agreement = others_agreement(table)
    else:
        judged = {rater: assess_choices(own) for rater, own in choice_evidence(campaign).items()}
    if is_sealed(campaign):
        judged = {rater: _without_values(found) for rater, found in judged.items()}
    attention = _attention(campaign)
    rows = campaign.participations.select_related("rater").order_by("rater__name")
    return [
        _quality(
            row,
            judged.get(row.rater.name, {"state": "undecided", "reason": "nothing answered yet", "n": 0}),
            attention.get(row.pk, (0, 0)),
            agreement.get(row.rater.name),
            rated,
        )
        for row in rows
    ]


def _without_values(found: dict[str, Any]) -> dict[str, Any]:
    """Return evidence with None for what a seal hides."""
    hidden = dict(found)
    for first, *inner in VALUES:
        if first not in hidden:
            continue
        whole = hidden[first]
        if inner and isinstance(whole, dict):
            hidden[first] = whole | {name: None for name in inner if name in whole}
        else:
            hidden[first] = None
    return hidden


def _quality(
    row: Participation,
    found: dict[str, Any],
    attention: tuple[int, int],
    agreement: tuple[float, int] | None,
    rated: bool,
) -> RaterQuality:
    warnings: list[tuple[str, float]] = []
    if found["state"] == "failed":
        warnings.append(("failed", 0))
    if found.get("longest_run", 0) >= (LONG_RUN if rated else LONG_RUN_OF_CHOICES):
        warnings.append(("run", found["longest_run"]))
    seconds = found.get("seconds") or {}
    if seconds.get("n", 0) >= FAST_FROM and seconds["median"] < FAST_SECONDS:
        warnings.append(("fast", seconds["median"]))
    right, asked = attention
    if asked and 2 * right < asked + (asked == 1):
        warnings.append(("attention", asked - right))
    if agreement and agreement[1] >= AGREEMENT_FROM and agreement[0] < LITTLE_AGREEMENT:
        warnings.append(("disagrees", agreement[0]))
    return RaterQuality(
        rater=row.rater.name,
        state=found["state"],
        reason=found["reason"],
        excluded_by=row.excluded_by,
        warnings=tuple(warnings),
        evidence=found,
        attention=attention,
        agreement=agreement,
    )


def _attention(campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Return, by participation, how many attention items were answered as told, and how many at all."""
    told = CampaignSettings.of(campaign).attention
    rows = Judgement.objects.current().of_campaign(campaign.pk)
    found: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    columns = (
        "assignment__participation_id",
        "assignment__item__group",
        "assignment__swap",
        "score",
        "choice",
    )
    for rater, group, swap, score, choice in rows.filter(
        assignment__item__kind=Item.Kind.ATTENTION
    ).values_list(*columns):
        number = group.removeprefix("attention ")
        if not number.isdigit() or not 1 <= int(number) <= len(told):
            continue
        expected = told[int(number) - 1]
        if "choice" in expected:
            turned = {"left": "right", "right": "left"}
            right = (turned.get(choice, choice) if swap else choice) == expected["choice"]
        else:
            right = score is not None and expected["low"] <= score <= expected["high"]
        n_right, asked = found[rater]
        found[rater] = (n_right + right, asked + 1)
    return found


def rater_exclude(*, campaign: Campaign, rater: str, why: str, actor: User | None = None) -> None:
    """Leave a rater's answers out of the scores. They stay stored, and can be taken in again.

    Raises:
        NotFound: no such rater in the campaign.
        BadInput: no reason, or one that cannot be kept.
        Conflict: the rater is excluded already.
    """
    why = " ".join(why.split())
    if not why or len(why) > WHY_LENGTH or not why.isprintable():
        raise BadInput(
            "An exclusion needs a reason in words.", f"Give one of at most {WHY_LENGTH} characters."
        )
    _change(campaign, rater, "rater.excluded", actor, why)


def rater_include(*, campaign: Campaign, rater: str, actor: User | None = None) -> None:
    """Let an excluded rater's answers count again.

    Raises:
        NotFound: no such rater in the campaign.
        Conflict: the rater is not excluded.
    """
    _change(campaign, rater, "rater.included", actor, "")


def _change(campaign: Campaign, rater: str, action: str, actor: User | None, why: str) -> None:
    found = campaign.participations.select_related("rater").filter(rater__name=rater).first()
    if found is None:
        names = campaign.participations.order_by("rater__name").values_list("rater__name", flat=True)[:20]
        raise NotFound(f"There is no rater “{rater}” in this campaign.", f"Its raters are: {quoted(names)}.")
    before = found.excluded_by
    with transaction.atomic():
        rows = Participation.objects.filter(pk=found.pk)
        rows = rows.filter(excluded_by="") if why else rows.exclude(excluded_by="")
        if rows.update(excluded_by=why, excluded_at=timezone.now() if why else None) != 1:
            raise Conflict(
                f"Rater “{rater}” is {'excluded already' if why else 'not excluded'}.", "Nothing was changed."
            )
        AuditEvent.note(
            action, actor=actor, campaign=campaign, study=campaign.study, participation=found,
            why=why or before,
        )  # fmt: skip


def quality_rows(found: list[RaterQuality]) -> list[dict[str, Any]]:
    """Return rows of plain values, those who failed first, as the command and exports write them."""
    ordered = sorted(found, key=lambda one: (STATES.index(one.state), one.rater))
    return [
        {
            "rater": one.rater,
            "state": one.state,
            "evidence": one.reason,
            "answers": one.evidence.get("n", 0),
            "bad_references": one.evidence.get("pairs", {}).get("n_pairs", 0),
            "p_value": one.evidence.get("pairs", {}).get("p_value"),
            "repeats": one.evidence.get("repeats", {}).get("n", 0),
            "attention": f"{one.attention[0]}/{one.attention[1]}" if one.attention[1] else "",
            "agreement": None if one.agreement is None else round(one.agreement[0], 2),
            "warnings": [code for code, _ in one.warnings],
            "excluded_by": one.excluded_by,
        }
        for one in ordered
    ]


def quality_counts(campaign: Campaign) -> dict[str, int]:
    """Return how many items of each kind for quality control a campaign has."""
    kinds = Item.objects.counted().filter(campaign=campaign).exclude(kind=Item.Kind.SYSTEM)
    found: dict[str, int] = defaultdict(int)
    for kind in kinds.values_list("kind", flat=True):
        found[kind] += 1
    return dict(found)
