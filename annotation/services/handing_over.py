"""Hand the open work of a rater to the others, or to somebody new who shares in it."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from annotation.models import Campaign, Participation, Rater
from annotation.services.lookup import rater_named
from annotation.services.newcomers import newcomer_check
from annotation.services.withdrawal import Withdrawal, rater_withdraw
from evalplatform.acting import acting_now
from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.names import check_name
from mtcore.services.run_once import run_trial
from mtcore.services.texts import as_bad_input


@dataclass(frozen=True)
class Handed:
    """Open work of a campaign that goes, or would go, to others."""

    campaign: str
    released: int
    given: dict[str, int]
    short: tuple[str, ...]


def handed_of(campaign: Campaign, change: Withdrawal) -> Handed:
    """Return what changed hands in a campaign."""
    return Handed(campaign.name, change.released, change.given, change.short)


def work_hand_over_trial(*, campaign: Campaign, rater: str, new_rater: str = "") -> Withdrawal:
    """Say what `work_hand_over` would do at this moment; nothing is changed.

    It is the very deed, undone: who answers meanwhile changes what there is to be dealt.

    Raises:
        As `work_hand_over`.
    """
    return run_trial(lambda: work_hand_over(campaign=campaign, rater=rater, new_rater=new_rater))


def rater_withdraw_trial(*, campaign: Campaign, rater: str) -> Withdrawal:
    """Say what `rater_withdraw` would do at this moment, in a pool too; nothing is changed.

    Raises:
        As `rater_withdraw`.
    """
    return run_trial(lambda: rater_withdraw(campaign=campaign, rater=rater))


def leaving_trial(*, rater: Rater) -> list[Handed]:
    """Say what would become of a rater's open work if the rater left every campaign that runs."""
    own = rater.participations.select_related("campaign__study").exclude(state=Participation.State.LEFT)
    running = own.exclude(campaign__state=Campaign.State.CLOSED).exclude(
        campaign__mode=Campaign.Mode.IMPORTED
    )
    now = acting_now()
    n_events = now.n_events if now else 0
    found = [
        handed_of(one.campaign, rater_withdraw_trial(campaign=one.campaign, rater=rater.name))
        for one in running.order_by("pk")
    ]
    if now:
        now.n_events = n_events  # what was undone is no event: whoever takes the answer still is one
    return [one for one in found if one.released]


def work_hand_over(
    *, campaign: Campaign, rater: str, new_rater: str = "", actor: User | None = None
) -> Withdrawal:
    """Let a rater leave and deal the open work to the others; answers stay.

    Work goes to whoever has least, so somebody new gets most of it. All of it happens or nothing.

    Args:
        campaign: an open one that was planned here.
        rater: who leaves.
        new_rater: name of somebody to be invited for it; "" for nobody.
        actor: who asks.

    Raises:
        BadInput: nobody is named, or the new name cannot be one.
        NotFound: no such rater in the campaign.
        Conflict: it is closed or was not planned here, the rater has left already, or the new one is in it.
    """
    if campaign.mode != Campaign.Mode.PLANNED:
        raise Conflict(
            _("“%(name)s” has no plan.") % {"name": campaign.name},
            _("In a pool, whoever comes takes the next items."),
        )
    if campaign.state == Campaign.State.CLOSED:
        raise Conflict(_("“%(name)s” is closed.") % {"name": campaign.name}, _("Open it first."))
    if not rater:
        raise BadInput(_("No rater is named."), _("Use the page's buttons."))
    leaver = campaign.participations.get(rater=rater_named(campaign, rater))
    if leaver.state == Participation.State.LEFT:
        raise Conflict(
            _("“%(rater)s” has left this campaign already.") % {"rater": rater}, _("Nothing was changed.")
        )
    if new_rater:
        with as_bad_input():
            check_name(new_rater, "rater")
        newcomer_check(campaign, new_rater)
    return rater_withdraw(campaign=campaign, rater=rater, actor=actor, new_rater=new_rater)
