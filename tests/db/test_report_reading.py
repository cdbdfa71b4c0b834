"""What a reader of a systems table must not get wrong: shared judgements, clusters, conditions."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.services.report.figures.scores import intervals
from annotation.services.report.latex import to_latex
from annotation.services.report.sections_ratings import ranking_table
from annotation.services.report.tables import to_markdown
from annotation.services.scoring import campaign_score
from annotation.stats.options import ScoreOptions
from tests.factories.commands import run
from tests.factories.latex import compiled
from tests.factories.reports import rated

pytestmark = pytest.mark.django_db
SENTENCE = "Identical outputs were judged once"


@pytest.fixture
def client():
    found = Client()
    found.force_login(User.objects.create_superuser("ann", password="harbour-ann"))
    return found


def pages(client, campaign):
    """Return what the report, the results, the study's report and the commands say of the systems."""
    addresses = (
        reverse("campaign_report", args=[campaign.key]),
        reverse("campaign_results", args=[campaign.key]),
        reverse("study_report", args=[campaign.study_id]),
    )
    texts = [client.get(address).content.decode() for address in addresses]
    commands = (("score_campaign", campaign.name), ("report_campaign", campaign.name))
    return [*texts, *(run(*command)[0] for command in commands), run("score_study", campaign.study.name)[0]]


def test_judgements_of_identical_outputs_are_said_to_be_shared(client):
    campaign = rated(name="same", identical=(0, 3, 4))
    result = campaign_score(campaign=campaign, options=ScoreOptions()).result
    total = sum(row["n_judgements"] for row in result["systems"])
    assert result["shared"] == {"ratings": 8 * 2 * 2 - 3 * 2, "credits": total} and total == 32
    for text in pages(client, campaign):
        assert text.count(SENTENCE) == 1 and "add up to 32, there are 26." in text
    table = ranking_table(result, "ranking", "Ranking", (1, 100))
    assert SENTENCE in to_markdown(table, "s") and SENTENCE in to_latex(table, "s")


def test_nothing_is_said_where_no_judgement_is_shared(client):
    campaign = rated(name="apart")
    assert "shared" not in campaign_score(campaign=campaign, options=ScoreOptions()).result
    for text in pages(client, campaign):
        assert SENTENCE not in text


def row(system, testset, cluster):
    return {
        "system": system, "testset": testset, "input": None, "reference": None, "direction": "direct",
        "raw_mean": 50.0, "raw_ci": None, "z_mean": 0.1, "z_ci": None, "n_segments": 2, "n_judgements": 2,
        "n_raters": 1, "wins": 0, "cluster": cluster,
    }  # fmt: skip


def test_the_end_of_a_cluster_and_of_a_condition_look_different(tmp_path):
    rows = [
        row("BT", "a", [1, 1]), row("OP", "a", [2, 2]), row("BT", "b", [1, 2]), row("OP", "b", [1, 2]),
    ]  # fmt: skip
    table = ranking_table({"systems": rows}, "conditions", "By condition", (1, 100), apart=True)
    assert (table.cuts, table.parts) == ({0}, {1})
    named = [one | {"name": one["system"]} for one in table.rows]
    looks = re.findall(r'class="f-(rule|part)"', intervals(named, table.cuts, "x", table.parts))
    assert looks == ["rule", "part"]
    latex = to_latex(table, "s")
    rules = [line for line in latex.splitlines() if line.startswith(r"\midrule")]
    assert rules == [r"\midrule", r"\midrule", r"\midrule[\heavyrulewidth]"]
    compiled(tmp_path, latex)


def test_the_page_of_a_study_by_condition_parts_its_conditions(client):
    campaign = rated(name="one", study="S", n_segments=4)
    rated(name="two", study="S", n_segments=4, seed=2)
    page = client.get(reverse("study_report", args=[campaign.study_id]), {"by": "condition"}).content.decode()
    assert page.count('<tr class="condition-end">') == 1
