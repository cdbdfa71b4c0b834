"""Give a campaign its practice and calibration items: gather them, and write them as items of their own.

Their texts live in a test set of their own that belongs to no study, so that nothing which is counted, scored
or exported meets them. Raters get them when they come to them (`annotation.services.practising`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from annotation.models import Campaign, Item, ItemCandidate
from annotation.protocols import PROTOCOLS, Protocol
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.practice_items import (
    CALIBRATION,
    PRACTICE,
    STAGES,
    HumanTexts,
    PracticeDraft,
    practice_make,
)
from annotation.services.selection import PlainTexts, Selection, SetTexts
from evalplatform.errors import BadInput
from mtcore.corpora.provenance import Version
from mtcore.models import Segment, SegmentText, TestSet, TextVersion
from mtcore.models.fields import NAME_LENGTH, sha256
from mtcore.models.testset import PRACTICE_NAME
from mtcore.services.versions import testset_find, testset_versions, version_lines

_STREAM = 9  # sets practice apart from the plan, which is drawn from the same seed
Lines = Sequence[str]


def practice_draft(
    *,
    settings: CampaignSettings,
    read: Sequence[PracticeDraft],
    protocol: type[Protocol],
    scale: tuple[int, int],
    selection: Selection,
    texts: PlainTexts | None,
    judged: Mapping[str, Collection[int]],
    seed: int,
) -> tuple[PracticeDraft, ...]:
    """Gather the items of both stages: those read from files, and those to be made from the test sets.

    Args:
        settings: their `practice` and `calibration` say how many are to be made.
        read: items read from files.
        protocol: how people are asked.
        scale: lowest and highest score.
        selection: what the campaign judges.
        texts: the test set that comes with the campaign, when it is not imported yet.
        judged: segments (from 0) by test set that the campaign judges.
        seed: the campaign's seed.

    Raises:
        BadInput: there is no human translation to make items from, or too few.
    """
    from_file = {draft.stage for draft in read}
    counts = {stage: int(getattr(settings, stage)) for stage in STAGES if stage not in from_file}
    made: tuple[PracticeDraft, ...] = ()
    if sum(counts.values()):
        sets = [
            _human_texts(chosen, _versions(chosen, texts), protocol, judged.get(chosen.name, ()))
            for chosen in selection.sets
        ]
        made = practice_make(
            counts=counts,
            sets=sets,
            protocol=protocol,
            scale=scale,
            target_language=selection.target_language,
            rng=np.random.default_rng([seed, _STREAM]),
        )
    return tuple(sorted((*read, *made), key=lambda draft: STAGES.index(draft.stage)))


def practice_settings(settings: CampaignSettings, drafts: Sequence[PracticeDraft]) -> CampaignSettings:
    """Return the settings with what is expected of each item."""
    stages = [draft.stage for draft in drafts]
    return replace(
        settings,
        practice=stages.count(PRACTICE),
        calibration=stages.count(CALIBRATION),
        expected=tuple(draft.expected() for draft in drafts),
    )


def practice_write(*, campaign: Campaign, drafts: Sequence[PracticeDraft]) -> None:
    """Write the items; an item's `occurrence` is its place among them, from 1."""
    if not drafts:
        return
    testset = TestSet.objects.create(
        name=_name(campaign),
        source_language=campaign.source_language,
        target_language=campaign.target_language,
    )
    segments = Segment.objects.bulk_create(
        Segment(testset=testset, position=number, key=str(number)) for number in range(1, len(drafts) + 1)
    )
    context = _context(campaign, testset, segments, drafts)
    items = Item.objects.bulk_create(
        Item(
            campaign=campaign,
            segment=segment,
            kind=Item.Kind.PRACTICE,
            context_version=context,
            group=draft.stage,
            occurrence=number,
        )
        for number, (segment, draft) in enumerate(zip(segments, drafts, strict=True), start=1)
    )
    ItemCandidate.objects.bulk_create(
        ItemCandidate(item=item, position=position, text=text, sha256=sha256(text))
        for item, draft in zip(items, drafts, strict=True)
        for position, text in enumerate(draft.texts, start=1)
    )


def _context(
    campaign: Campaign, testset: TestSet, segments: Sequence[Segment], drafts: Sequence[PracticeDraft]
) -> TextVersion | None:
    """Write the texts that items are held against."""
    side = PROTOCOLS[campaign.protocol].context
    if side == "none":
        return None
    version = TextVersion.objects.create(
        testset=testset,
        side=TextVersion.Side.SOURCE if side == "source" else TextVersion.Side.TARGET,
        kind=TextVersion.Kind.ORIGINAL,
        name=side,
    )
    SegmentText.objects.bulk_create(
        SegmentText(version=version, segment=segment, text=draft.context, sha256=sha256(draft.context))
        for segment, draft in zip(segments, drafts, strict=True)
    )
    return version


def _name(campaign: Campaign) -> str:
    """Return a name that no other test set has."""
    ending = f"{PRACTICE_NAME}{campaign.key[:8]}"
    return campaign.name[: NAME_LENGTH - len(ending)] + ending


def _versions(chosen: SetTexts, texts: PlainTexts | None) -> dict[Version, Lines]:
    """Return the lines of the human versions of a test set on the target side, those made twice last."""
    if texts is not None:
        found = {one.version: tuple(one.text.lines) for one in texts.testset.versions}
    else:
        rows = testset_versions(testset_find(chosen.name))
        found = {one: tuple(version_lines(row)) for one, row in rows.items() if one.side == "target"}
    order = ("original", "alternative", "double_translation")
    targets = [one for one in found if one.side == "target"]
    return {one: found[one] for one in sorted(targets, key=lambda one: order.index(one.kind))}


def _human_texts(
    chosen: SetTexts, versions: Mapping[Version, Lines], protocol: type[Protocol], judged: Collection[int]
) -> HumanTexts:
    """Return the texts that practice is made from.

    Raises:
        BadInput: the test set has no human translation.
    """
    if not versions:
        raise BadInput(
            f"Practice cannot be made: test set “{chosen.name}” has no human translation.",
            "Add a --reference, or give a file: --practice FILE.",
        )
    unused = sorted(set(range(chosen.n_segments)) - set(judged))
    human = next(iter(versions.values()))
    if protocol.context != "reference":
        source = next(iter(chosen.inputs.values()))
        return HumanTexts(source, human, unused)
    name, reference = next(iter(chosen.references.items()))
    other = next((lines for one, lines in versions.items() if one.name != name), None)
    if other is None:
        return HumanTexts(reference, reference, unused, "same")
    return HumanTexts(reference, other, unused, "other_reference")
