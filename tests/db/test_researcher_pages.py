"""The researcher's pages: who sees what, and what they say."""

import csv
import io

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import AuditEvent, Campaign, Judgement, ScoreRun
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.pages import client_of
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
PAGES = ("campaign", "campaign_results", "campaign_plan")
FILES = ROOT / "tests" / "files"


@pytest.fixture
def ann():
    return User.objects.create_user("ann", password="harbour-ann")


@pytest.fixture
def bob():
    return User.objects.create_user("bob", password="harbour-bob")


@pytest.fixture
def campaign(ann):
    found = make_campaign(name="harbour", n_segments=5, owner=ann)
    answer_all(found, share=0.6)
    return found


def addresses(campaign):
    pages = [reverse(name, args=[campaign.key]) for name in PAGES]
    return pages + [
        reverse("campaign_judgements", args=[campaign.key, one])
        for one in ("csv", "tsv", "jsonl", "parquet", "appraise")
    ]


def test_the_front_door_leads_to_signing_in_or_to_the_campaigns(ann):
    assert Client().get("/").url == reverse("login")
    assert client_of(ann).get("/").url == reverse("campaigns")


def test_signing_in_and_a_wrong_password(ann):
    client = Client()
    wrong = client.post(reverse("login"), {"username": "ann", "password": "no"})
    assert wrong.status_code == 200 and b"do not match" in wrong.content
    right = client.post(reverse("login"), {"username": "ann", "password": "harbour-ann"})
    assert right.url == reverse("campaigns")


def test_nobody_unknown_sees_anything(campaign):
    for address in [*addresses(campaign), reverse("campaigns")]:
        response = Client().get(address)
        assert response.status_code == 302 and response.url.startswith(reverse("login"))
    assert Client().post(reverse("campaign_state", args=[campaign.key])).status_code == 302
    campaign.refresh_from_db()
    assert campaign.state == "open"


def test_a_stranger_gets_404_everywhere(campaign, bob):
    client = client_of(bob)
    for address in addresses(campaign):
        assert client.get(address).status_code == 404, address
    assert client.post(reverse("campaign_state", args=[campaign.key]), {"state": "closed"}).status_code == 404
    assert b"harbour" not in client.get(reverse("campaigns")).content
    campaign.refresh_from_db()
    assert campaign.state == "open"


def test_owner_researcher_and_admin_see_it(campaign, ann, bob):
    campaign.study.researchers.add(bob)
    admin = User.objects.create_superuser("root", password="harbour-root")
    for user in (ann, bob, admin):
        client = client_of(user)
        assert b"harbour" in client.get(reverse("campaigns")).content
        for address in addresses(campaign):
            assert client.get(address).status_code == 200, address


def test_invitation_links_are_for_owner_and_admin(campaign, ann, bob):
    campaign.study.researchers.add(bob)
    page = reverse("campaign", args=[campaign.key])
    assert b"/invite/" in client_of(ann).get(page).content
    assert b"/invite/" not in client_of(bob).get(page).content


def test_the_campaign_page_counts(campaign, ann):
    text = client_of(ann).get(reverse("campaign", args=[campaign.key])).content.decode()
    assert "of 20 judgements" in text
    assert text.count("<svg") == 3, "one for each rater; a single day needs none"
    assert "2 systems" in text and "5 segments" in text
    assert "style=" not in text and "<script" not in text


def test_closing_and_opening_needs_a_post(campaign, ann):
    client = client_of(ann)
    address = reverse("campaign_state", args=[campaign.key])
    assert client.get(address).status_code == 405
    assert client.post(address, {"state": "closed"}).url == campaign.get_absolute_url()
    campaign.refresh_from_db()
    assert campaign.state == "closed"
    assert client.post(address, {"state": "closed"}).status_code == 409
    client.post(address, {"state": "open"})
    campaign.refresh_from_db()
    assert campaign.state == "open"


def test_results_show_intervals_pairs_and_how_they_were_made(campaign, ann):
    address = reverse("campaign_results", args=[campaign.key])
    text = client_of(ann).get(address, {"seed": "5", "by": "condition"}).content.decode()
    run_ = ScoreRun.objects.get()
    assert run_.created_by == ann
    assert run_.signature in text
    assert "manage.py score_campaign harbour --seed 5 --by condition" in text
    assert text.count('class="axis"') == 3
    assert "assigned judgements are missing" in text
    assert "nan" not in text.lower().replace("finance", "")


@pytest.mark.parametrize("resamples", ["0", "1", "-5", "1e9", "abc"])
def test_silly_options_are_refused_with_the_limits(campaign, ann, resamples):
    address = reverse("campaign_results", args=[campaign.key])
    response = client_of(ann).get(address, {"resamples": resamples})
    assert response.status_code == 400
    assert b"2 to 100,000" in response.content
    assert ScoreRun.objects.count() == 0


def test_a_campaign_without_answers_is_told_kindly(ann):
    empty = make_campaign(name="empty", owner=ann)
    response = client_of(ann).get(reverse("campaign_results", args=[empty.key]))
    assert response.status_code == 200
    assert "has no judgements yet" in response.content.decode()


def test_preferences_show_shares_and_formulas(ann):
    campaign = make_campaign("pairwise_fluency", name="fluency", n_segments=8, identical=(1,), owner=ann)
    answer_all(campaign)
    text = client_of(ann).get(reverse("campaign_results", args=[campaign.key])).content.decode()
    assert "ties / 2" in text and "Wilson" in text
    assert text.count('class="bar-fill"') == 3
    assert "Sign test" in text


def test_downloads_are_files_and_are_noted(campaign, ann):
    client = client_of(ann)
    response = client.get(reverse("campaign_judgements", args=[campaign.key, "csv"]))
    assert "attachment" in response["Content-Disposition"] and "harbour" in response["Content-Disposition"]
    text = b"".join(response.streaming_content).decode()
    assert len(list(csv.DictReader(io.StringIO(text)))) == Judgement.objects.count()
    assert text == run("export_judgements", "harbour")[0]
    plan = b"".join(client.get(reverse("campaign_plan", args=[campaign.key])).streaming_content)
    assert plan.decode().startswith("assignment,round,rater,")
    events = AuditEvent.objects.filter(action="judgements.exported", actor=ann)
    assert events.count() == 1
    bad = client.get(reverse("campaign_judgements", args=[campaign.key, "csv"]), {"flavour": "vanilla"})
    assert bad.status_code == 400


def test_every_format_can_be_taken_out_and_read_again(campaign, ann, tmp_path):
    client = client_of(ann)
    page = client.get(reverse("campaign", args=[campaign.key])).content.decode()
    n = Judgement.objects.count()
    for format in ("tsv", "parquet", "appraise"):
        address = reverse("campaign_judgements", args=[campaign.key, format])
        assert f'href="{address}"' in page
        response = client.get(address)
        assert response.status_code == 200 and "attachment" in response["Content-Disposition"]
        file = tmp_path / f"file.{format}"
        file.write_bytes(b"".join(response.streaming_content))
        out, _ = run(
            "import_judgements", f"again {format}", file, "--format", format,
            "--protocol", "source_da", "--languages", "en-de",
        )  # fmt: skip
        assert out.startswith(f"{n} judgements")


def test_preferences_are_not_offered_in_a_layout_of_scores(ann):
    campaign = make_campaign("pairwise_fluency", name="pairs", n_segments=4, owner=ann)
    client = client_of(ann)
    address = reverse("campaign_judgements", args=[campaign.key, "appraise"])
    assert address not in client.get(reverse("campaign", args=[campaign.key])).content.decode()
    assert client.get(address).status_code == 400


def test_names_are_shown_as_they_are():
    run(
        "import_judgements", "exp09", str(FILES / "exp09_names.csv"), "--format", "csv",
        "--protocol", "source_da", "--languages", "en-de",
    )  # fmt: skip
    campaign = Campaign.objects.get()
    client = client_of(User.objects.create_superuser("root", password="harbour-root"))
    text = client.get(reverse("campaign_results", args=[campaign.key])).content.decode()
    assert "&lt;b&gt;Sys&lt;/b&gt;#1" in text and "<b>Sys</b>" not in text
    assert "GPT_4&amp;Co{50%}" in text
    page = client.get(reverse("campaign", args=[campaign.key])).content.decode()
    assert "Open the campaign" not in page


@pytest.mark.parametrize("raters", [2, 6])
def test_a_campaign_page_asks_a_fixed_number_of_questions(raters, ann, django_assert_max_num_queries):
    campaign = make_campaign(name="many", n_segments=4, raters=raters, owner=ann)
    answer_all(campaign)
    client = client_of(ann)
    client.get(reverse("campaign", args=[campaign.key]))  # which computes agreement, once for these answers
    with django_assert_max_num_queries(50):
        client.get(reverse("campaign", args=[campaign.key]))


def test_the_admin_has_every_table_and_judgements_are_read_only(campaign):
    client = client_of(User.objects.create_superuser("root", password="harbour-root"))
    for app in ("annotation", "mtcore"):
        for model in apps.get_app_config(app).get_models():
            address = reverse(f"admin:{app}_{model._meta.model_name}_changelist")
            assert client.get(address).status_code == 200, address
    judgement = Judgement.objects.first()
    page = reverse("admin:annotation_judgement_change", args=[judgement.pk])
    assert b'name="score"' not in client.get(page).content
    assert client.post(page, {"score": "1"}).status_code == 403
    assert client.get(reverse("admin:annotation_judgement_add")).status_code == 403
