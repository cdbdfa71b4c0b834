"""The commands around systems: what they print, and that mistakes are one line."""

import json
import time

import pytest
from django.core.management import CommandError

from mtcore.engines.recipe_files import recipe_find, recipe_read
from mtcore.models import Corpus, Run, SystemOutput
from mtcore.services.run_foreground import Foreground
from mtcore.services.run_work import Worker
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.runs import work_all
from tests.factories.word_engine import WordEngine, only_words

pytestmark = pytest.mark.django_db
EN = ["the cat sees a dog", "a dog eats the fish", "the bird sings a song", "a fish sees the bird"]
DE = [
    "die Katze sieht ein Hund",
    "ein Hund isst die Fisch",
    "die Vogel singt ein Lied",
    "ein Fisch sieht die Vogel",
]
FEW = ["--set", "filters.duplicates=false", "filters.language=false"]


@pytest.fixture(autouse=True)
def _words(monkeypatch):
    only_words(monkeypatch)
    monkeypatch.setattr("mtcore.services.run_foreground.SAID_EVERY_SECONDS", 0.0)
    monkeypatch.setattr("mtcore.services.run_foreground._WAIT_SECONDS", 0.01)


@pytest.fixture
def texts(tmp_path):
    """A parallel corpus, text in German, and a test set."""
    en, de = (write_lines(tmp_path / f"par.{tag}", text * 10) for tag, text in (("en", EN), ("de", DE)))
    run("import_corpus", "par", "--languages", "en-de", "--source", en, "--target", de)
    run("import_corpus", "mono", "--languages", "de", "--source", write_lines(tmp_path / "mono.de", DE * 8))
    source = write_lines(tmp_path / "test.en", ["a cat sings", "the bird", ""])
    reference = write_lines(tmp_path / "test.de", ["ein Katze singt", "die Vogel", ""])
    run("import_testset", "test", "--languages", "en-de", "--source", source, "--reference", reference)
    return tmp_path


def test_a_system_is_trained_in_the_foreground_and_shown(texts):
    said, _ = run("train_system", "OP", "--recipe", "tiny-op", "--corpus", "par", "--testset", "test", *FEW)
    assert "1. Filter “par”" in said and "train_model OP:  50% update 2" in said
    assert said.count("succeeded.") == 4 and "“OP” is trained: manage.py systems OP" in said
    assert SystemOutput.objects.count() == 1
    listed, _ = run("systems")
    assert "trained here" in listed and "test (source)" in listed
    card, _ = run("systems", "OP")
    assert "origin: “par”, 40 lines" in card and "checkpoint sha256" in card and "words with words 1" in card
    assert json.loads(run("systems", "OP", "--format", "json")[0])["languages"] == ["en", "de"]
    again, _ = run("train_system", "OP", "--recipe", "tiny-op", "--corpus", "par", "--testset", "test", *FEW)
    assert "is trained" in again and len(WordEngine.trained) == 1, "what has succeeded is not done again"


def test_without_waiting_the_runs_are_queued_and_it_says_that_nobody_works(texts):
    said, _ = run("train_system", "OP", "--recipe", "tiny-op", "--corpus", "par", "--no-wait", *FEW)
    assert "Nobody is working on the queue “default”" in said and "work --queue default" in said
    assert set(Run.objects.values_list("state", flat=True)) == {"queued"}
    said, _ = run("train_system", "OP", "--recipe", "tiny-op", "--corpus", "par", *FEW)
    assert "is trained" in said and Run.objects.count() == 3


def test_a_dry_run_changes_nothing(texts):
    said, _ = run(
        "train_system", "BT", "--recipe", "tiny-bt", "--corpus", "par", "--mono", "mono", "--dry-run", *FEW
    )
    assert "Translate part 1 of 1 of “BT.mono.1” by “BT.reverse” (about 32 lines)" in said
    assert not Run.objects.exists()


def test_a_failed_run_says_what_to_do_and_goes_on(texts, monkeypatch):
    monkeypatch.setattr(WordEngine, "loses", 1)
    with pytest.raises(
        Exception, match=r"gave back 2 translations for 3 lines.*manage.py run_resume \d+"
    ) as caught:
        run("train_system", "OP", "--recipe", "tiny-op", "--corpus", "par", "--testset", "test", *FEW)
    assert "\n" not in str(caught.value)
    monkeypatch.setattr(WordEngine, "loses", 0)
    run("run_resume", Run.objects.latest("pk").pk)
    run("work", "--once")
    assert SystemOutput.objects.count() == 1


def test_a_test_set_and_a_corpus_are_translated(texts):
    run("train_system", "OP", "--recipe", "tiny-op", "--corpus", "par", *FEW)
    said, _ = run("translate_testset", "OP", "test", "--input", "source")
    assert said.endswith("source: 3 lines (2 ok, 1 blank)\n")
    assert "already (source)" in refused("translate_testset", "OP", "test")
    said, _ = run("translate_corpus", "OP", "par", "--name", "translated", "--shards", "3")
    assert "translated: de, monolingual, 40 lines" in said and "made by translation from “par”" in said
    assert Corpus.objects.get(name="translated").report["shards"] == 3
    assert "5 parts" in run("translate_corpus", "OP", "par", "--name", "x", "--shards", "5", "--dry-run")[0]


def test_language_models_are_trained_and_score(texts):
    said, _ = run("train_lm", "LM", "--recipe", "tiny-lm", "--corpus", "mono", *FEW)
    assert "“LM” is trained on 31 lines (10 different words)" in said
    path = write_lines(texts / "x.de", ["die Katze sieht", "ein Elefant"])
    said, _ = run("score_lm", "LM", "--text", path)
    assert "unknown    1 (20.00%) of words; the model has seen 10" in said
    assert "perplexity 11.00 a word, 11.00 a subword" in said
    said, progress = run("score_lm", "LM", "--text", path, "--format", "json")
    assert json.loads(said)["perplexity_subword"] == pytest.approx(11) and "succeeded." in progress
    assert "There is no language model" in refused("score_lm", "none", "--text", path)


def test_recipes_are_listed_and_printed_as_toml(tmp_path):
    listed, _ = run("recipes")
    assert "edunov-bt" in listed and "vanmassenhove-lstm" in listed
    text, _ = run("recipes", "tiny-op", "--set", "training.seed=3")
    recipe = recipe_read(text)
    assert recipe.training.seed == 3 and recipe.model == recipe_find("tiny-op").model
    path = tmp_path / "own.toml"
    path.write_text(text)
    assert run("recipes", str(path))[0] == text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--recipe", "tiny-oq"], "Did you mean “tiny-op”"),
        (["--recipe", "none.toml"], "none.toml: cannot be read"),
        (["--recipe", "tiny-op", "--set", "training.sed=3"], "Did you mean “training.seed”"),
        (["--recipe", "tiny-op", "--set", "training.seed"], "Write it as training.max_updates=3000"),
        (["--recipe", "tiny-op", "--set", "training.seed=x"], "a whole number"),
        (["--recipe", "tiny-op", "--corpus", "nope"], "There is no corpus “nope”"),
        (["--recipe", "tiny-op", "--engine", "nope"], "There is no engine “nope”"),
    ],
)
def test_mistakes_are_one_line(texts, arguments, words):
    corpus = [] if "--corpus" in arguments else ["--corpus", "par"]
    assert words in refused("train_system", "OP", *corpus, *arguments)


def test_where_a_worker_is_there_the_command_only_watches(texts, monkeypatch):
    class Clock:
        """Stands for the time that passes while another process works."""

        monotonic = staticmethod(time.monotonic)

        @staticmethod
        def sleep(_seconds: float) -> None:
            done.extend(work_all())

    done: list[Run] = []
    monkeypatch.setattr("mtcore.services.run_foreground.workers_alive", lambda _queue: ["somebody"])
    monkeypatch.setattr("mtcore.services.run_foreground.time", Clock)
    said, _ = run("train_system", "OP", "--recipe", "tiny-op", "--corpus", "par", *FEW)
    assert [one.kind for one in done] == ["filter_corpus", "split_corpus", "train_model"]
    assert said.count("succeeded.") == 3 and "“OP” is trained" in said


def test_stopped_in_the_middle_it_says_how_to_go_on(texts, monkeypatch):
    real = Worker.look

    def look(self, among=None):
        done = real(self, among)
        for thread in stopped:
            thread.stop()
        return done

    stopped: list[Foreground] = []
    begin = Foreground.follow
    monkeypatch.setattr(Worker, "look", look)
    monkeypatch.setattr(Foreground, "follow", lambda self: (stopped.append(self), begin(self))[1])
    with pytest.raises(CommandError, match="2 of 3 runs are not done and stay in the queue"):
        run("train_system", "OP", "--recipe", "tiny-op", "--corpus", "par", *FEW)
    stopped.clear()
    monkeypatch.setattr(Worker, "look", real)
    assert "“OP” is trained" in run("train_system", "OP", "--recipe", "tiny-op", "--corpus", "par", *FEW)[0]
