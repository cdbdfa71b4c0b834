"""Preflight: what is measured on a sample, and what a whole training is worked out to take by it."""

from dataclasses import replace

import pytest

from evalplatform.errors import BadInput
from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.models import Run
from mtcore.services.preflight import preflight_launch
from mtcore.services.preflight_estimate import estimate, trial_recipe
from mtcore.services.run_context import run_directory
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.runs import work_all
from tests.factories.word_engine import WordEngine, only_words

MEASURED = {
    "sample_lines": 1000, "sample_bytes": 100_000, "prepare_seconds": 10.0, "start_seconds": 5.0,
    "updates": 40, "seconds_an_update": 0.5, "updates_an_epoch": 20.0, "checkpoint_bytes": 1_000_000,
    "prepared_bytes": 50_000, "decode_lines_per_second": 100.0, "memory_bytes": 7, "gpu_memory_bytes": 9,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _words(monkeypatch):
    only_words(monkeypatch)
    monkeypatch.setattr(WordEngine, "seconds_an_update", 0.02)


def test_a_whole_training_is_worked_out_from_the_sample():
    recipe = recipe_find("tiny-op")
    told = estimate(recipe, MEASURED, lines=10_000, mono_lines=0)
    assert told["seconds"] == {"prepare": 100.0, "train": 5 + 450 * 0.5}
    assert told["total_seconds"] == 330.0 and told["gpu_hours"] == 0
    assert told["disk_bytes"]["checkpoints"] == 5 * 1_000_000, "two kept, the best, the last, the model"
    assert told["disk_bytes"]["prepared"] == 500_000 and told["shards"] == 0


def test_back_translation_counts_the_reverse_model_the_mix_and_every_seed():
    recipe = recipe_set(recipe_find("tiny-bt"), {"decoding.seeds": "2", "training.devices": "4"})
    told = estimate(recipe, MEASURED, lines=10_000, mono_lines=50_000)
    one = 5 + 450 * 0.5
    assert told["seconds"] == {
        "reverse model": 100 + one,
        "back-translation": 500.0,
        "prepare": 80_000 * 0.01 * 2,
        "train": 2 * one,
    }
    assert told["shards"] == 25
    learning = told["seconds"]["reverse model"] + told["seconds"]["train"]
    assert told["gpu_hours"] == pytest.approx((learning * 4 + 500) / 3600, abs=0.01)
    assert told["disk_bytes"]["checkpoints"] == 3 * 5 * 1_000_000
    many = estimate(recipe, MEASURED, lines=10_000, mono_lines=50_000, workers=10)
    assert many["seconds"]["back-translation"] == 50.0 and many["gpu_hours"] == told["gpu_hours"]
    beyond = estimate(recipe, MEASURED, lines=10_000, mono_lines=50_000, workers=1000)
    assert beyond["workers"] == 25 and beyond["seconds"]["back-translation"] == 20.0


def test_epochs_and_patience_limit_updates_or_are_assumed():
    recipe = recipe_set(recipe_find("tiny-op"), {"training.max_updates": "0", "training.max_epochs": "3"})
    assert estimate(recipe, MEASURED, lines=10_000, mono_lines=0)["updates"] == 600
    only = recipe_set(recipe, {"training.max_epochs": "0", "training.patience": "5"})
    told = estimate(only, MEASURED, lines=10_000, mono_lines=0)
    assert told["updates"] == 2000 and any("ten times through" in one for one in told["assumed"])
    assert trial_recipe(only).training.max_updates > 0 and trial_recipe(only).training.patience == 0


@pytest.fixture
def par(tmp_path):
    """A parallel corpus and German text."""
    en, de = ["the cat sees", "a dog"] * 300, ["die Katze sieht", "ein Hund"] * 300
    paths = [write_lines(tmp_path / "x.en", en), write_lines(tmp_path / "x.de", de)]
    run("import_corpus", "par", "--languages", "en-de", "--source", paths[0], "--target", paths[1])
    run("import_corpus", "mono", "--languages", "de", "--source", paths[1])


@pytest.mark.django_db
def test_a_sample_is_trained_and_decoded_and_nothing_of_it_stays(par):
    one = preflight_launch(recipe=recipe_find("tiny-bt"), corpora=["par"], monolingual=["mono"], seconds=1)
    work_all()
    one.refresh_from_db()
    assert one.state == "succeeded", one.message
    measured = one.result["measured"]
    assert measured["sample_lines"] == 600 and measured["updates"] == 3
    assert 0.015 < measured["seconds_an_update"] < 0.2 and measured["tokens_per_second"] == 100
    assert measured["decode_lines_per_second"] > 10 and measured["checkpoint_bytes"] > 0
    assert measured["prepare_seconds"] >= 0 and one.result["total_seconds"] > 450 * 0.015
    assert not (run_directory(one.pk).root / "trial").exists()


@pytest.mark.django_db
def test_the_command_says_it_in_words(par):
    said, _ = run("preflight", "--recipe", "tiny-op", "--corpus", "par", "--seconds", "1")
    for words in (
        "if it begins now",
        "450, 0.0",
        "lines a second",
        "are free",
        "the first lines stand for all",
    ):
        assert words in said, said
    assert "GPU" not in said
    assert "Name monolingual corpora" in refused("preflight", "--recipe", "tiny-bt", "--corpus", "par")
    assert "There is no corpus" in refused("preflight", "--recipe", "tiny-op", "--corpus", "nope")
    said, _ = run(
        "preflight", "--recipe", "tiny-bt", "--corpus", "par", "--mono", "mono", "--seconds", "1",
        "--lines", "20000", "--mono-lines", "60000", "--workers", "4",
    )  # fmt: skip
    assert "30, 4 at a time" in said
    assert "fewer than no lines" in refused(
        "preflight", "--recipe", "tiny-op", "--corpus", "par", "--workers", "0"
    )
    with pytest.raises(BadInput, match="tell nothing"):
        preflight_launch(recipe=recipe_find("tiny-op"), corpora=["par"], seconds=0)


@pytest.mark.django_db
def test_a_trial_that_is_stopped_is_stopped_and_a_slow_one_makes_one_update(par, monkeypatch):
    monkeypatch.setattr(WordEngine, "seconds_an_update", 0.7)
    slow = preflight_launch(recipe=recipe_find("tiny-op"), corpora=["par"], seconds=1)
    work_all()
    slow.refresh_from_db()
    assert slow.state == "succeeded", slow.message
    monkeypatch.setattr(WordEngine, "available", False)
    gone = preflight_launch(recipe=replace(recipe_find("tiny-op")), corpora=["par"])
    work_all()
    gone.refresh_from_db()
    assert gone.state == "failed" and "it is always there" in gone.message
    assert Run.objects.filter(state="running").count() == 0
