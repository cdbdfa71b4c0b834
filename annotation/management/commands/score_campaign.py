"""Score a campaign: systems with intervals, tests of pairs, raters."""

import json
from typing import Any

from django.core.management.base import CommandParser

from annotation.services.lookup import campaign_named
from annotation.services.score_table import csv_table, text_table
from annotation.services.scoring import campaign_score, options_read
from annotation.stats.aggregate import REPEATS
from annotation.stats.options import RESAMPLES
from annotation.stats.ranking import RULES
from annotation.stats.standardise import POPULATIONS
from evalplatform.commands import HouseCommand

OPTIONS = ("seed", "resamples", "population", "repeats", "clusters", "hypothesis", "by")


class Command(HouseCommand):
    """Print the scores of a campaign."""

    help = "Score a campaign: z per rater, averages with 95 % intervals, paired tests, clusters."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the campaign and how to score it."""
        low, high = RESAMPLES
        parser.add_argument("campaign", help="name of the campaign")
        parser.add_argument("--seed", help="of every draw (default 1)")
        parser.add_argument("--resamples", help=f"bootstrap resamples, {low:,} to {high:,} (default 1,000)")
        parser.add_argument(
            "--population", help=f"ratings that make a rater's mean and spread: {', '.join(POPULATIONS)}"
        )
        parser.add_argument("--repeats", help=f"how repeats are averaged: {', '.join(REPEATS)}")
        parser.add_argument("--clusters", help=f"where a cluster ends: {', '.join(RULES)}")
        parser.add_argument("--hypothesis", metavar="BT>OP", help="direction declared before looking")
        parser.add_argument("--by", help="condition: one row a system and condition")
        parser.add_argument("--format", default="table", choices=("table", "json", "csv"))
        parser.add_argument(
            "--table",
            default="systems",
            choices=("systems", "pairs", "raters"),
            help="which table --format csv writes",
        )

    def run(self, **options: Any) -> None:
        """Score and print."""
        campaign = campaign_named(options["campaign"])
        chosen = options_read(campaign, {name: options[name] for name in OPTIONS})
        result = campaign_score(campaign=campaign, options=chosen).result or {}
        if options["format"] == "json":
            self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False, indent=2))
        elif options["format"] == "csv":
            self.stdout.write(csv_table(result, options["table"]), ending="")
        else:
            self.stdout.write(text_table(result))
