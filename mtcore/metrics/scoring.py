"""Scores, intervals and tests from kept statistics of segments; the texts are not looked at again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mtcore.metrics.base import FloatArray, Metric, MetricError, total
from mtcore.metrics.significance import Resampled, bootstrap, koehn_p, sacrebleu_p

LEVEL = 0.95
NOT_FINITE = "the score is not a finite number"
NOT_COMPARABLE = "they were scored in different ways (see their signatures), which do not compare"
ONE_SEGMENT = "one segment alone has neither an interval nor a test"

Key = tuple[str, str | None, str | None]
"""Metric, input and reference: what outputs must share to be compared."""


@dataclass(frozen=True, eq=False)
class Kept:
    """What is kept of one output under one metric: statistics of its segments, or why there are none.

    `conditions` is how the condition of each direction is written, where that is known.
    """

    system: str
    input: str | None
    reference: str | None
    metric: str
    scorer: Metric | None
    stats: FloatArray | None
    signature: str
    conditions: Mapping[str | None, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def key(self) -> Key:
        """Return what it shares with outputs that it can be compared with."""
        return self.metric, self.input, self.reference


@dataclass(frozen=True)
class Part:
    """Which segments are scored: a direction and, where it is not all of them, their places."""

    direction: str | None
    places: npt.NDArray[np.int64] | None = None

    def of(self, stats: FloatArray) -> FloatArray:
        """Return the statistics of these segments."""
        return stats if self.places is None else stats[self.places]


@dataclass(frozen=True)
class ScoringOptions:
    """How intervals and tests are made.

    Attributes:
        resamples: of the bootstrap; 0 makes neither intervals nor tests.
        seed: of the bootstrap; sacrebleu's makes its very draws.
        tests: of TESTS, for each pair.
        pairs: names of systems to compare.
        segments: whether the score of every segment is wanted.
    """

    resamples: int = 1000
    seed: int = 12345
    tests: tuple[str, ...] = ("koehn",)
    pairs: tuple[tuple[str, str], ...] = ()
    segments: bool = False


@dataclass(frozen=True)
class Score:
    """A result: a value, or None and the reason why there is none."""

    system: str
    input: str | None
    reference: str | None
    direction: str | None
    condition: str | None
    metric: str
    value: float | None
    ci: tuple[float, float] | None
    n_segments: int
    signature: str
    reason: str = ""
    facts: Mapping[str, float | str] = field(default_factory=dict)
    segments: tuple[float | None, ...] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it; numbers are plain, what is not finite is None."""
        row: dict[str, Any] = {
            "system": self.system, "input": self.input, "reference": self.reference,
            "direction": self.direction, "condition": self.condition, "metric": self.metric,
            "value": self.value, "ci": None if self.ci is None else list(self.ci),
            "n_segments": self.n_segments, "signature": self.signature,
        }  # fmt: skip
        row |= {
            name: value if isinstance(value, str) else finite(value) for name, value in self.facts.items()
        }
        row |= {"reason": self.reason} if self.reason else {}
        return row | ({} if self.segments is None else {"segments": list(self.segments)})


@dataclass(frozen=True)
class Difference:
    """A comparison of two systems by one metric: a − b, and its p."""

    metric: str
    a: str
    b: str
    input: str | None
    reference: str | None
    direction: str | None
    difference: float | None
    ci: tuple[float, float] | None
    p: float | None
    test: str
    signature: str
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        row: dict[str, Any] = {
            "metric": self.metric, "a": self.a, "b": self.b, "difference": self.difference, "p": self.p,
            "test": self.test, "ci": None if self.ci is None else list(self.ci), "input": self.input,
            "reference": self.reference, "direction": self.direction, "signature": self.signature,
        }  # fmt: skip
        return row | ({"reason": self.reason} if self.reason else {})


@dataclass(frozen=True)
class ScoreReport:
    """Everything that was scored and compared; `overlap` of a language model's text with others."""

    results: tuple[Score, ...]
    comparisons: tuple[Difference, ...]
    notices: tuple[str, ...]
    metrics: Mapping[str, type[Metric]]
    options: ScoringOptions
    overlap: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON shows it."""
        options = self.options
        found: dict[str, Any] = {
            "results": [one.as_dict() for one in self.results],
            "comparisons": [one.as_dict() for one in self.comparisons],
            "resampling": {"resamples": options.resamples, "seed": options.seed, "level": LEVEL},
            "notices": list(self.notices),
        }
        return found | ({"lm_text": dict(self.overlap)} if self.overlap else {})


def score_kept(
    kept: Sequence[Kept],
    parts: Sequence[Part],
    options: ScoringOptions,
    metrics: Mapping[str, type[Metric]],
    notices: Sequence[str] = (),
) -> ScoreReport:
    """Score outputs, with intervals, and compare the pairs that are wanted.

    Outputs of one metric, input and reference are resampled together, so that every comparison is paired.

    Raises:
        MetricError: a pair names a system that is not there, or two that share no input.
    """
    groups: dict[Key, list[Kept]] = {}
    for one in kept:
        groups.setdefault(one.key, []).append(one)
    check_pairs([{one.system for one in group} for group in groups.values()], options.pairs)
    results: list[Score] = []
    compared: list[Difference] = []
    for part in parts:
        for group in groups.values():
            own, tests = _score_group(group, part, options)
            results += own
            compared += tests
    return ScoreReport(tuple(results), tuple(compared), tuple(notices), metrics, options)


def finite(value: float) -> float | None:
    """Return a plain number, or None where it is not finite."""
    number = float(value)
    return number if math.isfinite(number) else None


def check_pairs(together: Sequence[set[str]], pairs: Sequence[tuple[str, str]]) -> None:
    """Make sure that pairs can be compared.

    Args:
        together: systems whose outputs were made from the same input, a set for each input.
        pairs: which are to be compared.

    Raises:
        MetricError: a pair names a system that is not there, or two that share no input.
    """
    known = sorted(set().union(*together))
    for a, b in pairs:
        for name in (a, b):
            if name not in known:
                raise MetricError(f"there is no “{name}” to compare; there are {', '.join(known)}")
        if a == b:
            raise MetricError(f"“{a}” cannot be compared with itself")
        if not any({a, b} <= names for names in together):
            raise MetricError(f"“{a}” and “{b}” have no output of the same input to compare")


def _score_group(
    group: Sequence[Kept], part: Part, options: ScoringOptions
) -> tuple[list[Score], list[Difference]]:
    scored = [(one, part.of(one.stats)) for one in group if one.stats is not None]
    scored = [(one, stats) for one, stats in scored if np.isfinite(stats).all()]
    scorer = scored[0][0].scorer if scored else None
    resampled = None
    if scorer is not None and options.resamples and len(scored[0][1]) > 1:
        rng = np.random.default_rng(options.seed)
        resampled = bootstrap(scorer, [stats for _, stats in scored], options.resamples, rng)
    places = {one.system: place for place, (one, _) in enumerate(scored)}
    results = [_score(one, part, resampled, places.get(one.system), options) for one in group]
    values = {score.system: score.value for score in results}
    known = {one.system: one for one in group}
    compared = [
        _difference(known[a], known[b], part, values, resampled, places, test, options)
        for a, b in options.pairs
        if a in known and b in known
        for test in options.tests
    ]
    return results, compared


def _score(
    one: Kept, part: Part, resampled: Resampled | None, place: int | None, options: ScoringOptions
) -> Score:
    bare = Score(
        one.system, one.input, one.reference, part.direction, one.conditions.get(part.direction),
        one.metric, None, None, 0, one.signature, one.reason,
    )  # fmt: skip
    if one.scorer is None or one.stats is None:
        return bare
    stats = part.of(one.stats)
    sums = total(stats)
    value = finite(float(one.scorer.corpus_score(sums)))
    interval = None
    if resampled is not None and place is not None and value is not None:
        low, high = _interval(resampled, place)
        interval = (low, high) if low is not None and high is not None else None
    segments = None
    if options.segments:
        segments = tuple(finite(score) for score in one.scorer.segment_scores(stats))
    return replace(
        bare, value=value, ci=interval, n_segments=len(stats), facts=one.scorer.facts(sums),
        segments=segments, reason=one.reason or ("" if value is not None else NOT_FINITE),
    )  # fmt: skip


def _interval(resampled: Resampled, place: int) -> tuple[float | None, float | None]:
    low, high = resampled.intervals(LEVEL)[place]
    return finite(low), finite(high)


def _difference(
    a: Kept,
    b: Kept,
    part: Part,
    values: Mapping[str, float | None],
    resampled: Resampled | None,
    places: Mapping[str, int],
    test: str,
    options: ScoringOptions,
) -> Difference:
    first, second = values[a.system], values[b.system]
    difference = None if first is None or second is None else first - second
    signature = f"{a.signature}|test:{test}|bs:{options.resamples}|seed:{options.seed}"
    reason, p_value, interval = "", None, None
    if difference is None:
        reason = a.reason or b.reason or "one of them has no score"
    elif a.signature != b.signature:
        difference, reason = None, NOT_COMPARABLE
    elif resampled is None:
        reason = ONE_SEGMENT if options.resamples else "no resamples were asked for"
    else:
        x, y = places[a.system], places[b.system]
        p_value, reason = _p(resampled, x, y, test)
        low, high = np.quantile(
            resampled.draws[:, x] - resampled.draws[:, y], [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
        )
        interval = (min(float(low), difference), max(float(high), difference))
    return Difference(
        a.metric, a.system, b.system, a.input, a.reference, part.direction, difference, interval, p_value,
        test, signature, reason,
    )  # fmt: skip


def _p(resampled: Resampled, first: int, second: int, test: str) -> tuple[float, str]:
    """Return the two-sided p of a pair; two outputs that no resample tells apart have 1 by either test."""
    if np.array_equal(resampled.draws[:, first], resampled.draws[:, second]):
        return 1.0, "no resample tells the two apart"
    if test == "koehn":
        return koehn_p(resampled, first, second).two_sided, ""
    return sacrebleu_p(resampled, first, second), ""
