"""Answers become judgements: once, checked, with history."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Assignment, AuditEvent, Campaign, Judgement, Participation
from annotation.services.judging import AnswerAfterClosing, judgement_save
from annotation.services.remarks import late_read
from evalplatform.errors import BadInput, Conflict, NotFound
from tests.factories.rating import keys, participation_of, rater_client, rating_campaign

pytestmark = pytest.mark.django_db


def save(participation, assignment, client_key, score=64, **more):
    return judgement_save(
        participation=participation,
        assignment_key=assignment,
        client_key=client_key,
        answers={"score": score},
        **more,
    )


def test_an_answer_closes_its_assignment():
    rater = participation_of(rating_campaign())
    saved = save(rater, keys(rater)[0], "key-00000001", 78, comment="odd word order")
    assert not saved.repeated
    assert saved.progress.as_dict() == {"done": 1, "left": 7, "total": 8}
    stored = Judgement.objects.get()
    assert (stored.score, stored.scale_low, stored.scale_high) == (78, 1, 100)
    assert stored.answers == {"score": 78} and stored.comment == "odd word order"
    assert stored.assignment.state == "done" and stored.submitted_at is not None


def test_the_same_key_is_the_same_answer():
    rater = participation_of(rating_campaign())
    first, second = keys(rater)[:2]
    one = save(rater, first, "key-00000001")
    again = save(rater, first, "key-00000001")
    assert again.repeated and again.judgement.pk == one.judgement.pk
    assert Judgement.objects.count() == 1
    with pytest.raises(Conflict, match="key of another"):
        save(rater, second, "key-00000001")
    with pytest.raises(Conflict, match="key of another"):
        save(rater, first, "key-00000001", 65)
    assert [(j.assignment.key, j.score) for j in Judgement.objects.all()] == [(first, 64)]


def test_an_answer_that_arrives_after_closing_is_kept_and_counts_once_the_campaign_is_open(admin_client):
    campaign = rating_campaign()
    key = keys(participation_of(campaign))[1]
    Campaign.objects.update(state="closed")
    sent = {"score": 64, "system": "x" * 10_000, "odd": "\ud800"}
    for _ in range(2):
        with pytest.raises(AnswerAfterClosing, match="closed before this answer arrived") as refused:
            judgement_save(
                participation=participation_of(campaign),
                assignment_key=key,
                client_key="late-0001",
                answers=sent,
                comment="A comment",
            )
        assert refused.value.code == "closed"
    event = AuditEvent.objects.get(action="answer.late")
    assert event.data == {
        "assignment": key, "client_key": "late-0001", "answers": {"score": 64}, "comment": "A comment",
    }  # fmt: skip
    assert Judgement.objects.count() == 0
    (remark,) = late_read(campaign)
    assert (remark.rater, remark.text) == ("R1", "64 · A comment") and remark.segment
    page = admin_client.get(f"/campaigns/{campaign.key}/").content.decode()
    assert "Answers that came too late" in page and "64 · A comment" in page
    Campaign.objects.update(state="open")
    assert not save(participation_of(campaign), key, "late-0001").repeated
    assert late_read(campaign) == []


@pytest.mark.parametrize("change", [{"state": "left"}, {"consented_at": None}])
def test_nothing_is_kept_late_of_who_left_or_never_agreed(change):
    campaign = rating_campaign()
    rater = participation_of(campaign)
    Participation.objects.filter(pk=rater.pk).update(**change)
    Campaign.objects.update(state="closed")
    with pytest.raises(Conflict):
        save(participation_of(campaign), keys(rater)[0], "late-0001")
    assert not AuditEvent.objects.filter(action="answer.late").exists()


def test_a_resent_answer_is_acknowledged_after_the_campaign_has_closed():
    campaign = rating_campaign()
    rater = participation_of(campaign)
    save(rater, keys(rater)[0], "key-00000001")
    Campaign.objects.update(state="closed")
    assert save(rater, keys(rater)[0], "key-00000001").repeated
    with pytest.raises(Conflict, match="closed"):
        save(rater, keys(rater)[1], "key-00000002")
    assert Judgement.objects.count() == 1


def test_a_correction_supersedes_and_the_earlier_value_stays():
    """UI-02: rate 64, go back, rate 79, go back again."""
    rater = participation_of(rating_campaign())
    key = keys(rater)[0]
    save(rater, key, "key-00000001", 64)
    save(rater, key, "key-00000002", 79)
    save(rater, key, "key-00000003", 71)
    chain = list(Judgement.objects.order_by("pk"))
    assert [(j.score, j.is_current) for j in chain] == [(64, False), (79, False), (71, True)]
    assert [j.supersedes for j in chain] == [None, chain[0], chain[1]]
    assert all(a.submitted_at <= b.submitted_at for a, b in pairwise(chain))


def test_progress_counts_distinct_items():
    """UI-13: rating one item four times is one item done."""
    rater = participation_of(rating_campaign())
    for number in range(4):
        saved = save(rater, keys(rater)[0], f"key-0000000{number}", 50 + number)
        assert saved.progress.as_dict() == {"done": 1, "left": 7, "total": 8}


def test_one_rater_twice_is_not_two_raters():
    """ASG-02: a rater who revises does not fill the place of another."""
    campaign = rating_campaign(n_segments=1, systems=["OP"])
    first, second = participation_of(campaign, "R1"), participation_of(campaign, "R2")
    save(first, keys(first)[0], "key-00000001", 40)
    save(first, keys(first)[0], "key-00000002", 60)
    assert second.assignments.open().count() == 1
    save(second, keys(second)[0], "key-00000003", 55)
    assert Judgement.objects.current().count() == 2


def test_a_short_campaign_finishes():
    """ASG-11: seven items, finished after the seventh and no sooner."""
    rater = participation_of(rating_campaign(n_segments=7, systems=["OP"], raters=1))
    for number, key in enumerate(keys(rater), start=1):
        assert participation_of(rater.campaign).state != "finished"
        saved = save(rater, key, f"key-0000000{number}", 10 * number)
    assert saved.progress.as_dict() == {"done": 7, "left": 0, "total": 7}
    assert participation_of(rater.campaign).state == "finished"
    save(rater, keys(rater)[0], "correction-after", 99)
    assert participation_of(rater.campaign).state == "finished"
    assert Judgement.objects.current().get(assignment__key=keys(rater)[0]).score == 99


def test_new_work_makes_a_finished_rater_active_again():
    campaign = rating_campaign(n_segments=1, systems=["OP", "BT"], raters=1)
    rater = participation_of(campaign)
    first, second = keys(rater)
    Assignment.objects.filter(key=second).update(state="released")
    save(rater, first, "key-00000001")
    assert participation_of(campaign).state == "finished"
    item = Assignment.objects.get(key=second).item
    Assignment.objects.create(item=item, participation=rater, position=3)
    save(rater, first, "key-00000002", 70)
    assert participation_of(campaign).state == "active"


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda p: Campaign.objects.update(state="paused"), Conflict, "not open"),
        (lambda p: Campaign.objects.update(state="closed"), Conflict, "closed"),
        (lambda p: Participation.objects.update(state="left"), Conflict, "left"),
        (lambda p: Participation.objects.update(consented_at=None), Conflict, "agreed"),
        (lambda p: Assignment.objects.update(state="released"), Conflict, "somebody else"),
    ],
)
def test_what_cannot_be_answered_now(change, error, words):
    rater = participation_of(rating_campaign())
    key = keys(rater)[0]
    change(rater)
    with pytest.raises(error, match=words):
        save(rater, key, "key-00000001")
    assert Judgement.objects.count() == 0


def test_another_raters_assignment_does_not_exist():
    """SEC-08, at the service."""
    campaign = rating_campaign()
    mine, theirs = participation_of(campaign, "R1"), participation_of(campaign, "R2")
    with pytest.raises(NotFound):
        save(mine, keys(theirs)[0], "key-00000001")
    assert Judgement.objects.count() == 0


@pytest.mark.parametrize("key", ["", "short", "x" * 65, "with space 12", "ключ-12345678", None, 12345678])
def test_a_client_key_has_a_form(key):
    rater = participation_of(rating_campaign())
    with pytest.raises(BadInput, match="key"):
        save(rater, keys(rater)[0], key)


@pytest.mark.parametrize("comment", ["x" * 5001, "nul \x00", "half \ud800", None, 5])
def test_a_comment_has_a_form(comment):
    rater = participation_of(rating_campaign())
    with pytest.raises(BadInput):
        save(rater, keys(rater)[0], "key-00000001", comment=comment)
    assert Judgement.objects.count() == 0


def test_a_long_comment_is_kept_whole():
    rater = participation_of(rating_campaign())
    comment = "𝔸é\n" * 1666 + "ab"
    save(rater, keys(rater)[0], "key-00000001", comment=comment)
    assert len(comment) == 5000 and Judgement.objects.get().comment == comment


@pytest.mark.parametrize("claimed", [10**12, -5, 3.7, True, "12", None, float("nan"), float("inf")])
def test_the_browsers_clock_is_not_trusted(claimed):
    rater = participation_of(rating_campaign())
    shown = timezone.now() - timedelta(seconds=5)
    Assignment.objects.update(shown_at=shown)
    save(rater, keys(rater)[0], "key-00000001", active_ms=claimed)
    stored = Judgement.objects.get()
    elapsed = (stored.submitted_at - shown).total_seconds() * 1000
    assert stored.shown_at == shown
    if claimed in (-5,):
        assert stored.active_ms == 0
    elif claimed == 3.7:
        assert stored.active_ms == 3
    elif isinstance(claimed, float | int) and not isinstance(claimed, bool) and claimed == claimed:
        assert stored.active_ms == int(elapsed) >= 5000
    else:
        assert stored.active_ms is None


def test_a_choice_is_stored_as_shown():
    rater = participation_of(rating_campaign("pairwise_fluency", swap=True))
    judgement_save(
        participation=rater,
        assignment_key=keys(rater)[0],
        client_key="key-00000001",
        answers={"choice": "left"},
    )
    stored = Judgement.objects.get()
    assert (stored.choice, stored.score, stored.scale_low) == ("left", None, None)
    with pytest.raises(BadInput):
        judgement_save(
            participation=rater,
            assignment_key=keys(rater)[1],
            client_key="key-00000002",
            answers={"choice": "OP"},
        )


def submit(client, campaign, key, number):
    body = {"assignment": key, "client_key": f"key-{number:08d}", "answers": {"score": 50}}
    return client.post(f"/rate/{campaign.key}/answers", body, content_type="application/json")


def test_queries_of_a_submit_do_not_grow():
    """At most 12 queries for a submit, the same at the first, a later one and a correction but for one."""
    campaign = rating_campaign(n_segments=30, raters=1)
    rater = participation_of(campaign)
    client = rater_client(rater)
    counts = []
    for number, key in enumerate(keys(rater)[:40]):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert submit(client, campaign, key, number).status_code == 200
        counts.append(len(queries))
    assert len(set(counts[1:])) == 1 and max(counts) <= 12
    with CaptureQueriesContext(connection) as queries:
        assert submit(client, campaign, keys(rater)[0], 1000).status_code == 200
    assert len(queries) <= 12
