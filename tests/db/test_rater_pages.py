"""The rater's pages and their JSON: who may come in, what goes out, what is taken."""

import re

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import AuditEvent, Campaign, Item, Judgement, Participation
from annotation.services.invitations import invitation_renew, invitation_url
from mtcore.models import SegmentText
from tests.factories.rating import participation_of, rater_client, rating_campaign

pytestmark = pytest.mark.django_db
CANARIES = ("QXZVKWJPMTBRHLDN", "VBNQWXZKJHGFDPLM")


@pytest.fixture
def campaign():
    return rating_campaign()


@pytest.fixture
def rater(campaign):
    return participation_of(campaign)


@pytest.fixture
def browser(rater):
    return rater_client(rater)


def keys(participation):
    return list(participation.assignments.order_by("position").values_list("key", flat=True))


def answer(browser, campaign, key, client_key="key-00000001", score: object = 64, **more):
    body = {"assignment": key, "client_key": client_key, "answers": {"score": score}, **more}
    return browser.post(f"/rate/{campaign.key}/answers", body, content_type="application/json")


def hidden(html, name):
    return re.search(rf'name="{name}" value="([^"]+)"', html)[1]


def send_form(browser, campaign, score="64", **changes):
    html = browser.get(f"/rate/{campaign.key}/").content.decode()
    form = {name: hidden(html, name) for name in ("assignment", "client_key")}
    return form, browser.post(f"/rate/{campaign.key}/", form | {"score": score} | changes)


# Invitations (SEC-07)


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


# Rating with and without a script


def test_the_page_shows_nothing_preselected(campaign, browser):
    """UI-05: unset is unset."""
    page = browser.get(f"/rate/{campaign.key}/")
    screen = page.context["screen"]
    assert screen["answer"] is None and screen["done"] is False
    assert (screen["number"], screen["total"]) == (1, 8)
    number = re.search(r'<input[^>]*id="number"[^>]*>', page.content.decode())[0]
    assert 'value=""' in number and "aria-valuenow" not in page.content.decode()
    assert page.content.decode().count('autocomplete="off"') >= 4  # UI-07: form and hidden inputs


def test_texts_of_each_protocol():
    da = rating_campaign()
    screen = rater_client(participation_of(da)).get(f"/rate/{da.key}/").context["screen"]
    assert [
        (t["label"], t["lang"], t["dir"], t["text"]) for t in screen["context"] + screen["candidates"]
    ] == [
        ("Source · English", "en", "ltr", "Source sentence 1."),
        ("Translation · German", "de", "ltr", "Text 1 of segment 1."),
    ]
    ref = rating_campaign("reference_da", name="ref", languages=("en", "ar"))
    screen = rater_client(participation_of(ref)).get(f"/rate/{ref.key}/").context["screen"]
    assert [(t["label"], t["lang"], t["dir"], t["text"]) for t in screen["context"]] == [
        ("Reference · Arabic", "ar", "rtl", "Reference sentence 1.")
    ]
    pair = rating_campaign("pairwise_fluency", name="pair", swap=True)
    screen = rater_client(participation_of(pair)).get(f"/rate/{pair.key}/").context["screen"]
    assert not screen["context"]
    assert [(t["label"], t["text"]) for t in screen["candidates"]] == [
        ("A", "Text 2 of segment 1."),
        ("B", "Text 1 of segment 1."),
    ]


def test_the_page_speaks_the_browsers_language(campaign, browser):
    page = browser.get(f"/rate/{campaign.key}/", HTTP_ACCEPT_LANGUAGE="ar").content.decode()
    assert '<html lang="ar" dir="rtl">' in page
    labels = [text["label"] for text in browser.get(f"/rate/{campaign.key}/").context["screen"]["context"]]
    assert labels == ["Source · English"]
    page = browser.get(f"/rate/{campaign.key}/", HTTP_ACCEPT_LANGUAGE="de")
    assert page.context["language_pair_label"] == "Englisch → Deutsch"


def test_a_form_without_script_saves_and_goes_on(campaign, browser):
    form, response = send_form(browser, campaign, comment="fine")
    assert response.status_code == 302 and response.url == f"/rate/{campaign.key}/"
    stored = Judgement.objects.get()
    assert (stored.assignment.key, stored.score, stored.comment) == (form["assignment"], 64, "fine")
    assert browser.get(response.url).context["screen"]["number"] == 2
    # UI-01: the same form again is the same answer; a changed one is a correction.
    again = browser.post(f"/rate/{campaign.key}/", form | {"score": "64", "comment": "fine"})
    assert again.status_code == 302 and Judgement.objects.count() == 1
    browser.post(f"/rate/{campaign.key}/", form | {"score": "79", "comment": "fine"})
    assert [(j.score, j.is_current) for j in Judgement.objects.order_by("pk")] == [(64, False), (79, True)]


def test_a_faulty_form_comes_back_as_it_was(campaign, browser):
    form, response = send_form(browser, campaign, score="101", comment="typed")
    assert response.status_code == 400
    html = response.content.decode()
    assert "outside the scale" in html and hidden(html, "assignment") == form["assignment"]
    assert 'value="101"' in html and "typed</textarea>" in html
    assert Judgement.objects.count() == 0


def test_correcting_an_item_without_script(campaign, rater, browser):
    key = keys(rater)[0]
    answer(browser, campaign, key, score=64)
    page = browser.get(f"/rate/{campaign.key}/item/{key}")
    assert page.context["screen"]["answer"] == {"score": 64}
    html = page.content.decode()
    form = {name: hidden(html, name) for name in ("assignment", "client_key")} | {"score": "79"}
    assert browser.post(f"/rate/{campaign.key}/item/{key}", form).status_code == 302
    assert Judgement.objects.current().get().score == 79


UI_11 = [
    "72,5",
    "1e2",
    "0",
    "101",
    "-1",
    "NaN",
    "50 ",
    "",
    " ",
    "+5",
    "５0.",
    "1_0",
    "٠",
    "0x10",
    "²",
    "9" * 400,
]


@pytest.mark.parametrize("value", [*UI_11, 0, 101, -1, 50.0, 72.5, None, True, [], {}, {"a": 1}])
def test_odd_numbers_are_refused(campaign, rater, browser, value):
    """UI-11 and UI-05 over JSON: a message, and nothing stored."""
    response = answer(browser, campaign, keys(rater)[0], score=value)
    assert response.status_code == 400
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.json()["detail"]
    assert Judgement.objects.count() == 0


@pytest.mark.parametrize("value", UI_11)
def test_odd_numbers_are_refused_in_a_form(campaign, browser, value):
    _, response = send_form(browser, campaign, score=value)
    assert response.status_code == 400 and Judgement.objects.count() == 0


def test_a_form_without_a_score_is_refused(campaign, browser):
    html = browser.get(f"/rate/{campaign.key}/").content.decode()
    form = {name: hidden(html, name) for name in ("assignment", "client_key")}
    response = browser.post(f"/rate/{campaign.key}/", form)
    assert response.status_code == 400 and "No score was given" in response.content.decode()
    assert Judgement.objects.count() == 0


@pytest.mark.parametrize(("value", "stored"), [("٧٢", 72), ("７２", 72), ("1", 1), (100, 100), ("007", 7)])
def test_digits_of_any_script_are_taken(campaign, rater, browser, value, stored):
    assert answer(browser, campaign, keys(rater)[0], score=value).status_code == 200
    assert Judgement.objects.get().score == stored


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b'"x"',
        b'{"assignment": NaN}',
        b"\xff\xfe",
        b"[" * 20000,
        b'{"assignment": 1}',
    ],
)
def test_what_is_no_answer_is_refused(campaign, browser, body):
    response = browser.post(f"/rate/{campaign.key}/answers", body, content_type="application/json")
    assert response.status_code in (400, 404) and "detail" in response.json()


@pytest.mark.parametrize("key", ["nul\x00", "\ud800", "x" * 5000, "../../etc", None, 7, ["a"], {}])
def test_a_strange_assignment_does_not_exist(campaign, browser, key):
    response = answer(browser, campaign, key)
    assert response.status_code == 404 and Judgement.objects.count() == 0


# Look-ahead, going back, finishing


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


# Lost sessions (UI-04), other people's work (SEC-08)


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


# Blindness (ASG-09) and cost


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
        "answer", "comment", "client_key", "done",
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
