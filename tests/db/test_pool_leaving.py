"""Pools when raters stop, pass items over, or answer late: what is counted, kept, and paid."""

import json
import random
import uuid
from collections import Counter
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Campaign
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.invitations import invitation_url
from annotation.services.joining import joining_url
from annotation.services.judging import AnswerTooLate, judgement_save
from annotation.services.participation import participation_start
from annotation.services.rounds import round_assign
from annotation.services.skipping import assignment_skip
from annotation.services.withdrawal import rater_withdraw
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.pool import again, answer, faults, joined, next_key, work
from tests.factories.rating import rater_client

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_stream")]


def pool(n_segments=8, **more):
    return make_campaign(n_segments=n_segments, pool=True, **({"raters": 6, "judgements": 1} | more))


def late(rater):
    own = Assignment.objects.filter(participation=rater, state="open")
    own.update(lease_until=timezone.now() - timedelta(minutes=1))


def check(campaign, **expected):
    found = faults(campaign)
    assert {name: found[name] for name in ("miscounted", "over", "twice")} == {
        "miscounted": 0,
        "over": 0,
        "twice": 0,
    }
    for name, value in expected.items():
        assert found[name] == value


def give(participation, key, score=50, **more):
    return judgement_save(
        participation=again(participation),
        assignment_key=key,
        client_key=uuid.uuid4().hex,
        answers={"score": score} | more,
    )


def test_a_late_answer_of_the_first_round_takes_no_place_of_the_second():
    campaign = pool(1, systems=("A",), judgements=2)
    slow = joined(campaign, "X")
    key = next_key(slow)
    late(slow)
    for name, score in (("R1", 5), ("R2", 95)):
        rater = joined(campaign, name)
        give(rater, next_key(rater), score)
    for name in ("R3", "R4"):
        joined(campaign, name)
    assert len(round_assign(campaign=campaign).pooled) == 1
    with pytest.raises(AnswerTooLate):
        give(slow, key)
    assert next_key(slow) == ""  # nor does looking for more bring it back
    for name in ("R3", "R4"):
        assert work(joined(campaign, name), 9, random.Random(1)) == 1
    assert Assignment.objects.live().done().filter(round=2).count() == 2
    check(campaign, unfinished=0)


@pytest.mark.parametrize("odd", ["\ud800", "\x00", "x" * 1_000_000, {"a": [1, {}]}])
def test_of_a_late_answer_only_what_was_read_is_kept(odd, tmp_path):
    campaign = pool(1, systems=("A",))
    slow = joined(campaign, "R1")
    key = next_key(slow)
    late(slow)
    work(joined(campaign, "R2"), 9, random.Random(1))
    client = rater_client(slow)
    for score in (*range(1, 30), 1, 2):
        body = {"assignment": key, "client_key": uuid.uuid4().hex, "answers": {"score": score, "x": odd}}
        reply = client.post(
            f"/rate/{campaign.key}/answers", json.dumps(body), content_type="application/json"
        )
        assert reply.status_code == 409
    events = AuditEvent.objects.filter(action="answer.late").order_by("pk")
    assert [event.data["answers"] for event in events] == [{"score": score} for score in range(1, 21)]
    assert len(json.dumps([event.data for event in events])) < 10_000
    run("close_campaign", campaign.name)
    run("export_study", campaign.study.name, "--output", tmp_path / "x.zip")
    run("verify_study", tmp_path / "x.zip")


CHECKED = CampaignSettings(bad_references=0.5, repeats=0.3, can_skip=True)
CHECKS = ("bad_reference", "repeat")


def pair_then_check(rater):
    """Answer until a check waits whose pair is answered; return its key."""
    while key := next_key(rater):
        row = Assignment.objects.select_related("item").get(key=key)
        pair = row.item.paired_with_id or row.item.repeat_of_id
        if pair and Assignment.objects.done().filter(item=pair, participation=rater).exists():
            return key
        answer(rater, key, random.Random(1))
    raise AssertionError("no check came after its pair")


@pytest.mark.parametrize("how", ["leaves", "lease", "skips"])
def test_a_pool_reaches_its_end_when_who_has_the_pair_is_gone(how):
    campaign = pool(6, systems=("A",), settings=CHECKED)
    rng = random.Random(1)
    first = joined(campaign, "R1")
    key = pair_then_check(first)
    if how == "leaves":
        rater_withdraw(campaign=campaign, rater="R1")
    elif how == "lease":
        late(first)
    else:
        assignment_skip(participation=again(first), assignment_key=key)
    for number in range(2, 5):
        work(joined(campaign, f"R{number}"), 200, rng)
    if how == "skips":
        work(first, 200, rng)
        work(joined(campaign, "R5"), 200, rng)
    check(campaign, unfinished=0)
    found = Campaign.objects.with_progress().get()
    assert found.n_done == found.n_assigned > 6


def test_who_comes_back_after_a_lease_still_gets_the_check_of_an_answered_item():
    campaign = pool(4, systems=("A",), settings=CHECKED, judgements=2)
    first = joined(campaign, "R1")
    key = pair_then_check(first)
    late(first)
    work(joined(campaign, "R2"), 200, random.Random(1))
    work(joined(campaign, "R3"), 200, random.Random(1))
    row = Assignment.objects.get(key=key)
    assert row.state == "released"
    assert next_key(first)
    row.refresh_from_db()
    assert row.state == "open"
    work(first, 200, random.Random(1))
    check(campaign, unfinished=0)


def test_a_check_in_a_pool_comes_before_or_after_its_pair_alike():
    campaign = pool(60, systems=("A", "B"), settings=CHECKED)
    raters = [joined(campaign, f"R{number}") for number in range(1, 4)]
    while sum(work(rater, 40, random.Random(1)) for rater in raters):
        pass
    after = Counter()
    for row in Assignment.objects.live().filter(item__kind__in=CHECKS).select_related("item"):
        pair = row.item.paired_with_id or row.item.repeat_of_id
        other = Assignment.objects.live().get(item=pair, participation=row.participation)
        after[row.position > other.position] += 1
    n = sum(after.values())
    assert n >= 60 and abs(after[True] - n / 2) <= 2 * n**0.5  # four standard deviations
    check(campaign, unfinished=0)


def finish(rater, follow=False):
    return rater_client(rater).get(f"/rate/{rater.campaign.key}/finish", follow=follow)


def skip_all(rater, most):
    for _ in range(most):
        key = next_key(rater)
        if not key:
            return
        assignment_skip(participation=again(rater), assignment_key=key)


def test_the_last_page_looks_for_more_before_it_gives_the_code():
    campaign = pool(20, systems=("A",))
    first = joined(campaign, "R1")
    answer(first, next_key(first), random.Random(1))
    late(first)
    work(joined(campaign, "R2"), 1, random.Random(1))
    reply = finish(first, follow=True)
    assert "Rate item" in reply.content.decode()
    assert reply.redirect_chain == [(f"/rate/{campaign.key}/", 302)]


def test_who_waits_a_lease_out_after_one_answer_earns_no_code():
    campaign = pool(8, systems=("A",))
    first = joined(campaign, "R1")
    answer(first, next_key(first), random.Random(1))
    late(first)
    work(joined(campaign, "R2"), 99, random.Random(1))
    page = finish(first).content.decode()
    assert campaign.completion_code not in page and "All done" not in page
    assert "Answered: 1. Passed over or gone to others: 7." in page and "Thank you so far!" in page
    assert campaign.completion_code in finish(joined(campaign, "R2")).content.decode()


def test_the_most_items_earn_the_code_whatever_a_lease_took():
    campaign = pool(20, systems=("A",), settings=CampaignSettings(most_items=6))
    first = joined(campaign, "R1")
    work(first, 2, random.Random(1))
    late(first)
    work(joined(campaign, "R2"), 99, random.Random(1))
    work(first, 99, random.Random(1))
    assert first.assignments.live().done().count() == 6
    assert campaign.completion_code in finish(first).content.decode()


@pytest.mark.parametrize("is_pool", [True, False])
def test_passing_over_more_than_answered_earns_no_code(is_pool):
    settings = CampaignSettings(can_skip=True)
    campaign = make_campaign(
        n_segments=6, systems=("A",), raters=3, judgements=2, pool=is_pool, settings=settings
    )
    for name in ("R1", "R2"):
        joined(campaign, name)
    first, second = (campaign.participations.get(rater__name=name) for name in ("R1", "R2"))
    answer(first, next_key(first), random.Random(1))
    skip_all(first, 99)
    page = finish(first).content.decode()
    assert campaign.completion_code not in page and "Answered: 1. Passed over" in page
    half = second.assignments.live().count() // 2
    skip_all(second, min(2, half))
    work(second, 99, random.Random(1))
    assert campaign.completion_code in finish(second).content.decode()
    check(campaign)


def test_nobody_passes_items_over_before_the_practice():
    campaign = pool(4, settings=CampaignSettings(can_skip=True))
    rater = joined(campaign, "R1")
    key = next_key(rater)
    campaign.settings = campaign.settings | {"practice": [1]}
    campaign.save()
    reply = rater_client(rater).post(
        f"/rate/{campaign.key}/skip", json.dumps({"assignment": key}), content_type="application/json"
    )
    assert reply.status_code == 409 and "practice" in reply.json()["detail"]


def test_an_invitation_whose_place_goes_to_another_at_this_moment_says_so(monkeypatch):
    campaign = make_campaign(
        n_segments=6, systems=("A",), raters=1, judgements=1, settings=CampaignSettings(joins=True)
    )
    invited = campaign.participations.get()

    def meanwhile(*, participation):
        monkeypatch.undo()
        joiner = Client()
        joiner.post(joining_url(campaign, base_url=""))
        joiner.post(f"/rate/{campaign.key}/consent", {"agree": "on"})
        assert not campaign.participations.filter(pk=invited.pk).exists()
        participation_start(participation=participation)

    monkeypatch.setattr("annotation.views.rater_before.participation_start", meanwhile)
    reply = Client().post(invitation_url(invited, base_url=""))
    assert reply.status_code == 409 and "went to somebody else" in reply.content.decode()
