"""The disagreement round: items on which raters differ too much are judged once more, once.

Which items: those whose judgements are all in and lie too far apart, by the campaign's reading. Of what
kinds: system items, since nothing else enters the averages (a repeat belongs to its item and is not given out
again). Judgements of excluded raters say nothing here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.design.second_round import SecondRound, deal_again
from annotation.models import AuditEvent, Campaign, Item
from annotation.protocols import PROTOCOLS
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.planning import systems_of_items
from annotation.services.round_state import (
    RoundState,
    again_item,
    again_raters,
    raters_available,
    round_state_read,
    round_stream,
    round_write,
)
from annotation.services.sealing import Sealed, is_sealed
from annotation.services.turns import turn_take
from annotation.stats.disagreement import READINGS, judge_again, usual_points
from evalplatform.errors import BadInput, Conflict

_ID_CHUNK = 500


@dataclass(frozen=True)
class RoundDraft:
    """An extra round that is not written yet.

    Attributes:
        reading: when an item is judged again.
        points: the difference that is still agreement.
        treatment: what becomes of the first judgements.
        checked: items whose judgements are all in, and which have not been judged again.
        waiting: items that still wait for judgements.
        already: items that have had their extra round.
        unread: items that this reading says nothing of (`pairwise` without three judgements).
        apart: ids of the items over the threshold.
        dealt: who gets which of them.
        pooled: ids of items that any new rater of a pool may take.
        names: name of each rater by participation.
    """

    reading: str
    points: float
    treatment: str
    checked: int = 0
    waiting: int = 0
    already: int = 0
    unread: int = 0
    apart: tuple[int, ...] = ()
    dealt: SecondRound = field(default_factory=lambda: SecondRound((), (), (), (), ()))
    pooled: tuple[int, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def n_judgements(self) -> int:
        """Return how many judgements are asked for."""
        return sum(self.given.values())

    @property
    def given(self) -> dict[str, int]:
        """Return new assignments by name of the rater, in order of the raters."""
        counts = Counter(cast(int, one.rater) for one in self.dealt.assignments)
        return {self.names[pk]: counts[pk] for pk in self.names if pk in counts}

    def as_dict(self) -> dict[str, Any]:
        """Return what is kept in the audit trail: no texts, no systems, no scores."""
        return {
            "reading": self.reading,
            "points": self.points,
            "treatment": self.treatment,
            "checked": self.checked,
            "waiting": self.waiting,
            "apart": len(self.apart),
            "new_raters": len(self.dealt.renewed),
            "same_raters": len(self.dealt.same),
            "short": len(self.dealt.short),
            "any_new_rater": len(self.pooled),
            "given": self.given,
        }


def round_points(campaign: Campaign) -> float:
    """Return the campaign's threshold: its own, or 30 points of 100 on the campaign's scale."""
    own = campaign.settings.get("points")
    return float(own) if own is not None else usual_points(campaign.scale_low, campaign.scale_high)


def round_draft(*, campaign: Campaign, reading: str | None = None, points: float | None = None) -> RoundDraft:
    """Find the items to be judged again and deal them; nothing is written.

    Args:
        campaign: any campaign of ratings that was planned here.
        reading: instead of the campaign's own.
        points: instead of the campaign's own.

    Raises:
        BadInput: the reading or the points cannot be used.
        Conflict: the campaign asks for preferences, or its judgements were imported.
        Sealed: results are, and the reading or the points are not the campaign's own.
    """
    settings = CampaignSettings.of(campaign)
    head = RoundDraft(
        reading=reading or settings.reading,
        points=round_points(campaign) if points is None else points,
        treatment=settings.treatment,
    )
    _check(campaign, head)
    items = {
        pk: (segment, wanted)
        for pk, segment, wanted in Item.objects.filter(
            campaign=campaign, kind=Item.Kind.SYSTEM, wanted__gt=0
        ).values_list("pk", "segment_id", "wanted")
    }
    state = round_state_read(campaign)
    fresh = [pk for pk, (_, wanted) in items.items() if wanted <= campaign.judgements]
    complete = sorted(pk for pk in fresh if state.done[pk] >= items[pk][1])
    apart, unread = _apart(complete, state, head)
    return _deal(campaign, head, items, state, apart, fresh=fresh, complete=complete, unread=unread)


def round_assign(
    *,
    campaign: Campaign,
    actor: User | None = None,
    reading: str | None = None,
    points: float | None = None,
) -> RoundDraft:
    """Give out the extra round. May be done again at any time: no item gets it twice.

    Nothing is noted where no item is over the threshold.

    Raises:
        BadInput: the reading or the points cannot be used.
        Conflict: the campaign asks for preferences, was imported, or is closed.
        Sealed: results are, and the reading or the points are not the campaign's own.
    """
    with transaction.atomic():
        turn_take(campaign.pk)
        if Campaign.objects.filter(pk=campaign.pk, state=Campaign.State.CLOSED).exists():
            raise Conflict(f"Campaign “{campaign.name}” is closed.", "Open it again, then judge items again.")
        people = campaign.participations.order_by("pk").select_for_update(of=("self",), no_key=True)
        list(people.values_list("pk"))
        draft = round_draft(campaign=campaign, reading=reading, points=points)
        if draft.dealt.assignments or draft.pooled:
            _write(campaign, draft)
        if draft.apart:
            AuditEvent.note(
                "round.assigned", actor=actor, campaign=campaign, study=campaign.study, **draft.as_dict()
            )
    return draft


def _check(campaign: Campaign, head: RoundDraft) -> None:
    if PROTOCOLS[campaign.protocol].record != "rating":
        raise Conflict(
            f"Campaign “{campaign.name}” asks for preferences, which have no distance in points.",
            "An extra round is for direct assessment.",
        )
    if campaign.mode == Campaign.Mode.IMPORTED:
        raise Conflict(
            f"The judgements of “{campaign.name}” were imported.", "Nothing can be given to raters."
        )
    if head.reading not in READINGS:
        raise BadInput(f"There is no reading “{head.reading}”.", f"Choose {' or '.join(READINGS)}.")
    if head.reading == "pairwise" and campaign.judgements != 3:
        raise BadInput(
            f"The reading pairwise is defined for three judgements an item, here are {campaign.judgements}.",
            "Use the reading range.",
        )
    if not 0 <= head.points < float("inf"):
        raise BadInput(f"{head.points} points cannot be used.", "Give a number from 0 on.")
    own = CampaignSettings.of(campaign).reading, round_points(campaign)
    if (head.reading, head.points) != own and is_sealed(campaign):
        # At any points one likes, the items found would tell the scores.
        raise Sealed(
            _("The results of “%(name)s” are sealed until closing.") % {"name": campaign.name},
            _("Leave out reading and points: until then the campaign’s own are used."),
        )


def _apart(complete: Sequence[int], state: RoundState, head: RoundDraft) -> tuple[list[int], int]:
    """Return the items over the threshold, and how many the reading says nothing of."""
    readable = [pk for pk in complete if head.reading != "pairwise" or len(state.first[pk]) == 3]
    scores = [(code, score) for code, pk in enumerate(readable) for _, score in state.first[pk]]
    if not scores:
        return [], len(complete) - len(readable)
    columns = np.array(scores, dtype=np.float64)
    again = judge_again(
        columns[:, 0].astype(np.int64), columns[:, 1], len(readable), head.reading, head.points
    )
    found = [pk for pk, yes in zip(readable, again.tolist(), strict=True) if yes]
    return found, len(complete) - len(readable)


def _deal(
    campaign: Campaign,
    head: RoundDraft,
    items: Mapping[int, tuple[int, int]],
    state: RoundState,
    apart: Sequence[int],
    *,
    fresh: Sequence[int],
    complete: Sequence[int],
    unread: int,
) -> RoundDraft:
    systems = systems_of_items(campaign) if apart else {}
    people = raters_available(campaign)
    again = [again_item(pk, items[pk][0], systems, state) for pk in apart]
    wanted: dict[Hashable, int] = {pk: items[pk][1] for pk in apart}
    pooled = [
        one
        for one in again
        if campaign.mode == Campaign.Mode.POOL
        and (campaign.settings.get("joins") or len(people.keys() - one.seen_by) >= wanted[cast(int, one.key)])
    ]
    taken = {one.key for one in pooled}
    dealt = deal_again(
        [one for one in again if one.key not in taken],
        again_raters(people, state),
        wanted,
        round_stream(campaign),
    )
    return RoundDraft(
        reading=head.reading,
        points=head.points,
        treatment=head.treatment,
        checked=len(complete),
        waiting=len(fresh) - len(complete),
        already=len(items) - len(fresh),
        unread=unread,
        apart=tuple(apart),
        dealt=dealt,
        pooled=tuple(cast(int, one.key) for one in pooled),
        names=people,
    )


def _write(campaign: Campaign, draft: RoundDraft) -> None:
    """Raise what is wanted and given together, and add the assignments."""
    dealt = [cast(int, key) for key in (*draft.dealt.renewed, *draft.dealt.same)]
    _raise(campaign, dealt, {"wanted": F("wanted") * 2, "given": F("given") + F("wanted")})
    _raise(campaign, draft.pooled, {"wanted": F("wanted") * 2})
    round_write(campaign, draft.dealt)


def _raise(campaign: Campaign, pks: Sequence[int], changes: Mapping[str, Any]) -> None:
    for start in range(0, len(pks), _ID_CHUNK):
        chunk = pks[start : start + _ID_CHUNK]
        fresh = Item.objects.filter(pk__in=chunk, wanted__lte=campaign.judgements)
        if fresh.update(**changes) != len(chunk):
            raise Conflict("Somebody else gives out items again at this moment.", "Try again.")
