"""Practice items: what they show, what is expected of them, and making some from a campaign's own texts.

A made item shows a human translation (a high score is expected), or one damaged by the rule of bad references
(a low score). Where two texts are compared, both stand side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.design.quality import DamageError, degrade, is_spaced
from annotation.protocols import Protocol
from evalplatform.errors import BadInput
from evalplatform.words import counted

PRACTICE, CALIBRATION = "practice", "calibration"
STAGES = (PRACTICE, CALIBRATION)
#: What is expected of made items, as parts of the scale: a human translation, and a damaged one.
HIGH, LOW = (0.6, 1.0), (0.0, 0.5)
#: Shorter texts are taken only where there are no longer ones: a damaged one says little about the scale.
GOOD_LENGTH = 20

Translate = Callable[[str], str]


def gettext_noop(text: str) -> str:
    """Mark a string for translation and return it unchanged."""
    return text


REASONS = {
    "human": gettext_noop("This translation was made by a person and says what the text says."),
    "same": gettext_noop("This is the reference itself, so the meaning is the same."),
    "other_reference": gettext_noop("This is a person's own translation of the same text."),
    "damaged": gettext_noop(
        "Some words of this translation were replaced by words of another text: it says something else."
    ),
    "damaged_beside": gettext_noop(
        "In one of the two texts some words were replaced by words of another text; it does not read on."
    ),
}


@dataclass(frozen=True)
class PracticeDraft:
    """A practice or calibration item on its way in.

    Attributes:
        stage: "practice" (with feedback) or "calibration".
        context: the source or reference it is shown with; "" where the protocol shows none.
        texts: one translation, or two as they stand on the screen.
        low: the lowest score that is as expected; None for a choice.
        high: the highest one.
        choice: "left", "right" or "equal" where texts are compared.
        why: the researcher's explanation, Markdown.
        reason: the name of one of `REASONS` instead.
    """

    stage: str
    context: str
    texts: tuple[str, ...]
    low: int | None = None
    high: int | None = None
    choice: str = ""
    why: str = ""
    reason: str = ""

    def expected(self) -> dict[str, Any]:
        """Return what is expected and why, to be kept with the campaign's settings."""
        answer = {"choice": self.choice} if self.choice else {"low": self.low, "high": self.high}
        return answer | ({"why": self.why} if self.why else {"reason": self.reason} if self.reason else {})


@dataclass(frozen=True)
class HumanTexts:
    """Texts of one test set from which practice is made: a line a segment in each.

    `unused` are the segments (from 0) that the campaign does not judge.
    """

    context: Sequence[str]
    human: Sequence[str]
    unused: Sequence[int]
    reason: str = "human"


@dataclass(frozen=True)
class _Place:
    context: str
    human: str
    reason: str
    donors: tuple[str, ...]


def practice_make(
    *,
    counts: dict[str, int],
    sets: Sequence[HumanTexts],
    protocol: type[Protocol],
    scale: tuple[int, int],
    target_language: str,
    rng: np.random.Generator,
) -> tuple[PracticeDraft, ...]:
    """Make practice and calibration items from human translations, no segment twice.

    Segments that the campaign does not judge come first; where there are too few, judged ones are taken.

    Args:
        counts: how many of each stage.
        sets: texts of the test sets.
        protocol: how people are asked.
        scale: lowest and highest score.
        target_language: the tag of the language of the translations.
        rng: source of randomness.

    Raises:
        BadInput: there are too few texts.
    """
    total = sum(counts.values())
    places = _places(sets, rng)
    made: list[PracticeDraft] = []
    rest = iter(places)
    for stage in STAGES:
        kinds = _kinds(counts.get(stage, 0), protocol, rng)
        for kind in kinds:
            draft = _next(rest, stage, kind, protocol, scale, is_spaced(target_language), rng)
            if draft is None:
                raise BadInput(
                    f"{counted(total, 'practice item')} cannot be made: there are human translations of only "
                    f"{counted(len(places), 'segment')}, or they are too short or too alike to be damaged.",
                    "Ask for fewer, or give a file of practice items.",
                )
            made.append(draft)
    return tuple(made)


def _kinds(n: int, protocol: type[Protocol], rng: np.random.Generator) -> list[str]:
    """Return what each of n items is: half of them good, half damaged, in random order; or sides."""
    pair = ("left", "right") if protocol.record == "comparison" else ("good", "damaged")
    kinds = [pair[number % 2] for number in range(n)]
    return [kinds[place] for place in rng.permutation(n).tolist()]


def _places(sets: Sequence[HumanTexts], rng: np.random.Generator) -> list[_Place]:
    """Return the segments practice can be made from: unused ones first, then long ones, at random."""
    ranked = []
    for one in sets:
        usable = [
            number
            for number, (context, human) in enumerate(zip(one.context, one.human, strict=True))
            if human.strip() and context.strip()
        ]
        donors = tuple(one.human[number] for number in usable)
        unused = set(one.unused)
        for number in usable:
            rank = (number not in unused, len(one.human[number]) < GOOD_LENGTH, float(rng.random()))
            ranked.append((rank, _Place(one.context[number], one.human[number], one.reason, donors)))
    return [place for _, place in sorted(ranked, key=lambda pair: pair[0])]


def _next(
    rest: Any,
    stage: str,
    kind: str,
    protocol: type[Protocol],
    scale: tuple[int, int],
    spaced: bool,
    rng: np.random.Generator,
) -> PracticeDraft | None:
    """Make an item from the next segment that will do; None when there is none left."""
    for place in rest:
        context = "" if protocol.context == "none" else place.context
        if kind == "good":
            return PracticeDraft(stage, context, (place.human,), *_part(scale, HIGH), reason=place.reason)
        try:
            damaged = degrade(place.human, [one for one in place.donors if one != place.human], rng, spaced)
        except DamageError:
            continue
        if kind == "damaged":
            return PracticeDraft(stage, context, (damaged,), *_part(scale, LOW), reason="damaged")
        texts = (place.human, damaged) if kind == "left" else (damaged, place.human)
        return PracticeDraft(stage, "", texts, choice=kind, reason="damaged_beside")
    return None


def _part(scale: tuple[int, int], part: tuple[float, float]) -> tuple[int, int]:
    """Return whole scores at the ends of a part of the scale."""
    low, high = scale
    return round(low + part[0] * (high - low)), round(low + part[1] * (high - low))
