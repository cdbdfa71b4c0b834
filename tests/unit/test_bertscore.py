"""BERTScore: equal to direct calls of its package with a real model; odd texts; bad interpreters."""

import json

import numpy as np
import pytest

from mtcore.metrics import METRICS
from mtcore.metrics.base import MetricError, MetricSettings, MetricUnavailable, total
from mtcore.metrics.bertscore import PACKAGED, BertScore
from tests.factories.runners import in_training, missing, needs, script, write_python

needs_bertscore = needs("bert-score", "torch", "transformers")
OUTPUTS = [
    "The cat sat on the mat.",
    "It rains today.",
    "naïve café — 5 €",
    "word " * 700,
    "Yes.",
    "再见 World",
]
FIRST = [
    "A cat sat on a mat.",
    "Today it is raining.",
    "naive cafe - 5 €",
    "word " * 690,
    "No.",
    "Goodbye world",
]
SECOND = ["The cat was sitting there.", "It rains today.", "five euros", "other", "Yes!", "farewell"]
DIRECT = """
import json, os, sys
os.environ["HF_HUB_OFFLINE"] = "1"
from bert_score import score
folder, outputs, first, second = sys.argv[1], *map(json.loads, sys.argv[2:])
print(json.dumps([
    [[float(x) for x in one] for one in score(outputs, refs, model_type=folder, num_layers=6, device="cpu")]
    for refs in (first, [list(pair) for pair in zip(first, second)])
]))
"""


def settings(model: str = PACKAGED, python: object = None) -> MetricSettings:
    runner = script("bertscore_runner.py", python) if python else script("bertscore_runner.py")
    return MetricSettings("en", {"bertscore": model}, runners={"bertscore": runner})


@pytest.fixture(scope="module")
def metric():
    """Return one metric, whose model is loaded once."""
    if why := missing("bert-score", "torch", "transformers"):
        pytest.skip(why)
    return BertScore.of_settings(settings())


@pytest.mark.long
@needs_bertscore
def test_it_equals_direct_calls_of_the_package(metric):
    texts = [json.dumps(lines) for lines in (OUTPUTS, FIRST, SECOND)]
    one, several = json.loads(in_training(DIRECT, metric.model_path, *texts).splitlines()[-1])
    for expected, references in ((one, [FIRST]), (several, [FIRST, SECOND])):
        stats = metric.segment_stats(OUTPUTS, references)
        assert stats[:, :3] == pytest.approx(np.array(expected).T, abs=2e-6)
        assert float(metric.corpus_score(total(stats))) == pytest.approx(np.mean(expected[2]), abs=2e-6)
    assert stats[:, 4].tolist() == [0, 0, 0, 1, 0, 0]
    facts = metric.facts(total(stats))
    assert facts["cut_segments"] == 1 and facts["precision"] == pytest.approx(np.mean(several[0]), abs=2e-6)


@needs_bertscore
def test_blank_segments_have_nothing_and_neighbours_change_nothing(metric):
    stats = metric.segment_stats(["", "Yes.", " \t", "It rains."], [["Yes.", "Yes.", "", " "]])
    assert stats[:, :3].tolist() == [[0, 0, 0], pytest.approx([1, 1, 1], abs=1e-6), [0, 0, 0], [0, 0, 0]]
    assert metric.segment_stats(["", ""], [["", ""]])[:, 2].tolist() == [0, 0]
    alone = metric.segment_stats([OUTPUTS[0]], [[FIRST[0]]])
    assert alone[0] == pytest.approx(metric.segment_stats(OUTPUTS, [FIRST])[0], abs=2e-6)


@needs_bertscore
def test_more_segments_than_a_chunk_come_back_in_order(metric, monkeypatch):
    monkeypatch.setattr("mtcore.metrics.bertscore.CHUNK_SEGMENTS", 2)
    whole = metric.segment_stats(OUTPUTS, [FIRST])
    monkeypatch.undo()
    assert whole == pytest.approx(metric.segment_stats(OUTPUTS, [FIRST]), abs=2e-6)


@needs_bertscore
def test_the_signature_names_model_layer_and_versions(metric, tmp_path):
    line = metric.signature(2)
    for part in ("nrefs:2", "sha256:", "layer:6", "idf:no", "rescaled:no", "version:0.3.13", "transformers:"):
        assert part in line
    other = BertScore.of_settings(settings(f"{PACKAGED},layers=3"))
    assert "layer:3" in other.signature() and other.signature(2) != line
    with pytest.raises(MetricError, match="layers is 7, but the model has 6"):
        BertScore.of_settings(settings(f"{PACKAGED},layers=7"))
    with pytest.raises(MetricError, match="layers is “many”"):
        BertScore.of_settings(settings(f"{PACKAGED},layers=many"))
    with pytest.raises(MetricError, match="“layer=6” is no option"):
        BertScore.of_settings(settings(f"{PACKAGED},layer=6"))


@needs_bertscore
def test_a_path_without_a_model_is_refused_in_words(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    for path, expected in (
        (tmp_path / "absent", "is not there"), (tmp_path / "empty", "no readable config.json"),
        (tmp_path, "no weights"), (tmp_path / "config.json", "is a file"),
    ):  # fmt: skip
        with pytest.raises(MetricError, match=expected):
            BertScore.of_settings(settings(str(path)))


@needs_bertscore
def test_a_damaged_model_is_told_by_what_its_library_says(tmp_path):
    for name, text in (
        ("config.json", '{"model_type": "bert", "num_hidden_layers": 2}'), ("model.safetensors", "no"),
    ):  # fmt: skip
        (tmp_path / name).write_text(text, encoding="utf-8")
    broken = BertScore.of_settings(settings(str(tmp_path)))
    with pytest.raises(MetricError) as caught:
        broken.segment_stats(["a"], [["a"]])
    assert str(caught.value).startswith("BERTScore: ") and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("exit 1", "is not the interpreter that is needed"),
        ("echo hello; echo no module >&2; exit 1", "no module"),
        ('echo \'{"versions": {"torch": "2"}}\'', "bert-score and transformers not installed"),
        ("sleep 30", "did not answer within"),
    ],
)
def test_an_interpreter_that_cannot_is_told_with_what_to_install(tmp_path, monkeypatch, body, expected):
    monkeypatch.setattr("mtcore.metrics.mt_runner.LOOK_SECONDS", 0.5)
    python = write_python(tmp_path / "python", body=body)
    with pytest.raises(MetricUnavailable, match=expected) as caught:
        BertScore.of_settings(settings(python=python))
    assert "make mt" in str(caught.value)


def test_no_interpreter_and_no_model_are_hints(tmp_path):
    with pytest.raises(MetricUnavailable, match=r"there is no interpreter .*make mt"):
        BertScore.of_settings(settings(python=tmp_path / "absent"))
    with pytest.raises(MetricUnavailable, match="there is no interpreter"):
        BertScore.of_settings(settings(python=tmp_path))
    with pytest.raises(MetricUnavailable, match=r"needs a model: .*packaged-minilm"):
        METRICS["bertscore"].of_settings(MetricSettings("en"))


def test_a_script_that_ends_early_or_talks_nonsense(tmp_path):
    from mtcore.metrics.mt_runner import JsonLines

    for body, expected in (
        ("read x; echo 'out of luck' >&2; exit 3", "ended early: out of luck"),
        ("read x; kill -9 $$", "was killed"), ("read x; echo hello", "which is no JSON"),
        ("read x; echo '{\"error\": \"no\"}'", "The tool: no"), ("exit 4", "exit code 4"),
    ):  # fmt: skip
        tool = JsonLines([str(write_python(tmp_path / "tool", body=body))], "The tool")
        with pytest.raises(MetricError, match=expected):
            tool.ask({"x": 1})
