"""The options that name what belongs to a study, the same for every command that changes it."""

from __future__ import annotations

from django.core.management.base import CommandParser


def add_member_arguments(parser: CommandParser, *kinds: str) -> None:
    """Add the name of a study, and an option for each kind of member; each takes several names.

    Args:
        parser: of the command.
        kinds: "campaign", "testset", "system".
    """
    parser.add_argument("name", metavar="NAME", help="name of the study")
    for kind in kinds:
        parser.add_argument(
            f"--{kind}", nargs="+", action="extend", default=[], metavar=kind.upper(), help=f"{kind}s by name"
        )  # fmt: skip
