"""What an extra round is dealt from, and its assignments written."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from annotation.design.second_round import AgainItem, AgainRater, SecondRound
from annotation.models import Assignment, Campaign, Judgement
from annotation.services.calling_back import rater_call_back
from annotation.services.planning import BATCH

AGAIN = 2
"""The number of the extra round."""


@dataclass
class RoundState:
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


def round_state_read(campaign: Campaign) -> RoundState:
    """Read assignments and answers of a campaign in two queries."""
    state = RoundState()
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


def again_item(
    pk: int,
    segment: int,
    systems: Mapping[int, tuple[tuple[str, ...], ...]],
    state: RoundState,
    *,
    only_new: bool = False,
) -> AgainItem:
    names = tuple(dict.fromkeys(name for side in systems.get(pk, ()) for name in side))
    judged = frozenset() if only_new else frozenset(rater for rater, _ in state.first[pk])
    return AgainItem(pk, segment, names, frozenset(state.seen[pk]), judged)


def raters_available(campaign: Campaign) -> dict[int, str]:
    """Return the raters who may get work: neither left nor excluded."""
    found = campaign.participations.available().filter(excluded_by="")
    return dict(found.order_by("pk").values_list("pk", "rater__name"))


def again_raters(people: Iterable[int], state: RoundState) -> list[AgainRater]:
    return [AgainRater(pk, state.load[pk], state.end[pk], state.last[pk]) for pk in people]


def round_stream(campaign: Campaign) -> np.random.Generator:
    """Return a generator of its own for each time something is dealt."""
    times = Assignment.objects.filter(item__campaign=campaign, round=AGAIN).count()
    return np.random.default_rng([campaign.seed, AGAIN, times])


def round_write(campaign: Campaign, dealt: SecondRound) -> None:
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
