"""Compare two campaigns about the same systems."""

import json
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.score_arguments import add_print_arguments, add_score_arguments, score_options
from annotation.services.compare import campaigns_compare
from annotation.services.compare_table import compare_csv, compare_text
from annotation.services.lookup import campaign_named
from annotation.services.scoring import options_read
from evalplatform.commands import HouseCommand
from evalplatform.errors import BadInput
from mtcore.management.flavour_argument import flavoured


class Command(HouseCommand):
    """Print how two campaigns agree."""

    help = (
        "Compare two campaigns of one language pair: source-based with reference-based (correlation with its "
        "interval), or any two about the same systems (differences, order, decisions)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the campaigns and how to score them; both are scored by condition."""
        parser.add_argument("first", metavar="A", help="name of a campaign")
        parser.add_argument("second", metavar="B", help="name of the other")
        add_score_arguments(parser)
        add_print_arguments(parser)

    def run(self, **options: Any) -> None:
        """Compare and print."""
        if options["table"] == "raters":
            raise BadInput("A comparison has no table of raters.", "Give --table systems or pairs.")
        first, second = (campaign_named(options[name]) for name in ("first", "second"))
        result = campaigns_compare(
            first=first, second=second, options=options_read(first, score_options(options))
        )
        if options["format"] == "json":
            self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False, indent=2))
        elif options["format"] == "csv":
            self.stdout.write(flavoured(compare_csv(result, options["table"]), options), ending="")
        else:
            self.stdout.write(compare_text(result))
