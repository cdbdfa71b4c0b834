"""Write a campaign's plan as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.services.lookup import campaign_named
from annotation.services.planning import PLAN_COLUMNS, plan_rows
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Write every live assignment: who judges what, in which order, and what stands on which side."""

    help = "Write the plan of a campaign as CSV (it names the systems: not for raters)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("--output", metavar="FILE", help="write here instead of printing")

    def run(self, **options: Any) -> None:
        """Write the plan, row by row."""
        campaign = campaign_named(options["name"])
        with closing(plan_rows(campaign)) as rows:
            if not options["output"]:
                write_plan(rows, self.stdout)
                return
            with Path(options["output"]).open("w", encoding="utf-8", newline="") as stream:
                write_plan(rows, stream)


def write_plan(rows: Iterator[tuple[object, ...]], stream: Any) -> None:
    """Write the header and the rows of a plan."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(PLAN_COLUMNS)
    writer.writerows(rows)
