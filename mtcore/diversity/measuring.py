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
from mtcore.diversity.lemma import LemmaForms, lemma_forms
from mtcore.diversity.profile import Profile
from mtcore.diversity.subsample import LEAST_WORDS, EqualLength, equal_values
from mtcore.diversity.swapping import Comparison, compare
from mtcore.diversity.tokens import Tokeniser, check_words
from mtcore.diversity.vocabulary import Resources, Vocabulary

ALIKE = 1.1
"""Texts whose numbers of words differ by more than this factor are not compared without a warning."""

COUNTING = 0.8
"""Part of the work that counting words takes of long texts."""

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
        lemma: whose forms are counted apart; "" for none.
        equal: words to which texts are cut for measures that change with length; 0 for as many as the
            shortest text has, None to measure texts whole.
        draws: how often that many words are drawn of a longer text.
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
    lemma: str = ""
    equal: int | None = None
    draws: int = 20


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
    lemma: LemmaForms | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        row: dict[str, Any] = {
            "name": self.name, "lines": self.lines, "tokens": self.tokens, "types": self.types,
            "measures": [one.as_dict() for one in self.measures],
        }  # fmt: skip
        return row | ({"lemma": self.lemma.as_dict()} if self.lemma else {})


@dataclass(frozen=True)
class Report:
    """Texts measured and compared, with what the reader must know."""

    texts: tuple[TextResult, ...]
    comparisons: tuple[Comparison, ...]
    notices: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it for strict JSON."""
        return {
            "texts": [text.as_dict() for text in self.texts],
            "comparisons": [
                {
                    "measure": one.measure, "a": one.a, "b": one.b, "difference": one.difference, "p": one.p,
                    "test": one.test, **({"reason": one.reason} if one.reason else {}),
                }
                for one in self.comparisons
            ],
            "notices": list(self.notices),
        }  # fmt: skip


def measure_texts(
    texts: Sequence[tuple[str, Blocks]], plan: Plan, watch: Callable[[float, str], None] | None = None
) -> Report:
    """Measure texts and compare them.

    Args:
        texts: names and what gives their lines.
        plan: how.
        watch: told the part that is done, and what comes next; may raise to stop.

    Raises:
        DiversityError: no text, a name twice, an unknown name to compare, or words nobody has parted.
        CorpusError: a file that cannot be read.
    """
    names = [name for name, _ in texts]
    check_names(names, plan.pairs)
    tell = watch or _nobody
    profiles = []
    for place, (name, blocks) in enumerate(texts):
        tell(COUNTING * place / len(texts), f"counts the words of {name}")
        counted = count_words(blocks(plan.tokeniser.block_bytes), plan.tokeniser, plan.jobs)
        check_words(name, counted.types, counted.counts, plan.tokeniser)
        profiles.append(Profile(name, counted, plan.resources))
    equal = _equal(profiles, plan)
    results = []
    for place, profile in enumerate(profiles):
        tell(COUNTING + (1 - COUNTING) / 2 * place / len(texts), f"measures {profile.name}")
        results.append(_measure(profile, plan, equal, place))
    by_name = {profile.name: profile for profile in profiles}
    pairs = tuple(combinations(names, 2)) if plan.pairs is None else plan.pairs
    comparisons: list[Comparison] = []
    for number, (a, b) in enumerate(pairs if plan.resamples else ()):
        rng = np.random.default_rng([plan.seed, number])
        tell((1 + COUNTING) / 2 + (1 - COUNTING) / 2 * number / len(pairs), f"compares {a} with {b}")
        tested = [one for one in plan.measures if not (equal and one.grows)]
        found = compare(tested, by_name[a], by_name[b], plan.resamples, rng)
        found += _apart(plan, results, a, b) if equal else []
        comparisons += [
            replace(one, test=f"{one.test}, seed {plan.seed}") if one.test else one for one in found
        ]
    notices = [] if equal else _lengths(profiles, plan.measures)
    return Report(tuple(results), tuple(comparisons), tuple(notices))


def _nobody(_part: float, _note: str) -> None:
    """Watch nothing."""


def _equal(profiles: Sequence[Profile], plan: Plan) -> EqualLength | None:
    """Return to how many words texts are cut, None when they are measured whole."""
    if plan.equal is None:
        return None
    shortest = min(profiles, key=lambda one: one.tokens)
    tokens = plan.equal or shortest.tokens
    if tokens > shortest.tokens:
        raise DiversityError(
            f"{shortest.name} has {shortest.tokens:,} words, fewer than {tokens:,}",
            "Give --equal-length a smaller number, or none for as many as the shortest text has.",
        )
    if tokens < LEAST_WORDS:
        raise DiversityError(
            f"{tokens:,} {'word' if tokens == 1 else 'words'} of a text are too few to measure",
            "Leave --equal-length out.",
        )
    return EqualLength(tokens, plan.draws, plan.seed)


def _apart(plan: Plan, results: Sequence[TextResult], a: str, b: str) -> list[Comparison]:
    """Return how measures that change with length differ between equally long texts; intervals, not tests."""
    of_text = {text.name: {one.measure.name: one.value.value for one in text.measures} for text in results}
    found = []
    for one in plan.measures:
        if one.grows:
            first, second = of_text[a][one.name], of_text[b][one.name]
            difference = first - second if first is not None and second is not None else None
            reason = "of equally long samples: compare the intervals"
            found.append(Comparison(one.name, a, b, difference, None, "", reason))
    return found


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


def _measure(profile: Profile, plan: Plan, equal: EqualLength | None, number: int) -> TextResult:
    cut = [one for one in plan.measures if equal and one.grows]
    whole = [one for one in plan.measures if one not in cut]
    values = {one.name: one.compute(profile) for one in whole}
    there = [one for one in whole if values[one.name].value is not None]
    intervals = jackknife(there, profile) if plan.intervals and there else {}
    for name, (value, interval) in (equal_values(cut, profile, equal, number) if equal else {}).items():
        values[name] = value
        if interval is not None:
            intervals[name] = interval
    rows = tuple(
        Measured(
            one, values[one.name], intervals.get(one.name), signature(one, plan, intervals.get(one.name))
        )
        for one in plan.measures
    )
    size = profile.size
    forms = lemma_forms(profile, plan.lemma, plan.tokeniser.name) if plan.lemma else None
    return TextResult(profile.name, size.lines, size.tokens, size.types, rows, forms)


def signature(measure: Measure, plan: Plan, interval: Interval | None) -> str:
    """Return one line that states how a value was made."""
    parts = [measure.signature(), f"tokens:{plan.tokeniser.name}"]
    if "lemmas" in measure.needs and plan.resources.lemmatiser:
        parts.append(f"lemmas:{plan.resources.lemmatiser.name}")
    parts += [part for part in plan.sources if part.split(":")[0].split("-")[0] in measure.needs]
    if interval and interval.how.startswith("equal-length"):
        parts.append(interval.how)
    elif interval and interval.ends:
        parts.append(f"ci:{interval.how}")
    return "|".join(parts)


def check_names(names: Sequence[str], pairs: tuple[tuple[str, str], ...] | None) -> None:
    """Refuse texts without names of their own, and pairs of texts that are not there.

    Raises:
        DiversityError: it says which.
    """
    if not names:
        raise DiversityError("there is no text to measure", "Give one with --text NAME=FILE.")
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise DiversityError(f"two texts are called “{twice[0]}”", "Give each a name of its own: NAME=FILE.")
    for name in (one for pair in pairs or () for one in pair):
        if name not in names:
            raise DiversityError(f"there is no text “{name}” to compare", f"There are {', '.join(names)}.")
    same = next((a for a, b in pairs or () if a == b), None)
    if same is not None:
        raise DiversityError(f"“{same}” cannot be compared with itself", "Name two texts.")


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
