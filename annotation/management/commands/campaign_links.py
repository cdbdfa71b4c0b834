"""Print the links of a campaign's raters."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.models import AuditEvent
from annotation.services.links import campaign_links
from annotation.services.lookup import campaign_named
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Print one link a rater, or make new ones."""

    help = "Print one link a rater; --renew makes new ones and ends the older ones."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("--rater", default="", metavar="NAME", help="this rater only")
        parser.add_argument("--renew", action="store_true", help="make new links; older ones stop working")
        parser.add_argument("--base-url", metavar="URL", help="what the links begin with")

    def run(self, **options: Any) -> None:
        """Print the links."""
        campaign = campaign_named(options["name"])
        links = campaign_links(
            campaign=campaign,
            base_url=options["base_url"],
            rater=options["rater"],
            renew=options["renew"],
        )
        if not options["renew"]:
            AuditEvent.note("links.taken", campaign=campaign, study=campaign.study)
        for rater, link in links:
            self.stdout.write(f"{rater}\t{link}")
