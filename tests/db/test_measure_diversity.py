"""The command measure_diversity: what it prints, and how it refuses."""

import csv
import io
import json
import math
import re

import pytest

from mtcore.diversity import DEFAULT
from mtcore.models import Run
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.diversity import invented_text, repeated
from tests.factories.files import write_lines
from tests.factories.latex import compiled
from tests.paths import CASES, needs_cases
from tests.unit.test_diversity_values import FORMS, TABLE_7

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(tmp_path):
    """Two texts of as many lines."""
    return [
        f"A={write_lines(tmp_path / 'a.txt', invented_text(60, 1))}",
        f"B={write_lines(tmp_path / 'b.txt', invented_text(60, 2, types=90))}",
    ]


def measured(*arguments: object) -> dict:
    out, _ = run("measure_diversity", *arguments, "--format", "json")
    return json.loads(out, parse_constant=lambda constant: pytest.fail(f"{constant} in JSON"))


def values(text: dict) -> dict:
    return {row["name"]: row for row in text["measures"]}


def test_json_has_every_measure_of_every_text_and_every_comparison(two):
    found = measured("--text", *two, "--language", "en", "--resamples", 50)
    assert [text["name"] for text in found["texts"]] == ["A", "B"]
    for text in found["texts"]:
        assert text["tokens"] > text["types"] > 0
        assert tuple(values(text)) == DEFAULT
        for row in text["measures"]:
            assert {"name", "value", "printed", "definition", "signature"} <= row.keys()
            if row["value"] is None:
                assert row["printed"] is None and row["reason"]
            else:
                assert row["ci"][0] <= row["value"] <= row["ci"][1]
                assert row["printed"] == pytest.approx(row["value"] * row["scale"])
                assert "tokens:sacremoses" in row["signature"]
    assert [(one["a"], one["b"]) for one in found["comparisons"]] == [("A", "B")] * len(DEFAULT)
    ttr = found["comparisons"][0]
    assert ttr["measure"] == "ttr"
    assert ttr["p"] <= 1 / 51 + 1e-9
    assert ttr["test"] == "swap:60 units, 50 resamples, seed 1"


def test_the_same_arguments_give_the_same_numbers_and_another_seed_other_draws(two):
    first = run(
        "measure_diversity", "--text", *two, "--format", "csv", "--measures", "yule_k", "--resamples", 99
    )
    assert first == run(
        "measure_diversity", "--text", *two, "--format", "csv", "--measures", "yule_k", "--resamples", 99
    )
    other = run(
        "measure_diversity", "--text", *two, "--format", "csv", "--measures", "yule_k", "--resamples", 99,
        "--seed", 2,
    )  # fmt: skip
    assert first[0].splitlines()[1:3] == other[0].splitlines()[1:3]


@pytest.mark.parametrize(("row", "expected"), list(enumerate(TABLE_7)))
def test_table_7_comes_from_the_command(tmp_path, row: int, expected: tuple):
    counts, h, d = expected
    file = write_lines(tmp_path / "fr.txt", repeated(dict(zip(FORMS, counts, strict=True))))
    found = values(measured("--text", f"T={file}", "--language", "fr", "--tokens", "given")["texts"][0])
    assert found["shannon_h"]["printed"] == pytest.approx(h, abs=5e-4)
    assert found["simpson_d"]["printed"] == pytest.approx(d, abs=5e-4)
    assert found["single_form_lemmas"]["value"] == 0


def test_all_nine_measures_with_training_source_and_dictionary(tmp_path):
    texts = {
        "ref": ["The house was big .", "He looked at the old home and looks ."] * 8,
        "mt": ["The house was big .", "He saw the old house ."] * 8,
        "src": ["Das Haus war groß .", "Er sah das alte Heim ."] * 8,
    }
    files = {name: write_lines(tmp_path / name, lines) for name, lines in texts.items()}
    table = write_lines(tmp_path / "d.tsv", ["Haus\thouse|home", "sehen\tsee|look", "alt\told", "Auto\tcar"])
    material = [
        "--training", files["ref"], "--source", files["src"], "--source-language", "de",
        "--dictionary", table, "--language", "en", "--tokens", "given",
    ]  # fmt: skip
    found = measured("--text", f"HT={files['ref']}", f"MT={files['mt']}", *material)
    ht, mt = map(values, found["texts"])
    assert [name for name, row in ht.items() if row["value"] is None] == []
    assert ht["ptf"]["value"] == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert mt["ptf"]["value"] == pytest.approx(1)
    assert ht["cdu"]["value"] == pytest.approx(((1 - 1) + (1 - 1 / math.sqrt(2))) / 2)
    assert ht["syn_ttr"]["value"] == pytest.approx(4 / 40)
    assert "dictionary:d.tsv" in ht["ptf"]["signature"]
    assert any("3 words of the source" in notice for notice in found["notices"])
    pooled = measured("--text", f"HT={files['ref']}", *material, "--definition", "biasmt")
    assert values(pooled["texts"][0])["ptf"]["value"] == pytest.approx(32 / 40)


def test_the_codes_definition_takes_the_text_as_given(two):
    found = measured("--text", two[0], "--definition", "biasmt", "--language", "en")
    rows = values(found["texts"][0])
    assert "tokens:given" in rows["ttr"]["signature"]
    assert rows["lfp_b1"]["value"] is not None
    training = two[1].split("=")[1]
    same = measured("--text", two[0], "--definition", "biasmt", "--language", "en", "--training", training)
    assert same["texts"] == found["texts"]
    assert any("--training is not used" in notice for notice in same["notices"])
    assert "white space" in refused(
        "measure_diversity", "--text", two[0], "--definition", "biasmt", "--tokens", "moses"
    )


def test_texts_of_very_different_length_are_compared_with_a_warning(tmp_path, two):
    long = write_lines(tmp_path / "long.txt", invented_text(90, 3))
    found = measured("--text", two[0], f"L={long}", "--measures", "ttr,yule_i,yule_k,mtld")
    (notice,) = found["notices"]
    assert "differ in length" in notice and "TTR, Yule’s I change" in notice
    assert all(one["p"] is None and "60 and 90 lines" in one["reason"] for one in found["comparisons"])
    assert measured("--text", *two, "--measures", "ttr")["notices"] == []


def test_only_named_pairs_are_compared_and_none_without_resamples(two, tmp_path):
    third = f"C={write_lines(tmp_path / 'c.txt', invented_text(60, 3))}"
    found = measured("--text", *two, third, "--measures", "ttr", "--compare", "A", "C", "--no-intervals")
    assert [(one["a"], one["b"]) for one in found["comparisons"]] == [("A", "C")]
    assert found["texts"][0]["measures"][0]["ci"] is None
    assert measured("--text", *two, third, "--measures", "ttr", "--resamples", 0)["comparisons"] == []
    assert len(measured("--text", *two, third, "--measures", "ttr", "--resamples", 9)["comparisons"]) == 3


def test_the_table_says_what_is_missing_and_how_everything_was_made(two):
    out, err = run("measure_diversity", "--text", *two, "--resamples", 20)
    assert "TTR ↑" in out and "Yule’s K ↓" in out
    assert "PTF, CDU, SynTTR (A, B): no dictionary given (--dictionary)" in out
    assert "H, D, Single (A, B): no language given (--language)" in out
    assert "A − B" in out and "p < .001" not in out
    assert "tokens:sacremoses" in out
    assert err == ""


def test_csv_is_one_table_of_values_and_comparisons(two):
    out, _ = run(
        "measure_diversity", "--text", *two, "--format", "csv", "--measures", "ttr,ptf", "--resamples", 9
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["kind"], row["text"], row["measure"]) for row in rows] == [
        ("text", "A", "ttr"), ("text", "A", "ptf"), ("text", "B", "ttr"), ("text", "B", "ptf"),
        ("comparison", "A", "ttr"), ("comparison", "A", "ptf"),
    ]  # fmt: skip
    assert float(rows[0]["ci_low"]) <= float(rows[0]["value"]) <= float(rows[0]["ci_high"])
    assert rows[1]["value"] == "" and rows[1]["reason"]


def test_latex_prints_names_as_they_are_and_compiles(two, tmp_path):
    hostile = two[0].replace("A=", "50%_&$#^~{}\\=", 1)
    out, _ = run("measure_diversity", "--text", hostile, two[1], "--format", "latex", "--language", "en")
    assert r"50\%\_\&\$\#\textasciicircum{}\textasciitilde{}\{\}\textbackslash{}" in out
    assert r"TTR $\uparrow$" in out and " -- " in out
    assert out.count(r"\\") >= 3
    compiled(tmp_path, out, packages="booktabs")


def test_latex_puts_measures_that_do_not_fit_on_a_page_into_further_tables(two, tmp_path):
    out, _ = run("measure_diversity", "--text", *two, "--format", "latex", "--language", "en")
    *tables, compared = [part.split("\\end{tabular}")[0] for part in out.split("\\begin{tabular}")[1:]]
    assert len(tables) > 1 and r"A \ensuremath{-} B & difference & p" in compared
    heads = []
    for table in tables:
        lines = table.split("\n")
        heads += lines[2].removesuffix(r" \\").split(" & ")[1:]
        rows = [line.removesuffix(r" \\").split(" & ") for line in lines[4:-2]]
        assert [row[0] for row in rows] == ["A", "B"]
        widest = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        assert sum(widest) * 5 + 12 * len(widest) <= 345, "a line of an article has 345 points"
    assert len(heads) == 13 == len(set(heads)), "every measure once"
    short, _ = run(
        "measure_diversity",
        "--text",
        *two,
        "--measures",
        "ttr,yule_i,mtld",
        "--format",
        "latex",
        "--language",
        "en",
    )
    assert short.count("tabular") == 4
    compiled(tmp_path, out, packages="booktabs")


def test_latex_prints_the_differences_that_the_table_has(two, tmp_path):
    arguments = ["measure_diversity", "--text", *two, "--measures", "ttr,yule_i", "--language", "en",
                 "--resamples", 50]  # fmt: skip
    table, _ = run(*arguments)
    latex, _ = run(*arguments, "--format", "latex")
    printed = re.findall(r"^(?:TTR|Yule’s I) +([+-][\d.]+) \(p (.*)\)$", table, re.MULTILINE)
    assert len(printed) == 2
    for number, p_value in printed:
        cells = (number.replace("-", r"\ensuremath{-}"), p_value.replace("<", r"\textless{}"))
        assert " & {} & {} ".format(*cells) in latex
    compiled(tmp_path, latex, packages="booktabs")


def test_texts_and_outputs_of_a_test_set(tmp_path):
    lines = {seed: invented_lines(12, seed=seed) for seed in range(4)}
    files = {seed: write_lines(tmp_path / f"{seed}", text) for seed, text in lines.items()}
    run("import_testset", "set", "--languages", "de-en", "--source", files[0], "--reference", files[1])
    run("import_output", "set", "MT one", files[2])
    run("import_output", "set", "MT two", files[3])
    found = measured("--testset", "set", "--measures", "ttr,shannon_h", "--systems", "MT two")
    assert [text["name"] for text in found["texts"]] == ["reference", "MT two"]
    by_file = measured("--text", f"MT two={files[3]}", "--language", "en", "--measures", "ttr,shannon_h")
    assert found["texts"][1]["measures"] == by_file["texts"][0]["measures"]
    assert len(measured("--testset", "set", "--measures", "ttr")["texts"]) == 3
    assert "MT one" in refused("measure_diversity", "--testset", "set", "--systems", "MT 2")
    assert "no test set" in refused("measure_diversity", "--testset", "other")


def test_what_cannot_be_measured_is_refused_in_one_line(two, tmp_path):
    for arguments, said in [
        ([], "--text NAME=FILE"),
        (["--text", "A=/nowhere/at/all"], "cannot be read"),
        (["--text", two[0], two[0]], "two texts are called “A”"),
        (["--text", two[0], "--measures", "ttr,nope"], "“nope” is no measure"),
        (["--text", two[0], "--compare", "A", "Z"], "there is no text “Z”"),
        (["--text", two[0], "--window", "0", "--measures", "mattr"], "window"),
        (["--text", two[0], "--resamples", "-1"], "0 or more"),
        (["--text", *two, "--resamples", "99999999999"], "from 0 to 100,000"),
        (["--text", *two, "--equal-length", "--draws", "99999999999"], "from 2 to 10,000"),
        (["--text", *two, "--compare", "A", "A"], "“A” cannot be compared with itself"),
        (["--text", two[0], "--systems", "X"], "--testset"),
        (["--text", two[0], "--dictionary", two[1].split("=")[1]], "TAB"),
        (["--text", two[0], "--training", "/nowhere"], "cannot be read"),
        (["--text", two[0], "--lemmatiser", "hunspell"], "no lemmatiser"),
        (["--text", two[0], "--language", "th"], "no spaces"),
        (["--text", two[0], "--format", "xml"], "invalid choice"),
    ]:
        assert said.lower() in refused("measure_diversity", *arguments).lower()


def test_a_source_whose_words_are_not_in_the_dictionary_is_refused(two, tmp_path):
    table = write_lines(tmp_path / "d.tsv", ["Haus\thouse"])
    message = refused(
        "measure_diversity", "--text", two[0], "--language", "en", "--dictionary", table, "--source",
        two[1].split("=")[1],
    )  # fmt: skip
    assert "none of the source’s words" in message.lower()
    _, err = run("measure_diversity", "--text", two[0], "--source", two[1].split("=")[1], "--format", "csv")
    assert "--dictionary" in err


@needs_cases
@pytest.mark.parametrize("name", ["div04_empty", "div04_one", "div04_punct"])
def test_div_04_files_give_strict_json(name: str):
    found = measured("--text", f"T={CASES / f'{name}.txt'}", "--language", "en")
    for row in found["texts"][0]["measures"]:
        assert (row["value"] is None) == (row["printed"] is None)
        assert row["value"] is not None or row["reason"]


@needs_cases
def test_div_01_and_02_files():
    names = {"div01_k1": 1000, "div01_k2": 1122.449}
    for name, expected in names.items():
        found = measured("--text", f"T={CASES / f'{name}.txt'}", "--measures", "yule_k")
        assert found["texts"][0]["measures"][0]["value"] == pytest.approx(expected, abs=5e-4)
    for name, types, tokens in (("div01_k1", 2.571, 10), ("div01_k1x2", 0.486, 6.667)):
        found = measured("--text", f"T={CASES / f'{name}.txt'}", "--measures", "yule_i,yule_i_tokens")
        rows = found["texts"][0]["measures"]
        assert [row["value"] for row in rows] == pytest.approx([types, tokens], abs=5e-4)


@needs_cases
def test_div_05_file_with_a_window_of_100():
    found = measured(
        "--text", f"T={CASES / 'div01_k1.txt'}", "--window", 100, "--measures", "ttr,mattr,msttr,hdd"
    )
    rows = values(found["texts"][0])
    assert rows["ttr"]["value"] == 0.6
    assert all(rows[name]["value"] is None and rows[name]["reason"] for name in ("mattr", "msttr", "hdd"))


@needs_cases
def test_div_06_and_08_chinese():
    found = measured("--text", f"T={CASES / 'div06_zh.txt'}", "--language", "zh")
    (text,) = found["texts"]
    assert text["tokens"] > 10
    rows = values(text)
    assert "jieba" in rows["ttr"]["signature"]
    assert rows["ttr"]["value"] < 1
    assert "simplemma" in rows["shannon_h"]["reason"]
    unknown = measured("--text", f"T={CASES / 'div01_k1.txt'}", "--language", "xx")
    assert values(unknown["texts"][0])["ttr"]["value"] == 0.6
    assert values(unknown["texts"][0])["shannon_h"]["value"] is None
    assert any("Unknown language" in notice for notice in unknown["notices"])


def test_names_at_the_beginning_of_a_message_stay_as_they_are(two, tmp_path):
    bad = tmp_path / "bad.tsv"
    bad.write_text("maison\thouse\nno tab here\n", "utf-8")
    arguments = ["measure_diversity", "--text", *two, "--language", "fr", "--measures", "ptf"]
    assert refused(*arguments, "--dictionary", bad).startswith("bad.tsv, line 2")


def test_a_source_without_its_language_says_which_option_is_missing(two, tmp_path):
    (tmp_path / "d.tsv").write_text("the\tle\nriver\tfleuve\n", "utf-8")
    source = tmp_path / "src.en"
    source.write_text("the river\n" * 40, "utf-8")
    out, err = run("measure_diversity", "--text", *two, "--language", "fr", "--measures", "ptf",
                   "--dictionary", tmp_path / "d.tsv", "--source", source)  # fmt: skip
    assert "(--source-language)" in out + err and "(--language)" not in out + err


def test_a_worker_elsewhere_finds_the_files_that_were_named(two, tmp_path, monkeypatch):
    """Every path goes whole into the run: those of lemmas too."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("lemmas.tsv", "ran\trun\n"), ("words.tsv", "a\tb\n"), ("train.txt", "a b\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    run(
        "measure_diversity", "--text", two[0], "--lemmatiser", "table:lemmas.tsv", "--dictionary",
        "words.tsv", "--training", "train.txt", "--source", "train.txt", "--background",
    )  # fmt: skip
    options = Run.objects.get().options["options"]
    assert options["lemmatiser"] == f"table:{tmp_path}/lemmas.tsv"
    for name in ("dictionary", "training", "source"):
        assert options[name].startswith(f"{tmp_path}/")
    run("measure_diversity", "--text", two[1], "--background")
    assert Run.objects.latest("pk").options["options"]["lemmatiser"] == "simplemma"
