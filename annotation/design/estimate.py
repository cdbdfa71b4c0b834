"""Estimate the work in a campaign before anybody is asked.

The model: a rater reads every word on the screen once, at a careful pace, and then takes a fixed time to
decide.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.design.items import PlannedAssignment, Rater

#: Silent reading of English non-fiction runs at 238 words a minute (Brysbaert 2019, J. Memory and Language
#: 109); comparing texts word by word is taken to be a quarter slower.
READING_WORDS_PER_MINUTE = 180.0

#: Code point ranges of scripts written without spaces, and how many of their characters make a word.
UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x9FFF),  # Han
    (0xF900, 0xFAFF),  # Han, compatibility
    (0x20000, 0x3FFFF),  # Han, supplementary
)
UNSPACED_CHARACTERS_PER_WORD = 2.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """The size of a campaign: items, judgements, and each rater's judgements and minutes."""

    items: int
    judgements: int
    loads: Mapping[Rater, int]
    minutes: Mapping[Rater, float]


def count_words(text: str) -> float:
    """Count words: runs between spaces, and in scripts written without spaces two characters each."""
    unspaced = sum(any(low <= ord(character) <= high for low, high in UNSPACED) for character in text)
    spaced = "".join(
        " " if any(low <= ord(character) <= high for low, high in UNSPACED) else character
        for character in text
    )
    words = sum(any(character.isalnum() for character in word) for word in spaced.split())
    return words + unspaced / UNSPACED_CHARACTERS_PER_WORD


def estimate_minutes(
    word_counts: Iterable[float],
    decision_seconds: float,
    words_per_minute: float = READING_WORDS_PER_MINUTE,
) -> float:
    """Estimate the minutes that some judgements take.

    Args:
        word_counts: words on the screen for each judgement.
        decision_seconds: seconds to decide, once the texts are read (a property of the protocol).
        words_per_minute: reading pace.

    Raises:
        ValueError: a pace that is not positive, or a negative time.
    """
    if words_per_minute <= 0 or decision_seconds < 0:
        raise ValueError("the reading pace must be positive and the time to decide not negative")
    return sum(words / words_per_minute + decision_seconds / 60 for words in word_counts)


def estimate_plan(
    plan: Sequence[PlannedAssignment],
    words: Mapping[Hashable, float],
    decision_seconds: float,
    words_per_minute: float = READING_WORDS_PER_MINUTE,
) -> Estimate:
    """Estimate a plan's work.

    Args:
        plan: all assignments.
        words: words on the screen for each item key.
        decision_seconds: seconds to decide, once the texts are read.
        words_per_minute: reading pace.
    """
    shown: dict[Rater, list[float]] = {}
    for given in plan:
        shown.setdefault(given.rater, []).append(words[given.item])
    return Estimate(
        items=len({given.item for given in plan}),
        judgements=len(plan),
        loads={rater: len(counts) for rater, counts in shown.items()},
        minutes={
            rater: estimate_minutes(counts, decision_seconds, words_per_minute)
            for rater, counts in shown.items()
        },
    )
