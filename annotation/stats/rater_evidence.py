"""What a rater answered, in order of time: the evidence that reliability is judged by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotation.stats.records import KINDS, FloatArray
from annotation.stats.standardise import POPULATIONS

COUNTED = POPULATIONS["all"]
"""The kinds that are evidence; practice and attention items are not."""


class ReliabilityError(ValueError):
    """Answers or options that cannot be judged by."""


class Answer(NamedTuple):
    """One answer of a rater.

    `pair` is what a system item, the bad reference made for it and its repeats have in common (None: no
    pair). `position` orders the answers in time; without it they stay in the order given. `seconds` is None
    when unknown.
    """

    rater: str
    kind: str
    pair: Hashable
    score: float
    seconds: float | None = None
    position: int | None = None


@dataclass(frozen=True, eq=False)
class RaterEvidence:
    """What one rater answered, in order of time.

    Attributes:
        rater: the name.
        kinds: kind of each item [n].
        pairs: see `Answer` [n].
        scores: [n], finite.
        seconds: [n], nan where unknown.
    """

    rater: str
    kinds: Sequence[str]
    pairs: Sequence[Hashable]
    scores: FloatArray
    seconds: FloatArray

    def of(self, kind: str) -> FloatArray:
        """Return the scores of one kind of item."""
        return self.scores[np.array([each == kind for each in self.kinds], dtype=bool)]

    def until(self, n: int) -> RaterEvidence:
        """Return the first n answers."""
        return RaterEvidence(self.rater, self.kinds[:n], self.pairs[:n], self.scores[:n], self.seconds[:n])

    def differences(self, kind: str) -> tuple[FloatArray, FloatArray]:
        """Return the scores of the items of one kind and of the system items they are paired with [d], [d].

        Items whose pair the rater did not answer are left out; a pair answered twice counts by its mean.
        """
        first: dict[Hashable, list[float]] = defaultdict(list)
        for each, pair, score in zip(self.kinds, self.pairs, self.scores.tolist(), strict=True):
            if each == "system" and pair is not None:
                first[pair].append(score)
        found = [
            (score, float(np.mean(first[pair])))
            for each, pair, score in zip(self.kinds, self.pairs, self.scores.tolist(), strict=True)
            if each == kind and pair in first
        ]
        columns = np.array(found, dtype=np.float64).reshape(-1, 2)
        return columns[:, 0], columns[:, 1]

    def lonely(self, kind: str) -> FloatArray:
        """Return the scores of the items of one kind whose pair the rater did not answer."""
        answered = {pair for each, pair in zip(self.kinds, self.pairs, strict=True) if each == "system"}
        return np.array(
            [
                score
                for each, pair, score in zip(self.kinds, self.pairs, self.scores.tolist(), strict=True)
                if each == kind and (pair is None or pair not in answered)
            ],
            dtype=np.float64,
        )


def collect_evidence(answers: Iterable[Answer]) -> list[RaterEvidence]:
    """Return the answers by rater, raters in order of name; practice and attention items are left out.

    Raises:
        ReliabilityError: an unknown kind, or a score that is not a finite number.
    """
    by_rater: dict[str, list[Answer]] = defaultdict(list)
    for number, answer in enumerate(answers, 1):
        if answer.kind not in KINDS:
            raise ReliabilityError(
                f"answer {number} has the kind {answer.kind!r}, expected {', '.join(KINDS)}"
            )
        if not np.isfinite(answer.score):
            raise ReliabilityError(f"answer {number} has the score {answer.score}")
        own = by_rater[answer.rater]
        if answer.kind in COUNTED:
            own.append(answer)
    return [
        _evidence(rater, sorted(own, key=lambda one: one.position if one.position is not None else 0))
        for rater, own in sorted(by_rater.items())
    ]


def _evidence(rater: str, answers: list[Answer]) -> RaterEvidence:
    seconds = [np.nan if one.seconds is None or one.seconds < 0 else one.seconds for one in answers]
    return RaterEvidence(
        rater,
        tuple(one.kind for one in answers),
        tuple(one.pair for one in answers),
        np.array([one.score for one in answers], dtype=np.float64),
        np.array(seconds, dtype=np.float64),
    )
