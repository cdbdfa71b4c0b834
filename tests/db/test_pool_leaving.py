"""Pools when raters stop, pass items over, or answer late: what is counted, kept, and paid."""

import random
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Assignment
from annotation.services.judging import AnswerTooLate, judgement_save
from annotation.services.rounds import round_assign
from tests.factories.campaigns import make_campaign
from tests.factories.pool import again, faults, joined, next_key, work

pytestmark = pytest.mark.django_db


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
