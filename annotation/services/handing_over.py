"""Hand the open work of a rater to the others, or to somebody new who shares in it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from annotation.models import Campaign, Participation
from annotation.services.lookup import rater_named
from annotation.services.newcomers import newcomer_check
from annotation.services.withdrawal import Withdrawal, rater_withdraw
from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.names import check_name
from mtcore.services.texts import as_bad_input


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
