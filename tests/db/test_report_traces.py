"""What counts and preferences of a report open."""

import csv
import re
from io import StringIO

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.services.report.compute import campaign_report
from annotation.services.report.methods import methods
from annotation.services.scoring import campaign_score
from annotation.stats.davidson import fit_strengths
from annotation.stats.options import ScoreOptions
from tests.factories.commands import run
from tests.factories.pages import client_of
from tests.factories.reports import rated

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return User.objects.create_user("ann", password="harbour-ann")


def traced(client, campaign, **query):
    response = client.get(reverse("campaign_trace", args=[campaign.key]), query | {"format": "csv"})
    assert response.status_code == 200
    return list(csv.DictReader(StringIO(response.content.decode())))


def test_counts_of_a_system_open_what_is_counted(ann):
    campaign, client = rated(ann, systems=("OP", "BT", "XL")), client_of(ann)
    for row in campaign_score(campaign=campaign, options=ScoreOptions()).result["systems"]:
        segments = traced(client, campaign, system=row["system"], of="n_segments")
        assert len(segments) == row["n_segments"]
        assert sum(float(one["z"]) for one in segments) / len(segments) == pytest.approx(row["z_mean"])
        raters = traced(client, campaign, system=row["system"], of="n_raters")
        assert len(raters) == row["n_raters"]
        assert sum(int(one["n"]) for one in raters) == row["n_judgements"]
        others = traced(client, campaign, system=row["system"], of="wins")
        assert len(others) == 2
        assert sum(one["outcome"] == "win" for one in others) == row["wins"]
    html = client.get(reverse("campaign_report", args=[campaign.key])).content.decode()
    for quantity in ("n_segments", "n_raters", "wins"):
        assert f"of={quantity}" in html
    missing = {"system": "nobody", "of": "wins"}
    assert client.get(reverse("campaign_trace", args=[campaign.key]), missing).status_code == 404


def test_several_comparisons_of_a_segment_are_said_everywhere(ann):
    campaign, client = rated(ann, protocol="pairwise_fluency"), client_of(ann)
    row = campaign_score(campaign=campaign, options=ScoreOptions()).result["pairs"][0]
    assert row["a_better"] + row["b_better"] + row["equal"] > row["n_units"]
    text, _ = run("score_campaign", "harbour")
    assert "Note: 1 pair of systems has several comparisons of one segment." in text
    assert "p sign majorities" in text
    page = client.get(reverse("campaign_results", args=[campaign.key])).content.decode()
    report = client.get(reverse("campaign_report", args=[campaign.key])).content.decode()
    for html in (page, report):
        assert "A segment has several comparisons, which resemble each other" in html
    assert "declared beforehand are in brackets" in page and '<span class="muted">(' in page
    declared = {"hypothesis": f"{row['system_a']}>{row['system_b']}"}
    told = client.get(reverse("campaign_results", args=[campaign.key]), declared).content.decode()
    assert 'name="hypothesis"' in page and '<span class="muted">(' not in told
    assert page.index("Bootstrap, two-sided p") < page.index("Sign test of single comparisons")
    assert report.index("p, bootstrap, two-sided") < report.index("p, sign test of single comparisons")
    assert "design effect" in methods(campaign_report(campaign=campaign, options=ScoreOptions()))
    opened = client.get(
        reverse("campaign_trace", args=[campaign.key]), {"a": row["system_a"], "b": row["system_b"]}
    ).content.decode()
    assert f"in {row['majority_a']} of the segments" in opened


def test_one_comparison_a_segment_is_reported_by_the_sign_test(ann):
    campaign, client = rated(ann, protocol="pairwise_fluency", judgements=1), client_of(ann)
    text, _ = run("score_campaign", "harbour")
    assert "several comparisons" not in text and "majorities" not in text
    page = client.get(reverse("campaign_results", args=[campaign.key])).content.decode()
    assert page.index("Sign test, two-sided p") < page.index("Bootstrap, one-sided")
    assert page.count('<span class="muted">(') == 2, "both one-sided p are in brackets"
    assert re.search(r"p sign 1-sided +p bootstrap 1-sided +p sign 2-sided", text) and "post hoc" in text
    (row,) = campaign_score(campaign=campaign, options=ScoreOptions()).result["pairs"]
    address, asked = (
        reverse("campaign_report", args=[campaign.key]),
        {"a": row["system_a"], "b": row["system_b"]},
    )
    assert "p, bootstrap, one-sided, post hoc" in client.get(address).content.decode()
    declared = {"hypothesis": f"{row['system_a']}>{row['system_b']}"}
    assert "p, bootstrap, one-sided as declared" in client.get(address, declared).content.decode()
    trace = reverse("campaign_trace", args=[campaign.key])
    assert "(post hoc), two-sided" in client.get(trace, asked).content.decode()


@pytest.mark.once
def test_strengths_open_the_counts_that_they_are_fitted_to(ann):
    campaign, client = rated(ann, protocol="pairwise_fluency", systems=("OP", "BT", "XL")), client_of(ann)
    systems = campaign_score(campaign=campaign, options=ScoreOptions()).result["systems"]
    names = sorted(row["system"] for row in systems)
    html = client.get(reverse("campaign_report", args=[campaign.key])).content.decode()
    for row in systems:
        pairs = traced(client, campaign, system=row["system"], of="strength")
        assert pairs == traced(client, campaign, system=row["system"], of="rank_range") and len(pairs) == 3
        wins = np.array([[[int(one["a_better"]), int(one["b_better"])] for one in pairs]], dtype=float)
        index = np.array([[names.index(one["system_a"]), names.index(one["system_b"])] for one in pairs])
        fit = fit_strengths(wins, np.array([[int(one["equal"]) for one in pairs]], dtype=float), index, 3)
        assert fit.theta[0, names.index(row["system"])] == pytest.approx(row["strength"], abs=1e-9)
        for quantity in ("strength", "rank_range"):
            (shown,) = set(re.findall(rf'href="([^"]*system={row["system"]}&amp;of={quantity})"', html))
            page = client.get(shown.replace("&amp;", "&")).content.decode()
            assert f"θ({row['system']}) = {row['strength']:.4f}".replace("-", "−") in page
    (first, last), system = systems[0]["rank_range"], systems[0]["system"]
    asked = {"system": system, "of": "rank_range"}
    page = client.get(reverse("campaign_trace", args=[campaign.key]), asked).content.decode()
    assert f'<p class="value">{first if first == last else f"{first}–{last}"}</p>' in page
    missing = {"system": "nobody", "of": "strength"}
    assert client.get(reverse("campaign_trace", args=[campaign.key]), missing).status_code == 404


@pytest.mark.once
def test_numbers_of_a_study_open_in_the_only_campaign_that_made_them(ann):
    campaign, client = rated(ann, study="ferries"), client_of(ann)
    rated(ann, name="second", study="ferries", protocol="pairwise_fluency", seed=8)
    html = client.get(reverse("study_report", args=[campaign.study_id])).content.decode()
    found = re.findall(r'href="([^"]*/trace/[^"]*)"', html)
    addresses = [address.replace("&amp;", "&") for address in found]
    assert all("scope=study" in address for address in addresses)
    assert {re.search(r"of=(\w+)", address)[1] for address in addresses} >= {
        "z_mean", "wins", "win_rate", "expected_wins",
    }  # fmt: skip
    for address in dict.fromkeys(addresses):
        assert client.get(address).status_code == 200, address
    shown = r'<a class="number" href="([^"]*of=(?:z_mean|expected_wins|win_rate)[^"]*)">([^<]*)</a>'
    text = dict(
        reversed([found for found in re.findall(shown, html) if "." in found[1]])
    )  # the first of each
    assert len(text) >= 6
    for address, written in text.items():
        assert f'<p class="value">{written}</p>' in client.get(address.replace("&amp;", "&")).content.decode()
