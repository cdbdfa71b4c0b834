"""The verdict on two systems: each combination of what BLEU and a language model show, in a sentence."""

import pytest

from mtcore.metrics.lm_verdict import Measured, Verdict


def one(metric: str, difference: float | None, p: float | None, reason: str = "") -> Measured:
    """Return what was measured of two systems, b being at 30."""
    a = None if difference is None else 30 + difference
    ci = None if difference is None else (difference - 1, difference + 1)
    return Measured(metric, metric == "bleu", a, 30.0, difference, ci, p, reason)


CASES = [
    ((-0.4, 0.41), (4.0, 0.0004), "tie/b", "B",
     "BLEU does not tell A and B apart on direct text (-0.40, p = 0.410), but the language model does: the "
     "output of B is more fluent (perplexity of A 34.0, of B 30.0, p < .001)."),
    ((0.4, 0.06), (-4.0, 0.05), "tie/a", "A",
     "BLEU does not tell A and B apart on direct text (+0.40, p = 0.060), but the language model does: the "
     "output of A is more fluent (perplexity of A 26.0, of B 30.0, p = 0.050)."),
    ((0.1, 0.9), (0.1, 0.8), "tie/tie", "",
     "Neither BLEU (+0.10, p = 0.900) nor the language model (perplexity of A 30.1, of B 30.0, p = 0.800) "
     "tells A and B apart on direct text."),
    ((2.0, 0.01), (0.1, 0.8), "a/tie", "",
     "BLEU prefers A on direct text (+2.00, p = 0.010); the language model shows no difference in fluency "
     "(perplexity of A 30.1, of B 30.0, p = 0.800)."),
    ((2.0, 0.01), (-3.0, 0.01), "a/a", "A",
     "BLEU prefers A on direct text (+2.00, p = 0.010), and the language model agrees: the output of A is "
     "more fluent (perplexity of A 27.0, of B 30.0, p = 0.010)."),
    ((2.0, 0.01), (3.0, 0.01), "a/b", "B",
     "BLEU prefers A on direct text (+2.00, p = 0.010), while the language model speaks for the other: the "
     "output of B is more fluent (perplexity of A 33.0, of B 30.0, p = 0.010); fluent is not the same as "
     "right, so let people judge."),
    ((-2.0, 0.01), (None, None), "b/open", "",
     "BLEU prefers B on direct text (-2.00, p = 0.010); perplexity could not be tested (no model)."),
    ((None, None), (3.0, 0.01), "open/b", "B",
     "BLEU could not be tested (no model); the output of B is more fluent (perplexity of A 33.0, of B 30.0, "
     "p = 0.010)."),
    ((None, None), (3.0, 0.5), "open/tie", "",
     "BLEU could not be tested (no model); the language model shows no difference in fluency (perplexity of "
     "A 33.0, of B 30.0, p = 0.500)."),
    ((None, None), (None, None), "open/open", "",
     "Neither could be tested on direct text: no model."),
    ((0.0, 0.001), (0.0, 0.001), "tie/tie", "",
     "Neither BLEU (+0.00, p = 0.001) nor the language model (perplexity of A 30.0, of B 30.0, p = 0.001) "
     "tells A and B apart on direct text."),
]  # fmt: skip


@pytest.mark.parametrize(("bleu", "ppl", "outcome", "fluent", "sentence"), CASES)
def test_each_combination_has_its_sentence(bleu, ppl, outcome, fluent, sentence):
    found = Verdict("A", "B", "direct text", one("bleu", *bleu, "no model"), one("ppl", *ppl, "no model"))
    assert (found.outcome, found.more_fluent) == (outcome, fluent)
    assert found.sentence == sentence
    shown = found.as_dict()
    assert shown["more_fluent"] == (fluent or None) and shown["ppl"]["difference"] == ppl[0]


def test_swapping_the_systems_says_the_same_of_them():
    def swapped(own: Measured) -> Measured:
        return Measured(own.metric, own.higher_is_better, own.b, own.a, -own.difference, None, own.p)

    bleu, ppl = one("bleu", 2.0, 0.01), one("ppl", 3.0, 0.01)
    first, second = Verdict("A", "B", "t", bleu, ppl), Verdict("B", "A", "t", swapped(bleu), swapped(ppl))
    assert first.more_fluent == second.more_fluent == "B"
    assert "prefers A" in first.sentence and "prefers A" in second.sentence


def test_alpha_decides_what_is_shown():
    own = Verdict("A", "B", "t", one("bleu", 2.0, 0.02), one("ppl", 3.0, 0.02), alpha=0.01)
    assert own.outcome == "tie/tie"
