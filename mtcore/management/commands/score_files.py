"""Score text files by automatic metrics, without a database."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand, Plain
from mtcore.management.flavour_argument import flavoured
from mtcore.management.metric_arguments import add_metric_arguments, metric_options
from mtcore.metrics.tables import FORMATS
from mtcore.services.metric_files import files_score


class Command(HouseCommand):
    """Score outputs in files against references in files."""

    help = "Score outputs (plain text or .gz, one segment a line) against all references together."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--hypothesis", nargs="+", action="extend", default=[], metavar="NAME=FILE")
        parser.add_argument("--reference", nargs="+", action="extend", default=[], metavar="NAME=FILE")
        parser.add_argument(
            "--source",
            default="",
            metavar="FILE",
            help="what was translated, for metrics that look at it (comet)",
        )
        parser.add_argument(
            "--language", default="", metavar="xx",
            help="of the outputs; by default the two letters that the first reference's name ends in",
        )  # fmt: skip
        add_metric_arguments(parser)

    def run(self, **options: Any) -> None:
        """Read, score, compare and print."""
        report = files_score(
            hypotheses=options["hypothesis"],
            references=options["reference"],
            options=metric_options(options, options["language"]),
            source=options["source"],
        )
        Plain(self.stdout).write(flavoured(FORMATS[options["format"]](report), options))
        for notice in report.notices if options["format"] != "table" else ():
            self.stderr.write(f"Note: {notice}")
