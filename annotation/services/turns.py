"""Whose turn it is: what changes assignments of many raters does so one after the other."""

from __future__ import annotations

from django.db import connection

from annotation.models import Assignment, Campaign, Participation


def turn_take(campaign_id: int) -> None:
    """Wait for the campaign's turn and keep it until the transaction ends.

    Rows are locked in one order everywhere, so that two requests never wait for each other: the campaign,
    then assignments, then participations, then items. Answering locks its assignment and no campaign. SQLite
    has one writer at a time and needs no turns.
    """
    if connection.features.has_select_for_update:
        Campaign.objects.select_for_update(no_key=True).filter(pk=campaign_id).values_list("pk").first()


def own_assignments_lock(participation: Participation) -> None:
    """Lock what a rater has, before anything else of theirs; call it after `turn_take`."""
    if connection.features.has_select_for_update:
        own = Assignment.objects.filter(participation=participation).order_by("pk")
        list(own.select_for_update(of=("self",)).values_list("pk"))
