"""The pages of systems: the list with the language models, and one system with its models and outputs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from evalplatform.errors import UserError
from evalplatform.words import rounded
from mtcore.engines.errors import EngineError
from mtcore.engines.recipe_files import recipe_read
from mtcore.metrics import METRICS
from mtcore.models import Corpus, MetricResult, OutputSegment, Run, System, SystemOutput
from mtcore.services.systems import TRAIN_LM, TRAIN_MODEL, system_card
from mtcore.views.access import admin_page
from mtcore.views.plan import figures_of
from mtcore.views.run_rows import run_rows
from mtcore.views.words import duration, state_of

ROWS = 50
RUNS = 100


@require_safe
@admin_page
def systems(request: HttpRequest) -> HttpResponse:
    """List the systems, those that are being trained, and the language models."""
    given = {name: request.GET.get(name, "").strip() for name in ("q", "kind")}
    found = System.objects.listed().annotate(n_outputs=Count("outputs")).order_by("name")
    if given["q"]:
        found = found.filter(name__icontains=given["q"])
    if given["kind"]:
        found = found.filter(kind=given["kind"])
    page = Paginator(found, ROWS).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    trainings = _trainings([one.name for one in shown])
    lms = Run.objects.filter(kind=TRAIN_LM).defer("history", "options", "result").order_by("-pk")[:ROWS]
    context = {
        "section": "systems",
        "page": page,
        "rows": [
            {"system": one, "kind": system_kind_words(one.kind), "training": trainings.get(one.name)}
            for one in shown
        ],
        "given": given,
        "is_filtered": any(given.values()),
        "query": urlencode({name: text for name, text in given.items() if text}),
        "kinds": [(kind, system_kind_words(kind)) for kind in System.Kind.values],
        "coming": _coming(),
        "lms": run_rows(list(lms)),
    }
    return render(request, "mtcore/systems.html", context)


def system_kind_words(kind: str) -> str:
    """Write the kind of a system."""
    return {
        System.Kind.OP.value: _("OP (parallel data only)"),
        System.Kind.BT.value: _("BT (with back-translation)"),
        System.Kind.HUMAN.value: pgettext("kind of a system", "human"),
        System.Kind.OTHER.value: pgettext("kind of a system", "other"),
    }[str(kind)]


def _trainings(names: list[str]) -> dict[str, dict[str, Any]]:
    """Return the newest training run of each system, with its state."""
    found = Run.objects.filter(kind=TRAIN_MODEL, options__system__in=names).defer("history", "result")
    return {one.options["system"]: {"run": one, "state": state_of(one)} for one in found.order_by("pk")}


def _coming() -> list[dict[str, Any]]:
    """Return the trainings whose system is not registered yet."""
    known = set(System.objects.values_list("name", flat=True))
    runs = Run.objects.filter(kind=TRAIN_MODEL).defer("history", "result").order_by("-pk")[:RUNS]
    alone = [one for one in runs if isinstance(one.options, dict) and one.options.get("system") not in known]
    return run_rows(alone[:20])


@require_safe
@admin_page
def system(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a system: how it came about, its models, its outputs with their scores, its runs."""
    found = get_object_or_404(System, pk=pk)
    context: dict[str, Any] = {"section": "systems", "system": found, "kind": system_kind_words(found.kind)}
    context |= _card(found)
    runs = Run.objects.filter(Q(options__system=found.name) | Q(options__pipeline=found.name))
    context["runs"] = run_rows(list(runs.defer("history", "result", "options").order_by("-pk")[:RUNS]))
    context["outputs"], context["metrics"] = _outputs(found)
    return render(request, "mtcore/system.html", context)


def _card(system: System) -> dict[str, Any]:
    """Return how a system came about; a recipe that cannot be read any more is said, not hidden."""
    try:
        card = system_card(system.name)
    except (UserError, EngineError) as error:
        return {"card": None, "card_error": str(error)}
    training = Run.objects.filter(kind=TRAIN_MODEL, options__system=system.name).order_by("pk").first()
    about: dict[str, Any] = {"card": card, "models": [_model(one) for one in card.get("models", [])]}
    if training:
        recipe = recipe_read(training.options["recipe"])
        about |= {"recipe": recipe, "figures": figures_of(recipe)}
        names = [one["name"] for one in card.get("corpora", [])]
        pks = dict(Corpus.objects.filter(name__in=names).values_list("name", "pk"))
        about["corpora"] = [one | {"pk": pks.get(one["name"])} for one in card.get("corpora", [])]
    return about


def _model(model: dict[str, Any]) -> dict[str, Any]:
    seconds = model.get("training_seconds")
    return model | {
        "took": duration(timedelta(seconds=seconds)) if seconds else "",
        "versions": ", ".join(f"{name} {value}" for name, value in (model.get("versions") or {}).items()),
    }


def _outputs(system: System) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the outputs of a system with counts of lines and scores, and the metrics there are."""
    rows = list(
        SystemOutput.objects.filter(system=system)
        .select_related("testset", "input_version", "run")
        .order_by("testset__name", "input_version__position")
    )
    statuses: dict[int, dict[str, int]] = {}
    counted = OutputSegment.objects.filter(output__in=rows).values("output", "status").annotate(n=Count("pk"))
    for row in counted.order_by():
        statuses.setdefault(row["output"], {})[row["status"]] = row["n"]
    scores = (
        MetricResult.objects.filter(output__in=rows)
        .select_related("reference")
        .defer("segment_stats")
        .order_by("metric", "pk")
    )
    by_output: dict[int, dict[str, list[dict[str, str]]]] = {}
    names: dict[str, None] = {}
    for one in scores:
        names[one.metric] = None
        cell = {
            "value": _score(one),
            "reference": one.reference_names or "",
            "signature": one.signature,
        }
        by_output.setdefault(one.output_id, {}).setdefault(one.metric, []).append(cell)
    words = {"ok": "", "blank": _("blank"), "too_long": _("too long"), "failed": _("failed")}
    found = [
        {
            "output": row,
            "n_lines": sum(statuses.get(row.pk, {}).values()),
            "lost": [(words[name], n) for name, n in statuses.get(row.pk, {}).items() if words.get(name)],
            "scores": [by_output.get(row.pk, {}).get(name, []) for name in names],
            "engine": row.provenance.get("engine", "") if isinstance(row.provenance, dict) else "",
        }
        for row in rows
    ]
    return found, list(names)


def _score(one: MetricResult) -> str:
    """Write a score with the decimals of its metric."""
    if one.value is None:
        return "–"
    known = METRICS.get(one.metric)
    return rounded(one.value, known.digits if known else 2)
