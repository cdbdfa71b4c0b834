"""What scores, reports and looks say beside their numbers: tests, corrections, decimals, methods."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import Campaign
from annotation.services.looks import campaign_look
from annotation.services.report.compute import campaign_report
from annotation.services.report.document import sections_of
from annotation.services.report.methods import methods
from annotation.services.score_table import raw_decimals
from annotation.stats.options import ScoreOptions
from evalplatform.errors import Conflict
from tests.factories.commands import run
from tests.factories.reports import rated

pytestmark = [pytest.mark.django_db, pytest.mark.once]  # words and files made of the same numbers


def lines_with(text, *words):
    return [line for line in text.splitlines() if all(word in line for word in words)]


def imported(tmp_path, scale, scores=(-1.25, -7.5, -3.25, -6.0)):
    rows = "".join(f"r{i // 2 % 2},{'AB'[i % 2]},{i // 2},{score}\n" for i, score in enumerate(scores))
    (tmp_path / "in.csv").write_text(f"rater,system,segment,score\n{rows}")
    run(
        "import_judgements", "narrow", tmp_path / "in.csv", "--format", "csv", "--languages", "en-de",
        "--protocol", "source_da", f"--scale={scale}", "--map",
        "rater=rater,system=system,segment=segment,score=score",
    )  # fmt: skip
    return Campaign.objects.get(name="narrow")


@pytest.mark.parametrize("test", ["randomisation", "signed_rank"])
def test_the_p_of_the_chosen_test_stands_beside_its_correction(test):
    ann = User.objects.create_user("ann", password="harbour-ann")
    campaign = rated(ann, systems=("A", "B", "C"))
    text, _ = run("score_campaign", "harbour", "--test", test, "--correction", "holm")
    name = test.replace("_", " ")
    assert re.search(rf"p rank sum 1-sided +p {name} +p Holm +common", text)
    client = Client()
    client.force_login(ann)
    address = reverse("campaign_results", args=[campaign.key])
    html = client.get(address, {"test": test, "correction": "holm"}).content.decode()
    assert f">p, {name}, two-sided</th>" in html and ">p, Holm</th>" in html


def test_the_bootstrap_has_its_column_once():
    rated()
    text, _ = run("score_campaign", "harbour")
    assert re.search(r"p rank sum 1-sided +common", text)


def test_few_resamples_for_a_correction_are_noted():
    rated(systems=("A", "B", "C"))
    text, _ = run("score_campaign", "harbour", "--correction", "holm", "--resamples", "50")
    assert (
        "With 50 resamples and 3 pairs no corrected p can be below .12: use --resamples 200 or more." in text
    )
    text, _ = run("score_campaign", "harbour", "--correction", "holm", "--resamples", "200")
    assert "no corrected p" not in text


def test_decimals_follow_the_scale(tmp_path):
    assert [raw_decimals(scale) for scale in ((0, 100), (0, 50), (-25, 0), (-12, 12), None)] == [
        1,
        1,
        2,
        2,
        1,
    ]
    imported(tmp_path, "-25-0")
    text, _ = run("score_campaign", "narrow")
    assert lines_with(text, "A", "−2.25") and lines_with(text, "B", "−6.75")
    text, _ = run("report_campaign", "narrow", "--resamples", "20")
    assert lines_with(text, "| A", "−2.25")


def test_the_legend_of_the_matrix_has_the_classes_that_can_be_reached():
    campaign = rated(systems=("A", "B", "C"))

    def legend(**options):
        report = campaign_report(campaign=campaign, options=ScoreOptions(**options))
        figure = next(
            one for section in sections_of(report) for one in section.figures if one.name == "pairs"
        )
        return set(re.findall(r">p &lt; (\.\d+)<", figure.svg))

    assert legend(resamples=3000) == {".001", ".01", ".05"}
    assert legend(resamples=1000) == {".01", ".05"}
    assert legend(resamples=100) == {".05"}
    assert legend(resamples=1000, correction="holm") == {".01", ".05"}
    assert legend(resamples=100, correction="holm") == set()
    assert legend(resamples=100, correction="holm", test="signed_rank") == {".001", ".01", ".05"}


def test_the_methods_say_what_ranks_systems():
    words = methods(campaign_report(campaign=rated(), options=ScoreOptions()))
    assert "unpaired Wilcoxon rank-sum tests at .05 over all segments of each system" in words
    preferred = rated(name="pairs", protocol="pairwise_fluency", systems=("A", "B", "C"))
    options = ScoreOptions(resamples=300, preference_resamples=5000)
    words = methods(campaign_report(campaign=preferred, options=options))
    assert "expected wins" in words and "Davidson's (1970) model" in words and "rank ranges" in words
    assert "5,000 resamples" in words and "300 bootstrap resamples of segments" in words


def test_a_difference_may_stop_a_campaign_that_runs(tmp_path):
    scores = [value for i in range(24) for value in (-1 - i % 5, -15 - (7 * i) % 5)]
    campaign = imported(tmp_path, "-25-0", scores)
    with pytest.raises(Conflict, match="imported"):
        campaign_look(campaign=campaign)
    campaign.state, campaign.mode = Campaign.State.OPEN, Campaign.Mode.PLANNED
    campaign.save()
    (found,) = campaign_look(campaign=campaign).pairs
    assert (found.verdict, found.words) == ("stop", "they differ: the campaign may stop")
