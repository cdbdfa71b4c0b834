"""Filters of corpora: what each of them removes, line by line; see `line_keys` for duplicates.

A pair is removed by the first filter that objects, and counted there. The figures of Edunov et al. (2020) are
the defaults: at most 250 words, a length ratio of at most 1.5, both sides in their language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

from mtcore.corpora import language_id
from mtcore.corpora.corpus_lines import Pair
from mtcore.corpora.errors import CorpusError
from mtcore.corpora.languages import script
from mtcore.corpora.line_keys import loose_key

DUPLICATE = "duplicate"
HIGHEST = 1_000_000
"""The highest figure that a filter may have."""
_WITHOUT_BLANKS = frozenset({"Hans", "Hant", "Hani", "Jpan", "Thai", "Khmr", "Laoo", "Mymr", "Tibt"})
_CHARACTERS_A_WORD = 2

Filter = Callable[[str, str], bool]
"""Takes the two sides of a line (the same text twice when there is only one); True removes it."""


@dataclass(frozen=True)
class FilterOptions:
    """Which lines stay.

    Attributes:
        min_words: fewest words of a side.
        max_words: most words of a side; 0 sets no limit.
        max_ratio: the longer side has at most so many times the words of the shorter one; 0 sets no limit.
        language: remove lines that are in another language.
        min_letters: shorter lines are not held against the language: nobody could tell.
        duplicates: keep only the first of lines that are the same on every side.
    """

    min_words: int = 1
    max_words: int = 250
    max_ratio: float = 1.5
    language: bool = True
    min_letters: int = 12
    duplicates: bool = True

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not isinstance(value, bool) and not 0 <= value <= HIGHEST:
                found = value if isinstance(value, float) or value.bit_length() < 64 else "far too large"
                raise CorpusError(f"{one.name} is {found}", remedy=f"Give a number from 0 to {HIGHEST:,}.")
        if 0 < self.max_ratio < 1:
            raise CorpusError(
                f"max_ratio is {self.max_ratio}", remedy="Give a ratio from 1 on, or 0 for none."
            )
        if self.max_words and self.max_words < self.min_words:
            raise CorpusError(
                f"max_words is {self.max_words}, less than min_words ({self.min_words})",
                remedy="Give a larger max_words.",
            )


@dataclass
class FilterReport:
    """How many lines were read and kept, and how many each filter removed."""

    read: int = 0
    kept: int = 0

    def __post_init__(self) -> None:
        self.removed: Counter[str] = Counter()

    def as_dict(self) -> dict[str, Any]:
        """Return it for storing; filters that removed nothing are in it too."""
        return {**asdict(self), "removed": dict(self.removed)}


def make_filters(
    options: FilterOptions, *, source: str, target: str = "", test_keys: frozenset[int] = frozenset()
) -> dict[str, Filter]:
    """Return the filters by name, in the order in which they are asked.

    Args:
        options: see there.
        source: language tag of the first side, or of the only one.
        target: language tag of the other side; empty for text in one language.
        test_keys: loose keys of test segments, whose lines are removed.

    Raises:
        CorpusError: the language identifier is not installed, or does not know a language.
    """
    found: dict[str, Filter] = {"empty": _is_blank}
    ours, others = _counter(source), _counter(target or source)
    low, high = options.min_words, options.max_words
    if low > 1:
        found["too short"] = lambda one, other: ours(one) < low or others(other) < low
    if high:
        found["too long"] = lambda one, other: ours(one) > high or others(other) > high
    if options.max_ratio and target:
        found["length ratio"] = lambda one, other: _apart(ours(one), others(other), options.max_ratio)
    if test_keys:
        found["test segment"] = lambda one, other: (
            loose_key(one) in test_keys or loose_key(other) in test_keys
        )
    if options.language:
        found["other language"] = _language_filter(source, target, options.min_letters)
    return found


def filter_pairs(pairs: Iterable[Pair], filters: dict[str, Filter], report: FilterReport) -> Iterator[Pair]:
    """Give the pairs that no filter removes, counting in `report`."""
    report.removed.update(dict.fromkeys(filters, 0))
    asked = list(filters.items())
    for source, target in pairs:
        report.read += 1
        name = next((name for name, removes in asked if removes(source, target)), None)
        if name is None:
            report.kept += 1
            yield source, target
        else:
            report.removed[name] += 1


def drop_blank(pairs: Iterable[Pair], report: FilterReport, names: tuple[str, str]) -> Iterator[Pair]:
    """Give the pairs that have text on both sides; a pair without any counts as blank on its first side.

    Args:
        pairs: what was translated, and what came of it.
        report: where to count.
        names: what the two sides are called in the report, as ("empty source", "empty output").
    """
    return filter_pairs(
        pairs,
        {names[0]: lambda one, _other: not one.strip(), names[1]: lambda _one, other: not other.strip()},
        report,
    )


def _is_blank(source: str, target: str) -> bool:
    return not source.strip() or not target.strip()


def _apart(one: int, other: int, most: float) -> bool:
    return max(one, other) > most * min(one, other)


def _counter(tag: str) -> Callable[[str], int]:
    """Return what counts words; scripts without blanks are taken to have two characters a word."""
    if tag and script(tag) in _WITHOUT_BLANKS:
        return lambda text: -(-len("".join(text.split())) // _CHARACTERS_A_WORD)
    return lambda text: len(text.split())


def _language_filter(source: str, target: str, min_letters: int) -> Filter:
    ours = language_id.language_code(source)
    others = language_id.language_code(target) if target else ""

    def other_language(text: str, wanted: str) -> bool:
        return sum(map(str.isalpha, text)) >= min_letters and language_id.identify(text) != wanted

    if not target:
        return lambda one, _other: other_language(one, ours)
    return lambda one, other: other_language(one, ours) or other_language(other, others)
