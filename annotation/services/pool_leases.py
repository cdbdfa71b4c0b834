"""Leases of a pool: what ends frees its item, what comes late still counts while there is room."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, QuerySet
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Campaign, Item, Participation
from annotation.services.turns import open_check, turn_take
from evalplatform.errors import Conflict

FREED_AT_ONCE = 200
_OPEN, _RELEASED = Assignment.State.OPEN, Assignment.State.RELEASED


def expired_free(campaign: Campaign, *, but: Participation) -> None:
    """Free the items of raters whose lease is over."""
    rows = (
        _expired(campaign, but)
        .order_by("pk")
        .select_for_update(of=("self",), skip_locked=True)
        .values_list("pk", "item_id")[:FREED_AT_ONCE]
    )
    items_free(list(rows))


def is_expired(campaign: Campaign, *, but: Participation) -> Exists:
    """Return what tells in a query whether there is something to free."""
    return Exists(_expired(campaign, but))


def _expired(campaign: Campaign, but: Participation) -> QuerySet[Assignment]:
    own = Assignment.objects.filter(participation__campaign=campaign.pk, state=_OPEN)
    return own.filter(lease_until__lt=timezone.now()).exclude(participation=but)


def items_free(rows: Sequence[tuple[int, int]]) -> None:
    """Release open assignments, given as (id, item); call it in a transaction that holds them."""
    if not rows:
        return
    Assignment.objects.filter(pk__in=[pk for pk, _ in rows]).update(state=_RELEASED)
    times: dict[int, list[int]] = defaultdict(list)
    for item, n in Counter(item for _, item in rows).items():
        times[n].append(item)
    for n, items in times.items():
        Item.objects.filter(pk__in=items).update(given=F("given") - n)
    checks_level({item for _, item in rows})


def checks_free(campaign: Campaign) -> set[int]:
    """Return the first items for quality control that wait for somebody."""
    free = Item.objects.filter(campaign=campaign, given__lt=F("wanted"))
    found = free.exclude(paired_with=None, repeat_of=None).order_by("pk")
    return set(found.values_list("pk", flat=True)[:FREED_AT_ONCE])


def checks_level(items: Collection[int]) -> None:
    """Want no more judgements of some items for quality control than can still come.

    Who takes the item they are held against takes them along. Once that has no room more, nobody can take
    them: what was freed by a rater who keeps its pair would wait for ever.
    """
    if not items:
        return
    counts = [f"{pair}__{name}" for pair in ("paired_with", "repeat_of") for name in ("wanted", "given")]
    lone = Item.objects.filter(pk__in=items, given__lt=F("wanted"))
    lone = lone.exclude(paired_with=None, repeat_of=None)
    for pk, given, wanted, *pairs in lone.values_list("pk", "given", "wanted", *counts):
        room = min(pairs[n] - pairs[n + 1] for n in (0, 2) if pairs[n] is not None)
        if wanted - given > room:
            Item.objects.filter(pk=pk, given=given).update(wanted=given + max(0, room))


def may_come_back(item: Item) -> bool:
    """Tell whether somebody might have an item back: it has room, or is quality control, which may get it."""
    return item.given < item.wanted or item.paired_with_id is not None or item.repeat_of_id is not None


def place_take_back(assignment: Assignment, until: datetime) -> bool:
    """Give a rater an item back if its round has room; say whether it has. Call it in a transaction.

    The assignment changes first: of two requests that want it back at once only one counts it.
    """
    mine = Assignment.objects.filter(pk=assignment.pk)
    if mine.filter(state=_RELEASED).update(state=_OPEN, lease_until=until) != 1:
        return False
    if _count_in(assignment):
        return True
    mine.update(state=_RELEASED, lease_until=assignment.lease_until)
    return False


def _count_in(assignment: Assignment) -> bool:
    """Count one more as given if the item and the assignment's round have room."""
    item = Item.objects.select_for_update(of=("self",)).get(pk=assignment.item_id)
    own = Assignment.objects.live().filter(item=item.pk, round=assignment.round).exclude(pk=assignment.pk)
    if own.count() >= _wanted_in(item, assignment):
        return _want_again(item, assignment)
    if Item.objects.filter(pk=item.pk, given__lt=F("wanted")).update(given=F("given") + 1) == 1:
        return True
    return _want_again(item, assignment)


def _want_again(item: Item, assignment: Assignment) -> bool:
    """Want an item for quality control once more from who still has its pair: it was given up for them."""
    pairs = [pk for pk in (item.paired_with_id, item.repeat_of_id) if pk is not None]
    own = Assignment.objects.live().filter(participation=assignment.participation_id, item__in=pairs)
    if not pairs or item.wanted >= assignment.participation.campaign.judgements or not own.exists():
        return False
    return Item.objects.filter(pk=item.pk).update(given=F("given") + 1, wanted=F("wanted") + 1) == 1


def _wanted_in(item: Item, assignment: Assignment) -> int:
    """Return how many judgements the assignment's round wants of an item; an extra round wants as many."""
    has_two = item.wanted > assignment.participation.campaign.judgements
    return item.wanted // 2 if has_two else item.wanted


def late_answer_place(assignment: Assignment) -> bool:
    """Make room for an answer that came after its lease: a free place, or one that nobody has looked at yet.

    Call it in the transaction of the answer, which holds the assignment.
    """
    if assignment.participation.campaign.mode != Campaign.Mode.POOL or assignment.lease_until is None:
        return False
    if place_take_back(assignment, assignment.lease_until) or _take_unseen(assignment):
        assignment.state = _OPEN
        return True
    return False


def _take_unseen(assignment: Assignment) -> bool:
    """Take the place of somebody who has not seen the item yet."""
    unseen = Assignment.objects.filter(
        item=assignment.item_id, round=assignment.round, state=_OPEN, shown_at=None, lease_until__isnull=False
    )
    for pk in unseen.values_list("pk", flat=True):
        if unseen.filter(pk=pk).update(state=_RELEASED) == 1:
            return Assignment.objects.filter(pk=assignment.pk, state=_RELEASED).update(state=_OPEN) == 1
    return False


def pool_leave(*, campaign: Campaign, leaver: Participation, actor: User | None = None) -> int:
    """Let a rater leave a pool: answers stay, open items are free for whoever comes; return how many.

    Raises:
        Conflict: the rater has left already, or the campaign is closed.
    """
    with transaction.atomic():
        turn_take(campaign.pk)
        open_check(campaign)
        rows = list(
            leaver.assignments.live()
            .filter(state=_OPEN)
            .order_by("pk")
            .select_for_update(of=("self",))
            .values_list("pk", "item_id")
        )
        left = Participation.objects.filter(pk=leaver.pk).exclude(state=Participation.State.LEFT)
        if left.update(state=Participation.State.LEFT) != 1:
            raise Conflict(
                f"Rater “{leaver.rater.name}” has left this campaign already.", "Nothing was changed."
            )
        items_free(rows)
        AuditEvent.note(
            "rater.withdrawn",
            actor=actor,
            campaign=campaign,
            study=campaign.study,
            participation=leaver,
            released=len(rows),
            given={},
            short=[],
        )
    return len(rows)
