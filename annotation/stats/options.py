"""How scores are computed: the named choices, and the one line that states them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotation.stats.aggregate import REPEATS
from annotation.stats.disagreement import TREATMENTS
from annotation.stats.ranking import RULES
from annotation.stats.standardise import POPULATIONS

SCOPES = ("campaign", "study")
TESTS = {
    "bootstrap": "koehn",
    "randomisation": "randomisation",
    "signed_rank": "signed_rank",
    "rank_sum": "rank_sum",
}
"""Tests of a pair, and what the signature calls them."""

UNITS = ("segment", "document")
RATERS = ("fixed", "random")
INTERVALS = ("percentile", "bca")
CORRECTIONS = ("none", "holm")
RECORDS = ("rating", "comparison")
RESAMPLES = (2, 100_000)
PREFERENCE_RESAMPLES = (2, 10_000_000)
SEEDS = (0, 2**63 - 1)


class OptionsError(ValueError):
    """An option outside what is defined."""


@dataclass(frozen=True)
class ScoreOptions:
    """The choices behind a set of scores.

    Attributes:
        population: the ratings that make a rater's mean and spread.
        repeats: how ratings of one rater for the same item are averaged.
        clusters: where a cluster of systems ends.
        resamples: bootstrap resamples of segments (documents), and sign flips, 2 to 100,000.
        seed: of every draw, 0 or more.
        interval: kind of bootstrap interval; bca needs fixed raters.
        hypothesis: (better, worse), the direction declared beforehand for one-sided tests.
        by_condition: score a system apart in each condition.
        preference_resamples: bootstrap resamples for preferences, where they are cheap.
        unit: what is resampled; documents need one for every segment.
        raters: "fixed": what these raters would say of other segments. "random": what other raters like them
            would say of other segments (raters are resampled too).
        test: the test of a pair that is corrected for the number of pairs.
        correction: of that test's two-sided p over all pairs.
        scope: the ratings that make a rater's mean and spread are those of the campaign or of all campaigns
            of a study in the same language direction; whoever makes the table gives them.
        disagreement: which rounds count where an item was judged again.
    """

    population: str = "all"
    repeats: str = "flat"
    clusters: str = "strict"
    resamples: int = 1000
    seed: int = 1
    interval: str = "percentile"
    hypothesis: tuple[str, str] | None = None
    by_condition: bool = False
    preference_resamples: int = 200_000
    unit: str = "segment"
    raters: str = "fixed"
    test: str = "bootstrap"
    correction: str = "none"
    scope: str = "campaign"
    disagreement: str = "replace"

    def __post_init__(self) -> None:
        """Check every option.

        Raises:
            OptionsError: naming the option, what was expected and what was found.
        """
        for name, choices in CHOICES.items():
            _check_choice(name, getattr(self, name), choices)
        _check_whole("resamples", self.resamples, RESAMPLES)
        _check_whole("preference_resamples", self.preference_resamples, PREFERENCE_RESAMPLES)
        _check_whole("seed", self.seed, SEEDS)
        if self.interval == "bca" and self.raters == "random":
            raise OptionsError(
                "interval bca is defined for raters fixed only (its jackknife leaves out segments);"
                " use interval percentile with raters random"
            )
        if self.hypothesis is not None and (
            len(self.hypothesis) != 2 or self.hypothesis[0] == self.hypothesis[1]
        ):
            raise OptionsError("hypothesis must name two different systems, as in BT>OP")


CHOICES: dict[str, tuple[str, ...]] = {
    "population": tuple(POPULATIONS),
    "repeats": REPEATS,
    "clusters": RULES,
    "interval": INTERVALS,
    "unit": UNITS,
    "raters": RATERS,
    "test": tuple(TESTS),
    "correction": CORRECTIONS,
    "scope": SCOPES,
    "disagreement": TREATMENTS,
}
"""The options that are one of several names."""


def parse_hypothesis(text: str, systems: Iterable[str]) -> tuple[str, str]:
    """Read "BETTER>WORSE", where both are names of systems (which may hold a ">" themselves).

    Raises:
        OptionsError: no reading, or more than one, gives two different known systems.
    """
    known = set(systems)
    places = [place for place, character in enumerate(text) if character == ">"]
    splits = [(text[:place].strip(), text[place + 1 :].strip()) for place in places]
    readings = [(a, b) for a, b in splits if a in known and b in known and a != b]
    if len(readings) != 1:
        names = ", ".join(sorted(known)) or "none"
        raise OptionsError(f"hypothesis {text!r} must be BETTER>WORSE with two of the systems: {names}")
    return readings[0]


def signature(
    options: ScoreOptions,
    protocol: str,
    exclusions: int,
    versions: Mapping[str, str],
    record: str | None = None,
) -> str:
    """Return one line that states how scores were made; same line and ratings, same numbers.

    Args:
        options: the choices.
        protocol: name of the protocol.
        exclusions: number of raters that a person excluded.
        versions: name → version of the code and of the libraries, in the order to print.
        record: "rating" or "comparison", what the protocol's judgements become: only choices that apply to it
            are stated. None states those of both.

    Raises:
        OptionsError: an unknown record.
    """
    if record is not None:
        _check_choice("record", record, RECORDS)
    stated = {
        "protocol": protocol,
        **(_of_ratings(options) if record != "comparison" else {}),
        **(_of_comparisons(options) if record == "comparison" else {}),
        "unit": options.unit,
        "correction": options.correction,
        "resamples": options.resamples,
        **({"preference_resamples": options.preference_resamples} if record != "rating" else {}),
        "seed": options.seed,
        "by": "condition" if options.by_condition else "system",
        "hypothesis": ">".join(options.hypothesis) if options.hypothesis else "none",
        "exclusions": exclusions,
        **versions,
    }
    return "|".join(f"{name}:{value}" for name, value in stated.items())


def _of_ratings(options: ScoreOptions) -> dict[str, str]:
    return {
        "population": options.population,
        "scope": options.scope,
        "repeats": options.repeats,
        "disagreement": options.disagreement,
        "clusters": options.clusters,
        "test": TESTS[options.test],
        "interval": options.interval,
        "raters": options.raters,
    }


def _of_comparisons(options: ScoreOptions) -> dict[str, str]:
    return {"test": "sign", "model": "davidson", "interval": "percentile"}


def _check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    if value not in tuple(choices):
        raise OptionsError(f"{name} must be one of {', '.join(choices)}; found {value!r}")


def _check_whole(name: str, value: object, limits: tuple[int, int]) -> None:
    low, high = limits
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise OptionsError(f"{name} must be a whole number from {low:,} to {high:,}; found {value!r}")
