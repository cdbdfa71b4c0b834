"""Systems from corpora to registered outputs: planned, refused at the door, trained, decoded, resumed."""

from dataclasses import replace

import pytest

from evalplatform.errors import BadInput, Conflict, NotFound
from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.models import Corpus, OutputSegment, Run, System, SystemOutput
from mtcore.services import decoding, testsets
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_import import corpus_import
from mtcore.services.decoding import corpus_translate, lm_score
from mtcore.services.run_context import run_directory
from mtcore.services.run_decoding import part_lines
from mtcore.services.runs import run_cancel, run_resume
from mtcore.services.systems import system_bundles, system_card, system_trained
from mtcore.services.texts import NamedText
from mtcore.services.training import lm_train, system_train
from tests.factories.files import write_lines
from tests.factories.runs import work_all
from tests.factories.word_engine import WordEngine, only_words

pytestmark = pytest.mark.django_db
EN = "the cat sees a dog|a dog eats the fish|the bird sings a song|a fish sees the bird|the dog sings a fish"
DE = "die Katze sieht ein Hund|ein Hund isst die Fisch|die Vogel singt ein Lied|ein Fisch sieht die Vogel|"
DE += "die Hund singt ein Fisch"


@pytest.fixture(autouse=True)
def _words(monkeypatch):
    only_words(monkeypatch)


def tiny(name: str = "tiny-op", **settings: str):
    return recipe_set(recipe_find(name), {"filters.duplicates": "false", **settings})


def corpus(tmp_path, name: str, languages: list[str], *sides: list[str], **options) -> Corpus:
    files = [
        [write_lines(tmp_path / f"{name}.{tag}", text)] for tag, text in zip(languages, sides, strict=True)
    ]
    draft = corpus_import(
        name=name,
        languages=languages,
        sources=files[0],
        targets=files[1] if len(files) > 1 else (),
        **options,
    )
    return corpus_register(draft)[0]


def parallel(tmp_path, name: str = "par", *, copies: int = 8, turned: bool = False) -> Corpus:
    sides = [EN.split("|") * copies, DE.split("|") * copies]
    tags = ["en", "de"]
    return corpus(tmp_path, name, tags[::-1] if turned else tags, *(sides[::-1] if turned else sides))


def mono(tmp_path, name: str = "mono", n: int = 25) -> Corpus:
    return corpus(tmp_path, name, ["de"], (DE.split("|") * n)[:n])


def make_set(name: str = "test", *, double: bool = True, languages: str = "en-de"):
    source = NamedText("src", "src.en", ("the bird eats a fish", "", "a cat sings the song", "word " * 70))
    reference = NamedText("ref", "ref.de", ("die Vogel isst ein Fisch", "", "ein Katze singt", "lang"))
    more = [NamedText("r1.r1", "x.en", ("a bird eats a fish", "the", "a cat sings a song", "the dog"))]
    draft = testsets.testset_draft(
        name=name,
        languages=languages,
        sources=[source, *(more if double else [])],
        references=[reference],
        direction="direct",
    )
    return testsets.testset_create(draft)[0]


def states(runs) -> list[str]:
    return list(
        Run.objects.filter(pk__in=[run.pk for run in runs]).order_by("pk").values_list("state", flat=True)
    )


def test_an_op_system_from_corpus_to_registered_outputs(tmp_path):
    parallel(tmp_path)
    make_set()
    pipeline = system_train(name="OP1", recipe=tiny(), corpora=["par"], testsets=["test"])
    assert [run.kind for run in pipeline.runs] == [
        "filter_corpus", "split_corpus", "train_model", "translate_testset",
    ]  # fmt: skip
    work_all()
    assert states(pipeline.runs) == ["succeeded"] * 4, [run.message for run in Run.objects.all()]
    system = System.objects.get(name="OP1")
    assert system.kind == "OP"
    outputs = list(SystemOutput.objects.filter(system=system).order_by("pk"))
    assert [one.input_version.name for one in outputs] == ["src", "r1.r1"], "every version of the source"
    lines = list(outputs[0].lines.order_by("segment__position").values_list("text", "status"))
    assert lines[0] == ("die Vogel isst ein Fisch", "ok")
    assert lines[1] == ("", "blank") and lines[3] == ("", "too_long")
    assert outputs[0].run == pipeline.runs[-1]
    where = outputs[0].provenance
    card = system_card("OP1")
    assert (
        where["checkpoints"] == [card["models"][0]["checkpoint_sha256"]]
        and len(where["checkpoints"][0]) == 64
    )
    assert {one["name"] for one in where["corpora"]} == {"OP1.train", "OP1.valid", "par"}
    assert all(one["sha256"] == Corpus.objects.get(name=one["name"]).sha256 for one in where["corpora"])
    assert (where["beam"], where["seeds"], where["engine"], where["recipe"]) == (5, [1], "words 1", "tiny-op")
    assert card["languages"] == ["en", "de"] and card["recipe"]["training"]["max_updates"] == 450
    assert card["models"][0]["versions"] == {"words": "1"}
    (bundle,) = system_bundles("OP1")
    assert bundle.facts["seed"] == 1
    train, valid = (Corpus.objects.get(name=f"OP1.{part}") for part in ("train", "valid"))
    assert train.n_lines + valid.n_lines == 40 and valid.n_lines == 1


def test_a_bt_system_is_a_graph_of_runs_whose_mix_is_upsampled_and_tagged(tmp_path):
    parallel(tmp_path)
    mono(tmp_path)
    recipe = tiny(
        "tiny-bt",
        **{"back_translation.shard_lines": "10", "back_translation.tag": "<BT>", "decoding.seeds": "2"},
    )
    pipeline = system_train(name="BT1", recipe=recipe, corpora=["par"], monolingual=["mono"])
    assert [run.kind for run in pipeline.runs] == [
        "filter_corpus", "split_corpus", "filter_corpus", "train_model", "translate_shard", "translate_shard",
        "translate_shard", "join_shards", "mix_corpora", "train_model", "train_model",
    ]  # fmt: skip
    told = pipeline.summary()
    assert (
        "Train “BT1.reverse” (de-en" in told
        and "3 × “BT1.train”, 1 × “BT1.back-translated” tagged <BT>" in told
    )
    work_all()
    assert set(states(pipeline.runs)) == {"succeeded"}, [run.message for run in Run.objects.all()]
    assert WordEngine.trained == [("de-en", 1), ("en-de", 1), ("en-de", 2)]
    assert WordEngine.translated == [8, 8, 9], "parts differ by a line at most"
    made = Corpus.objects.get(name="BT1.back-translated")
    assert (made.kind, made.source_language, made.target_language, made.n_lines) == (
        "synthetic",
        "en",
        "de",
        25,
    )
    assert made.report["system"] == "BT1.reverse" and made.report["shards"] == 3
    assert made.report["decoding"]["sampling"] is True
    assert [one.name for one in made.derived_from.all()] == ["BT1.mono.1"]
    mixed = Corpus.objects.get(name="BT1.mixed")
    assert mixed.n_lines == 3 * Corpus.objects.get(name="BT1.train").n_lines + 25
    text = (tmp_path / "data" / mixed.path / "text.en").read_text().split("\n")
    assert sum(line.startswith("<BT> ") for line in text) == 25
    assert text[-26] == "<BT> the cat sees a dog"
    assert [System.objects.get(name=name).kind for name in ("BT1.reverse", "BT1")] == ["OP", "BT"]
    assert len(system_bundles("BT1")) == 2
    seeds = [Run.objects.get(pk=one.pk).result["seed"] for one in system_trained("BT1").runs]
    assert seeds == [1, 2]
    origins = [one["name"] for one in system_card("BT1")["corpora"] if one["use"] == "origin"]
    assert origins == ["par", "mono"]


def test_corpora_in_the_other_order_are_turned_and_several_are_mixed(tmp_path):
    parallel(tmp_path)
    parallel(tmp_path, "rap", copies=3, turned=True)
    parallel(tmp_path, "held out", copies=1)
    pipeline = system_train(
        name="OP2", recipe=tiny(), corpora=["rap", "par"], languages="en-de", valid="held out"
    )
    assert [run.kind for run in pipeline.runs] == [
        "filter_corpus",
        "filter_corpus",
        "mix_corpora",
        "train_model",
    ]
    work_all()
    both = Corpus.objects.get(name="OP2.parallel")
    assert (both.source_language, both.target_language, both.n_lines) == ("en", "de", 55)
    assert "the cat sees a dog\n" in (tmp_path / "data" / both.path / "text.en").read_text()
    assert WordEngine.trained == [("en-de", 1)]


def test_the_name_of_a_reverse_model_belongs_to_its_pipeline(tmp_path):
    parallel(tmp_path)
    mono(tmp_path)
    wanted = {"recipe": tiny("tiny-bt"), "corpora": ["par"], "monolingual": ["mono"]}
    system_train(name="BT4", **wanted)
    with pytest.raises(Conflict, match=r"There is a system “BT4\.reverse” already"):
        system_train(name="BT4.reverse", recipe=tiny(), corpora=["par"])
    System.objects.create(name="BT5.reverse", kind="other")
    with pytest.raises(Conflict, match=r"There is a system “BT5\.reverse” already"):
        system_train(name="BT5", **wanted)
    work_all()
    assert system_train(name="BT4", **wanted).is_finished, "its own pipeline goes on"


def test_a_trained_system_of_the_other_direction_translates_back(tmp_path):
    parallel(tmp_path)
    mono(tmp_path)
    system_train(name="back", recipe=tiny(), corpora=["par"], languages="de-en")
    work_all()
    pipeline = system_train(
        name="BT2", recipe=tiny("tiny-bt"), corpora=["par"], monolingual=["mono"], reverse="back"
    )
    work_all()
    assert set(states(pipeline.runs)) == {"succeeded"}
    assert WordEngine.trained == [("de-en", 1), ("en-de", 1)], "no reverse model was trained anew"
    corpus(tmp_path, "english", ["en"], EN.split("|"))
    turned = {"corpora": ["par"], "monolingual": ["english"], "languages": "de-en"}
    with pytest.raises(BadInput, match="System “back” is de-en; en-de is needed"):
        system_train(name="BT3", recipe=tiny("tiny-bt"), reverse="back", **turned)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"corpora": []}, BadInput, "Name at least one corpus"),
        ({"corpora": ["nope"]}, NotFound, "There is no corpus “nope”"),
        ({"corpora": ["mono"]}, BadInput, "text in one language"),
        ({"corpora": ["par", "par"]}, BadInput, "named twice"),
        ({"languages": "en-fr"}, BadInput, "is in en-de, not in en-fr"),
        ({"languages": "en"}, BadInput, "not a language pair"),
        ({"testsets": ["nope"]}, NotFound, "There is no test set"),
        ({"testsets": ["test"], "languages": "de-en"}, BadInput, "Test set “test” is en-de; de-en is needed"),
        ({"monolingual": ["mono"]}, BadInput, "parallel text only"),
        ({"recipe": "tiny-bt"}, BadInput, "none was given"),
        ({"recipe": "tiny-bt", "monolingual": ["par"]}, BadInput, "is in en-de; text in de"),
        ({"recipe": "tiny-lm"}, BadInput, "makes a language model"),
        ({"valid": "par"}, BadInput, "cannot be validated on"),
        ({"engine": "moses"}, BadInput, "There is no engine “moses”"),
        ({"settings": {"decoding.engine": "nope"}}, BadInput, "decoding.engine: There is no engine “nope”"),
        ({"recipe": "tiny-phrase"}, BadInput, "No engine can do this"),
        ({"name": "a|b"}, BadInput, "joins merged systems"),
        ({"name": "n" * 100}, BadInput, "at most 90"),
        ({"test_segments": "maybe"}, BadInput, "refuse, drop or keep"),
    ],
)
def test_what_does_not_fit_is_refused_at_the_door(tmp_path, change, error, words):
    parallel(tmp_path)
    mono(tmp_path)
    make_set()
    given = {"name": "OP3", "recipe": "tiny-op", "corpora": ["par"], **change}
    given["recipe"] = tiny(given["recipe"], **given.pop("settings", {}))
    with pytest.raises(error, match=words):
        system_train(**given)
    assert not Run.objects.exists()


def test_corpora_with_test_segments_are_refused_unless_said_otherwise(tmp_path):
    sides = [EN.split("|") * 2, DE.split("|") * 2]
    sides[0].append("A bird that eats fish is seldom seen here.")
    sides[1].append("Ein Vogel, der Fisch isst, wird hier selten gesehen.")
    corpus(tmp_path, "leaky", ["en", "de"], *sides)
    testsets.testset_create(
        testsets.testset_draft(
            name="seen",
            languages="en-de",
            sources=[NamedText("src", "s", ("A bird that eats fish is seldom seen here.",))],
            references=[NamedText("ref", "r", ("Anders.",))],
        )
    )
    with pytest.raises(BadInput, match=r"line 11 \(en\) is in “seen”.*--test-segments drop"):
        system_train(name="OP4", recipe=tiny(), corpora=["leaky"])
    system_train(name="OP4", recipe=tiny(), corpora=["leaky"], test_segments="drop")
    work_all()
    assert Corpus.objects.get(name="OP4.filtered").n_lines == 10
    kept = system_train(name="OP5", recipe=tiny(), corpora=["leaky"], test_segments="keep", dry_run=True)
    assert "scores on them will be too good" in kept.summary()


def test_test_segments_that_only_the_first_run_can_find_fail_it(tmp_path, monkeypatch):
    monkeypatch.setattr("mtcore.services.training_door.OVERLAP_LINES", 1)
    sides = [EN.split("|") * 2, DE.split("|") * 2]
    corpus(tmp_path, "leaky", ["en", "de"], *sides)
    long = "the cat sees a dog"
    testsets.testset_create(
        testsets.testset_draft(
            name="seen",
            languages="en-de",
            sources=[NamedText("src", "s", (long,))],
            references=[NamedText("ref", "r", ("Anders.",))],
        )
    )
    pipeline = system_train(name="OP6", recipe=tiny(), corpora=["leaky"])
    assert "The first runs look for test segments in “leaky”" in pipeline.summary()
    work_all()
    first = Run.objects.get(pk=pipeline.runs[0].pk)
    assert first.state == "failed" and "2 lines with segments of test sets" in first.message
    assert not Corpus.objects.filter(name="OP6.filtered").exists()
    assert not list((tmp_path / "data" / "corpora").glob("run-*"))


def test_text_in_another_language_and_shifted_text_are_refused(tmp_path):
    english = [
        f"The committee discussed the proposal number {n} for several hours and then went home."
        for n in range(40)
    ]
    german = [f"Der Ausschuss hat den Vorschlag {n} mehrere Stunden lang besprochen." for n in range(40)]
    corpus(tmp_path, "wrong", ["en", "de"], english, english)
    with pytest.raises(BadInput, match=r"registered as de, but 40 of its first 40 lines .*en\."):
        system_train(name="OP7", recipe=tiny(), corpora=["wrong"])
    varied = [line + " And so on and on." * (n * 7 % 11) for n, line in enumerate(english)]
    other = [line + " Und so weiter und so fort." * (n * 7 % 11) for n, line in enumerate(german)]
    corpus(tmp_path, "shifted", ["en", "de"], varied, [*other[1:], other[0]])
    with pytest.raises(BadInput, match=r"“shifted” is misaligned.*seems shifted"):
        system_train(name="OP7", recipe=tiny(), corpora=["shifted"])


def test_a_dry_run_says_what_will_happen_and_launches_nothing(tmp_path):
    parallel(tmp_path)
    make_set()
    pipeline = system_train(
        name="OP8", recipe=tiny(), corpora=["par"], testsets=["test"], dry_run=True, seed=7
    )
    told = pipeline.summary()
    assert not Run.objects.exists() and not pipeline.runs
    assert "1. Filter “par” (40 lines), refuse test segments: “OP8.filtered”" in told
    assert "Train “OP8” (en-de, transformer, at most 450 updates, seed 7) on “OP8.train”" in told
    assert "Translate every version of the source of “test”" in told


def test_the_same_call_goes_on_where_it_stopped_and_another_is_refused(tmp_path, monkeypatch):
    parallel(tmp_path)
    make_set()
    wanted = {"name": "OP9", "recipe": tiny(), "corpora": ["par"], "testsets": ["test"]}
    monkeypatch.setattr(WordEngine, "loses", 1)
    pipeline = system_train(**wanted)
    work_all()
    assert states(pipeline.runs) == ["succeeded"] * 3 + ["failed"]
    last = Run.objects.get(pk=pipeline.runs[-1].pk)
    assert "gave back 3 translations for 4 lines; none of them is registered" in last.message
    assert not SystemOutput.objects.exists() and not OutputSegment.objects.exists()
    monkeypatch.setattr(WordEngine, "loses", 0)
    again = system_train(**wanted)
    assert [run.pk for run in again.runs] == [run.pk for run in pipeline.runs]
    assert [run.pk for run in again.resumed] == [last.pk]
    work_all()
    assert states(pipeline.runs) == ["succeeded"] * 4 and again.is_finished
    assert WordEngine.trained == [("en-de", 1)], "what has succeeded is not done again"
    assert system_train(**wanted).resumed == []
    with pytest.raises(Conflict, match="launched already with other settings"):
        system_train(**{**wanted, "recipe": tiny(**{"training.max_updates": "3"})})
    System.objects.create(name="there", kind="other")
    with pytest.raises(Conflict, match="There is a system “there” already"):
        system_train(**{**wanted, "name": "there"})


def test_a_cancelled_pipeline_resumed_twice_ends_once(tmp_path):
    parallel(tmp_path)
    make_set()
    pipeline = system_train(name="OP10", recipe=tiny(), corpora=["par"], testsets=["test"])
    run_cancel(run=pipeline.runs[0], children=True)
    assert set(states(pipeline.runs)) == {"cancelled"} and work_all() == []
    last = Run.objects.get(pk=pipeline.runs[-1].pk)
    assert run_resume(run=last).changed and not run_resume(run=last).changed
    work_all()
    assert states(pipeline.runs) == ["succeeded"] * 4
    assert SystemOutput.objects.count() == 2 and WordEngine.trained == [("en-de", 1)]


def test_an_engine_that_is_not_there_is_said_before_and_after(tmp_path, monkeypatch):
    parallel(tmp_path)
    monkeypatch.setattr(WordEngine, "available", False)
    pipeline = system_train(name="OP11", recipe=tiny(), corpora=["par"])
    assert "Note: words is not usable on this machine" in pipeline.summary()
    work_all()
    run = Run.objects.get(pk=pipeline.runs[-1].pk)
    assert run.state == "failed" and "it is always there" in run.message


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
