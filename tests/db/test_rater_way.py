"""A rater's way through a campaign: looking ahead, going back, finishing; blindness and cost of it all."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Campaign, Item, Judgement, Participation
from annotation.services.invitations import invitation_url
from mtcore.models import SegmentText
from tests.factories.rating import (
    answer,
    keys,
    participation_of,
    rater_client,
    rating_campaign,
)

pytestmark = pytest.mark.django_db
CANARIES = ("QXZVKWJPMTBRHLDN", "VBNQWXZKJHGFDPLM")


def test_screens_ahead_are_the_next_open_ones(campaign, rater, browser):
    order = keys(rater)
    for number in (2, 4):
        answer(browser, campaign, order[number], f"key-0000000{number}")
    reply = browser.get(f"/rate/{campaign.key}/screens", {"after": order[0], "n": 3}).json()
    assert [screen["key"] for screen in reply["screens"]] == [order[1], order[3], order[5]]
    assert [screen["number"] for screen in reply["screens"]] == [2, 4, 6]
    assert reply["progress"] == {"done": 2, "left": 6, "total": 8}
    assert len({screen["client_key"] for screen in reply["screens"]}) == 3
    assert browser.get(f"/rate/{campaign.key}/screens", {"after": order[-1]}).json()["screens"] == []
    assert browser.get(f"/rate/{campaign.key}/screens", {"n": "many"}).status_code == 400
    assert browser.get(f"/rate/{campaign.key}/screens", {"after": "unknown"}).status_code == 404


def test_going_back_shows_the_latest_answer(campaign, rater, browser):
    """UI-02 in the browser's own words."""
    order = keys(rater)
    assert browser.get(f"/rate/{campaign.key}/previous", {"before": order[0]}).json() == {"screen": None}
    answer(browser, campaign, order[0], "key-00000001", 64, comment="first")
    answer(browser, campaign, order[0], "key-00000002", 79, comment="second")
    screen = browser.get(f"/rate/{campaign.key}/previous", {"before": order[1]}).json()["screen"]
    assert (screen["key"], screen["answer"], screen["comment"]) == (order[0], {"score": 79}, "second")
    assert screen["done"] is True


def test_the_first_time_a_screen_was_served_is_kept(campaign, rater, browser):
    browser.get(f"/rate/{campaign.key}/")
    first = rater.assignments.get(position=1).shown_at
    assert first is not None and rater.assignments.get(position=2).shown_at is None
    browser.get(f"/rate/{campaign.key}/")
    assert rater.assignments.get(position=1).shown_at == first


def test_the_code_comes_at_the_end_only(campaign, rater, browser):
    assert browser.get(f"/rate/{campaign.key}/finish").url == f"/rate/{campaign.key}/"
    for number, key in enumerate(keys(rater), start=1):
        reply = answer(browser, campaign, key, f"key-0000000{number}").json()
        assert reply["finished"] is (number == 8)
    assert browser.get(f"/rate/{campaign.key}/").url == f"/rate/{campaign.key}/finish"
    page = browser.get(f"/rate/{campaign.key}/finish").content.decode()
    assert campaign.completion_code in page and f"/item/{keys(rater)[-1]}" in page
    Campaign.objects.update(state="closed")
    page = browser.get(f"/rate/{campaign.key}/finish").content.decode()
    assert campaign.completion_code in page and "/item/" not in page


def test_a_rater_without_work_is_done_but_gets_no_code(campaign, rater, browser):
    """ASG-01, planned: who has no assignment cannot take anybody's place."""
    rater.assignments.update(state="released")
    page = browser.get(f"/rate/{campaign.key}/", follow=True)
    assert page.status_code == 200 and campaign.completion_code not in page.content.decode()
    assert browser.get(f"/rate/{campaign.key}/screens").json()["screens"] == []


def test_a_released_item_is_said_in_words(campaign, rater, browser):
    key = keys(rater)[0]
    rater.assignments.filter(key=key).update(state="released")
    for response in (
        answer(browser, campaign, key),
        browser.get(f"/rate/{campaign.key}/item/{key}"),
        browser.get(f"/rate/{campaign.key}/screens", {"after": key}),
    ):
        assert response.status_code == 409 and "somebody else" in response.content.decode()
    page = browser.get(f"/rate/{campaign.key}/item/{key}").content.decode()
    assert f'href="/rate/{campaign.key}/"' in page  # the way back
    assert browser.get(f"/rate/{campaign.key}/").context["progress"] == {"done": 0, "left": 7, "total": 7}


@pytest.mark.parametrize(
    "change",
    [lambda: Campaign.objects.update(state="paused"), lambda: Participation.objects.update(state="left")],
)
def test_a_campaign_that_is_not_open_answers_409(campaign, rater, browser, change):
    change()
    assert browser.get(f"/rate/{campaign.key}/").status_code == 409
    for path in ("screens", "previous"):
        assert browser.get(f"/rate/{campaign.key}/{path}").status_code == 409
    response = answer(browser, campaign, keys(rater)[0])
    assert response.status_code == 409 and response.json()["remedy"]
    assert Judgement.objects.count() == 0


def test_no_byte_names_a_system_or_a_row():
    """Everything a rater's browser receives, on right and wrong ways."""
    campaign = rating_campaign(systems=CANARIES, name="Blind")
    Item.objects.filter(campaign=campaign, segment__position=2).update(kind="bad_reference")
    SegmentText.objects.filter(version__name="source").update(text="Words only.")
    rater = participation_of(campaign)
    url = invitation_url(rater, base_url="")
    browser = rater_client(rater)
    base, key = f"/rate/{campaign.key}", keys(rater)[0]
    replies = [browser.get(url), browser.get(f"{base}/"), browser.get(f"{base}/guidelines")]
    replies += [
        browser.get(f"{base}/screens"),
        answer(browser, campaign, key),
        answer(browser, campaign, "no"),
    ]
    replies += [
        browser.get(f"{base}/previous"),
        browser.get(f"{base}/item/{key}"),
        browser.get(f"{base}/nothing"),
    ]
    replies += [answer(browser, campaign, key, score=0), browser.get(f"{base}/item/{key[::-1]}")]
    for number, each in enumerate(keys(rater)[1:]):
        replies.append(answer(browser, campaign, each, f"later-0000{number}"))
    replies.append(browser.get(f"{base}/finish"))
    for reply in replies:
        seen = f"{reply.headers} {reply.content.decode()} {reply.wsgi_request.get_full_path()}"
        for word in (*CANARIES, "bad_reference", "set of Blind", "Study of"):
            assert word not in seen
        if "json" in reply.headers["Content-Type"]:
            assert not re.search(r'"(pk|id|item|system|kind_of_item|output|version)"', seen)


def test_screens_hold_only_what_the_contract_names(campaign, browser):
    screen = browser.get(f"/rate/{campaign.key}/screens").json()["screens"][0]
    assert set(screen) == {
        "key", "protocol_question", "context", "candidates", "number", "total",
        "answer", "comment", "client_key", "done", "before", "after", "can_skip",
    }  # fmt: skip


def test_queries_of_a_page_are_few_and_do_not_grow():
    """At most 10 queries for a page or a look-ahead, whatever is stored already."""
    campaign = rating_campaign(n_segments=20, raters=1)
    rater = participation_of(campaign)
    browser = rater_client(rater)
    counts = {"page": [], "ahead": []}
    for number, key in enumerate(keys(rater)[:20]):
        for name, path in (("page", ""), ("ahead", f"screens?after={key}&n={1 + number % 5}")):
            with CaptureQueriesContext(connection) as queries:
                assert browser.get(f"/rate/{campaign.key}/{path}").status_code == 200
            counts[name].append(len(queries))
        answer(browser, campaign, key, f"key-{number:08d}")
    assert max(counts["page"]) <= 10 and max(counts["ahead"]) <= 10
    assert max(counts["page"][5:]) <= max(counts["page"][:5])
    assert max(counts["ahead"][5:]) <= max(counts["ahead"][:5])
