"""The runner that measures diversity: the same service as in the foreground, with progress and cancelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalplatform.errors import BadInput
from evalplatform.words import counted
from mtcore.diversity import measures_for
from mtcore.diversity.measuring import check_names
from mtcore.services.diversity import (
    DiversityOptions,
    definition_check,
    diversity_errors,
    diversity_origins_measure,
    diversity_result,
)
from mtcore.services.diversity_origins import Origin, path_of
from mtcore.services.run_context import Outcome, RunContext


def diversity_check(options: Mapping[str, Any]) -> None:
    """Refuse at the door what measuring would refuse: texts that are not there, unknown measures."""
    origins, chosen, _ = _read(options)
    if not origins:
        raise BadInput("There is no text to measure.", "Give one with --text or --testset.")
    for origin in origins:
        origin.blocks()
    with diversity_errors():
        measures_for(chosen.measures, chosen.definition, chosen.window)
        definition_check(chosen)
        check_names([origin.name for origin in origins], chosen.pairs)
    for argument, language in ((chosen.training, chosen.language), (chosen.source, chosen.source_language)):
        path_of(argument, language)


def diversity_run(context: RunContext) -> Outcome:
    """Measure texts; options from `diversity_run_options`. The result is the report."""
    origins, chosen, testsets = _read(context.options)

    def watch(part: float, note: str) -> None:
        context.check()
        context.report(min(part, 0.99), note)

    report = diversity_origins_measure(origins=origins, options=chosen, source_testsets=testsets, watch=watch)
    context.report(1.0, f"{counted(len(report.texts), 'text')} measured")
    return Outcome(diversity_result(report, origins))


def _read(options: Mapping[str, Any]) -> tuple[list[Origin], DiversityOptions, list[str]]:
    """Return texts and options from what JSON has made of them."""
    try:
        origins = [Origin.read(one) for one in options["texts"]]
        chosen = dict(options["options"])
        chosen["measures"] = tuple(chosen.get("measures", ()))
        pairs = chosen.get("pairs")
        chosen["pairs"] = None if pairs is None else tuple((a, b) for a, b in pairs)
        return origins, DiversityOptions(**chosen), list(options.get("source_testsets", ()))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(
            f"An option of measuring is wrong: {error}.", "Launch it with measure_diversity --background."
        ) from error
