"""Choose which systems are compared with each other on which segment."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from annotation.design.items import PlanError

Pair = tuple[str, str]

SAMPLE = "sample:"


def choose_pairs(
    systems: Sequence[str], n_segments: int, mode: str, rng: np.random.Generator
) -> list[list[Pair]]:
    """Choose the pairs of systems for every segment.

    Args:
        systems: distinct names.
        n_segments: number of segments.
        mode: `all` for every pair; the name of a system for its pairs with every other one; `sample:N` for N
            random pairs a segment. Samples use all systems, and then all pairs, as evenly as they can over
            any run of segments.
        rng: source of randomness, drawn from by `sample:N` only.

    Returns:
        One list of pairs a segment; names inside a pair are in the order of `systems`.

    Raises:
        PlanError: fewer than two systems, a name twice, or a mode that is none of these.
    """
    if len(systems) < 2:
        raise PlanError(
            f"a comparison needs 2 systems, there {'is' if len(systems) == 1 else 'are'} {len(systems)}"
        )
    if len(set(systems)) != len(systems):
        raise PlanError("a system is named twice")
    pairs = list(combinations(systems, 2))
    if mode.startswith(SAMPLE) and mode not in systems:
        return _sample(systems, pairs, n_segments, _sample_size(mode, len(pairs)), rng)
    if mode != "all":
        if mode not in systems:
            raise PlanError(
                f"pairs are chosen by 'all', 'sample:N' or a system's name ({', '.join(systems)}), "
                f"not by {mode!r}"
            )
        pairs = [pair for pair in pairs if mode in pair]
    return [list(pairs) for _ in range(n_segments)]


def _sample_size(mode: str, most: int) -> int:
    text = mode.removeprefix(SAMPLE)
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= most:
        raise PlanError(f"{mode!r}: the number of pairs a segment must be between 1 and {most}")
    return int(text)


def _sample(
    systems: Sequence[str], pairs: Sequence[Pair], n_segments: int, size: int, rng: np.random.Generator
) -> list[list[Pair]]:
    """Draw pairs one by one: systems used least first, then pairs used least, then at random."""
    number = {name: index for index, name in enumerate(systems)}
    ends = np.array([(number[one], number[other]) for one, other in pairs])
    per_system = np.zeros(len(systems), dtype=int)
    per_pair = np.zeros(len(pairs), dtype=int)
    chosen: list[list[Pair]] = []
    for _ in range(n_segments):
        free = np.ones(len(pairs), dtype=bool)
        for _ in range(size):
            used = per_system[ends]
            order = np.lexsort((rng.random(len(pairs)), per_pair, used.max(axis=1), used.sum(axis=1), ~free))
            pair = int(order[0])
            free[pair] = False
            per_pair[pair] += 1
            per_system[ends[pair]] += 1
        chosen.append([pair for pair, left in zip(pairs, free, strict=True) if not left])
    return chosen
