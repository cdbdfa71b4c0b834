"""Say before a training is launched when it would end and what it would take."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils import timezone

from evalplatform.commands import HouseCommand
from evalplatform.words import moment
from mtcore.management.shown import duration
from mtcore.management.system_arguments import (
    add_recipe_arguments,
    add_wait_arguments,
    follow_runs,
    recipe_chosen,
)
from mtcore.services.preflight import SECONDS, Planned, preflight_launch
from mtcore.services.run_preflight import free_bytes

_KB = 1024.0


class Command(HouseCommand):
    """`manage.py preflight --recipe … --corpus …`."""

    help = (
        "Train and decode a sample for about a minute, and say when the whole training would end, and how "
        "much disk, memory and time of accelerators it would take. Run it where the training would run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        add_recipe_arguments(parser)
        parser.add_argument(
            "--corpus", nargs="+", action="extend", required=True, metavar="CORPUS", help="to learn from"
        )
        parser.add_argument(
            "--mono", nargs="+", action="extend", default=[], metavar="CORPUS", help="to translate back"
        )
        parser.add_argument("--languages", default="", metavar="en-de", help="default: the first corpus's")
        parser.add_argument(
            "--seconds", type=int, default=SECONDS, help=f"about how long to train ({SECONDS})"
        )
        group = parser.add_argument_group(
            "for a plan", "the corpora named are then a sample of what is meant"
        )
        group.add_argument("--lines", type=int, default=0, help="as if there were so many parallel lines")
        group.add_argument(
            "--mono-lines", type=int, default=0, help="as if there were so many to translate back"
        )
        group.add_argument(
            "--workers", type=int, default=1, help="how many will translate back at a time (1)"
        )
        parser.add_argument("--format", choices=("text", "json"), default="text")
        add_wait_arguments(parser)

    def run(self, **options: Any) -> str | None:
        """Launch, follow, print."""
        run = preflight_launch(
            recipe=recipe_chosen(options),
            corpora=options["corpus"],
            monolingual=options["mono"],
            languages=options["languages"],
            engine=options["engine"],
            seconds=options["seconds"],
            planned=Planned(options["lines"], options["mono_lines"], options["workers"]),
        )
        (ended,) = follow_runs(self, [run], wait=options["wait"], json=options["format"] == "json")
        if not options["wait"]:
            return None
        told = dict(ended.result or {})
        return json.dumps(told, indent=1) if options["format"] == "json" else _text(told)


def _text(told: dict[str, Any]) -> str:
    """Write the estimate in words."""
    measured = told["measured"]
    length = timedelta(seconds=told["total_seconds"])
    free = free_bytes(Path(settings.DATA_DIR))
    short = told["total_disk_bytes"] > free
    rows = [
        ("ends", f"{moment(timezone.now() + length)} if it begins now: {duration(length)} in all"),
        *((f"  {name}", duration(timedelta(seconds=value))) for name, value in told["seconds"].items()),
        ("updates", f"{told['updates']:,}, {measured['seconds_an_update']:.3f} s each"),
        ("decoding", f"{measured['decode_lines_per_second']:,.1f} lines a second"),
        (
            "disk",
            f"{_bytes(told['total_disk_bytes'])}; {_bytes(free)} are free{': TOO LITTLE' if short else ''}",
        ),
        *((f"  {name}", _bytes(value)) for name, value in told["disk_bytes"].items()),
        ("memory", _bytes(told["memory_bytes"])),
    ]
    if told["gpu_hours"]:
        rows.append(("GPU", f"{told['gpu_hours']:,.1f} hours, {_bytes(told['gpu_memory_bytes'])} of memory"))
    if told["shards"]:
        at_a_time = f"{told['workers']:,} at a time; so many workers could translate back"
        rows.append(("shards", f"{told['shards']:,}, {at_a_time}"))
    rows.append(("assumed", "; ".join(told["assumed"])))
    return "\n".join(f"{name:<20}{value}" for name, value in rows)


def _bytes(n: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if n < _KB:
            return f"{n:,.0f} {unit}" if unit == "B" else f"{n:,.1f} {unit}"
        n /= _KB
    return f"{n:,.1f} TB"
