"""Write the report of a campaign: text, tables and figures in a folder, or the text alone."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.management.score_arguments import add_score_arguments, score_options
from annotation.models import AuditEvent
from annotation.services.lookup import campaign_named
from annotation.services.report.compute import campaign_report
from annotation.services.report.writers import folder_free, report_markdown, report_write
from annotation.services.scoring import options_read
from evalplatform.commands import HouseCommand
from mtcore.management.flavour_argument import add_flavour_argument


class Command(HouseCommand):
    """Write a campaign's report."""

    help = (
        "Report a campaign: ranking, tests, agreement, raters, checks of the ranking, a methods paragraph. "
        "Prints Markdown; with --output also writes every table (CSV, Markdown, LaTeX) and figure (SVG)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the campaign, how to score it, and where to write."""
        parser.add_argument("campaign", help="name of the campaign")
        parser.add_argument("--output", metavar="FOLDER", help="a folder that does not exist yet")
        add_score_arguments(parser)
        add_flavour_argument(parser)

    def run(self, **options: Any) -> None:
        """Compute and write; the mixed model is fitted whatever the size, and the page shows it then too."""
        campaign = campaign_named(options["campaign"])
        if options["output"] is not None:
            folder_free(Path(options["output"]))
        chosen = options_read(campaign, score_options(options))
        report = campaign_report(campaign=campaign, options=chosen, heavy=True)
        if options["output"] is None:
            self.stdout.write(report_markdown(report), ending="")
            return
        n_files = report_write(report, Path(options["output"]), flavour=options["flavour"])
        AuditEvent.note("report.exported", campaign=campaign, study=campaign.study)
        self.stdout.write(f"{n_files} files written to {options['output']}.")
