"""Perplexity from ARPA files: by hand, against plain sums, and files that are none."""

import gzip
import math

import numpy as np
import pytest

from mtcore.metrics import MetricError
from mtcore.metrics.arpa import read_arpa
from mtcore.metrics.base import MetricSettings, MetricUnavailable, total
from mtcore.metrics.perplexity import Perplexity
from mtcore.metrics.scoring import Kept, Part, ScoringOptions, score_kept
from tests.factories.arpa import FIVE_WORDS, write_arpa
from tests.factories.campaigns import invented_lines
from tests.factories.diversity import invented_text


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "five.arpa"
    file.write_text(FIVE_WORDS, encoding="utf-8")
    return file


def metric(path, tokens: str = "given") -> Perplexity:
    return Perplexity.of_settings(MetricSettings("en", {"ppl": str(path)}, tokens))


def test_a_model_of_five_words_by_hand(model):
    own = metric(model)
    # <s> the | the cat | cat sat | sat </s>: all bigrams are there
    first = -0.25 - 0.5 - 0.625 - 0.375
    # <s> dog: back-off of <s> and dog; dog ran: dog has no weight; ran </s>: neither has ran
    second = (-0.5 - 1.25) + (0 - 1.5) + (0 - 1.0)
    # the bird: back-off of "the" and <unk>; then <unk> has no bigrams and no weight
    third = -0.25 + (-0.25 - 2.0) + (0 - 1.0)
    stats = own.segment_stats(["the cat sat", "dog ran", "the bird", ""], [])
    logs = np.array([first, second, third, -0.5 - 1.0])
    assert stats[:, 0] == pytest.approx(-logs * math.log(10))
    assert stats[:, 1].tolist() == [4, 3, 3, 1]
    assert stats[:, 2].tolist() == [3, 2, 2, 0]
    assert stats[:, 3].tolist() == [0, 0, 1, 0]
    assert float(own.corpus_score(total(stats))) == pytest.approx(10 ** (-logs.sum() / 11))
    assert own.segment_scores(stats)[0] == pytest.approx(10 ** (-first / 4))
    assert own.facts(total(stats)) == {
        "unit": "word",
        "words": 7,
        "oov": 1,
        "oov_rate": pytest.approx(1 / 7),
        "vocabulary": 5,
    }
    assert "unit:word|tokens:given" in own.signature() and "oov:as <unk>" in own.signature()


def test_without_unknown_word_such_words_are_left_out(tmp_path):
    file = tmp_path / "closed.arpa"
    file.write_text(FIVE_WORDS.replace("ngram 1=8", "ngram 1=7").replace("-2.0\t<unk>\n", ""), "utf-8")
    own = metric(file)
    stats = own.segment_stats(["the bird"], [])
    assert stats[0, 1:].tolist() == [2, 2, 1]
    assert stats[0, 0] == pytest.approx((0.25 + 1.0) * math.log(10))
    assert "oov:left out" in own.signature()


def test_marks_of_the_model_in_a_text_are_unknown_words(model):
    assert metric(model).segment_stats(["<s> the </s>"], [])[0, 3] == 2


def test_a_packed_model_gives_the_same_and_another_file_another_signature(model, tmp_path):
    packed = tmp_path / "five.arpa.gz"
    packed.write_bytes(gzip.compress(FIVE_WORDS.encode()))
    one, other = metric(model), metric(packed)
    assert (one.segment_stats(["the cat"], []) == other.segment_stats(["the cat"], [])).all()
    assert one.signature() != other.signature()


def test_a_model_that_was_written_anew_is_read_anew(model):
    import os

    before = metric(model).segment_stats(["the"], [])[0, 0]
    model.write_text(FIVE_WORDS.replace("-0.25\t<s> the", "-1.25\t<s> the"), "utf-8")
    os.utime(model, ns=(1, 1))
    assert metric(model).segment_stats(["the"], [])[0, 0] > before


@pytest.mark.parametrize("order", [1, 2, 3])
def test_probabilities_of_an_estimated_model_add_up_to_one(tmp_path, order: int):
    lines = invented_text(60, 4, types=15)
    model = read_arpa(write_arpa(tmp_path / "m.arpa", lines, order))
    words = [word for word in model.grams[0] if word != "<s>"]
    rng = np.random.default_rng(1)
    for _ in range(20):
        context = ["<s>", *rng.choice(words[:8], size=rng.integers(0, 4))]
        assert sum(10 ** model.log10(context, word) for word in words) == pytest.approx(1, abs=1e-6)


def test_text_of_the_model_is_less_surprising_than_other_text(tmp_path):
    own = metric(write_arpa(tmp_path / "m.arpa", invented_lines(300, seed=1)))
    lines = invented_lines(40, seed=2)
    shuffled = [" ".join(line.split()[::-1]) for line in lines]
    known = own.score(lines, [])
    assert known < own.score(shuffled, [])
    assert own.score(lines[::-1], []) == pytest.approx(known)


def test_words_are_cut_by_moses_unless_given(model):
    stats = metric(model, "moses").segment_stats(["the cat, sat."], [])
    assert stats[0, 2:].tolist() == [5, 2]
    assert "sacremoses" in metric(model, "moses").signature()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello\n", "no line \\data\\"),
        (FIVE_WORDS.partition("-0.625\tcat")[0], "cut off or damaged"),
        (FIVE_WORDS.replace("ngram 2=4", "ngram 2=5"), "announces 13 n-grams and has 12"),
        (FIVE_WORDS.replace("-0.5\tthe cat", "x\tthe cat"), "no number"),
        (FIVE_WORDS.replace("\tthe cat", "\tthe cat sat"), "expected 2 words"),
        (FIVE_WORDS.replace("\\2-grams:", "\\3-grams:"), "expected \\2-grams:"),
        (FIVE_WORDS.replace("-1.0\t</s>\n", "").replace("1=8", "1=7"), "end of a sentence"),
    ],
)
def test_what_is_no_model_is_refused_with_its_place(tmp_path, text: str, expected: str):
    file = tmp_path / "bad.arpa"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(MetricError) as caught:
        read_arpa(file)
    assert expected in str(caught.value) and "bad.arpa" in str(caught.value)


def test_bytes_that_are_no_text_and_no_gzip(tmp_path):
    for name, data in (("a.arpa", b"\\data\\\n\xff\xfe"), ("b.arpa.gz", b"\x1f\x8bnothing")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(MetricError, match=name):
            read_arpa(tmp_path / name)


def test_a_missing_model_is_a_hint_and_a_folder_a_mistake(tmp_path):
    with pytest.raises(MetricUnavailable, match="--model ppl=FILE"):
        Perplexity.of_settings(MetricSettings("en"))
    with pytest.raises(MetricError, match="is a folder"):
        Perplexity.of_settings(MetricSettings("en", {"ppl": str(tmp_path)}))


def test_outputs_scored_under_two_models_are_not_compared(model, tmp_path):
    other = tmp_path / "other.arpa"
    other.write_text(FIVE_WORDS.replace("-0.25\t<s> the", "-0.35\t<s> the"), encoding="utf-8")
    lines = ["the cat sat", "dog ran"]
    kept = []
    for name, path in (("A", model), ("B", other), ("C", model)):
        own = metric(path)
        stats = own.segment_stats(lines if name == "A" else lines[::-1], [])
        kept.append(Kept(name, None, None, "ppl", own, stats, own.signature()))
    options = ScoringOptions(resamples=20, pairs=(("A", "B"), ("A", "C")))
    report = score_kept(kept, [Part(None)], options, {"ppl": Perplexity})
    first, second = report.comparisons
    assert (first.difference, first.p) == (None, None) and "do not compare" in first.reason
    assert second.difference is not None and second.p is not None


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("-0.5\tthe cat", "5000\tthe cat", "line 18: 5000 is no logarithm of a probability"),
        ("-0.5\tthe cat", "nan\tthe cat", "line 18: nan is no logarithm"),
        ("-0.5\tthe cat", "-inf\tthe cat", "line 18: -inf is no logarithm"),
        ("-1.0\tcat\t-0.125", "-1.0\tcat\tnan", "line 11: nan is no back-off weight"),
        ("-1.0\tcat\t-0.125", "-1.0\tcat\tinf", "line 11: inf is no back-off weight"),
    ],
)
def test_numbers_that_no_model_has_are_refused_with_their_line(tmp_path, old: str, new: str, expected: str):
    file = tmp_path / "odd.arpa"
    file.write_text(FIVE_WORDS.replace(old, new), encoding="utf-8")
    with pytest.raises(MetricError, match=f"odd.arpa, {expected}"):
        read_arpa(file)
