"""Score pairwise preferences: counts, sign tests, bootstrap, expected wins, position bias."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from annotation.stats.options import ScoreOptions
from annotation.stats.records import Comparison, IdenticalPair, RecordError
from annotation.stats.significance import sign_test, wilson_interval

Unit = tuple[str, Hashable]
WINNERS = ("left", "right", "equal")
RESAMPLED_CELLS = 4_000_000


@dataclass
class _Pair:
    """What is known of two systems, the first one in name order.

    `net` is, per segment, how much more often the first was preferred than the second.
    """

    first_better: int = 0
    second_better: int = 0
    equal: int = 0
    net: dict[Unit, int] = field(default_factory=dict)
    identical: set[Unit] = field(default_factory=set)

    def add(self, unit: Unit, outcome: int) -> None:
        self.first_better += outcome > 0
        self.second_better += outcome < 0
        self.equal += outcome == 0
        self.net[unit] = self.net.get(unit, 0) + outcome


def score_comparisons(
    comparisons: Iterable[Comparison],
    identical: Iterable[IdenticalPair] = (),
    options: ScoreOptions | None = None,
) -> dict[str, Any]:
    """Score every system and pair of systems that were compared.

    A comparison of merged candidates counts for every pair of a system on the left and one on the right; a
    system is never compared with itself. Raters whom a person excluded do not count. Identical pairs are left
    out of tests and rates and reported as a number of segments.

    Returns:
        `{"systems": […], "pairs": […], "position": {…}, "raters": […]}`, undefined values None.

        systems: by expected wins, then win rate, from high to low, then name. `expected_wins` is the mean
            over opponents of wins / (wins + losses), ties left out (WMT); `win_rate` is (wins + ties / 2) / n
            over the n comparisons.

        pairs: `system_a` is the one preferred more often (equal: name order), so one-sided directions are
            read off the data. `shares` holds [share, low, high] with Wilson's 95 % interval for a_better,
            b_better and equal.

        position: how often the left, the right and neither candidate was chosen, and the exact two-sided p
            for left against right.

    Raises:
        RecordError: an unknown winner, or a side without a system.
    """
    options = options or ScoreOptions()
    shown = list(comparisons)
    kept = [comparison for comparison in shown if not comparison.excluded_by]
    pairs = _collect(kept, identical)
    rng = np.random.default_rng(options.seed)
    children = rng.spawn(len(pairs))
    rows = [
        _pair_row(names, pair, options.preference_resamples, child)
        for (names, pair), child in zip(pairs.items(), children, strict=True)
    ]
    return {
        "systems": _system_rows(pairs),
        "pairs": rows,
        "position": _position(kept),
        "raters": _rater_rows(shown),
    }


def preference_p_value(nets: Mapping[Unit, int], resamples: int, rng: np.random.Generator) -> float:
    """Return the bootstrap p that the first system is not preferred: (#{net* ≤ 0} + 1) / (B + 1).

    Segments are resampled within test sets, ties counted in. Segments with the same net preference are drawn
    together, as one multinomial. 1.0 without any segment.

    Args:
        nets: (test set, segment) → preferences for the first system minus those for the second.
        resamples: B.
        rng: the source of chance.
    """
    if not any(nets.values()):
        return 1.0
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
    return (int(np.count_nonzero(total <= 0)) + 1) / (resamples + 1)


def _collect(
    comparisons: list[Comparison], identical: Iterable[IdenticalPair]
) -> dict[tuple[str, str], _Pair]:
    """Return what is known of each pair, pairs in order of names."""
    pairs: dict[tuple[str, str], _Pair] = defaultdict(_Pair)
    for comparison in comparisons:
        if comparison.winner not in WINNERS:
            raise RecordError(
                f"a comparison has the winner {comparison.winner!r}, expected {', '.join(WINNERS)}"
            )
        if not comparison.left or not comparison.right:
            raise RecordError("a comparison has a side without a system")
        outcome = {"left": 1, "right": -1, "equal": 0}[comparison.winner]
        unit = (comparison.testset, comparison.segment)
        crossed = {
            (min(a, b), max(a, b), outcome if a < b else -outcome)
            for a, b in product(comparison.left, comparison.right)
            if a != b
        }
        for first, second, value in crossed:
            pairs[first, second].add(unit, value)
    for same in identical:
        if same.system_a != same.system_b:
            a, b = sorted((same.system_a, same.system_b))
            pairs[a, b].identical.add((same.testset, same.segment))
    return dict(sorted(pairs.items()))


def _pair_row(
    names: tuple[str, str], pair: _Pair, resamples: int, rng: np.random.Generator
) -> dict[str, Any]:
    counts = (pair.first_better, pair.second_better)
    sign = 1
    if counts[1] > counts[0]:
        names, counts, sign = names[::-1], counts[::-1], -1
    signs = sign_test(*counts)
    n = sum(counts) + pair.equal
    nets = {unit: sign * net for unit, net in pair.net.items()}
    shares = {"a_better": counts[0], "b_better": counts[1], "equal": pair.equal}
    return {
        "system_a": names[0],
        "system_b": names[1],
        **shares,
        "identical": len(pair.identical),
        "p_sign_one_sided": signs.one_sided,
        "p_sign_two_sided": signs.two_sided,
        "p_bootstrap": preference_p_value(nets, resamples, rng),
        "shares": {name: _share(count, n) for name, count in shares.items()},
    }


def _share(count: int, n: int) -> list[float] | None:
    interval = wilson_interval(count, n)
    return None if interval is None else [count / n, *interval]


def _system_rows(pairs: dict[tuple[str, str], _Pair]) -> list[dict[str, Any]]:
    tallies: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for (first, second), pair in pairs.items():
        tallies[first].append((pair.first_better, pair.second_better, pair.equal))
        tallies[second].append((pair.second_better, pair.first_better, pair.equal))
    rows = []
    for system, opponents in tallies.items():
        decided = [wins / (wins + losses) for wins, losses, _ in opponents if wins + losses]
        n = sum(sum(tally) for tally in opponents)
        points = sum(wins + ties / 2 for wins, _, ties in opponents)
        rows.append(
            {
                "system": system,
                "expected_wins": sum(decided) / len(decided) if decided else None,
                "win_rate": points / n if n else None,
                "n": n,
            }
        )
    return sorted(rows, key=_system_order)


def _system_order(row: dict[str, Any]) -> tuple[float, float, str]:
    expected, rate = row["expected_wins"], row["win_rate"]
    return (1.0 if expected is None else -expected, 1.0 if rate is None else -rate, row["system"])


def _position(comparisons: list[Comparison]) -> dict[str, Any]:
    chosen = Counter(comparison.winner for comparison in comparisons)
    return {
        **{winner: chosen[winner] for winner in ("left", "right", "equal")},
        "p_two_sided": sign_test(chosen["left"], chosen["right"]).two_sided,
    }


def _rater_rows(comparisons: list[Comparison]) -> list[dict[str, Any]]:
    given = Counter(comparison.rater for comparison in comparisons)
    reasons = {
        comparison.rater: comparison.excluded_by for comparison in comparisons if comparison.excluded_by
    }
    return [
        {"rater": rater, "n": n, "excluded_by": reasons.get(rater, "")} for rater, n in sorted(given.items())
    ]
