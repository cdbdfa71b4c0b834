"""What an extra round lacks because raters left, given to others."""

from __future__ import annotations

from collections import Counter
from typing import cast

from django.db.models import Count, F, Q

from annotation.design.second_round import deal_again
from annotation.models import Assignment, Campaign, Item, Participation
from annotation.services.planning import systems_of_items
from annotation.services.round_state import (
    AGAIN,
    again_item,
    again_raters,
    raters_available,
    round_state_read,
    round_stream,
    round_write,
)


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
    state, systems = round_state_read(campaign), systems_of_items(campaign)
    items = [again_item(pk, segment, systems, state, only_new=True) for _, pk, segment in rows]
    people = raters_available(campaign)
    dealt = deal_again(items, again_raters(people, state), 1, round_stream(campaign))
    round_write(campaign, dealt)
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
    state, systems, people = (
        round_state_read(campaign),
        systems_of_items(campaign),
        raters_available(campaign),
    )
    items = [again_item(pk, segment, systems, state, only_new=True) for pk, (segment, _) in lack.items()]
    dealt = deal_again(
        items, again_raters(people, state), {pk: n for pk, (_, n) in lack.items()}, round_stream(campaign)
    )
    round_write(campaign, dealt)
    for pk in dealt.renewed:
        Item.objects.filter(pk=cast(int, pk)).update(given=F("given") + lack[cast(int, pk)][1])
    return dict(Counter(people[cast(int, one.rater)] for one in dealt.assignments)), len(dealt.short)
