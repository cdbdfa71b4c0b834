"""Leave a rater's answers out of the scores, with a reason."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.lookup import campaign_named
from annotation.services.quality import rater_exclude
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Exclude a rater; the answers stay stored."""

    help = "Leave a rater's answers out of the scores, with a reason."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("rater", metavar="RATER", help="name of the rater")
        parser.add_argument("--why", required=True, metavar="TEXT", help="the reason, shown with the scores")

    def run(self, **options: Any) -> None:
        """Write it, with a note in the audit trail."""
        rater_exclude(
            campaign=campaign_named(options["name"]),
            rater=options["rater"],
            why=options["why"],
        )
        self.stdout.write(f"Rater “{options['rater']}” is excluded.")
