"""Measure several texts with the same tools, and compare them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from mtcore.diversity.base import DiversityError, Measure, Value
from mtcore.diversity.counting import Counted, count_words
from mtcore.diversity.frequency import BAND
from mtcore.diversity.intervals import Interval, jackknife
from mtcore.diversity.profile import Profile
from mtcore.diversity.swapping import Comparison, compare
from mtcore.diversity.tokens import Tokeniser, check_words
from mtcore.diversity.vocabulary import Resources, Vocabulary

ALIKE = 1.1
"""Texts whose numbers of words differ by more than this factor are not compared without a warning."""

Blocks = Callable[[int], Iterable[bytes]]
"""Gives a text as blocks of whole UTF-8 lines of about so many bytes."""


@dataclass(frozen=True)
class Plan:
    """How to measure.

    Attributes:
        measures: what to measure.
        resources: lemmas, bands and dictionary, the same for all texts.
        tokeniser: cuts lines into words.
        sources: further parts of the signature, "key:value".
        resamples: of the tests; 0 for none.
        seed: of the tests.
        jobs: processes that may cut and count at once.
        intervals: whether to lay intervals around values.
        pairs: names of the texts to compare; None for every two.
    """

    measures: Sequence[Measure]
    resources: Resources
    tokeniser: Tokeniser
    sources: tuple[str, ...] = ()
    resamples: int = 1000
    seed: int = 1
    jobs: int = 1
    intervals: bool = True
    pairs: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True)
class Measured:
    """One measure of one text; `interval` is None where none was asked for."""

    measure: Measure
    value: Value
    interval: Interval | None
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON: nothing that is not a finite number, a text or null."""
        value, ends = self.value.value, self.interval.ends if self.interval else None
        scale = self.measure.scale
        row: dict[str, Any] = {
            "name": self.measure.name,
            "value": value,
            "printed": None if value is None else value * scale,
            "definition": self.measure.definition,
            "signature": self.signature,
            "direction": self.measure.direction or None,
            "scale": scale,
            "ci": list(ends) if ends else None,
        }
        reason = self.value.reason or (self.interval.reason if self.interval else "")
        return row | ({"reason": reason} if reason else {})


@dataclass(frozen=True)
class TextResult:
    """One text measured."""

    name: str
    lines: int
    tokens: int
    types: int
    measures: tuple[Measured, ...]


@dataclass(frozen=True)
class Report:
    """Texts measured and compared, with what the reader must know."""

    texts: tuple[TextResult, ...]
    comparisons: tuple[Comparison, ...]
    notices: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it for strict JSON."""
        return {
            "texts": [
                {
                    "name": text.name, "lines": text.lines, "tokens": text.tokens, "types": text.types,
                    "measures": [one.as_dict() for one in text.measures],
                }
                for text in self.texts
            ],
            "comparisons": [
                {
                    "measure": one.measure, "a": one.a, "b": one.b, "difference": one.difference, "p": one.p,
                    "test": one.test, **({"reason": one.reason} if one.reason else {}),
                }
                for one in self.comparisons
            ],
            "notices": list(self.notices),
        }  # fmt: skip


def measure_texts(texts: Sequence[tuple[str, Blocks]], plan: Plan) -> Report:
    """Measure texts and compare them.

    Args:
        texts: names and what gives their lines.
        plan: how.

    Raises:
        DiversityError: no text, a name twice, an unknown name to compare, or words nobody has parted.
        CorpusError: a file that cannot be read.
    """
    names = [name for name, _ in texts]
    _check_names(names, plan.pairs)
    profiles = []
    for name, blocks in texts:
        counted = count_words(blocks(plan.tokeniser.block_bytes), plan.tokeniser, plan.jobs)
        check_words(name, counted.types, counted.counts, plan.tokeniser)
        profiles.append(Profile(name, counted, plan.resources))
    results = tuple(_measure(profile, plan) for profile in profiles)
    by_name = {profile.name: profile for profile in profiles}
    pairs = tuple(combinations(names, 2)) if plan.pairs is None else plan.pairs
    comparisons: list[Comparison] = []
    for number, (a, b) in enumerate(pairs if plan.resamples else ()):
        rng = np.random.default_rng([plan.seed, number])
        found = compare(plan.measures, by_name[a], by_name[b], plan.resamples, rng)
        comparisons += [
            replace(one, test=f"{one.test}, seed {plan.seed}") if one.test else one for one in found
        ]
    return Report(results, tuple(comparisons), tuple(_lengths(profiles, plan.measures)))


def training_bands(blocks: Blocks, tokeniser: Tokeniser, jobs: int) -> tuple[dict[str, int], Counted]:
    """Return the two bands of frequent types of the training data: type → 1 or 2.

    Types that are as frequent rank by their first occurrence.

    Raises:
        DiversityError: the training data have no words.
    """
    counted = count_words(blocks(tokeniser.block_bytes), tokeniser, jobs)
    if not counted.types:
        raise DiversityError("the training data have no words", "Give the text the system was trained on.")
    ranked = np.argsort(-counted.counts, kind="stable")[: 2 * BAND]
    return {counted.types[place]: 1 + rank // BAND for rank, place in enumerate(ranked.tolist())}, counted


def source_words(blocks: Blocks, tokeniser: Tokeniser, resources: Resources, jobs: int) -> list[str]:
    """Return the words of a source text in lower case, as lemmas where its lemmatiser is known."""
    counted = count_words(blocks(tokeniser.block_bytes), tokeniser, jobs)
    return sorted({lemma.lower() for lemma in Vocabulary(counted.types, resources).lemmas})


def _measure(profile: Profile, plan: Plan) -> TextResult:
    values = {one.name: one.compute(profile) for one in plan.measures}
    there = [one for one in plan.measures if values[one.name].value is not None]
    intervals = jackknife(there, profile) if plan.intervals and there else {}
    rows = tuple(
        Measured(
            one, values[one.name], intervals.get(one.name), signature(one, plan, intervals.get(one.name))
        )
        for one in plan.measures
    )
    return TextResult(profile.name, profile.size.lines, profile.size.tokens, profile.size.types, rows)


def signature(measure: Measure, plan: Plan, interval: Interval | None) -> str:
    """Return one line that states how a value was made."""
    parts = [measure.signature(), f"tokens:{plan.tokeniser.name}"]
    if "lemmas" in measure.needs and plan.resources.lemmatiser:
        parts.append(f"lemmas:{plan.resources.lemmatiser.name}")
    parts += [part for part in plan.sources if part.split(":")[0].split("-")[0] in measure.needs]
    if interval and interval.ends:
        parts.append(f"ci:{interval.how}")
    return "|".join(parts)


def _check_names(names: Sequence[str], pairs: tuple[tuple[str, str], ...] | None) -> None:
    if not names:
        raise DiversityError("there is no text to measure", "Give one with --text NAME=FILE.")
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise DiversityError(f"two texts are called “{twice[0]}”", "Give each a name of its own: NAME=FILE.")
    for name in (one for pair in pairs or () for one in pair):
        if name not in names:
            raise DiversityError(f"there is no text “{name}” to compare", f"There are {', '.join(names)}.")


def _lengths(profiles: Sequence[Profile], measures: Sequence[Measure]) -> list[str]:
    """Warn of texts of very different length."""
    filled = sorted((profile for profile in profiles if profile.tokens), key=lambda one: one.tokens)
    growing = [one.title for one in measures if one.grows]
    if len(filled) < 2 or not growing or filled[-1].tokens <= ALIKE * filled[0].tokens:
        return []
    short, long = filled[0], filled[-1]
    return [
        f"Texts differ in length: {short.name} has {short.tokens:,} words, {long.name} {long.tokens:,}. "
        f"{', '.join(growing)} change with length alone: compare texts of equal length."
    ]
