"""Pool campaigns: raters who come and go take items with a lease; who stops frees them.

A rater begins whole segments (`annotation.design.pool`), enough of them that the next places are filled. A
lease runs from the last sign of life; when it is over the items wait for whoever needs them, and the rater
finds them again if nobody did. No request reads the campaign's items: raters follow the items in the order of
their ids, which says nothing of segments or systems, each from where everything before is full or their own.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

import numpy as np
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Count, Exists, F, Max, OuterRef, Q
from django.utils import timezone

from annotation.design.pool import (
    AHEAD,
    Dealt,
    Line,
    PoolItem,
    allowed,
    deal_segment,
    pool_gap,
    segments_in_order,
)
from annotation.models import Assignment, AuditEvent, Campaign, Item, ItemCandidate, Participation
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.rounds import AGAIN
from evalplatform.errors import Conflict

LINE = "pool"
"""Where a participation keeps its line."""
WINDOW = 60
"""Free items looked at when a rater begins segments."""
MOST_HELD = 240
"""Open items of a rater from which on no further segment is begun."""
FREED_AT_ONCE = 200
TRIES = 4
REST_SECONDS = 20
"""Time after which a rater who found nothing, and still has something to do, looks again."""
_OPEN, _RELEASED = Assignment.State.OPEN, Assignment.State.RELEASED
_PAST = Q(round__gt=0) & (Q(state=Assignment.State.DONE) | Q(state=_OPEN, shown_at__isnull=False))


class _Raced(Exception):
    """Somebody took an item between looking and taking."""


@dataclass
class _Stand:
    """Where a rater stands: the line, the first item that may be free, and when nothing was found."""

    line: Line = field(default_factory=Line)
    start: int = 0
    nothing_at: float = 0.0

    @classmethod
    def of(cls, participation: Participation) -> _Stand:
        kept = participation.settings.get(LINE, {})
        return cls(
            Line(
                head=kept.get("head", 1),
                shown=_counter(kept.get("shown", {})),
                excess=_counter(kept.get("excess", {})),
            ),
            kept.get("start", 0),
            kept.get("nothing_at", 0.0),
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "head": self.line.head,
            "shown": {str(key): n for key, n in self.line.shown.items()},
            "excess": {str(key): n for key, n in self.line.excess.items()},
            "start": self.start,
            "nothing_at": self.nothing_at,
        }


def _counter(kept: Mapping[str, int]) -> Counter[int]:
    return Counter({int(key): n for key, n in kept.items()})


def pool_ready(participation: Participation, *, again: bool = False) -> None:
    """Renew a rater's leases and see that the next places are filled; nothing outside pool campaigns.

    Args:
        participation: who works; may be as it was read at the beginning of the request.
        again: also for who has finished, to look whether there is more.
    """
    campaign = participation.campaign
    if campaign.mode != Campaign.Mode.POOL or not _may_work(participation, again=again):
        return
    settings, now = CampaignSettings.of(campaign), timezone.now()
    lease = timedelta(minutes=settings.lease_minutes)
    own = Assignment.objects.filter(participation=participation)
    own.filter(state=_OPEN, lease_until__lt=now + lease / 2).update(lease_until=now + lease)
    stand = _Stand.of(participation)
    counts = own.aggregate(
        live=Count("pk", filter=~Q(state=_RELEASED) & Q(round__gt=0)),
        held=Count("pk", filter=Q(state=_OPEN, round__gt=0)),
        ahead=Count("pk", filter=Q(state=_OPEN, round__gt=0, position__lt=stand.line.head)),
        past=Max("position", filter=_PAST, default=0),
    )
    room = (settings.most_items or 10**9) - counts["live"]
    if counts["ahead"] >= AHEAD or room <= 0 or counts["held"] >= MOST_HELD:
        return
    if counts["held"] and stand.nothing_at > time.time() - REST_SECONDS:
        return
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                _claim(participation, room, AHEAD - counts["ahead"], counts["past"], now + lease)
                return
        except _Raced:
            continue


def _may_work(participation: Participation, *, again: bool) -> bool:
    resting = participation.state == Participation.State.FINISHED and not again
    return (
        participation.campaign.state == Campaign.State.OPEN
        and participation.consented_at is not None
        and participation.state != Participation.State.LEFT
        and not participation.excluded_by
        and not resting
    )


def _claim(participation: Participation, room: int, needed: int, past: int, until: datetime) -> None:
    """Take items for a rater: own ones that came free, else segments; claims of a campaign take turns.

    Args:
        participation: who works.
        room: items the rater may still take.
        needed: places that are to be filled.
        past: the last place that was shown or answered.
        until: end of the lease.
    """
    campaign = participation.campaign
    if connection.features.has_select_for_update:
        Campaign.objects.select_for_update(no_key=True).values_list("pk").get(pk=campaign.pk)
    fresh = Participation.objects.select_for_update(no_key=True).get(pk=participation.pk)
    stand = _Stand.of(fresh)
    _free_expired(campaign, but=participation)
    revived = _revive(participation, until)
    if revived >= needed:
        return
    stand.line.skip_to(past + 1)
    own = Assignment.objects.live().filter(participation=participation, position__gte=stand.line.head)
    for place in own.values_list("position", flat=True):
        stand.line.take(place)
    gap = _gap(campaign)
    rng = np.random.default_rng()
    head = stand.line.head
    found = 0
    for candidates, items in _segments(participation, stand, rng):
        for segment in candidates:
            usable = allowed(items[segment].items, items[segment].had)
            dealt = deal_segment(usable, stand.line, gap, room - found, rng)
            _write(participation, dealt, items[segment].again, until)
            found += len(dealt)
            if stand.line.head - head + revived >= needed or found >= room:
                break
        if stand.line.head - head + revived >= needed or found >= room:
            break
    stand.nothing_at = 0.0 if found + revived else time.time()
    Participation.objects.filter(pk=participation.pk).update(
        settings=fresh.settings | {LINE: stand.as_json()}
    )


def _gap(campaign: Campaign) -> int:
    """Return the distance wanted between items of one segment, by what a rater may expect to judge."""
    settings = CampaignSettings.of(campaign)
    n_raters = max(1, campaign.participations.exclude(consented_at=None).count())
    expected = campaign.settings.get("pool_judgements", 0) / n_raters
    return pool_gap(min(expected, settings.most_items) if settings.most_items else expected)


@dataclass
class _Segment:
    """What is left of a segment for a rater; `again` are items in their extra round."""

    items: list[PoolItem] = field(default_factory=list)
    had: set[int] = field(default_factory=set)
    again: set[int] = field(default_factory=set)


def _segments(
    participation: Participation, stand: _Stand, rng: np.random.Generator
) -> Iterable[tuple[list[int], dict[int, _Segment]]]:
    """Yield segments to begin, in order, with their items: from where the rater stands, then the others."""
    begins = [stand.start or _start_of_others(participation.campaign), 0]
    for number, begin in enumerate(begins):
        end = begins[0] if number else None
        if number and not begins[0]:
            return
        rows = _free_items(participation, begin, end)
        if not rows:
            continue
        stand.start = rows[0][0]
        begun: dict[int, bool] = {}
        for _, segment, given in rows:
            begun[segment] = begun.get(segment, False) or given > 0
        order = segments_in_order(begun, rows[0][1], rng)[:AHEAD]
        chosen = [cast(int, segment) for segment in order]
        yield chosen, _read_segments(participation, chosen)


def _start_of_others(campaign: Campaign) -> int:
    """Return where those who were here last stand: a newcomer need not pass all that is full."""
    rows = campaign.participations.exclude(last_seen_at=None).order_by("-last_seen_at")
    kept = [one.get(LINE, {}).get("start", 0) for one in rows.values_list("settings", flat=True)[:8]]
    return min((start for start in kept if start), default=0)


def _not_mine(participation: Participation) -> Exists:
    return Exists(Assignment.objects.filter(item=OuterRef("pk"), participation=participation.pk))


def _free_items(participation: Participation, begin: int, end: int | None) -> list[tuple[int, int, int]]:
    """Return (id, segment, given) of the first items from an id on that a rater may take."""
    rows = Item.objects.filter(campaign=participation.campaign_id, pk__gte=begin, given__lt=F("wanted"))
    if end is not None:
        rows = rows.filter(pk__lt=end)
    rows = rows.filter(~_not_mine(participation)).order_by("pk")
    return list(rows.values_list("pk", "segment_id", "given")[:WINDOW])


def _read_segments(participation: Participation, segments: Sequence[int]) -> dict[int, _Segment]:
    """Read what is left of some segments, and which of their items the rater has."""
    found: dict[int, _Segment] = defaultdict(_Segment)
    rows = list(
        Item.objects.filter(campaign=participation.campaign_id, segment__in=segments, wanted__gt=0)
        .annotate(mine=_not_mine(participation))
        .order_by("pk")
        .values_list("pk", "segment_id", "given", "wanted", "mine", "paired_with_id", "repeat_of_id")
    )
    free = [row[0] for row in rows if row[2] < row[3] and not row[4]]
    sides = _systems(free)
    for pk, segment, given, wanted, mine, *pairs in rows:
        if mine:
            found[segment].had.add(pk)
        elif given < wanted:
            after = frozenset(pair for pair in pairs if pair is not None)
            found[segment].items.append(PoolItem(pk, sides.get(pk, ()), after))
            if wanted > participation.campaign.judgements:
                found[segment].again.add(pk)
    return found


def _systems(items: Sequence[int]) -> dict[int, tuple[tuple[int, ...], ...]]:
    """Return the systems credited with each text of each item."""
    rows = (
        ItemCandidate.objects.filter(item__in=items)
        .order_by("item_id", "position")
        .values_list("item_id", "position", "outputs__system_id")
    )
    found: dict[int, dict[int, dict[int, None]]] = defaultdict(lambda: defaultdict(dict))
    for item, position, system in rows:
        own = found[item][position]
        if system is not None:
            own[system] = None
    return {item: tuple(tuple(own) for own in sides.values()) for item, sides in found.items()}


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


def _free_expired(campaign: Campaign, *, but: Participation) -> None:
    """Free the items of raters whose lease is over."""
    rows = (
        Assignment.objects.filter(
            participation__campaign=campaign.pk, state=_OPEN, lease_until__lt=timezone.now()
        )
        .exclude(participation=but)
        .order_by("pk")
        .select_for_update(of=("self",), skip_locked=True)
        .values_list("pk", "item_id")[:FREED_AT_ONCE]
    )
    items_free(list(rows))


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


def _revive(participation: Participation, until: datetime) -> int:
    """Give a rater who comes back the expired items that nobody took; return how many."""
    rows = Assignment.objects.filter(
        participation=participation, state=_RELEASED, lease_until__isnull=False
    ).order_by("round", "position")
    return sum(_take_back(one, until) for one in rows[:AHEAD])


def _take_back(assignment: Assignment, until: datetime) -> bool:
    free = Item.objects.filter(pk=assignment.item_id, given__lt=F("wanted"))
    if free.update(given=F("given") + 1) != 1:
        return False
    mine = Assignment.objects.filter(pk=assignment.pk, state=_RELEASED)
    return mine.update(state=_OPEN, lease_until=until) == 1


def late_answer_place(assignment: Assignment) -> bool:
    """Make room for an answer that came after its lease: a free place, or one that nobody has looked at yet.

    Call it in the transaction of the answer, which holds the assignment.
    """
    if assignment.participation.campaign.mode != Campaign.Mode.POOL or assignment.lease_until is None:
        return False
    if _take_back(assignment, assignment.lease_until) or _take_unseen(assignment):
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
        Conflict: the rater has left already.
    """
    with transaction.atomic():
        left = Participation.objects.filter(pk=leaver.pk).exclude(state=Participation.State.LEFT)
        if left.update(state=Participation.State.LEFT) != 1:
            raise Conflict(
                f"Rater “{leaver.rater.name}” has left this campaign already.", "Nothing was changed."
            )
        rows = list(
            leaver.assignments.live()
            .filter(state=_OPEN)
            .order_by("pk")
            .select_for_update(of=("self",))
            .values_list("pk", "item_id")
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
