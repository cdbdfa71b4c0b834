"""The option of commands that print CSV: exactly, or safe to open in a spreadsheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from mtcore.corpora.spreadsheets import FLAVOURS, csv_flavoured


def add_flavour_argument(parser: CommandParser) -> None:
    """Declare the flavour of CSV."""
    parser.add_argument(
        "--flavour", default="exact", choices=FLAVOURS, help="of CSV; spreadsheet: safe to open in one"
    )


def flavoured(text: str, options: Mapping[str, Any]) -> str:
    """Return what a command prints in its --format, in its --flavour where that is CSV."""
    return csv_flavoured(text, options["flavour"]) if options["format"] == "csv" else text
