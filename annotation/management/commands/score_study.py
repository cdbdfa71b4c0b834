"""Score a study: all its campaigns of one protocol and language pair together."""

import json
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.score_arguments import add_print_arguments, add_score_arguments, score_options
from annotation.services.score_table import csv_table, text_table
from annotation.services.studies import study_named
from annotation.services.study_scores import group_results, study_options, study_score
from evalplatform.commands import HouseCommand
from mtcore.management.flavour_argument import flavoured


class Command(HouseCommand):
    """Print the scores of a study."""

    help = (
        "Score a study: the campaigns of one protocol and language pair together. A rater's mean and "
        "spread are over the whole study unless --scope campaign is given."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the study and how to score it."""
        parser.add_argument("name", metavar="NAME", help="name of the study")
        add_score_arguments(parser, scope="study")
        add_print_arguments(parser)

    def run(self, **options: Any) -> None:
        """Score and print."""
        study = study_named(options["name"])
        chosen = study_options(study, score_options(options))
        result = study_score(study=study, options=chosen).result or {}
        if options["format"] == "json":
            self.stdout.write(json.dumps(result, ensure_ascii=False, allow_nan=False, indent=2))
            return
        groups = group_results(result)
        if options["format"] == "csv":
            part = options["table"]
            rows = [
                {"protocol": one["protocol"], "languages": one["languages"]}
                | row
                | {"signature": one["signature"]}
                for one in groups
                for row in one[part]
            ]
            text = csv_table({part: rows, "signature": result["signature"]}, part)
            self.stdout.write(flavoured(text, options), ending="")
            return
        self.stdout.write("\n\n\n".join([*map(text_table, groups), *result["notes"]]))
