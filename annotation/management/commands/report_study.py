"""Fill the tables of the two studies with a study's own results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from annotation.models import AuditEvent
from annotation.services.report.writers import folder_free
from annotation.services.studies import study_named
from annotation.services.study_tables.definitions import TABLES
from annotation.services.study_tables.fill import study_tables
from annotation.services.study_tables.folder import FORMATS, tables_folder, tables_text
from annotation.services.study_tables.human_cells import RATED
from annotation.services.study_tables.material import Wish
from evalplatform.commands import HouseCommand, Plain
from evalplatform.words import counted
from mtcore.management.flavour_argument import add_flavour_argument


class Command(HouseCommand):
    """Print the tables, or write them into a folder."""

    help = (
        "Fill the tables of Edunov et al. 2020 (1-9) and Vanmassenhove et al. 2021 (1-8) with the results "
        "of a study: its test sets, systems, campaigns, metrics and texts. A cell for which there is nothing "
        "yet is empty; the command that would fill it stands below its table."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the study, the tables and the format."""
        parser.add_argument("name", metavar="NAME", help="name of the study")
        parser.add_argument(
            "--tables", default="all", metavar="all|edunov|vanmassenhove|TABLE,…",
            help=f"which: {', '.join(TABLES)}",
        )  # fmt: skip
        parser.add_argument("--format", choices=FORMATS, default="markdown")
        add_flavour_argument(parser)
        parser.add_argument(
            "--output", metavar="FOLDER",
            help="a folder that does not exist yet: all the tables in one file, and each in its own",
        )  # fmt: skip
        parser.add_argument(
            "--testset", nargs="+", default=[], metavar="NAME", help="only these of the study"
        )
        parser.add_argument(
            "--systems", nargs="+", default=[], metavar="NAME", help="only these of the study"
        )
        parser.add_argument(
            "--campaign", nargs="+", default=[], metavar="NAME", help="only these of the study"
        )
        parser.add_argument(
            "--protocol", choices=RATED, default="",
            help="of human scores; default: source-based, or reference-based where there are no others",
        )  # fmt: skip
        parser.add_argument(
            "--scope", choices=("campaign", "study"), default="campaign",
            help="ratings that make a rater's mean and spread",
        )  # fmt: skip

    def run(self, **options: Any) -> None:
        """Read, fill and write."""
        study = study_named(options["name"])
        if options["output"] is not None:
            folder_free(Path(options["output"]))
        wish = Wish(
            tuple(options["testset"]), tuple(options["systems"]), tuple(options["campaign"]),
            options["protocol"], options["scope"],
        )  # fmt: skip
        tables = study_tables(study=study, tables=options["tables"], wish=wish)
        if options["output"] is None:
            text = tables_text(study, tables, options["format"], settings.BASE_URL, options["flavour"])
            Plain(self.stdout).write(text)
        else:
            n_files = tables_folder(
                study,
                tables,
                options["format"],
                Path(options["output"]),
                settings.BASE_URL,
                options["flavour"],
            )
            AuditEvent.note("tables.exported", study=study, tables=options["tables"])
            self.stdout.write(f"{counted(n_files, 'file')} written to {options['output']}.")
        empty = sum(table.n_missing for table in tables)
        if empty:
            self.stderr.write(
                f"Note: {counted(empty, 'cell')} missing; see below each table what fills them."
            )
