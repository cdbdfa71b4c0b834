"""Options on who takes part in a campaign, and what comes before and after it."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser


def add(parser: CommandParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("raters")
    group.add_argument(
        "--native", nargs="+", metavar="LANGUAGE", help="native languages required: tags, source or target"
    )
    group.add_argument(
        "--fluent", nargs="+", metavar="LANGUAGE", help="languages to be known fluently or better"
    )


def read(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said, by the names of `CampaignSettings`; None where nothing was."""
    return {
        "native": tuple(options["native"]) if options["native"] else None,
        "fluent": tuple(options["fluent"]) if options["fluent"] else None,
    }
