"""Systems from corpora to registered outputs: planned, refused at the door, trained, decoded, resumed."""

import pytest

from evalplatform.errors import BadInput, Conflict, NotFound
from mtcore.models import Corpus, OutputSegment, Run, System, SystemOutput
from mtcore.services import testsets
from mtcore.services.runs import run_cancel, run_resume
from mtcore.services.systems import system_bundles, system_card, system_trained
from mtcore.services.texts import NamedText
from mtcore.services.training import system_train
from tests.factories.runs import work_all
from tests.factories.training import DE, EN, corpus, make_set, mono, parallel, states, tiny
from tests.factories.word_engine import WordEngine, only_words

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _words(monkeypatch):
    only_words(monkeypatch)


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
