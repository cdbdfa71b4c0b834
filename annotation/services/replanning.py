"""Open assignments of a running campaign dealt anew, while its raters go on working."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from annotation.design.plan import PlanItem, PlannedAssignment
from annotation.design.reassign import GivenAssignment, Reassignment, reassign
from annotation.models import Assignment, Campaign, Item
from annotation.services.planning import BATCH, plan_items_read
from annotation.services.round_state import AGAIN
from annotation.services.turns import campaign_gone, turn_take

#: Plans are made outside the lock and written only if nothing moved meanwhile; the last one is made inside.
ATTEMPTS = 4
ID_CHUNK = 500

Ids = dict[tuple[str, int], int]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Snapshot:
    """What a plan was made from.

    Attributes:
        rows: (id, item, rater, position, done, shown, swap) of all live assignments.
        staying: names of raters who have not left, in order.
    """

    rows: tuple[tuple[int, int, str, int, bool, bool, bool], ...]
    staying: tuple[str, ...]


def replan(
    campaign: Campaign,
    plan: Callable[[list[PlanItem], Snapshot], Reassignment],
    write: Callable[[Reassignment, Snapshot], Result],
) -> Result:
    """Plan on from how things stand, and write the plan once nothing has moved since it was made.

    Only what is still open when the change is written moves. Planning takes no lock, except in the last of
    some attempts: raters answer meanwhile.

    Args:
        campaign: planned here, of a fixed number of raters.
        plan: what becomes of the campaign's items, from what stands now. May be called several times.
        write: writes the plan, inside a transaction that holds the campaign's turn. Called once.

    Returns:
        What `write` returns.

    Raises:
        NotFound: the campaign was deleted meanwhile.
    """
    items = plan_items_read(campaign)
    if not items and not Campaign.objects.filter(pk=campaign.pk).exists():
        raise campaign_gone()
    for attempt in range(1, ATTEMPTS + 1):
        before = snapshot_read(campaign)
        change = plan(items, before)
        with transaction.atomic():
            turn_take(campaign.pk)
            now = snapshot_read(campaign, lock=True)
            if now != before:
                if attempt < ATTEMPTS:
                    continue
                change = plan(items, now)
            return write(change, now)
    raise AssertionError("the last attempt writes")


def snapshot_read(campaign: Campaign, *, lock: bool = False) -> Snapshot:
    """Read the campaign's live assignments, then who has not left; `lock` keeps both as they are."""
    rows = Assignment.objects.filter(item__campaign=campaign).live().exclude(round=AGAIN).order_by("pk")
    if lock:
        rows = rows.select_for_update(of=("self",))
    found = tuple(
        (pk, item, rater, position, state == Assignment.State.DONE, shown is not None, swap)
        for pk, item, rater, position, state, shown, swap in rows.values_list(
            "pk", "item_id", "participation__rater__name", "position", "state", "shown_at", "swap"
        )
    )
    staying = campaign.participations.available().filter(excluded_by="").order_by("pk")
    return Snapshot(found, tuple(staying.values_list("rater__name", flat=True)))


def plan_on(
    campaign: Campaign,
    items: list[PlanItem],
    snapshot: Snapshot,
    leaver: str | None,
    raters: Sequence[str],
    rng: np.random.Generator,
) -> Reassignment:
    """Plan on; what is on a staying rater's screen counts as done, since it must not move."""
    given = [
        GivenAssignment(item, rater, position, done or (shown and rater != leaver), swap)
        for _, item, rater, position, done, shown, swap in snapshot.rows
    ]
    return reassign(items, given, leaver, raters, campaign.judgements, rng, spread=campaign.spread)


def change_write(change: Reassignment, snapshot: Snapshot, people: dict[str, int]) -> None:
    """Write what is new and where the rest now stands; `people` are participations by name."""
    _add(change.added, people)
    _reorder(change, {(rater, item): pk for pk, item, rater, *_ in snapshot.rows})


def _add(added: tuple[PlannedAssignment, ...], people: dict[str, int]) -> None:
    times: dict[int, list[int]] = {}
    for item, count in Counter(cast(int, new.item) for new in added).items():
        times.setdefault(count, []).append(item)
    for count, items in times.items():
        for start in range(0, len(items), ID_CHUNK):
            chunk = items[start : start + ID_CHUNK]
            more = F("given") + count  # what was not asked for any more (`_want_less`) may be again
            Item.objects.filter(pk__in=chunk).update(given=more, wanted=Greatest(F("wanted"), more))
    Assignment.objects.bulk_create(
        (
            Assignment(
                item_id=cast(int, new.item),
                participation_id=people[str(new.rater)],
                position=new.position,
                swap=new.swap,
            )
            for new in added
        ),
        batch_size=BATCH,
    )


def _reorder(change: Reassignment, ids: Ids) -> None:
    moved = [
        Assignment(pk=ids[str(new.rater), cast(int, new.item)], position=new.position, swap=new.swap)
        for order in change.order.values()
        for new in order
    ]
    Assignment.objects.bulk_update(moved, ["position", "swap"], batch_size=ID_CHUNK)
