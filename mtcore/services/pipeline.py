"""A pipeline: runs that wait for each other, planned as a whole, launched as a whole, described in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction

from evalplatform.errors import Conflict
from evalplatform.words import counted
from mtcore.models import Run
from mtcore.services.run_wake import workers_wake
from mtcore.services.runs import run_launch, run_resume

PIPELINE = "pipeline"
"""The option of a run that holds the name of its pipeline."""
_LAUNCH_LOCK = 7_221_904_121


@dataclass(frozen=True)
class Stage:
    """A run that is planned.

    Attributes:
        key: what other stages call it.
        kind: of the run.
        name: of the run.
        options: what it is launched with.
        after: keys of the stages that must have succeeded before.
        queue: "default" or "gpu".
        words: what it does, for people.
        commands: what it will start, as far as that is known before.
    """

    key: str
    kind: str
    name: str
    options: Mapping[str, Any]
    after: Sequence[str] = ()
    queue: str = "default"
    words: str = ""
    commands: Sequence[str] = ()


@dataclass(frozen=True)
class Pipeline:
    """Runs that make one thing.

    Attributes:
        system: the name of what is made.
        stages: what is planned, in order.
        runs: one a stage, in the same order; empty when it was planned only.
        notices: what whoever launches it should know.
        resumed: the runs that failed or were cancelled earlier and now go on.
    """

    system: str
    stages: Sequence[Stage]
    runs: Sequence[Run] = ()
    notices: Sequence[str] = ()
    resumed: Sequence[Run] = field(default=())

    def summary(self) -> str:
        """Say step by step what will happen and which commands will run."""
        told = [f"{self.system}: {counted(len(self.stages), 'step')}"]
        for number, stage in enumerate(self.stages, start=1):
            run = f" [run {self.runs[number - 1].pk}]" if self.runs else ""
            told.append(f"{number}. {stage.words or stage.kind}{run} (queue {stage.queue})")
            told += [f"     $ {command}" for command in stage.commands]
        told += [f"Note: {notice}" for notice in self.notices]
        return "\n".join(told)

    @property
    def is_finished(self) -> bool:
        """Tell whether every run has succeeded, as the database has it now."""
        pks = [run.pk for run in self.runs]
        return Run.objects.filter(pk__in=pks, state=Run.State.SUCCEEDED).count() == len(pks)


def pipeline_launch(pipeline: Pipeline, *, requested_by: User | None = None) -> Pipeline:
    """Put every stage in the queue, all or none; the same pipeline again goes on where it stopped.

    Raises:
        Conflict: another pipeline has this name.
        BadInput: a stage's options are refused.
    """
    with transaction.atomic():
        _one_at_a_time()
        found = pipeline_runs(pipeline.system)
        if found:
            return _again(pipeline, found)
        made: dict[str, Run] = {}
        for stage in pipeline.stages:
            made[stage.key] = run_launch(
                kind=stage.kind,
                name=stage.name,
                options={**stage.options, PIPELINE: pipeline.system},
                queue=stage.queue,
                parents=[made[key] for key in stage.after],
                requested_by=requested_by,
                wake=False,
            )
        for queue in sorted({stage.queue for stage in pipeline.stages}):
            transaction.on_commit(partial(workers_wake, queue))
    return Pipeline(pipeline.system, pipeline.stages, list(made.values()), pipeline.notices)


def pipeline_runs(name: str) -> list[Run]:
    """Return the runs of a pipeline in their order; none when there is no such pipeline."""
    return list(Run.objects.filter(**{f"options__{PIPELINE}": name}).order_by("pk"))


def _again(pipeline: Pipeline, found: Sequence[Run]) -> Pipeline:
    """Let a pipeline that is there already go on, when it is the same one."""
    if [_identity(stage.kind, stage.options) for stage in pipeline.stages] != [
        _identity(run.kind, run.options) for run in found
    ]:
        raise Conflict(
            f"“{pipeline.system}” was launched already with other settings "
            f"(runs {found[0].pk}–{found[-1].pk}).",
            "Take another name; or launch it with the same settings, and it goes on where it stopped.",
        )
    ended = [run for run in found if run.state in (Run.State.FAILED, Run.State.CANCELLED)]
    resumed = [run for run in ended if run_resume(run=run).changed or _is_queued(run)]
    return Pipeline(pipeline.system, pipeline.stages, found, pipeline.notices, resumed)


def _one_at_a_time() -> None:
    """Let nobody else launch a pipeline until the transaction ends; SQLite has one writer anyway."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LAUNCH_LOCK])


def _is_queued(run: Run) -> bool:
    return Run.objects.filter(pk=run.pk, state=Run.State.QUEUED).exists()


def _identity(kind: str, options: Mapping[str, Any]) -> tuple[str, str]:
    kept = {name: value for name, value in options.items() if name != PIPELINE}
    return kind, repr(sorted(_plain(kept).items()))


def _plain(value: Any) -> Any:
    """Return a value as JSON gives it back: tuples are lists."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in sorted(value.items())}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
