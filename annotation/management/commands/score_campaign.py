"""Score a campaign: systems with intervals, tests of pairs, raters."""

import json
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.score_arguments import add_print_arguments, add_score_arguments, score_options
from annotation.services.lookup import campaign_named
from annotation.services.score_table import csv_table, text_table
from annotation.services.scoring import campaign_score, options_read
from evalplatform.commands import HouseCommand
from mtcore.management.flavour_argument import flavoured


class Command(HouseCommand):
    """Print the scores of a campaign."""

    help = "Score a campaign: z per rater, averages with 95 % intervals, paired tests, clusters."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the campaign and how to score it."""
        parser.add_argument("campaign", help="name of the campaign")
        add_score_arguments(parser)
        add_print_arguments(parser)

    def run(self, **options: Any) -> None:
        """Score and print."""
        campaign = campaign_named(options["campaign"])
        chosen = options_read(campaign, score_options(options))
        result = campaign_score(campaign=campaign, options=chosen).result or {}
        if options["format"] == "json":
            self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False, indent=2))
        elif options["format"] == "csv":
            self.stdout.write(flavoured(csv_table(result, options["table"]), options), ending="")
        else:
            self.stdout.write(text_table(result, (campaign.scale_low, campaign.scale_high)))
