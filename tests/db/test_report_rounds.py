"""Every part of a report counts the same ratings as its ranking, where items were judged again."""

import random
import uuid

import pytest
from django.contrib.auth.models import User

from annotation.models import Assignment
from annotation.services.judging import judgement_save
from annotation.services.report.compute import campaign_report
from annotation.services.rounds import round_assign
from annotation.stats.options import ScoreOptions
from tests.factories.reports import rated

pytestmark = [pytest.mark.django_db, pytest.mark.once]


@pytest.fixture
def judged_again():
    """Return a campaign in which some items were judged again, all of them by new scores."""
    owner = User.objects.create_user("ann")
    campaign = rated(owner, n_segments=8, raters=4, judgements=3)
    round_assign(campaign=campaign)
    rng = random.Random(2)
    waiting = Assignment.objects.filter(item__campaign=campaign, state="open")
    for assignment in waiting.select_related("participation__campaign", "participation__rater"):
        judgement_save(
            participation=assignment.participation,
            assignment_key=assignment.key,
            client_key=uuid.uuid4().hex,
            answers={"score": rng.randint(1, 100)},
        )
    return campaign


def test_the_parts_of_a_report_count_what_the_ranking_counts(judged_again):
    n_of = {}
    for treatment in ("replace", "pool", "none"):
        report = campaign_report(campaign=judged_again, options=ScoreOptions(disagreement=treatment))
        ranked = {row["system"]: row["n_judgements"] for row in report.scores["systems"]}
        n = n_of[treatment] = sum(ranked.values())
        parts = report.parts
        assert {row["system"]: row["n"] for row in parts["distributions"]} == ranked
        assert {row["system"]: row["n_judgements"] for row in report.mixed["systems"]} == ranked
        assert sum(row["n"] for row in parts["progress"]["parts"]) == n
        z_of = {row["system"]: pytest.approx(row["z_mean"]) for row in report.scores["systems"]}
        assert {row["system"]: row["z_mean"] for row in parts["holds"]["systems"]} == z_of
        if treatment != "pool":
            assert parts["agreement"]["n_values"] == n  # no rater had the item of one round twice
        assert parts["again"]["n_items"] > 1 and parts["again"]["n_new"] == 3 * parts["again"]["n_items"]
    assert n_of["replace"] == n_of["none"] < n_of["pool"]
