"""The form on languages, who is refused and let in, consent and guidelines: before the first item."""

import pytest

from annotation.models import AuditEvent, Judgement, Participation, Rater
from annotation.services.people import people_read
from tests.factories.commands import refused, run
from tests.factories.people import agree, asking, fill_in, newcomer, words
from tests.factories.rating import answer, keys, participation_of, rater_client

pytestmark = pytest.mark.django_db
PAPER = {"native": ("target",), "fluent": ("source",)}


@pytest.fixture
def campaign():
    return asking(**PAPER)


@pytest.fixture
def browser(campaign):
    return newcomer(campaign)[0]


def test_the_form_comes_first_then_consent_then_rating(campaign, browser):
    url = f"/rate/{campaign.key}/"
    assert browser.get(url).url == f"{url}profile" and browser.get(f"{url}consent").url == f"{url}profile"
    page = browser.get(f"{url}profile")
    said = words(page)
    assert "German as a native language" in said and "English fluently or better" in said
    assert "R1 , a pseudonym" in said and "How long" in said and "What for" in said
    assert fill_in(browser, campaign).url == f"{url}consent"
    assert agree(browser, campaign).url == url
    assert browser.get(url).status_code == 200


def test_what_is_stated_is_kept_for_the_study_and_what_decided_for_the_campaign(campaign, browser):
    fill_in(
        browser,
        campaign,
        native_2="Low German",
        other_1="French",
        level_1="good",
        years="12",
        profession="translator",
    )
    stored = participation_of(campaign)
    assert stored.rater.profile == {
        "native": ["de", "nds"],
        "fluent": ["en"],
        "other": [["fr", "good"]],
        "years": 12,
        "profession": "translator",
    }
    decided = stored.eligibility
    assert decided["state"] == "eligible" and decided["filled"]
    assert decided["native"] == ["de", "nds"] and decided["fluent"] == ["en"]
    assert decided["needs"] == [["native", "de"], ["fluent", "en"]] and "years" not in decided


def test_the_next_campaign_of_the_study_knows_it_already(campaign, browser):
    fill_in(browser, campaign, years="12")
    other = asking("Second", study=campaign.study.name, asks_profile=True)
    rater = participation_of(other)
    assert rater.rater == participation_of(campaign).rater
    page = rater_client(rater).get(f"/rate/{other.key}/profile", HTTP_ACCEPT_LANGUAGE="de")
    form = page.context["form"]
    assert form["native_1"].value() == "Deutsch" and form["years"].value() == 12
    assert b'value="Deutsch"' in page.content


@pytest.mark.parametrize(
    ("fields", "lacks"),
    [
        ({"native_1": "English", "fluent_1": "German"}, ["German as a native language"]),
        ({"native_1": "German", "fluent_1": ""}, ["English fluently or better"]),
        ({"native_1": "French", "fluent_1": "French"}, ["German as a native", "English fluently"]),
        ({"native_1": "German", "fluent_1": "", "other_1": "English", "level_1": "advanced"}, ["English"]),
    ],
)
def test_who_lacks_a_language_is_refused_kindly(campaign, browser, fields, lacks):
    reply = fill_in(browser, campaign, **fields, years="30")
    assert reply.status_code == 403
    said = words(reply)
    assert "Thank you for your interest" in said and all(one in said for one in lacks)
    stored = participation_of(campaign)
    assert stored.rater.profile == {} and set(stored.eligibility) == {"state", "missing", "at"}
    assert stored.consented_at is None
    event = AuditEvent.objects.get(action="rater.refused")
    assert event.data == {"rater": "R1"}  # languages are nowhere in what is published


@pytest.mark.parametrize("fields", [{"native_1": "de-AT"}, {"native_1": "English", "native_2": "Deutsch"}])
def test_regions_count_and_a_native_language_is_fluent_too(campaign, browser, fields):
    fluent = {} if "native_2" not in fields else {"fluent_1": ""}
    assert fill_in(browser, campaign, **fields, **fluent).status_code == 302


def test_fluency_asks_for_the_target_only():
    campaign = asking("Flow", "pairwise_fluency", native=("target",))
    browser, _ = newcomer(campaign)
    assert fill_in(browser, campaign, fluent_1="").status_code == 302


def test_a_slip_is_asked_about_and_can_be_corrected_once(campaign, browser):
    url, form = f"/rate/{campaign.key}/profile", {"native_1": "English", "fluent_1": "German"}
    asked = browser.post(url, form)
    assert asked.status_code == 200 and 'id="asked"' in asked.content.decode()
    said = words(asked)
    assert "this is missing: German as a native language" in said and "what you send now counts" in said
    assert 'value="English"' in asked.content.decode(), "what was typed is still there"
    kept = participation_of(campaign)
    assert kept.eligibility == {"asked": [["native", "de"]]} and kept.rater.profile == {}
    assert not AuditEvent.objects.filter(action="rater.refused").exists()
    assert "this is missing" in words(browser.get(url)), "a reload asks the same"
    assert browser.get(f"/rate/{campaign.key}/").url == url, "nothing is decided yet"
    assert browser.post(url, form | {"native_1": "Germn"}).status_code == 400, "a typing error costs nothing"
    assert browser.post(url, {"native_1": "German", "fluent_1": "English"}).url.endswith("/consent")
    decided = participation_of(campaign).eligibility
    assert decided["state"] == "eligible" and "asked" not in decided


def test_what_is_sent_again_with_a_language_missing_is_final(campaign, browser):
    url, form = f"/rate/{campaign.key}/profile", {"native_1": "English", "fluent_1": "German"}
    assert browser.post(url, form).status_code == 200
    assert browser.post(url, form | {"native_1": "French"}).status_code == 403
    decided = participation_of(campaign).eligibility
    assert decided["state"] == "refused" and "asked" not in decided
    assert browser.post(url, {"native_1": "German", "fluent_1": "English"}).status_code == 403


def test_who_was_refused_gets_nowhere_by_trying_again(campaign, browser):
    fill_in(browser, campaign, native_1="English")
    rater = participation_of(campaign)
    url = f"/rate/{campaign.key}/"
    assert fill_in(browser, campaign).status_code == 403  # other answers now
    assert browser.get(f"{url}profile").status_code == 403
    assert browser.get(url).url == browser.get(f"{url}consent").url == f"{url}profile"
    assert agree(browser, campaign).url == f"{url}profile"
    for path in ("screens", "previous"):
        assert browser.get(url + path).status_code == 403
    reply = answer(browser, campaign, keys(rater)[0])
    assert reply.status_code == 403 and "German as a native language" in reply.json()["detail"]
    form = {"assignment": keys(rater)[0], "client_key": "key-00000001", "score": "64"}
    assert browser.post(url, form).status_code == 403
    assert Judgement.objects.count() == 0 and participation_of(campaign).consented_at is None


def test_nothing_can_be_rated_before_the_form(campaign, browser):
    rater = participation_of(campaign)
    Participation.objects.filter(pk=rater.pk).update(consented_at=rater.rater.created_at)
    assert browser.get(f"/rate/{campaign.key}/screens").status_code == 409
    assert answer(browser, campaign, keys(rater)[0]).status_code == 409
    assert browser.get(f"/rate/{campaign.key}/item/{keys(rater)[0]}").url.endswith("/profile")
    assert Judgement.objects.count() == 0


def test_eligibility_cannot_be_claimed(campaign, browser):
    forged = {"state": "eligible", "eligibility": '{"state": "admitted"}', "filled": "true", "missing": "[]"}
    assert fill_in(browser, campaign, native_1="English", **forged).status_code == 403
    assert participation_of(campaign).eligibility["state"] == "refused"


@pytest.mark.parametrize(
    "fields",
    [
        {"native_1": "Klingonish of the north"},
        {"native_1": ""},
        {"native_1": "   "},
        {"native_1": "<script>alert(1)</script>"},
        {"fluent_2": "'; DROP TABLE rater; --"},
        {"native_1": "x" * 100_000},
        {"years": "many"},
        {"years": "-1"},
        {"years": "9" * 400},
        {"profession": "hacker"},
        {"other_1": "French", "level_1": "perfect"},
    ],
)
def test_what_cannot_be_read_comes_back_with_words_and_nothing_is_kept(campaign, browser, fields):
    """SEC-01 in the form: markup is shown as it is."""
    reply = fill_in(browser, campaign, **fields)
    assert reply.status_code == 400 and reply.context["form"].errors
    html = reply.content.decode()
    assert "<script>alert" not in html and "errorlist" in html
    if "native_1" not in fields:
        assert 'value="German"' in html  # what was typed is still there
    assert participation_of(campaign).eligibility == {} and Rater.objects.exclude(profile={}).count() == 0


def test_a_nul_is_refused_at_the_door_and_nothing_is_kept(campaign, browser):
    assert fill_in(browser, campaign, native_1="a\x00b").status_code == 400
    assert participation_of(campaign).eligibility == {} and Rater.objects.exclude(profile={}).count() == 0


def test_an_unknown_language_is_named_with_one_that_is_close(campaign, browser):
    said = words(fill_in(browser, campaign, native_1="Germn"))
    assert "We do not know a language called “Germn”. Did you mean “German”?" in said


def test_the_page_offers_languages_in_its_own_language(campaign, browser):
    page = browser.get(f"/rate/{campaign.key}/profile", HTTP_ACCEPT_LANGUAGE="ru").content.decode()
    assert '<option value="немецкий">' in page and 'list="languages"' in page
    reply = browser.post(
        f"/rate/{campaign.key}/profile",
        {"native_1": "Немецкий", "fluent_1": "английский"},
        HTTP_ACCEPT_LANGUAGE="ru",
    )
    assert reply.status_code == 302 and participation_of(campaign).rater.profile["native"] == ["de"]


def test_a_coordinator_lets_a_person_in(campaign, browser):
    fill_in(browser, campaign, native_1="English")
    _, said = run("admit_rater", campaign.name, "R1", "--why", "grew up with both")
    assert "may take part" in said
    stored = participation_of(campaign).eligibility
    assert stored["state"] == "admitted" and stored["why"] == "grew up with both"
    assert AuditEvent.objects.filter(action="rater.admitted", data__why="grew up with both").exists()
    # The form is still asked for; its answer no longer decides.
    assert browser.get(f"/rate/{campaign.key}/").url.endswith("/profile")
    assert fill_in(browser, campaign, native_1="English", years="3").url.endswith("/consent")
    after = participation_of(campaign)
    assert after.eligibility["state"] == "admitted" and after.eligibility["missing"] == [["native", "de"]]
    assert after.rater.profile["native"] == ["en"]
    agree(browser, campaign)
    assert browser.get(f"/rate/{campaign.key}/").status_code == 200
    assert "may take part already" in refused("admit_rater", campaign.name, "R1", "--why", "again")


def test_admitting_needs_a_rater_a_reason_and_a_requirement(campaign):
    assert "no rater “R9”" in refused("admit_rater", campaign.name, "R9", "--why", "x")
    assert "reason" in refused("admit_rater", campaign.name, "R1", "--why", "  ")
    assert "reason" in refused("admit_rater", campaign.name, "R1", "--why", "x" * 301)
    other = asking("Free")
    assert "requires no language" in refused("admit_rater", other.name, "R1", "--why", "x")


def test_the_campaign_page_shows_who_was_refused_and_lets_them_in(campaign, browser, admin_client, client):
    fill_in(browser, campaign, native_1="English")
    page = admin_client.get(f"/campaigns/{campaign.key}/")
    assert "1 rater was refused" in words(page) and "German as a native language" in words(page)
    url = f"/campaigns/{campaign.key}/admit"
    assert client.post(url, {"rater": "R1", "why": "x"}).status_code == 302  # to the sign-in page
    assert participation_of(campaign).eligibility["state"] == "refused"
    assert admin_client.post(url, {"rater": "R1", "why": " "}).status_code == 400
    assert admin_client.get(url).status_code == 405
    assert admin_client.post(url, {"rater": "R1", "why": "known to us"}).status_code == 302
    assert "let in: known to us" in words(admin_client.get(f"/campaigns/{campaign.key}/"))
    found = people_read(campaign)
    assert found.n_refused == 0 and [row.admitted for row in found.rows] == ["known to us", ""]


def test_a_stranger_admits_nobody(campaign, browser, client, django_user_model):
    fill_in(browser, campaign, native_1="English")
    client.force_login(django_user_model.objects.create_user("mallory"))
    assert client.post(f"/campaigns/{campaign.key}/admit", {"rater": "R1", "why": "x"}).status_code == 404
    assert participation_of(campaign).eligibility["state"] == "refused"


def test_a_campaign_that_asks_nothing_has_no_form():
    campaign = asking("Quiet")
    browser, _ = newcomer(campaign)
    assert browser.get(f"/rate/{campaign.key}/profile").url.endswith("/consent")
    assert fill_in(browser, campaign).url.endswith("/consent")
    assert participation_of(campaign).rater.profile == {} and people_read(campaign) is None


def test_the_form_is_closed_after_consent(campaign, browser):
    fill_in(browser, campaign)
    fill_in(browser, campaign, years="4")  # a correction before
    agree(browser, campaign)
    assert fill_in(browser, campaign, native_1="English").url == f"/rate/{campaign.key}/"
    assert participation_of(campaign).rater.profile["years"] == 4


def test_a_refused_rater_is_given_nobody_elses_work(campaign, browser):
    fill_in(browser, campaign, native_1="English")
    with_three = asking("Three", raters=3, judgements=1, n_segments=6, **PAPER)
    refusing, _ = newcomer(with_three)
    fill_in(refusing, with_three, native_1="English")
    said, _ = run("withdraw_rater", with_three.name, "R2")
    assert "“R3”" in said and "“R1”" not in said


def test_guidelines_in_the_language_of_the_page():
    campaign = asking("Words", guidelines="For *all*")
    campaign.settings |= {"guidelines": {"de": "Für **Deutsche** <b>nicht</b>"}}
    campaign.save()
    browser, _ = newcomer(campaign)
    url = f"/rate/{campaign.key}/guidelines"
    assert b"For <em>all</em>" in browser.get(url).content
    german = browser.get(url, HTTP_ACCEPT_LANGUAGE="de-AT").content
    assert "Für <strong>Deutsche</strong> &lt;b&gt;nicht&lt;/b&gt;".encode() in german
    assert b"For <em>all</em>" in browser.get(url, HTTP_ACCEPT_LANGUAGE="fr").content
