"""Options of a campaign's quality control."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser


def add(parser: CommandParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("quality control")
    group.add_argument(
        "--bad-references", type=float, metavar="SHARE", help="bad references for each system item, as 0.1"
    )
    group.add_argument("--repeats", type=float, metavar="SHARE", help="repeats for each system item, as 0.1")
    group.add_argument(
        "--reference-as-system", action="store_true", help="show the reference as a hidden system"
    )


def read(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said, by the names of `CampaignSettings`; None where nothing was."""
    return {
        "bad_references": options["bad_references"],
        "repeats": options["repeats"],
        "reference_as_system": options["reference_as_system"] or None,
    }
