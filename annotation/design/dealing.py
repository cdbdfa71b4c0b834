"""Deal segments (or items) to raters: equal numbers for everyone, k different raters each."""

from collections.abc import Sequence

import numpy as np

from annotation.design.items import Layout


def unit_order(layout: Layout, rng: np.random.Generator) -> list[int]:
    """Order the units for dealing: random, but what must be shared evenly lies together.

    Whole segments come by number of items, most first, and by test set inside a number: the loads of two
    raters then differ by no more than the largest segment (the differences of successive rounds telescope).
    With `spread` items come by their candidates, so that every rater gets an equal part of each.
    """
    order = rng.permutation(len(layout.units)).tolist()
    items = layout.items
    testsets = _random_ranks([items[unit[0]].testset for unit in layout.units], rng)
    if layout.spread:
        groups = _random_ranks([items[unit[0]].candidates for unit in layout.units], rng)
        return sorted(order, key=lambda unit: (groups[unit], testsets[unit]))
    return sorted(order, key=lambda unit: (-len(layout.units[unit]), testsets[unit]))


def deal(n_units: int, n_raters: int, judgements: int, rng: np.random.Generator) -> list[list[int]]:
    """Give each of `n_units` units, in order, to `judgements` different raters.

    Units take consecutive places in a row of random permutations of all raters. A permutation begins with
    raters who do not yet hold the unit that the end of the one before has cut in two.

    Returns:
        The raters (indices) of each unit; after any number of units two raters' numbers differ by one at
        most.
    """
    dealt: list[list[int]] = []
    waiting: list[int] = []
    for _ in range(n_units):
        raters = waiting[:judgements]
        waiting = waiting[judgements:]
        if len(raters) < judgements:
            fresh = rng.permutation(n_raters).tolist()
            taken = [rater for rater in fresh if rater not in raters][: judgements - len(raters)]
            waiting = [rater for rater in fresh if rater not in taken]
            raters = raters + taken
        dealt.append(raters)
    return dealt


def _random_ranks(labels: Sequence[object], rng: np.random.Generator) -> list[int]:
    """Number equal labels equally, in random order."""
    distinct = list(dict.fromkeys(labels))
    rank = dict(zip(distinct, rng.permutation(len(distinct)).tolist(), strict=True))
    return [rank[label] for label in labels]
