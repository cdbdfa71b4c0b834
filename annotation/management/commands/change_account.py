"""Change, close or open an account; give a link to its password or an API token."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from annotation.services.accounts import (
    ROLES,
    account_deactivate,
    account_named,
    account_reactivate,
    account_role,
    account_unlock,
    password_link,
    token_issue,
    token_revoke,
)
from annotation.services.links import base_url_check
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """`manage.py change_account`."""

    help = "Change an account: its role, whether it is open, its password link, its API token."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the options."""
        parser.add_argument("name", metavar="NAME", help="user name")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--role", choices=ROLES)
        what.add_argument("--close", action="store_true", help="nobody can sign in; sessions and token end")
        what.add_argument("--open", action="store_true", help="open a closed account again")
        what.add_argument("--unlock", action="store_true", help="forget wrong passwords that were given")
        what.add_argument("--password-link", action="store_true", help="print a link to set a password")
        what.add_argument("--new-token", action="store_true", help="print a new API token; an older one ends")
        what.add_argument("--revoke-token", action="store_true", help="end the API token")
        parser.add_argument("--base-url", default="", help="what the link begins with")

    def run(self, **options: Any) -> str:
        """Do the one thing that was asked for."""
        base_url = base_url_check(options["base_url"]) if options["base_url"] else None
        user = account_named(options["name"])
        if options["password_link"]:
            return password_link(user=user, base_url=base_url)
        if options["new_token"]:
            return token_issue(user=user)
        if options["role"]:
            account_role(user=user, role=options["role"])
            return f"“{user.username}” is now: {options['role']}."
        changes = {
            "close": (account_deactivate, "can no longer sign in"),
            "open": (account_reactivate, "can sign in again"),
            "unlock": (account_unlock, "can try a password again"),
            "revoke_token": (token_revoke, "has no API token any more"),
        }
        change, words = next(changes[name] for name in changes if options[name])
        change(user=user)
        return f"“{user.username}” {words}."
