"""Delete a campaign that was never opened."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.drafts import draft_delete
from annotation.services.lookup import campaign_named
from evalplatform.commands import HouseCommand
from evalplatform.words import counted


class Command(HouseCommand):
    """Delete a draft with its plan and links; what was opened or answered is refused."""

    help = "Delete a draft (a campaign that was never opened) with its plan and links; nothing is asked."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")

    def run(self, **options: Any) -> None:
        """Delete it, and say what went."""
        campaign = campaign_named(options["name"])
        gone = draft_delete(campaign=campaign)
        with_study = f" and its study “{gone.study}”" if gone.study else ""
        self.stdout.write(
            f"The draft “{campaign.name}”{with_study} is deleted: {counted(gone.items, 'item')}, "
            f"{counted(gone.links, 'link')}. Test sets and outputs stay."
        )
