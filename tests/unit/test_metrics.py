"""BLEU, chrF and TER: known values, languages, several references, significance."""

import sys

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from mtcore.metrics import METRICS, MetricError, MetricUnavailable
from mtcore.metrics.base import FloatArray
from mtcore.metrics.significance import (
    SACREBLEU_SEED,
    bootstrap,
    by_unit,
    koehn_p,
    pairwise_p,
    sacrebleu_p,
    signature,
)
from tests.paths import ROOT

OWN = {"bleu": BLEU, "chrf": CHRF, "ter": TER}
WORDS = (
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "ran",
    "on",
    "under",
    "mat",
    "quickly",
    ",",
    ".",
    "and",
    "it",
    "was",
)


def read(name: str) -> list[str]:
    return (ROOT / "tests" / "files" / name).read_text(encoding="utf-8").split("\n")[:-1]


def scores(hypotheses: str, *references: str, language: str = "en") -> list[float]:
    lines = [read(name) for name in references]
    return [METRICS[name](language).score(read(hypotheses), lines) for name in ("bleu", "chrf", "ter")]


@pytest.mark.parametrize("language", ["zh", "zh-CN", "zho", "zh-Hant", "cmn"])
def test_chinese_is_split_into_characters(language: str):
    bleu, _, ter = scores("met01_zh_hyp.txt", "met01_zh_ref.txt", language=language)
    assert bleu == pytest.approx(64.37, abs=0.005)
    assert ter == pytest.approx(14.81, abs=0.005)
    assert "tok:zh" in METRICS["bleu"](language).signature()
    assert "norm:yes" in METRICS["ter"](language).signature()
    assert "asian:yes" in METRICS["ter"](language).signature()


def test_other_languages_keep_the_default_tokeniser():
    bleu, _, ter = scores("met01_zh_hyp.txt", "met01_zh_ref.txt", language="en")
    assert (bleu, ter) == (pytest.approx(0.0), pytest.approx(100.0))
    assert "tok:13a" in METRICS["bleu"]("").signature()


@pytest.mark.parametrize(
    ("language", "tokeniser"), [("ja", "ja-mecab"), ("jpn", "ja-mecab"), ("ko", "ko-mecab")]
)
def test_a_missing_tokeniser_is_said_and_never_replaced(
    language: str, tokeniser: str, monkeypatch: pytest.MonkeyPatch
):
    module = {"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}[tokeniser]
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(
        sys.modules, f"sacrebleu.tokenizers.tokenizer_{tokeniser.replace('-', '_')}", raising=False
    )
    with pytest.raises(MetricUnavailable, match=rf'needs the tokeniser {tokeniser}.*install "sacrebleu\['):
        METRICS["bleu"](language)


def test_several_references_in_either_order_of_segments():
    assert scores("met_hyp.txt", "met_ref.txt") == pytest.approx([45.07, 50.04, 50.0], abs=0.005)
    both = scores("met_hyp.txt", "met_ref.txt", "met_ref2.txt")
    assert both == pytest.approx([48.53, 59.73, 40.0], abs=0.005)
    lines = [read(name)[::-1] for name in ("met_hyp.txt", "met_ref.txt", "met_ref2.txt")]
    turned = [METRICS[name]("en").score(lines[0], lines[1:]) for name in ("bleu", "chrf", "ter")]
    assert turned == pytest.approx(both, abs=1e-9)


def test_empty_outputs_and_references_and_perfect_ones():
    assert scores("met05_all_empty.txt", "met_ref.txt") == [0.0, 0.0, 100.0]
    assert scores("met05_all_empty.txt", "met_ref.txt", "met_ref2.txt")[0] == 0.0
    assert scores("met_hyp.txt", "met07_empty_ref.txt") == pytest.approx([43.06, 63.98, 70.0], abs=0.005)
    assert scores("met_ref.txt", "met_ref.txt") == pytest.approx([100.0, 100.0, 0.0])
    assert scores("met12_hyp.txt", "met12_ref.txt")[1] == pytest.approx(57.56, abs=0.005)
    assert scores("met14_nfd.txt", "met14_nfc.txt") == pytest.approx([15.62, 67.78, 50.0], abs=0.005)
    entities = scores("met15_entity_hyp.txt", "met15_entity_ref.txt")
    assert entities[:2] == pytest.approx([100.0, 29.71], abs=0.005)


def test_short_segments_have_scores_of_their_own():
    hypotheses, references = read("met10_short_hyp.txt"), read("met10_short_ref.txt")
    for name in ("bleu", "chrf"):
        metric = METRICS[name]("en")
        stats = metric.segment_stats(hypotheses, [references])
        assert metric.segment_scores(stats) == pytest.approx([100.0, 100.0, 0.0])


def corpus(seed: int, lines: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, size=rng.integers(0, 14))) for _ in range(lines)]


@pytest.mark.parametrize("references", [1, 2, 3])
def test_scores_are_sacrebleus_to_the_last_digit(references: int):
    hypotheses, lines = corpus(1, 30), [corpus(n + 2, 30) for n in range(references)]
    for name, own in {**OWN, "chrfpp": lambda: CHRF(word_order=2)}.items():
        metric = METRICS[name]("en")
        assert metric.score(hypotheses, lines) == own().corpus_score(hypotheses, lines).score
        stats = metric.segment_stats(hypotheses, lines)
        for row in stats:
            one = own()._compute_score_from_stats([int(x) if x == int(x) else x for x in row]).score
            assert float(metric.corpus_score(row)) == one


def test_bleu_of_segments_is_sacrebleus_with_effective_order():
    hypotheses, lines = corpus(1, 40), corpus(2, 40)
    stats = METRICS["bleu"]("en").segment_stats(hypotheses, [lines])
    expected = [
        BLEU(effective_order=True).sentence_score(hyp, [ref]).score
        for hyp, ref in zip(hypotheses, lines, strict=True)
    ]
    assert METRICS["bleu"]("en").segment_scores(stats) == pytest.approx(expected, abs=1e-10)


def test_the_signature_of_chrf_says_beta():
    assert (
        METRICS["chrf"]()
        .signature()
        .startswith("nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|version:")
    )
    assert "nw:2" in METRICS["chrfpp"]().signature()


def variants(lines: list[str]) -> list[list[str]]:
    """Return four outputs: close, worse here and there, another one, and the first again."""
    rng = np.random.default_rng(6)
    close = [line if rng.random() < 0.4 else line + " dog" for line in lines]
    worse = [line if rng.random() < 0.9 else line[: len(line) // 2] for line in close]
    return [close, worse, [line if rng.random() < 0.3 else "a " + line for line in lines], close]


@pytest.mark.parametrize("name", OWN)
def test_scores_and_p_values_are_those_of_sacrebleus_paired_bootstrap(name: str):
    lines = corpus(8, 80)
    outputs = variants(lines)
    _, expected = PairedTest(
        [(str(n), output) for n, output in enumerate(outputs)], {name: OWN[name]()}, [lines], "bs", 300
    )()
    (key,) = set(expected) - {"System"}
    metric = METRICS[name]("en")
    stats = [metric.segment_stats(output, [lines]) for output in outputs]
    found = bootstrap(metric, stats, 300, np.random.default_rng(SACREBLEU_SEED))
    assert found.scores.tolist() == [result.score for result in expected[key]]
    for n in (1, 2, 3):
        # the very draws of sacrebleu; its float32 sums may move a resample across the border
        assert sacrebleu_p(found, 0, n) == pytest.approx(expected[key][n].p_value, abs=2 / 301)
        assert found.draws[:, n].mean() == pytest.approx(expected[key][n].mean, abs=1e-4)


def plain_koehn(found: FloatArray, a: int, b: int, sign: int) -> tuple[float, float]:
    worse = sum(sign * (row[a] - row[b]) <= 1e-9 for row in found)
    better = sum(sign * (row[a] - row[b]) >= -1e-9 for row in found)
    return (worse + 1) / (len(found) + 1), (better + 1) / (len(found) + 1)


@pytest.mark.parametrize("name", OWN)
def test_koehns_test_counts_resamples(name: str):
    lines = corpus(8, 80)
    metric = METRICS[name]("en")
    stats = [metric.segment_stats(output, [lines]) for output in variants(lines)]
    found = bootstrap(metric, stats, 200, np.random.default_rng(1))
    sign = 1 if metric.higher_is_better else -1
    for a, b in ((0, 1), (1, 0), (0, 2), (0, 3)):
        p = koehn_p(found, a, b)
        assert p[:2] == plain_koehn(found.draws, a, b, sign)
        assert p.two_sided == min(1.0, 2 * min(p[:2]))
    better = int(np.argmax(sign * found.scores[:2]))
    assert koehn_p(found, better, 1 - better).better < 0.5
    for test in ("koehn", "sacrebleu"):
        p_values = pairwise_p(found, test)
        assert (p_values == p_values.T).all()
        assert np.diag(p_values).tolist() == [1.0] * 4
        assert p_values[0, 3] == 1.0
    with pytest.raises(MetricError, match="unknown test 't', expected one of koehn, sacrebleu"):
        pairwise_p(found, "t")


def test_draws_are_scores_of_the_drawn_segments():
    lines = corpus(8, 25)
    metric = METRICS["chrf"]("en")
    output = variants(lines)[0]
    found = bootstrap(metric, [metric.segment_stats(output, [lines])], 10, np.random.default_rng(3))
    for drawn, score in zip(
        np.random.default_rng(3).integers(0, 25, (10, 25)), found.draws[:, 0], strict=True
    ):
        expected = CHRF().corpus_score([output[n] for n in drawn], [[lines[n] for n in drawn]]).score
        assert score == pytest.approx(expected, abs=1e-10)


def test_documents_are_resampled_by_their_sums():
    stats = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    assert by_unit(stats, np.array([1, 0, 1])).tolist() == [[2.0, 20.0], [4.0, 40.0]]


def test_what_cannot_be_compared_is_refused():
    metric, rng = METRICS["ter"]("en"), np.random.default_rng(1)
    rows = np.ones((3, 2))
    with pytest.raises(MetricError, match="no system to compare"):
        bootstrap(metric, [], 10, rng)
    with pytest.raises(MetricError, match=r"same segments; found \[2, 3\]"):
        bootstrap(metric, [rows, rows[:2]], 10, rng)
    with pytest.raises(MetricError, match="resamples must be 2 or more; found 1"):
        bootstrap(metric, [rows], 1, rng)


def test_the_signature_says_which_test():
    line = signature(METRICS["ter"]("en"), 1, "koehn", 1000, SACREBLEU_SEED)
    assert line.endswith("|test:koehn|bs:1000|seed:12345")
