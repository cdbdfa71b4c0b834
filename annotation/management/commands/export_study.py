"""Export a study as a package that can be verified anywhere."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.services.package_export import study_export
from annotation.services.package_layout import slugs
from annotation.services.studies import study_named
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """Write a folder or zip with everything behind a study's numbers."""

    help = (
        "Export a study: plan, judgements, exclusions, guidelines, scores, hashes of texts and of all files. "
        "verify_study recomputes every number from it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the study and where to write."""
        parser.add_argument("name", metavar="NAME", help="name of the study")
        parser.add_argument(
            "--output", metavar="FOLDER|FILE.zip", help="where to (default: a zip named like the study, here)"
        )
        parser.add_argument(
            "--identities", action="store_true", help="keep raters' names (default: numbers drawn at random)"
        )
        parser.add_argument(
            "--with-texts", action="store_true", help="write texts too (default: hashes; mind licences)"
        )

    def run(self, **options: Any) -> None:
        """Export and say what could not be scored."""
        study = study_named(options["name"])
        output = Path(options["output"] or f"{slugs([study.name])[study.name]}.zip")
        done = study_export(
            study=study, output=output, identities=options["identities"], with_texts=options["with_texts"]
        )
        for notice in done.notices:
            self.stderr.write(f"Note: {notice}")
        self.stdout.write(
            f"{done.n_campaigns:,} campaign(s), {done.n_files:,} files written to {done.path}. "
            f"Check with `manage.py verify_study {done.path}`."
        )
        self.stdout.write(f"Fingerprint (SHA-256 of manifest.json): {done.fingerprint}. Publish it.")
