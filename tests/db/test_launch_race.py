"""A button pressed by several at the same moment: one run, one pipeline. SQLite has one writer anyway."""

import time

import pytest

from mtcore.models import Run
from mtcore.services.pipeline import Pipeline, Stage, pipeline_launch, pipeline_runs
from mtcore.services.run_once import run_launch_once
from tests.db.test_run_race import _kind, at_once, pytestmark  # noqa: F401 (the fixture and the marks)
from tests.factories.runs import TEST_KIND

WORKERS = 8


@pytest.mark.parametrize("_round", range(3))
def test_the_same_run_is_launched_once(_round):
    got = at_once(lambda _number: run_launch_once(kind=TEST_KIND, options={"a": 1}, name="x"))
    assert len({run.pk for run, _created in got}) == Run.objects.count() == 1
    assert sorted(created for _run, created in got) == [False] * (WORKERS - 1) + [True]


def test_the_same_pipeline_is_launched_once(monkeypatch):
    def slowly(name):
        found = pipeline_runs(name)
        time.sleep(0.3)  # so that everybody looks before anybody writes, unless one waits for the other
        return found

    monkeypatch.setattr("mtcore.services.pipeline.pipeline_runs", slowly)
    stages = [
        Stage("a", TEST_KIND, "first", {"n": 1}),
        Stage("b", TEST_KIND, "second", {"n": 2}, after=["a"]),
    ]
    got = at_once(lambda _number: pipeline_launch(Pipeline("p", stages)))
    assert len({tuple(run.pk for run in one.runs) for one in got}) == 1
    assert Run.objects.count() == 2
