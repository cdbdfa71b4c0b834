"""The command fluency: one model for all with its verdict, a model a system, overlaps, refusals."""

import json
import math

import pytest

from mtcore.engines.recipe_files import recipe_find, recipe_set
from mtcore.models import Corpus, MetricResult, Run
from mtcore.services.corpora import corpus_files, corpus_register
from mtcore.services.corpora_import import corpus_import
from mtcore.services.fluency_disjoint import back_translations, disjointness
from mtcore.services.run_context import run_directory
from mtcore.services.training import lm_train, system_train
from tests.factories.arpa import FIVE_WORDS, write_arpa
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.latex import compiled
from tests.factories.metrics import import_scored_set, rows_of, scored, strict
from tests.factories.runs import work_all
from tests.factories.word_engine import words_registered

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(tmp_path):
    """Import a test set whose two systems BLEU hardly tells apart: B has the words of A in another order."""
    lines = import_scored_set(tmp_path, lines=60, systems=())
    half = [line.split() for line in lines]
    texts = {
        "A": [" ".join(words[:-2]) for words in half],
        "B": [" ".join([*words[:-3][::-1], words[-3]]) for words in half],
    }
    for name, own in texts.items():
        run("import_output", "demo", name, write_lines(tmp_path / name, own))
    return lines


@pytest.fixture
def arpa(tmp_path):
    """Return a model of such text in its natural order."""
    return write_arpa(tmp_path / "m.arpa", invented_lines(400, seed=77))


def test_a_verdict_on_direct_text_with_everything_that_must_be_told(demo, arpa):
    found = scored("fluency", "demo", "--systems", "A", "B", "--lm", arpa, "--tokens", "given")
    (verdict,) = found["verdicts"]
    assert verdict["condition"] == "X → Y*" and verdict["more_fluent"] == "A"
    assert verdict["outcome"].endswith("/a") and verdict["ppl"]["p"] < 0.05
    assert verdict["sentence"].endswith(".") and "on direct text" in verdict["sentence"]
    rows = {(row["metric"], row["system"]): row for row in found["results"]}
    assert verdict["bleu"]["a"] == rows["bleu", "A"]["value"]
    assert verdict["ppl"]["difference"] == rows["ppl", "A"]["value"] - rows["ppl", "B"]["value"]
    assert verdict["ppl"]["difference"] < 0
    for row in found["results"]:
        assert row["n_segments"] == 30 and row["direction"] == "direct"
    assert rows["ppl", "A"]["unit"] == "word" and "oov_rate" in rows["ppl", "A"]
    assert MetricResult.objects.count() == 4, "statistics of segments are kept"
    swapped = scored("fluency", "demo", "--systems", "B", "A", "--lm", arpa, "--tokens", "given")
    assert swapped["verdicts"][0]["more_fluent"] == "A"
    table, _ = run("fluency", "demo", "--systems", "A", "B", "--lm", arpa, "--tokens", "given")
    assert f"Verdict: X → Y*: {verdict['sentence']}" in table
    for part in ("BLEU ↑", "PPL ↓", "unit word", "oov rate", "vocabulary", "sha256:", "Note: "):
        assert part in table


def test_verdicts_in_csv_and_latex_and_for_every_two_systems(demo, arpa, tmp_path):
    run("import_output", "demo", "C", write_lines(tmp_path / "C", demo))
    base = ["fluency", "demo", "--systems", "A", "B", "C", "--lm", arpa, "--resamples", 100]
    rows = [row for row in rows_of(run(*base, "--format", "csv")[0]) if row["kind"] == "verdict"]
    assert [(row["system"], row["against"]) for row in rows] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert all(row["reason"].endswith(".") for row in rows)
    latex, notes = run(*base, "--format", "latex")
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 2
    assert r"X \ensuremath{\rightarrow} Y{*}: BLEU prefers C" in latex and "Note: Whether" in notes
    assert " & BLEU & PPL & unknown words " in latex and " & BLEU & p & PPL & p " in latex
    assert "% BLEU: nrefs:1" in latex and "% C (source, direct), PPL: unit word" in latex
    for direction, n in (("reverse", 30), ("all", 60)):
        found = scored(*base, "--direction", direction)
        assert {row["n_segments"] for row in found["results"]} == {n}
        assert f"on {direction} text" in found["verdicts"][0]["sentence"]
    compiled(tmp_path, latex)


def test_equal_outputs_are_told_apart_by_nothing(demo, arpa, tmp_path):
    run("import_output", "demo", "A2", tmp_path / "A")
    found = scored("fluency", "demo", "--systems", "A", "A2", "--lm", arpa)
    assert found["verdicts"][0]["outcome"] == "tie/tie" and found["verdicts"][0]["ppl"]["p"] == 1


def test_one_segment_cannot_be_tested(tmp_path, arpa):
    run("import_testset", "one", "--languages", "en-de", "--source", write_lines(tmp_path / "s", ["a b"]),
        "--reference", write_lines(tmp_path / "r", ["c d"]), "--direction", "direct")  # fmt: skip
    for name in ("A", "B"):
        run("import_output", "one", name, write_lines(tmp_path / name, [f"c {name}"]))
    (verdict,) = scored("fluency", "one", "--systems", "A", "B", "--lm", arpa)["verdicts"]
    assert verdict["outcome"] == "open/open" and "one segment alone" in verdict["sentence"]


def test_unknown_words_that_differ_are_a_caution(demo, arpa, tmp_path):
    odd = [f"{line} zzzz" for line in demo]
    run("import_output", "demo", "Odd", write_lines(tmp_path / "Odd", odd))
    found = scored("fluency", "demo", "--systems", "A", "Odd", "--lm", arpa, "--tokens", "given")
    assert any("unknown to the language model" in notice for notice in found["notices"])
    same = scored("fluency", "demo", "--systems", "A", "B", "--lm", arpa, "--tokens", "given")
    assert not any("unknown to the language model" in notice for notice in same["notices"])


def test_text_shared_with_back_translation_is_told_or_refused(demo, arpa, tmp_path):
    lm = write_lines(tmp_path / "lm", ["One line.", "Another line.", "A third."])
    bt = [write_lines(tmp_path / "bt", ["another line"]), write_lines(tmp_path / "bt2", ["nothing"])]
    base = ["fluency", "demo", "--systems", "A", "B", "--lm", arpa, "--lm-text", lm, "--bt-text"]
    found = scored(*base, *bt)
    assert found["disjoint"] == [
        {"systems": [], "lm_text": ["lm"], "bt_text": ["bt", "bt2"], "lines": 3, "shared": 1, "share": 1 / 3}
    ]
    assert any("1 line of 3 (33.3%)" in notice for notice in found["notices"])
    assert "favours" in refused(*base, *bt, "--refuse-overlap")
    clean = scored(*base, bt[1], "--refuse-overlap")
    assert clean["disjoint"][0]["shared"] == 0
    assert any("None of 3 lines" in notice for notice in clean["notices"])
    assert "no file" in refused(*base, tmp_path / "absent")


def test_models_of_each_system_on_translated_and_natural_text(demo, tmp_path):
    models = {
        "OP": write_arpa(tmp_path / "op.arpa", invented_lines(200, seed=5)),
        "BT": write_arpa(tmp_path / "bt.arpa", [*invented_lines(200, seed=5), *demo[30:]]),
    }
    named = [f"{name}={path}" for name, path in models.items()]
    base = ["fluency", "demo", "--lm-per-system", *named, "--tokens", "given"]
    found = strict(run(*base, "--format", "json")[0])
    cells = {(row["text"], row["system"]): row for row in found["results"]}
    assert list(cells) == [("Y*", "OP"), ("Y*", "BT"), ("Y", "OP"), ("Y", "BT")]
    for (text, name), cell in cells.items():
        lines = demo[:30] if text == "Y*" else demo[30:]
        path = write_lines(tmp_path / "x", lines)
        own = scored("score_files", "--hypothesis", path, "--metrics", "ppl", "--model",
                     f"ppl={models[name]}", "--tokens", "given", "--resamples", 0)  # fmt: skip
        assert cell["value"] == pytest.approx(own["results"][0]["value"])
        assert cell["n_segments"] == 30 and cell["ci"][0] <= cell["value"] <= cell["ci"][1]
    natural = next(one for one in found["comparisons"] if one["text"] == "Y")
    assert natural["difference"] > 0 and natural["p"] < 0.05
    assert natural["sentence"].startswith("The output of BT is closer to natural text than that of OP")
    table, _ = run(*base)
    assert "Y* (translated text)  30" in table and "model of BT ↓" in table and "oov rate" in table
    latex, _ = run(*base, "--format", "latex")
    assert "$Y^{*}$ & " in latex and "data & OP & BT" in latex
    rows = rows_of(run(*base, "--format", "csv")[0])
    assert [row["kind"] for row in rows] == ["result"] * 4 + ["comparison"] * 2


def test_several_test_sets_count_together(demo, arpa, tmp_path):
    run("import_testset", "more", "--languages", "en-de", "--source", write_lines(tmp_path / "s", ["a", "b"]),
        "--reference", write_lines(tmp_path / "r", ["one two", ""]), "--direction", "direct")  # fmt: skip
    found = strict(run("fluency", "demo", "more", "--lm-per-system", f"A={arpa}", "--format", "json")[0])
    assert [(row["text"], row["n_segments"]) for row in found["results"]] == [("Y*", 31), ("Y", 30)]
    assert found["comparisons"] == []
    run(
        "import_testset",
        "fr",
        "--languages",
        "en-fr",
        "--source",
        tmp_path / "s",
        "--reference",
        tmp_path / "r",
    )
    assert "one target language" in refused("fluency", "demo", "fr", "--lm-per-system", f"A={arpa}")
    assert "No segment’s direction" in refused("fluency", "fr", "--lm-per-system", f"A={arpa}")
    alone = strict(run("fluency", "more", "--lm-per-system", f"A={arpa}", "--format", "json")[0])
    assert alone["notices"] == ["There is no natural text (Y) in these test sets."]


def test_what_cannot_be_used_is_refused_in_one_line(demo, arpa, tmp_path):
    base = ["fluency", "demo", "--systems", "A", "B"]
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "bundle.json").write_text("{}", encoding="utf-8")
    closed = tmp_path / "closed.arpa"
    closed.write_text(FIVE_WORDS.replace("1=8", "1=7").replace("-2.0\t<unk>\n", ""), encoding="utf-8")
    for arguments, expected in (
        ([*base, "--lm", tmp_path / "absent"], "The model of ppl is not there"),
        ([*base, "--lm", folder], "is no whole bundle"),
        ([*base, "--lm", tmp_path], "without a language model"),
        ([*base, "--lm", "run:nothing"], "no language model “nothing”"),
        ([*base], "required"),
        ([*base, "--lm", arpa, "--alpha", "2"], "no probability"),
        ([*base[:-1], "--lm", arpa], "two systems or more"),
        ([*base[:-1], "A", "--lm", arpa], "two systems or more"),
        ([*base[:-1], "Z", "--lm", arpa], "“Z” has no output"),
        (["fluency", "demo", "demo", "--systems", "A", "B", "--lm", arpa], "one test set at a time"),
        (["fluency", "nothing", "--systems", "A", "B", "--lm", arpa], "nothing"),
        (["fluency", "demo", "--lm-per-system", arpa], "names no system"),
        (["fluency", "demo", "--lm-per-system", f"A={arpa}", f"A={arpa}"], "two models"),
        ([*base, "--lm-per-system", f"A={arpa}"], "Leave out --systems"),
        (["fluency", "demo", "--lm-per-system", f"A={arpa}", f"B={closed}"], "leaves unknown words out"),
    ):  # fmt: skip
        assert expected in refused(*arguments), arguments


def corpus(tmp_path, name: str, *sides: list[str], languages: tuple[str, ...]):
    files = [
        [write_lines(tmp_path / f"{name}.{tag}", own)] for tag, own in zip(languages, sides, strict=True)
    ]
    draft = corpus_import(
        name=name, languages=list(languages), sources=files[0], targets=files[1] if sides[1:] else ()
    )
    return corpus_register(draft)[0]


def short_lines(letter: str, first: int, last: int) -> list[str]:
    """Return lines in no language, too short to be taken for one."""
    return [f"{letter}{number} {letter}{number % 7}." for number in range(first, last)]


def trained(tmp_path, monkeypatch) -> None:
    """Train OP, BT and language models with the tests' engine."""
    words_registered(monkeypatch)
    english, german = short_lines("e", 0, 40), short_lines("d", 0, 40)
    corpus(tmp_path, "par", english, german, languages=("en", "de"))
    corpus(tmp_path, "mono", short_lines("m", 0, 20), languages=("de",))
    corpus(tmp_path, "news", short_lines("m", 18, 38), languages=("de",))
    for name, recipe, mono in (("OP", "tiny-op", []), ("BT", "tiny-bt", ["mono"])):
        wanted = recipe_set(recipe_find(recipe), {"filters.duplicates": "false"})
        system_train(name=name, recipe=wanted, corpora=["par"], monolingual=mono, testsets=["demo"])
    lm_train(name="clean", recipe=recipe_find("tiny-lm"), corpora=["par"], language="de")
    lm_train(name="overlapping", recipe=recipe_find("tiny-lm"), corpora=["news"])
    work_all()
    lm_train(name="own", recipe=recipe_find("tiny-lm"), system="BT", language="de", valid="mono")
    work_all()
    assert not Run.objects.exclude(state="succeeded").exists(), (
        Run.objects.exclude(state="succeeded").first().message
    )


def test_models_trained_here_bring_what_is_known_of_their_text(tmp_path, monkeypatch):
    import_scored_set(tmp_path, systems=())
    trained(tmp_path, monkeypatch)
    assert [one.name for one in back_translations("BT")] and not back_translations("OP")
    found = scored("fluency", "demo", "--systems", "OP", "BT", "--lm", "run:overlapping")
    (known,) = found["disjoint"]
    assert known["systems"] == ["BT"] and known["lm_text"] == ["news"] and known["shared"] == 2
    assert any("2 lines of 20 (10.0%)" in notice and "of “BT”" in notice for notice in found["notices"])
    row = next(row for row in found["results"] if row["metric"] == "ppl")
    assert (row["unit"], row["vocabulary"]) == ("subword", len(seen_words()))
    assert {"words", "subwords", "oov", "oov_rate", "ppl_per_word"} <= row.keys()
    assert "lm:words" in row["signature"] and "end:counted" in row["signature"]
    assert "also in the back-translation text" in refused(
        "fluency", "demo", "--systems", "OP", "BT", "--lm", "run:overlapping", "--refuse-overlap"
    )
    (clean,) = disjointness(lm="run:clean", systems=["OP", "BT"])
    assert clean.overlap is not None and not clean.shared
    favours, own = disjointness(lm="run:own", systems=["OP", "BT"])
    assert "learned from the outputs of “BT”" in favours.sentence
    assert own.lm_text == ("demo by BT",) and own.systems == ("BT",)
    assert own.overlap is not None and own.overlap.lines > 5, "a system's outputs are known as well"
    assert "is a model of de, the text is in fr" in refused(
        "score_files", "--hypothesis", write_lines(tmp_path / "x.fr", ["un deux"]), "--metrics", "ppl",
        "--model", "ppl=run:clean",
    )  # fmt: skip
    by_folder = Run.objects.get(name="clean")
    path = run_directory(by_folder.pk).root
    assert disjointness(lm=str(path), systems=["OP", "BT"])[0].lm_text == ("par",)
    again = scored("score_outputs", "demo", "--metrics", "ppl", "--model", f"ppl={path}")
    assert again["results"][0]["value"] == pytest.approx(math.exp(math.log(again_size(path) + 1)))
    table = strict(
        run("fluency", "demo", "--lm-per-system", "OP=run:clean", "BT=run:own", "--format", "json")[0]
    )
    assert [row["text"] for row in table["results"]] == ["Y*", "Y*", "Y", "Y"]
    _without_its_text(path)


def _without_its_text(run_folder) -> None:
    """Take the corpus away, which changes nothing, then what is kept beside the model, which is told."""
    for file in corpus_files(Corpus.objects.get(name="par")).values():
        file.unlink()
    (still,) = disjointness(
        lm="run:clean", systems=["OP"], bt_texts=[str(run_folder / "work/texts/train.txt")]
    )
    assert still.lm_text == ("par",) and still.shared > 10
    (run_folder / "work/texts/train.txt").unlink()
    (gone,) = disjointness(lm="run:clean", systems=["OP"])
    assert "The text that the language model learned from is gone" in gone.sentence
    assert "trained here" not in gone.sentence and "--lm-text FILE" in gone.sentence


def seen_words() -> set[str]:
    """Return the words that the model “overlapping” learned from, those held out apart."""
    model = Run.objects.get(name="overlapping")
    return set((run_directory(model.pk).root / "work/texts/vocabulary.txt").read_text("utf-8").split())


def again_size(path) -> int:
    """Return how many words the tests' engine knows: it gives each the same probability."""
    return json.loads((path / "result" / "checkpoint.json").read_text("utf-8"))[1]
