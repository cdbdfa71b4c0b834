"""What is done with trained systems and language models: translating later, scoring, parts put together."""

from dataclasses import replace

import pytest

from evalplatform.errors import BadInput, Conflict, NotFound
from mtcore.models import Corpus, Run, System, SystemOutput
from mtcore.services import decoding
from mtcore.services.decoding import corpus_translate, lm_score
from mtcore.services.run_context import run_directory
from mtcore.services.run_decoding import part_lines
from mtcore.services.runs import run_resume
from mtcore.services.systems import system_bundles
from mtcore.services.training import lm_train, system_train
from tests.factories.files import write_lines
from tests.factories.runs import work_all
from tests.factories.training import DE, EN, corpus, make_set, mono, parallel, tiny
from tests.factories.word_engine import WordEngine, only_words

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _words(monkeypatch):
    only_words(monkeypatch)


def trained(tmp_path, name: str = "OP12") -> None:
    parallel(tmp_path)
    system_train(name=name, recipe=tiny(), corpora=["par"])
    work_all()


def test_a_test_set_is_translated_later_and_only_what_is_missing(tmp_path):
    trained(tmp_path)
    make_set()
    run = decoding.testset_translate(system="OP12", testset="test", inputs=["X"])
    assert run.options["inputs"] == ["src"]
    work_all()
    assert SystemOutput.objects.count() == 1
    assert decoding.testset_translate(system="OP12", testset="test").options["inputs"] == ["r1.r1"]
    work_all()
    with pytest.raises(Conflict, match=r"translated “test” already \(src, r1.r1\)"):
        decoding.testset_translate(system="OP12", testset="test")
    with pytest.raises(Conflict, match="already"):
        decoding.testset_translate(system="OP12", testset="test", inputs=["src"])
    make_set("turned", languages="de-en")
    with pytest.raises(BadInput, match="“turned” is de-en; en-de is needed"):
        decoding.testset_translate(system="OP12", testset="turned")
    System.objects.create(name="human", kind="human")
    with pytest.raises(BadInput, match="was not trained here"):
        decoding.testset_translate(system="human", testset="test")
    with pytest.raises(NotFound, match="There is no system “nobody”"):
        decoding.testset_translate(system="nobody", testset="test")


def test_a_damaged_model_is_refused_before_the_first_sentence_eng_09(tmp_path):
    trained(tmp_path)
    make_set()
    (bundle,) = system_bundles("OP12")
    bundle.path("checkpoint").write_text("[{}, 0]")
    run = decoding.testset_translate(system="OP12", testset="test")
    work_all()
    run.refresh_from_db()
    assert run.state == "failed" and "SHA-256 differs" in run.message and WordEngine.translated == []


def test_a_whole_corpus_is_translated_line_by_line_with_provenance(tmp_path):
    trained(tmp_path)
    corpus(tmp_path, "news", ["en"], ["the cat", "", "a dog", "word " * 70, *EN.split("|")])
    pipeline = corpus_translate(system="OP12", corpus="news", shards=4)
    assert "“news by OP12”" in pipeline.summary()
    work_all()
    made = Corpus.objects.get(name="news by OP12")
    assert (made.kind, made.source_language, made.n_lines) == ("monolingual", "de", 9)
    text = (tmp_path / "data" / made.path / "text.de").read_text().split("\n")
    assert text[:5] == ["die Katze", "", "ein Hund", "", DE.split("|")[0]]
    assert made.report["statuses"] == {"ok": 7, "blank": 1, "too_long": 1}
    assert made.report["system"] == "OP12" and made.report["checkpoints"] and made.report["shards"] == 4
    assert [one.name for one in made.derived_from.all()] == ["news"]
    assert corpus_translate(system="OP12", corpus="news", shards=4).is_finished, "the same again is the same"
    source = corpus_translate(system="OP12", corpus="par", name="training source")
    work_all()
    assert source.is_finished and Corpus.objects.get(name="training source").n_lines == 40
    mono(tmp_path)
    with pytest.raises(BadInput, match="“mono” is in de; “OP12” translates from en"):
        corpus_translate(system="OP12", corpus="mono")
    with pytest.raises(BadInput, match="cannot be cut into 99 parts"):
        corpus_translate(system="OP12", corpus="news", name="x", shards=99)
    with pytest.raises(Conflict, match="already"):
        corpus_translate(system="OP12", corpus="news", name="par")


def test_a_part_that_was_changed_is_found_when_parts_are_joined(tmp_path):
    trained(tmp_path)
    corpus(tmp_path, "news", ["en"], EN.split("|"))
    pipeline = corpus_translate(system="OP12", corpus="news", shards=2)
    work_all("default")
    Corpus.objects.filter(name="news by OP12").delete()
    join = Run.objects.get(pk=pipeline.runs[-1].pk)
    Run.objects.filter(pk=join.pk).update(state="failed")
    (run_directory(pipeline.runs[0].pk).result / "text.txt").write_text("etwas\nanderes\n")
    run_resume(run=join)
    work_all()
    join.refresh_from_db()
    assert join.state == "failed" and "SHA-256 has changed" in join.message
    assert not Corpus.objects.filter(name="news by OP12").exists()


def test_language_models_learn_from_corpora_and_systems_and_score_text(tmp_path):
    trained(tmp_path)
    make_set()
    mono(tmp_path, n=60)
    run = lm_train(name="LM1", recipe=tiny("tiny-lm"), corpora=["mono"])
    work_all()
    run.refresh_from_db()
    assert run.state == "succeeded", run.message
    assert (run.result["texts"]["train"], run.result["texts"]["valid"]) == (59, 1)
    assert run.result["texts"]["sources"][0]["name"] == "mono"
    path = write_lines(tmp_path / "text.de", ["die Katze sieht", "", "ein Elefant singt"])
    scored = lm_score(lm="LM1", text=path)
    work_all()
    scored.refresh_from_db()
    told = scored.result
    assert scored.state == "succeeded", scored.message
    assert (told["lines"], told["blank"], told["tokens"], told["words"]) == (3, 1, 8, 6)
    size = run.result["texts"]["vocabulary"] + 1
    assert told["perplexity_subword"] == pytest.approx(size) and told["perplexity_word"] == pytest.approx(
        size
    )
    assert told["perplexity_word_without_ends"] == pytest.approx(size ** (8 / 6))
    assert (told["oov"], told["oov_rate"]) == (1, pytest.approx(1 / 6))
    rows = (run_directory(scored.pk).result / "scores.tsv").read_text().split("\n")
    assert [row.split("\t")[0] for row in rows[1:3]] == ["1", "3"], "scores stand by the number of their line"
    corpus_translate(system="OP12", corpus="par", name="translated")
    decoding.testset_translate(system="OP12", testset="test", inputs=["X"])
    work_all()
    of_system = lm_train(name="LM2", recipe=tiny("tiny-lm"), system="OP12")
    work_all()
    of_system.refresh_from_db()
    assert of_system.state == "succeeded", of_system.message
    assert of_system.result["texts"]["sources"][0]["name"] == "translated"
    for options in ({"system": "OP12"}, {"version": "ref"}):
        one = lm_score(lm="LM1", testset="test", **options)
        work_all()
        one.refresh_from_db()
        assert one.state == "succeeded" and one.result["lines"] == 4, one.message
    for options, words in (
        ({}, "One text is scored at a time"),
        ({"corpus": "par", "text": path}, "One text is scored at a time"),
        ({"system": "OP12"}, "belongs to a test set"),
        ({"version": "X", "testset": "test"}, "is in en, the model in de"),
    ):
        with pytest.raises(BadInput, match=words):
            lm_score(lm="LM1", **options)
    with pytest.raises(NotFound, match="The language models are “LM1”, “LM2”"):
        lm_score(lm="LM3", text=path)
    assert lm_train(name="LM1", recipe=tiny("tiny-lm"), corpora=["mono"]).pk == run.pk, "the same again"
    with pytest.raises(Conflict, match="made otherwise"):
        lm_train(name="LM1", recipe=tiny("tiny-lm"), corpora=["mono"], seed=9)
    with pytest.raises(BadInput, match="Say which with --language"):
        lm_train(name="LM4", recipe=tiny("tiny-lm"), corpora=["par"])
    with pytest.raises(BadInput, match="Give one of the two"):
        lm_train(name="LM4", recipe=tiny("tiny-lm"))


def test_the_seed_of_a_recipe_is_that_of_its_models(tmp_path):
    parallel(tmp_path)
    recipe = replace(tiny(), decoding=replace(tiny().decoding, seeds=3))
    system_train(name="OP13", recipe=recipe, corpora=["par"], seed=5)
    work_all()
    assert WordEngine.trained == [("en-de", 5), ("en-de", 6), ("en-de", 7)]


def test_a_pipeline_of_many_parts_sends_one_message_a_queue(
    tmp_path, monkeypatch, django_capture_on_commit_callbacks
):
    sent: list[str] = []
    monkeypatch.setattr("mtcore.services.pipeline.workers_wake", sent.append)
    monkeypatch.setattr("mtcore.services.runs.workers_wake", lambda queue: sent.append(f"one of {queue}"))
    parallel(tmp_path)
    mono(tmp_path)
    recipe = tiny("tiny-bt", **{"back_translation.shard_lines": "1", "training.devices": "1"})
    with django_capture_on_commit_callbacks(execute=True):
        pipeline = system_train(name="BT9", recipe=recipe, corpora=["par"], monolingual=["mono"])
    assert len(pipeline.runs) == 25 + 7 and sent == ["default", "gpu"]
    assert {run.queue for run in pipeline.runs if run.kind in ("train_model", "translate_shard")} == {"gpu"}
    assert {run.queue for run in pipeline.runs if run.kind == "mix_corpora"} == {"default"}


def test_the_parts_of_a_corpus_are_all_its_lines_in_order(tmp_path):
    lines = [f"line {number}" for number in range(11)]
    news = corpus(tmp_path, "news", ["en"], lines)
    for parts in (1, 2, 3, 4, 10, 11):
        cut = [part_lines(news, "en", part, parts) for part in range(parts)]
        assert [line for part in cut for line in part] == lines
        assert max(map(len, cut)) - min(map(len, cut)) <= 1
