"""Make an account of a researcher or administrator."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.accounts import RESEARCHER, ROLES, account_create, password_link
from annotation.services.links import base_url_check
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """`manage.py create_account`."""

    help = "Make an account and print the link by which its owner sets the password."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the options."""
        parser.add_argument("name", metavar="NAME", help="user name")
        parser.add_argument("--role", default=RESEARCHER, choices=ROLES, help="researcher by default")
        parser.add_argument("--base-url", default="", help="what the link begins with")

    def run(self, **options: Any) -> str:
        """Make it."""
        base_url = base_url_check(options["base_url"]) if options["base_url"] else None
        user = account_create(name=options["name"], role=options["role"])
        return password_link(user=user, base_url=base_url)
