"""A rater leaves: the open assignments go to the others, while these go on working."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import cast

import numpy as np
from django.contrib.auth.models import User
from django.db.models import F

from annotation.design.plan import PlanItem
from annotation.design.reassign import Reassignment
from annotation.models import Assignment, AuditEvent, Campaign, Item, Participation
from annotation.services.calling_back import rater_call_back
from annotation.services.newcomers import rater_invite
from annotation.services.pool_leases import pool_leave
from annotation.services.replanning import ID_CHUNK, Snapshot, change_write, plan_on, replan
from annotation.services.round_gaps import round_deal_on
from annotation.services.round_state import AGAIN
from annotation.services.turns import open_check
from evalplatform.errors import Conflict, NotFound
from evalplatform.words import quoted
from mtcore.services.texts import whole_sentence


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


def rater_withdraw(
    *, campaign: Campaign, rater: str, actor: User | None = None, new_rater: str = ""
) -> Withdrawal:
    """Let a rater leave a campaign: answers stay, open assignments go to raters who have not seen the item.

    Safe while others work: only assignments that are still open when the change is written move.

    Args:
        campaign: where the rater leaves.
        rater: who leaves.
        actor: who asks.
        new_rater: somebody who comes in the same moment and shares in the work; "" for nobody.

    Raises:
        NotFound: no such rater in the campaign.
        Conflict: the rater has left already, the new one is in it, or the campaign is closed or was not
            planned here.
    """
    leaver = _leaver(campaign, rater)
    if campaign.mode == Campaign.Mode.POOL:
        released = pool_leave(campaign=campaign, leaver=leaver, actor=actor)
        return Withdrawal(rater, leaver.assignments.live().done().count(), released, {}, ())
    return replan(
        campaign,
        lambda items, now: _plan(campaign, items, now, leaver, new_rater),
        lambda change, now: _write(campaign, leaver, change, now, actor, new_rater),
    )


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


def _plan(
    campaign: Campaign, items: list[PlanItem], snapshot: Snapshot, leaver: Participation, new_rater: str
) -> Reassignment:
    rng = np.random.default_rng([campaign.seed, campaign.participations.count() - len(snapshot.staying) + 1])
    raters = tuple(dict.fromkeys((*snapshot.staying, *filter(None, (new_rater,)))))
    return plan_on(campaign, items, snapshot, leaver.rater.name, raters, rng)


def _write(
    campaign: Campaign,
    leaver: Participation,
    change: Reassignment,
    snapshot: Snapshot,
    actor: User | None,
    new_rater: str,
) -> Withdrawal:
    open_check(campaign)
    left = Participation.objects.filter(pk=leaver.pk).exclude(state=Participation.State.LEFT)
    if left.update(state=Participation.State.LEFT) != 1:
        raise Conflict(f"Rater “{leaver.rater.name}” has left this campaign already.", "Nothing was changed.")
    if new_rater:
        rater_invite(campaign=campaign, name=new_rater, actor=actor)
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
        short=tuple(whole_sentence(text) for text in (*change.short, *lacking)),
    )
    _note(campaign, leaver, result, actor)
    return result


def _release(pks: list[int]) -> None:
    for start in range(0, len(pks), ID_CHUNK):
        chunk = pks[start : start + ID_CHUNK]
        Item.objects.filter(assignments__in=chunk).update(given=F("given") - 1)
        Assignment.objects.filter(pk__in=chunk).update(state=Assignment.State.RELEASED)


def _want_less(change: Reassignment) -> None:
    """Want no more judgements of items for quality control than they still have: their pairs are judged."""
    released = [cast(int, given.item) for given in change.released]
    kinds = (Item.Kind.BAD_REFERENCE, Item.Kind.REPEAT, Item.Kind.ATTENTION)
    for start in range(0, len(released), ID_CHUNK):
        lone = Item.objects.filter(pk__in=released[start : start + ID_CHUNK], kind__in=kinds)
        lone.filter(given__lt=F("wanted")).update(wanted=F("given"))


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
