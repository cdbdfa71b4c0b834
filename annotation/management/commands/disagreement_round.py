"""Have items on which raters differ too much judged once more."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.lookup import campaign_named
from annotation.services.round_words import round_sentences
from annotation.services.rounds import round_assign, round_draft
from annotation.stats.disagreement import READINGS
from evalplatform.commands import HouseCommand
from evalplatform.words import counted


class Command(HouseCommand):
    """Give items on which raters differ too much to raters once more; no item comes back twice."""

    help = "Have items on which raters differ too much judged once more; may be done again at any time."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("--reading", choices=READINGS, help="default: the campaign's")
        parser.add_argument(
            "--points",
            type=float,
            help="the difference above which an item is judged again (default: its own)",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would be given out; write nothing"
        )

    def run(self, **options: Any) -> None:
        """Give the items out, and say to whom."""
        campaign = campaign_named(options["name"])
        make = round_draft if options["dry_run"] else round_assign
        found = make(campaign=campaign, reading=options["reading"], points=options["points"])
        for text in round_sentences(found):
            self.stdout.write(text)
        for rater, n in found.given.items():
            self.stdout.write(f"{counted(n, 'item')} more for “{rater}”.")
        if options["dry_run"]:
            self.stderr.write("Note: nothing was written (--dry-run).")
