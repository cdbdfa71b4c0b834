"""Let a rater take part who lacks a language that the campaign requires."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.eligibility import rater_admit
from annotation.services.lookup import campaign_named
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Admit one rater, with a reason that is kept."""

    help = "Let a rater take part who was refused for a missing language, or who would be."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("campaign", metavar="CAMPAIGN")
        parser.add_argument("rater", metavar="RATER")
        parser.add_argument("--why", required=True, metavar="TEXT", help="the reason, kept with the rater")

    def run(self, **options: Any) -> None:
        """Admit the rater and say what happens next."""
        campaign = campaign_named(options["campaign"])
        rater_admit(campaign=campaign, rater=options["rater"], why=options["why"])
        self.stderr.write(
            f"Rater “{options['rater']}” may take part in “{campaign.name}”: the same link works again."
        )
