"""Open a campaign to its raters."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.campaigns import campaign_open
from annotation.services.lookup import campaign_named
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Let raters in, for the first time or again."""

    help = "Let raters in, for the first time or again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")

    def run(self, **options: Any) -> None:
        """Change the state."""
        campaign = campaign_named(options["name"])
        campaign_open(campaign=campaign)
        self.stdout.write(f"Campaign “{campaign.name}” is open.")
