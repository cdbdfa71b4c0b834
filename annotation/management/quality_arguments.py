"""Options of a campaign's quality control."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from annotation.design.quality_items import USUAL_BAD, USUAL_REPEATS
from annotation.management.scales import scale_read
from annotation.protocols import PROTOCOLS
from annotation.services.attention_file import attention_read


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
    group.add_argument(
        "--quality-control",
        action="store_true",
        help=f"bad references and repeats at the usual shares: {USUAL_BAD:g} and {USUAL_REPEATS:g}",
    )
    group.add_argument(
        "--sealed", action="store_true", help="nobody sees results before the campaign is closed"
    )
    group.add_argument(
        "--attention", metavar="FILE",
        help="CSV or TSV of attention items: translation, low, high (comparisons: left, right, choice)",
    )  # fmt: skip


def read(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was said, by the names of `CampaignSettings`; None where nothing was."""
    usual = (USUAL_BAD, USUAL_REPEATS) if options["quality_control"] else (None, None)
    shares = {
        name: options[name] if options[name] is not None else share
        for name, share in zip(("bad_references", "repeats"), usual, strict=True)
    }
    return shares | {
        "reference_as_system": options["reference_as_system"] or None,
        "sealed": options["sealed"] or None,
        "attention": _attention(options) if options["attention"] else None,
    }


def _attention(options: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    return attention_read(
        options["attention"],
        protocol=PROTOCOLS[options["protocol"]],
        scale=scale_read(options["scale"] or "1-100"),
    )
