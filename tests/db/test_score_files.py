"""The command score_files: no database, every case of texts that mislead scores, every format."""

import subprocess
import sys
import unicodedata

import pytest
from django.core.management import CommandError
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from tests.factories.campaigns import invented_lines
from tests.factories.commands import run
from tests.factories.files import write_lines
from tests.factories.latex import compiled
from tests.factories.metrics import FILES, case_scores, rows_of, scored, spoiled, strict, values

MORE = ("--metrics", "bleu,chrf,chrfpp,ter")


@pytest.fixture
def three(tmp_path):
    """Return files of a reference and three outputs of 40 lines."""
    lines = invented_lines(40, seed=1)
    return {
        "ref": write_lines(tmp_path / "ref.en", lines),
        "A": write_lines(tmp_path / "a.en", spoiled(lines, 5)),
        "B": write_lines(tmp_path / "b.en", spoiled(lines, 2)),
        "C": write_lines(tmp_path / "c.en", spoiled(lines, 3)),
    }


def both(three: dict) -> list[str]:
    return ["--hypothesis", f"A={three['A']}", f"B={three['B']}", "--reference", three["ref"]]


def refusal(*arguments: object) -> str:
    """Return the one line with which the command refuses; no database may be touched."""
    with pytest.raises(CommandError) as caught:
        run("score_files", *arguments)
    message = str(caught.value)
    assert message and "\n" not in message
    return message


def test_json_has_the_shape_that_was_promised(three):
    found = scored("score_files", *both(three), *MORE, "--compare", "A", "B")
    assert len(found["results"]) == 8
    for row in found["results"]:
        assert {
            "system", "input", "reference", "direction", "metric", "value", "ci", "n_segments", "signature"
        } <= row.keys()  # fmt: skip
        assert (row["input"], row["direction"], row["n_segments"]) == (None, None, 40)
        assert row["reference"] == "ref.en"
        assert row["ci"][0] <= row["value"] <= row["ci"][1]
        assert "version:2.6.0" in row["signature"]
    for row in found["comparisons"]:
        assert {"metric", "a", "b", "difference", "p", "test"} <= row.keys()
        assert (row["a"], row["b"], row["test"]) == ("A", "B", "koehn")
        assert row["signature"].endswith("|test:koehn|bs:1000|seed:12345")
        own = {one["system"]: one["value"] for one in found["results"] if one["metric"] == row["metric"]}
        assert row["difference"] == own["A"] - own["B"]
        assert row["ci"][0] <= row["difference"] <= row["ci"][1]
        assert 0 < row["p"] < 0.2
    assert found["resampling"] == {"resamples": 1000, "seed": 12345, "level": 0.95}
    signs = {row["metric"]: row["difference"] > 0 for row in found["comparisons"]}
    assert signs == {"bleu": True, "chrf": True, "chrfpp": True, "ter": False}


def test_both_tests_and_the_draws_of_sacrebleu(three):
    found = scored("score_files", "--hypothesis", f"A={three['C']}", f"B={three['B']}", "--reference",
                   three["ref"], "--compare", "A", "B", "--test", "koehn", "sacrebleu")  # fmt: skip
    lines = {name: read(path) for name, path in three.items()}
    for name, own in (("bleu", BLEU()), ("chrf", CHRF()), ("ter", TER())):
        _, expected = PairedTest(
            [("A", lines["C"]), ("B", lines["B"])], {name: own}, [lines["ref"]], "bs", 1000
        )()
        (key,) = set(expected) - {"System"}
        tests = {row["test"]: row for row in found["comparisons"] if row["metric"] == name}
        assert set(tests) == {"koehn", "sacrebleu"}
        assert tests["sacrebleu"]["p"] == pytest.approx(expected[key][1].p_value, abs=2 / 1001)
        assert tests["koehn"]["p"] != tests["sacrebleu"]["p"]
        assert [row["value"] for row in found["results"] if row["metric"] == name] == [
            result.score for result in expected[key]
        ]


def read(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def test_the_same_arguments_give_the_same_bytes_and_another_seed_other_intervals(three):
    first = run("score_files", *both(three), "--format", "json")
    assert first == run("score_files", *both(three), "--format", "json")
    other = strict(run("score_files", *both(three), "--format", "json", "--seed", 7)[0])
    assert values(other) == values(strict(first[0]))
    assert [row["ci"] for row in other["results"]] != [row["ci"] for row in strict(first[0])["results"]]


def test_permuting_the_hypotheses_changes_every_metric(three, tmp_path):
    turned = write_lines(tmp_path / "turned.en", read(three["A"])[::-1])
    found = scored("score_files", "--hypothesis", f"A={three['A']}", f"T={turned}", "--reference",
                   three["ref"], *MORE, "--resamples", 0)  # fmt: skip
    own = {name: values({"results": [r for r in found["results"] if r["system"] == name]}) for name in "AT"}
    assert all(own["A"][metric] != own["T"][metric] for metric in own["A"])


def test_csv_has_a_row_for_each_score_segment_and_comparison(three):
    out, _ = run("score_files", *both(three), "--format", "csv", "--compare", "A", "B", "--segments")
    rows = rows_of(out)
    kinds = [row["kind"] for row in rows]
    assert (kinds.count("result"), kinds.count("segment"), kinds.count("comparison")) == (6, 240, 3)
    found = scored("score_files", *both(three), "--segments")
    plain = {(row["system"], row["metric"]): row for row in found["results"]}
    for row in rows:
        if row["kind"] == "result":
            assert float(row["value"]) == plain[row["system"], row["metric"]]["value"]
        if row["kind"] == "segment":
            own = plain[row["system"], row["metric"]]["segments"][int(row["segment"]) - 1]
            assert float(row["value"]) == own


def test_the_table_names_arrows_intervals_tests_and_signatures(three):
    out, err = run("score_files", *both(three), "--compare", "A", "B")
    assert "BLEU ↑" in out and "TER ↓" in out and "A − B" in out and err == ""
    assert "95 % intervals, two-sided p (koehn): bs:1000|seed:12345" in out
    assert "chrF: nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|beta:2|version:2.6.0" in out


def test_latex_escapes_names_and_prints_two_decimals(three, tmp_path):
    out, _ = run("score_files", "--hypothesis", f"A_1&2={three['A']}", "--reference", three["ref"],
                 "--format", "latex")  # fmt: skip
    assert r"A\_1\&2 & ref.en & " in out
    assert r"\toprule" in out and r"\bottomrule" in out
    assert "BLEU & chrF & TER" in out
    compiled(tmp_path, out)


def test_latex_has_a_table_for_each_comparison(three, tmp_path):
    files = [f"[A]={three['A']}", f"B={three['B']}", f"C={three['C']}"]
    arguments = ["--hypothesis", *files, "--reference", three["ref"], "--metrics", "bleu,ter"]
    arguments += ["--compare", "[A]", "B", "--compare", "B", "C"]
    rows = scored("score_files", *arguments)["comparisons"]
    out, _ = run("score_files", *arguments, "--format", "latex")
    assert out.count(r"\begin{tabular}") == out.count(r"\end{tabular}") == 3
    assert r"{[}A{]} \ensuremath{-} B & difference & 95 \% interval & p \\" in out
    for row in rows:
        numbers = (
            f"{number:+.2f}".replace("-", r"\ensuremath{-}") for number in (row["difference"], *row["ci"])
        )
        p_value = f"{row['p']:.3f}" if row["p"] >= 0.001 else r"\textless{} .001"
        title = {"bleu": "BLEU", "ter": "TER"}[row["metric"]]
        assert "{} & {} & {{[}}{}, {}{{]}} & {} ".format(title, *numbers, p_value) in out
    both_tests, _ = run("score_files", *arguments, "--format", "latex", "--test", "koehn", "sacrebleu")
    assert " & p & test " in both_tests and " & sacrebleu " in both_tests
    compiled(tmp_path, out, both_tests)


@pytest.mark.parametrize("tag", ["zh", "zh-CN", "zho"])
def test_met_01_and_met_03_chinese_by_its_language(tag: str):
    found = case_scores("met01_zh_hyp.txt", "met01_zh_ref.txt", more=("--language", tag))
    by_name = {row["metric"]: row for row in found["results"]}
    assert by_name["bleu"]["value"] == pytest.approx(64.37, abs=0.005)
    assert "tok:zh" in by_name["bleu"]["signature"]
    assert by_name["ter"]["value"] == pytest.approx(14.81, abs=0.005)
    assert "norm:yes" in by_name["ter"]["signature"] and "asian:yes" in by_name["ter"]["signature"]


def test_met_01_chinese_without_a_language_is_refused_and_a_file_name_tells_it(tmp_path):
    line = refusal("--hypothesis", FILES / "met01_zh_hyp.txt", "--reference", FILES / "met01_zh_ref.txt")
    assert "--language zh" in line
    copies = [write_lines(tmp_path / name, read(FILES / f"met01_zh_{name[:3]}.txt"))
              for name in ("hyp.zh", "ref.zh")]  # fmt: skip
    found = scored("score_files", "--hypothesis", copies[0], "--reference", copies[1], "--resamples", 0)
    assert values(found)["bleu"] == pytest.approx(64.37, abs=0.005)


@pytest.mark.parametrize(("tag", "module"), [("ja", "MeCab"), ("ko", "mecab_ko")])
def test_met_02_a_missing_tokeniser_is_told_and_the_other_metrics_run(tag, module, three, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"sacrebleu.tokenizers.tokenizer_{tag}_mecab", raising=False)
    found = scored("score_files", *both(three), "--language", tag)
    rows = {row["metric"]: row for row in found["results"]}
    assert rows["bleu"]["value"] is None and f'install "sacrebleu[{tag}]"' in rows["bleu"]["reason"]
    assert rows["chrf"]["value"] is not None and rows["ter"]["value"] is not None
    out, _ = run("score_files", *both(three), "--language", tag)
    assert "sacrebleu[" in out
    line = refusal(*both(three), "--language", tag, "--metrics", "bleu")
    assert f"sacrebleu[{tag}]" in line and "Nothing was scored" in line


def test_met_05_all_outputs_empty():
    found = case_scores("met05_all_empty.txt", "met_ref.txt")
    assert values(found) == {"bleu": 0.0, "chrf": 0.0, "ter": 100.0}
    assert "met05_all_empty.txt: 3 of 3 empty segments." in found["notices"]
    two = case_scores("met05_all_empty.txt", "met_ref.txt", "met_ref2.txt")
    assert values(two)["bleu"] == 0.0
    assert "nrefs:2" in two["results"][0]["signature"]


def test_met_07_an_empty_reference_line_is_told():
    found = case_scores("met_hyp.txt", "met07_empty_ref.txt")
    assert [round(value, 2) for value in values(found).values()] == [43.06, 63.98, 70.0]
    assert any("1 of 3 empty reference lines" in notice for notice in found["notices"])


def test_met_08_references_stand_beside_each_other(tmp_path):
    one = case_scores("met_hyp.txt", "met_ref.txt")
    assert [round(value, 2) for value in values(one).values()] == [45.07, 50.04, 50.0]
    two = case_scores("met_hyp.txt", "met_ref.txt", "met_ref2.txt")
    assert [round(value, 2) for value in values(two).values()] == [48.53, 59.73, 40.0]
    assert all("nrefs:2" in row["signature"] for row in two["results"])
    turned = [
        write_lines(tmp_path / name, read(FILES / name)[::-1])
        for name in ("met_hyp.txt", "met_ref.txt", "met_ref2.txt")
    ]
    found = scored("score_files", "--hypothesis", turned[0], "--reference", *turned[1:], "--resamples", 0)
    assert values(found) == pytest.approx(values(two))


def test_met_10_short_segments():
    found = case_scores("met10_short_hyp.txt", "met10_short_ref.txt", more=("--segments",))
    rows = {row["metric"]: row["segments"] for row in found["results"]}
    assert rows["bleu"] == pytest.approx([100, 100, 0])
    assert rows["chrf"] == pytest.approx([100, 100, 0])


def test_met_12_corpus_chrf_is_no_mean():
    found = case_scores("met12_hyp.txt", "met12_ref.txt", more=("--metrics", "chrf"))
    assert values(found)["chrf"] == pytest.approx(57.56, abs=0.005)


def test_met_13_a_perfect_score_is_rounded_in_tables_only():
    found = case_scores("met_ref.txt", "met_ref.txt")
    assert values(found) == pytest.approx({"bleu": 100, "chrf": 100, "ter": 0})
    assert "met_ref.txt is identical to the reference met_ref.txt." in found["notices"]
    out, _ = run("score_files", "--hypothesis", FILES / "met_ref.txt", "--reference", FILES / "met_ref.txt")
    assert " 100.00 [" in out and "100.000" not in out


def test_met_14_decomposed_letters_are_named_and_composed_on_request():
    found = case_scores("met14_nfd.txt", "met14_nfc.txt")
    assert [round(value, 2) for value in values(found).values()] == [15.62, 67.78, 50.0]
    (notice,) = found["notices"]
    assert notice.startswith("met14_nfd.txt") and "NFD" in notice and "--nfc" in notice
    composed = case_scores("met14_nfd.txt", "met14_nfc.txt", more=("--nfc",))
    assert values(composed) == pytest.approx({"bleu": 100, "chrf": 100, "ter": 0})
    assert all(row["signature"].endswith("|text:nfc") for row in composed["results"])
    stored = (FILES / "met14_nfd.txt").read_text("utf-8")
    assert not unicodedata.is_normalized("NFC", stored)


def test_met_15_entities_are_named():
    found = case_scores("met15_entity_hyp.txt", "met15_entity_ref.txt")
    assert values(found)["bleu"] == pytest.approx(100)
    assert values(found)["chrf"] == pytest.approx(29.71, abs=0.005)
    assert any("contains &amp; / &quot;" in notice for notice in found["notices"])


def test_one_segment_has_a_score_and_no_interval(tmp_path):
    file = write_lines(tmp_path / "one.en", ["The cat sat on the mat."])
    found = scored("score_files", "--hypothesis", f"A={file}", f"B={file}", "--reference", file,
                   "--compare", "A", "B")  # fmt: skip
    assert all(row["ci"] is None and row["n_segments"] == 1 for row in found["results"])
    assert all(row["p"] is None and "one segment" in row["reason"] for row in found["comparisons"])


def test_two_equal_outputs_have_p_one_by_either_test(three):
    found = scored("score_files", "--hypothesis", f"A={three['A']}", f"B={three['A']}", "--reference",
                   three["ref"], "--compare", "A", "B", "--test", "koehn", "sacrebleu")  # fmt: skip
    assert {row["p"] for row in found["comparisons"]} == {1.0}
    assert {row["difference"] for row in found["comparisons"]} == {0.0}
    assert "A and B are the same text." in found["notices"]


def test_outputs_out_of_step_are_told(tmp_path):
    lines = invented_lines(60, seed=1)
    ref, out = write_lines(tmp_path / "r.en", lines), write_lines(tmp_path / "o.en", [*lines[1:], lines[0]])
    found = scored("score_files", "--hypothesis", out, "--reference", ref, "--resamples", 0)
    assert any("line" in notice and "o.en" in notice for notice in found["notices"])


def test_what_cannot_be_scored_is_refused_in_one_line(three, tmp_path):
    short = write_lines(tmp_path / "short.en", read(three["A"])[:-1])
    long = write_lines(tmp_path / "long.en", [*read(three["A"]), "one more"])
    ref = ["--reference", three["ref"]]
    assert "short.en has 39 lines, ref.en has 40" in refusal("--hypothesis", short, *ref)
    assert "long.en has 41 lines, ref.en has 40" in refusal("--hypothesis", long, *ref)
    assert "need a reference" in refusal("--hypothesis", short)
    assert "nothing to score" in refusal(*ref)
    assert "two" in refusal("--hypothesis", three["A"], three["A"], *ref).lower()
    assert "Did you mean “bleu”" in refusal(*both(three), "--metrics", "blue")
    assert "no “C” to compare" in refusal(*both(three), "--compare", "A", "C")
    assert "with itself" in refusal(*both(three), "--compare", "A", "A")
    assert "Unknown language" in refusal(*both(three), "--language", "xxq")
    assert "resamples" in refusal(*both(three), "--resamples", 1)
    assert "do not fit" in refusal(*both(three), "--segments")
    assert "No metric" in refusal(*both(three), "--metrics", ",")
    assert "model of no metric" in refusal(*both(three), "--model", "x")
    assert "“beer” is given two models" in refusal(*both(three), "--model", "beer=x", "beer=y")
    assert "is no metric" in refusal(*both(three), "--model", "x=y")
    assert "absent.en" in refusal("--hypothesis", tmp_path / "absent.en", *ref)
    empty = tmp_path / "empty.en"
    empty.write_bytes(b"")
    assert "empty" in refusal("--hypothesis", empty, *ref)
    blank = write_lines(tmp_path / "blank.en", [""] * 40)
    assert "blank" in refusal("--hypothesis", three["A"], "--reference", blank)
    latin = tmp_path / "latin.en"
    latin.write_bytes(b"caf\xe9\n" * 40)
    assert "latin.en" in refusal("--hypothesis", latin, *ref)


@pytest.mark.process
def test_no_database_is_needed(three):
    """Run the command where the database cannot be opened."""
    done = subprocess.run(
        [sys.executable, "manage.py", "score_files", *both(three), "--format", "json"],
        capture_output=True, text=True, check=False, env={"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
        "PATH": "/usr/bin:/bin", "LC_ALL": "C"}, cwd=FILES.parent.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(strict(done.stdout)["results"]) == 6
