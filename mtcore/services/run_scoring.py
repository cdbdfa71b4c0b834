"""The runner that scores outputs: the same service as in the foreground, with progress and cancelling.

What an attempt has kept is not extracted again by the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evalplatform.errors import BadInput
from evalplatform.words import counted
from mtcore.metrics.scoring import ScoringOptions
from mtcore.models import Run
from mtcore.services.metric_outputs import Selection, outputs_score, outputs_score_check
from mtcore.services.metric_scoring import MetricOptions
from mtcore.services.run_context import Outcome, RunContext


def scoring_options(*, testset: str, selection: Selection, options: MetricOptions) -> dict[str, Any]:
    """Return what a run is launched with."""
    return {"testset": testset, "selection": asdict(selection), "options": asdict(options)}


def outputs_score_check_run(options: Mapping[str, Any]) -> None:
    """Refuse at the door what scoring would refuse."""
    outputs_score_check(**_read(options))


def outputs_score_run(context: RunContext) -> Outcome:
    """Score outputs; options from `scoring_options`. The result is the report."""
    run = Run.objects.get(pk=context.run_id)

    def watch(part: float, note: str) -> None:
        context.check()
        context.report(min(part, 0.99), note)

    report = outputs_score(**_read(context.options), run=run, watch=watch, work=context)
    context.report(1.0, f"{counted(len(report.results), 'score')}")
    return Outcome(report.as_dict())


def _read(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the service from what JSON has made of them."""
    try:
        selection = {key: _frozen(value) for key, value in options.get("selection", {}).items()}
        own = dict(options.get("options", {}))
        scoring = {key: _frozen(value) for key, value in own.pop("scoring", {}).items()}
        chosen = {key: _frozen(value) for key, value in own.items()}
        return {
            "testset": options["testset"],
            "selection": Selection(**selection),
            "options": MetricOptions(**chosen, scoring=ScoringOptions(**scoring)),
        }
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"An option of scoring is wrong: {error}.", "Launch it with score_outputs.") from error


def _frozen(value: Any) -> Any:
    """Return lists as tuples, all the way down."""
    return tuple(_frozen(one) for one in value) if isinstance(value, list | tuple) else value
