"""Before open work is handed over every door says who would get what; asking changes nothing."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.models import Assignment, AuditEvent, Participation
from annotation.services.handing_over import work_hand_over, work_hand_over_trial
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.pages import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


@pytest.fixture
def campaign(ann):
    """Six segments, three raters, two judgements an item; half of it is done."""
    made = make_campaign(name="harbour", n_segments=6, raters=3, judgements=2, owner=ann)
    answer_all(made, share=0.5)
    return made


def state(campaign):
    """Everything that handing over could change."""
    return (
        list(Assignment.objects.order_by("pk").values_list("participation", "item", "position", "state")),
        list(Participation.objects.order_by("pk").values_list("rater__name", "state")),
        list(campaign.items.order_by("pk").values_list("given", "wanted")),
        AuditEvent.objects.count(),
        type(campaign).objects.get(pk=campaign.pk).notes,
    )


@pytest.mark.parametrize("new", ["", "R9"])
def test_what_is_said_before_is_what_is_done(campaign, new):
    before = state(campaign)
    said = work_hand_over_trial(campaign=campaign, rater="R1", new_rater=new)
    assert state(campaign) == before
    assert said.released and sum(said.given.values()) and ("R9" in said.given) is bool(new)
    assert work_hand_over(campaign=campaign, rater="R1", new_rater=new) == said


def test_the_page_says_who_would_get_what_and_does_it_when_told(campaign, ann):
    before = state(campaign)
    client, address = client_of(ann), reverse("campaign_hand_over", args=[campaign.key])
    page = client.get(reverse("campaign", args=[campaign.key])).content.decode()
    assert f'<form method="get" action="{address}"' in page and "<option>R1</option>" in page
    said = work_hand_over_trial(campaign=campaign, rater="R1")
    answer = client.get(address, {"rater": "R1"})
    text = answer.content.decode()
    assert state(campaign) == before
    open_now = dict.fromkeys(said.given, 0) | {
        one.rater.name: one.assignments.open().count()
        for one in campaign.participations.select_related("rater")
    }
    for row in answer.context["rows"]:
        assert row["gets"] == said.given[row["rater"]] and row["before"] == open_now[row["rater"]]
        assert row["after"] == row["before"] + row["gets"]
    assert f"{said.released} open items would be taken back." in text and "Nothing has been done yet." in text
    assert "R9" in client.get(address, {"rater": "R1", "new_rater": "R9"}).content.decode()
    client.post(address, {"rater": "R1", "new_rater": ""})
    assert campaign.participations.get(rater__name="R1").state == "left"


def test_what_nobody_could_take_is_counted(ann):
    two = make_campaign(name="two", n_segments=3, raters=2, judgements=2, owner=ann)
    text = client_of(ann).get(reverse("campaign_hand_over", args=[two.key]), {"rater": "R1"}).content.decode()
    assert "Nobody could take anything." in text and "6 items could be taken by nobody." in text
    assert "no rater is left who has not seen them" in text


def test_wrong_names_are_refused_before_too(campaign, ann):
    client, address = client_of(ann), reverse("campaign_hand_over", args=[campaign.key])
    before = state(campaign)
    for asked, status in (
        ({}, 400), ({"rater": "Nobody"}, 404), ({"rater": "R1", "new_rater": "R2"}, 409),
    ):  # fmt: skip
        assert client.get(address, asked).status_code == status
    assert client_of(User.objects.create_user("bob")).get(address, {"rater": "R1"}).status_code == 404
    assert state(campaign) == before


def test_the_api_and_the_command_try_it_too(campaign, ann):
    before = state(campaign)
    said = work_hand_over_trial(campaign=campaign, rater="R1")
    address = reverse("api_rater_withdraw", args=[campaign.key])
    told = client_of(ann).post(
        address, {"rater": "R1", "dry_run": True}, content_type="application/json"
    ).json()  # fmt: skip
    assert told == {
        "rater": "R1", "kept": said.kept, "released": said.released, "given": said.given,
        "short": list(said.short), "dry_run": True,
    }  # fmt: skip
    told = client_of(ann).post(
        address, {"rater": "R1", "replacement": "R9", "dry_run": True}, content_type="application/json"
    ).json()  # fmt: skip
    assert told["given"]["R9"]
    out = run("withdraw_rater", "harbour", "R1", "--dry-run")[0]
    assert "“R1” would leave" in out and "Nothing was changed." in out and "more for “R2”" in out
    assert run("withdraw_rater", "harbour", "R1", "--replacement", "R9", "--dry-run")[0].count("http") == 0
    assert state(campaign) == before


def test_of_a_pool_it_can_be_tried_as_well(ann):
    pool = make_campaign(name="pool", n_segments=3, pool=True, raters=2, judgements=2, owner=ann)
    told = client_of(ann).post(
        reverse("api_rater_withdraw", args=[pool.key]), {"rater": "R1", "dry_run": True},
        content_type="application/json",
    )  # fmt: skip
    assert told.status_code == 200 and told.json()["given"] == {}
    assert pool.participations.get(rater__name="R1").state != "left"


def test_forgetting_a_rater_says_who_gets_the_open_work(campaign):
    root = User.objects.create_superuser("root")
    said = work_hand_over_trial(campaign=campaign, rater="R1")
    client, address = client_of(root), reverse("campaign_forget", args=[campaign.key])
    before = state(campaign)
    page = client.get(address, {"rater": "R1"}).content.decode()
    words = f"harbour: {said.released} open items, to " + ", ".join(
        f"{k}: {n}" for k, n in said.given.items()
    )
    assert "Who would get the open work now" in page and words in page
    api = client.get(reverse("api_rater_forget", args=[campaign.key]), {"rater": "R1"}).json()
    assert [one["given"] for one in api["open_work"]] == [said.given]
    assert f"would go to “{next(iter(said.given))}”" in run("forget_rater", "harbour", "R1", "--dry-run")[0]
    assert state(campaign)[:3] == before[:3]
    done = client.post(address, {"rater": "R1", "sure": "yes"}, follow=True).content.decode()
    assert words in done
