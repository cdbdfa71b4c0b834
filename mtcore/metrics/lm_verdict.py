"""The verdict of Edunov et al. (2020, §5) on two systems: BLEU first, and what a language model adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mtcore.metrics.scoring import Difference

TIE, DECIDED, OPEN = "tie", "decided", "open"
OOV_APART = 0.01
"""Shares of unknown words further apart than this make perplexities hard to compare."""


@dataclass(frozen=True)
class Measured:
    """One metric of two systems: both values, a − b with its interval and two-sided p.

    `reason` says why something is missing.
    """

    metric: str
    higher_is_better: bool
    a: float | None
    b: float | None
    difference: float | None
    ci: tuple[float, float] | None
    p: float | None
    reason: str = ""

    def state(self, alpha: float) -> str:
        """Return "decided", "tie" (no difference was shown), or "open" (it could not be tested)."""
        if self.p is None or self.difference is None:
            return OPEN
        return DECIDED if self.p <= alpha and self.difference else TIE

    @property
    def a_is_better(self) -> bool:
        """Tell whether the difference speaks for the first."""
        return bool(self.difference and (self.difference > 0) == self.higher_is_better)

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        found: dict[str, Any] = {
            "a": self.a, "b": self.b, "difference": self.difference,
            "ci": None if self.ci is None else list(self.ci), "p": self.p,
        }  # fmt: skip
        return found | ({"reason": self.reason} if self.reason else {})


@dataclass(frozen=True)
class Verdict:
    """What BLEU and a language model say of two systems.

    Attributes:
        a, b: the systems.
        text: what was translated, as a sentence has it ("direct text").
        bleu, ppl: the two measures.
        alpha: p up to which a difference counts as shown.
    """

    a: str
    b: str
    text: str
    bleu: Measured
    ppl: Measured
    alpha: float = 0.05

    @property
    def outcome(self) -> str:
        """Return the two states and whom they speak for, as "tie/b", "a/b", "tie/tie", "open/a"."""
        return f"{self._whom(self.bleu)}/{self._whom(self.ppl)}"

    @property
    def more_fluent(self) -> str:
        """Return the system whose output the model finds more fluent; empty when no difference was shown."""
        if self.ppl.state(self.alpha) != DECIDED:
            return ""
        return self.a if self.ppl.a_is_better else self.b

    @property
    def sentence(self) -> str:
        """Say in one sentence what the language model adds to BLEU."""
        bleu, ppl = self.bleu.state(self.alpha), self.ppl.state(self.alpha)
        if bleu == OPEN and ppl == OPEN:
            return f"Neither could be tested on {self.text}: {self.bleu.reason or self.ppl.reason}."
        if bleu == OPEN:
            return f"BLEU could not be tested ({self.bleu.reason}); {self._fluency()}."
        if ppl == OPEN:
            return f"{self._bleu()}; perplexity could not be tested ({self.ppl.reason})."
        if bleu == TIE and ppl == TIE:
            return (
                f"Neither BLEU ({_numbers(self.bleu)}) nor the language model ({self._perplexities()}) tells "
                f"{self.a} and {self.b} apart on {self.text}."
            )
        if bleu == TIE:
            return f"{self._bleu()}, but the language model does: {self._fluency()}."
        if ppl == TIE:
            return (
                f"{self._bleu()}; the language model shows no difference in fluency ({self._perplexities()})."
            )
        if self.bleu.a_is_better == self.ppl.a_is_better:
            return f"{self._bleu()}, and the language model agrees: {self._fluency()}."
        return (
            f"{self._bleu()}, while the language model speaks for the other: {self._fluency()}; fluent is "
            "not the same as right, so let people judge."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON shows of it."""
        return {
            "a": self.a, "b": self.b, "outcome": self.outcome, "more_fluent": self.more_fluent or None,
            "sentence": self.sentence, "alpha": self.alpha, "bleu": self.bleu.as_dict(),
            "ppl": self.ppl.as_dict(),
        }  # fmt: skip

    def _whom(self, measured: Measured) -> str:
        state = measured.state(self.alpha)
        return ("a" if measured.a_is_better else "b") if state == DECIDED else state

    def _bleu(self) -> str:
        if self.bleu.state(self.alpha) == TIE:
            return f"BLEU does not tell {self.a} and {self.b} apart on {self.text} ({_numbers(self.bleu)})"
        better = self.a if self.bleu.a_is_better else self.b
        return f"BLEU prefers {better} on {self.text} ({_numbers(self.bleu)})"

    def _fluency(self) -> str:
        if not self.more_fluent:
            return f"the language model shows no difference in fluency ({self._perplexities()})"
        return f"the output of {self.more_fluent} is more fluent ({self._perplexities()})"

    def _perplexities(self) -> str:
        a, b = (f"{value:.1f}" if value is not None else "–" for value in (self.ppl.a, self.ppl.b))
        return f"perplexity of {self.a} {a}, of {self.b} {b}, {_p(self.ppl.p)}"


def measured(found: Difference, a: float | None, b: float | None, higher_is_better: bool) -> Measured:
    """Gather what a verdict needs from a comparison and both values."""
    return Measured(
        found.metric, higher_is_better, a, b, found.difference, found.ci, found.p,
        found.reason or ("" if found.p is not None else "no test was made"),
    )  # fmt: skip


def _numbers(one: Measured) -> str:
    return f"{one.difference:+.2f}, {_p(one.p)}" if one.difference is not None else _p(one.p)


def _p(p_value: float | None) -> str:
    if p_value is None:
        return "not tested"
    return f"p = {p_value:.3f}" if p_value >= 0.001 else "p < .001"
