"""A rater passes an item over, where the campaign allows it: somebody else gets it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F, Max, Q
from django.utils.translation import gettext as _

from annotation.design.items import wanted_gap
from annotation.models import Assignment, AuditEvent, Campaign, Item, Participation
from annotation.models.assignment import PRACTICE_ROUND
from annotation.services.calling_back import rater_call_back
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.invitations import participation_check
from annotation.services.participation import (
    Progress,
    begin_check,
    is_key,
    participation_progress,
    text_check,
)
from annotation.services.pool_leases import checks_level
from annotation.services.remarks import SKIPPED
from annotation.services.turns import turn_take
from evalplatform.errors import Conflict, NotFound


@dataclass(frozen=True)
class Skipped:
    """What passing an item over did.

    Attributes:
        repeated: it was passed over, or taken back, before.
        moved: assignments that somebody else got.
        short: assignments that nobody can take now.
        progress: of the rater who passed it over.
    """

    repeated: bool
    moved: int
    short: int
    progress: Progress


def assignment_skip(*, participation: Participation, assignment_key: str, reason: str = "") -> Skipped:
    """Take an item back from a rater who passes it over and give it to another; again, it changes nothing.

    It goes to a rater who has not had it, who has least to do; in a pool to whoever comes. Nobody free: it
    lacks a judgement, and the campaign's page says so. Quality control that hangs on it stays with the rater.

    Raises:
        Conflict: the campaign does not allow it or is not open, or the item is answered already.
        NotFound: the assignment is not this rater's.
        BadInput: the reason is too long, or no text.
    """
    campaign = participation.campaign
    text_check(reason, name=_("The reason"))
    participation_check(participation)
    begin_check(participation)
    if not CampaignSettings.of(campaign).can_skip:
        raise Conflict(
            _("Items cannot be passed over in this campaign."),
            _("Give the answer that fits best, and say in a comment what is difficult."),
        )
    with transaction.atomic():
        turn_take(campaign.pk)
        participation_check(Participation.objects.select_related("campaign").get(pk=participation.pk))
        assignment = _lock(participation, assignment_key)
        if assignment.state == Assignment.State.RELEASED:
            return Skipped(True, 0, 0, participation_progress(participation))
        _release(assignment)
        in_pool = campaign.mode == Campaign.Mode.POOL
        moved = int(not in_pool and _give_on(assignment))
        if not moved:
            Item.objects.filter(pk=assignment.item_id).update(given=F("given") - 1)
        if in_pool:
            checks_level({assignment.item_id})
        short = int(not in_pool and not moved)
        AuditEvent.note(
            SKIPPED,
            participation=participation,
            campaign=campaign,
            study=campaign.study,
            assignment=assignment.key,
            testset=assignment.item.segment.testset.name,
            segment=assignment.item.segment.key,
            reason=reason.strip(),
            moved=moved,
            short=short,
        )
        progress = participation_progress(participation)
        if not progress.left and campaign.mode != Campaign.Mode.POOL:
            Participation.objects.filter(pk=participation.pk, state=Participation.State.ACTIVE).update(
                state=Participation.State.FINISHED
            )
    return Skipped(False, moved, short, progress)


def _lock(participation: Participation, key: str) -> Assignment:
    found = is_key(key) and (
        Assignment.objects.select_for_update(of=("self",))
        .select_related("item__segment__testset")
        .filter(participation=participation, key=key)
        .first()
    )
    if not found:
        raise NotFound(_("There is no such item among yours."), _("Reload the rating page."))
    if found.state == Assignment.State.DONE:
        raise Conflict(
            _("You have answered this item already."), _("Go back to it to correct your answer, or go on.")
        )
    if found.round == PRACTICE_ROUND:
        raise Conflict(_("Practice items cannot be passed over."), _("Answer it to go on."))
    return found


def _release(assignment: Assignment) -> None:
    """Take back the assignment; `lease_until` empty keeps it from coming back.

    What hangs on it for quality control stays, though it says nothing without it: what there is to do falls
    by one whatever is passed over.
    """
    Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.OPEN).update(
        state=Assignment.State.RELEASED, lease_until=None
    )


def _give_on(assignment: Assignment) -> bool:
    """Give it to another rater, not close to its segment; say whether somebody can take it."""
    chosen = _taker(assignment)
    if chosen is None:
        return False
    own = Assignment.objects.live().filter(participation=chosen, round=assignment.round)
    gap = wanted_gap(own.count() + 1)
    near = list(own.filter(item__segment=assignment.item.segment_id).values_list("position", flat=True))
    waiting = own.filter(state=Assignment.State.OPEN, shown_at=None).values_list("position", flat=True)
    places = [place for place in waiting if all(abs(place - one) >= gap for one in near)]
    end = 1 + (own.aggregate(end=Max("position"))["end"] or 0)
    Assignment.objects.create(
        item=assignment.item,
        participation=chosen,
        round=assignment.round,
        position=secrets.choice(places or [end]),
        swap=assignment.swap,
    )
    rater_call_back(Participation.objects.filter(pk=chosen.pk))
    return True


def _taker(assignment: Assignment) -> Participation | None:
    """Choose who has not had it, far enough from its segment, and has least to do."""
    item, campaign = assignment.item, assignment.participation.campaign
    free = campaign.participations.available().filter(excluded_by="")
    had = Assignment.objects.filter(item=assignment.item_id).values("participation")
    free = free.exclude(pk=assignment.participation_id).exclude(pk__in=had)
    for pair in (item.paired_with_id, item.repeat_of_id):
        if pair is not None:
            free = free.filter(pk__in=Assignment.objects.live().filter(item=pair).values("participation"))
    live = Q(assignments__round__gt=PRACTICE_ROUND) & ~Q(assignments__state=Assignment.State.RELEASED)
    rows = free.annotate(
        load=Count("assignments", filter=live),
        end=Max("assignments__position", filter=live, default=0),
        near=Max(
            "assignments__position",
            filter=live & Q(assignments__item__segment=item.segment_id),
            default=-1000,
        ),
    )

    def rank(row: Participation) -> tuple[bool, bool, int, int]:
        load, end, near = (getattr(row, name) for name in ("load", "end", "near"))
        finished = row.state == Participation.State.FINISHED
        return end + 1 - near < wanted_gap(load + 1), finished, load, secrets.randbits(30)

    return min(rows, key=rank, default=None)
