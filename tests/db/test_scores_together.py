"""Scores against several references that count together are never shown as scores against the first."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.services.correlate_scoring import metrics_kept
from annotation.services.dossier_metrics import metrics_of
from mtcore.models import MetricResult, SystemOutput, TestSet
from tests.factories.commands import run
from tests.factories.metrics import import_scored_set

pytestmark = [pytest.mark.django_db, pytest.mark.once]  # names written from one signature


@pytest.fixture
def outputs(tmp_path):
    import_scored_set(tmp_path, systems=("A",))
    run("score_outputs", "demo", "--metrics", "chrf", "--reference", "reference", "other", "--together")
    return list(SystemOutput.objects.all())


def test_they_stand_under_both_names(outputs, client):
    client.force_login(User.objects.create_superuser("ann"))
    assert MetricResult.objects.get().reference_names == "reference + other"
    (row,) = client.get(f"/api/v1/testsets/{TestSet.objects.get().pk}/metrics/").json()["results"]
    assert row["reference"] == "reference + other"
    page = client.get(reverse("system", args=[outputs[0].system_id])).content.decode()
    assert "<small>reference + other</small>" in page


def test_they_are_not_what_a_metric_says_against_one(outputs):
    segment = outputs[0].testset.segments.order_by("position")[0]
    (own,) = metrics_of(outputs, segment)[outputs[0].pk]
    assert own.reference == "reference + other"
    assert metrics_kept(outputs) == []
    run("score_outputs", "demo", "--metrics", "chrf")
    found = {one.reference: one.value for one in metrics_of(outputs, segment)[outputs[0].pk]}
    assert set(found) == {"reference", "reference + other"} and metrics_kept(outputs) == ["chrf"]
