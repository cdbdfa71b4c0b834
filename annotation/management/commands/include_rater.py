"""Let an excluded rater's answers count again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.lookup import campaign_named
from annotation.services.quality import rater_include
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Take an exclusion back."""

    help = "Let an excluded rater's answers count again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("rater", metavar="RATER", help="name of the rater")

    def run(self, **options: Any) -> None:
        """Write it, with a note in the audit trail."""
        rater_include(
            campaign=campaign_named(options["name"]),
            rater=options["rater"],
        )
        self.stdout.write(f"Rater “{options['rater']}” counts again.")
