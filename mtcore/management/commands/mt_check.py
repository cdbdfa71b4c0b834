"""Say what can train and decode here, and what to install."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import Error, HouseCommand
from mtcore.management.shown import table
from mtcore.services.engine_setup import engine_setup
from mtcore.services.mt_check import MtCheck, mt_check


class Command(HouseCommand):
    """`manage.py mt_check [--require fairseq,gpu] [--format json]`."""

    help = (
        "Say what can train and decode here: the interpreter and its packages, accelerators, Java, engines."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--format", choices=("text", "json"), default="text")
        parser.add_argument(
            "--require",
            default="",
            metavar="NAMES",
            help="exit with 1 when one of these cannot be used (joined by commas): an engine, gpu, java …",
        )

    def run(self, **options: Any) -> None:
        """Look, print, and judge what was asked for."""
        found = mt_check(setup=engine_setup())
        required = [name.strip() for name in options["require"].split(",") if name.strip()]
        missing = found.missing(required)
        self.stdout.write(as_json(found) if options["format"] == "json" else as_text(found))
        if missing:
            said = " ".join(
                f"{part.name} cannot be used: {part.what.rstrip('.')}. {part.remedy}" for part in missing
            )
            raise Error(said.strip())


def as_text(found: MtCheck) -> str:
    """Write the answer as a table and a list of packages."""
    rows = [("", "usable", "what", "to do")]
    rows += [(one.name, "yes" if one.is_usable else "no", one.what, one.remedy) for one in found.parts]
    packages = ", ".join(f"{name} {version}" for name, version in found.packages.items()) or "none"
    return f"Training environment: {found.interpreter}\nPackages: {packages}\n\n{table(rows)}"


def as_json(found: MtCheck) -> str:
    """Write the answer as strict JSON."""
    return json.dumps({**asdict(found), "interpreter": str(found.interpreter)}, ensure_ascii=False, indent=1)
