"""Close a campaign."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.campaigns import campaign_close
from annotation.services.lookup import campaign_named
from annotation.services.waking import scores_wake
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Let nobody rate any more; answers stay."""

    help = "Let nobody rate any more; answers stay."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")

    def run(self, **options: Any) -> None:
        """Change the state."""
        campaign = campaign_named(options["name"])
        campaign_close(campaign=campaign)
        scores_wake(campaign=campaign)
        self.stdout.write(f"Campaign “{campaign.name}” is closed.")
