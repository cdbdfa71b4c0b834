"""How soon careless raters fail, and how rarely attentive ones: by simulation over real plans.

`python -m tests.calibration.careless [RUNS]` prints the table of docs/statistics.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from annotation.design.plan import QualityWish, plan_campaign
from annotation.design.quality_items import USUAL_BAD, USUAL_REPEATS
from annotation.stats.rater_evidence import Answer, collect_evidence
from annotation.stats.records import FloatArray
from annotation.stats.reliability import failed_after
from annotation.stats.simulate import HABITS, Habit, simulate_scores
from tests.factories.plans import make_items, raters_named

ITEMS = 60
#: How much worse a bad reference is than its pair, in units of quality: mean and sd over items.
DROP, DROP_SD = 2.5, 0.8


@dataclass(frozen=True)
class Generator:
    """One way of answering.

    Attributes:
        careless: whether it must fail.
        words: what it does, for the table.
        habit: how scores follow quality; None for a careless rater.
        low: lowest score given at random.
        high: highest score given at random.
        sd: of scores at random around the middle of these, None for all being as likely.
        seconds: median seconds an item, None where times are unknown.
    """

    careless: bool
    words: str
    habit: Habit | None = None
    low: float = 1
    high: float = 100
    sd: float | None = None
    seconds: float | None = None

    def scores(self, rng: np.random.Generator, quality: FloatArray) -> FloatArray:
        """Draw the scores for items of known quality [n]."""
        if self.habit is not None:
            return simulate_scores(rng, self.habit, quality, (1, 100))
        n = len(quality)
        middle = (self.low + self.high) / 2
        found = rng.normal(middle, self.sd, n) if self.sd else rng.uniform(self.low, self.high, n)
        return np.clip(np.rint(found), self.low, self.high)


GENERATORS = {
    "random": Generator(True, "any score, 8 s an item", seconds=8.0),
    "random, no times": Generator(True, "any score, times unknown"),
    "random, in the middle": Generator(True, "around 60, sd 15, 8 s", low=20, high=100, sd=15, seconds=8.0),
    "constant": Generator(True, "always 65", habit=HABITS["constant"], seconds=8.0),
    "nearly constant": Generator(
        True, "65, one answer in twenty at random", habit=Habit(constant=True, careless=0.05), seconds=8.0
    ),
    "fast": Generator(True, "any score, 1.5 s an item", seconds=1.5),
    "one-sided": Generator(True, "85 to 100 at random, 4 s", low=85, high=100, seconds=4.0),
    "typical": Generator(False, "mean 65, sd of own error .5", habit=HABITS["typical"], seconds=15.0),
    "noisy-honest": Generator(False, "sd of own error 1.0", habit=Habit(noise=1.0), seconds=10.0),
    "very noisy": Generator(False, "sd of own error 1.5", habit=HABITS["noisy"], seconds=10.0),
    "strict": Generator(False, "mean 35", habit=Habit(mean=35.0), seconds=15.0),
    "generous": Generator(False, "mean 80, uses a part of the scale", habit=HABITS["generous"], seconds=6.0),
}  # fmt: skip


@lru_cache(maxsize=8)
def orders(bad: float, repeats: float, seed: int) -> tuple[tuple[tuple[str, object], ...], ...]:
    """Plan two systems, 120 segments, six raters; return (kind, pair) of each rater's items in order."""
    rng = np.random.default_rng(seed)
    items = make_items(2, 120, seed=seed)
    plan = plan_campaign(items, raters_named(6), 3, rng, wish=QualityWish(bad, repeats))
    by_key = {item.key: item for item in [*items, *plan.followers]}
    found: dict[object, list[tuple[str, object]]] = {}
    for given in sorted(plan, key=lambda one: one.position):
        item = by_key[given.item]
        found.setdefault(given.rater, []).append((item.kind, item.pair or item.key))
    return tuple(tuple(own) for own in found.values())


def answers(
    generator: Generator, order: tuple[tuple[str, object], ...], rng: np.random.Generator
) -> list[Answer]:
    """Draw the first answers of a rater who goes through a plan."""
    qualities: dict[object, float] = {}
    seen = []
    for kind, pair in order[:ITEMS]:
        quality = qualities.setdefault(pair, float(rng.normal(0, 0.86)))
        seen.append(quality - max(0.0, rng.normal(DROP, DROP_SD)) * (kind == "bad_reference"))
    scores = generator.scores(rng, np.array(seen))
    times = rng.lognormal(np.log(generator.seconds), 0.8, len(seen)) if generator.seconds else None
    return [
        Answer("r", kind, str(pair), float(scores[at]), None if times is None else float(times[at]), at)
        for at, (kind, pair) in enumerate(order[:ITEMS])
    ]


def failures(
    name: str, runs: int, seed: int = 1, bad: float = USUAL_BAD, repeats: float = USUAL_REPEATS
) -> Iterator[int | None]:
    """Yield after how many answers each simulated rater fails within 60; None for never."""
    for run, rng in enumerate(np.random.default_rng([seed, len(name)]).spawn(runs)):
        plan = orders(bad, repeats, seed + run % 40 // 6)
        (evidence,) = collect_evidence(answers(GENERATORS[name], plan[run % len(plan)], rng))
        yield failed_after(evidence)


def table(runs: int) -> str:
    """Return the table, in Markdown."""
    rows = ["| rater | what it does | failed within 60 | half of these by item |", "|---|---|--:|--:|"]
    for name, generator in GENERATORS.items():
        found = [after for after in failures(name, runs) if after is not None]
        half = f"{int(np.median(found))}" if len(found) > runs / 2 else "–"
        rows.append(f"| {name} | {generator.words} | {100 * len(found) / runs:.1f} % | {half} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
