"""The rater's pages and their JSON: what is shown, what is taken, with and without a script."""

import re

import pytest

from annotation.models import Judgement
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
