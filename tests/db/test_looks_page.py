"""Looks on their page: what they cost is said first, each is recorded, and the seal shuts them."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotation.models import AuditEvent
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import campaign_close
from annotation.services.looks import campaign_look, looks_taken
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign

pytestmark = pytest.mark.django_db
USUAL = {"alpha": "0.05", "spending": "obrien_fleming"}


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


@pytest.fixture
def client(ann):
    client = Client()
    client.force_login(ann)
    return client


@pytest.fixture
def campaign(ann):
    found = make_campaign(name="harbour", n_segments=12, owner=ann)
    answer_all(found, seed=1, share=0.5)
    return found


def address_of(campaign):
    return reverse("campaign_look", args=[campaign.key])


def n_looks():
    return AuditEvent.objects.filter(action="campaign.looked").count()


def test_the_page_says_what_a_look_costs_and_takes_none_by_itself(campaign, client):
    page = client.get(campaign.get_absolute_url()).content.decode()
    assert 'id="looks"' in page and address_of(campaign) in page
    page = client.get(address_of(campaign)).content.decode()
    assert "Every look is recorded" in page and "All looks share one error" in page
    assert "Take the first look" in page and 'name="alpha" value="0.05"' in page
    assert n_looks() == 0


def test_a_look_is_shown_recorded_and_listed(campaign, client, ann):
    page = client.post(address_of(campaign), USUAL).content.decode()
    assert "Look 1" in page and "24 of 48 judgements are in." in page and "OP" in page and "BT" in page
    (event,) = AuditEvent.objects.filter(action="campaign.looked")
    assert event.actor == ann and event.data["alpha"] == 0.05
    client.post(address_of(campaign), USUAL)
    assert n_looks() == 1
    answer_all(campaign, seed=1)
    campaign_look(campaign=campaign)
    page = client.get(address_of(campaign)).content.decode()
    assert "Take another look" in page and "command line" in page and ">ann<" in page
    assert 'type="hidden" name="alpha" value="0.05"' in page
    assert [(one.number, one.by, one.n_done) for one in looks_taken(campaign)] == [
        (1, "ann", 24),
        (2, "", 48),
    ]
    assert "2 looks so far, the last at" in client.get(campaign.get_absolute_url()).content.decode()


def test_a_later_look_shows_every_boundary(campaign, client):
    client.post(address_of(campaign), USUAL)
    answer_all(campaign, seed=1)
    page = client.post(address_of(campaign), USUAL).content.decode()
    assert "Look 2" in page and "Boundary of |z|" in page and "0.05" in page


@pytest.mark.parametrize(
    "sent",
    [
        {}, {"alpha": "0.05"}, {"alpha": "x", "spending": "pocock"}, {"alpha": "0.7", "spending": "pocock"},
        {"alpha": "nan", "spending": "pocock"}, {"alpha": "0.05", "spending": "all"},
    ],
)  # fmt: skip
def test_bad_options_are_refused_beside_their_fields(campaign, client, sent):
    answer = client.post(address_of(campaign), sent)
    assert answer.status_code == 400 and b"errorlist" in answer.content
    assert n_looks() == 0


def test_other_options_than_those_of_the_first_look_are_refused(campaign, client):
    client.post(address_of(campaign), USUAL)
    answer = client.post(address_of(campaign), {"alpha": "0.01", "spending": "pocock"})
    assert answer.status_code == 400 and b"must keep to it" in answer.content
    assert n_looks() == 1


def test_nothing_judged_and_preferences(client, ann):
    fresh = make_campaign(name="fresh", owner=ann)
    answer = client.post(address_of(fresh), USUAL)
    assert answer.status_code == 409 and b"no judgements yet" in answer.content
    pairs = make_campaign("pairwise_fluency", name="pairs", owner=ann)
    page = client.get(address_of(pairs)).content.decode()
    assert "these are preferences" in page and "Take the first look" not in page
    assert client.post(address_of(pairs), USUAL).status_code == 400
    assert 'id="looks"' not in client.get(pairs.get_absolute_url()).content.decode()


def test_the_seal_shuts_looks_too(client, ann):
    sealed = make_campaign(name="quiet", owner=ann, settings=CampaignSettings(sealed=True))
    answer_all(sealed, seed=1)
    assert 'id="looks"' not in client.get(sealed.get_absolute_url()).content.decode()
    page = client.get(address_of(sealed)).content.decode()
    assert "Nobody can look before the campaign is closed" in page and "Take the first" not in page
    answer = client.post(address_of(sealed), USUAL)
    assert answer.status_code == 409 and b"sealed until closing" in answer.content
    assert n_looks() == 0


def test_what_has_ended_shows_its_looks_and_takes_none(campaign, client):
    client.post(address_of(campaign), USUAL)
    campaign_close(campaign=campaign)
    page = client.get(address_of(campaign)).content.decode()
    assert "this one has ended" in page and "Looks so far" in page and "Take another look" not in page
    api = f"/api/v1/campaigns/{campaign.key}/looks/"
    for address, sent in ((address_of(campaign), USUAL), (api, USUAL)):
        answer = client.post(address, sent)
        assert answer.status_code == 409 and "is closed" in answer.content.decode()
    assert n_looks() == 1


def test_a_form_that_is_sent_again_takes_no_other_look(campaign, client):
    """A reload of the page sends its form once more: with judgements that came in since, that would cost."""
    shown = client.get(address_of(campaign)).content.decode()
    assert '<input type="hidden" name="seen" value="0">' in shown
    sent = USUAL | {"seen": "0"}
    for _ in range(2):  # pressed twice, nothing came in between: one look
        assert client.post(address_of(campaign), sent).status_code == 200
    assert n_looks() == 1
    answer_all(campaign, seed=2)
    answer = client.post(address_of(campaign), sent)
    page = answer.content.decode()
    assert answer.status_code == 409 and "since this page was shown" in page and n_looks() == 1
    assert 'name="seen" value="1"' in page and 'type="hidden" name="alpha" value="0.05"' in page
    assert client.post(address_of(campaign), USUAL | {"seen": "1"}).status_code == 200 and n_looks() == 2
