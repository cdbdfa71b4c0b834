"""Our side of COMET: what is sent and read back, chunks, hints, mistakes.

The package itself is not run here: it needs an environment and a checkpoint of its own. Its place is taken
by a few lines that answer with the lengths of what they were given: nothing here tells of COMET's own scores.
"""

from pathlib import Path

import pytest

from mtcore.metrics.base import MetricError, MetricSettings, MetricUnavailable, total
from mtcore.metrics.comet import Comet
from tests.factories.runners import script, write_python

STAND_IN = """
print("what libraries print must not get between the answers")

class Model:
    def __init__(self, path):
        with open(path) as file:
            self.scale = float(file.read())

    def predict(self, samples, batch_size, gpus, progress_bar):
        assert gpus == 0 and batch_size >= 1 and not progress_bar
        if any(one["mt"] == "bad" for one in samples):
            raise ValueError("cannot score this\\nmore")
        print("predicting")
        return {"scores": [
            self.scale * (100 * len(one["src"]) + 10 * len(one["mt"]) + len(one["ref"])) for one in samples
        ]}

def load_from_checkpoint(path):
    return Model(path)
"""
TORCH = "class cuda:\n    is_available = staticmethod(lambda: False)\n"


def stand_in(folder: Path) -> tuple[Path, Path]:
    """Write an interpreter with a stand-in for unbabel-comet, and what it takes for a checkpoint."""
    packages = folder / "packages"
    for name, version, text in (("unbabel-comet", "2.2.7", STAND_IN), ("torch", "2.13.0", TORCH)):
        module = packages / {"unbabel-comet": "comet"}.get(name, name)
        module.mkdir(parents=True)
        (module / "__init__.py").write_text(text, encoding="utf-8")
        facts = packages / f"{name.replace('-', '_')}-{version}.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n", encoding="utf-8")
    checkpoint = folder / "wmt22" / "checkpoints" / "model.ckpt"
    checkpoint.parent.mkdir(parents=True)
    checkpoint.write_text("0.5", encoding="utf-8")
    return write_python(folder / "python", packages=packages), checkpoint


@pytest.fixture
def made(tmp_path):
    """Return interpreter and checkpoint."""
    return stand_in(tmp_path)


@pytest.fixture
def python(made):
    """Return the interpreter."""
    return made[0]


@pytest.fixture
def checkpoint(made):
    """Return the checkpoint."""
    return made[1]


def metric(python: object, model: object) -> Comet:
    runners = {"comet": script("comet_runner.py", python)}
    return Comet.of_settings(MetricSettings("de", {"comet": str(model)}, runners=runners))


def test_protocol_with_a_stand_in_sends_all_three_texts_and_keeps_the_order(python, checkpoint, monkeypatch):
    monkeypatch.setattr("mtcore.metrics.comet.CHUNK_SEGMENTS", 2)
    own = metric(python, checkpoint)
    stats = own.segment_stats(["a", "", "abc"], [["x", "xy", ""]], ["s", "", "sss"])
    assert stats.tolist() == [[55.5, 1], [1, 1], [165, 1]]
    assert float(own.corpus_score(total(stats))) == pytest.approx((55.5 + 1 + 165) / 3)
    assert own.segment_scores(stats).tolist() == [55.5, 1, 165]
    line = own.signature()
    assert "model:wmt22" in line and "version:2.2.7" in line and "sha256:" in line and "nrefs:1" in line
    by_folder = metric(python, checkpoint.parent.parent)
    assert by_folder.signature() == line


def test_what_the_stand_in_cannot_score_is_one_sentence_and_the_next_goes_on(python, checkpoint):
    own = metric(python, checkpoint)
    with pytest.raises(MetricError, match=r"^COMET: ValueError: cannot score this$"):
        own.segment_stats(["bad"], [["x"]], ["s"])
    assert own.segment_stats(["a"], [["x"]], ["s"])[0, 0] == 55.5
    checkpoint.write_text("no number", encoding="utf-8")
    with pytest.raises(MetricError, match="COMET: ValueError"):
        metric(python, f"{checkpoint},batch=2").segment_stats(["a"], [["x"]], ["s"])


def test_sources_and_one_reference_are_needed(python, checkpoint):
    own = metric(python, checkpoint)
    with pytest.raises(MetricError, match=r"needs the source of each segment: .* 1 lines, the source has 0"):
        own.segment_stats(["a"], [["x"]])
    with pytest.raises(MetricError, match="one reference at a time"):
        own.segment_stats(["a"], [["x"], ["y"]], ["s"])


def test_what_is_missing_is_a_hint(python, checkpoint, tmp_path):
    with pytest.raises(MetricUnavailable, match=r"needs a checkpoint: .*COMET_PYTHON"):
        Comet.of_settings(MetricSettings("de"))
    with pytest.raises(MetricUnavailable, match=r"no interpreter is named: .*COMET_PYTHON"):
        metric("", checkpoint)
    with pytest.raises(MetricUnavailable, match="there is no interpreter"):
        metric(tmp_path / "absent", checkpoint)
    bare = write_python(tmp_path / "bare", body='echo \'{"versions": {"torch": "2"}}\'')
    with pytest.raises(MetricUnavailable, match="unbabel-comet not installed"):
        metric(bare, checkpoint)
    with pytest.raises(MetricError, match=r"model.ckpt is not there"):
        metric(python, tmp_path)
    with pytest.raises(MetricError, match="is no option"):
        metric(python, f"{checkpoint},layers=2")
