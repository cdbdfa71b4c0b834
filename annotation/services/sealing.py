"""Sealed results: nobody sees scores before the campaign is closed; who opens the seal early says why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.models import AuditEvent, Campaign
from annotation.services.campaign_settings import CampaignSettings
from evalplatform.errors import BadInput, Conflict, NotAllowed

UNSEALED = "campaign.unsealed"
_SETTING = "unsealed"
LATE = "answer.late"
"""Events that keep an answer which came too late to count."""
LONGEST_REASON = 300
REOPENED = gettext_noop("opened again after its results could be seen")
"""What the trail tells of a campaign that was sealed, closed and opened again."""


class Sealed(Conflict):
    """The results of a campaign are sealed until it is closed."""

    title = gettext_noop("Sealed until closing")
    code = "sealed"


@dataclass(frozen=True)
class Seal:
    """What became of a seal.

    Attributes:
        is_sealed: nobody sees results now.
        reason: why it was opened early, "" when it was not.
        by: who did that, "" for the command line.
        at: when.
        n_reopened: how often the campaign was opened again after its results could be seen.
    """

    is_sealed: bool
    reason: str = ""
    by: str = ""
    at: datetime | None = None
    n_reopened: int = 0


def is_sealed(campaign: Campaign) -> bool:
    """Tell whether the results of a campaign are sealed now."""
    if campaign.state == Campaign.State.CLOSED or campaign.mode == Campaign.Mode.IMPORTED:
        return False
    return CampaignSettings.of(campaign).sealed and _SETTING not in campaign.settings


def sealed_campaigns() -> list[int]:
    """Return the ids of the campaigns whose results are sealed now."""
    found = Campaign.objects.filter(settings__sealed=True).exclude(state=Campaign.State.CLOSED)
    return [campaign.pk for campaign in found if is_sealed(campaign)]


def late_sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an event of a late answer tells while its campaign is sealed: not the answer."""
    return {name: value for name, value in data.items() if name != "answers"}


def seal_check(campaign: Campaign) -> None:
    """Refuse to show what systems were given while the campaign is sealed.

    Raises:
        Sealed: it is.
    """
    if is_sealed(campaign):
        raise Sealed(
            _("The results of “%(name)s” are sealed until closing.") % {"name": campaign.name},
            _("Close the campaign to see them; its page shows progress and quality warnings."),
        )


def seal_read(campaign: Campaign) -> Seal | None:
    """Return what became of the seal of a campaign; None when it never had one."""
    if not CampaignSettings.of(campaign).sealed:
        return None
    events = AuditEvent.objects.filter(campaign=campaign).order_by("pk")
    states = events.filter(action__in=("campaign.closed", "campaign.opened"))
    actions = list(states.values_list("action", flat=True))
    closed = actions.index("campaign.closed") if "campaign.closed" in actions else len(actions)
    opened = events.filter(action=UNSEALED).select_related("actor").first()
    return Seal(
        is_sealed=is_sealed(campaign),
        reason=str(opened.data.get("reason", "")) if opened else "",
        by=opened.actor.get_username() if opened and opened.actor else "",
        at=opened.at if opened else None,
        n_reopened=actions[closed:].count("campaign.opened"),
    )


def opening_is_late(campaign: Campaign) -> bool:
    """Tell whether opening a campaign lets raters on after its sealed results could be seen."""
    closed = AuditEvent.objects.filter(campaign=campaign, action="campaign.closed")
    return CampaignSettings.of(campaign).sealed and closed.exists()


def may_unseal(campaign: Campaign, user: object) -> bool:
    """Tell whether a person may open the seal: an administrator, or the owner of the study."""
    return isinstance(user, User) and (user.is_staff or campaign.study.owner_id == user.pk)


def campaign_unseal(*, campaign: Campaign, reason: str, actor: User | None = None) -> None:
    """Open the seal of a campaign before it is closed, for good; the reason stands in its report.

    Args:
        campaign: the campaign.
        reason: why, in one line.
        actor: who does it; None for the command line.

    Raises:
        NotAllowed: this person may not.
        BadInput: there is no reason, or it is too long.
        Conflict: the results are not sealed.
    """
    if actor is not None and not may_unseal(campaign, actor):
        raise NotAllowed(
            _("Only the owner of the study and administrators can open the seal."),
            _("Ask the owner, or wait until the campaign is closed."),
        )
    why = reason.strip()
    if not why or len(why) > LONGEST_REASON or not why.isprintable():
        raise BadInput(
            _("Opening the seal needs a reason, and the report will name it."),
            _("Give one line of up to %(n)d characters.") % {"n": LONGEST_REASON},
        )
    with transaction.atomic():
        found = Campaign.objects.select_for_update().get(pk=campaign.pk)
        if not is_sealed(found):
            raise Conflict(
                _("The results of “%(name)s” are not sealed.") % {"name": campaign.name},
                _("Nothing was changed."),
            )
        found.settings = found.settings | {_SETTING: True}
        found.save(update_fields=["settings"])
        AuditEvent.note(UNSEALED, actor=actor, study=found.study, campaign=found, reason=why)
    campaign.settings = found.settings


def seal_sentence(campaign: Campaign) -> str:
    """Say in a report, in English, that results were sealed and whether that held; "" without a seal."""
    seal = seal_read(campaign)
    if seal is None:
        return ""
    if seal.at is not None:
        by = f" by {seal.by}" if seal.by else ""
        return (
            "Results were to be sealed until the campaign closed; the seal was opened early, on "
            f"{seal.at:%Y-%m-%d}{by} ({seal.reason})."
        )
    again = ""
    if seal.n_reopened:
        times = "once" if seal.n_reopened == 1 else f"{seal.n_reopened} times"
        again = f" It was opened again {times} after that, and results could be seen in between."
    return f"Results were sealed until the campaign closed.{again}"
