"""Pool campaigns: raters who come and go take items with a lease; who stops frees them.

A rater begins whole segments (`annotation.design.pool`), enough of them that the next places are filled. A
lease runs from the last sign of life; when it is over the items wait for whoever needs them, and the rater
finds them again if nobody did. No request reads the campaign's items: raters follow the items in the order of
their ids, which says nothing of segments or systems, each from where everything before is full or their own.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

import numpy as np
from django.db import transaction
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q
from django.utils import timezone

from annotation.design.pool import (
    AHEAD,
    ENOUGH,
    USUAL_STAY,
    Dealt,
    Line,
    PoolItem,
    allowed,
    deal_segment,
    pool_gap,
    segments_in_order,
    unevenness,
)
from annotation.models import Assignment, Campaign, Item, Participation
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.participation import Progress
from annotation.services.pool_leases import checks_free, checks_level, expired_free, place_take_back
from annotation.services.rounds import AGAIN
from annotation.services.turns import own_assignments_lock, turn_take

LINE = "pool"
"""Where a participation keeps its line."""
WINDOW = 60
"""Free items looked at when a rater begins segments."""
MOST_HELD = 240
"""Open items of a rater from which on no further segment is begun."""
LAST_RATERS, ENOUGH_RATERS = 8, 4
"""Raters whose stay says how long one stays, and the least number of them."""
GAP_EVERY = 20
"""Places after which the distance inside segments is set anew: more raters may have come."""
TRIES = 4
REST_SECONDS = 20
"""Time after which a rater who found nothing, and still has something to do, looks again."""
_OPEN, _RELEASED = Assignment.State.OPEN, Assignment.State.RELEASED
_PAST = Q(round__gt=0) & (Q(state=Assignment.State.DONE) | Q(state=_OPEN, shown_at__isnull=False))


class _Raced(Exception):
    """Somebody took an item between looking and taking."""


@dataclass
class _Stand:
    """Where a rater stands: the line, the first item that may be free, when nothing was found, the gap."""

    line: Line = field(default_factory=Line)
    start: int = 0
    nothing_at: float = 0.0
    gap: int = 0
    gap_from: int = 0

    @classmethod
    def of(cls, participation: Participation) -> _Stand:
        kept = participation.settings.get(LINE, {})
        return cls(
            Line(
                head=kept.get("head", 1),
                shown=_counter(kept.get("shown", {})),
                turns=defaultdict(
                    Counter, {int(turn): _counter(own) for turn, own in kept.get("turns", {}).items()}
                ),
                excess=_counter(kept.get("excess", {})),
            ),
            kept.get("start", 0),
            kept.get("nothing_at", 0.0),
            kept.get("gap", 0),
            kept.get("gap_from", 0),
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "head": self.line.head,
            "shown": {str(key): n for key, n in self.line.shown.items()},
            "turns": {
                str(turn): {str(key): n for key, n in own.items()} for turn, own in self.line.turns.items()
            },
            "excess": {str(key): n for key, n in self.line.excess.items()},
            "start": self.start,
            "nothing_at": self.nothing_at,
            "gap": self.gap,
            "gap_from": self.gap_from,
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
    stand = _Stand.of(participation)
    counts = own.aggregate(
        ends=Min("lease_until", filter=Q(state=_OPEN)),
        live=Count("pk", filter=~Q(state=_RELEASED) & Q(round__gt=0)),
        held=Count("pk", filter=Q(state=_OPEN, round__gt=0)),
        ahead=Count("pk", filter=Q(state=_OPEN, round__gt=0, position__lt=stand.line.head)),
        past=Max("position", filter=_PAST, default=0),
    )
    if counts["ends"] is not None and counts["ends"] < now + lease / 2:
        own.filter(state=_OPEN, lease_until__isnull=False).update(lease_until=now + lease)
    room = (settings.most_items or 10**9) - counts["live"]
    if counts["ahead"] >= ENOUGH or room <= 0 or counts["held"] >= MOST_HELD:
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
    turn_take(campaign.pk)
    own_assignments_lock(participation)
    fresh = Participation.objects.select_for_update(no_key=True).get(pk=participation.pk)
    stand = _Stand.of(fresh)
    expired_free(campaign, but=participation)
    stand.line.skip_to(past + 1)
    revived = 0
    rows = Assignment.objects.filter(participation=participation, round__gt=0).order_by("round", "position")
    expired = Q(state=_RELEASED, lease_until__isnull=False)
    ahead = ~Q(state=_RELEASED) & Q(position__gte=stand.line.head)
    for one in rows.filter(expired | ahead)[: MOST_HELD * 2]:
        if one.state == _RELEASED and revived < min(AHEAD, room):
            one.participation = participation
            revived += place_take_back(one, until)
        elif one.state != _RELEASED:
            stand.line.take(one.position)
    room -= revived
    if revived >= needed or room <= 0:
        return
    if not stand.gap or stand.line.head > stand.gap_from + GAP_EVERY:
        stand.gap, stand.gap_from = _gap(participation), stand.line.head
    gap = stand.gap
    rng = np.random.default_rng()
    head = stand.line.head
    dealt: list[Dealt] = []
    again: set[int] = set()
    checks: set[int] = set()
    for segment in _segments(participation, stand, rng):
        usable = allowed(segment.items, segment.had)
        dealt += deal_segment(usable, stand.line, gap, room - len(dealt), rng)
        again |= segment.again
        checks |= {cast(int, item.key) for item in segment.items if item.pairs}
        if stand.line.head - head + revived >= needed or len(dealt) >= room:
            break
    _write(participation, dealt, again, until)
    checks_level(checks if dealt else checks_free(campaign))
    stand.nothing_at = 0.0 if dealt or revived else time.time()
    Participation.objects.filter(pk=participation.pk).update(
        settings=fresh.settings | {LINE: stand.as_json()}
    )


def _gap(participation: Participation) -> int:
    """Return the distance wanted between items of one segment, by how many items the last raters judged."""
    campaign = participation.campaign
    most = CampaignSettings.of(campaign).most_items
    others = campaign.participations.exclude(pk=participation.pk).exclude(consented_at=None).order_by("-pk")
    last = list(others.values_list("pk", flat=True)[:LAST_RATERS])
    done = Assignment.objects.live().done().filter(participation__in=[*last, participation.pk])
    counts = Counter(done.values_list("participation", flat=True))
    own, stays = counts[participation.pk], [counts[pk] for pk in last]
    expected = max(own, sum(stays) / len(stays) if len(stays) >= ENOUGH_RATERS else USUAL_STAY)
    return pool_gap(min(expected, most) if most else expected)


@dataclass
class _Segment:
    """What is left of a segment for a rater; `again` are items in their extra round."""

    items: list[PoolItem] = field(default_factory=list)
    had: set[int] = field(default_factory=set)
    again: set[int] = field(default_factory=set)


def _segments(participation: Participation, stand: _Stand, rng: np.random.Generator) -> Iterator[_Segment]:
    """Yield what is left of segments to begin: from where the rater stands, then of those before."""
    begin = stand.start or _start_of_others(participation.campaign)
    seen: set[int] = set()
    for low, high in ((begin, None), (0, begin)):
        rows = _free_items(participation, low, high) if high != 0 else []
        begun: dict[Hashable, bool] = {}
        for _, segment, given in rows:
            if segment not in seen:
                begun[segment] = begun.get(segment, False) or given > 0
        if not begun:
            continue
        stand.start = rows[0][0]
        order = segments_in_order(begun, rows[0][1], rng)[: 2 * AHEAD]
        chosen = [cast(int, segment) for segment in order]
        seen.update(chosen)
        found = _read_segments(participation, chosen)
        waiting = [found[segment] for segment in chosen]
        while waiting:  # what is left of a segment may be uneven: take what evens out first
            best = min(waiting, key=lambda one: unevenness(one.items, stand.line.shown))
            waiting.remove(best)
            yield best


def _start_of_others(campaign: Campaign) -> int:
    """Return where those who were here last stand: a newcomer need not pass all that is full."""
    rows = campaign.participations.exclude(last_seen_at=None).order_by("-last_seen_at")
    kept = [one.get(LINE, {}).get("start", 0) for one in rows.values_list("settings", flat=True)[:8]]
    return min((start for start in kept if start), default=0)


def _is_mine(participation: Participation) -> Exists:
    return Exists(Assignment.objects.filter(item=OuterRef("pk"), participation=participation.pk))


def _free_items(participation: Participation, begin: int, end: int | None) -> list[tuple[int, int, int]]:
    """Return (id, segment, given) of the first items from an id on that a rater may take."""
    rows = Item.objects.filter(campaign=participation.campaign_id, pk__gte=begin, given__lt=F("wanted"))
    if end is not None:
        rows = rows.filter(pk__lt=end)
    rows = rows.filter(~_is_mine(participation)).order_by("pk")
    return list(rows.values_list("pk", "segment_id", "given")[:WINDOW])


def _read_segments(participation: Participation, segments: Sequence[int]) -> dict[int, _Segment]:
    """Read what is left of some segments with the systems of each text, and which items the rater has."""
    columns = ("pk", "segment_id", "given", "wanted", "mine", "paired_with_id", "repeat_of_id")
    rows = (
        Item.objects.filter(campaign=participation.campaign_id, segment__in=segments, wanted__gt=0)
        .annotate(mine=_is_mine(participation))
        .order_by("pk", "candidates__position", "candidates__outputs")
        .values_list(*columns, "candidates__position", "candidates__outputs__system_id")
    )
    items: dict[tuple[Any, ...], dict[int, dict[int, None]]] = defaultdict(lambda: defaultdict(dict))
    for *head, position, system in rows:
        side = items[tuple(head)][position]
        if system is not None:
            side[system] = None
    found: dict[int, _Segment] = defaultdict(_Segment)
    for (pk, segment, given, wanted, mine, *pairs), sides in items.items():
        if mine:
            found[segment].had.add(pk)
        elif given < wanted:
            against = frozenset(pair for pair in pairs if pair is not None)
            found[segment].items.append(PoolItem(pk, tuple(tuple(own) for own in sides.values()), against))
            if wanted > participation.campaign.judgements:
                found[segment].again.add(pk)
    return found


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
