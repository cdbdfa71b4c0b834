"""What the page of a run says, part by part; the same parts are sent again while the run gets on."""

from __future__ import annotations

import json
import re
from typing import Any

from django.db.models import Count
from django.http import HttpRequest
from django.template.loader import render_to_string

from mtcore.models import Run
from mtcore.services.run_context import run_directory
from mtcore.services.run_effort import run_effort
from mtcore.services.run_files import manifest_of
from mtcore.services.runs import run_pace, run_waits_for
from mtcore.views.curves import history_of
from mtcore.views.family import Family, deserted_queues, family_of, family_rows, family_svg
from mtcore.views.result_tables import result_notes, result_tables
from mtcore.views.results import result_comparisons, result_facts, result_scores
from mtcore.views.words import duration, figure, kind_words, percent, size, state_of

PARTS = ("status", "actions", "curves", "log", "made", "family")
LOG_LINES = 60
LONGEST_JSON = 20_000
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_RATES = ("tokens_per_second", "sentences_per_second", "lines_per_second", "wps")


def run_parts(request: HttpRequest, run: Run) -> dict[str, str]:
    """Render every part of a run's page, by name."""
    context = run_context(run)
    return {name: render_to_string(f"mtcore/run_{name}.html", context, request=request) for name in PARTS}


def run_context(run: Run) -> dict[str, Any]:
    """Return what the parts of a run's page say."""
    pace, effort = run_pace(run), run_effort(run)
    family = family_of(run)
    many = len(family.runs) > 1
    return {
        "run": run,
        "kind": kind_words(run.kind),
        "state": state_of(run),
        "stopping": run.cancel_requested and run.state == Run.State.RUNNING,
        "note": run_waits_for(run),
        "is_calm": _waits_calmly(run, family),
        "deserted": deserted_queues(family) if many and _waits_calmly(run, family) else [],
        "n_family": len(family.runs),
        "n_done": sum(one.state == Run.State.SUCCEEDED for one in family.runs.values()),
        "n_open": sum(not one.is_finished for one in family.runs.values()),
        "done": percent(run.progress),
        "elapsed": duration(pace.elapsed) if run.started_at else "",
        "attempts": effort.attempts,
        "worked": duration(effort.worked) if effort.attempts > 1 else "",
        "remaining": duration(pace.remaining) if pace.remaining is not None else "",
        "rate": _rate(run) if run.state == Run.State.RUNNING else "",
        "history": history_of(run.history),
        "log": log_tail(run),
        "files": result_files(run),
        "made": _made(run),
        "facts": result_facts(run),
        "scores": result_scores(run),
        "comparisons": result_comparisons(run),
        "tables": result_tables(run),
        "table_notes": result_notes(run),
        "options": as_json(run.options),
        "result": as_json(run.result),
        "family": family_rows(family) if many else [],
        "graph": family_svg(family, run.pk) if many else "",
        "family_whole": family.whole,
        "has_children": any(parent == run.pk for parent, _child in family.links),
        "can_cancel": not run.is_finished and not (run.cancel_requested and run.state == Run.State.RUNNING),
        "can_resume": run.state in (Run.State.FAILED, Run.State.CANCELLED),
    }


def _waits_calmly(run: Run, family: Family) -> bool:
    """Tell whether a run only waits for others that are on their way."""
    before = [family.runs[parent] for parent, child in family.links if child == run.pk]
    unfinished = [one for one in before if one.state != Run.State.SUCCEEDED]
    return (
        run.state == Run.State.QUEUED and bool(unfinished) and not any(one.is_finished for one in unfinished)
    )


def log_tail(run: Run, n_lines: int = LOG_LINES) -> str:
    """Return the end of a run's log without what terminals are steered by."""
    lines = run_directory(run.pk).tail(n_lines)
    return "\n".join(_CONTROL.sub("�", _ANSI.sub("", line)) for line in lines)


def result_files(run: Run) -> list[dict[str, Any]]:
    """List the files that a run made, with their sizes and digests, from the manifest of its folder."""
    folder = run_directory(run.pk).result
    found = []
    for name, digest in manifest_of(folder).items():
        path = folder / name
        there = path.is_file()
        found.append(
            {
                "name": name,
                "sha256": digest,
                "size": size(path.stat().st_size) if there else "",
                "there": there,
            }
        )
    return found


def as_json(value: Any) -> str:
    """Write what a run was given or made for people to read; what is long is cut, the file has all."""
    if value in (None, {}, []):
        return ""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return text if len(text) <= LONGEST_JSON else f"{text[:LONGEST_JSON]}\n…"


def _rate(run: Run) -> str:
    for point in reversed(run.history):
        metrics = point.get("metrics") or {}
        for name in _RATES:
            if isinstance(metrics.get(name), int | float):
                return figure(round(metrics[name], 1))
    return ""


def _made(run: Run) -> dict[str, Any]:
    """Return what stands in the database because of this run."""
    if run.state != Run.State.SUCCEEDED:
        return {}
    outputs = run.outputs.select_related("system", "testset", "input_version").order_by("pk")[:50]
    counted = Run.objects.filter(pk=run.pk).aggregate(n=Count("metrics"))
    return {
        "corpora": list(run.corpora.order_by("pk")[:50]),
        "outputs": list(outputs),
        "n_metrics": counted["n"],
    }
