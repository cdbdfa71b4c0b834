"""Write imported judgements: outputs, items, raters, assignments, judgements, in few large inserts."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db.models import Count

from annotation.formats import RatingRow
from annotation.formats.limits import MAX_ACTIVE_MS
from annotation.models import (
    Assignment,
    Campaign,
    CampaignOutput,
    Item,
    ItemCandidate,
    Judgement,
    Participation,
    Rater,
)
from annotation.models.keys import public_key
from annotation.services.import_items import AnswerDraft, Drafts, ItemDraft, raters_of
from annotation.services.import_places import Places, Row
from mtcore.models import System

BATCH = 1000
_KEY = re.compile(r"[A-Za-z0-9_-]{16,40}")


def drafts_write(campaign: Campaign, drafts: Drafts, rows: Sequence[Row], places: Places) -> None:
    """Write everything of an import; the caller holds the transaction."""
    places.write()
    outputs = _outputs(campaign, drafts.items, places)
    _items(campaign, drafts.items, places)
    _candidates(drafts.items, outputs, places)
    participations = _participations(campaign, rows)
    _answers(campaign, drafts.answers, participations)


def _output_ids(
    item: ItemDraft, side: tuple[str, ...], places: Places
) -> Iterator[tuple[str, int, int | None]]:
    testset, _, input_, _ = item.place
    place = places.places[testset]
    assert place.testset is not None  # noqa: S101 (written before)
    for system in side:
        yield system, place.testset.pk, place.versions["source", input_] if input_ else None


def _outputs(
    campaign: Campaign, items: Sequence[ItemDraft], places: Places
) -> dict[tuple[str, int, int | None], int]:
    """Make the campaign's outputs that are missing; return all by (system, test set, input version)."""
    wanted = dict.fromkeys(
        one for item in items for side in item.sides for one in _output_ids(item, side, places)
    )
    names = list(dict.fromkeys(system for system, _, _ in wanted))
    known = dict(System.objects.filter(name__in=names).values_list("name", "pk"))
    made = System.objects.bulk_create([System(name=name) for name in names if name not in known])
    known |= {system.name: system.pk for system in made}
    rows = CampaignOutput.objects.filter(campaign=campaign)
    found = {
        (s, t, i): pk for pk, s, t, i in rows.values_list("pk", "system__name", "testset", "input_version")
    }
    new = [one for one in wanted if one not in found]
    created = CampaignOutput.objects.bulk_create(
        [
            CampaignOutput(
                campaign=campaign, system_id=known[system], testset_id=testset, input_version_id=version
            )
            for system, testset, version in new
        ]
    )
    return found | {one: output.pk for one, output in zip(new, created, strict=True)}


def _items(campaign: Campaign, drafts: Sequence[ItemDraft], places: Places) -> None:
    """Make the items, those that others refer to before these."""
    pending = list(drafts)
    while pending:
        ready = [
            one for one in pending if all(ref is None or ref.pk for ref in (one.repeat_of, one.paired_with))
        ]
        for one in [] if ready else pending:  # a circle of references: none of them can be first
            one.repeat_of = one.paired_with = None
        ready = ready or pending
        made = Item.objects.bulk_create([_item(campaign, draft, places) for draft in ready], batch_size=BATCH)
        for draft, item in zip(ready, made, strict=True):
            draft.pk = item.pk
        pending = [one for one in pending if not one.pk]


def _item(campaign: Campaign, draft: ItemDraft, places: Places) -> Item:
    testset, key, input_, context = draft.place
    place = places.places[testset]
    side = places.context_side
    segment = place.segments[key]
    assert segment is not None  # noqa: S101 (written before)
    return Item(
        campaign=campaign,
        segment_id=segment,
        kind=draft.kind,
        input_version_id=place.versions["source", input_] if input_ else None,
        context_version_id=place.versions[side, context] if context and side else None,
        repeat_of_id=draft.repeat_of.pk if draft.repeat_of else None,
        paired_with_id=draft.paired_with.pk if draft.paired_with else None,
        group=draft.group,
        occurrence=draft.occurrence,
        wanted=draft.n_judgements,
        given=draft.n_judgements,
    )


def _candidates(
    drafts: Sequence[ItemDraft], outputs: dict[tuple[str, int, int | None], int], places: Places
) -> None:
    sides = [
        (draft, position, side) for draft in drafts for position, side in enumerate(draft.sides, start=1)
    ]
    made = ItemCandidate.objects.bulk_create(
        [ItemCandidate(item_id=draft.pk, position=position) for draft, position, _ in sides], batch_size=BATCH
    )
    link = ItemCandidate.outputs.through
    link.objects.bulk_create(
        [
            link(itemcandidate_id=candidate.pk, campaignoutput_id=outputs[one])
            for candidate, (draft, _, side) in zip(made, sides, strict=True)
            for one in _output_ids(draft, side, places)
        ],
        batch_size=BATCH,
    )


def _participations(campaign: Campaign, rows: Sequence[Row]) -> dict[str, int]:
    """Make the raters and participations that are missing; return participations by rater's name."""
    names = raters_of(rows)
    excluded = {row.rater: row.excluded_by for row in rows if row.excluded_by}
    last = {row.rater: row.time_end for row in rows if row.time_end}
    known = dict(campaign.study.raters.filter(name__in=names).values_list("name", "pk"))
    made = Rater.objects.bulk_create(
        [Rater(study=campaign.study, name=name) for name in names if name not in known]
    )
    known |= {rater.name: rater.pk for rater in made}
    found = dict(campaign.participations.values_list("rater__name", "pk"))
    new = [name for name in names if name not in found]
    created = Participation.objects.bulk_create(
        [
            Participation(
                rater_id=known[name],
                campaign=campaign,
                state=Participation.State.FINISHED,
                excluded_by=excluded.get(name, ""),
                last_seen_at=last.get(name),
            )
            for name in new
        ],
        batch_size=BATCH,
    )
    return found | {name: row.pk for name, row in zip(new, created, strict=True)}


def _answers(campaign: Campaign, drafts: Sequence[AnswerDraft], participations: dict[str, int]) -> None:
    keys = _free_keys([draft.row.judgement for draft in drafts])
    counted = campaign.participations.annotate(n=Count("assignments"))
    positions = dict(counted.values_list("rater__name", "n"))
    rows = []
    for draft in drafts:
        rater = draft.row.rater
        positions[rater] += 1
        rows.append(
            Assignment(
                item_id=draft.item.pk,
                participation_id=participations[rater],
                key=draft.row.judgement if draft.row.judgement in keys else public_key(),
                round=draft.row.round,
                position=draft.row.position if draft.row.position is not None else positions[rater],
                swap=draft.swap,
                state=Assignment.State.DONE,
                shown_at=draft.row.time_start,
            )
        )
    made = Assignment.objects.bulk_create(rows, batch_size=BATCH)
    Judgement.objects.bulk_create(
        [_judgement(campaign, draft, row.pk) for draft, row in zip(drafts, made, strict=True)],
        batch_size=BATCH,
    )


def _free_keys(keys: Sequence[str]) -> set[str]:
    """Return the keys of a file that may be kept: of our shape, given once, not used in this database."""
    shaped = [key for key in keys if _KEY.fullmatch(key)]
    free = set(shaped) if len(set(shaped)) == len(shaped) else set()
    wanted = sorted(free)
    for start in range(0, len(wanted), BATCH):
        part = wanted[start : start + BATCH]
        free -= set(Assignment.objects.filter(key__in=part).values_list("key", flat=True))
    return free


def _judgement(campaign: Campaign, draft: AnswerDraft, assignment: int) -> Judgement:
    row = draft.row
    judgement = Judgement(
        assignment_id=assignment,
        client_key=f"import-{uuid.uuid4().hex}",
        comment=row.comment,
        shown_at=row.time_start,
        submitted_at=row.time_end,
        active_ms=_active_ms(row.seconds, row.time_start, row.time_end),
        answers={"line": row.line},
    )
    if isinstance(row, RatingRow):
        judgement.score = row.score
        judgement.scale_low, judgement.scale_high = campaign.scale_low, campaign.scale_high
    else:
        judgement.choice = row.winner
    return judgement


def _active_ms(seconds: float | None, start: datetime | None, end: datetime | None) -> int | None:
    """Return the time spent in milliseconds: as the file has it, or from start to end if possible."""
    if seconds is None and start is not None and end is not None:
        seconds = (end - start).total_seconds()
    active_ms = None if seconds is None else round(seconds * 1000)
    return active_ms if active_ms is not None and 0 <= active_ms <= MAX_ACTIVE_MS else None
