"""The command score_outputs: conditions, kept statistics, and parts that need no second extraction."""

import numpy as np
import pytest

from mtcore.metrics import METRICS
from mtcore.metrics.packing import stats_pack, stats_unpack
from mtcore.metrics.sacre import SacreMetric
from mtcore.models import MetricResult, SystemOutput
from mtcore.services.metric_outputs import Selection, outputs_score
from mtcore.services.metric_results import metric_result_keep
from mtcore.services.metric_scoring import MetricOptions
from tests.factories.campaigns import invented_lines
from tests.factories.commands import refused, run
from tests.factories.files import write_lines
from tests.factories.latex import compiled
from tests.factories.metrics import import_scored_set, rows_of, scored, spoiled

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(tmp_path):
    """Import the test set and return its first reference."""
    return import_scored_set(tmp_path)


def direct(metric: str, output: list[str], reference: list[str]) -> float:
    return METRICS[metric]("de").score(output, [reference])


def forbid_extraction(monkeypatch) -> None:
    def fail(*_):
        pytest.fail("statistics were extracted again")

    monkeypatch.setattr(SacreMetric, "segment_stats", fail)


def test_every_system_is_scored_and_kept_once(lines):
    found = scored("score_outputs", "demo", "--resamples", 50)
    assert [(row["system"], row["metric"]) for row in found["results"]] == [
        (system, metric) for metric in ("bleu", "chrf", "ter") for system in ("A", "B")
    ]
    for row in found["results"]:
        every = {"A": 2, "B": 3}[row["system"]]
        assert row["value"] == direct(row["metric"], spoiled(lines, every), lines)
        assert (row["input"], row["reference"], row["direction"]) == ("source", "reference", "all")
        assert (row["condition"], row["n_segments"]) == (None, 12)
    kept = MetricResult.objects.all()
    assert kept.count() == 6
    assert {row.value for row in kept} == {row["value"] for row in found["results"]}
    assert all(row.n_segments == 12 and stats_unpack(row.segment_stats).shape[0] == 12 for row in kept)


def test_cel_08_scoring_again_adds_no_row_and_extracts_nothing(lines, monkeypatch):
    first = scored("score_outputs", "demo", "--resamples", 20)
    before = list(MetricResult.objects.order_by("pk").values_list("pk", "signature", "value"))
    forbid_extraction(monkeypatch)
    assert scored("score_outputs", "demo", "--resamples", 20) == first
    assert list(MetricResult.objects.order_by("pk").values_list("pk", "signature", "value")) == before


def test_directions_documents_and_comparisons_come_from_kept_statistics(lines, monkeypatch):
    run("score_outputs", "demo", "--resamples", 0)
    with monkeypatch.context() as patched:
        forbid_extraction(patched)
        found = scored("score_outputs", "demo", "--direction", "direct", "reverse", "all", "--resamples", 0)
        one = scored("score_outputs", "demo", "--documents", "doc1", "--metrics", "ter", "--systems", "A")
        pair = scored("score_outputs", "demo", "--compare", "A", "B", "--direction", "direct")["comparisons"]
    halves = {"direct": slice(0, 6), "reverse": slice(6, 12), "all": slice(None)}
    conditions = {"direct": "X → Y*", "reverse": "X* → Y", "all": None}
    assert len(found["results"]) == 18
    for row in found["results"]:
        output = spoiled(lines, {"A": 2, "B": 3}[row["system"]])
        part = halves[row["direction"]]
        assert row["value"] == direct(row["metric"], output[part], lines[part])
        assert row["condition"] == conditions[row["direction"]]
    assert [row["n_segments"] for row in one["results"]] == [3]
    assert one["results"][0]["value"] == direct("ter", spoiled(lines, 2)[3:6], lines[3:6])
    assert [row["direction"] for row in pair] == ["direct"] * 3


def test_references_one_after_the_other_and_together(lines):
    other = invented_lines(12, seed=2)
    found = scored("score_outputs", "demo", "--reference", "reference", "other", "--systems", "A")
    values = {(row["metric"], row["reference"]): row["value"] for row in found["results"]}
    assert values["chrf", "other"] == direct("chrf", spoiled(lines, 2), other)
    assert values["chrf", "reference"] == direct("chrf", spoiled(lines, 2), lines)
    both = scored(
        "score_outputs", "demo", "--reference", "reference", "other", "--together", "--systems", "A"
    )
    for row in both["results"]:
        assert row["reference"] == "reference + other" and "nrefs:2" in row["signature"]
        assert row["value"] == METRICS[row["metric"]]("de").score(spoiled(lines, 2), [lines, other])
    assert MetricResult.objects.count() == 9


def test_outputs_of_other_inputs_are_conditions_of_their_own(tmp_path):
    names = {"src": 1, "ref": 2, "back": 3}
    files = {n: write_lines(tmp_path / n, invented_lines(30, seed=s)) for n, s in names.items()}
    run("import_testset", "d", "--languages", "en-de", "--direction", "direct", "--source", files["src"],
        "--reference", files["ref"], "--double-translation", f"source={files['back']}")  # fmt: skip
    for name, every in (("A", 2), ("B", 3)):
        run("import_output", "d", name,
            write_lines(tmp_path / name, spoiled(invented_lines(30, seed=2), every)))  # fmt: skip
    run("import_output", "d", "A", write_lines(tmp_path / "A2", spoiled(invented_lines(30, seed=2), 5)),
        "--input", "X**")  # fmt: skip
    found = scored("score_outputs", "d", "--metrics", "chrf", "--compare", "A", "B", "--resamples", 20)
    assert [(row["system"], row["condition"]) for row in found["results"]] == [
        ("A", "X → Y*"), ("B", "X → Y*"), ("A", "X** → Y*"),
    ]  # fmt: skip
    assert [row["input"] for row in found["comparisons"]] == ["source"]
    only = scored("score_outputs", "d", "--metrics", "chrf", "--input", "X**")
    assert [row["input"] for row in only["results"]] == ["double"]
    line = refused("score_outputs", "d", "--input", "X**", "--compare", "A", "B")
    assert "no “B” to compare" in line


def test_table_csv_and_latex_show_conditions(lines, tmp_path):
    table, _ = run("score_outputs", "demo", "--direction", "direct", "--compare", "A", "B")
    assert "X → Y*" in table and "source, reference, direct" in table and "A − B" in table
    out, _ = run("score_outputs", "demo", "--direction", "direct", "--format", "csv")
    assert {row["condition"] for row in rows_of(out)} == {"X → Y*"}
    latex, _ = run("score_outputs", "demo", "--direction", "direct", "--format", "latex")
    assert r"X \ensuremath{\rightarrow} Y{*}" in latex and latex.count(r"\begin{tabular}") == 1
    both, _ = run("score_outputs", "demo", "--direction", "direct", "reverse", "--compare", "A", "B",
                  "--format", "latex")  # fmt: skip
    assert both.count(r"\begin{tabular}") == 2 and r"A \ensuremath{-} B & difference & " in both
    assert r"\emph{source, reference, direct}" in both and r"\emph{source, reference, reverse}" in both
    compiled(tmp_path, latex, both)


def test_met_13_a_perfect_output_is_stored(tmp_path, lines):
    run("import_output", "demo", "P", write_lines(tmp_path / "p", lines))
    found = scored("score_outputs", "demo", "--systems", "P", "--metrics", "bleu,chrf,chrfpp")
    assert [row["value"] for row in found["results"]] == pytest.approx([100] * 3)
    assert MetricResult.objects.filter(value__gt=99.99).count() == 3
    assert any("P is identical" in notice for notice in found["notices"])


def test_met_14_and_met_15_stored_texts_are_as_they_came(tmp_path, lines):
    odd = [line.replace("river", "rivie\u0301re &amp; Co") for line in lines]
    run("import_output", "demo", "N", write_lines(tmp_path / "n", odd))
    found = scored("score_outputs", "demo", "--systems", "N", "--metrics", "chrf")
    assert any("NFD" in notice for notice in found["notices"])
    assert any("&amp;" in notice for notice in found["notices"])
    run("score_outputs", "demo", "--systems", "N", "--metrics", "chrf", "--nfc")
    output = SystemOutput.objects.get(system__name="N")
    assert list(output.lines.order_by("segment__position").values_list("text", flat=True)) == odd
    assert output.metrics.count() == 2


def test_what_cannot_be_scored_is_refused_and_nothing_is_kept(lines, tmp_path):
    assert "no test set “x”" in refused("score_outputs", "x")
    assert "“C” has no output" in refused("score_outputs", "demo", "--systems", "C")
    assert "no version “Z”" in refused("score_outputs", "demo", "--reference", "Z")
    assert "no document" in refused("score_outputs", "demo", "--documents", "doc9")
    assert "Did you mean" in refused("score_outputs", "demo", "--metrics", "chrff")
    files = {
        name: write_lines(tmp_path / f"x{name}", invented_lines(20, seed=n)) for n, name in enumerate("sr")
    }
    run("import_testset", "bare", "--languages", "en-de", "--source", files["s"])
    assert "has no outputs" in refused("score_outputs", "bare")
    run("import_output", "bare", "A", files["r"])
    assert "no target text" in refused("score_outputs", "bare")
    assert "no direct segment" in refused("score_outputs", "bare", "--direction", "direct")


def test_statistics_survive_packing():
    stats = np.array([[0.0, 1e300, -0.5], [1 / 3, 2.0**53, np.pi]])
    assert (stats_unpack(stats_pack(stats)) == stats).all()
    assert (stats_unpack(memoryview(stats_pack(stats))) == stats).all()


def test_two_at_once_keep_one_row(lines):
    """The other process writes between our look and our writing."""
    output = SystemOutput.objects.select_related("system").get(system__name="A")
    metric = METRICS["ter"]("de")
    stats = metric.segment_stats(spoiled(lines, 2), [lines])
    arguments = {
        "output": output, "reference": None, "metric": metric, "signature": metric.signature(1),
    }  # fmt: skip

    def late():
        metric_result_keep(**arguments, extract=lambda: stats)
        return stats

    row, found, new = metric_result_keep(**arguments, extract=late)
    assert not new and (found == stats).all()
    assert MetricResult.objects.get() == row


def test_the_service_needs_few_queries(lines, django_assert_max_num_queries):
    options = MetricOptions(metrics=("chrf",))
    outputs_score(testset="demo", selection=Selection(), options=options)
    with django_assert_max_num_queries(16):
        outputs_score(testset="demo", selection=Selection(), options=options)
