"""Have metrics scored that are to be put beside people: at once where that is quick, else by a worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Campaign
from annotation.services.correlate_options import LIGHT
from evalplatform.errors import BadInput, Conflict
from evalplatform.words import quoted
from mtcore.metrics.scoring import ScoringOptions
from mtcore.models import MetricResult, Run, SystemOutput
from mtcore.models.metric import TOGETHER
from mtcore.services.metric_outputs import Selection, outputs_score
from mtcore.services.metric_scoring import MetricOptions
from mtcore.services.run_scoring import scoring_options
from mtcore.services.runs import run_launch

QUICK_LINES = 2_000
"""Lines of outputs, times metrics, that are scored while the page waits."""


@dataclass
class Asked:
    """What became of asking: test sets scored at once, and runs that score the others."""

    scored: list[str] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)


def outputs_judged(campaigns: Sequence[Campaign]) -> list[SystemOutput]:
    """Return the outputs whose systems campaigns judge on their test sets, where texts are here."""
    judged = {
        pair
        for campaign in campaigns
        for pair in campaign.outputs.values_list("system_id", "testset_id").distinct()
    }
    rows = SystemOutput.objects.filter(
        system__in={system for system, _ in judged}, testset__in={testset for _, testset in judged}
    ).select_related("testset", "system")
    return [row for row in rows.order_by("pk") if (row.system_id, row.testset_id) in judged]


def metrics_kept(outputs: Sequence[SystemOutput]) -> list[str]:
    """Return the names of metrics of which scores of these outputs against one reference are kept."""
    rows = MetricResult.objects.filter(output__in=[one.pk for one in outputs], segment_stats__isnull=False)
    rows = rows.exclude(signature__contains=TOGETHER)
    return sorted(rows.order_by().values_list("metric", flat=True).distinct())


def campaign_metrics_score(
    *, campaign: Campaign, metrics: Sequence[str], references: Sequence[str] = (), user: User | None = None
) -> Asked:
    """Score the outputs of a campaign by metrics that need no model.

    Args:
        campaign: whose outputs.
        metrics: names, of LIGHT.
        references: versions by name or notation; empty: the original.
        user: who asks.

    Raises:
        BadInput: a metric that needs something, which commands can be told.
        Conflict: the texts are not here.
    """
    wanted = list(dict.fromkeys(metrics))
    heavy = next((name for name in wanted if name not in LIGHT), None)
    if heavy is not None or not wanted:
        raise BadInput(
            _("“%(metric)s” is not scored from this page.") % {"metric": heavy}
            if heavy
            else _("No metric is chosen."),
            _("This page scores %(metrics)s; others by `manage.py score_outputs TESTSET --metrics …`.")
            % {"metrics": ", ".join(LIGHT)},
        )
    outputs = outputs_judged([campaign])
    if not outputs:
        raise Conflict(
            _("The texts of the outputs of “%(name)s” are not here.") % {"name": campaign.name},
            _("Import the test set and its outputs; then import the judgements with --testset."),
        )
    by_set: dict[str, set[str]] = {}
    for output in outputs:
        by_set.setdefault(output.testset.name, set()).add(output.system.name)
    sizes = dict(
        SystemOutput.objects.filter(pk__in=[one.pk for one in outputs])
        .annotate(n=Count("lines"))
        .values_list("pk", "n")
    )
    quick = sum(sizes.values()) * len(wanted) <= QUICK_LINES
    asked = Asked()
    for testset, systems in by_set.items():
        arguments = {
            "testset": testset,
            "selection": Selection(systems=tuple(sorted(systems)), references=tuple(references)),
            "options": MetricOptions(metrics=tuple(wanted), scoring=ScoringOptions(resamples=0)),
        }
        if quick:
            outputs_score(**arguments)  # type: ignore[arg-type]
            asked.scored.append(testset)
        else:
            options = scoring_options(**arguments)  # type: ignore[arg-type]
            asked.runs.append(
                run_launch(kind="score_outputs", name=testset, options=options, requested_by=user)
            )
    return asked


def asked_told(asked: Asked) -> str:
    """Say what became of asking."""
    parts = [_("Scored: %(testsets)s.") % {"testsets": quoted(asked.scored)}] if asked.scored else []
    if asked.runs:
        numbers = ", ".join(str(run.pk) for run in asked.runs)
        parts.append(
            ngettext(
                "Run %(numbers)s will score them: look again when it is finished.",
                "Runs %(numbers)s will score them: look again when they are finished.",
                len(asked.runs),
            )
            % {"numbers": numbers}
        )
    return " ".join(parts)
