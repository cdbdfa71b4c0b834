"""Export the judgements of a campaign."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.models import Campaign
from annotation.services.judgement_export import (
    BINARY_FORMATS,
    FORMATS,
    Exported,
    judgements_export,
)
from annotation.services.lookup import campaign_named
from annotation.stats.standardise import POPULATIONS
from evalplatform.commands import HouseCommand, whole_file
from evalplatform.errors import BadInput
from mtcore.corpora.spreadsheets import FLAVOURS


class Command(HouseCommand):
    """Write the judgements of a campaign to a file or to standard output."""

    help = (
        "Export judgements: raw and z in our own columns, which import_judgements reads back, or Appraise's."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the campaign, the format and where to write."""
        parser.add_argument("campaign", help="name of the campaign")
        parser.add_argument("--format", default="csv", choices=FORMATS)
        parser.add_argument("--output", help="file to write (default: standard output)")
        parser.add_argument(
            "--flavour", default="exact", choices=FLAVOURS, help="spreadsheet: safe to open in one"
        )
        parser.add_argument(
            "--population", default="all", choices=tuple(POPULATIONS), help="ratings behind z"
        )
        parser.add_argument("--history", action="store_true", help="also write answers corrected later")

    def run(self, **options: Any) -> None:
        """Export; counts and exclusions go to standard error."""
        campaign = campaign_named(options["campaign"])
        binary = options["format"] in BINARY_FORMATS
        if options["output"]:
            with whole_file(Path(options["output"]), binary=binary) as stream:
                done = self._export(campaign, stream, options)
        elif binary:
            raise BadInput(f"{options['format']} is no text for a screen.", "Give a file with --output.")
        else:
            done = self._export(campaign, _Plain(self.stdout), options)
        self.stderr.write(done.sentence())

    def _export(self, campaign: Campaign, stream: Any, options: dict[str, Any]) -> Exported:
        return judgements_export(
            campaign=campaign,
            stream=stream,
            format=options["format"],
            flavour=options["flavour"],
            population=options["population"],
            history=options["history"],
        )


class _Plain:
    """Write to a command's output without line ends of its own."""

    def __init__(self, out: Any) -> None:
        self.out = out

    def write(self, text: str) -> None:
        """Write as it is."""
        self.out.write(text, ending="")
