"""A Transformer language model trained here by fairseq, for real: perplexity of outputs and fluency."""

import pytest

from mtcore.engines.fairseq import FairseqEngine
from mtcore.engines.setup import Setup
from mtcore.metrics.packing import stats_unpack
from mtcore.metrics.perplexity import Perplexity
from mtcore.models import MetricResult, Run
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_import import corpus_import
from mtcore.services.lm_scoring import lm_score
from mtcore.services.run_context import run_directory
from mtcore.services.training import lm_train
from tests.engine_material import small_pairs, small_recipe
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.metrics import scored
from tests.factories.runners import MT_PYTHON
from tests.factories.runs import work_all

ENGINE = FairseqEngine(Setup(MT_PYTHON))
pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not ENGINE.is_available(), reason=f"fairseq is absent: {ENGINE.install_hint}"),
]


def english(n: int, seed: int) -> list[str]:
    return [one for _, one in small_pairs(n, seed)]


@pytest.mark.once
def test_perplexity_under_a_transformer_trained_here(tmp_path, monkeypatch, settings):
    # the heart beats in another connection, which sees nothing of a test's transaction
    settings.RUN_LEASE_SECONDS = 3600
    monkeypatch.setattr("mtcore.services.run_heart.Heart._beat_on", lambda _: None)
    draft = corpus_import(
        name="news", languages=["en"], sources=[write_lines(tmp_path / "news", english(150, 1))]
    )
    corpus_register(draft)
    lm_train(name="news-lm", recipe=small_recipe("tiny-lm", updates=60), corpora=["news"])
    work_all()
    model = Run.objects.get(kind="train_lm")
    assert model.state == "succeeded", model.message
    pairs = small_pairs(24, seed=9)
    run("import_testset", "demo", "--languages", "de-en", "--source",
        write_lines(tmp_path / "src", [one for one, _ in pairs]), "--reference",
        write_lines(tmp_path / "ref", [one for _, one in pairs]), "--direction", "direct")  # fmt: skip
    texts = {
        "Plain": [one for _, one in pairs],
        "Backwards": [" ".join(one.split()[::-1]) for _, one in pairs],
    }
    texts["Plain"][3] = ""
    for name, lines in texts.items():
        run("import_output", "demo", name, write_lines(tmp_path / name, lines))
    found = scored("fluency", "demo", "--systems", "Plain", "Backwards", "--lm", "run:news-lm")
    (verdict,) = found["verdicts"]
    assert verdict["more_fluent"] == "Plain" and verdict["ppl"]["p"] < 0.05
    rows = {row["system"]: row for row in found["results"] if row["metric"] == "ppl"}
    plain = rows["Plain"]
    assert plain["value"] < 0.5 * rows["Backwards"]["value"]
    assert plain["unit"] == "subword" and plain["words"] == sum(len(one.split()) for one in texts["Plain"])
    assert plain["subwords"] > plain["words"] and 0 <= plain["oov_rate"] < 0.2 and plain["vocabulary"] > 10
    assert "lm:fairseq" in plain["signature"] and "end:counted" in plain["signature"]
    stats = stats_unpack(MetricResult.objects.get(metric="ppl", output__system__name="Plain").segment_stats)
    assert stats.shape == (24, 5) and stats[3].tolist() == [0, 0, 0, 0, 0]

    # the command of engines says the same of the same text
    lm_score(lm="news-lm", testset="demo", system="Plain")
    work_all()
    summary = Run.objects.get(kind="score_lm").result
    assert summary["perplexity_subword"] == pytest.approx(plain["value"], rel=1e-4)
    assert summary["perplexity_word"] == pytest.approx(plain["ppl_per_word"], rel=1e-4)
    assert summary["oov_rate"] == pytest.approx(plain["oov_rate"])

    # statistics are kept, and a spoiled model is noticed before anything is scored
    monkeypatch.setattr(Perplexity, "segment_stats", lambda *_: pytest.fail("extracted again"))
    again = scored("score_outputs", "demo", "--metrics", "ppl", "--model", f"ppl=run:{model.pk}")
    assert {row["system"]: row["value"] for row in again["results"]} == {
        name: row["value"] for name, row in rows.items()
    }
    checkpoint = next(run_directory(model.pk).result.glob("checkpoint*"))
    checkpoint.chmod(0o644)
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1] + b"x")
    assert "SHA-256 differs" in refused(
        "fluency", "demo", "--systems", "Plain", "Backwards", "--lm", "run:news-lm"
    )
