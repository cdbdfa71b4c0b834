"""Raters who meet quality control: answers with a known habit."""

import numpy as np

from annotation.stats.rater_evidence import Answer
from annotation.stats.simulate import Habit, simulate_scores


def answers_of(
    rng: np.random.Generator,
    habit: Habit,
    *,
    items: int = 60,
    bad: float = 0.3,
    repeats: float = 0.3,
    drop: float = 2.5,
    seconds: float | None = None,
    rater: str = "r1",
) -> list[Answer]:
    """Draw a rater's answers in random order; shares `bad` and `repeats` of the items are quality control.

    Qualities have the sd .86 of `simulate.Truth`; a bad reference is `drop` worse than its pair. `seconds` is
    the median time an item takes, None leaves times out.
    """
    n_bad, n_repeats = round(items * bad), round(items * repeats)
    n = items - n_bad - n_repeats
    quality = rng.normal(0, 0.86, n)
    damaged, repeated = (rng.choice(n, size, replace=size > n) for size in (n_bad, n_repeats))
    seen = np.concatenate([quality, quality[damaged] - drop, quality[repeated]])
    kinds = ["system"] * n + ["bad_reference"] * n_bad + ["repeat"] * n_repeats
    pairs = [*range(n), *damaged.tolist(), *repeated.tolist()]
    scores = simulate_scores(rng, habit, seen)
    times = rng.lognormal(np.log(seconds), 0.8, items).tolist() if seconds else [None] * items
    return [
        Answer(rater, kinds[place], pairs[place], float(scores[place]), times[place], position)
        for position, place in enumerate(rng.permutation(items).tolist())
    ]
