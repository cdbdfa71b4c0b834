"""List the accounts of researchers and administrators."""

from __future__ import annotations

from typing import Any

from annotation.services.accounts import LOCKED_OUT, NO_PASSWORD, accounts_read
from evalplatform.commands import HouseCommand

WORDS = {LOCKED_OUT: "locked out", NO_PASSWORD: "no password yet"}
"""How an account stands, where one word is not enough."""


class Command(HouseCommand):
    """`manage.py accounts`."""

    help = "List the accounts: name, role, state, studies, API token, last time signed in."

    def run(self, **options: Any) -> None:
        """Print a line each."""
        for one in accounts_read():
            seen = f"{one.user.last_login:%Y-%m-%d}" if one.user.last_login else "never"
            parts = [
                one.user.username,
                one.role,
                WORDS.get(one.state, one.state),
                str(one.n_studies),
                "yes" if one.has_token else "no",
                seen,
            ]
            self.stdout.write("\t".join(parts))
