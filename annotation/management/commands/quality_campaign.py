"""Say what is known of the raters of a campaign."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

from django.core.management.base import CommandParser

from annotation.formats.write import write_csv
from annotation.services.lookup import campaign_named
from annotation.services.quality import quality_read, quality_rows
from evalplatform.commands import HouseCommand, Plain
from mtcore.management.flavour_argument import add_flavour_argument, flavoured

COLUMNS = (
    "rater", "state", "answers", "bad_references", "p_value", "repeats", "attention", "agreement", "warnings",
    "excluded_by", "evidence",
)  # fmt: skip


class Command(HouseCommand):
    """Print the state of every rater with its evidence; nobody is excluded by it."""

    help = "Say which raters passed, failed or are undecided, on which evidence. People decide what follows."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("--format", default="table", choices=("table", "json", "csv"))
        add_flavour_argument(parser)

    def run(self, **options: Any) -> None:
        """Judge and print."""
        found = quality_read(campaign_named(options["name"]))
        rows = quality_rows(found)
        if options["format"] == "json":
            full = {one.rater: one.evidence for one in found}
            whole = [row | {"evidence": full[row["rater"]] | {"reason": row["evidence"]}} for row in rows]
            self.stdout.write(json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=2))
            return
        cells = [[_cell(row[column]) for column in COLUMNS] for row in rows]
        if options["format"] == "csv":
            text = StringIO()
            write_csv(cells, COLUMNS, text)
            Plain(self.stdout).write(flavoured(text.getvalue(), options))
            return
        table = [list(COLUMNS), *cells]
        widths = [max(len(row[at]) for row in table) for at in range(len(COLUMNS))]
        for row in table:
            self.stdout.write("  ".join(map(str.ljust, row, widths)).rstrip())


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, float):
        return f"{value:.3g}"
    return "" if value is None else str(value)
