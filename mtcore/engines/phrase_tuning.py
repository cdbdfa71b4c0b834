"""Tune the weights of a phrase-based system for BLEU on lists of its own translations (Och 2003, as Moses).

Each round translates the tuning text with the present weights, adds the best n translations of each sentence
to those of the rounds before, and looks for weights under which the best of each list together have the
highest BLEU.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

ORDER = 4
N_STATS = 2 * ORDER + 2
"""Matches and totals of 1- to 4-grams, length of translation and of reference."""
FREE_SIGN = (0, 2, 7)
"""Features whose weight may be negative: Thot's word penalty and its lengths; others only help."""
_STEPS = np.concatenate([-np.geomspace(2.0, 0.01, 12), np.geomspace(0.01, 2.0, 12)])
Floats = NDArray[np.float64]


def bleu_stats(words: Sequence[str], reference: Sequence[str]) -> Floats:
    """Count what BLEU is made of, for one sentence; [N_STATS]."""
    stats = np.zeros(N_STATS)
    for size in range(1, ORDER + 1):
        ours, theirs = _grams(words, size), _grams(reference, size)
        stats[size - 1] = sum((ours & theirs).values())
        stats[ORDER + size - 1] = max(0, len(words) - size + 1)
    stats[-2:] = len(words), len(reference)
    return stats


def bleu(stats: Floats) -> Floats:
    """Return BLEU (0–1) of summed statistics, [..., N_STATS] → [...]; a half match where there is none."""
    matches = np.where(stats[..., :ORDER] > 0, stats[..., :ORDER], 0.5)
    totals = np.maximum(stats[..., ORDER : 2 * ORDER], 1.0)
    lengths = np.maximum(stats[..., -2], 1.0)
    brevity = np.minimum(0.0, 1.0 - stats[..., -1] / lengths)
    return np.asarray(np.exp(np.log(matches / totals).mean(axis=-1) + brevity))


@dataclass
class Lists:
    """The translations seen so far of each sentence: their features and their share in BLEU."""

    references: Sequence[Sequence[str]]
    features: list[list[Floats]] = field(default_factory=list)
    stats: list[list[Floats]] = field(default_factory=list)
    seen: list[set[tuple[object, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for rows in (self.features, self.stats):
            rows.extend([] for _ in self.references)
        self.seen.extend(set() for _ in self.references)

    def add(self, sentence: int, words: Sequence[str], features: Sequence[float]) -> bool:
        """Add a translation of a sentence; return whether it is new."""
        key = (*words, *(round(value, 3) for value in features))
        if key in self.seen[sentence]:
            return False
        self.seen[sentence].add(key)
        self.features[sentence].append(np.asarray(features, dtype=float))
        self.stats[sentence].append(bleu_stats(words, self.references[sentence]))
        return True

    def packed(self) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return features [sentences, longest list, 8], statistics [the same, N_STATS], gaps [the same]."""
        filled = [place for place, rows in enumerate(self.features) if rows]
        longest = max(len(self.features[place]) for place in filled)
        width = len(self.features[filled[0]][0])
        features = np.zeros((len(filled), longest, width))
        stats = np.zeros((len(filled), longest, N_STATS))
        gaps = np.ones((len(filled), longest), dtype=bool)
        for row, place in enumerate(filled):
            size = len(self.features[place])
            features[row, :size] = self.features[place]
            stats[row, :size] = self.stats[place]
            gaps[row, :size] = False
        return features, stats, gaps


def better_weights(
    lists: Lists, start: Sequence[float], generator: np.random.Generator, *, sweeps: int = 6, starts: int = 3
) -> tuple[list[float], float]:
    """Find weights with a higher BLEU on the lists.

    From the present weights and from some drawn around them, walks along each feature and along drawn
    directions to the best of some steps, until a sweep finds nothing better.

    Args:
        lists: what was translated so far.
        start: the present weights.
        generator: draws starts and directions.
        sweeps: most sweeps from one start.
        starts: where to begin beside `start`.

    Returns:
        The weights, scaled so that those that can only help keep their sum, and BLEU (0–1) on the lists.
    """
    features, stats, gaps = lists.packed()
    rows = np.arange(len(features))

    def value(weights: Floats) -> float:
        scores = np.where(gaps, -np.inf, features @ weights)
        return float(bleu(stats[rows, scores.argmax(axis=1)].sum(axis=0)))

    begin = np.asarray(start, dtype=float)
    best, best_value = begin, value(begin)
    for number in range(starts + 1):
        weights = begin if number == 0 else _allowed(begin * generator.uniform(0.3, 1.7, len(begin)))
        reached = value(weights)
        for _ in range(sweeps):
            before = reached
            for direction in [*np.eye(len(weights)), *generator.normal(0, 0.3, (4, len(weights)))]:
                for step in _STEPS:
                    trial = _allowed(weights + step * direction)
                    found = value(trial)
                    if found > reached + 1e-9:
                        weights, reached = trial, found
            if reached - before < 1e-5:
                break
        if reached > best_value + 1e-6:
            best, best_value = weights, reached
    helping = ~np.isin(np.arange(len(best)), FREE_SIGN)
    scale = begin[helping].sum() / best[helping].sum() if best[helping].sum() > 0 else 1.0
    return (best * scale).tolist(), best_value


def _allowed(weights: Floats) -> Floats:
    """Keep the weights that can only help from going below 0."""
    free = np.isin(np.arange(len(weights)), FREE_SIGN)
    return np.asarray(np.where(free, weights, np.maximum(weights, 0.0)))


def _grams(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
