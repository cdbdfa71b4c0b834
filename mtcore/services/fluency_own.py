"""How close systems come to translated and to natural text, by models of their outputs (Edunov, Table 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from evalplatform.errors import BadInput
from mtcore.engines.base import Work
from mtcore.metrics.base import FloatArray, total
from mtcore.metrics.lm_model import ENDS, NLL, SUBWORD, WORDS
from mtcore.metrics.perplexity import Perplexity
from mtcore.metrics.scoring import LEVEL, finite
from mtcore.metrics.significance import Resampled, bootstrap, koehn_p
from mtcore.services.metric_outputs import Watch
from mtcore.services.metric_scoring import MetricOptions, metric_errors, scorers_make
from mtcore.services.versions import testset_find, version_find, version_lines, version_original

TEXTS = {"Y*": "direct", "Y": "reverse"}
"""The target text of direct segments was translated, that of reverse segments was not."""
WHAT = {"Y*": "translated text", "Y": "natural text"}


@dataclass(frozen=True)
class OwnOptions:
    """How closeness is measured.

    Attributes:
        version: of the target side, by name; empty for the original of each test set.
        tokens: words for n-gram models.
        resamples, seed: of the paired bootstrap over segments.
        alpha: p up to which a difference counts as shown.
    """

    version: str = ""
    tokens: str = "moses"
    resamples: int = 1000
    seed: int = 12345
    alpha: float = 0.05


@dataclass(frozen=True)
class OwnCell:
    """Perplexity a word of one text under the model of one system's outputs, ends of lines counted."""

    text: str
    system: str
    value: float | None
    ci: tuple[float, float] | None
    n_segments: int
    facts: Mapping[str, float | str]
    signature: str

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        facts = {name: one if isinstance(one, str) else finite(one) for name, one in self.facts.items()}
        return {
            "text": self.text, "system": self.system, "value": self.value,
            "ci": None if self.ci is None else list(self.ci), "n_segments": self.n_segments, **facts,
            "signature": self.signature,
        }  # fmt: skip


@dataclass(frozen=True)
class OwnDifference:
    """The models of two systems on one text: a − b and its p, with a sentence."""

    text: str
    a: str
    b: str
    difference: float
    ci: tuple[float, float] | None
    p: float | None
    sentence: str

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        return {
            "text": self.text, "a": self.a, "b": self.b, "difference": self.difference,
            "ci": None if self.ci is None else list(self.ci), "p": self.p, "test": "koehn",
            "sentence": self.sentence,
        }  # fmt: skip


@dataclass(frozen=True)
class Closeness:
    """Table 4: a row a text, a column a system."""

    testsets: tuple[str, ...]
    models: Mapping[str, str]
    cells: tuple[OwnCell, ...]
    differences: tuple[OwnDifference, ...]
    notices: tuple[str, ...]
    options: OwnOptions

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        return {
            "testsets": list(self.testsets), "models": dict(self.models),
            "results": [one.as_dict() for one in self.cells],
            "comparisons": [one.as_dict() for one in self.differences],
            "resampling": {"resamples": self.options.resamples, "seed": self.options.seed, "level": LEVEL},
            "notices": list(self.notices),
        }  # fmt: skip


def fluency_own(
    *,
    testsets: Sequence[str],
    models: Mapping[str, str],
    options: OwnOptions,
    watch: Watch | None = None,
    work: Work | None = None,
) -> Closeness:
    """Score the target texts of test sets with one language model for each system, learned from its outputs.

    Perplexities are by the word with the ends of lines counted, so that models compare that cut words into
    other pieces; the segments of all test sets count together.

    Args:
        testsets: their names, of one target language, with known directions.
        models: system → the model of its outputs, as in `--model ppl=…`.
        options: which version, and how differences are tested.
        watch: told what part is done.
        work: who runs an engine; by default here and now.

    Raises:
        NotFound, Conflict, BadInput: something that cannot be used.
    """
    if not models:
        raise BadInput("No language model is named.", "Give one for each system: NAME=MODEL.")
    lines, language = own_texts(testsets, options.version)
    found: dict[str, tuple[Perplexity, dict[str, FloatArray]]] = {}
    for number, (system, model) in enumerate(models.items()):
        if watch is not None:
            watch(number / len(models), f"the model of {system}")
        found[system] = _scored(model, lines, language, options, work)
    _comparable({system: metric for system, (metric, _) in found.items()})
    cells: list[OwnCell] = []
    differences: list[OwnDifference] = []
    for text in lines:
        resampled = _resampled([stats[text] for _, stats in found.values()], options)
        cells += _cells(text, found, resampled)
        differences += _differences(text, cells, list(found), resampled, options)
    notices = [
        f"There is no {WHAT[text]} ({text}) in these test sets." for text in TEXTS if text not in lines
    ]
    return Closeness(tuple(testsets), dict(models), tuple(cells), tuple(differences), tuple(notices), options)


def own_texts(testsets: Sequence[str], version: str) -> tuple[dict[str, list[str]], str]:
    """Return the lines of Y* and of Y, blank ones left out, and their language.

    Raises:
        NotFound: a test set or version that is not there.
        BadInput: test sets into several languages, or no known directions.
    """
    lines: dict[str, list[str]] = {}
    language = ""
    for name in dict.fromkeys(testsets):
        testset = testset_find(name)
        if language and testset.target_language != language:
            raise BadInput(
                f"“{name}” is into {testset.target_language}, another test set into {language}.",
                "Give test sets of one target language.",
            )
        language = testset.target_language
        row = (
            version_find(testset, version, side="target") if version else version_original(testset, "target")
        )
        directions = testset.segments.order_by("position").values_list("direction", flat=True)
        for line, direction in zip(version_lines(row), directions, strict=True):
            text = next((text for text, own in TEXTS.items() if own == direction), "")
            if text and line.strip():
                lines.setdefault(text, []).append(line)
    if not lines:
        raise BadInput(
            "No segment’s direction is known, so translated and natural text cannot be told apart.",
            "Give directions when test sets are imported (--direction).",
        )
    return {text: lines[text] for text in TEXTS if text in lines}, language


def _scored(
    model: str, lines: Mapping[str, Sequence[str]], language: str, options: OwnOptions, work: Work | None
) -> tuple[Perplexity, dict[str, FloatArray]]:
    wanted = MetricOptions(metrics=("ppl",), language=language, models={"ppl": model}, tokens=options.tokens)
    metric = scorers_make(wanted, work)[0].metric
    if not isinstance(metric, Perplexity):
        raise BadInput(f"{model} gives no perplexity.", "Name a language model.")
    with metric_errors():
        return metric, {text: metric.segment_stats(own, []) for text, own in lines.items()}


def _comparable(metrics: Mapping[str, Perplexity]) -> None:
    """Refuse models whose perplexities a word do not count the same.

    Raises:
        BadInput: units differ, a causal model counts no ends, or an n-gram model leaves unknown words out.
    """
    units = {system: metric.model.unit for system, metric in metrics.items()}
    if len(set(units.values())) > 1:
        told = ", ".join(f"{system}: {unit}" for system, unit in units.items())
        raise BadInput(
            f"Models of words and of subwords do not compare ({told}).", "Train them with one recipe."
        )
    signatures = {system: metric.signature() for system, metric in metrics.items()}
    for phrase, why in (
        ("oov:left out", "leaves unknown words out: give it an <unk>"),
        ("end:left out", "does not count the ends of lines: train a model on outputs with train_lm"),
    ):
        bad = [system for system, line in signatures.items() if phrase in line]
        if bad and len(metrics) > 1:
            raise BadInput(
                f"The model of “{bad[0]}” {why}.", "Models compare when they count the same words."
            )


def _by_word(stats: FloatArray) -> FloatArray:
    """Return −Σ ln p and words with ends of each line [n, 2]."""
    ends = stats[:, ENDS] if stats.shape[1] > ENDS else np.ones(len(stats))
    return np.column_stack([stats[:, NLL], stats[:, WORDS] + ends])


class _ByWord(Perplexity):
    """Perplexity from [−Σ ln p, words and ends] whatever made them."""

    def __init__(self) -> None:
        """Need no model."""


def _resampled(stats: Sequence[FloatArray], options: OwnOptions) -> Resampled | None:
    if options.resamples < 2 or len(stats[0]) < 2:
        return None
    rng = np.random.default_rng(options.seed)
    return bootstrap(_ByWord(), [_by_word(own) for own in stats], options.resamples, rng)


def _cells(
    text: str, found: Mapping[str, tuple[Perplexity, dict[str, FloatArray]]], resampled: Resampled | None
) -> list[OwnCell]:
    cells = []
    for place, (system, (metric, own)) in enumerate(found.items()):
        stats = own[text]
        value = finite(float(_ByWord().corpus_score(total(_by_word(stats)))))
        interval = None
        if resampled is not None and value is not None:
            low, high = (finite(end) for end in resampled.intervals(LEVEL)[place])
            interval = (low, high) if low is not None and high is not None else None
        facts = metric.facts(total(stats))
        if metric.model.unit == SUBWORD:
            facts["ppl_per_subword"] = float(metric.corpus_score(total(stats)))
        facts.pop("ppl_per_word", None)
        cells.append(OwnCell(text, system, value, interval, len(stats), facts, metric.signature()))
    return cells


def _differences(
    text: str,
    cells: Sequence[OwnCell],
    systems: Sequence[str],
    resampled: Resampled | None,
    options: OwnOptions,
) -> list[OwnDifference]:
    values = {cell.system: cell.value for cell in cells if cell.text == text}
    found = []
    for a, b in combinations(systems, 2):
        first, second = values[a], values[b]
        if first is None or second is None:
            continue
        p_value, interval = None, None
        if resampled is not None:
            x, y = systems.index(a), systems.index(b)
            p_value = koehn_p(resampled, x, y).two_sided
            low, high = np.quantile(
                resampled.draws[:, x] - resampled.draws[:, y], [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
            )
            interval = (min(float(low), first - second), max(float(high), first - second))
        told = _sentence(text, a, b, first, second, p_value, options.alpha)
        found.append(OwnDifference(text, a, b, first - second, interval, p_value, told))
    return found


def _sentence(
    text: str, a: str, b: str, first: float, second: float, p_value: float | None, alpha: float
) -> str:
    told = "not tested" if p_value is None else "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}"
    numbers = f"perplexity of {text} by the model of {a} {first:.1f}, of {b} {second:.1f}, {told}"
    if p_value is None or p_value > alpha:
        return (
            f"The outputs of {a} and {b} are equally close to {WHAT[text]}, as far as was shown ({numbers})."
        )
    closer, other = (a, b) if first < second else (b, a)
    return f"The output of {closer} is closer to {WHAT[text]} than that of {other} ({numbers})."
