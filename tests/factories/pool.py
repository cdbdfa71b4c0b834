"""Raters who come and go in a pool campaign, and measures of how its rules hold."""

from __future__ import annotations

import random
import uuid
from collections import Counter, defaultdict
from datetime import timedelta
from itertools import pairwise
from statistics import median
from typing import Any

from django.utils import timezone

from annotation.models import Assignment, Campaign, Participation, Rater
from annotation.services.judging import judgement_save
from annotation.services.participation import participation_find
from annotation.services.way import Way


def joined(campaign: Campaign, name: str) -> Participation:
    """Let somebody take part, consent given."""
    rater, _ = Rater.objects.get_or_create(study=campaign.study, name=name)
    made, _ = Participation.objects.get_or_create(rater=rater, campaign=campaign)
    if made.consented_at is None:
        Participation.objects.filter(pk=made.pk).update(consented_at=timezone.now(), state="active")
    return again(made)


def again(participation: Participation) -> Participation:
    """Read a participation as a request does."""
    found = participation_find(key=participation.key, campaign_key=participation.campaign.key)
    assert found is not None
    return found


def next_key(participation: Participation) -> str:
    """Return the key of the next screen of a rater, "" when there is none."""
    screen = Way(again(participation)).next_screen()
    return "" if screen is None else screen.key


def answer(participation: Participation, key: str, rng: random.Random) -> Any:
    """Answer one screen."""
    own = again(participation)
    rated = own.campaign.protocol != "pairwise_fluency"
    given = {"score": rng.randint(1, 100)} if rated else {"choice": rng.choice(["left", "right", "equal"])}
    return judgement_save(participation=own, assignment_key=key, client_key=uuid.uuid4().hex, answers=given)


def work(participation: Participation, n: int, rng: random.Random) -> int:
    """Answer up to `n` screens; return how many there were."""
    for done in range(n):
        key = next_key(participation)
        if not key:
            return done
        answer(participation, key, rng)
    return n


def faults(campaign: Campaign) -> dict[str, int]:
    """Count what must never be."""
    live = defaultdict(list)
    rows = Assignment.objects.live().filter(item__campaign=campaign)
    for item, rater, round_ in rows.values_list("item_id", "participation_id", "round"):
        live[item].append((rater, round_))
    items = dict(campaign.items.counted().values_list("pk", "given"))
    wanted = dict(campaign.items.counted().values_list("pk", "wanted"))
    return {
        "miscounted": sum(items[pk] != len(live[pk]) for pk in items),
        "over": sum(items[pk] > wanted[pk] for pk in items),
        "twice": sum(len(set(own)) < len(own) for own in live.values()),
        "unfinished": sum(len(live[pk]) < wanted[pk] for pk in items),
    }


def spread_of(campaign: Campaign) -> dict[str, float]:
    """Measure how well the rules of a plan hold in what was dealt.

    Returns:
        `torn`: share of segments whose items have not all the same raters; `systems`: largest difference
        between two systems' counts with one rater; `sides`: largest difference of left and right of a system
        with one rater; `gap`: least distance between items of one segment with one rater, `usual_gap` its
        median, and `close`: share of neighbours in a segment that are nearer than five places.
    """
    raters_of: dict[int, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    sides: dict[int, Counter[str]] = defaultdict(Counter)
    places: dict[tuple[int, int], list[int]] = defaultdict(list)
    at: Counter[int] = Counter()
    rows = (
        Assignment.objects.live()
        .filter(item__campaign=campaign)
        .order_by("participation_id", "round", "position", "pk")
        .select_related("item")
        .prefetch_related("item__candidates__outputs__system")
    )
    names: dict[int, set[str]] = defaultdict(set)
    for row in rows:
        at[row.participation_id] += 1
        places[row.participation_id, row.item.segment_id].append(at[row.participation_id])
        raters_of[row.item.segment_id][row.item_id].add(row.participation_id)
        for number, candidate in enumerate(row.item.candidates.all()):
            for output in candidate.outputs.all():
                names[0].add(output.system.name)
                if row.item.kind == "system":
                    counts[row.participation_id][output.system.name] += 1
                    sides[row.participation_id][output.system.name] += 1 if (number == 0) != row.swap else -1
    pairwise_ = campaign.protocol == "pairwise_fluency"
    gaps = [b - a for own in places.values() for a, b in pairwise(own)]
    whole = [len({frozenset(own) for own in items.values()}) == 1 for items in raters_of.values()]
    return {
        "torn": 1 - sum(whole) / len(whole),
        "systems": max(max(own.values()) - min(own[name] for name in names[0]) for own in counts.values()),
        "sides": max(abs(n) for own in sides.values() for n in own.values()) if pairwise_ else 0,
        "gap": min(gaps, default=0),
        "usual_gap": median(gaps) if gaps else 0,
        "close": sum(gap < 5 for gap in gaps) / max(1, len(gaps)),
    }


def arrive_and_go(
    campaign: Campaign, rng: random.Random, *, stay: float, at_once: int = 4, most: int = 400
) -> int:
    """Let raters come, work for a while and go until nothing is left; return how many came.

    Args:
        campaign: an open pool.
        rng: source of who works when, and for how long.
        stay: mean number of items a rater judges (geometric) before going for good; leases then end.
        at_once: raters who are there together.
        most: raters at most.
    """
    here: list[tuple[Participation, int]] = []
    came = 0
    while came < most:
        while len(here) < at_once:
            came += 1
            here.append((joined(campaign, f"A{came}"), 1 + int(rng.expovariate(1 / stay))))
        place = rng.randrange(len(here))
        rater, left = here[place]
        done = work(rater, min(left, 3), rng)
        if done and left > 3:
            here[place] = rater, left - 3
            continue
        here.pop(place)
        if not done and not here and not faults(campaign)["unfinished"]:
            break
        gone = Assignment.objects.filter(participation=rater, state="open")
        gone.update(lease_until=timezone.now() - timedelta(seconds=1))
        if not done and not faults(campaign)["unfinished"]:
            break
    return came
