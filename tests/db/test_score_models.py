"""Metrics that run on a program or a model, from the commands: METEOR and perplexity."""

import gzip

import pytest

from mtcore.metrics.meteor import Meteor
from mtcore.metrics.packing import stats_unpack
from mtcore.metrics.perplexity import Perplexity
from mtcore.models import MetricResult
from tests.factories.arpa import FIVE_WORDS, write_arpa
from tests.factories.beer import write_beer
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.metrics import import_scored_set, rows_of, scored, strict
from tests.factories.runners import needs

pytestmark = pytest.mark.django_db
needs_meteor = pytest.mark.skipif(
    not Meteor.is_available(), reason=f"METEOR is absent: {Meteor.install_hint}"
)


@pytest.fixture
def model(tmp_path):
    """Return an ARPA file of five words."""
    file = tmp_path / "five.arpa"
    file.write_text(FIVE_WORDS, encoding="utf-8")
    return file


@pytest.fixture
def files(tmp_path):
    """Return two outputs and a reference of three lines."""
    texts = {
        "a.en": ["the cat sat", "the dog ran", "a cat sat"],
        "b.en": ["the cat", "dog dog", "a bird flew away"],
        "r.en": ["the cat sat", "a dog ran", "a cat sat"],
    }
    return [write_lines(tmp_path / name, lines) for name, lines in texts.items()]


def test_perplexity_needs_no_reference_and_tells_units_and_oov(files, model):
    arguments = ["score_files", "--hypothesis", f"A={files[0]}", f"B={files[1]}", "--metrics", "ppl",
                 "--model", f"ppl={model}", "--tokens", "given"]  # fmt: skip
    found = scored(*arguments, "--segments", "--compare", "A", "B")
    a, b = found["results"]
    assert (a["reference"], a["words"], a["oov"], a["vocabulary"]) == (None, 9, 1, 5)
    assert (b["words"], b["oov"], b["oov_rate"]) == (8, 4, 0.5)
    assert a["value"] < b["value"] and len(a["segments"]) == 3
    assert "unit:word|tokens:given" in a["signature"]
    assert found["comparisons"][0]["difference"] == a["value"] - b["value"]
    table, _ = run(*arguments)
    assert "PPL ↓" in table and "A, PPL: unit word, words 9, oov 1, oov rate 0.111111, vocabulary 5" in table
    rows = rows_of(run(*arguments, "--format", "csv")[0])
    assert "oov: 4" in rows[1]["facts"]
    assert "% B, PPL: unit word, words 8, oov 4" in run(*arguments, "--format", "latex")[0]


def test_lines_shared_with_back_translation_are_counted_and_told(files, model, tmp_path):
    lm = write_lines(tmp_path / "lm.en", ["The cat sat.", "A dog ran!", "One more line", "...", ""])
    bt = [
        write_lines(tmp_path / "bt1.en", ["the cat sat .", "something else"]),
        write_lines(tmp_path / "bt2.en", ["A DOG RAN", "..."]),
    ]
    base = ["score_files", "--hypothesis", files[0], "--model", f"ppl={model}", "--metrics", "ppl"]
    found = scored(*base, "--lm-text", lm, "--bt-text", *bt)
    assert found["lm_text"] == {"lines": 3, "shared": 2, "share": 2 / 3}
    assert any("lm.en: 2 lines of 3 (66.7%)" in notice for notice in found["notices"])
    apart = scored(*base, "--lm-text", lm, "--bt-text", files[1])
    assert apart["lm_text"]["shared"] == 0
    assert any("none of 3 lines" in notice for notice in apart["notices"])
    assert "lm_text" not in scored(*base)
    assert "two texts only" in refused(*base, "--lm-text", lm)
    assert "no file" in refused(*base, "--lm-text", lm, "--bt-text", tmp_path / "absent")
    assert "Add ppl" in refused(*base[:-1], "chrf", "--lm-text", lm, "--bt-text", lm)


def test_perplexity_stands_beside_scores_with_a_reference(files, model):
    arguments = ["score_files", "--hypothesis", f"A={files[0]}", "--reference", files[2], "--metrics",
                 "chrf,ppl", "--model", f"ppl={model}", "--tokens", "given"]  # fmt: skip
    found = scored(*arguments)
    assert [(row["metric"], row["reference"]) for row in found["results"]] == [
        ("chrf", "r.en"), ("ppl", None)
    ]  # fmt: skip
    table, _ = run(*arguments)
    assert len([line for line in table.split("\n\n")[0].splitlines() if line.startswith("A ")]) == 1


def test_what_is_missing_is_told_and_the_rest_runs(files, monkeypatch):
    monkeypatch.setattr("mtcore.metrics.java.shutil.which", lambda _: None)
    monkeypatch.setattr("mtcore.metrics.meteor._packaged", lambda: None)
    found = scored(
        "score_files", "--hypothesis", f"A={files[0]}", f"B={files[1]}", "--reference", files[2],
        "--metrics", "chrf,meteor,ppl", "--compare", "A", "B",
    )  # fmt: skip
    rows = {(row["system"], row["metric"]): row for row in found["results"]}
    assert rows["A", "chrf"]["value"] > 0
    assert rows["A", "meteor"]["value"] is None and "pycocoevalcap" in rows["A", "meteor"]["reason"]
    assert rows["A", "ppl"]["value"] is None and "--model ppl=FILE" in rows["A", "ppl"]["reason"]
    told = {row["metric"]: row for row in found["comparisons"]}
    assert told["chrf"]["p"] is not None and told["meteor"]["p"] is None
    assert "pycocoevalcap" in told["meteor"]["reason"]


def test_a_wrong_model_is_refused(files, tmp_path):
    bad = write_lines(tmp_path / "bad.arpa", ["nothing"])
    base = ["score_files", "--hypothesis", files[0], "--metrics", "ppl", "--model"]
    assert "is no ARPA file" in refused(*base, f"ppl={bad}")
    assert "is not there" in refused(*base, f"ppl={tmp_path / 'absent'}")
    assert "is a folder" in refused(*base, f"ppl={tmp_path}")
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"\\data\\\n")[:-3])
    assert "x.gz" in refused(*base, f"ppl={tmp_path / 'x.gz'}")


def test_beer_of_outputs_is_kept_with_the_mean_of_segments(tmp_path):
    import_scored_set(tmp_path)
    model = write_beer(tmp_path / "beer")
    arguments = ["score_outputs", "demo", "--metrics", "beer", "--model", f"beer={model}"]
    found = scored(*arguments, "--segments", "--compare", "A", "B")
    for row in found["results"]:
        assert row["value"] == pytest.approx(sum(row["segments"]) / 12)
        assert row["ci"][0] <= row["value"] <= row["ci"][1]
    assert found["comparisons"][0]["p"] is not None
    assert MetricResult.objects.filter(metric="beer").count() == 2
    assert "is no BEER model" in refused(*arguments[:-1], f"beer={tmp_path}")
    assert "--model beer=FOLDER" in refused("score_outputs", "demo", "--metrics", "beer")


def test_perplexity_of_outputs_is_kept_once_without_a_reference(tmp_path, monkeypatch):
    import_scored_set(tmp_path)
    model = write_arpa(tmp_path / "m.arpa", invented_lines(200, seed=9))
    arguments = ["score_outputs", "demo", "--metrics", "ppl", "--model", f"ppl={model}", "--resamples", 20]
    first = scored(*arguments)
    assert MetricResult.objects.filter(metric="ppl", reference=None).count() == 2
    row = MetricResult.objects.filter(output__system__name="A").get()
    stats = stats_unpack(row.segment_stats)
    assert stats.shape == (12, 4) and (stats[:, 0] > 0).all()
    monkeypatch.setattr(Perplexity, "segment_stats", lambda *_: pytest.fail("extracted again"))
    assert scored(*arguments) == first
    direct = scored(*arguments, "--direction", "direct")["results"][0]
    assert (direct["n_segments"], direct["condition"]) == (6, "X")
    assert direct["words"] == stats[:6, 2].sum()
    assert MetricResult.objects.count() == 2


def test_met_16_what_is_not_finite_is_null_with_a_reason(files, tmp_path):
    endless = FIVE_WORDS.replace("-1.25\tdog", "-9e300\tdog").replace("-1.0\tcat\t", "-9e300\tcat\t")
    model = tmp_path / "endless.arpa"
    model.write_text(endless, encoding="utf-8")
    out, _ = run("score_files", "--hypothesis", f"B={files[1]}", "--metrics", "ppl", "--model",
                 f"ppl={model}", "--tokens", "given", "--segments", "--format", "json")  # fmt: skip
    (row,) = strict(out)["results"]
    assert row["value"] is None and row["ci"] is None
    assert row["reason"] == "the score is not a finite number"
    assert row["segments"][1] is None


def test_met_16_a_stored_result_that_is_not_finite_is_null_with_its_reason(tmp_path):
    import_scored_set(tmp_path)
    model = tmp_path / "endless.arpa"
    model.write_text(FIVE_WORDS.replace("-2.0\t<unk>", "-9e300\t<unk>"), encoding="utf-8")
    found = scored("score_outputs", "demo", "--metrics", "ppl,ter", "--model", f"ppl={model}",
                   "--compare", "A", "B")  # fmt: skip
    rows = {row["metric"]: row for row in found["results"]}
    assert rows["ppl"]["value"] is None and rows["ppl"]["reason"] == "the score is not a finite number"
    assert rows["ter"]["value"] is not None
    for row in MetricResult.objects.filter(metric="ppl"):
        assert (row.value, row.reason) == (None, "the score is not a finite number")
    assert {row["metric"]: row["p"] is None for row in found["comparisons"]} == {"ppl": True, "ter": False}


@needs_meteor
def test_meteor_of_outputs_is_kept_and_parts_need_no_program(tmp_path, monkeypatch):
    lines = import_scored_set(tmp_path)
    first = scored("score_outputs", "demo", "--metrics", "meteor", "--compare", "A", "B")
    assert [row["metric"] for row in first["comparisons"]] == ["meteor"]
    assert all(0 < row["value"] < 1 for row in first["results"])
    stats = stats_unpack(MetricResult.objects.get(output__system__name="A").segment_stats)
    assert stats.shape == (len(lines), 23)
    monkeypatch.setattr(Meteor, "segment_stats", lambda *_: pytest.fail("extracted again"))
    part = scored("score_outputs", "demo", "--metrics", "meteor", "--direction", "reverse")["results"]
    assert [row["n_segments"] for row in part] == [6, 6]
    table, _ = run("score_outputs", "demo", "--metrics", "meteor")
    assert f"{first['results'][0]['value']:.4f}" in table


def test_comet_of_outputs_is_sent_the_very_text_each_was_made_from(tmp_path, settings):
    """With a stand-in for the package (see tests/unit/test_comet.py): only our side is tested."""
    from tests.unit.test_comet import stand_in

    lines = import_scored_set(tmp_path)
    settings.COMET_PYTHON, checkpoint = stand_in(tmp_path)
    arguments = ["score_outputs", "demo", "--metrics", "comet,chrf", "--model", f"comet={checkpoint}"]
    found = scored(*arguments, "--segments", "--compare", "A", "B")
    row = next(row for row in found["results"] if row["metric"] == "comet")
    sources = (tmp_path / "src").read_text("utf-8").split("\n")
    outputs = (tmp_path / "A").read_text("utf-8").split("\n")
    texts = zip(sources, outputs, lines, strict=False)
    assert row["segments"] == [50 * len(s) + 5 * len(o) + 0.5 * len(r) for s, o, r in texts]
    files = ["score_files", "--hypothesis", tmp_path / "A", "--reference", tmp_path / "ref", "--metrics",
             "comet", "--model", f"comet={checkpoint}"]  # fmt: skip
    assert scored(*files, "--source", tmp_path / "src")["results"][0]["value"] == pytest.approx(row["value"])
    assert "name it with --source" in refused(*files)
    short = write_lines(tmp_path / "short", sources[:3])
    assert "short" in refused(*files, "--source", short)
    settings.COMET_PYTHON = None
    missing = scored(*arguments)
    assert {row["metric"]: row["value"] is None for row in missing["results"]} == {
        "comet": True,
        "chrf": False,
    }
    assert "COMET_PYTHON" in missing["results"][0]["reason"]


@pytest.mark.once
@needs("bert-score", "torch", "transformers")
def test_met_16_bertscore_of_outputs_is_kept_as_plain_numbers(tmp_path, monkeypatch):
    lines = import_scored_set(tmp_path, systems=("A",))
    run("import_output", "demo", "Blank", write_lines(tmp_path / "Blank", ["", *lines[1:]]))
    arguments = ["score_outputs", "demo", "--metrics", "bertscore", "--model", "bertscore=packaged-minilm"]
    first = scored(*arguments, "--segments", "--compare", "A", "Blank", "--resamples", 50)
    a, blank = first["results"]
    assert 0 < a["value"] < 1 and blank["segments"][0] == 0
    assert blank["segments"][1:] == pytest.approx([1.0] * 11, abs=1e-5)
    assert a["precision"] <= 1 and "version:0.3.13" in a["signature"]
    row = MetricResult.objects.get(output__system__name="A")
    assert row.value == a["value"] and stats_unpack(row.segment_stats).shape == (12, 5)
    monkeypatch.setattr("mtcore.metrics.bertscore.BertScore.segment_stats", lambda *_: pytest.fail("again"))
    part = scored(*arguments, "--direction", "direct")["results"][0]
    assert part["n_segments"] == 6 and part["value"] == pytest.approx(sum(a["segments"][:6]) / 6)
    unusable = refused(*arguments[:-1], f"bertscore={tmp_path}")
    assert "holds no model" in unusable


def test_one_broken_tool_takes_no_other_metric_down(files, tmp_path):
    jar = tmp_path / "meteor-1.5.jar"
    jar.write_bytes(b"no archive")
    odd = write_lines(tmp_path / "odd.arpa", FIVE_WORDS.replace("-0.5\tthe cat", "nan\tthe cat").split("\n"))
    (tmp_path / "empty").mkdir()
    base = ["score_files", "--hypothesis", f"A={files[0]}", f"B={files[1]}", "--reference", files[2]]
    models = [f"meteor={jar}", f"beer={tmp_path / 'empty'}", f"ppl={odd}", f"bertscore={tmp_path / 'empty'}",
              f"comet={tmp_path / 'absent'}"]  # fmt: skip
    found = scored(
        *base, "--metrics", "meteor,bleu,beer,ppl,bertscore,comet", "--compare", "A", "B", "--language", "de",
        *(part for model in models for part in ("--model", model)),
    )  # fmt: skip
    rows = {row["metric"]: row for row in found["results"] if row["system"] == "A"}
    assert rows["bleu"]["value"] is not None
    assert all(row["value"] is None and row["reason"] for name, row in rows.items() if name != "bleu")
    assert "is no BEER model" in rows["beer"]["reason"]
    assert "odd.arpa, line 18: nan" in rows["ppl"]["reason"]
    if Meteor.is_available():
        assert f"METEOR: {jar} is damaged" in rows["meteor"]["reason"]
        alone = refused(*base, "--metrics", "meteor", "--language", "de", "--model", models[0])
        assert "is damaged" in alone and "Nothing was scored" in alone


def test_a_line_too_long_for_one_metric_leaves_it_to_the_others(tmp_path):
    out, ref = (
        write_lines(tmp_path / name, ["ein Satz", " ".join(["Wort"] * size)])
        for name, size in (("o.de", 501), ("r.de", 3))
    )
    found = scored("score_files", "--hypothesis", f"A={out}", f"B={ref}", "--reference", ref,
                   "--metrics", "bleu,chrf,ter", "--resamples", 0)  # fmt: skip
    rows = {(row["system"], row["metric"]): row for row in found["results"]}
    assert rows["A", "ter"]["value"] is None
    assert "line 2 of the output has 501 words; TER takes at most 500" in rows["A", "ter"]["reason"]
    assert rows["B", "ter"]["value"] == 0.0
    assert rows["A", "bleu"]["value"] > 0 and rows["A", "chrf"]["value"] > 0
