"""Cancel a run."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.services.runs import run_cancel, run_find


class Command(HouseCommand):
    """`manage.py run_cancel ID`."""

    audited = True
    help = "Cancel a run; what it has reached is kept for resuming. A finished one stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("run", help="its number")
        parser.add_argument("--children", action="store_true", help="also cancel the runs that wait for it")

    def run(self, **options: Any) -> str:
        """Cancel."""
        return run_cancel(run=run_find(options["run"]), children=options["children"]).message
