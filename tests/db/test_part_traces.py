"""What the numbers beside the scores open: spread, drift, sides, agreement, the mixed model."""

import csv
import re
from collections import defaultdict
from io import StringIO
from statistics import mean, variance

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.services.report.compute import campaign_report
from annotation.stats.options import ScoreOptions
from tests.factories.pages import client_of
from tests.factories.reports import rated, small_campaigns
from tests.factories.studies import exclude

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.once,
]  # what numbers are made of, read by code that others share

WHY_NOT = "No rating has a z|No unit was|One rater only|All judgements are|Two raters and two|No two labels"


@pytest.fixture
def ann():
    return User.objects.create_user("ann", password="harbour-ann")


@pytest.fixture
def harbour(ann):
    return rated(ann, systems=("OP", "BT"), n_segments=12, raters=4)


def traced(client, campaign, **query):
    response = client.get(reverse("campaign_trace", args=[campaign.key]), query | {"format": "csv"})
    assert response.status_code == 200, response.content
    return list(csv.DictReader(StringIO(response.content.decode())))


def shown(client, campaign, **query):
    response = client.get(reverse("campaign_trace", args=[campaign.key]), query)
    assert response.status_code == 200, response.content
    return response.content.decode()


@pytest.mark.parametrize("protocol", ["source_da", "pairwise_fluency"])
def test_every_number_of_a_report_that_opens_shows_the_same_value(ann, protocol):
    campaign, client = rated(ann, protocol=protocol, systems=("OP", "BT", "XL")), client_of(ann)
    html = client.get(reverse("campaign_report", args=[campaign.key])).content.decode()
    found = re.findall(r'<a class="number" href="([^"]*part=[^"]*)">([^<]*)</a>', html)
    parts = {re.search("part=([a-z]+)", address)[1] for address, _ in found}
    wanted = {"agreement", "sides"} if protocol == "pairwise_fluency" else {
        "agreement", "distributions", "drift", "mixed", "variances",
    }  # fmt: skip
    assert parts == wanted
    written = defaultdict(list)
    for address, text in found:
        written[address.replace("&amp;", "&")].append(text)
    few = {
        address: texts
        for address, texts in written.items()
        if not re.search("bin_[2-9]|row=[2-9]&|system=XL", address)
    }
    for address, texts in few.items():
        page = client.get(address)
        assert page.status_code == 200, address
        assert re.search(r'<p class="value">([^<]*)</p>', page.content.decode())[1] in texts, address


def test_a_distribution_opens_its_ratings_and_a_bin_those_in_it(ann, harbour):
    client = client_of(ann)
    for row in campaign_report(campaign=harbour, options=ScoreOptions()).parts["distributions"]:
        every = traced(client, harbour, part="distributions", system=row["system"], of="mean")
        scores = [float(one["score"]) for one in every]
        assert len(scores) == row["n"] and mean(scores) == pytest.approx(row["mean"])
        assert np.quantile(scores, 0.25) == pytest.approx(row["lower_quartile"])
        in_bins = [
            traced(client, harbour, part="distributions", system=row["system"], of=f"bin_{number}")
            for number in range(1, 11)
            if row["histogram"][number - 1]
        ]
        assert [len(own) for own in in_bins] == [n for n in row["histogram"] if n]
        assert sorted(float(one["score"]) for own in in_bins for one in own) == sorted(scores)


def test_a_tenth_of_the_way_opens_its_ratings(ann, harbour):
    client = client_of(ann)
    parts = campaign_report(campaign=harbour, options=ScoreOptions()).parts["progress"]["parts"]
    every = []
    for row in parts:
        own = traced(client, harbour, part="drift", row=row["part"]) if row["n"] else []
        assert len(own) == row["n"]
        assert not own or mean(float(one["z"]) for one in own) == pytest.approx(row["mean"])
        every += [one["judgement"] for one in own] if own and "judgement" in own[0] else []
    assert sum(row["n"] for row in parts) > 40 and len(set(every)) == len(every)


@pytest.mark.parametrize("scores", ["raw", "z"])
def test_alpha_follows_from_the_values_that_it_opens(ann, harbour, scores):
    client = client_of(ann)
    values = traced(client, harbour, part="agreement", row=f"{scores}.alpha")
    items = defaultdict(list)
    for one in values:
        items[one["item"]].append(float(one["value"]))
    assert min(map(len, items.values())) > 1
    observed = sum(len(own) * variance(own) for own in items.values()) / len(values)
    alpha = 1 - observed / variance([float(one["value"]) for one in values])
    report = campaign_report(campaign=harbour, options=ScoreOptions())
    assert alpha == pytest.approx(report.parts["agreement"][scores]["alpha"]["value"])
    page = shown(client, harbour, part="agreement", row=f"{scores}.alpha")
    assert f"D_e = {variance([float(one['value']) for one in values]):.4f}" in page
    assert f"bootstrap resamples of items, seed {ScoreOptions().seed}." in page
    assert "manage.py report_campaign harbour" in page


def test_icc_says_the_variances_it_is_made_from(ann, harbour):
    client = client_of(ann)
    found = campaign_report(campaign=harbour, options=ScoreOptions()).parts["agreement"]["raw"]["components"]
    page = shown(client, harbour, part="agreement", row="raw.single")
    for name in ("unit", "rater", "residual"):
        assert f"{found[name]:.4f}" in page
    assert len(traced(client, harbour, part="agreement", row="raw.single")) == found["n_ratings"]
    complete = rated(ann, name="everybody", n_segments=6, raters=3, judgements=3)
    page = shown(client, complete, part="agreement", row="raw.icc_2_1")
    told = [float(one) for one in re.search(r"B = ([\d.]+) .*J = ([\d.]+) .*E = ([\d.]+) ", page).groups()]
    n, k = (
        int(one)
        for one in re.search(r"Every one of (\d+) raters judged every one of (\d+) items", page).groups()[
            ::-1
        ]
    )
    between, raters, rest = told
    icc = (between - rest) / (between + (k - 1) * rest + k * (raters - rest) / n)
    own = campaign_report(campaign=complete, options=ScoreOptions()).parts["agreement"]["raw"]["icc_2_1"]
    assert icc == pytest.approx(own["value"], abs=1e-4)


def test_agreement_on_preferences_opens_outcomes_and_labels(ann):
    campaign, client = (
        rated(ann, protocol="pairwise_fluency", n_segments=12, judgements=3, raters=3),
        client_of(ann),
    )
    found = campaign_report(campaign=campaign, options=ScoreOptions()).parts["agreement"]
    outcomes = traced(client, campaign, part="agreement", row="nominal")
    assert len({one["item"] for one in outcomes}) == found["alpha_nominal"]["n"]
    page = shown(client, campaign, part="agreement", row="same.all")
    kappa = found["kappa_wmt"]
    assert f"{kappa['agree']} of {kappa['comparable']} pairs agree" in page
    assert len(traced(client, campaign, part="agreement", row="same.all")) == kappa["labels"]
    sides = campaign_report(campaign=campaign, options=ScoreOptions()).scores["position"]
    assert len(traced(client, campaign, part="sides", of="left")) == sides["left"] > 0
    assert len(traced(client, campaign, part="sides", of="share_left")) == sum(
        sides[name] for name in ("left", "equal", "right")
    )


def test_the_mixed_model_opens_what_it_was_fitted_to(ann, harbour):
    client = client_of(ann)
    found = campaign_report(campaign=harbour, options=ScoreOptions()).mixed
    n = sum(row["n_judgements"] for row in found["systems"])
    for row in found["systems"]:
        own = traced(client, harbour, part="mixed", system=row["system"])
        assert len(own) == row["n_judgements"]
    for term, groups in (("rater_system", 8), ("segment", 12), ("output", 24)):
        if term in found["variances"]:
            own = traced(client, harbour, part="variances", row=term)
            assert len(own) == groups and sum(int(one["n"]) for one in own) == n
            share = f"{100 * found['variances'][term]['share']:.1f} %"
            assert share in shown(client, harbour, part="variances", row=term)
    assert len(traced(client, harbour, part="variances", row="residual")) == n


@pytest.mark.parametrize("name", ["one rater", "all scores equal", "one preference"])
def test_what_has_no_value_opens_with_the_reason(ann, name):
    campaign, client = dict(small_campaigns())[name](ann), client_of(ann)
    html = client.get(reverse("campaign_report", args=[campaign.key])).content.decode()
    found = set(re.findall(r'<a class="number" href="([^"]*part=agreement[^"]*)">', html))
    assert found
    for address in found:
        page = client.get(address.replace("&amp;", "&"))
        assert page.status_code == 200, address
        text = page.content.decode()
        assert re.search(WHY_NOT, text), address
        assert "D_o =" not in text and "–" not in re.search('(?s)facts card">(.*?)</div>', text)[1]


def test_the_interval_of_a_tenth_follows_from_the_numbers_beside_it(ann):
    campaign = rated(ann, n_segments=9, raters=5, judgements=3)
    exclude(campaign, "R2", "asleep")
    client, few = client_of(ann), 0
    for row in campaign_report(campaign=campaign, options=ScoreOptions()).parts["progress"]["parts"]:
        page = shown(client, campaign, part="drift", row=row["part"], of="ci").replace("−", "-")
        told = re.search(
            r": (\S+) ± t · sd / √n, where sd = (\S+) is .* n = (\d+) raters .* t = (\S+) the", page
        )
        centre, sd, n, t = map(float, told.groups())
        assert [centre - t * sd / n**0.5, centre + t * sd / n**0.5] == pytest.approx(row["ci"], abs=2e-3)
        few += row["n"] % n > 0
    assert few, "in some tenths raters have different numbers of ratings, so the means of raters differ"


def test_the_mixed_model_says_what_its_estimates_are_made_of(ann):
    campaign, client = rated(ann, n_segments=10, judgements=3, identical=(1, 4)), client_of(ann)
    found = campaign_report(campaign=campaign, options=ScoreOptions()).mixed
    n, observations = found["model"]["n_ratings"], sum(row["n_judgements"] for row in found["systems"])
    assert (n, observations) == (54, 60)
    for row in found["systems"]:
        page = shown(client, campaign, part="mixed", system=row["system"]).replace("−", "-")
        assert "fitted by REML to 54 ratings." in page and "These are 60 observations" in page
        told = re.search(
            r"mean of the systems, (\S+), and the system&#x27;s distance from it, (\S+), which", page
        )
        assert sum(map(float, told.groups())) == pytest.approx(row["estimate"], abs=2e-3)
    rest = traced(client, campaign, part="variances", row="residual")
    assert len(rest) == observations and "n" not in rest[0]


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
def test_alpha_of_preferences_follows_from_the_numbers_beside_it(ann, level):
    campaign = rated(ann, protocol="pairwise_fluency", n_segments=12, judgements=3, raters=3)
    found = campaign_report(campaign=campaign, options=ScoreOptions()).parts["agreement"]
    page = shown(client_of(ann), campaign, part="agreement", row=level).replace("−", "-")
    observed, expected = map(float, re.search(r"D_o = (\S+) and D_e = (\S+) are", page).groups())
    assert 1 - observed / expected == pytest.approx(found[f"alpha_{level}"]["value"], abs=1e-3)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"part": "nothing"}, 400),
        ({"part": "sides", "of": "left"}, 404),
        ({"part": "drift", "row": "11"}, 404),
        ({"part": "agreement", "row": "z.beta"}, 404),
        ({"part": "distributions", "system": "nobody", "of": "mean"}, 404),
        ({"part": "distributions", "system": "OP", "of": "system"}, 404),
        ({"part": "distributions", "system": "OP", "of": "bin_11"}, 404),
        ({"part": "mixed", "system": "nobody"}, 404),
        ({"part": "variances", "row": "weather"}, 404),
    ],
)
def test_what_is_not_there_is_said(ann, harbour, query, status):
    client = client_of(ann)
    address = reverse("campaign_trace", args=[harbour.key])
    assert client.get(address, query).status_code == status
    answer = client.get(reverse("api_trace", args=[harbour.key]), query)
    assert answer.status_code == status and answer.json()["detail"]
