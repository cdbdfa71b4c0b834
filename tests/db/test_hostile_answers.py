"""What a browser may send that it should not: forged, replayed, out of order, too long, to a wrong item."""

import pytest
from django.test import Client

from annotation.models import Assignment, AuditEvent, Judgement
from annotation.services.invitations import invitation_url
from tests.factories.rating import (
    answer,
    hidden,
    keys,
    participation_of,
    rater_client,
    rating_campaign,
    send_form,
)

pytestmark = pytest.mark.django_db
LONG = "x" * 100 * 1024


def current():
    return {j.assignment.key: j.score for j in Judgement.objects.current().select_related("assignment")}


def test_what_the_server_decides_cannot_be_sent(campaign, rater, browser):
    """A forged "passed", a time, a scale, somebody else's name: none of it is read."""
    other = participation_of(campaign, "R2")
    forged = {
        "passed": True, "state": "passed", "kind": "practice", "is_current": False, "scale_high": 1,
        "shown_at": "1999-01-01T00:00:00Z", "submitted_at": "2126-01-01T00:00:00Z", "round": 0,
        "participation": other.key, "rater": "R2", "progress": {"done": 8}, "excluded_by": "me",
    }  # fmt: skip
    sent = answer(browser, campaign, keys(rater)[0], score=64, **forged)
    assert sent.status_code == 200 and sent.json()["progress"] == {"done": 1, "left": 7, "total": 8}
    stored = Judgement.objects.get()
    assert stored.assignment.participation == rater and stored.assignment.round == 1
    assert stored.is_current and (stored.score, stored.scale_low, stored.scale_high) == (64, 1, 100)
    assert stored.answers == {"score": 64} and stored.submitted_at.year not in (1999, 2126)
    assert participation_of(campaign).excluded_by == "" and participation_of(campaign).settings == {}


def test_an_answer_of_another_kind_of_question_is_refused(campaign, rater, browser):
    body = {"assignment": keys(rater)[0], "client_key": "key-00000001", "answers": {"choice": "left"}}
    sent = browser.post(f"/rate/{campaign.key}/answers", body, content_type="application/json")
    assert sent.status_code == 400 and sent.json()["detail"] and Judgement.objects.count() == 0


def test_a_replay_does_not_bring_back_what_was_corrected(campaign, rater, browser):
    """Reordered on the way: the first answer arrives again after its correction."""
    key = keys(rater)[0]
    answer(browser, campaign, key, "key-00000001", 64)
    answer(browser, campaign, key, "key-00000002", 79)
    for client_key, score in (("key-00000001", 64), ("key-00000002", 79), ("key-00000001", 64)):
        assert answer(browser, campaign, key, client_key, score).status_code == 200
    assert current() == {key: 79} and Judgement.objects.count() == 2


def test_answers_to_several_items_may_come_in_any_order(campaign, rater, browser):
    own = keys(rater)
    for number in (5, 0, 7, 2):
        assert answer(browser, campaign, own[number], f"key-0000000{number}", 10 + number).status_code == 200
    assert current() == {own[number]: 10 + number for number in (5, 0, 7, 2)}
    ahead = browser.get(f"/rate/{campaign.key}/screens?n=9").json()["screens"]
    assert [screen["key"] for screen in ahead] == [own[number] for number in (1, 3, 4, 6)]


def test_a_hundred_kilobytes_of_comment_are_refused_in_words(campaign, rater, browser):
    sent = answer(browser, campaign, keys(rater)[0], comment=LONG)
    assert sent.status_code == 400 and "5,000 are possible" in sent.json()["detail"] and sent.json()["remedy"]
    form, page = send_form(browser, campaign, comment=LONG)
    html = page.content.decode()
    assert page.status_code == 400 and "5,000 are possible" in html and LONG in html
    assert hidden(html, "assignment") == form["assignment"] and 'value="64"' in html
    problem = {"assignment": keys(rater)[0], "text": LONG}
    sent = browser.post(f"/rate/{campaign.key}/problem", problem, content_type="application/json")
    assert sent.status_code == 400 and AuditEvent.objects.count() == 0
    assert Judgement.objects.count() == 0
    assert answer(browser, campaign, keys(rater)[0], comment="shorter").status_code == 200


def test_a_body_of_many_megabytes_is_refused_with_the_limit(campaign, rater, browser):
    sent = answer(browser, campaign, keys(rater)[0], comment="x" * 6 * 1024 * 1024)
    assert sent.status_code == 413 and "at most 5 MB" in sent.json()["detail"]
    assert Judgement.objects.count() == 0


def test_an_item_of_another_campaign_or_nobody_is_not_there(campaign, rater, browser):
    other = rating_campaign(name="Ferries")
    for key in (keys(participation_of(other))[0], "nobody", ""):
        assert answer(browser, campaign, key).status_code == 404
        form = {"assignment": key, "client_key": "key-00000001", "score": "64"}
        assert browser.post(f"/rate/{campaign.key}/", form).status_code == 404
    assert Judgement.objects.count() == 0 and not Assignment.objects.filter(state="done").exists()


def test_a_key_guessed_from_another_rater_says_nothing_about_it(campaign, rater, browser):
    """A key that is in use elsewhere is refused without the answer it came with."""
    other = participation_of(campaign, "R2")
    answer(rater_client(other), campaign, keys(other)[0], "key-00000001", 13)
    sent = answer(browser, campaign, keys(rater)[0], "key-00000001", 64)
    assert sent.status_code == 409 and "13" not in sent.content.decode()
    assert current() == {keys(other)[0]: 13}


def test_a_token_rotated_in_another_tab_is_renewed_by_the_page(campaign, rater):
    """UI-04: the form's token of before is refused in words; the page's own address gives the new one."""
    client = Client(enforce_csrf_checks=True)
    link = f"/rate/{campaign.key}/"
    url = invitation_url(rater, base_url="")
    client.post(url, {"csrfmiddlewaretoken": hidden(client.get(url).content.decode(), "csrfmiddlewaretoken")})
    old = client.get(link).context["config"]["csrf"]
    client.cookies["csrftoken"] = "a" * 32  # signed in elsewhere in this browser
    body = {"assignment": keys(rater)[0], "client_key": "key-00000001", "answers": {"score": 64}}

    def post(token):
        return client.post(
            f"{link}answers", body, content_type="application/json", headers={"X-CSRFToken": token}
        )

    refused = post(old)
    assert refused.status_code == 403 and refused.json()["remedy"] and Judgement.objects.count() == 0
    assert post(client.get(link).context["config"]["csrf"]).status_code == 200
    assert current() == {keys(rater)[0]: 64}
