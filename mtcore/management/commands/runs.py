"""List runs, or show one with its log."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from evalplatform.words import moment
from mtcore.management.shown import duration, table
from mtcore.models import Run
from mtcore.services.run_context import run_directory
from mtcore.services.run_effort import run_effort
from mtcore.services.run_presence import workers_alive
from mtcore.services.runs import run_find, run_pace, run_waits_for

SHOWN_METRICS = 6


class Command(HouseCommand):
    """`manage.py runs [ID]`."""

    help = "List runs and the workers that do them, or show one run with its progress and log."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("run", nargs="?", help="number of a run, to see all about it")
        parser.add_argument("--state", choices=Run.State.values, help="list only those in this state")
        parser.add_argument("--limit", type=int, default=20, help="list so many, the newest first")
        parser.add_argument("--lines", type=int, default=20, help="lines of the log to show")

    def run(self, **options: Any) -> str:
        """Show."""
        if options["run"]:
            return one_run(run_find(options["run"]), options["lines"])
        runs = Run.objects.filter(**({"state": options["state"]} if options["state"] else {}))
        return all_runs(list(runs[: max(1, options["limit"])]))


def all_runs(runs: list[Run]) -> str:
    """Write runs as a table, and who is working."""
    rows = [("run", "kind", "name", "state", "done", "left", "note")]
    for run in runs:
        note = run_waits_for(run) or run.message or run.progress_note
        rows.append(
            (
                str(run.pk),
                run.kind,
                run.name,
                _state(run),
                f"{run.progress:.0%}",
                duration(run_pace(run).remaining),
                note,
            )
        )
    workers = [
        f"{w.name} ({', '.join(w.queues)}{', ' + w.device if w.device else ''})" for w in workers_alive()
    ]
    return f"{table(rows) if runs else 'There are no runs.'}\nWorkers: {', '.join(workers) or 'none'}"


def one_run(run: Run, n_lines: int) -> str:
    """Write everything about one run."""
    pace, effort = run_pace(run), run_effort(run)
    told = [
        ("run", f"{run.pk}: {run.kind} {run.name}".rstrip()),
        ("state", _state(run)),
        ("note", run_waits_for(run) or run.progress_note),
        ("message", run.message),
        ("done", f"{run.progress:.1%}"),
        ("time", duration(pace.elapsed)),
        ("left", duration(pace.remaining)),
        ("queue", run.queue),
        ("device", run.device),
        ("worker", run.worker),
        (
            "attempts",
            f"{effort.attempts}, {duration(effort.worked)} in all"
            if effort.attempts > 1
            else str(effort.attempts or ""),
        ),
        ("exit code", "" if run.exit_code is None else str(run.exit_code)),
        ("asked for", moment(run.created_at)),
        ("waits for", ", ".join(str(parent.pk) for parent in run.parents.order_by("pk"))),
        ("before", ", ".join(str(child.pk) for child in run.children.order_by("pk"))),
        ("metrics", _metrics(run)),
        ("folder", str(run_directory(run.pk).root)),
    ]
    log = run_directory(run.pk).tail(max(0, n_lines)) if n_lines > 0 else []
    return "\n".join([*(f"{name:<10}{value}" for name, value in told if value), *(["", *log] if log else [])])


def _state(run: Run) -> str:
    stopping = run.cancel_requested and run.state == Run.State.RUNNING
    return f"{run.get_state_display()}{' (stopping)' if stopping else ''}"


def _metrics(run: Run) -> str:
    last: dict[str, float | str] = next(
        (point["metrics"] for point in reversed(run.history) if "metrics" in point), {}
    )
    return ", ".join(
        f"{name} {value if isinstance(value, str) else format(value, 'g')}"
        for name, value in list(last.items())[:SHOWN_METRICS]
    )
