"""Write a campaign's plan as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.models import AuditEvent, Campaign
from annotation.services.lookup import campaign_named
from annotation.services.plan_export import plan_export
from evalplatform.commands import HouseCommand, Plain, whole_file
from evalplatform.words import counted
from mtcore.corpora.spreadsheets import FLAVOURS


class Command(HouseCommand):
    """Write every live assignment: who judges what, in which order, and what stands on which side."""

    help = "Write the plan of a campaign as CSV (it names the systems: not for raters)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the campaign")
        parser.add_argument("--output", metavar="FILE", help="write here instead of printing")
        parser.add_argument(
            "--flavour", default="exact", choices=FLAVOURS, help="spreadsheet: safe to open in one"
        )

    def run(self, **options: Any) -> None:
        """Write the plan, row by row."""
        campaign = campaign_named(options["name"])
        if not options["output"]:
            self._note(campaign)
            plan_export(campaign=campaign, stream=Plain(self.stdout), flavour=options["flavour"])
            return
        with whole_file(Path(options["output"])) as stream:
            count = plan_export(campaign=campaign, stream=stream, flavour=options["flavour"])
            self._note(campaign)
        self.stderr.write(f"{counted(count, 'assignment')} written to {options['output']}.")

    @staticmethod
    def _note(campaign: Campaign) -> None:
        AuditEvent.note("plan.exported", campaign=campaign, study=campaign.study)
