"""Joining by one link: by the ids of a panel or without, once, anywhere, and never beyond the places."""

import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Campaign, Judgement, Participation, Rater
from annotation.services.joining import free_places
from annotation.services.practice_items import PRACTICE
from annotation.services.studies import study_create
from annotation.services.study_members import study_add
from tests.factories.commands import refused, run
from tests.factories.joining_race import join_at_once
from tests.factories.people import (
    agree,
    asking,
    begin,
    fill_in,
    join_address,
    newcomer,
    practise,
    scale_items,
    words,
)
from tests.factories.rating import answer, hidden, participation_of, send_form
from tests.own_database import own_database, result, started

pytestmark = pytest.mark.django_db
PID = {"PROLIFIC_PID": "5f3c9a", "STUDY_ID": "s-1", "SESSION_ID": "t-9"}


@pytest.fixture
def campaign():
    return asking("Panel", joins=True, raters=2)


@pytest.fixture
def link(campaign):
    return join_address(campaign)


def join(link, person="5f3c9a", browser=None):
    browser = browser or Client()
    return browser, browser.post(link, PID | {"PROLIFIC_PID": person} if person else {})


def joined(campaign):
    return campaign.participations.filter(settings__has_key="joined")


def test_looking_at_the_link_changes_nothing(campaign, link):
    """SEC-07: a mail scanner makes no rater; only the button does."""
    for method in ("get", "head", "get"):
        client = Client()
        reply = getattr(client, method)(link, PID)
        assert reply.status_code == 200 and reply.headers["Referrer-Policy"] == "no-referrer"
        assert "sessionid" not in client.cookies
    assert not joined(campaign).exists() and AuditEvent.objects.filter(action="rater.joined").count() == 0
    html = client.get(link, PID).content.decode()
    assert hidden(html, "PROLIFIC_PID") == "5f3c9a" and hidden(html, "STUDY_ID") == "s-1"
    assert "known here by the number 5f3c9a" in words(client.get(link, PID))


def test_the_button_makes_a_rater_with_a_pseudonym(campaign, link):
    _, reply = join(link)
    assert reply.url == f"/rate/{campaign.key}/consent"
    made = joined(campaign).get()
    assert re.fullmatch(r"P-[A-Z2-7]{10}", made.rater.name)
    assert made.settings["panel"] == {"person": "5f3c9a", "STUDY_ID": "s-1", "SESSION_ID": "t-9"}
    assert made.link_expires_at is not None and made.consented_at is None


def test_a_place_is_taken_over_at_consent_and_only_then(campaign, link):
    before = dict(Assignment.objects.filter(participation__rater__name="R1").values_list("pk", "position"))
    browser, _ = join(link)
    assert free_places(campaign).count() == 2
    assert agree(browser, campaign).url == f"/rate/{campaign.key}/"
    made = joined(campaign).get()
    assert dict(made.assignments.values_list("pk", "position")) == before
    assert free_places(campaign).count() == 1
    assert not Participation.objects.filter(rater__name="R1").exists()
    assert not Rater.objects.filter(name="R1").exists()
    assert AuditEvent.objects.get(action="place.taken").data == {"place": "R1", "rater": made.rater.name}
    assert send_form(browser, campaign)[1].status_code == 302


def test_the_same_id_comes_back_on_another_device(campaign, link):
    first, _ = join(link)
    agree(first, campaign)
    send_form(first, campaign)
    second, reply = join(link)
    assert reply.url == f"/rate/{campaign.key}/" and joined(campaign).count() == 1
    assert second.get(reply.url).context["progress"]["done"] == 1
    assert first.get(f"/rate/{campaign.key}/").status_code == 200  # the first browser still works


def test_replayed_and_parallel_forms_make_one_rater(campaign, link):
    browser = Client()
    for _ in range(3):
        assert join(link, browser=browser)[1].status_code == 302
    assert joined(campaign).count() == 1
    agree(browser, campaign)
    agree(browser, campaign)
    assert free_places(campaign).count() == 1


def test_all_places_taken(campaign, link):
    for person in ("a", "b"):
        browser, _ = join(link, person)
        agree(browser, campaign)
    _, reply = join(link, "c")
    assert reply.status_code == 409 and "All places in this campaign are taken" in words(reply)
    assert joined(campaign).count() == 2 and not Rater.objects.filter(name__startswith="P-").count() > 2


def test_two_for_the_last_place(campaign, link):
    (one, _), (two, _), (three, _) = join(link, "a"), join(link, "b"), join(link, "c")
    assert agree(one, campaign).status_code == agree(two, campaign).status_code == 302
    late = agree(three, campaign)
    assert late.status_code == 409 and "All places" in words(late)
    assert participation_of(campaign, joined(campaign).order_by("pk")[2].rater.name).consented_at is None
    assert Assignment.objects.filter(item__campaign=campaign).values("participation").distinct().count() == 2


def test_an_invitation_somebody_uses_is_no_free_place(campaign, link):
    newcomer(campaign, "R1")
    for person in ("a", "b"):
        browser, _ = join(link, person)
        reply = agree(browser, campaign)
    assert reply.status_code == 409 or free_places(campaign).count() == 0
    assert Participation.objects.filter(rater__name="R1").exists()


def test_who_is_refused_takes_no_place():
    campaign = asking("Strict", joins=True, raters=2, native=("target",))
    browser, _ = join(join_address(campaign))
    assert fill_in(browser, campaign, native_1="English").status_code == 403
    assert free_places(campaign).count() == 2
    browser, reply = join(join_address(campaign))  # and again
    assert browser.get(reply.url).status_code == 403
    name = joined(campaign).get().rater.name
    run("admit_rater", campaign.name, name, "--why", "checked by phone")
    assert fill_in(browser, campaign, native_1="English").url.endswith("/consent")
    assert agree(browser, campaign).status_code == 302 and free_places(campaign).count() == 1


def test_who_comes_without_an_id_gets_a_link_of_their_own(campaign, link):
    browser, reply = join(link, "")
    assert reply.url == f"/rate/{campaign.key}/link"
    page = browser.get(reply.url)
    own = re.search(r"/invite/[^\"<]+", page.content.decode())[0]
    assert re.fullmatch(r"V-[0-9A-F]{8}", joined(campaign).get().rater.name)
    agree(browser, campaign)
    send_form(browser, campaign)
    other = Client()
    assert other.post(own).url == f"/rate/{campaign.key}/"
    # The same browser is the same rater; another one is somebody else.
    assert join(link, "", browser)[1].url == f"/rate/{campaign.key}/"
    join(link, "")
    assert joined(campaign).count() == 2


def test_invited_raters_have_no_page_with_a_link(campaign):
    browser, _ = newcomer(campaign)
    assert browser.get(f"/rate/{campaign.key}/link").url == f"/rate/{campaign.key}/consent"


def test_the_same_person_is_one_rater_of_the_study(campaign, link):
    join(link)
    other = asking("Second", joins=True, study=campaign.study.name, raters=("X1", "X2"))
    join(join_address(other))
    assert joined(campaign).get().rater == joined(other).get().rater
    elsewhere = asking("Elsewhere", joins=True)
    join(join_address(elsewhere))
    assert joined(elsewhere).get().rater.name != joined(campaign).get().rater.name


def test_a_pool_campaign_takes_everybody_and_gives_nothing_out_before_practice_is_over():
    campaign = asking(
        "Pool", pool=True, raters=(), joins=True, practice=scale_items(PRACTICE, (1, 50)), judgements=2
    )
    for person in "abc":
        browser, _ = join(join_address(campaign), person)
        assert agree(browser, campaign).url == f"/rate/{campaign.key}/practice/"
        practise(browser, campaign, "20")
        mine = joined(campaign).order_by("pk").last()
        assert not mine.assignments.counted().exists() and mine.state == "active"
        assert begin(browser, campaign).url == f"/rate/{campaign.key}/"
        while browser.get(f"/rate/{campaign.key}/").status_code == 200:
            assert send_form(browser, campaign)[1].status_code == 302
    assert joined(campaign).count() == 3
    assert all(item.given == 2 for item in campaign.items.counted())
    assert Judgement.objects.of_campaign(campaign.pk).count() == 2 * campaign.items.counted().count()


@pytest.mark.parametrize("name", ["participant", "workerId"])
def test_other_names_of_ids(campaign, link, name):
    Client().post(link, {name: "w-7"})
    assert joined(campaign).get().settings["panel"]["person"] == "w-7"


@pytest.mark.parametrize("value", ["x" * 121, "a\x00b", "a\nb", "\u202eabc"])
def test_an_id_that_cannot_be_one(campaign, link, value):
    reply = Client().post(link, {"PROLIFIC_PID": value})
    assert reply.status_code == 400 and "PROLIFIC_PID" in words(reply)
    assert not joined(campaign).exists()


@pytest.mark.parametrize(
    "value", ["{{%PROLIFIC_PID%}}", "${e://Field/PID}", "{PROLIFIC_PID}", "[ID]", "%PID%", "{{PID}}", "", " "]
)
def test_an_id_that_the_panel_did_not_fill_in(campaign, link, value):
    for send in (Client().get, Client().post):
        reply = send(link, {"PROLIFIC_PID": value})
        assert reply.status_code == 400 and "did not fill in who you are" in words(reply)
    assert Client().get(link, {"PROLIFIC_PID": "a1", "SESSION_ID": "{{%SESSION_ID%}}"}).status_code == 400
    assert not joined(campaign).exists()
    assert Client().get(link, {"PROLIFIC_PID": "", "participant": "w-7"}).status_code == 200


def test_an_id_opens_no_lasting_link(campaign, link):
    """Who knows the id of somebody is let in as them, but takes no invitation along."""
    join(link, "victim01")
    browser, reply = join(link, "victim01")
    assert reply.status_code == 302
    shown = browser.get(f"/rate/{campaign.key}/link")
    assert shown.status_code == 302 and shown.url == f"/rate/{campaign.key}/consent"


def test_one_browser_does_not_become_many_raters():
    browser = Client()
    for n in range(5):
        assert join(join_address(asking(f"C{n}", joins=True)), "", browser)[1].status_code == 302
    last = asking("C5", joins=True)
    reply = join(join_address(last), "", browser)[1]
    assert reply.status_code == 409 and "joined 5 times already" in words(reply)
    assert join(join_address(last), "p-1", browser)[1].status_code == 302  # a panel knows who it is
    assert joined(last).count() == 1


def test_so_many_an_hour_join(campaign, link):
    run("joining_link", campaign.name, "--an-hour", "2")
    assert join(link, "a")[1].status_code == join(link, "")[1].status_code == 302
    full = asking("Slow", joins=True, joins_an_hour=2, raters=4)
    address = join_address(full)
    browsers = [join(address, person) for person in ("a", "")]
    assert all(reply.status_code == 302 for _, reply in browsers)
    assert "Many people have joined" in words(join(address, "b")[1])
    assert join(address, "a")[1].status_code == 302  # who is known comes back at any time
    assert join(address, "", browsers[1][0])[1].status_code == 302
    AuditEvent.objects.filter(action="rater.joined").update(at=timezone.now() - timedelta(minutes=61))
    assert join(address, "b")[1].status_code == 302
    assert "cannot be used" in refused("joining_link", campaign.name, "--an-hour", "-1")


def test_markup_in_ids_is_shown_as_it_is(campaign, link):
    page = Client().get(link, {"PROLIFIC_PID": "<script>x</script>", "STUDY_ID": '"><b>'}).content.decode()
    assert "<script>x" not in page and '"><b>' not in page


def test_links_that_do_not_work(campaign, link):
    assert Client().get(link[:-2] + "x/").status_code == 404
    assert Client().post("/join/abc/").status_code == 404
    invitation = re.sub("/join/", "/invite/", link)
    assert Client().get(invitation).status_code == 404  # one is no other
    run("joining_link", campaign.name, "--renew")
    assert Client().post(link, PID).status_code == 409
    fresh = join_address(campaign)
    assert fresh != link and Client().get(fresh).status_code == 200
    run("joining_link", campaign.name, "--off")
    assert Client().post(fresh, PID).status_code == 409 and not joined(campaign).exists()
    assert "--on" in refused("joining_link", campaign.name)
    Campaign.objects.filter(pk=campaign.pk).update(state="draft")
    printed, said = run("joining_link", campaign.name, "--on", "--base-url", "https://rate.example.org")
    assert printed.startswith("https://rate.example.org/join/") and "2 places not taken" in said
    assert Client().post(join_address(campaign), PID).status_code == 409
    assert not joined(campaign).exists()


def test_nobody_joins_a_campaign_that_says_nothing_of_it(admin_client):
    campaign = asking("Private")
    assert "not open to whoever comes" in refused("joining_link", campaign.name)
    assert "/join/" not in admin_client.get(f"/campaigns/{campaign.key}/").content.decode()


def test_owners_see_the_link_and_how_many_places_are_free(campaign, link, admin_client):
    page = admin_client.get(f"/campaigns/{campaign.key}/")
    assert link in page.content.decode() and "2 places are free" in words(page)


def test_the_form_of_the_page_is_needed(campaign, link):
    client = Client(enforce_csrf_checks=True)
    assert client.post(link, PID).status_code == 403 and not joined(campaign).exists()
    token = hidden(client.get(link).content.decode(), "csrfmiddlewaretoken")
    assert client.post(link, PID | {"csrfmiddlewaretoken": token}, HTTP_ORIGIN="null").status_code == 302


def test_who_waits_for_a_place_is_given_no_work(campaign, link):
    join(link)
    said, _ = run("withdraw_rater", campaign.name, "R1")
    assert "“R2”" in said and "P-" not in said


@pytest.fixture
def panel():
    campaign = asking(
        "Paid", joins=True, raters=1, n_segments=1, return_url="https://app.panel.example/done?cc={code}&x=1"
    )
    browser, _ = join(join_address(campaign))
    agree(browser, campaign)
    return campaign, browser


def test_the_code_goes_back_to_the_panel(panel):
    campaign, browser = panel
    assert "panel.example" not in browser.get(f"/rate/{campaign.key}/").content.decode()
    while browser.get(f"/rate/{campaign.key}/").status_code == 200:
        send_form(browser, campaign)
    page = browser.get(f"/rate/{campaign.key}/finish")
    assert (
        page.context["return_link"].url == f"https://app.panel.example/done?cc={campaign.completion_code}&x=1"
    )
    assert "Go back to app.panel.example" in words(page)
    assert f"cc={campaign.completion_code}&amp;x=1" in page.content.decode()
    # By the same link from another device, and after closing.
    again, reply = join(join_address(campaign))
    assert reply.url == f"/rate/{campaign.key}/finish"
    run("close_campaign", campaign.name)
    again, reply = join(join_address(campaign))
    assert campaign.completion_code in words(again.get(reply.url))


def test_no_way_back_before_the_end(panel):
    campaign, browser = panel
    send_form(browser, campaign)
    reply = browser.get(f"/rate/{campaign.key}/finish")
    assert reply.status_code == 302 and reply.url == f"/rate/{campaign.key}/"


@pytest.mark.parametrize(
    "address",
    [
        "http://panel.example/x", "javascript:alert(1)", "https://", "//panel.example", "https://a b/",
        "https://{code}.example/", "https://user@panel.example/", "https://x/\u202e",
        "https://x/" + "y" * 1000,
    ],
)  # fmt: skip
def test_addresses_nobody_is_sent_to(address):
    with pytest.raises(Exception, match="address"):
        asking("Bad", return_url=address)
    assert not Campaign.objects.exists()


@pytest.fixture
def finished():
    campaign = asking("Over", raters=2, n_segments=2)
    browser, _rater = newcomer(campaign)
    agree(browser, campaign)
    while browser.get(f"/rate/{campaign.key}/").status_code == 200:
        send_form(browser, campaign)
    run("close_campaign", campaign.name)
    return campaign, participation_of(campaign)


def test_after_closing_the_invitation_still_shows_the_code(finished):
    from annotation.services.invitations import invitation_url

    campaign, rater = finished
    client, url = Client(), invitation_url(rater, base_url="")
    said = words(client.get(url))
    assert "This campaign is closed" in said and "completion code" in said
    assert client.post(url).url == f"/rate/{campaign.key}/finish"
    assert campaign.completion_code in words(client.get(f"/rate/{campaign.key}/finish"))
    key = rater.assignments.first().key
    assert answer(client, campaign, key, client_key="key-99999999", score=3).status_code == 409
    assert client.get(f"/rate/{campaign.key}/").url == f"/rate/{campaign.key}/finish"
    assert client.get(f"/rate/{campaign.key}/screens").json()["code"] == "closed"


def test_who_had_not_finished_or_never_begun(finished):
    from annotation.services.invitations import invitation_url

    campaign, _ = finished
    other = participation_of(campaign, "R2")
    assert Client().post(invitation_url(other, base_url="")).status_code == 409
    Participation.objects.filter(pk=other.pk).update(consented_at=timezone.now())
    client = Client()
    assert client.post(invitation_url(other, base_url="")).url.endswith("/finish")
    said = words(client.get(f"/rate/{campaign.key}/finish"))
    assert "The campaign is closed" in said and campaign.completion_code not in said
    assert "saved" not in said  # there is nothing that could be
    Participation.objects.filter(pk=other.pk).update(state="left")
    assert Client().post(invitation_url(other, base_url="")).status_code == 409


def test_stored_ids_leave_with_no_export(campaign, link, tmp_path):
    browser, _ = join(link, "secret-person-id")
    agree(browser, campaign)
    send_form(browser, campaign)
    rows, _ = run("export_judgements", campaign.name, "--format", "jsonl")
    assert "secret-person-id" not in rows and json.loads(rows.split("\n")[0])
    assert "secret-person-id" not in run("export_plan", campaign.name)[0]
    assert Judgement.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_many_join_at_once(tmp_path):
    """Twelve people, each from two browsers, for three places: nobody doubled, no work lost."""
    if connection.vendor == "sqlite":
        with own_database(tmp_path) as environment:
            found = result(started(environment, "joining_race"))
    else:
        found = join_at_once()
    assert not any(found.values()), found


def test_an_id_stays_one_rater_when_campaigns_move_to_another_study():
    """The pseudonym hangs on the study; who comes back after a move finds the own work again."""
    one, two, third = (asking(name, joins=True, raters=2) for name in ("one", "two", "third"))
    for campaign in (one, two):
        assert join(join_address(campaign), "5f3c9a")[1].status_code == 302
        assert join(join_address(campaign), f"only-{campaign.name}")[1].status_code == 302
    study = study_create(name="Both")
    added = study_add(study=study, campaigns=["one", "two", "third"], same_raters=True)
    (person,) = {row.rater for c in (one, two) for row in joined(c).filter(settings__panel__person="5f3c9a")}
    assert person.study == study and person.name in added.united
    for campaign in (one, two, third):
        campaign.refresh_from_db()
        for _ in range(2):
            assert join(join_address(campaign), "5f3c9a")[1].status_code == 302
        assert joined(campaign).get(settings__panel__person="5f3c9a").rater == person
    assert joined(one).count() == joined(two).count() == 2


def test_people_of_a_panel_are_kept_apart_when_asked():
    for name in ("one", "two"):
        join(join_address(asking(name, joins=True, raters=2)), "5f3c9a")
    study = study_create(name="Both")
    study_add(study=study, campaigns=["one"])
    assert study_add(study=study, campaigns=["two"], separate_raters=True).united == ()
    two = Campaign.objects.get(name="two")
    own = joined(two).get().rater
    join(join_address(two), "5f3c9a")
    assert joined(two).get().rater == own != joined(Campaign.objects.get(name="one")).get().rater
