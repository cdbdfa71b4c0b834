"""Print how long the raters of a campaign worked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from annotation.models import AuditEvent
from annotation.services.lookup import campaign_named
from annotation.services.timesheets import Sheet, campaign_timesheets, timesheet_csv, timesheet_json
from annotation.stats.worktime import hours_and_minutes
from evalplatform.commands import HouseCommand, Plain
from evalplatform.errors import NotFound
from evalplatform.words import counted
from mtcore.management.flavour_argument import add_flavour_argument


class Command(HouseCommand):
    """Print active hours and items by rater and day."""

    help = "Print active hours and items of a campaign's raters by day, as on the pages."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="CAMPAIGN", help="name of the campaign")
        parser.add_argument("--rater", default="", metavar="NAME", help="this rater only")
        parser.add_argument("--format", default="table", choices=("table", "csv", "json"))
        add_flavour_argument(parser)

    def run(self, **options: Any) -> None:
        """Print the sheets."""
        campaign = campaign_named(options["name"])
        sheets = campaign_timesheets(campaign=campaign, rater=options["rater"])
        if options["rater"] and not sheets:
            raise NotFound(
                f"There is no rater “{options['rater']}” in campaign “{campaign.name}”.",
                "Leave --rater out to see all.",
            )
        if options["format"] != "table":
            AuditEvent.note("hours.exported", campaign=campaign, study=campaign.study)
        if options["format"] == "csv":
            timesheet_csv(sheets, Plain(self.stdout), spreadsheet=options["flavour"] == "spreadsheet")
        elif options["format"] == "json":
            self.stdout.write(timesheet_json(sheets))
        else:
            for sheet in sheets:
                self._table(sheet)
            if len(sheets) > 1:
                self.stdout.write(self._total(sheets))
            self.stdout.write(f"Days are those of the time zone {timezone.get_default_timezone_name()}.")

    def _total(self, sheets: Sequence[Sheet]) -> str:
        """Return the line that sums the raters up."""
        minutes, items = sum(one.minutes for one in sheets), sum(one.items for one in sheets)
        practice = sum(one.practice_minutes for one in sheets)
        told = f", {hours_and_minutes(practice)} of it practice" if practice else ""
        return f"All {len(sheets):,} raters: {hours_and_minutes(minutes)} h, {counted(items, 'item')}{told}"

    def _table(self, sheet: Sheet) -> None:
        practice = f", {sheet.practice_duration} of it practice" if sheet.practice_minutes else ""
        self.stdout.write(f"{sheet.rater}: {sheet.duration} h, {counted(sheet.items, 'item')}{practice}")
        for line in sheet.lines:
            self.stdout.write(
                f"  {line.day}  {line.duration:>6} h  {line.work:<8}  {counted(line.items, 'item')}"
                + (f", {counted(line.corrections, 'correction')}" if line.corrections else "")
            )
