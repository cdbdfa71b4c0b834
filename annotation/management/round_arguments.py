"""Options on items that are judged again, and on campaigns without a plan."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser


def add(parser: CommandParser) -> None:
    """Declare the options."""
    group = parser.add_argument_group("without a plan")
    group.add_argument(
        "--pool", action="store_true", help="no plan: whoever comes takes the next items (--raters optional)"
    )
    group.add_argument(
        "--lease-minutes",
        type=int,
        metavar="MINUTES",
        help="how long items wait for a rater who has stopped (default 30)",
    )
    group.add_argument(
        "--most-items", type=int, metavar="N", help="items a rater may take (default: as many as there are)"
    )
    group = parser.add_argument_group("judging again")
    group.add_argument(
        "--reading", choices=("range", "pairwise"), help="when an item is judged again (default range)"
    )
    group.add_argument("--points", type=float, help="the difference above which it is (default 30)")
    group.add_argument(
        "--treatment",
        choices=("replace", "pool"),
        help="what becomes of the first judgements (default replace)",
    )


def read(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said, by the names of `CampaignSettings`; None where nothing was."""
    return {
        "lease_minutes": options["lease_minutes"],
        "most_items": options["most_items"],
        "reading": options["reading"],
        "points": options["points"],
        "treatment": options["treatment"],
    }
