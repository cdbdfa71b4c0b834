"""Options of a campaign's rating page."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser


def add(parser: CommandParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("rating page")
    group.add_argument("--low-label", metavar="WORDS", help="what the lowest score means")
    group.add_argument("--high-label", metavar="WORDS", help="what the highest score means")
    group.add_argument(
        "--context-segments", type=int, metavar="N",
        help="segments of the same document shown before and after (default 2)",
    )  # fmt: skip
    group.add_argument("--allow-skip", action="store_true", help="raters may pass an item over")
    group.add_argument(
        "--break-after",
        type=int,
        metavar="MINUTES",
        help="suggest a break after so much work (default 50; 0: never)",
    )


def read(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said, by the names of `CampaignSettings`; None where nothing was."""
    return {
        "low_label": options["low_label"],
        "high_label": options["high_label"],
        "context_segments": options["context_segments"],
        "can_skip": options["allow_skip"] or None,
        "break_after": options["break_after"],
    }
