"""Verify the package of a study: recompute every number in it."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.services.verify import study_verify
from evalplatform.commands import HouseCommand

SHOWN = 50


class Command(HouseCommand):
    """Say whether a package is what its judgements make it, or where not. Needs no database."""

    help = "Verify a package of export_study: hashes of all files, and every number from the judgements."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the package."""
        parser.add_argument("package", metavar="FILE|FOLDER", help="what export_study wrote")

    def run(self, **options: Any) -> None:
        """Verify; exit code 1 when anything differs."""
        done = study_verify(Path(options["package"]))
        for notice in done.notices:
            self.stderr.write(f"Note: {notice}")
        for difference in done.differences[:SHOWN]:
            self.stdout.write(str(difference))
        if len(done.differences) > SHOWN:
            self.stdout.write(f"… and {len(done.differences) - SHOWN:,} more")
        fingerprint = f"Fingerprint (SHA-256 of manifest.json): {done.fingerprint}."
        if done.differences:
            self.stdout.write(fingerprint)
            files = len({difference.file for difference in done.differences})
            raise CommandError(
                f"not equal: {len(done.differences):,} difference(s) in {files:,} file(s) of “{done.study}”."
            )
        self.stdout.write(
            f"equal: {done.n_files:,} files, {done.n_numbers:,} numbers recomputed from "
            f"{done.n_judgements:,} judgements of “{done.study}”."
        )
        self.stdout.write(f"{fingerprint} Compare it with the one that was published.")
