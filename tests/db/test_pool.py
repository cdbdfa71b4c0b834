"""Campaigns without a plan: who comes takes items, who stops frees them, nothing is over-assigned."""

import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Campaign, Item, Participation
from annotation.services.campaign_settings import CampaignSettings
from annotation.services.joining import joining_url
from annotation.services.judging import AnswerTooLate, judgement_save
from annotation.services.pool import pool_ready
from annotation.services.rounds import round_assign
from annotation.services.skipping import assignment_skip
from annotation.services.way import Way
from annotation.services.withdrawal import rater_withdraw
from evalplatform.errors import BadInput
from tests.factories.campaigns import make_campaign
from tests.factories.commands import run
from tests.factories.pool import again, answer, faults, joined, next_key, spread_of, work
from tests.factories.pool_page import PoolPage
from tests.factories.rating import rater_client, send_form

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_stream")]
NONE = {"miscounted": 0, "over": 0, "twice": 0}


def pool(n_segments=8, *, raters=4, judgements=2, **more):
    settings = more.pop("settings", {})
    if isinstance(settings, CampaignSettings):
        more, settings = more | {"settings": settings}, {}
    made = make_campaign(n_segments=n_segments, raters=raters, judgements=judgements, pool=True, **more)
    made.settings = made.settings | settings
    made.save()
    return made


def check(campaign, **expected):
    found = faults(campaign)
    assert {name: found[name] for name in NONE} == NONE
    for name, value in expected.items():
        assert found[name] == value


def turn(raters, rng, most):
    """Let each rater answer a few; return how many were answered."""
    return sum(work(rater, rng.randint(1, most), rng) for rater in raters)


def late(rater, minutes=31):
    """Let a lease end."""
    own = Assignment.objects.filter(participation=rater, state="open")
    own.update(lease_until=timezone.now() - timedelta(minutes=minutes - 30))


def test_raters_share_the_work_until_nothing_is_left():
    campaign = pool(8, systems=("A", "B", "C"), judgements=3, raters=5)
    rng = random.Random(1)
    assert not Assignment.objects.exists()
    assert set(campaign.items.values_list("given", flat=True)) == {0}
    raters = [joined(campaign, f"R{number}") for number in range(1, 6)]
    while turn(raters, rng, 4):
        check(campaign)
    check(campaign, unfinished=0)
    assert set(Participation.objects.values_list("state", flat=True)) == {"finished"}
    assert Assignment.objects.done().count() == 8 * 3 * 3
    found = spread_of(campaign)
    assert found["torn"] == 0 and found["systems"] == 0


def test_looking_far_ahead_takes_no_more_than_lies_before_a_rater(monkeypatch):
    """A page that asks for twelve gets what is held in front; nothing behind a free place is shown early."""
    monkeypatch.setattr(
        "annotation.services.pool.USUAL_STAY", 80
    )  # a segment's items lie twenty places apart
    campaign = pool(30, systems=("A", "B", "C"), judgements=1, raters=1)
    rater = joined(campaign, "R1")
    first = Way(rater).next_screen()
    assert first is not None
    browser, path = rater_client(rater), f"/rate/{campaign.key}/screens"
    ahead = browser.get(path, {"after": first.key, "n": 12}).json()
    keys = [first.key, *(screen["key"] for screen in ahead["screens"])]
    assert len(keys) >= 8 and not ahead["more"]
    positions = Assignment.objects.filter(shown_at__isnull=False).values_list("position", flat=True)
    assert sorted(positions) == list(range(1, len(keys) + 1))
    assert Assignment.objects.filter(shown_at=None).exists()  # of the same segments, later
    more = browser.get(path, {"after": keys[-1], "n": 12}).json()
    assert more["screens"] == [] and more["more"]
    for key in keys:
        answer(rater, key, random.Random(4))
    after = browser.get(path, {"after": keys[-1], "n": 12}).json()
    assert after["screens"] and not after["more"]


def test_the_end_of_a_pool_is_no_promise_of_more():
    campaign = pool(1, systems=("A",), judgements=1, raters=1)
    rater = joined(campaign, "R1")
    key = next_key(rater)
    reply = rater_client(rater).get(f"/rate/{campaign.key}/screens", {"after": key, "n": 12}).json()
    assert reply["screens"] == [] and reply["more"] is False


def test_a_rater_alone_and_who_comes_last():
    campaign = pool(3, raters=2, judgements=2)
    rng = random.Random(2)
    first, second = joined(campaign, "R1"), joined(campaign, "R2")
    assert work(first, 100, rng) == 6
    first = again(first)
    assert first.state == "finished" and next_key(first) == ""
    assert work(second, 100, rng) == 6
    assert work(joined(campaign, "late"), 100, rng) == 0
    check(campaign, unfinished=0)


def test_one_item_two_judgements_ten_raters():
    """ASG-01, ASG-02: exactly two different raters; a correction does not close an item."""
    campaign = pool(1, systems=("A",), raters=10, judgements=2)
    raters = [joined(campaign, f"R{number}") for number in range(1, 11)]
    keys = [next_key(rater) for rater in raters]
    assert sum(map(bool, keys)) == 2
    rater = raters[next(place for place, key in enumerate(keys) if key)]
    own = rater.assignments.get()
    for score in (10, 20):
        judgement_save(
            participation=again(rater),
            assignment_key=own.key,
            client_key=f"key-{score:08}",
            answers={"score": score},
        )
    assert Assignment.objects.done().count() == 1 and Item.objects.get().given == 2
    check(campaign)


def test_who_stops_frees_the_items_and_finds_them_again():
    campaign = pool(2, raters=3, judgements=1)
    stopped, other = joined(campaign, "R1"), joined(campaign, "R2")
    assert next_key(stopped)
    assert next_key(other) == ""  # the first has all of it, for as long as the lease runs
    late(stopped)
    assert next_key(stopped)  # nobody took it: it is still theirs, and the lease begins anew
    assert stopped.assignments.filter(lease_until__gt=timezone.now()).count() == 4
    late(stopped)
    assert next_key(other)
    check(campaign)
    assert Assignment.objects.filter(participation=stopped, state="released").count() == 4
    assert next_key(stopped) == ""
    late(other)
    assert next_key(stopped)  # and back again
    assert work(stopped, 10, random.Random(1)) == 4
    check(campaign, unfinished=0)


def test_an_answer_after_its_lease_is_taken_while_there_is_room():
    campaign = pool(1, systems=("A", "B"), raters=3, judgements=1)
    slow, other = joined(campaign, "R1"), joined(campaign, "R2")
    key = next_key(slow)
    late(slow)
    assert answer(slow, key, random.Random(1)).progress.done == 1  # nobody had taken it
    check(campaign)
    key = next_key(slow)
    late(slow)
    pool_ready(again(other))  # taken, not seen yet
    assert Assignment.objects.filter(participation=other, state="open", shown_at=None).count() == 1
    assert answer(slow, key, random.Random(1)).progress.done == 2
    check(campaign, unfinished=0)
    assert Assignment.objects.get(participation=other).state == "released"


def test_an_answer_for_which_there_is_no_room_is_kept_beside():
    campaign = pool(1, systems=("A",), raters=3, judgements=1)
    slow, other = joined(campaign, "R1"), joined(campaign, "R2")
    key = next_key(slow)
    late(slow)
    assert next_key(other)  # on the other rater's screen
    for _ in range(2):
        with pytest.raises(AnswerTooLate, match="kept"):
            judgement_save(
                participation=again(slow), assignment_key=key, client_key="late-0001", answers={"score": 77}
            )
    event = AuditEvent.objects.get(action="answer.late")
    assert event.data["answers"] == {"score": 77} and event.participation == slow
    check(campaign)
    assert answer(other, next_key(other), random.Random(1))
    check(campaign, unfinished=0)


def test_most_items_end_a_raters_work_with_the_code():
    campaign = pool(20, systems=("A", "B", "C"), raters=3, judgements=2, settings={"most_items": 7})
    rater = joined(campaign, "R1")
    assert work(rater, 100, random.Random(1)) == 7
    assert again(rater).state == "finished"
    assert Way(again(rater)).progress.as_dict() == {"done": 7, "left": 0, "total": 7, "endless": True}


def test_segments_keep_together_and_apart():
    campaign = pool(16, systems=("A", "B", "C"), raters=4, judgements=2, settings={"most_items": 24})
    rng = random.Random(4)
    raters = [joined(campaign, f"R{number}") for number in range(1, 5)]
    while turn(raters, rng, 9):
        pass
    found = spread_of(campaign)
    check(campaign, unfinished=0)
    assert found["torn"] == 0 and found["systems"] == 0
    assert found["usual_gap"] >= 5


def test_sides_are_even_for_every_rater():
    campaign = pool(10, protocol="pairwise_fluency", systems=("A", "B", "C"), raters=4, judgements=2)
    rng = random.Random(5)
    raters = [joined(campaign, f"R{number}") for number in range(1, 5)]
    while turn(raters, rng, 9):
        pass
    check(campaign, unfinished=0)
    assert spread_of(campaign)["sides"] <= 2


def test_identical_outputs_are_one_item_of_both(monkeypatch):
    """ASG-06: what several systems say alike is shown once; pairs of identical outputs never."""
    campaign = pool(
        6, protocol="pairwise_fluency", systems=("A", "B"), identical=(0, 3), judgements=1, raters=1
    )
    assert work(joined(campaign, "R1"), 100, random.Random(1)) == 4
    campaign = pool(6, systems=("A", "B"), identical=(0, 3), judgements=1, raters=1, name="da")
    assert work(joined(campaign, "R1"), 100, random.Random(1)) == 10


def test_items_for_quality_control_go_with_their_pair():
    campaign = pool(12, systems=("A", "B"), raters=3, judgements=2)
    items = list(campaign.items.order_by("pk"))
    for place in range(0, 12, 3):
        base = items[place]
        bad = Item.objects.create(
            campaign=campaign, segment=base.segment, kind="bad_reference", paired_with=base, wanted=2,
            context_version=base.context_version, input_version=base.input_version,
        )  # fmt: skip
        bad.candidates.create(position=1, text="spoilt")
    rng = random.Random(6)
    raters = [joined(campaign, f"R{number}") for number in range(1, 4)]
    while turn(raters, rng, 5):
        pass
    check(campaign, unfinished=0)
    for row in Assignment.objects.filter(item__kind="bad_reference").select_related("item"):
        assert Assignment.objects.filter(item=row.item.paired_with, participation=row.participation).exists()


def test_leaving_skipping_and_the_extra_round():
    campaign = pool(6, systems=("A",), raters=8, judgements=3, settings={"can_skip": True, "joins": True})
    rng = random.Random(7)
    leaver = joined(campaign, "R1")
    work(leaver, 2, rng)
    result = rater_withdraw(campaign=campaign, rater="R1")
    assert result.kept == 2 and result.released == 4
    check(campaign)
    skipper = joined(campaign, "R2")
    key = next_key(skipper)
    found = assignment_skip(participation=again(skipper), assignment_key=key)
    assert not found.short and next_key(skipper) != key
    item = Assignment.objects.get(key=key).item
    assert work(skipper, 100, rng) == 5
    assert not Assignment.objects.live().filter(item=item, participation=skipper).exists()
    for number in range(3, 6):
        work(joined(campaign, f"R{number}"), 100, rng)
    check(campaign, unfinished=0)
    for one in Assignment.objects.done():
        one.judgements.update(score=50)
    apart = campaign.items.order_by("pk")[:2]
    for item in apart:
        item.assignments.done().first().judgements.update(score=1)
    draft = round_assign(campaign=campaign)
    assert set(draft.pooled) == {item.pk for item in apart}
    assert set(Item.objects.filter(wanted=6).values_list("pk", flat=True)) == set(draft.pooled)
    for number in range(6, 10):
        work(joined(campaign, f"R{number}"), 100, rng)
    assert Assignment.objects.filter(round=2, state="done").count() == 6
    check(campaign, unfinished=0)
    for one in Assignment.objects.filter(round=2):
        assert not Assignment.objects.filter(item=one.item, participation=one.participation, round=1).exists()
    assert not round_assign(campaign=campaign).apart


def test_the_pages_of_a_pool_say_what_is_done_and_offer_more():
    campaign = pool(2, systems=("A",), raters=2, judgements=1)
    first, second = joined(campaign, "R1"), joined(campaign, "R2")
    browser = rater_client(first)
    page = browser.get(f"/rate/{campaign.key}/").content.decode()
    assert "Rate item 1" in page and "0 done" in page and "left</span>" not in page
    other = rater_client(second)
    reply = other.get(f"/rate/{campaign.key}/", follow=True)
    assert "nothing for you to judge just now" in reply.content.decode()
    reply = other.post(f"/rate/{campaign.key}/more", follow=True)
    assert "Items come free when others stop" in reply.content.decode()
    late(first)
    reply = other.post(f"/rate/{campaign.key}/more", follow=True)
    assert "Rate item 1" in reply.content.decode()
    for _ in range(2):
        send_form(other, campaign)
    page = other.get(f"/rate/{campaign.key}/finish").content.decode()
    assert campaign.completion_code in page and "Your 2 answers are saved" in page
    check(campaign, unfinished=0)


def test_progress_counts_what_is_wanted_and_a_package_of_a_pool_is_whole(client, admin_user, tmp_path):
    campaign = pool(4, raters=3, judgements=2)
    work(joined(campaign, "R1"), 3, random.Random(1))
    work(joined(campaign, "R2"), 5, random.Random(2))
    client.force_login(admin_user)
    assert "of 16 judgements" in client.get(f"/campaigns/{campaign.key}/").content.decode()
    assert Campaign.objects.with_progress().get().n_assigned == 16
    assert Campaign.objects.with_progress().get().n_done == 8
    run("export_study", "demo", "--output", tmp_path / "pool.zip")
    run("verify_study", tmp_path / "pool.zip")


def test_whoever_has_the_joining_link_rates_to_the_code():
    campaign = pool(3, systems=("A", "B"), raters=(), judgements=1, settings=CampaignSettings(joins=True))
    browser = Client()
    browser.post(joining_url(campaign, base_url=""), {"PROLIFIC_PID": "p1"})
    browser.post(f"/rate/{campaign.key}/consent", {"agree": "on"})
    for _ in range(6):
        send_form(browser, campaign)
    assert campaign.completion_code in browser.get(f"/rate/{campaign.key}/finish").content.decode()
    check(campaign, unfinished=0)


def test_nothing_is_taken_without_consent_or_from_a_closed_campaign():
    campaign = pool()
    rater = joined(campaign, "R1")
    Participation.objects.update(consented_at=None)
    pool_ready(again(rater))
    Participation.objects.update(consented_at=timezone.now())
    campaign.state = "closed"
    campaign.save()
    pool_ready(again(rater))
    assert not Assignment.objects.exists()


def cost(campaign, n):
    """Return the queries of each rating of somebody's page, fetching ahead and claiming included."""
    page = PoolPage(joined(campaign, "R1"))
    counts = []
    for _ in range(n):
        with CaptureQueriesContext(connection) as found:
            assert page.rate()
        counts.append(len(found))
    return counts


@pytest.mark.parametrize("systems", [("A",), ("A", "B", "C", "D")])
def test_submit_and_next_take_twelve_queries_and_no_more_in_a_large_campaign(systems):
    """A rating that claims items draws no screens, and one that draws claims none: 18 at the most."""
    found = {n: cost(pool(n, systems=systems, name=f"{n} segments"), 34) for n in (40, 120)}
    most = 18 + (connection.vendor == "postgresql")  # which waits for the campaign's turn first
    for counts in found.values():
        assert sum(counts) / len(counts) <= 12 and max(counts) <= most, counts
    assert abs(sum(found[120]) - sum(found[40])) <= most


def test_what_others_took_is_not_asked_for_again_and_again():
    """Who comes back to find everything gone is not slowed down by it."""
    campaign = pool(12, systems=("A", "B"), raters=3, judgements=1)
    gone, rng = joined(campaign, "R1"), random.Random(3)
    next_key(gone)
    late(gone)
    taken = gone.assignments.count()
    while work(joined(campaign, "R2"), 30, rng):
        continue
    assert taken > 8 and gone.assignments.filter(state="released").count() == taken
    with CaptureQueriesContext(connection) as found:
        assert next_key(gone) == ""
    assert len(found) <= 14, len(found)
    check(campaign, unfinished=0)


def test_what_a_pool_cannot_be():
    with pytest.raises(BadInput, match="segment by segment"):
        pool(spread=True)
    with pytest.raises(BadInput, match="need as many raters"):
        pool(raters=1, judgements=3)
    with pytest.raises(BadInput, match="No raters"):
        make_campaign(raters=(), name="x")
    assert not Item.objects.exists()
