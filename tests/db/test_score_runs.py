"""Scoring by a worker: the same numbers, kept once, and gone on with."""

import pytest

from mtcore.metrics.sacre import SacreMetric
from mtcore.models import MetricResult, Run
from mtcore.services.run_context import Reports, RunContext, RunStopped, run_directory
from mtcore.services.run_scoring import outputs_score_run
from mtcore.services.runs import run_launch, run_resume
from tests.factories.commands import refused, run
from tests.factories.metrics import import_scored_set, scored
from tests.factories.runs import work_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _testset(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    import_scored_set(tmp_path)


def in_background(*arguments: object) -> Run:
    out, _ = run("score_outputs", "demo", *arguments, "--background")
    found = Run.objects.order_by("pk").last()
    assert f"Run {found.pk} scores them" in out
    return found


def test_a_worker_scores_as_the_command_does():
    arguments = ("--metrics", "chrf,ter", "--compare", "A", "B", "--resamples", 30, "--direction", "direct")
    launched = in_background(*arguments)
    assert MetricResult.objects.count() == 0
    (done,) = work_all()
    assert (done.pk, done.state, done.progress) == (launched.pk, Run.State.SUCCEEDED, 1.0)
    assert set(MetricResult.objects.values_list("run", flat=True)) == {launched.pk}
    assert done.result == scored("score_outputs", "demo", *arguments)
    assert MetricResult.objects.count() == 4


def test_cel_08_the_same_scoring_twice_keeps_the_same_rows():
    first = in_background("--resamples", 0)
    work_all()
    rows = list(MetricResult.objects.order_by("pk").values_list("pk", "signature", "value", "run"))
    in_background("--resamples", 0)
    work_all()
    assert list(MetricResult.objects.order_by("pk").values_list("pk", "signature", "value", "run")) == rows
    assert {row[3] for row in rows} == {first.pk}
    results = Run.objects.order_by("pk").values_list("result", flat=True)
    assert results[0] == results[1]


def test_an_attempt_that_broke_goes_on_where_it_was(monkeypatch):
    launched = in_background("--metrics", "bleu,chrf", "--resamples", 0)
    extract = SacreMetric.segment_stats
    seen = []

    def breaking(self, hypotheses, references, sources=()):
        seen.append(self.name)
        if len(seen) == 4:
            raise MemoryError
        return extract(self, hypotheses, references, sources)

    monkeypatch.setattr(SacreMetric, "segment_stats", breaking)
    work_all()
    launched.refresh_from_db()
    assert launched.state == Run.State.FAILED and 0.5 < launched.progress < 1
    assert MetricResult.objects.count() == 3
    run_resume(run=launched)
    work_all()
    launched.refresh_from_db()
    assert launched.state == Run.State.SUCCEEDED and MetricResult.objects.count() == 4
    assert seen == ["bleu", "bleu", "chrf", "chrf", "chrf"]


def test_a_run_that_should_stop_stops_between_two_outputs():
    launched = in_background("--metrics", "bleu,chrf", "--resamples", 0)
    told = []

    def stopping() -> bool:
        return len(told) == 2

    context = RunContext(
        launched.pk, launched.kind, launched.name, launched.options, run_directory(launched.pk), 1, "", (),
        stopping, Reports(launched),
    )  # fmt: skip
    context.reports.add = lambda part, note, metrics: told.append((part, note))
    with pytest.raises(RunStopped):
        outputs_score_run(context)
    assert told == [(0.0, "bleu of A"), (0.25, "bleu of B")]
    assert MetricResult.objects.count() == 2


def test_what_would_be_refused_is_refused_before_it_is_launched():
    assert "no test set" in refused("score_outputs", "x", "--background")
    assert "Did you mean" in refused("score_outputs", "demo", "--metrics", "blue", "--background")
    assert "no “C” to compare" in refused("score_outputs", "demo", "--compare", "A", "C", "--background")
    assert "no version “Z”" in refused("score_outputs", "demo", "--reference", "Z", "--background")
    for wrong in ({}, {"testset": "demo", "options": {"x": 1}}, {"testset": "demo", "selection": 3}):
        with pytest.raises(Exception, match="option of scoring is wrong"):
            run_launch(kind="score_outputs", options=wrong)
