"""Print the link by which anybody joins a campaign; switch joining on or off."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.models import AuditEvent
from annotation.services.joining import free_places, joining_set, joining_url
from annotation.services.links import base_url_check
from annotation.services.lookup import campaign_named
from evalplatform.commands import HouseCommand
from evalplatform.words import counted


class Command(HouseCommand):
    """Show and change by which link anybody joins."""

    help = "Print the link by which anybody joins a campaign, as for a panel."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("campaign", metavar="CAMPAIGN")
        change = parser.add_mutually_exclusive_group()
        change.add_argument("--on", action="store_true", help="let anybody with the link join")
        change.add_argument("--off", action="store_true", help="let nobody else join; raters stay")
        change.add_argument("--renew", action="store_true", help="make a new link; older ones stop working")
        parser.add_argument(
            "--an-hour", type=int, metavar="N", help="how many may join in an hour; 0 for any number"
        )
        parser.add_argument("--base-url", metavar="URL", help="what the link begins with")

    def run(self, **options: Any) -> None:
        """Change what is asked for, then print the link."""
        base_url = base_url_check(options["base_url"]) if options["base_url"] else None
        campaign = campaign_named(options["campaign"])
        an_hour = options["an_hour"]
        if options["on"] or options["renew"]:
            campaign = joining_set(campaign=campaign, joins=True, renew=options["renew"], an_hour=an_hour)
        elif an_hour is not None and not options["off"]:
            joins = bool(campaign.settings.get("joins"))
            campaign = joining_set(campaign=campaign, joins=joins, an_hour=an_hour)
        if options["off"]:
            joining_set(campaign=campaign, joins=False, an_hour=an_hour)
            self.stderr.write(f"Nobody else can join “{campaign.name}”; raters who have joined stay.")
            return
        self.stdout.write(joining_url(campaign, base_url=base_url))
        AuditEvent.note("links.taken", campaign=campaign, study=campaign.study)
        if campaign.mode == campaign.Mode.PLANNED:
            places = counted(free_places(campaign).count(), "place")
            self.stderr.write(
                f"Note: {places} not taken yet: who joins takes over the work of an unused invitation."
            )
