"""What a phrase-based system is made of, without Thot: words, n-grams, weights."""

from collections import Counter

import numpy as np
import pytest
import sacrebleu

from mtcore.engines.phrase_lm import count_ngrams, perplexity_of, restrict, tune_weights, write_weights
from mtcore.engines.phrase_tokens import Words
from mtcore.engines.phrase_tuning import Lists, better_weights, bleu, bleu_stats


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("de", "Sie sagte: „Ja, z.B. 3,5!“", ["Sie", "sagte", ":", "„", "Ja", ",", "z.B.", "3,5", "!", "“"]),
        ("en", "Don't look.", ["Don", "'t", "look", "."]),
        ("zh", "我去了北京，很好。", ["我", "去", "了", "北京", "，", "很", "好", "。"]),
        ("ja", "私 へ", ["私", "▁", "へ"]),
        ("th", "รัก", list("รัก")),
        ("tlh", "nuqneH, qaleghneS.", ["nuqneH", ",", "qaleghneS", "."]),
        ("de", " \t\u00a0\u2028", []),
    ],
)
def test_words_of_a_language(language, text, words):
    assert Words(language).cut(text) == words


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "He said: \"It's 5 o'clock (already),\" didn't he?"),
        ("de", "Das kostet 3,50 Euro, z.B. hier."),
        ("fr", "L'homme n'a pas vu l'eau."),
        ("zh", "我去了北京，很好。"),
        ("ja", "私は Tokyo へ 行った。"),
        ("th", "ฉันรัก คุณ"),
        ("en", "A literal <unk>, <s> and </s> or <_unk> &amp; more ."),
    ],
)
def test_a_text_comes_back(language, text):
    words = Words(language)
    back = words.join(words.cut(text))
    assert back.replace(" .", ".").replace(" ,", ",") == text.replace(" .", ".").replace(" ,", ",")


def test_nothing_that_thot_or_a_table_reads_as_its_own_gets_through():
    cut = Words("en").cut("a ||| b <unk> <s> </s> | c\x01d\u2028e ▁ ￭")
    assert not {"|||", "<unk>", "<s>", "</s>"} & set(cut)
    assert not any(set(word) & set(" \n\r\u2028\x01▁￭") for word in cut)


SENTENCES = [["a", "b", "a"], ["a", "b", "c"], [], ["c"]]


def test_ngrams_are_counted_with_the_first_of_each_word_unknown(tmp_path):
    running = count_ngrams(SENTENCES, 2, tmp_path / "lm", tmp_path)
    rows = {
        tuple(line.split(" ")[:-2]): line.split(" ")[-2:]
        for line in (tmp_path / "lm").read_text().split("\n")[:-1]
    }
    # <s> <unk> <unk> a </s> | <s> a b <unk> </s> | <s> c </s>
    assert running == 13
    assert rows[("<unk>",)] == ["13", "3"] and rows[("a",)] == ["13", "2"] and rows[("<s>",)] == ["13", "3"]
    assert rows[("<s>", "<unk>")] == ["3", "1"] and rows[("<unk>", "<unk>")] == ["3", "1"]
    assert ("a", "c") not in rows


@pytest.mark.parametrize("held", [1, 40, 300])
def test_counts_are_the_same_however_little_memory_there_is(tmp_path, held):
    generator = np.random.default_rng(1)
    sentences = [[f"w{word}" for word in generator.zipf(1.5, 12) % 40] for _ in range(60)]
    count_ngrams(sentences, 4, tmp_path / "whole", tmp_path)
    count_ngrams(sentences, 4, tmp_path / "pieces", tmp_path, held=held)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "pieces").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pieces", "whole"]
    grams = Counter(len(line.split(" ")) - 2 for line in (tmp_path / "whole").read_text().split("\n")[:-1])
    assert set(grams) == {1, 2, 3, 4}


def test_restricted_counts_give_thot_the_same_probabilities(tmp_path):
    common = pytest.importorskip("thot.common")
    generator = np.random.default_rng(2)
    sentences = [[f"w{word}" for word in generator.zipf(1.4, 10) % 50] for _ in range(200)]
    tuned = [[*sentences[0][:5], "new", *sentences[1][:3]], sentences[2]]
    count_ngrams(sentences, 3, tmp_path / "whole.lm", tmp_path)
    restrict(tmp_path / "whole.lm", tuned, 3, tmp_path / "part.lm")
    assert (tmp_path / "part.lm").stat().st_size < (tmp_path / "whole.lm").stat().st_size
    for weights in ([0.5] * 9, [0.9, 0.2, 0.4, 0.1, 0.8, 0.3, 0.6, 0.7, 0.2]):
        found = []
        for name in ("whole.lm", "part.lm"):
            write_weights(tmp_path / name, 3, weights)
            model = common.NGramLanguageModel()
            assert model.load(str(tmp_path / name))
            found.append([model.get_sentence_log_probability(words) for words in tuned])
            model.clear()
        assert found[0] == pytest.approx(found[1], rel=1e-6)


def test_weights_go_down_to_a_lower_perplexity():
    target = [0.1, 0.9, 0.3]
    weights, reached = tune_weights(
        lambda given: 10 + sum((one - other) ** 2 for one, other in zip(given, target, strict=True)), 1
    )
    assert weights == pytest.approx(target, abs=0.05) and reached < 10.01
    assert perplexity_of([-1.0, -2.0], 3) == pytest.approx(10.0)


def test_bleu_is_that_of_sacrebleu():
    pairs = [
        ("the cat sat on the mat", "the cat sat on a mat"),
        ("a dog", "a dog barks at the very old man"),
        ("an old man walks his dog today .", "an old man walks a dog today ."),
    ]
    ours = sum(bleu_stats(hypothesis.split(), reference.split()) for hypothesis, reference in pairs)
    theirs = sacrebleu.corpus_bleu(
        [one for one, _ in pairs], [[one for _, one in pairs]], tokenize="none", force=True
    )
    assert 100 * bleu(ours) == pytest.approx(theirs.score, abs=1e-6)


def test_tuning_finds_the_feature_that_tells_good_translations():
    generator = np.random.default_rng(3)
    references = [[f"w{word}" for word in generator.integers(0, 50, 9)] for _ in range(30)]
    lists = Lists(references)
    for sentence, reference in enumerate(references):
        for wrong in range(6):
            words = [*reference[: 9 - wrong], *(f"x{wrong}" for _ in range(wrong))]
            features = [0.0, generator.normal(), 0.0, -float(wrong), *generator.normal(size=4)]
            assert lists.add(sentence, words, features)
            assert not lists.add(sentence, words, features)
    start = [1.0, 1.0, 1.0, 0.1, 1.0, 1.0, 1.0, 0.0]
    weights, promised = better_weights(lists, start, np.random.default_rng(1))
    assert promised > 0.95
    assert weights[3] == max(weights) and min(weights[place] for place in (1, 3, 4, 5, 6)) >= 0
    again, _ = better_weights(lists, start, np.random.default_rng(1))
    assert again == weights
