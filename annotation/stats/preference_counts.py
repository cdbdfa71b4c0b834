"""Count pairwise preferences, and ask the bootstrap whether one system is preferred."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy import stats

from annotation.stats.options import OptionsError
from annotation.stats.records import Comparison, IdenticalPair, IntArray, RecordError
from annotation.stats.significance import wilson_interval

Unit = tuple[str, Hashable]
WINNERS = ("left", "right", "equal")
RESAMPLED_CELLS = 4_000_000


@dataclass
class PairCounts:
    """What is known of two systems, the first one in name order.

    Attributes:
        units: per segment (document): how often the first was better, the second was, neither was.
        identical: segments on which the two gave the same text.
    """

    units: dict[Unit, tuple[int, int, int]] = field(default_factory=dict)
    identical: set[Unit] = field(default_factory=set)

    def add(self, unit: Unit, outcome: int) -> None:
        """Count one comparison: 1 when the first was better, -1 when the second was, 0 for neither."""
        first, second, equal = self.units.get(unit, (0, 0, 0))
        self.units[unit] = (first + (outcome > 0), second + (outcome < 0), equal + (outcome == 0))

    @property
    def totals(self) -> tuple[int, int, int]:
        """Return first better, second better, equal, over all units."""
        counts = self.units.values()
        return sum(n[0] for n in counts), sum(n[1] for n in counts), sum(n[2] for n in counts)

    @property
    def majorities(self) -> tuple[int, int]:
        """Return in how many units the first was better more often than worse, and the reverse."""
        nets = self.nets(1).values()
        return sum(net > 0 for net in nets), sum(net < 0 for net in nets)

    def share_interval(self, place: int) -> tuple[float, float] | None:
        """Return the 95 % interval of a share of the comparisons, judgements of one unit being alike.

        Wilson's interval of as many independent comparisons as the ones here are worth: their number over
        the design effect (the variance of the share between units over the binomial one, at least 1), and
        fewer where units are few, by the square of the normal over Student's quantile. A share of 0 or 1 has
        no variance: a unit is then worth one comparison. None for fewer than two units.

        Args:
            place: of the outcome: 0 the first better, 1 the second better, 2 neither.
        """
        n_units = len(self.units)
        if n_units < 2:
            return None
        counts = np.array(list(self.units.values()), dtype=np.float64)
        size, chosen = counts.sum(axis=1), counts[:, place]
        n = float(size.sum())
        share = float(chosen.sum()) / n
        worth = float(n_units)
        if 0 < share < 1:
            squares = float(((chosen - share * size) ** 2).sum()) * n_units / (n_units - 1)
            worth = n / max(1.0, squares / (share * (1 - share) * n))
        worth *= float(stats.norm.ppf(0.975) / stats.t.ppf(0.975, n_units - 1)) ** 2
        return wilson_interval(share * worth, worth)

    def nets(self, sign: int) -> dict[Unit, int]:
        """Return, per unit, how much more often the first was preferred (sign 1), or the second (-1)."""
        return {unit: sign * (first - second) for unit, (first, second, _) in self.units.items()}


def count_preferences(
    comparisons: Iterable[Comparison], identical: Iterable[IdenticalPair], unit: str = "segment"
) -> dict[tuple[str, str], PairCounts]:
    """Return what is known of each pair of systems, pairs in order of names.

    Args:
        comparisons: what was shown; merged candidates count for every system in them.
        identical: what was not shown.
        unit: "segment" or "document".

    Raises:
        RecordError: an unknown winner, or a side without a system.
        OptionsError: documents are asked for and a comparison has none.
    """
    pairs: dict[tuple[str, str], PairCounts] = defaultdict(PairCounts)
    for comparison in comparisons:
        if comparison.winner not in WINNERS:
            raise RecordError(
                f"a comparison has the winner {comparison.winner!r}, expected {', '.join(WINNERS)}"
            )
        if not comparison.left or not comparison.right:
            raise RecordError("a comparison has a side without a system")
        outcome = {"left": 1, "right": -1, "equal": 0}[comparison.winner]
        where = _unit(comparison, unit)
        crossed = {
            (min(a, b), max(a, b), outcome if a < b else -outcome)
            for a, b in product(comparison.left, comparison.right)
            if a != b
        }
        for first, second, value in crossed:
            pairs[first, second].add(where, value)
    for same in identical:
        if same.system_a != same.system_b:
            a, b = sorted((same.system_a, same.system_b))
            pairs[a, b].identical.add((same.testset, same.segment))
    return dict(sorted(pairs.items()))


def _unit(comparison: Comparison, unit: str) -> Unit:
    if unit == "segment":
        return comparison.testset, comparison.segment
    if comparison.document is None:
        raise OptionsError(
            f"unit document needs a document for every segment; segment {comparison.segment} has none"
        )
    return comparison.testset, comparison.document


class PreferenceP(NamedTuple):
    """Bootstrap p-values of a preference: for the first, and for either."""

    one_sided: float | None
    two_sided: float | None


def preference_p_value(nets: Mapping[Unit, int], resamples: int, rng: np.random.Generator) -> float | None:
    """Return the one-sided p of `preference_p_values`."""
    return preference_p_values(nets, resamples, rng).one_sided


def preference_p_values(nets: Mapping[Unit, int], resamples: int, rng: np.random.Generator) -> PreferenceP:
    """Return the bootstrap p that the first system is not preferred: (#{net* ≤ 0} + 1) / (B + 1).

    Units (segments, documents) are resampled within test sets, ties counted in. Units with the same net
    preference are drawn together, as one multinomial. 1.0 without any preference; None when there is one and
    only one unit was compared, for a resample of it says the same again. Never below 2⁻ⁿ of the n
    units with a preference, the least that a sign test of them could give. The two-sided p is twice the
    smaller of both directions, at most 1.

    Args:
        nets: (test set, unit) → preferences for the first system minus those for the second.
        resamples: B.
        rng: the source of chance.
    """
    if not any(nets.values()):
        return PreferenceP(1.0, 1.0)
    if len(nets) < 2:
        return PreferenceP(None, None)
    total = _resampled_nets(nets, resamples, rng)
    least = 0.5 ** sum(1 for net in nets.values() if net)
    greater, less = (
        max(least, (int(np.count_nonzero(against)) + 1) / (resamples + 1))
        for against in (total <= 0, total >= 0)
    )
    return PreferenceP(greater, min(1.0, 2 * min(greater, less)))


def _resampled_nets(nets: Mapping[Unit, int], resamples: int, rng: np.random.Generator) -> IntArray:
    """Return the net preference of all units in each resample [B]."""
    by_testset: dict[str, Counter[int]] = defaultdict(Counter)
    for (testset, _), net in nets.items():
        by_testset[testset][net] += 1
    total = np.zeros(resamples, dtype=np.int64)
    for testset in sorted(by_testset):
        values, sizes = zip(*sorted(by_testset[testset].items()), strict=True)
        n = sum(sizes)
        step = max(1, RESAMPLED_CELLS // len(values))
        for start in range(0, resamples, step):
            b = min(step, resamples - start)
            draws = rng.multinomial(n, np.array(sizes) / n, size=b)
            total[start : start + b] += draws @ np.array(values)
    return total
