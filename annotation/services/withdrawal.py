"""A rater leaves: the open assignments go to the others, while these go on working."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from annotation.design.plan import PlanItem, PlannedAssignment
from annotation.design.reassign import GivenAssignment, Reassignment, reassign
from annotation.models import Assignment, AuditEvent, Campaign, Item, Participation
from annotation.services.planning import BATCH, plan_items_read
from annotation.services.pool_leases import pool_leave
from annotation.services.rounds import AGAIN, rater_call_back, round_deal_on
from annotation.services.turns import turn_take
from evalplatform.errors import Conflict, NotFound
from evalplatform.words import quoted
from mtcore.services.texts import sentence

#: Plans are made outside the lock and written only if nothing moved meanwhile; the last one is made inside.
ATTEMPTS = 4
_ID_CHUNK = 500

Ids = dict[tuple[str, int], int]


@dataclass(frozen=True)
class Snapshot:
    """What a plan was made from.

    Attributes:
        rows: (id, item, rater, position, done, shown, swap) of all live assignments.
        staying: names of raters who have not left, in order.
    """

    rows: tuple[tuple[int, int, str, int, bool, bool, bool], ...]
    staying: tuple[str, ...]


@dataclass(frozen=True)
class Withdrawal:
    """What a rater's leaving changed.

    Attributes:
        rater: who left.
        kept: answers that stay.
        released: open assignments that were taken back.
        given: new assignments by the name of the rater who got them.
        short: what could not be kept, in words.
    """

    rater: str
    kept: int
    released: int
    given: dict[str, int]
    short: tuple[str, ...]


def rater_withdraw(*, campaign: Campaign, rater: str, actor: User | None = None) -> Withdrawal:
    """Let a rater leave a campaign: answers stay, open assignments go to raters who have not seen the item.

    Safe while others work: only assignments that are still open when the change is written move.

    Raises:
        NotFound: no such rater in the campaign.
        Conflict: the rater has left already, or the campaign was not planned here.
    """
    leaver = _leaver(campaign, rater)
    if campaign.mode == Campaign.Mode.POOL:
        released = pool_leave(campaign=campaign, leaver=leaver, actor=actor)
        return Withdrawal(rater, leaver.assignments.live().done().count(), released, {}, ())
    items = plan_items_read(campaign)
    for attempt in range(1, ATTEMPTS + 1):
        before = snapshot_read(campaign)
        change = _plan(campaign, items, before, leaver)
        with transaction.atomic():
            turn_take(campaign.pk)
            now = snapshot_read(campaign, lock=True)
            if now != before:
                if attempt < ATTEMPTS:
                    continue
                change = _plan(campaign, items, now, leaver)
            return _write(campaign, leaver, change, now, actor)
    raise AssertionError("the last attempt writes")


def _leaver(campaign: Campaign, rater: str) -> Participation:
    if campaign.mode == Campaign.Mode.IMPORTED:
        raise Conflict(
            f"Campaign “{campaign.name}” was not planned here.", "Nothing can be given to other raters."
        )
    found = campaign.participations.select_related("rater").filter(rater__name=rater).first()
    if found is None:
        names = campaign.participations.values_list("rater__name", flat=True)[:20]
        raise NotFound(f"There is no rater “{rater}” in this campaign.", f"Its raters are: {quoted(names)}.")
    return found


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


def _plan(
    campaign: Campaign, items: list[PlanItem], snapshot: Snapshot, leaver: Participation
) -> Reassignment:
    rng = np.random.default_rng([campaign.seed, campaign.participations.count() - len(snapshot.staying) + 1])
    return plan_on(campaign, items, snapshot, leaver.rater.name, snapshot.staying, rng)


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


def _write(
    campaign: Campaign, leaver: Participation, change: Reassignment, snapshot: Snapshot, actor: User | None
) -> Withdrawal:
    left = Participation.objects.filter(pk=leaver.pk).exclude(state=Participation.State.LEFT)
    if left.update(state=Participation.State.LEFT) != 1:
        raise Conflict(f"Rater “{leaver.rater.name}” has left this campaign already.", "Nothing was changed.")
    ids = {(rater, item): pk for pk, item, rater, *_ in snapshot.rows}
    people = dict(campaign.participations.order_by("pk").values_list("rater__name", "pk"))
    _release([ids[leaver.rater.name, cast(int, given.item)] for given in change.released])
    change_write(change, snapshot, people)
    _want_less(change)
    n_again = leaver.assignments.live().filter(round=AGAIN, state=Assignment.State.OPEN).count()
    again, lacking = round_deal_on(campaign=campaign, leaver=leaver)
    given = Counter(str(new.rater) for new in change.added) + Counter(again)
    busy = Participation.objects.filter(pk__in=[people[name] for name in given])
    rater_call_back(busy)
    result = Withdrawal(
        rater=leaver.rater.name,
        kept=leaver.assignments.live().done().count(),
        released=len(change.released) + n_again,
        given={name: given[name] for name in people if name in given},
        short=tuple(sentence(text) for text in (*change.short, *lacking)),
    )
    _note(campaign, leaver, result, actor)
    return result


def change_write(change: Reassignment, snapshot: Snapshot, people: dict[str, int]) -> None:
    """Write what is new and where the rest now stands; `people` are participations by name."""
    _add(change.added, people)
    _reorder(change, {(rater, item): pk for pk, item, rater, *_ in snapshot.rows})


def _release(pks: list[int]) -> None:
    for start in range(0, len(pks), _ID_CHUNK):
        chunk = pks[start : start + _ID_CHUNK]
        Item.objects.filter(assignments__in=chunk).update(given=F("given") - 1)
        Assignment.objects.filter(pk__in=chunk).update(state=Assignment.State.RELEASED)


def _want_less(change: Reassignment) -> None:
    """Want no more judgements of items for quality control than they still have: their pairs are judged."""
    released = [cast(int, given.item) for given in change.released]
    kinds = (Item.Kind.BAD_REFERENCE, Item.Kind.REPEAT, Item.Kind.ATTENTION)
    for start in range(0, len(released), _ID_CHUNK):
        lone = Item.objects.filter(pk__in=released[start : start + _ID_CHUNK], kind__in=kinds)
        lone.filter(given__lt=F("wanted")).update(wanted=F("given"))


def _add(added: tuple[PlannedAssignment, ...], people: dict[str, int]) -> None:
    times: dict[int, list[int]] = {}
    for item, count in Counter(cast(int, new.item) for new in added).items():
        times.setdefault(count, []).append(item)
    for count, items in times.items():
        for start in range(0, len(items), _ID_CHUNK):
            chunk = items[start : start + _ID_CHUNK]
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
    Assignment.objects.bulk_update(moved, ["position", "swap"], batch_size=_ID_CHUNK)


def _note(campaign: Campaign, leaver: Participation, result: Withdrawal, actor: User | None) -> None:
    if result.short:
        fresh = Campaign.objects.get(pk=campaign.pk)
        fresh.notes = [*fresh.notes, *(f"{result.rater} left: {text}" for text in result.short)]
        fresh.save(update_fields=["notes"])
    AuditEvent.note(
        "rater.withdrawn",
        actor=actor,
        campaign=campaign,
        study=campaign.study,
        participation=leaver,
        released=result.released,
        given=result.given,
        short=list(result.short),
    )
