"""The audit trail: what is written without being told, who reads it, and how it is searched."""

import csv
import io
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from rest_framework.authtoken.models import Token

from annotation.models import AuditEvent
from evalplatform.acting import acting, acting_now
from mtcore.models import Run, SystemOutput, TestSet
from tests.factories.commands import run
from tests.factories.rating import participation_of, rater_client, rating_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann(client):
    return User.objects.create_user("ann", is_staff=True)


@pytest.fixture
def browser(ann):
    client = Client()
    client.force_login(ann)
    return client


def last():
    return AuditEvent.objects.first()


def test_a_change_that_no_service_tells_of_is_told_by_the_page(browser, ann):
    made = Run.objects.create(kind="filter_corpus", name="x", state="queued")
    assert browser.post(f"/runs/{made.pk}/change", {"action": "cancel"}).status_code == 302
    assert (last().action, last().actor) == ("page.changed", ann)
    assert last().data == {
        "page": "run_change", "pk": str(made.pk), "led_to": f"/runs/{made.pk}/",
        "asked": {"action": "cancel"},
    }  # fmt: skip


def test_the_same_change_by_the_api_is_told_with_the_owner_of_the_token(client, ann):
    made = Run.objects.create(kind="filter_corpus", name="x", state="queued")
    token = Token.objects.create(user=ann).key
    answer = client.post(f"/api/v1/runs/{made.pk}/cancel/", HTTP_AUTHORIZATION=f"Token {token}")
    assert answer.status_code == 200
    assert (last().action, last().actor, last().data["page"]) == ("page.changed", ann, "api_run_cancel")


def test_what_is_refused_is_no_event(browser, ann):
    made = Run.objects.create(kind="filter_corpus", name="x", state="queued")
    assert browser.post(f"/runs/{made.pk}/change", {"action": "explode"}).status_code == 400
    assert browser.post("/runs/99/change", {"action": "cancel"}).status_code == 404
    assert browser.post("/language/", {"language": "de"}).status_code == 302
    assert not AuditEvent.objects.exists()


def test_one_change_is_one_event_in_the_words_of_its_service(browser, ann):
    campaign = rating_campaign()
    AuditEvent.objects.all().delete()
    browser.post(f"/campaigns/{campaign.key}/state", {"state": "closed"})
    assert [(one.action, one.actor) for one in AuditEvent.objects.all()] == [("campaign.closed", ann)]


def test_a_file_is_told_with_its_campaign_and_what_was_asked_for(browser, ann):
    campaign = rating_campaign()
    browser.get(f"/campaigns/{campaign.key}/plan.csv?flavour=spreadsheet")
    event = last()
    assert (event.action, event.actor, event.campaign, event.study) == (
        "file.taken", ann, campaign, campaign.study,
    )  # fmt: skip
    assert event.data["asked"] == {"flavour": "spreadsheet"}


def test_answers_are_no_events_and_hours_are():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    browser = rater_client(rater)
    AuditEvent.objects.all().delete()
    page = browser.get(f"/rate/{campaign.key}/")
    assert page.status_code == 200
    assert not AuditEvent.objects.exists()
    assert browser.get(f"/rate/{campaign.key}/timesheet.csv").status_code == 200
    assert (last().action, last().participation, last().actor) == ("hours.exported", rater, None)


def test_what_is_done_to_a_rater_was_not_done_by_the_rater(browser, ann):
    campaign = rating_campaign(raters=3)
    address = f"/campaigns/{campaign.key}/"
    browser.post(f"{address}exclude", {"rater": "R1", "action": "exclude", "why": "hasty"})
    run("withdraw_rater", campaign.name, "R2")
    AuditEvent.note("hours.exported", campaign=campaign, participation=participation_of(campaign, "R3"))
    page = "/api/v1" + address + "audit/"

    def told(**wish):
        return [
            (one["who"], one["kind"], one["command"], one["action"], one["data"].get("rater"))
            for one in browser.get(page, wish).json()["results"]
            if one["action"].startswith(("rater.", "hours."))
        ]

    own, left, excluded = told()
    assert own == ("R3", "rater", "", "hours.exported", None)
    assert left == ("", "", "withdraw_rater", "rater.withdrawn", "R2")
    assert excluded == ("ann", "person", "", "rater.excluded", "R1")
    assert told(who="R1") == [] and told(who="R3") == [own]
    assert told(about="R1") == [excluded]


def test_a_token_that_is_fetched_is_told(client):
    ann = User.objects.create_user("ann", password="harbour-ann")
    client.post("/api/v1/token/", {"username": "ann", "password": "harbour-ann"})
    assert (last().action, last().actor) == ("token.taken", ann)
    assert Token.objects.get().key not in str(last().data)


def test_commands_tell_their_name_and_export_what_they_write(tmp_path):
    campaign = rating_campaign()
    run("export_plan", campaign.name, "--output", str(tmp_path / "plan.csv"))
    assert (last().action, last().campaign, last().data) == (
        "plan.exported", campaign, {"command": "export_plan"},
    )  # fmt: skip
    made = Run.objects.create(kind="filter_corpus", name="x", state="queued")
    run("run_cancel", str(made.pk))
    assert (last().action, last().data) == ("command.run", {"command": "run_cancel", "run": str(made.pk)})
    n = AuditEvent.objects.count()
    run("runs")
    assert AuditEvent.objects.count() == n, "looking is no event"


def test_nobody_acts_outside_of_requests_and_commands():
    assert acting_now() is None
    with acting(command="x") as outer, acting(command="y"):
        AuditEvent.note("a.b")
    assert (outer.n_events, last().data, acting_now()) == (0, {"command": "y"}, None)


# Reading


@pytest.fixture
def trail(ann):
    """Two campaigns and three events, one of them a week old."""
    bob = User.objects.create_user("bob")
    one, two = rating_campaign(name="Harbour"), rating_campaign(name="Lighthouse")
    AuditEvent.objects.all().delete()
    AuditEvent.note("campaign.closed", actor=ann, campaign=one, study=one.study)
    AuditEvent.note("hours.exported", actor=bob, campaign=two, study=two.study, file="Müller.csv")
    old = AuditEvent.note("campaign.opened", actor=ann, campaign=two, study=two.study)
    AuditEvent.objects.filter(pk=old.pk).update(at=timezone.now() - timedelta(days=7))
    return one, two


def found(browser, address="/audit/", **given):
    answer = browser.get(address, given)
    assert answer.status_code == 200
    return [row["event"].action for row in answer.context["rows"]]


def test_the_page_filters_by_person_object_and_day(browser, trail):
    week = (timezone.localdate() - timedelta(days=7)).isoformat()
    assert found(browser) == ["hours.exported", "campaign.closed", "campaign.opened"]
    assert found(browser, who="BOB") == ["hours.exported"]
    assert found(browser, about="light") == ["hours.exported", "campaign.opened"]
    assert found(browser, about="Müller") == ["hours.exported"]
    assert found(browser, what="campaign.closed") == ["campaign.closed"]
    assert found(browser, until=week) == ["campaign.opened"]
    assert found(browser, since=week, who="ann") == ["campaign.closed", "campaign.opened"]
    assert found(browser, about="100%_") == []


def test_days_that_are_none_are_refused_in_words(browser, trail):
    answer = browser.get("/audit/", {"since": "yesterday"})
    assert answer.status_code == 400 and "“yesterday” is no day." in answer.content.decode()
    assert browser.get("/audit/", {"who": "x" * 201}).status_code == 400
    assert found(browser, until="9999-12-31", page="7") != []


def test_the_owner_sees_what_happened_in_the_campaign_and_nothing_else(trail):
    one, two = trail
    cleo = User.objects.create_user("cleo")
    two.study.owner = cleo
    two.study.save()
    client = Client()
    client.force_login(cleo)
    assert found(client, f"/campaigns/{two.key}/audit/") == ["hours.exported", "campaign.opened"]
    assert f"/campaigns/{two.key}/audit/" in client.get(f"/campaigns/{two.key}/").content.decode()
    assert client.get(f"/campaigns/{one.key}/audit/").status_code == 404
    dan = User.objects.create_user("dan")
    two.study.researchers.add(dan)
    client.force_login(dan)
    assert client.get(f"/campaigns/{two.key}/audit/").status_code == 403
    assert "/audit/" not in client.get(f"/campaigns/{two.key}/").content.decode()


def test_what_people_wrote_is_shown_as_text(browser, trail):
    AuditEvent.note("problem.reported", text="<script>alert(1)</script>")
    page = browser.get("/audit/").content.decode()
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page


# Taking it along


def lines(answer, status=200):
    """Return the lines of a file as dicts."""
    assert answer.status_code == status
    assert answer.headers["Content-Disposition"].startswith("attachment")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("address", ["/audit.csv", "/api/v1/audit/?file=csv"])
def test_the_trail_as_a_file_holds_what_the_page_shows(browser, ann, trail, address):
    one, _two = trail
    AuditEvent.note("campaign.looked", campaign=one, study=one.study, command="look_campaign", look=2)
    rows = lines(browser.get(address))
    assert [row["action"] for row in rows] == [
        "campaign.looked", "hours.exported", "campaign.closed", "campaign.opened",
    ]  # fmt: skip
    assert list(rows[0]) == ["at", "who", "kind", "command", "action", "campaign", "study", "data"]
    assert (rows[0]["who"], rows[0]["command"], rows[0]["data"]) == ("", "look_campaign", '{"look": 2}')
    assert (rows[1]["who"], rows[1]["kind"], rows[1]["campaign"]) == ("bob", "person", "Lighthouse")
    assert rows[1]["data"] == '{"file": "Müller.csv"}' and datetime.fromisoformat(rows[1]["at"]).tzinfo
    assert (last().action, last().actor) == ("file.taken", ann), "taking the trail is in the trail"
    week = (timezone.localdate() - timedelta(days=7)).isoformat()
    chosen = browser.get(address, {"file": "csv", "who": "ann", "until": week})
    assert [row["action"] for row in lines(chosen)] == ["campaign.opened"]


@pytest.mark.parametrize("address", ["/audit.csv", "/api/v1/audit/"])
def test_no_cell_of_the_spreadsheet_file_is_a_formula(browser, address):
    evil = User.objects.create_user("@SUM", is_staff=True)
    AuditEvent.note("=1+1", actor=evil, command="-cmd", said="=1+1")
    (row,) = lines(browser.get(address, {"file": "csv", "flavour": "spreadsheet", "who": "@SUM"}))
    assert (row["who"], row["action"], row["command"]) == ("'@SUM", "'=1+1", "'-cmd")
    assert row["data"].startswith("{")
    (exact,) = lines(browser.get(address, {"file": "csv", "who": "@SUM", "what": "=1+1"}))
    assert (exact["who"], exact["action"]) == ("@SUM", "=1+1")


def test_files_that_cannot_be(browser, trail):
    for address, given in (
        ("/audit.csv", {"since": "yesterday"}), ("/audit.csv", {"flavour": "odd"}),
        ("/audit.csv", {"about": "x" * 201}), ("/api/v1/audit/", {"file": "xlsx"}),
        ("/api/v1/audit/", {"until": "31.3."}), ("/api/v1/audit/", {"file": "csv", "flavour": "odd"}),
        ("/api/v1/audit/", {"limit": "all"}),
    ):  # fmt: skip
        answer = browser.get(address, given)
        assert answer.status_code == 400, (address, given)
    assert answer.headers["Content-Type"] == "application/problem+json" and answer.json()["remedy"]


def test_the_page_leads_to_its_files_as_it_is_filtered(browser, trail):
    page = browser.get("/audit/", {"who": "ann"}).content.decode()
    assert 'href="/audit.csv?who=ann&amp;flavour=spreadsheet"' in page
    one = trail[0]
    assert (
        f'href="/campaigns/{one.key}/audit.csv?flavour=exact"'
        in browser.get(f"/campaigns/{one.key}/audit/").content.decode()
    )


def test_the_trail_by_the_api_comes_in_pages(browser, trail):
    found = browser.get("/api/v1/audit/", {"limit": 2, "who": "ann"}).json()
    assert found["count"] == 2 and found["next"] is None
    assert [one["action"] for one in found["results"]] == ["campaign.closed", "campaign.opened"]
    assert found["results"][0] | {"at": ""} == {
        "at": "", "who": "ann", "kind": "person", "command": "", "action": "campaign.closed",
        "campaign": "Harbour", "study": "Study of Harbour", "data": {},
    }  # fmt: skip
    assert browser.get("/api/v1/audit/", {"offset": 2, "about": "light"}).json()["results"] == []
    assert (last().action, last().data["page"]) == ("file.taken", "api_audit")


def test_the_owner_takes_the_trail_of_the_own_campaign(trail):
    one, two = trail
    cleo, dan = User.objects.create_user("cleo"), User.objects.create_user("dan")
    two.study.owner = cleo
    two.study.save()
    two.study.researchers.add(dan)
    client = Client()
    client.force_login(cleo)
    for address in (f"/campaigns/{two.key}/audit.csv", f"/api/v1/campaigns/{two.key}/audit/?file=csv"):
        assert {row["campaign"] for row in lines(client.get(address))} == {"Lighthouse"}
    assert client.get(f"/api/v1/campaigns/{two.key}/audit/").json()["count"] >= 2
    hidden = (f"/campaigns/{one.key}/audit.csv", f"/api/v1/campaigns/{one.key}/audit/")
    assert [client.get(address).status_code for address in hidden] == [404, 404]
    assert [client.get(address).status_code for address in ("/audit.csv", "/api/v1/audit/")] == [403, 403]
    client.force_login(dan)
    assert [
        client.get(f"{start}/campaigns/{two.key}/audit{end}").status_code
        for start, end in (("", ".csv"), ("/api/v1", "/"))
    ] == [403, 403]


def test_a_name_that_no_file_can_hold_is_shown_and_written(browser):
    """A command may name a file whose bytes are no UTF-8."""
    AuditEvent.note("judgements.imported", file="M\udcfcller.csv")
    assert "M?ller.csv" in browser.get("/audit/").content.decode()
    assert browser.get("/api/v1/audit/").json()["results"][0]["data"] == {"file": "M?ller.csv"}
    assert [row["data"] for row in lines(browser.get("/audit.csv"))][-1] == '{"file": "M?ller.csv"}'


def test_imports_are_told_with_what_was_imported(browser, ann):
    def file(name, lines):
        return SimpleUploadedFile(name, "".join(f"{line}\n" for line in lines).encode())

    lines = [f"Line {number}." for number in range(1, 5)]
    made = browser.post(
        "/api/v1/testsets/",
        {"name": "news", "languages": "en-de", "source": lines, "direction": "direct"},
        content_type="application/json",
    )
    assert made.status_code == 201, made.content
    told = last()
    assert (told.action, told.actor, told.data["testset"]) == ("testset.imported", ann, "news")
    assert told.data["checksum"] == TestSet.objects.get().sha256
    answer = browser.post(
        f"/testsets/{made.json()['id']}/output/",
        {"system": "BT", "text": file("bt.de", [f"Zeile {number}." for number in range(1, 5)]), "kind": "BT"},
    )
    assert answer.status_code == 302, answer.content
    told = last()
    assert (told.action, told.actor) == ("output.imported", ann)
    assert {name: told.data[name] for name in ("system", "testset", "file")} == {
        "system": "BT", "testset": "news", "file": "bt.de",
    }  # fmt: skip
    assert told.data["checksum"] == SystemOutput.objects.get().sha256
    page = browser.get("/audit/").content.decode()
    assert "imported an output" in page and "bt.de" in page and "imported a test set" in page
