"""Add raters to a running campaign."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.links import base_url_check, campaign_links
from annotation.services.lookup import campaign_named
from annotation.services.newcomers import raters_add
from evalplatform.commands import HouseCommand
from evalplatform.words import counted


class Command(HouseCommand):
    """Add raters, give them what lacks judgements, and print their links."""

    help = "Add raters to a running campaign: they take what lacks judgements. Prints their links."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("raters", metavar="RATER", nargs="+", help="pseudonyms of the new raters")
        parser.add_argument("--base-url", metavar="URL", help="what the links begin with")

    def run(self, **options: Any) -> None:
        """Add them; what they got goes to standard error, links to standard output."""
        base = base_url_check(options["base_url"]) if options["base_url"] else None
        campaign = campaign_named(options["name"])
        done = raters_add(campaign=campaign, names=options["raters"])
        for rater, count in done.given.items():
            self.stderr.write(f"{counted(count, 'item')} for “{rater}”.")
        if not done.given and campaign.mode == campaign.Mode.PLANNED:
            self.stderr.write(
                "Note: no item lacks judgements now. There is work for new raters once somebody leaves "
                "(withdraw_rater) or items are judged again (disagreement_round)."
            )
        for text in (*done.short, *done.alike):
            self.stderr.write(f"Note: {text}")
        for rater in done.raters:
            [(name, link)] = campaign_links(campaign=campaign, base_url=base, rater=rater)
            self.stdout.write(f"{name}\t{link}")
