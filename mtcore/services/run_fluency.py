"""The runners that compare fluency and directions: the same services as in the foreground, with progress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from evalplatform.errors import BadInput
from evalplatform.words import counted
from mtcore.models import Run
from mtcore.services.direction_table import direction_table, direction_table_check
from mtcore.services.fluency import FluencyOptions, fluency_check, fluency_compare
from mtcore.services.fluency_own import OwnOptions, fluency_own, own_texts
from mtcore.services.metric_outputs import Watch
from mtcore.services.run_context import Outcome, RunContext

T = TypeVar("T")


def fluency_check_run(options: Mapping[str, Any]) -> None:
    """Refuse at the door what comparing under one model would refuse."""
    fluency_check(**_read(options, FluencyOptions))


def fluency_run(context: RunContext) -> Outcome:
    """Compare systems under one language model; the result is the report with its verdicts."""
    found = fluency_compare(
        **_read(context.options, FluencyOptions), run=_run(context), watch=_watch(context), work=context
    )
    context.report(1.0, counted(len(found.verdicts), "verdict"))
    return Outcome(found.as_dict())


def closeness_check_run(options: Mapping[str, Any]) -> None:
    """Refuse at the door test sets without texts that can be told apart."""
    given = _read(options, OwnOptions)
    if not given["models"]:
        raise BadInput("No language model is named.", "Give one for each system.")
    own_texts(given["testsets"], given["options"].version)


def closeness_run(context: RunContext) -> Outcome:
    """Score target texts under a model for each system; the result is Table 4."""
    found = fluency_own(**_read(context.options, OwnOptions), watch=_watch(context), work=context)
    context.report(1.0, counted(len(found.cells), "perplexity", "perplexities"))
    return Outcome(found.as_dict())


def directions_check_run(options: Mapping[str, Any]) -> None:
    """Refuse at the door what the table of directions would refuse."""
    direction_table_check(**_directions(options))


def directions_run(context: RunContext) -> Outcome:
    """Score every system on direct and on reverse text; the result is the table."""
    table = direction_table(
        **_directions(context.options), run=_run(context), watch=_watch(context), work=context
    )
    context.report(1.0, counted(len(table.rows), "system"))
    return Outcome(asdict(table))


def _run(context: RunContext) -> Run:
    return Run.objects.get(pk=context.run_id)


def _watch(context: RunContext) -> Watch:
    def watch(part: float, note: str) -> None:
        context.check()
        context.report(min(part, 0.99), note)

    return watch


def _read(options: Mapping[str, Any], kind: Callable[..., T]) -> dict[str, Any]:
    """Return the arguments of a service from what JSON has made of them."""
    try:
        own = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in dict(options["options"]).items()
        }
        return {**options, "options": kind(**own)}
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"An option of comparing is wrong: {error}.", "Launch it with fluency.") from error


def _directions(options: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {name: options[name] for name in ("testsets", "metric", "models")}
    except KeyError as error:
        raise BadInput(f"An option is missing: {error}.", "Launch it with direction_table.") from error
