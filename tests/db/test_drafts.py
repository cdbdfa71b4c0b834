"""A campaign that was never opened can be changed and deleted; one that was cannot."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache

from annotation.models import Assignment, AuditEvent, Campaign, Item, Judgement, Participation, Rater, Study
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import campaign_open
from annotation.services.drafts import NEEDS_NO_PLAN, draft_change, draft_delete
from annotation.services.newcomers import raters_add
from evalplatform.errors import Conflict, NotFound
from mtcore.models import SystemOutput, TestSet
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused, run
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(tmp_path, settings):
    settings.DATA_DIR = tmp_path
    cache.clear()
    return {
        "owner": User.objects.create_user("ann"),
        "researcher": User.objects.create_user("ben"),
        "stranger": User.objects.create_user("cem"),
        "admin": User.objects.create_superuser("root"),
    }


def draft(owner=None, **more):
    more.setdefault("settings", CampaignSettings(practice=2, repeats=0.5))
    return make_campaign(name="sketch", n_segments=4, opened=False, owner=owner, **more)


def test_deleting_leaves_texts_and_nothing_else(people):
    draft(people["owner"])
    run("delete_campaign", "sketch")
    for model in (Campaign, Item, Assignment, Participation, Rater, Study):
        assert not model.objects.exists(), model
    assert list(TestSet.objects.values_list("name", flat=True)) == ["sketch"]
    assert SystemOutput.objects.count() == 2
    event = AuditEvent.objects.get(action="campaign.deleted")
    assert event.data["name"] == "sketch" and event.data["deleted_study"] == "sketch"
    run(
        "create_campaign", "sketch", "--protocol", "source_da", "--testset", "sketch", "--systems", "OP",
        "--raters", "2", "--judgements", "1",
    )  # fmt: skip


def test_raters_of_other_campaigns_and_their_study_stay(people):
    made = draft(people["owner"], raters=["Ada", "Ben"])
    make_campaign(name="other", study="sketch", raters=["Ben", "Cem"], n_segments=4)
    draft_delete(campaign=made, actor=people["owner"])
    assert sorted(Rater.objects.values_list("name", flat=True)) == ["Ben", "Cem"]
    assert Study.objects.get().name == "sketch"
    assert AuditEvent.objects.get(action="campaign.deleted").study == Study.objects.get()


@pytest.mark.parametrize("state", ["open", "closed"])
def test_what_was_opened_stays(people, state):
    made = draft(people["owner"])
    campaign_open(campaign=made)
    if state == "closed":
        run("close_campaign", "sketch")
    assert "no draft any more" in refused("delete_campaign", "sketch")
    client = client_of(people["owner"])
    for part in ("delete", "change"):
        assert client.get(f"/campaigns/{made.key}/{part}/").status_code == 409
        assert client.post(f"/campaigns/{made.key}/{part}/", {"sure": "yes"}).status_code == 409
        assert client.post(f"/api/v1/campaigns/{made.key}/{part}/", {}, "application/json").status_code == 409
    assert client.get(f"/api/v1/campaigns/{made.key}/delete/").status_code == 409
    assert f"/campaigns/{made.key}/delete/" not in client.get(f"/campaigns/{made.key}/").content.decode()
    assert Campaign.objects.filter(pk=made.pk).exists()


def test_what_somebody_answered_stays(people):
    made = draft(people["owner"])
    assignment = Assignment.objects.filter(item__campaign=made).first()
    Judgement.objects.create(assignment=assignment, score=3, scale_low=1, scale_high=100)
    with pytest.raises(Conflict):
        draft_delete(campaign=made)
    with pytest.raises(Conflict):
        draft_change(campaign=made, change={"consent": "x"}, made={})


def test_the_page_asks_first_and_a_second_press_finds_it_deleted(people):
    made = draft(people["owner"])
    client = client_of(people["owner"])
    address = f"/campaigns/{made.key}/delete/"
    assert f'href="{address}"' in client.get(f"/campaigns/{made.key}/").content.decode()
    page = client.get(address).content.decode()
    assert "8 items" not in page and "12 items" in page and "2 practice items" in page
    assert "3 raters who are in no other campaign" in page
    assert client.post(address).status_code == 400
    assert Campaign.objects.filter(pk=made.pk).exists()
    assert client.post(address, {"sure": "yes"}).url == "/campaigns/"
    assert not Campaign.objects.filter(pk=made.pk).exists()
    assert client.post(address, {"sure": "yes"}).url == "/campaigns/"
    assert AuditEvent.objects.get(action="campaign.deleted").actor == people["owner"]
    assert client_of(people["admin"]).post(address, {"sure": "yes"}).status_code == 404


@pytest.mark.parametrize(("who", "status"), [("researcher", 403), ("stranger", 404), ("admin", 200)])
def test_the_owner_and_administrators_alone(people, who, status):
    made = draft(people["owner"])
    made.study.researchers.add(people["researcher"])
    client = client_of(people[who])
    change = {"consent": "other"}
    told = client.post(f"/api/v1/campaigns/{made.key}/change/", json.dumps(change), "application/json")
    assert told.status_code == status
    assert client.get(f"/campaigns/{made.key}/change/").status_code == status
    gone = client.post(f"/api/v1/campaigns/{made.key}/delete/", "{}", "application/json")
    assert gone.status_code == status
    assert Campaign.objects.filter(pk=made.pk).exists() == (status != 200)


def test_a_deletion_sent_twice_by_its_key_is_answered_twice(people):
    made = draft(people["owner"])
    client = client_of(people["owner"])
    address, key = f"/api/v1/campaigns/{made.key}/delete/", {"Idempotency-Key": "delete-the-sketch"}
    first = client.post(address, "{}", "application/json", headers=key)
    again = client.post(address, "{}", "application/json", headers=key)
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json() and first.json()["items"] == 12
    assert client.post(address, "{}", "application/json").status_code == 404


def filled(page):
    """Return what a browser would send of the form of a page."""
    form = page.context["form"]
    return {
        name: "on" if form[name].value() is True else form[name].value()
        for name in form.fields
        if form[name].value() not in (None, False, "")
    }


def test_the_page_changes_all_that_needs_no_plan_and_keeps_the_rest(people):
    before = CampaignSettings(practice=2, repeats=0.5, can_skip=True, native=("target",), low_label="poor")
    made = draft(people["owner"], settings=before, segments="1-3")
    kept = Campaign.objects.get(pk=made.pk).settings
    client, address = client_of(people["owner"]), f"/campaigns/{made.key}/change/"
    sent = filled(client.get(address))
    assert client.post(address, sent).status_code == 302
    assert Campaign.objects.get(pk=made.pk).settings == kept
    assert not AuditEvent.objects.filter(action="campaign.changed").exists()
    del sent["can_skip"], sent["native"]
    change = {
        "name": "drawing", "consent": "Yes.", "low_label": "bad", "fluent": "source", "break_after": "0",
        "guidelines_de": "Genau lesen.", "joins": "on", "treatment": "pool", "sealed": "on",
        "return_url": "https://panel.example.org/{code}",
    }  # fmt: skip
    assert client.post(address, sent | change).status_code == 302
    found = Campaign.objects.get(pk=made.pk)
    assert (found.name, found.consent) == ("drawing", "Yes.")
    assert found.settings == {
        "segments": "1-3", "practice": 2, "repeats": 0.5, "expected": kept["expected"], "low_label": "bad",
        "fluent": ["source"], "break_after": 0, "guidelines": {"de": "Genau lesen."}, "joins": True,
        "treatment": "pool", "sealed": True, "return_url": "https://panel.example.org/{code}",
    }  # fmt: skip
    event = AuditEvent.objects.get(action="campaign.changed")
    assert event.data["old_name"] == "sketch" and "can_skip" in event.data["changed"]
    assert "practice" not in event.data["changed"]


def test_a_refused_change_says_so_beside_its_field_and_keeps_what_was_typed(people):
    make_campaign(name="taken", n_segments=2)
    made = draft(people["owner"])
    client, address = client_of(people["owner"]), f"/campaigns/{made.key}/change/"
    sent = filled(client.get(address)) | {"consent": "My words", "return_url": "ftp://panel"}
    page = client.post(address, sent)
    assert page.status_code == 400 and list(page.context["form"].errors) == ["return_url"]
    assert "My words" in page.content.decode()
    page = client.post(address, sent | {"return_url": "", "name": "taken"})
    assert page.status_code == 400 and list(page.context["form"].errors) == ["name"]
    assert Campaign.objects.get(pk=made.pk).name == "sketch"


@pytest.mark.parametrize(
    "asked",
    [
        {"settings": {"repeats": 0.1}}, {"settings": {"can_skip": "yes"}}, {"settings": {"points": -1}},
        {"settings": {"lease_minutes": 5}}, {"judgements": 2}, {"name": "a|b"},
        {"settings": {"native": ["klingon!"]}},
    ],
)  # fmt: skip
def test_the_api_refuses_what_cannot_be_changed(people, asked):
    made = draft(people["owner"])
    address, before = f"/api/v1/campaigns/{made.key}/change/", Campaign.objects.get(pk=made.pk).settings
    answer = client_of(people["owner"]).post(address, json.dumps(asked), "application/json")
    assert answer.status_code == 400, answer.content
    assert Campaign.objects.get(pk=made.pk).settings == before


def test_every_setting_is_of_the_plan_or_can_be_changed():
    plan = {
        "segments", "bad_references", "repeats", "reference_as_system", "attention", "practice",
        "calibration", "expected", "join_version",
    }  # fmt: skip
    assert plan | NEEDS_NO_PLAN == set(CampaignSettings.__dataclass_fields__)
    assert not plan & NEEDS_NO_PLAN


def test_a_campaign_deleted_meanwhile_is_not_opened_and_takes_no_raters(people):
    made = draft(people["owner"])
    stale = Campaign.objects.select_related("study").get(pk=made.pk)
    draft_delete(campaign=made)
    for late in (
        lambda: campaign_open(campaign=stale),
        lambda: draft_delete(campaign=stale),
        lambda: draft_change(campaign=stale, change={}, made={}),
        lambda: raters_add(campaign=stale, names=["Dan"]),
    ):
        with pytest.raises(NotFound):
            late()
    assert not Rater.objects.exists()


def test_notes_on_guidelines_follow_the_guidelines(people):
    made = draft(people["owner"], guidelines="![a](https://elsewhere.example/a.png)")
    assert "elsewhere.example" in " ".join(made.notes)
    draft_change(campaign=made, change={"guidelines": "![b](https://other.example/b.png)"}, made={})
    notes = " ".join(Campaign.objects.get(pk=made.pk).notes)
    assert "other.example" in notes and "elsewhere.example" not in notes
