"""Translate a test set with a system that was trained here."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.management.system_arguments import add_wait_arguments, follow_runs
from mtcore.services.decoding import testset_translate


class Command(HouseCommand):
    """`manage.py translate_testset SYSTEM TESTSET`."""

    audited = True
    help = "Translate every version of a test set's source (X, X*, X**) and register the outputs."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("system", metavar="SYSTEM", help="name of the system")
        parser.add_argument("testset", metavar="TESTSET", help="name of the test set")
        parser.add_argument(
            "--input", nargs="+", action="extend", default=[], metavar="VERSION",
            help="versions of the source, by name or notation (X**); by default all without an output",
        )  # fmt: skip
        parser.add_argument("--engine", default="", help="what translates; by default the fastest that can")
        add_wait_arguments(parser)

    def run(self, **options: Any) -> str | None:
        """Launch and follow."""
        run = testset_translate(
            system=options["system"],
            testset=options["testset"],
            inputs=options["input"],
            engine=options["engine"],
        )
        (ended,) = follow_runs(self, [run], wait=options["wait"])
        if not options["wait"]:
            return None
        return "\n".join(_told(name, made) for name, made in (ended.result or {})["outputs"].items())


def _told(name: str, made: dict[str, Any]) -> str:
    statuses = ", ".join(
        f"{count:,} {status.replace('_', ' ')}" for status, count in made["statuses"].items()
    )
    warning = f". Note: {made['warning']}" if "warning" in made else ""
    return f"{name}: {made['lines']:,} lines ({statuses}){warning}"
