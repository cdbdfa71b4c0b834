"""Import a system's output for a test set."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.services.outputs import KINDS, output_import
from mtcore.services.texts import text_read


class Command(HouseCommand):
    """Import what a system made of one source version of a test set."""

    audited = True
    help = "Import a system's output: plain text or .gz, one line for each segment of the test set."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("testset", metavar="TESTSET", help="name of the test set")
        parser.add_argument("system", metavar="SYSTEM", help="name of the system")
        parser.add_argument("file", metavar="FILE", help="its output")
        parser.add_argument(
            "--input", default="", metavar="VERSION",
            help="source version it was made from, by name or notation (X**); default: the original",
        )  # fmt: skip
        parser.add_argument("--kind", choices=KINDS, default="", help="kind of system")

    def run(self, **options: Any) -> None:
        """Read, check and write."""
        text = text_read(options["file"])
        output, created, notices = output_import(
            testset=options["testset"],
            system=options["system"],
            text=text,
            input_version=options["input"],
            kind=options["kind"],
        )
        for notice in notices:
            self.stderr.write(f"Note: {notice}")
        done = "imported" if created else "already there, the same text"
        self.stdout.write(
            f"{output.system.name} ({output.system.kind}) on {output.testset.name}, "
            f"input {output.input_version.name}: {len(text.lines):,} lines {done}."
        )
