"""The campaign's page: closing is confirmed, and what is counted is what counts."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Campaign, Item, Judgement
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.progress import systems_progress
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


@pytest.fixture
def client(ann):
    client = Client()
    client.force_login(ann)
    return client


def page(client, campaign):
    return client.get(reverse("campaign", args=[campaign.key])).content.decode()


def test_closing_is_confirmed_and_says_what_is_open(client, ann):
    campaign = make_campaign(name="harbour", n_segments=6, owner=ann)
    answer_all(campaign, share=0.5)
    found = page(client, campaign)
    asked = found.partition('<details class="confirm" id="close">')[2].partition("</details>")[0]
    assert "12 judgements are still open" in asked and 'name="state" value="closed"' in asked
    assert "become visible" not in asked and found.count('value="closed"') == 1
    answer = client.post(reverse("campaign_state", args=[campaign.key]), {"state": "closed"})
    assert answer.status_code == 302
    assert 'id="close"' not in page(client, campaign)


def test_closing_a_sealed_campaign_says_that_results_become_visible(client, ann):
    campaign = make_campaign(name="sealed", n_segments=2, owner=ann, settings=CampaignSettings(sealed=True))
    answer_all(campaign)
    asked = page(client, campaign).partition('id="close">')[2].partition("</details>")[0]
    assert "No judgement is open." in asked and "The results become visible." in asked


def test_progress_by_system_leaves_quality_control_out(ann):
    campaign = make_campaign(
        name="quality", n_segments=8, owner=ann, settings=CampaignSettings(bad_references=0.5, repeats=0.3)
    )
    extra = Item.objects.filter(campaign=campaign).exclude(kind=Item.Kind.SYSTEM)
    assert Assignment.objects.filter(item__in=extra).exists()
    assert {(row.system, row.n_assigned) for row in systems_progress(campaign)} == {("BT", 16), ("OP", 16)}


def test_a_pool_in_which_nothing_was_taken_shows_no_empty_counts(client, ann):
    pool = make_campaign(name="pool", n_segments=4, owner=ann, pool=True)
    assert systems_progress(pool) == []
    assert "0 of 0" not in page(client, pool)


def test_pace_is_of_campaigns_that_run(client, ann):
    campaign = make_campaign(name="harbour", n_segments=6, owner=ann)
    answer_all(campaign, share=0.5)
    assert "a day over the last 7 days" in page(client, campaign)
    Campaign.objects.filter(pk=campaign.pk).update(state="closed")
    assert "over the last 7 days" not in page(client, campaign)
    Campaign.objects.filter(pk=campaign.pk).update(state="open", mode="imported")
    assert "over the last 7 days" not in page(client, campaign)
    Judgement.objects.update(submitted_at=timezone.now() - timedelta(days=8))
    assert "None in the last 7 days" not in page(client, campaign)
