"""What a person asks for when metrics are put beside people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotation.stats.options import RESAMPLES, SEEDS
from annotation.stats.standardise import POPULATIONS
from evalplatform.errors import BadInput
from mtcore.corpora.names import check_name
from mtcore.metrics import METRICS
from mtcore.services.texts import as_bad_input

LEVELS = ("system", "segment")
DIRECTIONS = ("all", "direct", "reverse")
SEGMENTS = ("common", "all")
BY = ("system", "condition")
LIGHT = ("bleu", "chrf", "chrfpp", "ter")
"""Metrics that are computed at once where nobody has; others are where a person asks for them."""

MOST_LISTED = 1000


@dataclass(frozen=True)
class CorrelateOptions:
    """How metrics are compared with people.

    Attributes:
        metrics: names in METRICS, or of `scores`.
        levels: of LEVELS.
        directions: of DIRECTIONS; empty: all, and each direction where the segments have two.
        references: target versions by name or notation, one after the other; empty: what raters compared
            with, else the original.
        by: what a point is: a system, or a system in a condition.
        raw: take raw scores, not z.
        segments: "common": metrics over the segments that people judged of each system; "all": over the whole
            test set.
        population: the ratings that make a rater's mean and spread.
        threshold: points of the raw scale that count as a difference for the Kendall-like coefficient; None:
            25 of 100, the same share of other scales.
        resamples: of segments, for intervals and p-values.
        seed: of every draw.
        listed: segments listed on which metric and people are farthest apart, for each metric and direction.
        cloud: segment scores drawn for figures, for each metric and direction; 0: none.
        models: metric → path of what it runs on.
        scores: metric of one's own → file of its segment scores.
        lower_is_better: metrics of one's own for which less is better.
        compute: which metrics may be computed where they are not kept; others are taken only if kept.
        tokens: how the language model's words are cut.
        nfc: compose letters first.
    """

    metrics: tuple[str, ...] = ("bleu", "chrf")
    levels: tuple[str, ...] = LEVELS
    directions: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    by: str = "system"
    raw: bool = False
    segments: str = "common"
    population: str = "all"
    threshold: float | None = None
    resamples: int = 1000
    seed: int = 1
    listed: int = 10
    cloud: int = 0
    models: Mapping[str, str] = field(default_factory=dict)
    scores: Mapping[str, str] = field(default_factory=dict)
    lower_is_better: tuple[str, ...] = ()
    compute: tuple[str, ...] = tuple(METRICS)
    tokens: str = "moses"
    nfc: bool = False


def correlate_check(options: CorrelateOptions) -> None:
    """Refuse what cannot be asked for.

    Raises:
        BadInput: naming the option, what was expected and what was found.
    """
    for name, value, choices in (
        ("level", options.levels, LEVELS),
        ("direction", options.directions, DIRECTIONS),
        ("by", (options.by,), BY),
        ("segments", (options.segments,), SEGMENTS),
        ("population", (options.population,), tuple(POPULATIONS)),
    ):
        wrong = next((one for one in value if one not in choices), None)
        if wrong is not None:
            raise BadInput(f"{name} must be one of {', '.join(choices)}; found {wrong!r}.")
    if not options.metrics and not options.scores:
        raise BadInput("No metric is given.", f"There are {', '.join(METRICS)}.")
    _whole("resamples", options.resamples, RESAMPLES)
    _whole("seed", options.seed, SEEDS)
    _whole("listed segments", options.listed, (0, MOST_LISTED))
    if options.threshold is not None and not 0 <= options.threshold < float("inf"):
        raise BadInput(f"threshold must be 0 or more points of the raw scale; found {options.threshold:g}.")
    _check_scores(options)


def _check_scores(options: CorrelateOptions) -> None:
    for name, path in options.scores.items():
        with as_bad_input():
            check_name(name, "metric")
        if name in METRICS:
            raise BadInput(f"“{name}” is a metric of this platform.", "Give your scores another name.")
        if not Path(path).is_file():
            raise BadInput(f"The scores of {name} are not there: {path}.", "Give the path of a file.")
    strange = next((name for name in options.lower_is_better if name not in options.scores), None)
    if strange is not None:
        raise BadInput(
            f"“{strange}” is no metric of yours, so which way is better is known.",
            "Name one that is given by --scores.",
        )


def _whole(name: str, value: int, limits: tuple[int, int]) -> None:
    low, high = limits
    if not low <= value <= high:
        raise BadInput(f"{name} must be a whole number from {low:,} to {high:,}; found {value:,}.")
