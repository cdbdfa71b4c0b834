"""Ready causal models: a tiny one with random weights, made here, against sums taken straight from it."""

import json
import math

import numpy as np
import pytest

from mtcore.metrics.base import MetricError, MetricSettings, MetricUnavailable, total
from mtcore.metrics.perplexity import Perplexity
from tests.factories.runners import in_training, missing, script, write_python

LINES = ["the cat sat on the mat .", "it rains", "", "the zebra", "cat", "the cat sat on " * 8]
MAKE = """
import sys
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
import torch
words = "<unk> <s> the cat sat on mat . it rains".split()
tool = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<unk>"))
tool.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
marks = {"unk_token": "<unk>", "bos_token": "<s>"}
PreTrainedTokenizerFast(tokenizer_object=tool, **marks).save_pretrained(sys.argv[1])
torch.manual_seed(1)
config = GPT2Config(vocab_size=len(words), n_positions=16, n_embd=16, n_layer=2, n_head=2, bos_token_id=1)
GPT2LMHeadModel(config).save_pretrained(sys.argv[1])
"""
DIRECT = """
import json, sys, torch
from transformers import AutoModelForCausalLM, AutoTokenizer
folder, lines = sys.argv[1], json.loads(sys.argv[2])
model, tool = AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
def sums(ids, first):
    with torch.no_grad():
        p = model(torch.tensor([ids])).logits[0].log_softmax(-1)
    return -sum(float(p[k - 1, ids[k]]) for k in range(first, len(ids)))
found = []
for line in lines:
    ids = [1, *tool.encode(line, add_special_tokens=False)]
    if len(ids) <= 16:
        found.append(sums(ids, 1))
    else:
        # windows of 16, each from 8 before what it counts
        total, done = sums(ids[:16], 1), 16
        while done < len(ids):
            total, done = total + sums(ids[done - 8:done + 8], 8), done + 8
        found.append(total)
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a model of ten words and random weights."""
    if why := missing("torch", "transformers"):
        pytest.skip(why)
    place = tmp_path_factory.mktemp("causal")
    in_training(MAKE, place)
    return place


def metric(folder, options: str = "", python: object = None) -> Perplexity:
    runner = script("causal_lm_runner.py", python) if python else script("causal_lm_runner.py")
    return Perplexity.of_settings(
        MetricSettings("en", {"ppl": f"{folder}{options}"}, runners={"ppl": runner})
    )


@pytest.mark.long
def test_it_equals_sums_taken_straight_from_the_model(folder):
    own = metric(folder)
    stats = own.segment_stats(LINES, [])
    expected = json.loads(in_training(DIRECT, folder, json.dumps(LINES)).splitlines()[-1])
    assert stats[:, 0] == pytest.approx(expected, rel=1e-5)
    assert stats[:, 1].tolist() == [7, 2, 0, 2, 1, 32]
    assert stats[:, 2].tolist() == [7, 2, 0, 2, 1, 32]
    assert stats[:, 3].tolist() == [0, 0, 0, 1, 0, 0]
    sums = total(stats)
    assert float(own.corpus_score(sums)) == pytest.approx(math.exp(sum(expected) / 44), rel=1e-5)
    assert own.facts(sums) == {
        "unit": "subword", "words": 44, "subwords": 44, "oov": 1, "oov_rate": pytest.approx(1 / 44),
        "vocabulary": 10, "ppl_per_word": pytest.approx(math.exp(sum(expected) / 44), rel=1e-5),
    }  # fmt: skip
    single = metric(folder, ",batch=1").segment_stats(LINES, [])
    assert single == pytest.approx(stats, rel=1e-5)
    assert own.segment_stats(LINES[::-1], [])[::-1] == pytest.approx(stats, rel=1e-5)
    assert np.isfinite(own.segment_scores(stats)).all()
    line = own.signature()
    for part in ("unit:subword", "lm:causal", "vocabulary:10", "window:16", "end:left out", "version:"):
        assert part in line
    assert metric(folder, ",window=8").signature() != line


def test_what_is_no_causal_model_is_refused_in_words(folder, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"")
    for config, expected in (
        ('{"architectures": ["BertModel"]}', "holds BertModel, which gives no probabilities"),
        ("[]", "no weights"), ("no", "no readable config.json"),
    ):  # fmt: skip
        (tmp_path / "config.json").write_text(config, encoding="utf-8")
        with pytest.raises(MetricError, match=expected):
            metric(tmp_path)
    (tmp_path / "config.json").unlink()
    with pytest.raises(MetricError, match="a folder without a language model"):
        metric(tmp_path)
    python = write_python(tmp_path / "python", body='echo \'{"versions": {"torch": "2"}}\'')
    with pytest.raises(MetricUnavailable, match="transformers not installed"):
        metric(folder, python=python)
