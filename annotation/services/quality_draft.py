"""Draft the items for quality control of a campaign: hidden references, bad references, repeats, attention.

Their candidates are credited to outputs of their own names beside those of systems, so that a result or an
export never takes one for a system: `REFERENCE`, `DAMAGED` (comparisons, where a text stands beside its
damaged self) and `ATTENTION`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from annotation.design.plan import Plan, PlanItem, QualityWish
from annotation.design.quality import DamageError, degrade, is_spaced
from annotation.design.quality_items import DAMAGED
from annotation.models import Campaign, CampaignOutput, Item
from annotation.protocols import Protocol
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.items import CandidateDraft, ItemDraft
from annotation.services.selection import Selection
from evalplatform.errors import BadInput
from evalplatform.words import counted
from mtcore.models import System, TextVersion

REFERENCE, ATTENTION = "reference", "attention"
#: The two texts of an attention item of comparisons.
ATTENTION_SIDES = ("attention A", "attention B")
RESERVED = (REFERENCE, DAMAGED, ATTENTION, *ATTENTION_SIDES)


def quality_check(settings: CampaignSettings, protocol: type[Protocol], selection: Selection) -> None:
    """Check that a campaign can have the quality control it is to have.

    Raises:
        BadInput: attention items of another protocol, or a system with a name that is ours.
    """
    rated = protocol.record == "rating"
    for number, one in enumerate(settings.attention, 1):
        if ("choice" in one) == rated:
            wanted = "a text with low and high" if rated else "text_a, text_b and choice"
            raise BadInput(
                f"Attention item {number} does not fit protocol {protocol.name}.", f"Give {wanted}."
            )
    asked = settings.reference_as_system or settings.attention or (settings.bad_references and not rated)
    taken = next((name for name in selection.systems if name in RESERVED), None)
    if asked and taken:
        raise BadInput(
            f"A system is called “{taken}”, the name that quality control has here.", "Rename the system."
        )


def hidden_draft(
    drafts: Sequence[ItemDraft], selection: Selection, protocol: type[Protocol]
) -> tuple[list[ItemDraft], list[str]]:
    """Show the reference as a hidden system beside each item; return the items, and what to say about it.

    A reference that is word for word what a system says is not shown once more.

    Args:
        drafts: The items of the systems.
        selection: Holds the hidden reference of each test set.
        protocol: How people are asked.
    """
    hidden = {one.name: one.hidden for one in selection.sets}
    made: dict[tuple[Any, ...], ItemDraft] = {}
    same: set[tuple[Any, ...]] = set()
    for draft in drafts:
        found = hidden[draft.testset]
        if found is None or not draft.shown:
            continue
        text = found[1][draft.segment]
        place = (draft.testset, draft.segment, draft.input, draft.context)
        for candidate in draft.candidates:
            if candidate.text.strip() == text.strip():
                same.add((*place, candidate.text if protocol.candidates_per_item == 2 else ""))
                continue
            reference = CandidateDraft(text, (REFERENCE,))
            sides = (candidate, reference) if protocol.candidates_per_item == 2 else (reference,)
            key = (*place, candidate.text if protocol.candidates_per_item == 2 else "")
            if key in made and protocol.candidates_per_item == 2:
                names = dict.fromkeys((*made[key].candidates[0].systems, *candidate.systems))
                sides = (CandidateDraft(candidate.text, tuple(names)), reference)
            made[key] = replace(draft, candidates=sides, kind="reference")
    kept = [draft for key, draft in made.items() if key not in same]
    notices = [
        f"{testset}: the hidden reference is version “{found[0]}”."
        for testset, found in hidden.items()
        if found is not None
    ]
    if same:
        notices.append(
            f"{counted(len(same), 'hidden reference')} {'is' if len(same) == 1 else 'are'} left out: "
            "a system says the same."
        )
    return kept, notices


def quality_outputs_write(*, campaign: Campaign, drafts: Sequence[ItemDraft]) -> None:
    """Write the outputs that items for quality control are credited to beside those of systems."""
    wanted = dict.fromkeys(
        (draft.testset, draft.input, name)
        for draft in drafts
        if draft.kind != Item.Kind.SYSTEM
        for candidate in draft.candidates
        for name in candidate.systems
        if name in RESERVED
    )
    names = {name for _, _, name in wanted}
    for name in sorted(names):
        System.objects.get_or_create(name=name)
    systems = dict(System.objects.filter(name__in=names).values_list("name", "pk"))
    versions = TextVersion.objects.filter(
        testset__name__in={testset for testset, _, _ in wanted}, side=TextVersion.Side.SOURCE
    )
    inputs = {(row.testset.name, row.name): row for row in versions.select_related("testset")}
    CampaignOutput.objects.bulk_create(
        CampaignOutput(
            campaign=campaign,
            system_id=systems[name],
            testset_id=inputs[testset, source].testset_id,
            input_version=inputs[testset, source],
            role=CampaignOutput.Role.REFERENCE,
        )
        for testset, source, name in wanted
    )


class QualityDraft:
    """The items for quality control that a plan may draw, and their texts.

    Args:
        drafts: What is dealt, kept as `dealt`; an item's key is its place.
        selection: Texts of all outputs.
        settings: How much quality control there is.
        seed: Texts depend on it and on the item only, not on how often the plan is tried.
    """

    def __init__(
        self, drafts: Sequence[ItemDraft], selection: Selection, settings: CampaignSettings, seed: int
    ) -> None:
        self.dealt, self._settings, self._seed = drafts, settings, seed
        self._spaced = is_spaced(selection.target_language)
        self._sets = {one.name: one for one in selection.sets}
        self._damaged: dict[tuple[int, int], str | None] = {}

    def wish(self) -> QualityWish | None:
        """Return what the plan is to have; None for nothing."""
        settings = self._settings
        if not (settings.bad_references or settings.repeats or settings.attention):
            return None
        return QualityWish(
            settings.bad_references,
            settings.repeats,
            len(settings.attention),
            lambda item, side: self.damaged(cast(int, item.key), side) is not None,
        )

    def damaged(self, key: int, side: int) -> str | None:
        """Return the damaged text of a candidate, None where none can be made."""
        if (key, side) not in self._damaged:
            draft = self.dealt[key]
            candidate = draft.candidates[side]
            lines = self._sets[draft.testset].outputs[candidate.systems[0], draft.input]
            donors = [text for place, text in enumerate(lines) if place != draft.segment and text.strip()]
            rng = np.random.default_rng([self._seed, key, side])
            try:
                self._damaged[key, side] = degrade(candidate.text, donors, rng, self._spaced)
            except DamageError:
                self._damaged[key, side] = None
        return self._damaged[key, side]

    def added(self, plan: Plan) -> tuple[Plan, tuple[ItemDraft, ...]]:
        """Return the plan with keys for what was drawn, counting on from the items, and all items."""
        place = {item.key: len(self.dealt) + number for number, item in enumerate(plan.followers)}
        assignments = tuple(replace(one, item=place.get(one.item, one.item)) for one in plan)
        followers = tuple(replace(item, key=place[item.key]) for item in plan.followers)
        added = tuple(self._draft(item) for item in plan.followers)
        return replace(plan, assignments=assignments, followers=followers), (*self.dealt, *added)

    def notices(self, plan: Plan) -> list[str]:
        """Say what quality control could not be made."""
        n_systems = sum(draft.kind == "system" and draft.shown for draft in self.dealt)
        wanted = self._settings.bad_references * n_systems
        made = sum(item.kind == "bad_reference" for item in plan.followers)
        if made >= round(wanted) or self._settings.bad_references == 0:
            return []
        return [
            f"{counted(made, 'bad reference')} instead of {round(wanted):,}: of the other texts none can be "
            "made, they are too short or all alike."
        ]

    def _draft(self, item: PlanItem) -> ItemDraft:
        kind, pair, number = cast(tuple[str, int, int], item.key)
        draft = self.dealt[pair]
        made = replace(draft, kind=kind, pair=pair)
        if kind == "repeat":
            return made
        if kind == "attention":
            told = self._settings.attention[number]
            texts = (told["text"], told["other"]) if "choice" in told else (told["text"],)
            names = ATTENTION_SIDES if "choice" in told else (ATTENTION,)
            sides = tuple(CandidateDraft(text, (name,)) for text, name in zip(texts, names, strict=True))
            return replace(made, candidates=sides, group=f"attention {number + 1}")
        whole = draft.candidates[number]
        damaged = CandidateDraft(self.damaged(pair, number) or "", whole.systems)
        if len(draft.candidates) == 1:
            return replace(made, candidates=(damaged,))
        return replace(made, candidates=(whole, replace(damaged, systems=(DAMAGED,))))
