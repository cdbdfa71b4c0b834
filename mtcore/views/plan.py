"""What will happen before it happens: the steps of a launch in words, its figures, and its command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mtcore.engines.recipe import Recipe
from mtcore.engines.recipes import RECIPES
from mtcore.services.pipeline import Pipeline
from mtcore.services.run_presence import workers_alive


@dataclass(frozen=True)
class Step:
    """A run that will be launched: what it does, on which queue, after which steps, by which commands."""

    words: str
    queue: str
    after: Sequence[int] = ()
    commands: Sequence[str] = ()


@dataclass(frozen=True)
class Plan:
    """Everything that a person should know before launching.

    Attributes:
        steps: the runs.
        notices: what to look at.
        command: the same from the command line.
        recipe: the recipe with its changes, where there is one.
    """

    steps: Sequence[Step]
    notices: Sequence[str] = ()
    command: str = ""
    recipe: Recipe | None = None
    facts: Sequence[tuple[str, str]] = field(default=())

    @property
    def deserted(self) -> list[dict[str, str]]:
        """Return the queues that the steps need and nobody works on."""
        served = {queue for worker in workers_alive() for queue in worker.queues}
        wanted = dict.fromkeys(step.queue for step in self.steps)
        return [
            {"name": queue, "command": f"manage.py work --queue {queue}"}
            for queue in wanted
            if queue not in served
        ]


def plan_of(
    pipeline: Pipeline, *, command: str = "", recipe: Recipe | None = None, notices: Sequence[str] = ()
) -> Plan:
    """Return the plan of a pipeline that was not launched."""
    numbers = {stage.key: number for number, stage in enumerate(pipeline.stages, 1)}
    steps = [
        Step(
            words=stage.words or stage.kind,
            queue=stage.queue,
            after=[numbers[key] for key in stage.after if key in numbers],
            commands=stage.commands,
        )
        for stage in pipeline.stages
    ]
    return Plan(steps, [*notices, *pipeline.notices], command, recipe)


def figures_of(recipe: Recipe) -> list[dict[str, Any]]:
    """Return every figure of a recipe by its dotted name; those that were changed are marked."""
    base = RECIPES.get(recipe.name)
    before = dict(_flat(asdict(base))) if base else {}
    return [
        {
            "name": name,
            "value": shown(value),
            "changed": bool(base) and before.get(name) != value,
            "before": shown(before.get(name)) if base else "",
        }
        for name, value in _flat(asdict(recipe))
        if name not in ("name", "kind", "description")
    ]


def shown(value: Any) -> str:
    """Write a figure as recipes do."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(shown, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _flat(values: dict[str, Any], path: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in values.items():
        found += _flat(value, f"{path}{name}.") if isinstance(value, dict) else [(f"{path}{name}", value)]
    return found
