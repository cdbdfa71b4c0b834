"""Compare every system's score on direct and on reverse text."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand, Plain
from evalplatform.errors import BadInput
from mtcore.management.flavour_argument import add_flavour_argument, flavoured
from mtcore.metrics import METRICS
from mtcore.services.direction_table import FORMATS, direction_table
from mtcore.services.metric_models import model_absolute
from mtcore.services.texts import named_split


class Command(HouseCommand):
    """Print the table of translation directions."""

    help = (
        "For every system with outputs on both: its score on direct segments (the source was written first) "
        "and on reverse ones (the target was), and the difference; sorted. Edunov et al. 2020, Table 7."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "testsets", nargs="+", metavar="TESTSET", help="of one language pair; taken together"
        )
        parser.add_argument("--metric", default="bleu", metavar="NAME", help=f"of {', '.join(METRICS)}")
        parser.add_argument("--model", default="", metavar="METRIC=PATH", help="what the metric runs on")
        parser.add_argument("--format", choices=FORMATS, default="table")
        add_flavour_argument(parser)

    def run(self, **options: Any) -> None:
        """Score, keep and print."""
        models = {}
        if options["model"]:
            name, path = named_split(options["model"])
            if not name:
                raise BadInput(f"“{path}” is a model of no metric.", "Give METRIC=PATH, as ppl=news.arpa.")
            models = {name: model_absolute(path)}
        table = direction_table(testsets=options["testsets"], metric=options["metric"], models=models)
        Plain(self.stdout).write(flavoured(FORMATS[options["format"]](table), options))
