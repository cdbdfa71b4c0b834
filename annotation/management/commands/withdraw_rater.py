"""Let a rater leave a campaign and give the open work to the others."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.lookup import campaign_named
from annotation.services.withdrawal import rater_withdraw
from evalplatform.commands import HouseCommand
from evalplatform.words import counted


class Command(HouseCommand):
    """Keep a rater's answers, and give what is open to raters who have not seen it."""

    help = "Let a rater leave: answers stay, open items go to the others."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("rater", metavar="RATER", help="who leaves")

    def run(self, **options: Any) -> None:
        """Reassign, and say what changed and what is short."""
        result = rater_withdraw(campaign=campaign_named(options["name"]), rater=options["rater"])
        self.stdout.write(
            f"“{result.rater}” has left: {counted(result.kept, 'answer')} kept, "
            f"{counted(result.released, 'item')} taken back."
        )
        for rater, count in result.given.items():
            self.stdout.write(f"{counted(count, 'item')} more for “{rater}”.")
        for text in result.short:
            self.stderr.write(f"Note: {text}")
