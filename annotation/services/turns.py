"""Whose turn it is: what changes assignments of many raters does so one after the other."""

from __future__ import annotations

from django.db import connection
from django.utils.translation import gettext as _

from annotation.models import Campaign, Study
from evalplatform.errors import Conflict, NotFound


def turn_take(campaign_id: int) -> None:
    """Wait for the campaign's turn and keep it until the transaction ends.

    Rows are locked in one order everywhere, so that two requests never wait for each other: the campaign,
    then assignments, then participations, then items. Answering locks its assignment and no campaign. SQLite
    has one writer at a time and needs no turns.

    Raises:
        NotFound: the campaign was deleted meanwhile.
    """
    if connection.features.has_select_for_update:
        own = Campaign.objects.select_for_update(no_key=True).filter(pk=campaign_id)
        if own.values_list("pk").first() is None:
            raise campaign_gone()


def study_look(campaign: Campaign) -> None:
    """Look again in which study a campaign is, for it may have moved meanwhile; call it inside a turn.

    Raises:
        NotFound: the campaign was deleted meanwhile.
    """
    study = Study.objects.filter(campaigns=campaign.pk).first()
    if study is None:
        raise campaign_gone()
    campaign.study = study


def open_check(campaign: Campaign) -> None:
    """Refuse to deal work in a campaign that is closed by now; call it inside a turn.

    Raises:
        Conflict: it is.
        NotFound: it was deleted meanwhile.
    """
    state = Campaign.objects.filter(pk=campaign.pk).values_list("state", flat=True).first()
    if state is None:
        raise campaign_gone()
    if state == Campaign.State.CLOSED:
        raise Conflict(_("“%(name)s” is closed.") % {"name": campaign.name}, _("Open it first."))


def campaign_gone() -> NotFound:
    """Return the words for a campaign that was deleted meanwhile."""
    return NotFound(_("This campaign no longer exists."), _("Look at the list of campaigns."))
