"""Pool campaigns: raters who come and go take items with a lease; who stops frees them.

A rater begins whole segments (`annotation.design.pool`), enough of them that the next places are filled. A
lease runs from the last sign of life; when it is over the items wait for whoever needs them, and the rater
finds them again if nobody did. No request reads the campaign's items: raters follow the items in the order of
their ids, which says nothing of segments or systems, each from where everything before is full or their own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast

import numpy as np
from django.db import transaction
from django.db.models import Count, F, Max, Min, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.design.pool import (
    AHEAD,
    ENOUGH,
    USUAL_STAY,
    Dealt,
    Line,
    allowed,
    deal_segment,
    pool_gap,
)
from annotation.models import Assignment, Campaign, Item, Participation
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.participation import Progress
from annotation.services.pool_leases import (
    checks_free,
    checks_level,
    expired_free,
    is_expired,
    may_come_back,
    place_take_back,
)
from annotation.services.pool_segments import segments_free
from annotation.services.pool_stand import LINE, Stand
from annotation.services.prepared import Prepared
from annotation.services.round_state import AGAIN
from annotation.services.turns import turn_take

MOST_HELD = 240
"""Open items of a rater from which on no further segment is begun."""
LAST_RATERS, ENOUGH_RATERS = 8, 4
"""Raters whose stay says how long one stays, and the least number of them."""
GAP_EVERY = 20
"""Places after which the distance inside segments is set anew: more raters may have come."""
SOON = 2
"""Places before the last ENOUGH at which an answer claims."""
TRIES = 4
REST_SECONDS = 20
"""Time after which a rater who found nothing, and still has something to do, looks again."""
_OPEN, _RELEASED = Assignment.State.OPEN, Assignment.State.RELEASED
_PAST = Q(round__gt=0) & (Q(state=Assignment.State.DONE) | Q(state=_OPEN, shown_at__isnull=False))
_HELD: Prepared[tuple[Any, ...]] = Prepared(
    lambda participation, head: (
        Assignment.objects.filter(participation=participation)
        .order_by()
        .values("participation")
        .annotate(
            ends=Min("lease_until", filter=Q(state=_OPEN)),
            live=Count("pk", filter=~Q(state=_RELEASED) & Q(round__gt=0)),
            held=Count("pk", filter=Q(state=_OPEN, round__gt=0)),
            ahead=Count("pk", filter=Q(state=_OPEN, round__gt=0, position__lt=head)),
            past=Max("position", filter=_PAST, default=0),
            done=Count("pk", filter=Q(state=Assignment.State.DONE, round__gt=0)),
        )
        .values_list("ends", "live", "held", "ahead", "past", "done")
    )
)


class _Raced(Exception):
    """Somebody took an item between looking and taking."""


class Held(NamedTuple):
    """What a rater of a pool has.

    Attributes:
        ends: when the first lease is over.
        live: items that were not given up.
        held: those without an answer.
        ahead: those of them before the first free place.
        past: the last place that was shown or answered.
        done: items that the rater has judged.
    """

    ends: datetime | None = None
    live: int = 0
    held: int = 0
    ahead: int = 0
    past: int = 0
    done: int = 0


def pool_held(participation: Participation) -> Held:
    """Count what a rater has, in one query."""
    return Held(*(_HELD.first(participation.pk, Stand.of(participation).line.head) or ()))


def pool_ready(
    participation: Participation, *, again: bool = False, soon: bool = False, held: Held | None = None
) -> None:
    """Renew a rater's leases and see that the next places are filled; nothing outside pool campaigns.

    Args:
        participation: who works; may be as it was read at the beginning of the request.
        again: also for who has finished, to look whether there is more.
        soon: also when places will be needed a little later. An answer asks so: the request that then draws
            the screens need not claim them too.
        held: what the rater has, where that is known already.
    """
    campaign = participation.campaign
    if campaign.mode != Campaign.Mode.POOL or not _may_work(participation, again=again):
        return
    settings, now = CampaignSettings.of(campaign), timezone.now()
    lease = timedelta(minutes=settings.lease_minutes)
    has = held or pool_held(participation)
    if has.ends is not None and has.ends < now + lease / 2:
        own = Assignment.objects.filter(participation=participation, state=_OPEN)
        own.filter(lease_until__isnull=False).update(lease_until=now + lease)
    room = (settings.most_items or 10**9) - has.live
    if has.ahead >= (ENOUGH + SOON if soon else ENOUGH) or room <= 0 or has.held >= MOST_HELD:
        return
    if has.held and Stand.of(participation).nothing_at > time.time() - REST_SECONDS:
        return
    want = _Want(room, AHEAD - has.ahead, has.past, has.done, now + lease)
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                _claim(participation, want)
                return
        except _Raced:
            continue


def pool_has_room(participation: Participation, progress: Progress) -> bool:
    """Tell whether a rater of a pool may have more items than so far, should there be any."""
    campaign = participation.campaign
    most = CampaignSettings.of(campaign).most_items
    return (
        campaign.mode == Campaign.Mode.POOL
        and _may_work(participation, again=True)
        and not (most and progress.done >= most)
    )


def pool_more(*, participation: Participation) -> bool:
    """Look for more items for a rater who has finished; say whether there are any."""
    pool_ready(participation, again=True)
    found = participation.assignments.live().filter(state=_OPEN).exists()
    if found:
        Participation.objects.filter(pk=participation.pk, state=Participation.State.FINISHED).update(
            state=Participation.State.ACTIVE
        )
    return found


def _may_work(participation: Participation, *, again: bool) -> bool:
    resting = participation.state == Participation.State.FINISHED and not again
    return (
        participation.campaign.state == Campaign.State.OPEN
        and participation.consented_at is not None
        and participation.state != Participation.State.LEFT
        and not participation.excluded_by
        and not resting
    )


@dataclass(frozen=True, slots=True)
class _Want:
    """What a rater may have.

    Attributes:
        room: items the rater may still take.
        needed: places that are to be filled.
        past: the last place that was shown or answered.
        done: items that the rater has judged.
        until: end of the lease.
    """

    room: int
    needed: int
    past: int
    done: int
    until: datetime


def _claim(participation: Participation, want: _Want) -> None:
    """Take items for a rater: own ones that came free, else segments; claims of a campaign take turns."""
    campaign = participation.campaign
    turn_take(campaign.pk)
    own = _own_rows(participation)
    fresh = (
        Participation.objects.select_for_update(of=("self",), no_key=True)
        .annotate(frees=is_expired(campaign, but=participation))
        .get(pk=participation.pk)
    )
    stand = Stand.of(fresh)
    if fresh.frees:
        expired_free(campaign, but=participation)
    else:
        own = [one for one in own if one.state != _RELEASED or may_come_back(one.item)]
    stand.line.skip_to(want.past + 1)
    revived = _revive(own, participation, stand.line, want)
    room = want.room - revived
    if revived >= want.needed or room <= 0:
        return
    if not stand.gap or stand.line.head > stand.gap_from + GAP_EVERY:
        stand.gap, stand.gap_from = _gap(participation, want.done), stand.line.head
    rng = np.random.default_rng()
    head = stand.line.head
    dealt: list[Dealt] = []
    again: set[int] = set()
    checks: set[int] = set()
    for segment in segments_free(participation, stand, rng):
        usable = allowed(segment.items, segment.had)
        dealt += deal_segment(usable, stand.line, stand.gap, room - len(dealt), rng)
        again |= segment.again
        checks |= {cast(int, item.key) for item in segment.items if item.pairs}
        if stand.line.head - head + revived >= want.needed or len(dealt) >= room:
            break
    _write(participation, dealt, again, want.until)
    checks_level(checks if dealt else checks_free(campaign))
    stand.nothing_at = 0.0 if dealt or revived else time.time()
    participation.settings = fresh.settings | {LINE: stand.as_json()}
    Participation.objects.filter(pk=participation.pk).update(settings=participation.settings)


def _own_rows(participation: Participation) -> list[Assignment]:
    """Read, and lock where the database can, what a rater might have back and what lies ahead, in order.

    These locks come before any other of the rater's, in the order of ids; see `annotation.services.turns`.
    """
    expired = Q(state=_RELEASED, lease_until__isnull=False)
    ahead = ~Q(state=_RELEASED) & Q(position__gte=Stand.of(participation).line.head)
    rows = Assignment.objects.filter(participation=participation, round__gt=0).filter(expired | ahead)
    found = rows.order_by("pk").select_related("item").select_for_update(of=("self",))
    return sorted(found, key=lambda one: (one.round, one.position))


def _revive(own: Sequence[Assignment], participation: Participation, line: Line, want: _Want) -> int:
    """Lay what lies ahead on the line; give expired items back that nobody took, and say how many."""
    revived = 0
    for one in own:
        if one.state == _RELEASED and revived < min(AHEAD, want.room):
            one.participation = participation
            revived += place_take_back(one, want.until)
        elif one.state != _RELEASED and one.position >= line.head:
            line.take(one.position)
    return revived


def _gap(participation: Participation, done: int) -> int:
    """Return the distance wanted between items of one segment, by how many items the last raters judged."""
    campaign = participation.campaign
    most = CampaignSettings.of(campaign).most_items
    judged = Assignment.objects.live().done().filter(participation=OuterRef("pk")).order_by()
    counted = judged.values("participation").annotate(n=Count("pk")).values("n")
    others = campaign.participations.exclude(pk=participation.pk).exclude(consented_at=None).order_by("-pk")
    stays = list(others.values_list(Coalesce(Subquery(counted), 0), flat=True)[:LAST_RATERS])
    expected = max(done, sum(stays) / len(stays) if len(stays) >= ENOUGH_RATERS else USUAL_STAY)
    return pool_gap(min(expected, most) if most else expected)


def _write(participation: Participation, dealt: Sequence[Dealt], again: set[int], until: datetime) -> None:
    """Take the items and write the assignments.

    Raises:
        _Raced: one of them is not free any more; nothing of the transaction stays.
    """
    pks = [cast(int, one.key) for one in dealt]
    if not pks:
        return
    if Item.objects.filter(pk__in=pks, given__lt=F("wanted")).update(given=F("given") + 1) != len(pks):
        raise _Raced
    Assignment.objects.bulk_create(
        Assignment(
            item_id=cast(int, one.key),
            participation=participation,
            round=AGAIN if one.key in again else 1,
            position=one.position,
            swap=one.swap,
            lease_until=until,
        )
        for one in dealt
    )
