"""Make the items of a campaign from the chosen texts; nothing is written here.

Identical outputs of several systems for one segment and input are one text, credited to each of them. A pair
of identical outputs is an item that is counted and never shown. A segment in which any text is blank is left
out for all systems, so that all are compared on the same segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.design.pairs import choose_pairs
from annotation.design.plan import PlanError, PlanItem
from annotation.protocols import Protocol
from annotation.services.selection import Selection, SetTexts
from evalplatform.errors import BadInput
from mtcore.corpora.checks import is_blank
from mtcore.services.texts import lines_named, sentence


@dataclass(frozen=True)
class CandidateDraft:
    """A text and the systems it is credited to."""

    text: str
    systems: tuple[str, ...]


@dataclass(frozen=True)
class ItemDraft:
    """An item to be written: `segment` counts from 0; `context` is a version's name, or "" for none.

    `pair` is the place of the item that an item for quality control follows.
    """

    testset: str
    segment: int
    input: str
    context: str
    candidates: tuple[CandidateDraft, ...]
    context_text: str = ""
    shown: bool = True
    kind: str = "system"
    pair: int | None = None
    group: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Return every text that a rater reads."""
        texts = tuple(candidate.text for candidate in self.candidates)
        return (self.context_text, *texts) if self.context_text else texts

    def planned(self, key: int) -> PlanItem:
        """Return the item as the plan knows it, under a key of its own."""
        return PlanItem(
            key=key,
            segment=(self.testset, self.segment),
            testset=self.testset,
            candidates=tuple(candidate.systems for candidate in self.candidates),
            kind=self.kind,
            pair=self.pair,
        )


@dataclass(frozen=True)
class Items:
    """The items of a campaign, and what was left out of it in words."""

    drafts: tuple[ItemDraft, ...]
    notices: tuple[str, ...]


def items_draft(
    *,
    selection: Selection,
    protocol: type[Protocol],
    pairs: str,
    segments: str,
    rng: np.random.Generator,
) -> Items:
    """Make the items of all test sets.

    Args:
        selection: Texts of the chosen outputs and versions.
        protocol: How people are asked: it says how many candidates an item has, and its context.
        pairs: "all", a baseline system, or "sample:N" (pairwise protocols only).
        segments: "" for all, else N, A-B or sample:N in each test set.
        rng: Source of the samples of segments and pairs.

    Raises:
        BadInput: nothing is left to judge, or `segments` or `pairs` cannot be read.
    """
    drafts: list[ItemDraft] = []
    notices: list[str] = []
    for chosen in selection.sets:
        whole, left_out = _split_blank(chosen)
        numbers = choose_segments(segments, chosen.name, chosen.n_segments, whole, rng)
        if left_out:
            lines = lines_named([number + 1 for number in left_out])
            notices.append(
                f"{chosen.name}: {len(left_out):,} of {chosen.n_segments:,} segments have a blank text and "
                f"are not offered, for any system ({lines})"
            )
        if protocol.candidates_per_item == 1:
            drafts += _single(chosen, numbers, selection.systems, protocol)
        else:
            drafts += _paired(chosen, numbers, selection.systems, pairs, rng)
    if not any(draft.shown for draft in drafts):
        raise BadInput(
            "There is nothing to judge: all outputs are identical.", "Check that the right files were given."
        )
    return Items(tuple(drafts), tuple(notices))


def segments_judged(drafts: Sequence[ItemDraft]) -> dict[str, set[int]]:
    """Return the segments that items judge, by test set."""
    found: dict[str, set[int]] = {}
    for draft in drafts:
        found.setdefault(draft.testset, set()).add(draft.segment)
    return found


def choose_segments(
    spec: str, testset: str, n_segments: int, whole: Sequence[int], rng: np.random.Generator
) -> list[int]:
    """Choose segments (from 0) among those with all their texts: the first N, lines A to B, or N at random.

    Raises:
        BadInput: the wish cannot be read or met.
    """
    if not whole:
        raise BadInput(
            f"Test set “{testset}” has no segment with all its texts.", "Check the files for blank lines."
        )
    if not spec:
        return list(whole)
    sampled = spec.startswith("sample:")
    first, dash, last = spec.removeprefix("sample:").partition("-")
    numbers = [first, last] if dash else [first]
    if (sampled and dash) or not all(part.isascii() and part.isdigit() for part in numbers):
        raise BadInput(f"“{spec}” does not name segments.", "Give N (the first N), A-B (lines), or sample:N.")
    low, high = (int(first), int(last)) if dash else (1, int(first))
    if high < 1:
        raise BadInput(f"“{spec}” asks for no segment.", "Give at least 1, or leave it out for all.")
    if low < 1:
        raise BadInput(f"“{spec}” begins before the first segment.", "Segments count from 1.")
    if low > high:
        raise BadInput(f"“{spec}” goes backwards.", f"Write {last}-{first} for segments {last} to {first}.")
    available = len(whole) if sampled else n_segments
    if high > available:
        raise BadInput(
            f"Segments {spec} are not to be had: test set “{testset}” has {available:,}"
            f"{' without a blank text' if sampled else ''}.",
            "Choose fewer.",
        )
    if sampled:
        picked = rng.choice(len(whole), size=high, replace=False)
        return [whole[index] for index in sorted(picked.tolist())]
    chosen = [number for number in whole if low <= number + 1 <= high]
    if not chosen:
        raise BadInput(f"Segments {spec} of test set “{testset}” all have a blank text.", "Choose others.")
    return chosen


def plan_message(error: PlanError) -> str:
    """Write what the plan lacks as a sentence."""
    text = sentence(str(error))
    return text[:1].upper() + text[1:]


def _split_blank(chosen: SetTexts) -> tuple[list[int], list[int]]:
    texts = [*chosen.inputs.values(), *chosen.references.values(), *chosen.outputs.values()]
    if chosen.hidden is not None:
        texts.append(chosen.hidden[1])
    whole: list[int] = []
    blank: list[int] = []
    for number in range(chosen.n_segments):
        (blank if any(is_blank(lines[number]) for lines in texts) else whole).append(number)
    return whole, blank


def _merged(
    chosen: SetTexts, number: int, input_name: str, systems: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Group systems by their text for a segment, in the order of the systems."""
    found: dict[str, tuple[str, ...]] = {}
    for system in systems:
        text = chosen.outputs[system, input_name][number]
        found[text] = (*found.get(text, ()), system)
    return found


def _single(
    chosen: SetTexts, numbers: Sequence[int], systems: Sequence[str], protocol: type[Protocol]
) -> list[ItemDraft]:
    """Make one item for each text, input and thing it is held against."""
    drafts = []
    for number in numbers:
        for input_name, source in chosen.inputs.items():
            contexts = {input_name: source} if protocol.context == "source" else chosen.references
            for text, credited in _merged(chosen, number, input_name, systems).items():
                drafts += [
                    ItemDraft(
                        testset=chosen.name,
                        segment=number,
                        input=input_name,
                        context=context,
                        candidates=(CandidateDraft(text, credited),),
                        context_text=lines[number],
                    )
                    for context, lines in contexts.items()
                ]
    return drafts


def _paired(
    chosen: SetTexts, numbers: Sequence[int], systems: Sequence[str], mode: str, rng: np.random.Generator
) -> list[ItemDraft]:
    """Make one item for each chosen pair of different texts, and one for each chosen identical pair."""
    drafts = []
    for input_name in chosen.inputs:
        try:
            picked = choose_pairs(systems, len(numbers), mode, rng)
        except PlanError as error:
            raise BadInput(plan_message(error)) from error
        for number, pairs in zip(numbers, picked, strict=True):
            drafts += _pair_items(chosen, number, input_name, pairs)
    return drafts


def _pair_items(
    chosen: SetTexts, number: int, input_name: str, pairs: Sequence[tuple[str, str]]
) -> list[ItemDraft]:
    """Merge the pairs of systems that show the same two texts; only systems of chosen pairs are credited."""
    shown: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    identical: list[tuple[str, str]] = []
    for first, second in pairs:
        one, other = (chosen.outputs[system, input_name][number] for system in (first, second))
        if one == other:
            identical.append((first, second))
            continue
        if (other, one) in shown:
            first, second, one, other = second, first, other, one
        credited = shown.setdefault((one, other), ([], []))
        for names, system in zip(credited, (first, second), strict=True):
            if system not in names:
                names.append(system)
    drafts = [
        ItemDraft(
            testset=chosen.name,
            segment=number,
            input=input_name,
            context="",
            candidates=tuple(
                CandidateDraft(text, tuple(names)) for text, names in zip(texts, credited, strict=True)
            ),
        )
        for texts, credited in shown.items()
    ]
    return drafts + [
        ItemDraft(
            testset=chosen.name,
            segment=number,
            input=input_name,
            context="",
            candidates=(CandidateDraft(chosen.outputs[first, input_name][number], (first, second)),),
            shown=False,
        )
        for first, second in identical
    ]
