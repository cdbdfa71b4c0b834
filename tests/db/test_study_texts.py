"""The tables about texts: corpora, vocabularies, diversity, the forms of a lemma; and language models."""

import json
import shlex
from math import exp

import pytest

from annotation.models import Study
from annotation.services.study_members import study_add
from annotation.services.study_tables.fill import study_tables
from mtcore.models import Run, System
from mtcore.services.run_context import run_directory
from mtcore.services.run_work import Worker
from tests.factories.commands import refused, run
from tests.factories.diversity import invented_text
from tests.factories.files import write_lines
from tests.factories.study_tables import known_testset
from tests.unit.test_diversity_values import FORMS, TABLE_7

pytestmark = pytest.mark.django_db
TEXTS = ("ORIG", "PB-SMT", "LSTM", "TRANS")


def table(study, name):
    return study_tables(study=study, tables=name)[0]


def cells(filled):
    return {
        (*line.labels, *column.heads): cell
        for line in filled.lines
        for column, cell in zip(filled.columns, line.cells, strict=True)
    }


def printed(study, name):
    return {key: cell.text for key, cell in cells(table(study, name)).items()}


def in_lines(counts):
    """Return lines of at most 500 words in which each form occurs as often as is said."""
    lines = []
    for form, n in counts.items():
        lines += [" ".join([form] * min(500, n - start)) for start in range(0, n, 500)]
    return lines


def make_study(tmp_path, texts):
    """Make a study of en-fr whose systems have translated a training corpus; texts by row, ORIG first."""
    study = Study.objects.create(name="Europarl")
    english = [f"Line {number} of it." for number in range(len(texts["ORIG"]))]
    run(
        "import_corpus", "train", "--languages", "en-fr", "--source", write_lines(tmp_path / "en", english),
        "--target", write_lines(tmp_path / "ORIG", texts["ORIG"]),
    )  # fmt: skip
    testset = known_set(tmp_path)
    study_add(study=study, testsets=[testset])
    for name in list(texts)[1:]:
        output = write_lines(tmp_path / f"{name}.out", ["une phrase", "la maison est grande", f"{name} ici"])
        run("import_output", testset, name, output)
        made = write_lines(tmp_path / name, texts[name])
        run("import_corpus", f"by {name}", "--languages", "fr", "--text", made)
        System.objects.filter(name=name).update(kind="other")
    translations = [f"{name}=by {name}" for name in list(texts)[1:]]
    rows = [word for name in list(texts)[1:] for word in ("--row", f"{name}={name}")]
    run("study_texts", "Europarl", "--train", "train", "--translation", *translations, *rows)
    study.refresh_from_db()
    return study


def known_set(tmp_path):
    source = write_lines(tmp_path / "test.en", ["One.", "The house is big.", "Here we are."])
    target = write_lines(tmp_path / "test.fr", ["Un.", "La maison est grande.", "Nous voici."])
    run("import_testset", "news", "--languages", "en-fr", "--source", source, "--reference", target)
    return "news"


def fill(command):
    """Run a command that a table has printed."""
    words = shlex.split(command)
    assert words[0] == "manage.py"
    return run(*words[1:])


def test_table_7_comes_to_its_printed_digits(tmp_path):
    texts = {
        name: in_lines({form: n for form, n in zip(FORMS, counts, strict=False) if n})
        for name, (counts, _, _) in zip(TEXTS, TABLE_7, strict=True)
    }
    study = make_study(tmp_path, texts)
    (wanted,) = table(study, "vanmassenhove-7").commands
    assert wanted.startswith("manage.py measure_diversity --text ORIG=corpus:train ")
    out, err = fill(wanted.replace("WORD", "président") + " --tokens given --resamples 0 --no-intervals")
    assert "Kept as run" in err and "93,774" in out
    filled = table(study, "vanmassenhove-7")
    assert filled.columns[0].heads == ("lemma: président", "président")
    found = [[*line.labels, *(cell.text for cell in line.cells)] for line in filled.lines]
    assert found == [
        ["ORIG", "93,774", "2,029", "1,490", "8", "18.11", "92.95"],
        ["PB-SMT", "99,367", "2,019", "496", "1", "12.81", "95.16"],
        ["LSTM", "95,272", "2,039", "291", "N/A", "12.17", "95.33"],
        ["TRANS", "92,946", "1,952", "617", "N/A", "13.86", "94.74"],
    ]
    assert filled.n_missing == 0


def test_tables_1_2_4_5_6_and_8_are_filled_by_the_commands_they_print(tmp_path):
    forms = ["le président et les présidents"]
    texts = {name: forms + invented_text(59, seed=seed) for seed, name in enumerate(TEXTS[:3])}
    study = make_study(tmp_path, texts)
    dictionary = write_lines(tmp_path / "d.tsv", [f"line\t{'|'.join(texts['ORIG'][1].split()[:4])}"])
    assert printed(study, "vanmassenhove-1") == {
        ("en-fr", "Train"): "60", ("en-fr", "Test"): "3", ("en-fr", "Dev"): "",
    }  # fmt: skip
    for name in (
        "vanmassenhove-2",
        "vanmassenhove-4",
        "vanmassenhove-5",
        "vanmassenhove-6",
        "vanmassenhove-8",
    ):
        filled = table(study, name)
        for command in filled.commands:
            if "train_system" in command:
                continue
            fill(command.replace("FILE", dictionary) + " --resamples 0 --no-intervals")
        left = {cell.reason for _, _, cell in table(study, name).cells if cell.is_missing}
        assert left <= {"no system for en-fr was trained here with subwords"}, name
    four = cells(table(study, "vanmassenhove-4"))
    for label in TEXTS[:3]:
        shares = [four[label, "en-fr", band].value for band in ("B1", "B2", "B3")]
        assert sum(shares) == pytest.approx(1)
    words = {word for line in texts["ORIG"] for word in line.split()}
    assert cells(table(study, "vanmassenhove-2"))["en-fr", "no BPE", "target"].value == len(words)
    assert not any("made in different ways" in note for note in table(study, "vanmassenhove-5").notes)


def test_subwords_come_from_the_dictionary_of_a_trained_model(tmp_path):
    study = make_study(tmp_path, {name: invented_text(5, seed=1) for name in TEXTS[:2]})
    trained = Run.objects.create(
        kind="train_model", state="succeeded", name="PB-SMT",
        options={"system": "PB-SMT", "kind": "OP", "corpus": "train", "valid": ""}, result={},
    )  # fmt: skip
    folder = run_directory(trained.pk).result
    folder.mkdir(parents=True)
    card = {"files": {"dictionary.en": "d.en", "dictionary.fr": "d.fr"}, "facts": {}}
    (folder / "bundle.json").write_text(json.dumps(card), encoding="utf-8")
    write_lines(folder / "d.en", ["a 1", "b 1"])
    write_lines(folder / "d.fr", ["a 1", "b 1", "c 1"])
    found = cells(table(study, "vanmassenhove-2"))
    assert found["en-fr", "with BPE", "source"].text == "2"
    assert found["en-fr", "with BPE", "target"].text == "3"


def test_without_translations_of_a_corpus_the_outputs_for_test_sets_count(tmp_path):
    study = Study.objects.create(name="Outputs")
    study_add(study=study, testsets=[known_set(tmp_path)])
    run("import_output", "news", "MT", write_lines(tmp_path / "mt", ["Un.", "La maison.", "Ici ici ici."]))
    (command,) = table(study, "vanmassenhove-5").commands
    assert command == "manage.py measure_diversity --testset news --systems MT --measures ttr,yule_i,mtld"
    fill(command)
    found = cells(table(study, "vanmassenhove-5"))
    assert found["ORIG", "en-fr", "TTR"].value == pytest.approx(8 / 10)
    assert "the outputs of “MT” for news" in found["MT", "en-fr", "TTR"].behind[0]
    assert found["MT", "en-fr", "TTR"].link.run == Run.objects.get(kind="measure_diversity").pk


def test_table_4_holds_perplexities_under_models_of_each_systems_outputs():
    study = Study.objects.create(name="Models")
    sets = [known_testset("en-de", direction) for direction in ("direct", "reverse")]
    study_add(study=study, testsets=[one.name for one in sets])
    for number, system in enumerate(("OP en-de", "BT en-de")):
        model = Run.objects.create(
            kind="train_lm", state="succeeded", name=f"lm {system}",
            options={"system": system, "language": "de", "name": f"lm {system}"},
        )  # fmt: skip
        for place, testset in enumerate(sets):
            if (number, place) == (1, 1):
                continue
            Run.objects.create(
                kind="score_lm", state="succeeded", name=model.name,
                options={"lm_run": model.pk, "testset": testset.name, "version": "target:reference"},
                result={
                    "lines": 3, "blank": 0, "words": 12, "log_probability": -15.0 * (1 + number + place),
                    "oov_rate": 0.25,
                },
            )  # fmt: skip
    filled = table(study, "edunov-4")
    found = cells(filled)
    assert found["en-de", "Y*", "OP", "PPL ↓"].text == f"{exp(1):.1f}"
    assert found["en-de", "Y*", "BT", "PPL ↓"].text == f"{exp(2):.1f}"
    assert found["en-de", "Y", "OP", "PPL ↓"].text == f"{exp(2):.1f}"
    assert "25.0 % unknown words" in found["en-de", "Y", "OP", "PPL ↓"].behind[0]
    assert filled.commands == [
        "manage.py score_lm 'lm BT en-de' --testset 'en-de reverse' --text-version reference"
    ]


def test_measuring_in_the_background_gives_the_same_result(tmp_path):
    study = Study.objects.create(name="Outputs")
    study_add(study=study, testsets=[known_set(tmp_path)])
    run("import_output", "news", "MT", write_lines(tmp_path / "mt", ["Un.", "La maison.", "Ici ici ici."]))
    run("measure_diversity", "--testset", "news", "--measures", "ttr", "--resamples", 5)
    out, _ = run(
        "measure_diversity", "--testset", "news", "--measures", "ttr", "--resamples", 5, "--background"
    )
    assert "measures them" in out
    done = Worker(queues=["default"]).look()
    assert done.state == "succeeded" and done.progress == 1.0
    first, second = Run.objects.filter(kind="measure_diversity").order_by("pk")
    assert first.result == second.result
    assert second.result["texts"][1]["origin"] == {
        "name": "MT", "testsets": ["news"], "system": "MT",
    }  # fmt: skip


def test_several_test_sets_are_one_text(tmp_path):
    run("import_corpus", "mono", "--languages", "fr", "--text", write_lines(tmp_path / "m", ["Un deux."]))
    known_set(tmp_path)
    lines = ["Deux.", "Trois."]
    files = [write_lines(tmp_path / str(number), lines) for number in range(2)]
    run("import_testset", "more", "--languages", "en-fr", "--source", files[0], "--reference", files[1])
    run("import_testset", "de", "--languages", "en-de", "--source", files[0], "--reference", files[1])
    out, _ = run("measure_diversity", "--testset", "news", "more", "--measures", "ttr", "--format", "json")
    (text,) = json.loads(out)["texts"]
    assert (text["lines"], text["tokens"]) == (5, 14)
    assert "several language pairs" in refused("measure_diversity", "--testset", "news", "de")
    assert "not in de" in refused("measure_diversity", "--text", "corpus:mono", "--language", "de")
    assert "no corpus" in refused("measure_diversity", "--text", "corpus:none", "--background")


def test_texts_of_equal_length(tmp_path):
    long, short = invented_text(400, seed=1), invented_text(40, seed=1)
    texts = [
        f"{name}={write_lines(tmp_path / name, own)}" for name, own in (("long", long), ("short", short))
    ]
    arguments = ("--text", *texts, "--measures", "ttr,yule_k", "--tokens", "given", "--format", "json")
    whole = json.loads(run("measure_diversity", *arguments)[0])
    equal = json.loads(run("measure_diversity", *arguments, "--equal-length")[0])
    ttr = {text["name"]: text["measures"][0] for text in equal["texts"]}
    plain = {text["name"]: text["measures"][0] for text in whole["texts"]}
    assert plain["long"]["value"] < 0.5 * plain["short"]["value"]
    assert ttr["long"]["value"] == pytest.approx(plain["short"]["value"], rel=0.1)
    assert ttr["short"]["value"] == plain["short"]["value"]
    low, high = ttr["long"]["ci"]
    assert low <= ttr["long"]["value"] <= high
    assert "equal-length:" in ttr["long"]["signature"] and whole["notices"] and not equal["notices"]
    assert equal["texts"][0]["measures"][1] == whole["texts"][0]["measures"][1]  # K does not grow
    again = json.loads(run("measure_diversity", *arguments, "--equal-length")[0])
    assert again == equal
    tokens = sum(len(line.split()) for line in short)
    assert f"fewer than {tokens + 1:,}" in refused(
        "measure_diversity", *arguments, "--equal-length", tokens + 1
    )
    assert "too few" in refused("measure_diversity", *arguments, "--equal-length", 20)
    assert "--draws" in refused("measure_diversity", *arguments, "--equal-length", "--draws", 1)
