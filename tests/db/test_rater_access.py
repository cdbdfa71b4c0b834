"""Who comes in to rate, and who does not: invitations, consent, lost sessions, other people's work."""

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from annotation.models import AuditEvent, Campaign, Judgement, Participation
from annotation.services.invitations import invitation_renew, invitation_url
from tests.factories.rating import (
    answer,
    hidden,
    keys,
    participation_of,
    rater_client,
    rating_campaign,
)

pytestmark = pytest.mark.django_db


def test_looking_at_an_invitation_changes_nothing(rater):
    url = invitation_url(rater, base_url="")
    before = Participation.objects.values().get(pk=rater.pk)
    for method in ("get", "head", "get"):
        client = Client()
        response = getattr(client, method)(url)
        assert response.status_code == 200
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert "no-store" in response.headers["Cache-Control"]
        assert "sessionid" not in client.cookies
    assert Participation.objects.values().get(pk=rater.pk) == before
    assert Session.objects.count() == 0 and AuditEvent.objects.count() == 0


def test_the_button_opens_it_and_the_token_stays_behind(rater):
    url = invitation_url(rater, base_url="")
    token = url.split("/")[2]
    for _ in range(2):  # the same link again, by another browser of the same rater
        client = Client()
        response = client.post(url)
        assert response.status_code == 302 and response.url == f"/rate/{rater.campaign.key}/"
        page = client.get(response.url)
        assert page.status_code == 200 and token not in page.content.decode()
        assert rater.key not in page.content.decode()


def test_a_session_is_new_after_opening(rater):
    client = Client()
    client.cookies["sessionid"] = "fixedbysomebodyelse0000000000000"
    client.post(invitation_url(rater, base_url=""))
    assert client.cookies["sessionid"].value != "fixedbysomebodyelse0000000000000"


def test_the_button_needs_the_forms_token_but_no_referrer(rater):
    """A page with no-referrer sends `Origin: null`; the token of its form decides."""
    url = invitation_url(rater, base_url="")
    client = Client(enforce_csrf_checks=True)
    html = client.get(url).content.decode()
    token = hidden(html, "csrfmiddlewaretoken")
    refused = client.post(url, HTTP_ORIGIN="null")
    assert refused.status_code == 403 and refused.headers["Referrer-Policy"] == "no-referrer"
    foreign = client.post(url, {"csrfmiddlewaretoken": token}, HTTP_ORIGIN="https://elsewhere.example")
    assert foreign.status_code == 403
    assert client.post(url, {"csrfmiddlewaretoken": token}, HTTP_ORIGIN="null").status_code == 302


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"link_version": 2}, 409, "replaced by a newer one"),
        ({"link_expires_at": timezone.now()}, 409, "expired"),
        ({"state": "left"}, 409, "left this campaign"),
    ],
)
def test_an_old_invitation_says_why(rater, change, status, words):
    url = invitation_url(rater, base_url="")
    Participation.objects.filter(pk=rater.pk).update(**change)
    for method in ("get", "post"):
        response = getattr(Client(), method)(url)
        assert response.status_code == status and words in response.content.decode()
        assert response.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("place", [0, 5, -1])
def test_a_tampered_invitation_is_refused(rater, place):
    token = list(invitation_url(rater, base_url="").split("/")[2])
    token[place] = "a" if token[place] != "a" else "b"
    response = Client().post(f"/invite/{''.join(token)}/")
    assert response.status_code == 404 and "changed on its way" in response.content.decode()


def test_a_renewed_link_ends_what_the_old_one_opened(campaign, rater, browser):
    url = invitation_renew(participation=rater)
    assert browser.get(f"/rate/{campaign.key}/").status_code == 401
    assert answer(browser, campaign, keys(rater)[0]).status_code == 401
    browser.post(url.replace("http://127.0.0.1:8000", ""))
    assert browser.get(f"/rate/{campaign.key}/").status_code == 200


def test_several_campaigns_in_one_browser(campaign, browser):
    other = rating_campaign("pairwise_fluency", name="Ferries")
    rater_client(participation_of(other), browser)
    for one in (campaign, other):
        assert browser.get(f"/rate/{one.key}/").status_code == 200


# Consent


def test_consent_comes_first_and_is_kept():
    campaign = rating_campaign(consented=False)
    rater = participation_of(campaign)
    browser = rater_client(rater)
    assert browser.get(f"/rate/{campaign.key}/").url == f"/rate/{campaign.key}/consent"
    assert answer(browser, campaign, keys(rater)[0]).status_code == 409
    assert browser.get(f"/rate/{campaign.key}/screens").status_code == 409
    page = browser.get(f"/rate/{campaign.key}/consent").content.decode()
    assert "whole scale" in page and "voluntary" in page
    assert browser.post(f"/rate/{campaign.key}/consent", {}).status_code == 400
    assert participation_of(campaign).consented_at is None
    assert browser.post(f"/rate/{campaign.key}/consent", {"agree": "on"}).url == f"/rate/{campaign.key}/"
    first = participation_of(campaign)
    assert first.consented_at is not None and first.state == "active"
    assert browser.get(f"/rate/{campaign.key}/consent").url == f"/rate/{campaign.key}/"
    assert browser.get(f"/rate/{campaign.key}/").status_code == 200


def test_guidelines_are_markdown_without_markup(campaign, browser):
    Campaign.objects.update(guidelines="# Read\n\n*Twice.* <script>x</script> [a](javascript:alert(1))")
    page = browser.get(f"/rate/{campaign.key}/guidelines").content.decode()
    assert "<em>Twice.</em>" in page and "&lt;script&gt;x&lt;/script&gt;" in page
    assert 'href="javascript:' not in page


def test_a_lost_session_says_how_to_come_back(campaign, rater, browser):
    html = browser.get(f"/rate/{campaign.key}/").content.decode()
    form = {name: hidden(html, name) for name in ("assignment", "client_key")} | {"score": "64"}
    Session.objects.all().delete()
    page = browser.post(f"/rate/{campaign.key}/", form)
    assert page.status_code == 401 and "invitation link" in page.content.decode()
    reply = answer(browser, campaign, form["assignment"], form["client_key"])
    assert reply.status_code == 401 and reply.json()["login_url"] == ""
    assert "what you typed is kept" in reply.json()["remedy"]
    assert Judgement.objects.count() == 0
    rater_client(rater, browser)
    assert browser.get(f"/rate/{campaign.key}/").context["screen"]["key"] == form["assignment"]
    assert answer(browser, campaign, form["assignment"], form["client_key"]).status_code == 200


def test_an_answer_is_never_stored_under_another_rater(campaign, rater, browser):
    """The next person at the same machine cannot send what the first left behind."""
    key = keys(rater)[0]
    owner = browser.get(f"/rate/{campaign.key}/").context["config"]["owner"]
    rater_client(participation_of(campaign, "R2"), browser)
    assert browser.get(f"/rate/{campaign.key}/").context["config"]["owner"] != owner
    assert answer(browser, campaign, key).status_code == 404 and Judgement.objects.count() == 0


def test_a_stale_csrf_token_is_a_friendly_403(campaign, rater):
    client = Client(enforce_csrf_checks=True)
    url = invitation_url(rater, base_url="")
    token = hidden(client.get(url).content.decode(), "csrfmiddlewaretoken")
    client.post(url, {"csrfmiddlewaretoken": token})
    response = answer(client, campaign, keys(rater)[0])
    assert response.status_code == 403 and "kept in the browser" in response.json()["remedy"]
    fresh = client.get(f"/rate/{campaign.key}/").context["config"]["csrf"]
    body = {"assignment": keys(rater)[0], "client_key": "key-00000001", "answers": {"score": 5}}
    path = f"/rate/{campaign.key}/answers"
    taken = client.post(path, body, content_type="application/json", headers={"X-CSRFToken": fresh})
    assert taken.status_code == 200


def test_nobody_reaches_the_work_of_another(campaign, rater, browser):
    """SEC-08: every address of A with B's cookie, and B's own campaign key with A's items."""
    answer(browser, campaign, keys(rater)[0])
    other = rating_campaign(name="Ferries")
    stranger = rater_client(participation_of(other))
    colleague = rater_client(participation_of(campaign, "R2"))
    key = keys(rater)[0]
    for path in ("", "consent", "guidelines", "finish", "screens", "previous", f"item/{key}"):
        assert stranger.get(f"/rate/{campaign.key}/{path}").status_code == 401
    for path in ("", "consent", f"item/{key}"):
        assert stranger.post(f"/rate/{campaign.key}/{path}", {"agree": "on"}).status_code == 401
    for path in ("answers", "problem"):
        body = {"assignment": key, "client_key": "key-00000009", "answers": {"score": 1}, "text": "x"}
        for client, one in ((stranger, campaign), (colleague, campaign), (stranger, other)):
            sent = client.post(f"/rate/{one.key}/{path}", body, content_type="application/json")
            assert sent.status_code == (401 if (client, one) == (stranger, campaign) else 404)
    for client, one in ((colleague, campaign), (stranger, other)):
        assert client.get(f"/rate/{one.key}/item/{key}").status_code == 404
        assert client.get(f"/rate/{one.key}/screens", {"after": key}).status_code == 404
        assert client.get(f"/rate/{one.key}/previous", {"before": key}).status_code == 404
        form = {"assignment": key, "client_key": "key-00000009", "score": "1"}
        assert client.post(f"/rate/{one.key}/", form).status_code == 404
    assert Judgement.objects.get().score == 64 and AuditEvent.objects.count() == 0


def test_a_problem_is_kept_with_its_item(campaign, rater, browser):
    body = {"assignment": keys(rater)[1], "text": "  The source is cut off. "}
    path = f"/rate/{campaign.key}/problem"
    assert browser.post(path, body, content_type="application/json").status_code == 200
    event = AuditEvent.objects.get()
    assert (event.action, event.participation, event.campaign) == ("problem.reported", rater, campaign)
    assert event.data == {"assignment": keys(rater)[1], "text": "The source is cut off."}
    for text in ("", "  ", "x" * 5001, None, "nul \x00", 5):
        assert browser.post(path, body | {"text": text}, content_type="application/json").status_code == 400
    assert AuditEvent.objects.count() == 1
