"""The report's pages: who sees them, what they say, that nothing breaks when little can be said."""

import csv
import json
import re
from io import StringIO

import pytest
from defusedxml import ElementTree
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import Judgement, Participation, ScoreRun
from annotation.services.scoring import campaign_score
from annotation.stats.options import ScoreOptions
from tests.factories.commands import run
from tests.factories.pages import client_of
from tests.factories.reports import rated, small_campaigns
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
FILES = ROOT / "tests" / "files"


@pytest.fixture
def ann():
    return User.objects.create_user("ann", password="harbour-ann")


def addresses(campaign):
    key, study = campaign.key, campaign.study_id
    return [
        reverse("campaign_report", args=[key]),
        reverse("report_figure", args=[key, "ranking"]),
        *(reverse("report_table", args=[key, "ranking", end]) for end in ("csv", "md", "tex")),
        f"{reverse('campaign_trace', args=[key])}?system=BT&of=z_mean",
        f"{reverse('campaign_segment', args=[key])}?testset=harbour&segment=1",
        reverse("study_report", args=[study]),
        reverse("study_file", args=[study, "group-1", "csv"]),
        reverse("study_file", args=[study, "group-1", "svg"]),
    ]


def page(client, campaign, **query):
    response = client.get(reverse("campaign_report", args=[campaign.key]), query)
    assert response.status_code == 200
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())


def links(html):
    """Return the addresses of a page's cells."""
    found = re.findall(r'href="(/campaigns/[^"]+/(?:trace|segment)/[^"]*)"', html)
    return [address.replace("&amp;", "&") for address in dict.fromkeys(found)]


def some(found, n=6):
    """Return a few of many, spread over all."""
    return found[:: max(1, len(found) // n)]


def clean(html):
    """Check that a page says nothing that only a program would say, and holds no inline style or script."""
    words = re.sub(r"<[^>]+>", " ", html)
    assert not re.search(r"\b(nan|None|inf|null|True|False)\b", words), re.search(
        r".{60}\b(nan|None|inf|null|True|False)\b.{60}", words, re.S
    )
    assert " style=" not in html and "<style" not in html and "<script" not in html


def test_others_see_nothing_and_the_unknown_sign_in(ann):
    campaign = rated(ann)
    bob = client_of(User.objects.create_user("bob", password="harbour-bob"))
    for address in addresses(campaign):
        assert Client().get(address).url.startswith(reverse("login")), address
        assert bob.get(address).status_code == 404, address
        assert client_of(ann).get(address).status_code == 200, address
    assert b"demo" not in bob.get(reverse("studies")).content
    assert ScoreRun.objects.filter(created_by__username="bob").count() == 0


def test_the_page_has_the_numbers_of_the_scores_and_says_how_they_were_made(ann):
    campaign = rated(ann)
    html = page(client_of(ann), campaign, seed="7", correction="holm", hypothesis="BT>OP")
    scores = campaign_score(
        campaign=campaign, options=ScoreOptions(seed=7, correction="holm", hypothesis=("BT", "OP"))
    ).result
    for row in scores["systems"]:
        assert f"{row['z_mean']:.3f}".replace("-", "−") in html and f"{row['raw_mean']:.1f}" in html
    for words in (
        scores["signature"].replace(">", "&gt;"),
        "manage.py score_campaign harbour --seed 7 --hypothesis &#x27;BT&gt;OP&#x27; --correction holm",
        "1,000 resamples (seed 7)",
        "That BT is better than OP was declared beforehand and tested one-sided",
        "Holm&#x27;s method",
        "3 raters rated how correctly and completely",
        "p, Holm",
    ):
        assert words in html, words
    clean(html)


def test_a_report_is_computed_once_and_again_when_an_answer_changes(ann):
    campaign, client = rated(ann), client_of(ann)
    first = page(client, campaign)
    stored = ScoreRun.objects.count()
    assert page(client, campaign) == first
    assert ScoreRun.objects.count() == stored
    Participation.objects.filter(campaign=campaign, rater__name="R1").update(excluded_by="left early")
    again = page(client, campaign)
    assert ScoreRun.objects.count() == 2 * stored
    assert "Rater R1 is excluded (left early)" in again and "1 rater was excluded" in again
    assert "excluded: left early" in again and "Without the excluded, and with them" in again
    assert "Without the excluded" not in first
    rows = client.get(reverse("report_table", args=[campaign.key, "everybody", "csv"])).content.decode()
    before = dict(re.findall(r'<th scope="row">(\w+)</th>.*?of=z_mean[^>]*>([^<]+)<', first))
    for row in csv.DictReader(StringIO(rows)):
        assert f"{float(row['z_mean_all']):.3f}".replace("-", "−") == before[row["system"]]


@pytest.mark.once
@pytest.mark.parametrize(("what", "make"), small_campaigns(), ids=[name for name, _ in small_campaigns()])
def test_little_to_say_is_said_in_plain_words(ann, what, make):
    campaign, client = make(ann), client_of(ann)
    html = page(client, campaign, correction="holm")
    clean(html)
    for address in some(links(html)):
        response = client.get(address)
        assert response.status_code == 200, address
        clean(response.content.decode())
    files = re.findall(r'href="(/campaigns/[^"]+/report/[^"]+\.(?:svg|csv|md|tex)\?[^"]*)"', html)
    for address in some(files, 4):
        assert client.get(address).status_code == 200, address
    study = client.get(reverse("study_report", args=[campaign.study_id]))
    assert study.status_code == 200
    clean(study.content.decode())


def test_nothing_judged_yet_is_said_and_nothing_is_stored(ann):
    from tests.factories.campaigns import make_campaign

    campaign, client = make_campaign(name="empty", owner=ann), client_of(ann)
    html = page(client, campaign)
    assert "has no judgements yet" in html and "<svg" not in html
    assert client.get(reverse("report_table", args=[campaign.key, "ranking", "csv"])).status_code == 409
    assert ScoreRun.objects.count() == 0


def test_bad_options_and_unknown_parts_are_refused(ann):
    campaign, client = rated(ann), client_of(ann)
    report = reverse("campaign_report", args=[campaign.key])
    assert client.get(report, {"correction": "bonferroni"}).status_code == 400
    assert client.get(report, {"hypothesis": "BT>XX"}).status_code == 400
    assert client.get(reverse("report_figure", args=[campaign.key, "nothing"])).status_code == 404
    assert client.get(reverse("report_table", args=[campaign.key, "nothing", "csv"])).status_code == 404
    trace = reverse("campaign_trace", args=[campaign.key])
    assert client.get(trace).status_code == 400
    for query in (
        {"system": "XX"},
        {"rater": "XX"},
        {"a": "BT", "b": "XX"},
        {"system": "BT", "of": "options"},
    ):
        assert client.get(trace, query).status_code == 404, query
    segment = reverse("campaign_segment", args=[campaign.key])
    assert client.get(segment, {"testset": "harbour", "segment": "999"}).status_code == 404
    assert client.get(segment).status_code == 404


def traced(client, campaign, **query):
    response = client.get(reverse("campaign_trace", args=[campaign.key]), query | {"format": "csv"})
    assert response.status_code == 200
    return list(csv.DictReader(StringIO(response.content.decode())))


def by_segment(rows, value):
    found = {}
    for row in rows:
        found.setdefault(row["segment"], []).append(float(row[value]))
    return {key: sum(values) / len(values) for key, values in found.items()}


def test_a_mean_is_the_mean_of_what_it_opens(ann):
    campaign, client = rated(ann, systems=("OP", "BT", "XL")), client_of(ann)
    scores = campaign_score(campaign=campaign, options=ScoreOptions()).result
    for row in scores["systems"]:
        rows = traced(client, campaign, system=row["system"], of="z_mean")
        assert len(rows) == row["n_judgements"]
        for value, mean in (("z", row["z_mean"]), ("score", row["raw_mean"])):
            means = by_segment(rows, value)
            assert sum(means.values()) / len(means) == pytest.approx(mean, abs=1e-12)


def test_a_condition_opens_its_own_ratings(ann):
    campaign, client = rated(ann), client_of(ann)
    own = {"in_testset": "harbour", "in_input": "source", "in_reference": "", "in_direction": "direct"}
    assert len(traced(client, campaign, system="BT", of="z_mean", **own)) == 16
    other = own | {"in_direction": "reverse"}
    response = client.get(reverse("campaign_trace", args=[campaign.key]), {"system": "BT", **other})
    assert response.status_code == 404


def test_a_difference_is_the_mean_of_what_it_opens_and_its_p_is_spelt_out(ann):
    campaign, client = rated(ann, n_segments=12), client_of(ann)
    row = campaign_score(campaign=campaign, options=ScoreOptions()).result["pairs"][0]
    names = {"a": row["system_a"], "b": row["system_b"]}
    rows = traced(client, campaign, **names)
    assert len(rows) == row["n_common"]
    differences = [float(one["difference"]) for one in rows]
    assert sum(differences) / len(differences) == pytest.approx(row["z_difference"], abs=1e-12)
    html = client.get(reverse("campaign_trace", args=[campaign.key]), names).content.decode()
    count, resamples = map(
        int, re.findall(r"2 · \((\d+) \+ 1\) / \((\d+)[^)]*\+ 1\)", html.replace("1,000", "1000"))[0]
    )
    assert 2 * (count + 1) / (resamples + 1) == pytest.approx(row["p_bootstrap_two_sided"])


def test_a_rater_opens_with_mean_and_spread(ann):
    campaign, client = rated(ann), client_of(ann)
    row = campaign_score(campaign=campaign, options=ScoreOptions()).result["raters"][0]
    rows = traced(client, campaign, rater=row["rater"])
    assert len(rows) == row["n"]
    for one in rows:
        assert float(one["z"]) == pytest.approx((float(one["score"]) - row["mean"]) / row["sd"], abs=1e-9)
    assert all(one["when"] for one in rows)


def test_preferences_open_their_comparisons(ann):
    campaign, client = rated(ann, protocol="pairwise_fluency"), client_of(ann)
    row = campaign_score(campaign=campaign, options=ScoreOptions()).result["pairs"][0]
    rows = traced(client, campaign, a=row["system_a"], b=row["system_b"])
    assert sum(one["winner"] == row["system_a"] for one in rows) == row["a_better"]
    assert sum(one["winner"] == "equal" for one in rows) == row["equal"]
    assert (
        len(traced(client, campaign, rater="R1"))
        == Judgement.objects.filter(assignment__participation__rater__name="R1").count()
    )


def test_scope_study_standardises_over_the_study_everywhere(ann):
    campaign = rated(ann, name="first", study="ferries")
    rated(ann, name="second", study="ferries", n_segments=5, seed=8)
    client = client_of(ann)
    clean(page(client, campaign, scope="study"))
    result = campaign_score(campaign=campaign, options=ScoreOptions(scope="study")).result
    plain = campaign_score(campaign=campaign, options=ScoreOptions()).result
    means = {row["system"]: row["z_mean"] for row in result["systems"]}
    assert means != {row["system"]: row["z_mean"] for row in plain["systems"]}
    for system, mean in means.items():
        segments = by_segment(traced(client, campaign, system=system, of="z_mean", scope="study"), "z")
        assert sum(segments.values()) / len(segments) == pytest.approx(mean, abs=1e-9)
    stored = ScoreRun.objects.filter(signature="report:core", campaign=campaign).first()
    for row in stored.result["holds"]["systems"]:
        assert row["z_mean"] == pytest.approx(means[row["system"]], abs=1e-9)


def test_preferences_of_the_excluded_are_shown_beside(ann):
    campaign, client = rated(ann, protocol="pairwise_fluency"), client_of(ann)
    full = {
        row["system"]: row["win_rate"]
        for row in campaign_score(campaign=campaign, options=ScoreOptions()).result["systems"]
    }
    Participation.objects.filter(campaign=campaign, rater__name="R2").update(excluded_by="in haste")
    html = page(client, campaign)
    assert "Excluded: R2 (in haste)." in html
    rows = client.get(reverse("report_table", args=[campaign.key, "everybody", "csv"])).content.decode()
    for row in csv.DictReader(StringIO(rows)):
        assert float(row["win_rate_all"]) == pytest.approx(full[row["system"]])


def test_a_segment_shows_its_texts_outputs_and_answers_as_text(ann):
    texts = {"BT": [f"<i>Satz</i> & {number}" for number in range(8)]}
    campaign, client = rated(ann, texts=texts), client_of(ann)
    address = reverse("campaign_segment", args=[campaign.key])
    html = client.get(address, {"testset": "harbour", "segment": "3"}).content.decode()
    assert "&lt;i&gt;Satz&lt;/i&gt; &amp; 2" in html and "<i>Satz" not in html
    assert "Source 3" in html and html.count("<article") == 2
    assert 'lang="de"' in html and 'lang="en" dir="ltr"' in html
    clean(html)


@pytest.mark.once
def test_files_are_whole_and_the_same_each_time(ann):
    campaign, client = rated(ann), client_of(ann)
    html = page(client, campaign)
    files = set(re.findall(r'href="(/campaigns/[^"]+/report/[^"]+\.(?:svg|csv|md|tex))"', html))
    assert len(files) > 20
    for address in sorted(files):
        response = client.get(address)
        assert response.status_code == 200, address
        assert response["Content-Disposition"].startswith("attachment"), address
        if address.endswith(".svg"):
            root = ElementTree.fromstring(response.content)
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            assert client.get(address).content == response.content
            assert "style" not in root.attrib and not root.findall(".//{*}style")
        if address.endswith(".csv"):
            lines = list(csv.reader(StringIO(response.content.decode())))
            assert len(lines) > 1 and {len(line) for line in lines} == {len(lines[0])}


def test_hostile_names_stay_names_everywhere(ann):
    run(
        "import_judgements", "names", FILES / "exp09_names.csv", "--format", "csv", "--protocol", "source_da",
        "--languages", "en-de", "--scale", "0-100",
        "--map", "rater=rater,system=system,segment=segment_id,score=score",
    )  # fmt: skip
    from annotation.models import Campaign

    campaign = Campaign.objects.get(name="names")
    client = client_of(User.objects.create_superuser("root", password="harbour-root"))
    html = page(client, campaign)
    assert "<b>Sys" not in html and "&lt;b&gt;Sys&lt;/b&gt;#1" in html
    clean(html)
    for address in some(links(html)):
        assert client.get(address).status_code == 200, address
    tex = client.get(reverse("report_table", args=[campaign.key, "ranking", "tex"])).content.decode()
    assert (
        r"GPT\_4\&Co\{50\%\} &" in tex and r"a\textbackslash{}b\textasciicircum{}\textasciitilde{}\$ &" in tex
    )
    svg = client.get(reverse("report_figure", args=[campaign.key, "ranking"])).content
    assert "<b>Sys</b>#1" in "".join(ElementTree.fromstring(svg).itertext())


def test_queries_do_not_grow_with_the_campaign(ann, django_assert_max_num_queries):
    campaign, client = rated(ann, n_segments=20, systems=("A", "B", "C")), client_of(ann)
    page(client, campaign)
    with django_assert_max_num_queries(80):
        page(client, campaign)


def test_a_study_lists_its_campaigns_and_compares_both_ways_of_asking(ann):
    first = rated(ann, name="asked by source", study="ferries", systems=("A", "B", "C"))
    second = rated(
        ann, name="asked by reference", study="ferries", systems=("A", "B", "C"), protocol="reference_da"
    )
    client = client_of(ann)
    assert b"ferries" in client.get(reverse("studies")).content
    html = client.get(reverse("study_report", args=[first.study_id])).content.decode()
    for campaign in (first, second):
        assert reverse("campaign_report", args=[campaign.key]) in html
    assert "Do both ways of asking agree?" in html and "Pearson" in html
    clean(html)
    apart = client.get(reverse("study_report", args=[first.study_id]), {"by": "condition"})
    assert apart.status_code == 200 and "--by condition" in apart.content.decode()


def test_stored_parts_are_strict_json(ann):
    rated_campaign, client = rated(ann), client_of(ann)
    page(client, rated_campaign)
    for stored in ScoreRun.objects.filter(signature__startswith="report:"):
        json.dumps(stored.result, allow_nan=False)
        assert stored.options["report"] in ("core", "mixed")
