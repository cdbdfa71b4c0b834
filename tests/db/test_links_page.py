"""New invitation links and the joining link by the buttons of the campaign's page."""

import pytest
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from annotation.models import AuditEvent, Campaign
from annotation.services.campaigns import campaign_close
from annotation.services.joining import joining_url
from annotation.services.links import campaign_links
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


@pytest.fixture
def campaign(ann):
    return make_campaign(name="harbour", n_segments=6, owner=ann)


def send(user, campaign, address, status=302, **given):
    """Press a button; return what is said then."""
    answer = client_of(user).post(reverse(address, args=[campaign.key]), given)
    assert answer.status_code == status, answer.content.decode()
    return [str(one) for one in get_messages(answer.wsgi_request)] if status == 302 else []


def path(link):
    return "/" + link.split("/", 3)[3]


def page_of(user, campaign):
    return client_of(user).get(campaign.get_absolute_url()).content.decode()


def test_a_new_link_ends_the_old_one_and_the_session_it_opened(campaign, ann):
    old = dict(campaign_links(campaign=campaign))
    rater = Client()
    rater.post(path(old["R1"]))
    rater.post(reverse("consent", kwargs={"campaign_key": campaign.key}), {"agree": "on"})
    rating = reverse("rate", args=[campaign.key])
    assert rater.get(rating).status_code == 200
    page = page_of(ann, campaign)
    assert reverse("campaign_links_renew", args=[campaign.key]) in page and '<option value="R1">' in page
    (said,) = send(ann, campaign, "campaign_links_renew", rater="R1")
    assert said.startswith("R1 has a new link; the old one has ended")
    assert '<a href="#invitation-links">' in said
    new = dict(campaign_links(campaign=campaign))
    assert new["R1"] != old["R1"] and new["R2"] == old["R2"]
    assert Client().get(path(old["R1"])).status_code == 409
    assert Client().get(path(new["R1"])).status_code == 200
    assert rater.get(rating).status_code == 401
    assert new["R1"] in page_of(ann, campaign)
    event = AuditEvent.objects.get(action="links.renewed")
    assert (event.actor, event.campaign, event.data["rater"]) == (ann, campaign, "R1")


def test_all_links_at_once(campaign, ann):
    old = dict(campaign_links(campaign=campaign))
    (said,) = send(ann, campaign, "campaign_links_renew", every="yes", rater="R1")
    assert said.startswith("All raters have new links")
    new = dict(campaign_links(campaign=campaign))
    assert new.keys() == old.keys() and not set(new.values()) & set(old.values())


def test_who_is_not_named_gets_no_new_link(campaign, ann):
    old = campaign_links(campaign=campaign)
    send(ann, campaign, "campaign_links_renew", 400)
    send(ann, campaign, "campaign_links_renew", 400, rater="", every="no")
    send(ann, campaign, "campaign_links_renew", 404, rater="R9")
    assert campaign_links(campaign=campaign) == old
    assert not AuditEvent.objects.filter(action="links.renewed").exists()


def test_the_joining_link_is_switched_on_renewed_and_off(campaign, ann):
    page = page_of(ann, campaign)
    assert "Joining link" in page and "It is off." in page and "Make a new joining link" not in page
    assert send(ann, campaign, "campaign_joining", joining="on") == [
        "Whoever has the joining link can take part now."
    ]
    campaign.refresh_from_db()
    first = joining_url(campaign)
    assert first in page_of(ann, campaign) and "Let nobody else join" in page_of(ann, campaign)
    assert Client().get(path(first)).status_code == 200
    send(ann, campaign, "campaign_joining", joining="renew")
    campaign.refresh_from_db()
    second = joining_url(campaign)
    assert second != first
    assert Client().get(path(first)).status_code == 409 and Client().get(path(second)).status_code == 200
    send(ann, campaign, "campaign_joining", joining="off")
    assert Client().get(path(second)).status_code == 409
    events = AuditEvent.objects.filter(action="joining.set").order_by("pk")
    assert [(one.actor, one.data["joins"], one.data["renewed"]) for one in events] == [
        (ann, True, False), (ann, True, True), (ann, False, False),
    ]  # fmt: skip


def test_how_many_may_join_in_an_hour_is_shown_and_set(campaign, ann):
    assert 'name="an_hour" min="0" max="100000" required value="200"' in page_of(ann, campaign)
    assert send(ann, campaign, "campaign_joining", joining="limit", an_hour="1") == [
        "How many may join in an hour is kept."
    ]
    campaign.refresh_from_db()
    assert not campaign.settings.get("joins"), "whether anybody may join stays as it was"
    send(ann, campaign, "campaign_joining", joining="on")
    campaign.refresh_from_db()
    link = path(joining_url(campaign))
    consent = [Client().post(link, {"agree": "on"}).status_code for _ in range(2)]
    page = page_of(ann, campaign)
    assert 'value="1"' in page and "1 person has joined in the last hour." in page, consent
    assert consent[0] != consent[1] == 409
    told = client_of(ann).get(reverse("api_joining", args=[campaign.key])).json()
    assert (told["an_hour"], told["joined_last_hour"]) == (1, 1)
    for text in ("", "-1", "many", "100001", "1e3"):
        send(ann, campaign, "campaign_joining", 400, joining="limit", an_hour=text)
    campaign.refresh_from_db()
    assert campaign.settings["joins_an_hour"] == 1
    run("joining_link", campaign.name, "--off", "--an-hour", "7")
    campaign.refresh_from_db()
    assert (campaign.settings["joins"], campaign.settings["joins_an_hour"]) == (False, 7)
    assert AuditEvent.objects.filter(action="joining.set").first().data["an_hour"] == 7


def test_no_other_wish_about_joining(campaign, ann):
    send(ann, campaign, "campaign_joining", 400)
    send(ann, campaign, "campaign_joining", 400, joining="maybe")
    campaign.refresh_from_db()
    assert not campaign.settings.get("joins")


def test_the_links_are_for_the_owner(campaign):
    ben = User.objects.create_user("ben")
    campaign.study.researchers.add(ben)
    old = campaign_links(campaign=campaign)
    send(ben, campaign, "campaign_links_renew", 403, rater="R1")
    send(ben, campaign, "campaign_joining", 403, joining="on")
    send(User.objects.create_user("eve"), campaign, "campaign_links_renew", 404, rater="R1")
    campaign.refresh_from_db()
    assert campaign_links(campaign=campaign) == old and not campaign.settings.get("joins")
    page = page_of(ben, campaign)
    assert "renew-links" not in page and "Joining link" not in page
    page = page_of(User.objects.create_user("root", is_staff=True), campaign)
    assert "renew-links" in page and "Joining link" in page


def test_nothing_of_it_where_nobody_can_rate(campaign, ann):
    campaign_close(campaign=campaign)
    assert "renew-links" not in page_of(ann, campaign) and "Joining link" not in page_of(ann, campaign)
    Campaign.objects.filter(pk=campaign.pk).update(mode="imported", state="open")
    assert "renew-links" not in page_of(ann, campaign) and "Joining link" not in page_of(ann, campaign)
    send(ann, campaign, "campaign_links_renew", 409, rater="R1")
    send(ann, campaign, "campaign_joining", 409, joining="on")
