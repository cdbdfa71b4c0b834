"""Score outputs for a test set by automatic metrics."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand, Plain
from mtcore.management.flavour_argument import flavoured
from mtcore.management.metric_arguments import add_metric_arguments, metric_options
from mtcore.metrics.tables import FORMATS
from mtcore.services.metric_outputs import DIRECTIONS, Selection, outputs_score
from mtcore.services.run_scoring import scoring_options
from mtcore.services.runs import run_launch, run_waits_for


class Command(HouseCommand):
    """Score outputs by condition and keep statistics of their segments."""

    audited = True
    help = (
        "Score the outputs for a test set by input, reference and direction. Statistics of segments are "
        "kept: scoring again, or a part of the segments, needs no second look at the texts."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("testset", metavar="TESTSET", help="name of the test set")
        parser.add_argument("--systems", nargs="+", default=[], metavar="NAME", help="default: all")
        parser.add_argument(
            "--input", nargs="+", default=[], metavar="VERSION",
            help="outputs made from these source versions, by name or notation (X**); default: all",
        )  # fmt: skip
        parser.add_argument(
            "--reference", nargs="+", default=[], metavar="VERSION",
            help="by name or notation (Y**), one after the other; default: the original",
        )  # fmt: skip
        parser.add_argument(
            "--together",
            action="store_true",
            help="let the references count together, not one after the other",
        )
        parser.add_argument(
            "--direction", nargs="+", choices=DIRECTIONS, default=["all"],
            help="segments with a natural source, a natural target, or all (default)",
        )  # fmt: skip
        parser.add_argument("--documents", nargs="+", default=[], metavar="NAME", help="only these documents")
        parser.add_argument("--background", action="store_true", help="let a worker do it")
        add_metric_arguments(parser)

    def run(self, **options: Any) -> str | None:
        """Score, keep, compare and print, or launch a run that does."""
        wanted: dict[str, Any] = {
            "testset": options["testset"],
            "selection": Selection(
                tuple(options["systems"]),
                tuple(options["input"]),
                tuple(options["reference"]),
                options["together"],
                tuple(options["direction"]),
                tuple(options["documents"]),
            ),
            "options": metric_options(options),
        }
        if options["background"]:
            arguments = scoring_options(**wanted)
            run = run_launch(kind="score_outputs", name=options["testset"], options=arguments)
            return f"Run {run.pk} scores them; see: manage.py runs {run.pk}. {run_waits_for(run)}".rstrip()
        report = outputs_score(**wanted)
        Plain(self.stdout).write(flavoured(FORMATS[options["format"]](report), options))
        for notice in report.notices if options["format"] != "table" else ():
            self.stderr.write(f"Note: {notice}")
        return None
