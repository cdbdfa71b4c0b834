"""The campaign's page: progress by system and day, silent raters, and handing their work over."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Campaign, Judgement
from annotation.services import withdrawal
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.campaigns import campaign_close
from annotation.services.handing_over import work_hand_over
from annotation.services.overview import campaign_overview
from annotation.services.progress import days_progress, silent_raters, systems_progress
from annotation.services.skipping import assignment_skip
from annotation.services.withdrawal import rater_withdraw
from evalplatform.errors import Conflict
from tests.factories.answers import answer_all
from tests.factories.campaigns import make_campaign
from tests.factories.commands import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    return User.objects.create_user("ann")


@pytest.fixture
def campaign(ann):
    found = make_campaign(name="harbour", n_segments=6, owner=ann)
    answer_all(found, share=0.5)
    return found


@pytest.fixture
def client(ann):
    client = Client()
    client.force_login(ann)
    return client


def silence(campaign, name, days):
    """Let a rater's last sign lie some days back."""
    at = timezone.now() - timedelta(days=days, hours=1)
    campaign.participations.filter(rater__name=name).update(last_seen_at=at)
    Judgement.objects.filter(assignment__participation__rater__name=name).update(submitted_at=at)
    campaign.opened_at = timezone.now() - timedelta(days=30)
    campaign.save(update_fields=["opened_at"])


def test_progress_by_system_counts_what_raters_have(campaign):
    assert {(row.system, row.n_assigned) for row in systems_progress(campaign)} == {("BT", 12), ("OP", 12)}
    assert sum(row.n_done for row in systems_progress(campaign)) == Judgement.objects.count() == 12


def test_merged_outputs_count_for_each_of_their_systems(ann):
    merged = make_campaign(name="merged", n_segments=3, identical=(0, 1, 2), owner=ann)
    assert [(row.system, row.n_assigned) for row in systems_progress(merged)] == [("BT", 6), ("OP", 6)]


def test_days_without_answers_are_there_too(campaign):
    now = timezone.now()
    for row, days in zip(Judgement.objects.order_by("pk"), [0, 0, 2] + [60] * 9, strict=True):
        Judgement.objects.filter(pk=row.pk).update(submitted_at=now - timedelta(days=days))
    found = days_progress(campaign)
    assert len(found) == 28 and found[-1] == (now.date(), 2)
    assert [n for _, n in found[-3:]] == [1, 0, 2] and sum(n for _, n in found) == 3


def test_one_pace_is_told_and_the_end_lies_where_it_leads(campaign, client):
    now = timezone.now()
    for row, days in zip(Judgement.objects.order_by("pk"), [0, 0, 2, 3, 4, 4] + [60] * 6, strict=True):
        Judgement.objects.filter(pk=row.pk).update(submitted_at=now - timedelta(days=days))
    found = campaign_overview(campaign)
    assert found.pace == pytest.approx(6 / 4, abs=0.01)
    assert (found.expected_end - now) / timedelta(days=1) == pytest.approx(12 / found.pace, abs=0.01)
    address = reverse("campaign", args=[campaign.key])
    html = client.get(address).content.decode()
    assert "1.5 a day over the last 7 days" in html and "expected end at the pace" in html
    for name in ("R1", "R2", "R3"):
        silence(campaign, name, 4)
    assert campaign_overview(campaign).expected_end
    html = client.get(address).content.decode()
    assert "expected end" not in html  # nobody is at work
    Judgement.objects.update(submitted_at=now - timedelta(days=8))
    found = campaign_overview(campaign)
    assert found.pace is None and found.expected_end is None
    assert "None in the last 7 days" in client.get(address).content.decode()


def test_a_first_hour_of_work_is_not_a_day(campaign):
    assert campaign_overview(campaign).pace == 12


def test_silent_are_those_with_work_and_no_sign(campaign):
    assert silent_raters(campaign) == []
    silence(campaign, "R1", 4)
    silence(campaign, "R2", 2)
    (one,) = silent_raters(campaign)
    assert (one.name, one.n_open, one.n_done, one.days) == ("R1", 4, 4, 4)
    Assignment.objects.filter(participation__rater__name="R1").update(state="done")
    assert silent_raters(campaign) == []


def test_how_many_days_are_silence_is_set_for_the_installation(campaign, client, settings):
    silence(campaign, "R1", 4)
    silence(campaign, "R2", 2)
    for days, names in ((1, ["R1", "R2"]), (2, ["R1", "R2"]), (3, ["R1"]), (7, [])):
        settings.SILENT_DAYS = days
        assert [one.name for one in silent_raters(campaign)] == names, days
    settings.SILENT_DAYS = 2
    page = client.get(campaign.get_absolute_url()).content.decode()
    assert "2 raters have gone silent" in page and "No sign for 2 days or more" in page


def test_the_page_hands_the_work_over_to_a_new_rater(campaign, client, ann):
    silence(campaign, "R1", 5)
    page = client.get(campaign.get_absolute_url()).content.decode()
    assert "1 rater has gone silent" in page and "4 items open" in page and "12 of 24" not in page
    answer = client.post(
        reverse("campaign_hand_over", args=[campaign.key]), {"rater": "R1", "new_rater": "R9"}, follow=True
    )
    text = answer.content.decode()
    assert "R1 has left; the answers stay. 4 open items taken back, given to:" in text and "R9: " in text
    assert "gone silent" not in text and "R9" in text
    new = campaign.participations.get(rater__name="R9")
    assert new.assignments.live().count() > 0 and new.link_expires_at is not None
    assert campaign.participations.get(rater__name="R1").state == "left"
    assert Judgement.objects.filter(assignment__participation__rater__name="R1").count() == 4
    assert Assignment.objects.filter(item__campaign=campaign).live().count() == 24
    assert AuditEvent.objects.get(action="rater.invited").actor == ann


def test_what_is_short_is_said(client, ann):
    campaign = make_campaign(name="two", n_segments=3, raters=2, judgements=2, owner=ann)
    silence(campaign, "R1", 5)
    text = client.post(
        reverse("campaign_hand_over", args=[campaign.key]), {"rater": "R1"}, follow=True
    ).content.decode()
    assert "given to: nobody." in text and 'class="note warning"' in text


def test_wrong_names_and_states_are_refused(campaign, client):
    address = reverse("campaign_hand_over", args=[campaign.key])
    before = list(campaign.participations.values_list("rater__name", "state"))
    for sent, status in (
        ({}, 400), ({"rater": "Nobody"}, 404), ({"rater": "R1", "new_rater": "R2"}, 409),
        ({"rater": "R1", "new_rater": "a|b"}, 400), ({"rater": "R1", "new_rater": "x" * 200}, 400),
    ):  # fmt: skip
        assert client.post(address, sent).status_code == status, sent
    campaign_close(campaign=campaign)
    assert client.post(address, {"rater": "R1"}).status_code == 409
    assert list(campaign.participations.values_list("rater__name", "state")) == before
    pool = make_campaign(name="pool", n_segments=2, pool=True, owner=campaign.study.owner)
    assert client.post(reverse("campaign_hand_over", args=[pool.key]), {"rater": "R1"}).status_code == 409


@pytest.mark.parametrize("pool", [False, True])
def test_no_door_deals_work_in_a_closed_campaign(ann, client, pool):
    campaign = make_campaign(name="harbour", n_segments=6, owner=ann, pool=pool)
    stale = Campaign.objects.get(pk=campaign.pk)  # as somebody read it who asks as it closes
    campaign_close(campaign=campaign)
    before = list(campaign.participations.values_list("rater__name", "state"))
    given = list(Assignment.objects.order_by("pk").values_list("pk", "state"))
    api = f"/api/v1/campaigns/{campaign.key}/raters/withdraw/"
    for address, sent in (
        (reverse("campaign_hand_over", args=[campaign.key]), {"rater": "R1", "new_rater": "H0"}),
        (api, {"rater": "R1"}),
        (api, {"rater": "R1", "replacement": "H0"}),
    ):
        answer = client.post(address, sent)
        assert answer.status_code == 409, (address, sent)
    assert pool or "is closed" in refused("withdraw_rater", "harbour", "R1", "--replacement", "H0")
    assert "is closed" in refused("withdraw_rater", "harbour", "R1")
    with pytest.raises(Conflict, match="is closed"):
        rater_withdraw(campaign=stale, rater="R1", new_rater="" if pool else "H0")
    assert list(campaign.participations.values_list("rater__name", "state")) == before
    assert list(Assignment.objects.order_by("pk").values_list("pk", "state")) == given


def test_who_passes_an_item_over_as_the_campaign_closes_gives_it_to_nobody(ann):
    settings = CampaignSettings(can_skip=True)
    campaign = make_campaign(name="harbour", n_segments=6, owner=ann, settings=settings)
    answer_all(campaign, share=0.5)
    rater = campaign.participations.select_related("campaign", "rater").first()
    campaign_close(campaign=campaign)
    with pytest.raises(Conflict, match="is closed"):
        assignment_skip(participation=rater, assignment_key=rater.assignments.open().first().key)
    assert not Assignment.objects.filter(state="released").exists()


def test_nobody_new_comes_when_the_other_does_not_leave(campaign, monkeypatch):
    """As when two hand the same work over at once, or the process is killed between the two."""

    def fails(*given):
        raise Conflict("Somebody was faster.", "Look again.")

    monkeypatch.setattr(withdrawal, "change_write", fails)
    with pytest.raises(Conflict):
        work_hand_over(campaign=campaign, rater="R2", new_rater="Zoe")
    assert sorted(campaign.participations.values_list("rater__name", "state")) == [
        ("R1", "active"), ("R2", "active"), ("R3", "active"),
    ]  # fmt: skip
    assert not AuditEvent.objects.filter(action__in=("rater.invited", "rater.withdrawn")).exists()
