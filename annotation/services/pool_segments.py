"""What is free in a pool: the segments that a rater may begin, and what is left of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from django.db.models import Exists, F, OuterRef

from annotation.design.pool import AHEAD, PoolItem, segments_in_order, unevenness
from annotation.models import Assignment, Campaign, Item, Participation
from annotation.services.pool_stand import LINE, Stand

WINDOW = 60
"""Free items looked at when a rater begins segments."""


@dataclass
class FreeSegment:
    """What is left of a segment for a rater; `again` are items in their extra round."""

    items: list[PoolItem] = field(default_factory=list)
    had: set[int] = field(default_factory=set)
    again: set[int] = field(default_factory=set)


def segments_free(
    participation: Participation, stand: Stand, rng: np.random.Generator
) -> Iterator[FreeSegment]:
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


def _read_segments(participation: Participation, segments: Sequence[int]) -> dict[int, FreeSegment]:
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
    found: dict[int, FreeSegment] = defaultdict(FreeSegment)
    for (pk, segment, given, wanted, mine, *pairs), sides in items.items():
        if mine:
            found[segment].had.add(pk)
        elif given < wanted:
            against = frozenset(pair for pair in pairs if pair is not None)
            found[segment].items.append(PoolItem(pk, tuple(tuple(own) for own in sides.values()), against))
            if wanted > participation.campaign.judgements:
                found[segment].again.add(pk)
    return found
