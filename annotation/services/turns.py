"""Whose turn it is: what changes assignments of many raters does so one after the other."""

from __future__ import annotations

from django.db import connection
from django.utils.translation import gettext as _

from annotation.models import Campaign
from evalplatform.errors import Conflict


def turn_take(campaign_id: int) -> None:
    """Wait for the campaign's turn and keep it until the transaction ends.

    Rows are locked in one order everywhere, so that two requests never wait for each other: the campaign,
    then assignments, then participations, then items. Answering locks its assignment and no campaign. SQLite
    has one writer at a time and needs no turns.
    """
    if connection.features.has_select_for_update:
        Campaign.objects.select_for_update(no_key=True).filter(pk=campaign_id).values_list("pk").first()


def open_check(campaign: Campaign) -> None:
    """Refuse to deal work in a campaign that is closed by now; call it inside a turn.

    Raises:
        Conflict: it is.
    """
    if Campaign.objects.filter(pk=campaign.pk, state=Campaign.State.CLOSED).exists():
        raise Conflict(_("“%(name)s” is closed.") % {"name": campaign.name}, _("Open it first."))
