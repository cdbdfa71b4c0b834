"""Resume a failed or cancelled run."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.services.runs import run_find, run_resume, run_waits_for


class Command(HouseCommand):
    """`manage.py run_resume ID`."""

    audited = True
    help = "Let a failed or cancelled run go on from what it has reached, with the failed runs it waits for."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("run", help="its number")

    def run(self, **options: Any) -> str:
        """Resume, and say when nobody is there to do it."""
        run = run_find(options["run"])
        change = run_resume(run=run)
        run.refresh_from_db()
        return f"{change.message} {run_waits_for(run)}".rstrip()
