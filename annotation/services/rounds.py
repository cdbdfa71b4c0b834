"""The disagreement round: items on which raters differ too much are judged once more, once.

Which items: those whose judgements are all in and lie too far apart, by the campaign's reading. Of what
kinds: system items, since nothing else enters the averages (a repeat belongs to its item and is not given out
again). Judgements of excluded raters say nothing here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, F, Q

from annotation.design.second_round import AgainItem, AgainRater, SecondRound, deal_again
from annotation.models import Assignment, AuditEvent, Campaign, Item, Judgement, Participation
from annotation.protocols import PROTOCOLS
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.participation import Progress
from annotation.services.planning import BATCH, systems_of_items
from annotation.services.turns import turn_take
from annotation.stats.disagreement import READINGS, judge_again, usual_points
from evalplatform.errors import BadInput, Conflict

AGAIN = 2
"""The number of the extra round."""
MORE_AFTER = "more_after"
"""Where a participation keeps how much was done when a finished rater got more."""
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


@dataclass
class _State:
    """What a round is made from, by database ids.

    Attributes:
        first: (participation, score) of the answers of the first round by item.
        done: answers of the first round by item, whoever gave them.
        seen: participations who have had an item.
        load: live assignments of each participation.
        end: highest position of each participation.
        last: position of each participation's last item of a segment.
    """

    first: dict[int, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    done: Counter[int] = field(default_factory=Counter)
    seen: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    load: Counter[int] = field(default_factory=Counter)
    end: Counter[int] = field(default_factory=Counter)
    last: dict[int, dict[Hashable, int]] = field(default_factory=lambda: defaultdict(dict))


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
    state = _read(campaign)
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


def round_deal_on(*, campaign: Campaign, leaver: Participation) -> tuple[dict[str, int], list[str]]:
    """Give the open items of the extra round of a rater who leaves to others; call it inside the leaving.

    Returns:
        New assignments by name of the rater, and what could not be kept, in words.
    """
    rows = list(
        Assignment.objects.filter(participation=leaver, round=AGAIN, state=Assignment.State.OPEN)
        .select_for_update(of=("self",))
        .values_list("pk", "item_id", "item__segment_id")
    )
    if not rows:
        return {}, []
    Assignment.objects.filter(pk__in=[pk for pk, _, _ in rows]).update(state=Assignment.State.RELEASED)
    state, systems = _read(campaign), systems_of_items(campaign)
    items = [_again_item(pk, segment, systems, state, only_new=True) for _, pk, segment in rows]
    people = _people(campaign)
    dealt = deal_again(items, _raters(people, state), 1, _stream(campaign))
    _add(campaign, dealt)
    short = [cast(int, key) for key in dealt.short]
    Item.objects.filter(pk__in=short).update(given=F("given") - 1)
    given = Counter(people[cast(int, one.rater)] for one in dealt.assignments)
    n = len(short)
    words = (
        [f"{n} item{'' if n == 1 else 's'} to be judged again lack a judgement: add a rater (add_raters)"]
        if n
        else []
    )
    return dict(given), words


def round_fill(*, campaign: Campaign) -> tuple[dict[str, int], int]:
    """Give what the extra round lacks, because raters left, to raters who have not had it.

    Call it inside a turn of the campaign, once there are new raters.

    Returns:
        New assignments by name of the rater, and how many items still lack judgements.
    """
    again = Q(assignments__round=AGAIN) & ~Q(assignments__state=Assignment.State.RELEASED)
    found = (
        Item.objects.filter(campaign=campaign, kind=Item.Kind.SYSTEM, wanted__gt=campaign.judgements)
        .annotate(dealt=Count("assignments", filter=again))
        .annotate(lack=F("wanted") - campaign.judgements - F("dealt"))
        .filter(lack__gt=0)
    )
    lack = {pk: (segment, n) for pk, segment, n in found.values_list("pk", "segment_id", "lack")}
    if not lack:
        return {}, 0
    state, systems, people = _read(campaign), systems_of_items(campaign), _people(campaign)
    items = [_again_item(pk, segment, systems, state, only_new=True) for pk, (segment, _) in lack.items()]
    dealt = deal_again(
        items, _raters(people, state), {pk: n for pk, (_, n) in lack.items()}, _stream(campaign)
    )
    _add(campaign, dealt)
    for pk in dealt.renewed:
        Item.objects.filter(pk=cast(int, pk)).update(given=F("given") + lack[cast(int, pk)][1])
    return dict(Counter(people[cast(int, one.rater)] for one in dealt.assignments)), len(dealt.short)


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


def _read(campaign: Campaign) -> _State:
    """Read assignments and answers of a campaign in two queries."""
    state = _State()
    rows = Assignment.objects.live().filter(item__campaign=campaign)
    for item, rater, round_, done, position, segment in rows.values_list(
        "item_id", "participation_id", "round", "state", "position", "item__segment_id"
    ).iterator(BATCH):
        state.seen[item].add(rater)
        state.load[rater] += 1
        state.end[rater] = max(state.end[rater], position)
        state.last[rater][segment] = max(state.last[rater].get(segment, 0), position)
        state.done[item] += done == Assignment.State.DONE and round_ < AGAIN
    released = Assignment.objects.filter(item__campaign=campaign, state=Assignment.State.RELEASED)
    for item, rater in released.values_list("item_id", "participation_id").iterator(BATCH):
        state.seen[item].add(rater)
    answers = (
        Judgement.objects.current()
        .of_campaign(campaign.pk)
        .filter(score__isnull=False, assignment__round__lt=AGAIN, assignment__participation__excluded_by="")
        .exclude(assignment__state=Assignment.State.RELEASED)
    )
    for item, rater, score in answers.values_list(
        "assignment__item_id", "assignment__participation_id", "score"
    ).iterator(BATCH):
        state.first[item].append((rater, cast(float, score)))
    return state


def _apart(complete: Sequence[int], state: _State, head: RoundDraft) -> tuple[list[int], int]:
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
    state: _State,
    apart: Sequence[int],
    *,
    fresh: Sequence[int],
    complete: Sequence[int],
    unread: int,
) -> RoundDraft:
    systems = systems_of_items(campaign) if apart else {}
    people = _people(campaign)
    again = [_again_item(pk, items[pk][0], systems, state) for pk in apart]
    wanted: dict[Hashable, int] = {pk: items[pk][1] for pk in apart}
    pooled = [
        one
        for one in again
        if campaign.mode == Campaign.Mode.POOL
        and (campaign.settings.get("joins") or len(people.keys() - one.seen_by) >= wanted[cast(int, one.key)])
    ]
    taken = {one.key for one in pooled}
    dealt = deal_again(
        [one for one in again if one.key not in taken], _raters(people, state), wanted, _stream(campaign)
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


def _again_item(
    pk: int,
    segment: int,
    systems: Mapping[int, tuple[tuple[str, ...], ...]],
    state: _State,
    *,
    only_new: bool = False,
) -> AgainItem:
    names = tuple(dict.fromkeys(name for side in systems.get(pk, ()) for name in side))
    judged = frozenset() if only_new else frozenset(rater for rater, _ in state.first[pk])
    return AgainItem(pk, segment, names, frozenset(state.seen[pk]), judged)


def _people(campaign: Campaign) -> dict[int, str]:
    """Return the raters who may get work: neither left nor excluded."""
    found = campaign.participations.available().filter(excluded_by="")
    return dict(found.order_by("pk").values_list("pk", "rater__name"))


def _raters(people: Iterable[int], state: _State) -> list[AgainRater]:
    return [AgainRater(pk, state.load[pk], state.end[pk], state.last[pk]) for pk in people]


def _stream(campaign: Campaign) -> np.random.Generator:
    """Return a generator of its own for each time something is dealt."""
    times = Assignment.objects.filter(item__campaign=campaign, round=AGAIN).count()
    return np.random.default_rng([campaign.seed, AGAIN, times])


def _write(campaign: Campaign, draft: RoundDraft) -> None:
    """Raise what is wanted and given together, and add the assignments."""
    dealt = [cast(int, key) for key in (*draft.dealt.renewed, *draft.dealt.same)]
    _raise(campaign, dealt, {"wanted": F("wanted") * 2, "given": F("given") + F("wanted")})
    _raise(campaign, draft.pooled, {"wanted": F("wanted") * 2})
    _add(campaign, draft.dealt)


def _raise(campaign: Campaign, pks: Sequence[int], changes: Mapping[str, Any]) -> None:
    for start in range(0, len(pks), _ID_CHUNK):
        chunk = pks[start : start + _ID_CHUNK]
        fresh = Item.objects.filter(pk__in=chunk, wanted__lte=campaign.judgements)
        if fresh.update(**changes) != len(chunk):
            raise Conflict("Somebody else gives out items again at this moment.", "Try again.")


def _add(campaign: Campaign, dealt: SecondRound) -> None:
    """Write assignments of the extra round; finished raters go on."""
    Assignment.objects.bulk_create(
        (
            Assignment(
                item_id=cast(int, one.item),
                participation_id=cast(int, one.rater),
                round=AGAIN,
                position=one.position,
                swap=one.swap,
            )
            for one in dealt.assignments
        ),
        batch_size=BATCH,
    )
    rater_call_back(
        campaign.participations.filter(pk__in={cast(int, one.rater) for one in dealt.assignments})
    )


def was_called_back(participation: Participation, progress: Progress) -> bool:
    """Tell whether a rater had finished and has not answered anything since there is more."""
    return bool(progress.left) and participation.settings.get(MORE_AFTER) == progress.done


def rater_call_back(participations: Any) -> None:
    """Let those of some raters who have finished go on, and remember when, so that their page can say so."""
    for row in participations.filter(state=Participation.State.FINISHED):
        done = row.assignments.live().done().count()
        Participation.objects.filter(pk=row.pk, state=Participation.State.FINISHED).update(
            state=Participation.State.ACTIVE, settings=row.settings | {MORE_AFTER: done}
        )
