"""Let a rater leave a campaign and give the open work to the others."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.handing_over import (
    rater_withdraw_trial,
    work_hand_over,
    work_hand_over_trial,
)
from annotation.services.links import base_url_check, campaign_links
from annotation.services.lookup import campaign_named
from annotation.services.withdrawal import rater_withdraw
from evalplatform.commands import HouseCommand
from evalplatform.words import counted


class Command(HouseCommand):
    """Keep a rater's answers, and give what is open to raters who have not seen it."""

    help = "Let a rater leave: answers stay, open items go to the others, or also to somebody new."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("rater", metavar="RATER", help="who leaves")
        parser.add_argument(
            "--replacement", metavar="RATER", default="", help="a new rater who shares in the open work"
        )
        parser.add_argument("--dry-run", action="store_true", help="say who would get what; change nothing")
        parser.add_argument("--base-url", metavar="URL", help="what the new rater's link begins with")

    def run(self, **options: Any) -> None:
        """Reassign, and say what changed and what is short; print the link of who came for it."""
        base = base_url_check(options["base_url"]) if options["base_url"] else None
        campaign, rater, new = campaign_named(options["name"]), options["rater"], options["replacement"]
        is_dry = options["dry_run"]
        if new:
            leave = work_hand_over_trial if is_dry else work_hand_over
            result = leave(campaign=campaign, rater=rater, new_rater=new)
        else:
            result = (rater_withdraw_trial if is_dry else rater_withdraw)(campaign=campaign, rater=rater)
        self.stdout.write(
            f"“{result.rater}” {'would leave' if is_dry else 'has left'}: {counted(result.kept, 'answer')} "
            f"kept, {counted(result.released, 'item')} taken back."
        )
        for rater, count in result.given.items():
            self.stdout.write(f"{counted(count, 'item')} more for “{rater}”.")
        for text in result.short:
            self.stderr.write(f"Note: {text}")
        if is_dry:
            self.stdout.write("Nothing was changed.")
        elif new:
            [(name, link)] = campaign_links(campaign=campaign, base_url=base, rater=new)
            self.stdout.write(f"{name}\t{link}")
