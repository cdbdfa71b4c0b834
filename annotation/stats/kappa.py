"""Agreement on preferences as WMT computes it: κ with a chance of ties.

Bojar et al. 2016, Findings of WMT16, §3: two labels are compared when they are about the same segment and the
same two systems; κ = (P(A) − P(E)) / (1 − P(E)), P(E) = p_tie² + 2 ((1 − p_tie) / 2)². Their published
numbers compare labels only where the two systems stand in the same order, and count two labels of one rater
like those of two; these are the defaults. Other choices are named options.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np

from annotation.stats.alpha import AgreementError
from annotation.stats.records import Comparison, FloatArray
from annotation.stats.resampling import percentile_interval, resample_counts

ORDERS = ("same", "either")
PAIRS = ("all", "between", "within")
SWAPPED = {"left": "right", "right": "left", "equal": "equal"}
Labels = dict[tuple[Hashable, ...], Counter[tuple[str, str]]]


class Kappa(NamedTuple):
    """κ and what it is made of.

    `agree` of `comparable` pairs of labels are equal, `ties` of `labels` labels say equal. `value` is None
    without comparable pairs, or when chance alone agrees always.
    """

    value: float | None
    low: float | None
    high: float | None
    p_agree: float | None
    p_expected: float | None
    agree: int
    comparable: int
    ties: int
    labels: int
    caveat: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return strict JSON."""
        return self._asdict()


def wmt_kappa(
    comparisons: Iterable[Comparison],
    *,
    order: str = "same",
    pairs: str = "all",
    rng: np.random.Generator | None = None,
    resamples: int = 1000,
) -> Kappa:
    """Return κ over pairs of labels, with a percentile interval from resampled segments.

    Merged (identical) outputs are one candidate. Ties are counted over all labels given, comparable or not.

    Args:
        comparisons: the labels; those of excluded raters are left out before.
        order: "same" compares labels where the two candidates stood on the same sides, as published;
            "either" turns labels round where they stood the other way.
        pairs: labels of "all" raters, as published; "between" different raters; "within" one rater
            (intra-annotator agreement).
        rng: the source of chance; None leaves the interval out.
        resamples: bootstrap resamples of segments.

    Raises:
        AgreementError: an unknown order, choice of pairs, or winner.
    """
    if order not in ORDERS or pairs not in PAIRS:
        raise AgreementError(
            f"order must be one of {', '.join(ORDERS)} and pairs one of {', '.join(PAIRS)}; "
            f"found {order!r} and {pairs!r}"
        )
    segments: dict[tuple[str, Hashable], Labels] = defaultdict(lambda: defaultdict(Counter))
    for one in comparisons:
        if one.winner not in SWAPPED:
            raise AgreementError(f"a comparison has the winner {one.winner!r}, expected left, right or equal")
        left, right, winner = one.left, one.right, str(one.winner)
        if order == "either" and left > right:
            left, right, winner = right, left, SWAPPED[winner]
        segments[one.testset, one.segment][left, right][one.rater, winner] += 1
    sums = np.array([_tally(labels, pairs) for labels in segments.values()], dtype=np.float64).reshape(-1, 4)
    return _kappa(sums, rng, resamples)


def _tally(labels: Labels, pairs: str) -> tuple[int, int, int, int]:
    """Return (agreeing pairs, comparable pairs, ties, labels) of a segment."""
    agree = comparable = ties = total = 0
    for given in labels.values():
        raters: Counter[str] = Counter()
        winners: Counter[str] = Counter()
        for (rater, winner), times in given.items():
            raters[rater] += times
            winners[winner] += times
        size = raters.total()
        all_agree, all_comparable = _twos(winners), _two(size)
        own_agree, own_comparable = _twos(given), _twos(raters)
        agree += {"all": all_agree, "within": own_agree, "between": all_agree - own_agree}[pairs]
        comparable += {
            "all": all_comparable,
            "within": own_comparable,
            "between": all_comparable - own_comparable,
        }[pairs]
        ties += winners["equal"]
        total += size
    return agree, comparable, ties, total


def _two(n: int) -> int:
    return n * (n - 1) // 2


def _twos(counter: Counter[Any]) -> int:
    """Return the number of pairs inside the groups counted."""
    return sum(_two(times) for times in counter.values())


def _kappa(sums: FloatArray, rng: np.random.Generator | None, resamples: int) -> Kappa:
    agree, comparable, ties, labels = (int(total) for total in sums.sum(axis=0))
    counts = (agree, comparable, ties, labels)
    if not labels:
        return Kappa(None, None, None, None, None, *counts, "no comparisons")
    p_expected = _expected(ties / labels)
    if not comparable:
        return Kappa(None, None, None, None, p_expected, *counts, "no two labels are comparable")
    p_agree = agree / comparable
    if p_expected >= 1:
        return Kappa(None, None, None, p_agree, p_expected, *counts, "every label is a tie")
    value = (p_agree - p_expected) / (1 - p_expected)
    low = high = None
    if rng is not None and len(sums) > 1:
        strata = np.zeros(len(sums), dtype=np.int64)
        draws = np.vstack([drawn @ sums for drawn in resample_counts(rng, strata, resamples)])
        draws = draws[(draws[:, 1] > 0) & (draws[:, 2] < draws[:, 3])]
        expected = _expected(draws[:, 2] / draws[:, 3])
        kappas = (draws[:, 0] / draws[:, 1] - expected) / (1 - expected)
        if len(kappas):
            low, high = percentile_interval(kappas[:, None], np.array([value]))[0].tolist()
    return Kappa(value, low, high, p_agree, p_expected, *counts)


def _expected(p_tie: Any) -> Any:
    return p_tie**2 + 2 * ((1 - p_tie) / 2) ** 2
