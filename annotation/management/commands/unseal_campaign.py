"""Open the seal of a campaign before it is closed."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.lookup import campaign_named
from annotation.services.sealing import campaign_unseal
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Open the seal of a campaign early; the reason stands in its report and in the audit trail."""

    help = "Open the seal of a campaign early; the reason stands in its report and in the audit trail."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("--why", required=True, metavar="TEXT", help="the reason")

    def run(self, **options: Any) -> None:
        """Open it."""
        campaign = campaign_named(options["name"])
        campaign_unseal(campaign=campaign, reason=options["why"])
        self.stdout.write(f"The results of “{campaign.name}” are no longer sealed.")
