"""The campaign's page says how far raters agree: the report's own number, computed once."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from annotation.models import ScoreRun
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import campaign_close
from annotation.services.report import glance
from annotation.services.report.compute import campaign_report
from annotation.services.score_table import number
from annotation.services.scoring import options_read
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


def made(owner, **more):
    return make_campaign(name="harbour", n_segments=6, owner=owner, **more)


def page_of(owner, campaign):
    return client_of(owner).get(reverse("campaign", args=[campaign.key])).content.decode()


@pytest.mark.parametrize("protocol", ["source_da", "pairwise_fluency"])
def test_it_is_the_number_of_the_report_and_opens_what_it_is_made_from(ann, protocol):
    campaign = made(ann, protocol=protocol)
    answer_all(campaign)
    found = glance.agreement_glance(campaign, 99)
    agreement = campaign_report(campaign=campaign, options=options_read(campaign, {})).parts["agreement"]
    if protocol == "source_da":
        assert found.value == pytest.approx(agreement["z"]["alpha"]["value"], abs=1e-12)
        assert (found.n_items, found.n_several) == (agreement["n_items"], agreement["n_items_of_several"])
    else:
        assert found.value == pytest.approx(agreement["alpha_nominal"]["value"], abs=1e-12)
        assert found.n_several == agreement["alpha_nominal"]["n"]
    text = page_of(ann, campaign)
    link = unescape(re.search(r'<b><a href="([^"]+part=agreement[^"]+)">([^<]+)</a></b>', text)[1])
    opened = client_of(ann).get(link)
    assert opened.status_code == 200 and number(found.value, 3) in opened.content.decode()
    assert f"{found.n_several} of {found.n_items} items judged by several" in text
    api = client_of(ann).get(reverse("api_campaign", args=[campaign.key])).json()
    assert api["agreement"]["value"] == found.value and api["agreement"]["at"] is None
    assert "agreement" not in client_of(ann).get(reverse("api_campaigns")).json()["results"][0]


def test_it_is_computed_once_for_the_same_answers(ann, monkeypatch):
    campaign = made(ann)
    answer_all(campaign, share=0.5)
    first = glance.agreement_glance(campaign, 99)
    monkeypatch.setattr(glance, "_computed", pytest.fail)
    assert glance.agreement_glance(campaign, 99) == first
    assert ScoreRun.objects.filter(signature="report:glance").count() == 1


def test_of_a_large_campaign_it_is_computed_once_an_hour_at_most(ann, monkeypatch):
    monkeypatch.setattr(glance, "QUICK_ANSWERS", 0)
    campaign = made(ann)
    answer_all(campaign, share=0.5)
    first = glance.agreement_glance(campaign, 1)
    assert first.at is None
    answer_all(campaign)
    again = glance.agreement_glance(campaign, 1)
    assert again.value == first.value and again.at is not None
    assert "Computed" in page_of(ann, campaign)
    ScoreRun.objects.update(created_at=timezone.now() - timedelta(hours=2))
    later = glance.agreement_glance(campaign, 1)
    assert later.at is None and later.n_several > first.n_several


def test_it_is_hidden_while_results_are_sealed_and_where_nothing_can_be_said(ann):
    campaign = made(ann, settings=CampaignSettings(sealed=True))
    assert glance.agreement_glance(campaign, 0) is None
    answer_all(campaign)
    assert glance.agreement_glance(campaign, 99) is None
    assert "α" not in page_of(ann, campaign)
    address = reverse("api_campaign", args=[campaign.key])
    assert client_of(ann).get(address).json()["agreement"] is None
    campaign_close(campaign=campaign)
    campaign.refresh_from_db()
    assert "α" in page_of(ann, campaign)
    alone = make_campaign(name="alone", n_segments=4, owner=ann, raters=1, judgements=1)
    answer_all(alone)
    assert glance.agreement_glance(alone, 99) is None
