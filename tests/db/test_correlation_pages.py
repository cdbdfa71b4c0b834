"""The pages of metrics against people, and the dossier: who sees them, what they say, what they cost."""

import csv
import re
from html import unescape
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Campaign, Judgement, Study
from annotation.services.correlate_tables import TABLES
from mtcore.metrics.scoring import ScoringOptions
from mtcore.models import MetricResult, Run
from mtcore.services.metric_outputs import Selection, outputs_score
from mtcore.services.metric_scoring import MetricOptions
from tests.db.test_report_pages import clean
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.correlation import import_ratings, import_texts, rated_quay
from tests.factories.pages import client_of
from tests.factories.reports import small_campaigns
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
SYSTEMS = {"Anna": 1, "Berta": 2, "Cora": 3, "Dora": 4, "Emma": 5}


@pytest.fixture
def ann():
    return User.objects.create_user("ann", password="harbour-ann")


def owned(user, name="quay judged"):
    campaign = Campaign.objects.get(name=name)
    Study.objects.filter(pk=campaign.study_id).update(owner=user)
    return campaign


def score(testset="quay", metrics=("chrf", "ter")):
    outputs_score(
        testset=testset,
        selection=Selection(),
        options=MetricOptions(metrics=metrics, scoring=ScoringOptions(resamples=0)),
    )


@pytest.fixture
def campaign(ann, tmp_path):
    rated_quay(tmp_path, SYSTEMS)
    score()
    return owned(ann)


def page(client, campaign, **query):
    response = client.get(reverse("campaign_correlation", args=[campaign.key]), query)
    assert response.status_code == 200, response.content
    html = response.content.decode()
    clean(re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", html))
    return html


def dossier(client, campaign, segment, testset="quay", **query):
    address = reverse("campaign_dossier", args=[campaign.key])
    response = client.get(address, {"testset": testset, "segment": segment, **query})
    assert response.status_code == 200, response.content
    html = response.content.decode()
    clean(html)
    return html


def addresses(campaign):
    key = campaign.key
    return [
        reverse("campaign_correlation", args=[key]),
        *(reverse("correlation_file", args=[key, "points", end]) for end in ("csv", "tex")),
        f"{reverse('campaign_dossier', args=[key])}?testset=quay&segment=1",
    ]


def test_others_see_nothing_and_the_unknown_sign_in(campaign, ann):
    bob = client_of(User.objects.create_user("bob", password="harbour-bob"))
    for address in addresses(campaign):
        assert Client().get(address).url.startswith(reverse("login")), address
        assert bob.get(address).status_code == 404, address
        assert client_of(ann).get(address).status_code == 200, address
        assert client_of(ann).post(address).status_code == 405, address
    posted = reverse("correlation_score", args=[campaign.key])
    kept = MetricResult.objects.count()
    assert bob.post(posted, {"metric": "bleu"}).status_code == 404
    assert Client().post(posted, {"metric": "bleu"}).url.startswith(reverse("login"))
    assert client_of(ann).get(posted).status_code == 405
    assert MetricResult.objects.count() == kept and not Run.objects.exists()


def test_campaigns_of_other_studies_are_not_taken_in(campaign, ann, tmp_path):
    import_ratings(tmp_path, [("r", "Anna", n, n) for n in range(1, 9)], name="secret")
    other = Campaign.objects.get(name="secret")
    own = client_of(ann)
    for address in (
        reverse("campaign_correlation", args=[campaign.key]),
        reverse("correlation_file", args=[campaign.key, TABLES[0], "csv"]),
        reverse("api_correlation", args=[campaign.key]),
    ):
        answer = own.get(address, {"with": other.key})
        told = unescape(answer.content.decode())
        assert answer.status_code == 404 and f"no campaign “{other.key}” in this study" in told, address
        assert "secret" not in told.replace(other.key, "")
    Study.objects.filter(pk=other.study_id).update(owner=ann)
    Campaign.objects.filter(pk=other.pk).update(study=campaign.study)
    assert "secret" in page(client_of(ann), campaign, **{"with": other.key})


def test_the_page_has_the_numbers_of_the_command(campaign, ann):
    html = page(client_of(ann), campaign)
    command = re.search(r'<p class="command">manage.py ([^<]+)</p>', html)[1].replace("&#x27;", "'")
    assert command == "correlate --campaign 'quay judged' --metrics chrf,ter"
    rows = list(
        csv.DictReader(
            StringIO(
                run("correlate", "--campaign", "quay judged", "--metrics", "chrf,ter", "--format", "csv")[0]
            )
        )
    )
    shown = re.sub(r"<[^>]+>", " ", html).replace("−", "-")
    assert len(rows) == 2 * 3 * 10
    for row in rows:
        if row["interval_low"]:
            ends = [f"{float(row[key]):z.3f}" for key in ("value", "interval_low", "interval_high")]
            assert f"{ends[0]} [{ends[1]}, {ends[2]}]" in shown, row
    assert rows[0]["signature"] in html
    for words in ("direct text", "reverse text", "TER ↓", "Pairs of systems", "farthest apart"):
        assert words in html


def test_points_open_what_is_behind_them(campaign, ann):
    client = client_of(ann)
    html = page(client, campaign)
    figures = re.findall(r"<svg.*?</svg>", html, re.S)
    # per metric: systems in all, direct, reverse; segments likewise
    assert len(figures) == 12
    links = {
        address.replace("&amp;", "&")
        for figure in figures
        for address in re.findall(r'<a href="([^"]+)"', figure)
    }
    assert any("/trace/?system=Anna" in link for link in links)
    assert any("/dossier/?testset=quay&segment=" in link for link in links)
    table = re.search(r'<section id="segments".*?</section>', html, re.S)[0]
    links |= {
        address.replace("&amp;", "&") for address in re.findall(r'<th scope="row"><a href="([^"]+)"', table)
    }
    for link in sorted(links)[::7]:
        assert client.get(link).status_code == 200, link


@pytest.mark.once
def test_files_have_everything_and_safe_ones_start_no_formula(campaign, ann):
    client = client_of(ann)
    for name in ("coefficients", "williams", "pairs", "points", "segments"):
        address = reverse("correlation_file", args=[campaign.key, name, "csv"])
        response = client.get(address, {"metric": ["chrf"]})
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        rows = list(csv.DictReader(StringIO(response.content.decode())))
        assert (rows or name == "williams") and {row["metric"] for row in rows if "metric" in row} <= {
            "chrf",
            "chrF",
        }
        assert client.get(address, {"flavour": "spreadsheet"}).content.startswith(b"\xef\xbb\xbf")
        tex = client.get(reverse("correlation_file", args=[campaign.key, name, "tex"]))
        assert b"\\begin{" in tex.content
    assert client.get(reverse("correlation_file", args=[campaign.key, "nothing", "csv"])).status_code == 404
    assert client.get(address, {"flavour": "odd"}).status_code == 400


def test_only_kept_scores_are_shown_and_light_ones_are_made_on_request(ann, tmp_path):
    rated_quay(tmp_path, SYSTEMS)
    campaign, client = owned(ann), client_of(ann)
    html = page(client, campaign)
    assert MetricResult.objects.count() == 0
    assert "bleu, chrf have not been computed for these outputs." in html
    assert "No metric has scores of what people judged." in html and "<svg" not in html
    posted = reverse("correlation_score", args=[campaign.key])
    response = client.post(posted, {"metric": ["bleu", "chrf"], "query": "by=condition&bad\n=1"}, follow=True)
    assert response.redirect_chain[0][0].endswith("?by=condition&bad%0A=1")
    assert "Scored: “quay”." in response.content.decode() and "<svg" in response.content.decode()
    assert MetricResult.objects.count() == 10
    for metrics in ([], ["comet"], ["nope"]):
        assert client.post(posted, {"metric": metrics}).status_code == 400


def test_much_scoring_is_left_to_a_worker(ann, tmp_path, monkeypatch):
    from annotation.services import correlate_scoring

    rated_quay(tmp_path, SYSTEMS)
    campaign = owned(ann)
    monkeypatch.setattr(correlate_scoring, "QUICK_LINES", 59)
    posted = reverse("correlation_score", args=[campaign.key])
    response = client_of(ann).post(posted, {"metric": "ter"}, follow=True)
    launched = Run.objects.get()
    assert f"Run {launched.pk} will score them" in response.content.decode()
    assert (launched.kind, launched.requested_by) == ("score_outputs", ann)
    assert launched.options["selection"]["systems"] == list(SYSTEMS)
    assert MetricResult.objects.count() == 0


@pytest.mark.parametrize(
    "query", [{"by": "x"}, {"scores": "x"}, {"segments": "x"}, {"metric": "x"}, {"reference": "Q"}]
)
def test_odd_addresses_are_refused_in_words(campaign, ann, query):
    response = client_of(ann).get(reverse("campaign_correlation", args=[campaign.key]), query)
    assert response.status_code == 400 and b'role="alert"' in response.content
    assert b"<svg" not in response.content


@pytest.mark.parametrize(("name", "make"), small_campaigns())
def test_campaigns_of_which_little_can_be_said(ann, name, make):
    campaign = make(ann)
    score(testset="harbour", metrics=("bleu", "chrf"))
    for query in ({}, {"by": "condition", "scores": "raw", "segments": "all"}):
        assert "Metrics against people" in page(client_of(ann), campaign, **query), name
    html = dossier(client_of(ann), campaign, 1, testset="harbour")
    assert "What raters said" in html


def test_queries_do_not_grow_with_outputs_and_segments(ann, tmp_path):
    counts = []
    for name, systems, lines in (("few", {"A": 1, "B": 2}, 6), ("many", {f"S{n}": n for n in range(9)}, 24)):
        import_texts(tmp_path, systems, lines, name=name)
        rows = [
            ("r", system, n, 50 + n + lost) for system, lost in systems.items() for n in range(1, lines + 1)
        ]
        import_ratings(tmp_path, rows, name=f"{name} judged", testset=name)
        score(name)
        campaign, client = owned(ann, f"{name} judged"), client_of(ann)
        own = []
        for address in (
            reverse("campaign_correlation", args=[campaign.key]),
            f"{reverse('campaign_dossier', args=[campaign.key])}?testset={name}&segment=3",
        ):
            with CaptureQueriesContext(
                connection,
            ) as caught:
                assert client.get(address).status_code == 200
            own.append(len(caught))
        counts.append(own)
    assert counts[0] == counts[1]
    assert counts[0][0] <= 30 and counts[0][1] <= 35


def test_the_dossier_has_everything_that_is_known(campaign, ann, tmp_path):
    Judgement.objects.filter(assignment__item__segment__key="2").update(
        comment="Cargo is not luggage & so on"
    )
    html = dossier(client_of(ann), campaign, 2)
    for words in (
        "direct text", "X · src", "X** · back", "Y* · ref", "Y* (other)", "chrF", "TER ↓", "Ada", "Ben",
        "Cargo is not luggage &amp; so on", "Segment before", "Segment after", "made from X · src",
    ):  # fmt: skip
        assert words in html, words
    outputs = re.findall(r'<article class="item">(.*?)</article>', html, re.S)
    assert len(outputs) == 5
    assert [outputs[0].count("<del>"), outputs[0].count("<ins>")] == [1, 0]
    assert "0 added, 1 missing" in outputs[0] and "0 added, 5 missing" in outputs[4]
    assert html.count('<tr><th scope="row">Anna</th>') == 1
    reverse_text = dossier(client_of(ann), campaign, 9)
    for words in ("reverse text", "X* · src", "Y · ref"):
        assert words in reverse_text, words


def test_what_outputs_are_compared_with_can_be_chosen(campaign, ann):
    client = client_of(ann)
    plain = dossier(client, campaign, 2, against="")
    assert "<ins>" not in plain and "<del>" not in plain
    with_other = dossier(client, campaign, 2, against="target:other")
    assert with_other.count("<del>") > 5
    with_output = dossier(client, campaign, 2, against="output:5")
    outputs = re.findall(r'<article class="item">(.*?)</article>', with_output, re.S)
    assert "4 added, 0 missing" in outputs[0] and "added" not in re.sub("<ins>.*", "", outputs[4], flags=re.S)
    address = reverse("campaign_dossier", args=[campaign.key])
    for wrong in ("output:6", "output:0", "source:src", "x", "output:²"):
        assert client.get(address, {"testset": "quay", "segment": 2, "against": wrong}).status_code == 400, (
            wrong
        )
    for query in (
        {},
        {"testset": "quay"},
        {"testset": "quay", "segment": 99},
        {"testset": "x", "segment": 1},
    ):
        assert client.get(address, query).status_code == 404, query


def test_the_dossier_gathers_all_campaigns_of_the_study(ann):
    study = "Both"
    made = [
        make_campaign(protocol, name=name, n_segments=3, owner=ann, study=study, raters=2, judgements=2)
        for protocol, name in (("source_da", "by source"), ("source_da", "elsewhere"))
    ]
    for one in made:
        answer_all(one)
    html = dossier(client_of(ann), made[0], 1, testset="by source")
    assert html.count('class="said"') == 1  # the other judges another test set
    assert "elsewhere" not in html


def test_sec_01_mark_up_is_shown_as_it_is(ann):
    rows = (ROOT / "tests" / "files" / "sec01_xss.tsv").read_text("utf-8").splitlines()[1:]
    source, target = ([row.split("\t")[place] for row in rows] for place in (1, 2))
    campaign = make_campaign(
        "source_da", name="<b>marks</b>", n_segments=4, owner=ann, raters=2,
        systems=("<i>S</i>", "T&T"), texts={"source": source, "reference": target, "<i>S</i>": target[::-1]},
    )  # fmt: skip
    answer_all(campaign, better="T&T")
    Judgement.objects.update(comment="<script>window.__x=1</script>")
    score(testset="<b>marks</b>", metrics=("chrf",))
    client = client_of(ann)
    html = page(client, campaign)
    assert "&lt;i&gt;S&lt;/i&gt;" in html and "<i>S" not in html and "<b>marks" not in html
    for key in range(1, 5):
        html = dossier(client, campaign, key, testset="<b>marks</b>")
        for raw in ("<img", 'onerror="', "<svg onload", "<b onmouseover", "<i>", "window.__x=1</script>"):
            assert raw not in html, raw
        assert "&lt;script&gt;window.__x=1&lt;/script&gt;" in html
    texts = dossier(client, campaign, 3, testset="<b>marks</b>").split("Texts")[1].split("Outputs")[0]
    assert "{{ 7*7 }} {% debug %}" in texts and "49" not in texts
    assert "&amp;lt;b&amp;gt;" in html
