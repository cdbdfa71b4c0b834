"""Fluency of systems by one language model for all, beside BLEU (Edunov et al. 2020, §5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from evalplatform.errors import BadInput
from mtcore.engines.base import Work
from mtcore.metrics import METRICS
from mtcore.metrics.lm_model import WORD
from mtcore.metrics.lm_verdict import OOV_APART, Verdict, measured
from mtcore.metrics.scoring import Score, ScoreReport, ScoringOptions, finite
from mtcore.models import Run
from mtcore.services.fluency_disjoint import Disjoint, disjointness
from mtcore.services.metric_outputs import Selection, Watch, outputs_score, outputs_score_check
from mtcore.services.metric_scoring import MetricOptions

ALPHA = 0.05


@dataclass(frozen=True)
class FluencyOptions:
    """How fluency is compared.

    Attributes:
        direction: "direct" (the recommendation), "reverse" or "all".
        reference: of BLEU; empty for the original.
        inputs: versions of the source the outputs were made from; empty for all.
        tokens: words for an n-gram model: "moses" or "given".
        resamples, seed: of the paired bootstrap.
        alpha: p up to which a difference counts as shown.
        lm_text, bt_texts: files with the model's text and with what was translated back, where the platform
            does not know them.
        refuse_overlap: do not score at all with a model whose text was translated back.
    """

    direction: str = "direct"
    reference: str = ""
    inputs: tuple[str, ...] = ()
    tokens: str = "moses"
    resamples: int = 1000
    seed: int = 12345
    alpha: float = ALPHA
    lm_text: str = ""
    bt_texts: tuple[str, ...] = ()
    refuse_overlap: bool = False


@dataclass(frozen=True)
class Fluency:
    """Scores and comparisons, a verdict a pair and condition, and what is known of the model's text."""

    testset: str
    lm: str
    verdicts: tuple[tuple[str, Verdict], ...]
    report: ScoreReport
    disjoint: tuple[Disjoint, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows: the report of scores with `testset`, `lm`, `verdicts` and `disjoint`."""
        return {
            "testset": self.testset, "lm": self.lm,
            "verdicts": [{"condition": where, **one.as_dict()} for where, one in self.verdicts],
            "disjoint": [one.as_dict() for one in self.disjoint], **self.report.as_dict(),
        }  # fmt: skip


def fluency_compare(
    *,
    testset: str,
    systems: Sequence[str],
    lm: str,
    options: FluencyOptions,
    run: Run | None = None,
    watch: Watch | None = None,
    work: Work | None = None,
) -> Fluency:
    """Compare the fluency of every two of some systems under one language model, beside their BLEU.

    Args:
        testset: its name.
        systems: two or more, with outputs for it.
        lm: as in `--model ppl=…`: an ARPA file, "run:ID" or "run:NAME", the folder of a bundle or of a causal
            model of transformers.
        options: which text, and how it is tested.
        run: the run that the work is done for.
        watch: told what part is done.
        work: who runs an engine; by default here and now.

    Raises:
        NotFound, Conflict, BadInput: something that cannot be used, or an overlap that was to be refused.
    """
    names = _names(systems, options)
    disjoint = disjointness(lm=lm, systems=names, lm_text=options.lm_text, bt_texts=options.bt_texts)
    shared = next((one for one in disjoint if one.shared), None)
    if shared is not None and options.refuse_overlap:
        raise BadInput(shared.sentence, "Take another model, or leave --refuse-overlap out.")
    report = outputs_score(
        testset=testset,
        selection=_selection(names, options),
        options=_metrics(names, lm, options),
        run=run,
        watch=watch,
        work=work,
    )
    if all(one.value is None for one in report.results if one.metric == "ppl"):
        raise BadInput(
            f"There is no perplexity: {_reason(report)}.", "Put that right, or name another model."
        )
    notices = [*report.notices, *_cautions(report), *(one.sentence for one in disjoint)]
    report = replace(report, notices=tuple(notices))
    return Fluency(testset, lm, tuple(_verdicts(report, options)), report, disjoint)


def fluency_check(*, testset: str, systems: Sequence[str], lm: str, options: FluencyOptions) -> None:
    """Refuse what `fluency_compare` would refuse before it scores.

    Raises:
        NotFound, Conflict, BadInput: something that cannot be used.
    """
    names = _names(systems, options)
    outputs_score_check(
        testset=testset, selection=_selection(names, options), options=_metrics(names, lm, options)
    )


def _names(systems: Sequence[str], options: FluencyOptions) -> list[str]:
    names = list(dict.fromkeys(systems))
    if len(names) < 2:
        raise BadInput(
            "Fluency is compared between two systems or more.", "Name them with --systems A B, each once."
        )
    if not 0 < options.alpha < 1:
        raise BadInput(f"alpha is {options.alpha:g}, which is no probability.", "Give one such as 0.05.")
    return names


def _selection(names: Sequence[str], options: FluencyOptions) -> Selection:
    return Selection(
        systems=tuple(names),
        inputs=options.inputs,
        references=(options.reference,) if options.reference else (),
        directions=(options.direction,),
    )


def _metrics(names: Sequence[str], lm: str, options: FluencyOptions) -> MetricOptions:
    return MetricOptions(
        metrics=("bleu", "ppl"),
        models={"ppl": lm},
        tokens=options.tokens,
        needed=("ppl",),
        scoring=ScoringOptions(
            resamples=options.resamples, seed=options.seed, pairs=tuple(combinations(names, 2))
        ),
    )


def _verdicts(report: ScoreReport, options: FluencyOptions) -> list[tuple[str, Verdict]]:
    """Join the comparisons by BLEU and by perplexity that are of the same outputs."""
    values = {(one.metric, one.system, one.input): one.value for one in report.results}
    found = []
    for bleu in (one for one in report.comparisons if one.metric == "bleu"):
        key = (bleu.a, bleu.b, bleu.input)
        ppl = next(
            one for one in report.comparisons if one.metric == "ppl" and (one.a, one.b, one.input) == key
        )
        both = [
            measured(
                one, values[one.metric, one.a, one.input], values[one.metric, one.b, one.input],
                METRICS[one.metric].higher_is_better,
            )
            for one in (bleu, ppl)
        ]  # fmt: skip
        text = {"all": "all text"}.get(options.direction, f"{options.direction} text")
        where = next(
            (
                one.condition or ""
                for one in report.results
                if (one.metric, one.system, one.input) == ("bleu", bleu.a, bleu.input)
            ),
            "",
        )
        found.append((where, Verdict(bleu.a, bleu.b, text, both[0], both[1], options.alpha)))
    return found


def _cautions(report: ScoreReport) -> list[str]:
    """Say what makes perplexities of two outputs hard to compare, though model and words are the same."""
    found = []
    scores = {(one.system, one.input): one for one in report.results if one.metric == "ppl"}
    for pair in (one for one in report.comparisons if one.metric == "ppl"):
        a, b = scores[pair.a, pair.input], scores[pair.b, pair.input]
        of_words = a.facts.get("unit") == WORD
        shares = (_number(a, "oov_rate"), _number(b, "oov_rate"))
        if of_words and abs(shares[0] - shares[1]) > OOV_APART:
            found.append(
                f"{pair.a} has {shares[0]:.1%} words unknown to the language model, {pair.b} "
                f"{shares[1]:.1%}: an unknown word costs the same whatever it is, so these perplexities say "
                "less."
            )
        words = (_number(a, "ppl_per_word"), _number(b, "ppl_per_word"))
        if pair.difference and all(words) and (words[0] - words[1]) * pair.difference < 0:
            found.append(
                f"By the word {pair.a} has perplexity {words[0]:.1f} and {pair.b} {words[1]:.1f}, the other "
                "way round than by the subword: one is cut into more pieces than the other."
            )
    return found


def _number(score: Score, name: str) -> float:
    value = score.facts.get(name)
    return value if isinstance(value, int | float) and finite(value) is not None else 0.0


def _reason(report: ScoreReport) -> str:
    return next(
        (one.reason for one in report.results if one.metric == "ppl" and one.reason), "no reason is known"
    )
