"""Campaigns of which little can be said get a report and a comparison that say so."""

import json

import pytest
from django.core.management import CommandError

from annotation.models import Campaign
from annotation.services.report.behind import campaign_behind
from annotation.services.report.compute import or_why
from annotation.services.report.figures.canvas import Axis, axis_over, decimals_of
from annotation.services.report.store import part_ready
from annotation.services.report.trace_pairs import pair_trace
from annotation.services.score_notes import BOUND
from annotation.services.scoring import campaign_score
from annotation.stats.options import ScoreOptions
from tests.factories.commands import run
from tests.factories.reports import rated

pytestmark = pytest.mark.django_db

HEAD = "judgement,protocol,languages,scale,rater,testset,segment,input,context,left,choice,score,kind"


def imported(name, scores, *, systems=("A", "B", "C"), kind="system", languages="en-de"):
    """Import ratings [segment, rater, system] as a campaign."""
    lines = [HEAD.removesuffix(",kind") if kind == "system" else HEAD]
    for segment, of_segment in enumerate(scores, 1):
        for rater, of_rater in zip("uvw", of_segment, strict=False):
            for system, score in zip(systems, of_rater, strict=True):
                tail = "" if kind == "system" else f",{kind}"
                lines.append(
                    f"j{len(lines)},source_da,{languages},0-100,{rater},shared,{segment},source,,{system},,"
                    f"{score}{tail}"
                )
    with open("small.csv", "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")
    run("import_judgements", name, "small.csv", "--format", "csv")


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "scores",
    [
        [[3, 77, 73], [85, 17, 9], [87, 2, 54]],
        [[8, 30, 48], [42, 40, 2], [0, 12, 0]],
        [[39, 88, 13], [58, 72, 85], [53, 37, 31]],
    ],
)
def test_one_segment_has_a_report(scores):
    imported("one", [scores])
    text, _ = run("report_campaign", "one")
    assert "## Agreement" in text and "nan" not in text.lower()


def test_a_number_that_is_not_finite_refuses_its_part_and_is_never_stored():
    assert or_why(lambda: {"a": [float("nan")]}).keys() == {"refused"}
    assert or_why(lambda: {"a": [1.0, None]}) == {"a": [1.0, None]}
    campaign = rated()
    kept = part_ready(
        campaign, ScoreOptions(), "probe", lambda: {"a": [1.0, float("inf")], "b": float("nan")}
    )
    assert kept == {"a": [1.0, None], "b": None}


def test_pairs_without_a_p_are_not_comparable():
    imported("one", [[[3, 77, 73], [85, 17, 9], [87, 2, 54]]])
    imported("many", [[[80 + n, 50, 20 - n], [75, 55 + n, 10], [90, 40, 30 + n]] for n in range(8)])
    result = json.loads(run("compare_campaigns", "one", "many", "--format", "json")[0])
    assert {row["agreement"] for row in result["pairs"]} == {"not_comparable"}
    assert result["decisions"]["not_comparable"] == result["decisions"]["n"] == 3
    assert result["decisions"]["share_agreeing"] is None
    assert "3 not comparable" in run("compare_campaigns", "one", "many")[0]


def test_the_trace_and_the_notes_tell_of_few_segments():
    imported("two", [[[90, 50, 10], [80, 55, 20], [95, 45, 15]], [[85, 60, 30], [75, 40, 5], [99, 50, 25]]])
    campaign = Campaign.objects.get(name="two")
    result = campaign_score(campaign=campaign, options=ScoreOptions()).result
    assert {row["p_bootstrap_two_sided"] for row in result["pairs"]} == {0.5}
    assert any("Few segments tell 3 pairs of systems apart" in note for note in result["notes"])
    words = pair_trace(campaign_behind(campaign, ScoreOptions()), ("A", "B"), {}).words
    assert BOUND in words and not any("resamples" in one for one in words)


def test_a_campaign_of_quality_control_alone_has_no_system_to_compare():
    imported("only_qc", [[[3], [85], [87]]], systems=("A",), kind="bad_reference")
    imported("real", [[[3, 77], [85, 17], [87, 2]]], systems=("A", "B"))
    with pytest.raises(CommandError, match=r"“only_qc” .no judgements of a system. and “real” .A, B."):
        run("compare_campaigns", "only_qc", "real")


def test_scores_that_differ_by_rounding_alone_are_constant(tmp_path):
    """A spread of 1e-17 is none: no axis can be drawn over it, nothing correlates with it."""
    imported("rounded", [[(0.3, 0.1 + 0.2, 0.3)] * 2, [(0.1 + 0.2, 0.3, 0.3)] * 2, [(0.3, 0.3, 0.3)] * 2])
    imported("tiny", [[(1e-300, 3e-300, 2e-300), (2e-300, 1e-300, 5e-300)]] * 3)
    for name in ("rounded", "tiny"):
        run("report_campaign", name, "--output", tmp_path / name)
        found, _ = run("quality_campaign", name, "--format", "json")
        assert [row["agreement"] for row in json.loads(found)] == [None, None]


def test_an_axis_has_ticks_over_whatever_it_spans():
    for low, high in ((0.0, 1e-12), (0.0, 1e200), (5.0, 5.0), (1e17, 1e17), (0.3, 0.1 + 0.2)):
        ticks = axis_over([low, high], 0, 100).ticks()
        assert len(set(ticks)) > 1
        assert decimals_of(ticks) >= 0
    for width in range(1, 500):  # also where 1, 2 and 5 times a power of ten fall badly
        axis = Axis(-width / 137, width / 137, 0, 100)
        assert all(2 <= len(set(axis.ticks(about))) <= 2 * about + 1 for about in (3, 4, 6))
    assert Axis(0.0, 1e-12, 0, 100).ticks()[1] == pytest.approx(2e-13)
