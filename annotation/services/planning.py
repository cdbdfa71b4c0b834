"""Plan a campaign, write its items and assignments, and read the plan back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from annotation.design.plan import Plan, PlanError, PlanItem, QualityWish, plan_campaign
from annotation.models import (
    Assignment,
    Campaign,
    CampaignOutput,
    Item,
    ItemCandidate,
    Participation,
)
from annotation.services.items import ItemDraft, plan_message
from evalplatform.errors import BadInput
from mtcore.models import Segment, TextVersion
from mtcore.models.fields import sha256

BATCH = 2000
PLAN_COLUMNS = (
    "assignment",
    "round",
    "rater",
    "position",
    "testset",
    "segment",
    "input",
    "context",
    "kind",
    "left",
    "right",
    "item",
    "pair",
)


@dataclass
class Rows:
    """Database ids of what items point at, by the names that drafts use."""

    segments: dict[tuple[str, int], int] = field(default_factory=dict)
    versions: dict[tuple[str, str, str], int] = field(default_factory=dict)
    outputs: dict[tuple[str, str, str], int] = field(default_factory=dict)

    @classmethod
    def of_campaign(cls, campaign: Campaign) -> Rows:
        """Read them from the campaign's outputs and their test sets."""
        rows = cls()
        testsets: set[int] = set()
        for output in CampaignOutput.objects.filter(campaign=campaign).select_related(
            "testset", "system", "input_version"
        ):
            testsets.add(output.testset_id)
            if output.input_version is not None:
                rows.outputs[output.testset.name, output.system.name, output.input_version.name] = output.pk
        for pk, testset, position in Segment.objects.filter(testset__in=testsets).values_list(
            "pk", "testset__name", "position"
        ):
            rows.segments[testset, position - 1] = pk
        for pk, testset, side, name in TextVersion.objects.filter(testset__in=testsets).values_list(
            "pk", "testset__name", "side", "name"
        ):
            rows.versions[testset, side, name] = pk
        return rows


def plan_draft(
    *,
    items: Sequence[ItemDraft],
    raters: Sequence[str],
    judgements: int,
    spread: bool,
    rng: np.random.Generator,
    wish: QualityWish | None = None,
) -> Plan:
    """Plan who judges what; an item's key is its place in `items`. `wish` is the quality control to draw.

    Raises:
        BadInput: no plan is possible; the message says what is short.
    """
    planned = [item.planned(key) for key, item in enumerate(items) if item.shown]
    try:
        return plan_campaign(planned, raters, judgements, rng, spread=spread, wish=wish)
    except PlanError as error:
        raise BadInput(plan_message(error)) from error


def items_write(
    *, campaign: Campaign, drafts: Sequence[ItemDraft], context_side: str, rng: np.random.Generator
) -> dict[int, Item]:
    """Write the items with their candidates, in an order that tells nothing about systems.

    Returns:
        The items by their place in `drafts`. All of them are given out as often as wanted: write the
        assignments in the same transaction.
    """
    rows = Rows.of_campaign(campaign)
    order = [int(place) for place in rng.permutation(len(drafts))]
    written: dict[int, Item] = {}
    for follows in (False, True):  # what follows another item needs its id
        places = [place for place in order if (drafts[place].pair is not None) == follows]
        items = Item.objects.bulk_create(
            [_item(campaign, drafts[place], context_side, rows, written) for place in places],
            batch_size=BATCH,
        )
        written |= zip(places, items, strict=True)
    texts = [
        (place, candidate) for place in order for candidate in enumerate(drafts[place].candidates, start=1)
    ]
    candidates = ItemCandidate.objects.bulk_create(
        [
            ItemCandidate(item=written[place], position=position, text=draft.text, sha256=sha256(draft.text))
            for place, (position, draft) in texts
        ],
        batch_size=BATCH,
    )
    credit = ItemCandidate.outputs.through
    credit.objects.bulk_create(
        [
            credit(
                itemcandidate_id=candidate.pk,
                campaignoutput_id=rows.outputs[item.testset, system, item.input],
            )
            for candidate, (place, (_, draft)) in zip(candidates, texts, strict=True)
            for item in [drafts[place]]
            for system in draft.systems
        ],
        batch_size=BATCH,
    )
    return written


def assignments_write(
    *, plan: Plan, items: dict[int, Item], participations: dict[str, Participation]
) -> None:
    """Write the assignments of a plan; their public keys are random and do not come from the seed."""
    Assignment.objects.bulk_create(
        (
            Assignment(
                item=items[cast(int, planned.item)],
                participation=participations[str(planned.rater)],
                position=planned.position,
                swap=planned.swap,
            )
            for planned in plan
        ),
        batch_size=BATCH,
    )


def plan_items_read(campaign: Campaign) -> list[PlanItem]:
    """Return the items that are shown to raters as the plan knows them, under their database ids."""
    credited = systems_of_items(campaign)
    rows = Item.objects.counted().filter(campaign=campaign, wanted__gt=0).order_by("pk")
    columns = ("pk", "segment_id", "segment__testset__name", "kind", "repeat_of_id", "paired_with_id")
    return [
        PlanItem(pk, segment, testset, credited[pk], kind, repeat_of or paired_with)
        for pk, segment, testset, kind, repeat_of, paired_with in rows.values_list(*columns)
    ]


def systems_of_items(campaign: Campaign) -> dict[int, tuple[tuple[str, ...], ...]]:
    """Return the systems credited with each candidate of each item, by the item's id."""
    found: dict[int, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    links = ItemCandidate.outputs.through.objects.filter(itemcandidate__item__campaign=campaign)
    for item, position, system in links.values_list(
        "itemcandidate__item_id", "itemcandidate__position", "campaignoutput__system__name"
    ).order_by("itemcandidate__item_id", "itemcandidate__position", "campaignoutput_id"):
        found[item][position].append(system)
    return {item: tuple(tuple(names) for names in sides.values()) for item, sides in found.items()}


def plan_rows(campaign: Campaign) -> Generator[tuple[Any, ...]]:
    """Yield the live assignments in the columns of `PLAN_COLUMNS`, rater by rater in their order.

    `left` and `right` stand as the rater sees them; `right` is empty where there is one text only. `pair` is
    the item that an item for quality control was made from, repeats, or goes along with.
    """
    credited = systems_of_items(campaign)
    pks = Item.objects.counted().filter(campaign=campaign).order_by("pk").values_list("pk", flat=True)
    names = {pk: f"i{number}" for number, pk in enumerate(pks.iterator(chunk_size=BATCH), 1)}
    rows = (
        Assignment.objects.filter(item__campaign=campaign)
        .live()
        .order_by("participation_id", "round", "position", "pk")
        .values_list(
            "key",
            "round",
            "participation__rater__name",
            "position",
            "item__segment__testset__name",
            "item__segment__key",
            "item__input_version__name",
            "item__context_version__name",
            "item__kind",
            "swap",
            "item_id",
            "item__repeat_of_id",
            "item__paired_with_id",
        )
    )
    for *head, input_name, context, kind, swap, item, repeat_of, paired_with in rows.iterator(
        chunk_size=BATCH
    ):
        sides = ["|".join(names) for names in credited.get(item, ())]
        left, right = [*sides, "", ""][:2]
        if swap:
            left, right = right, left
        pair = names.get(repeat_of or paired_with or 0, "")
        yield (*head, input_name or "", context or "", kind, left, right, names.get(item, ""), pair)


def _item(
    campaign: Campaign, draft: ItemDraft, context_side: str, rows: Rows, written: Mapping[int, Item]
) -> Item:
    wanted = campaign.judgements if draft.shown else 0
    context = rows.versions[draft.testset, context_side, draft.context] if draft.context else None
    pair = written[draft.pair] if draft.pair is not None else None
    return Item(
        campaign=campaign,
        kind=draft.kind,
        repeat_of=pair if draft.kind == Item.Kind.REPEAT else None,
        paired_with=None if draft.kind == Item.Kind.REPEAT else pair,
        group=draft.group,
        segment_id=rows.segments[draft.testset, draft.segment],
        input_version_id=rows.versions[draft.testset, "source", draft.input],
        context_version_id=context,
        wanted=wanted,
        given=wanted,
    )
