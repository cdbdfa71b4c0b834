"""List the accounts of researchers and administrators."""

from __future__ import annotations

from typing import Any

from annotation.services.accounts import accounts_read
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """`manage.py accounts`."""

    help = "List the accounts: name, role, state, studies, API token, last time signed in."

    def run(self, **options: Any) -> None:
        """Print a line each."""
        for one in accounts_read():
            state = "open" if one.user.is_active else "closed"
            if one.user.is_active and one.locked_until:
                state = "locked out"
            elif one.user.is_active and not one.user.has_usable_password():
                state = "no password yet"
            seen = f"{one.user.last_login:%Y-%m-%d}" if one.user.last_login else "never"
            parts = [
                one.user.username,
                one.role,
                state,
                str(one.n_studies),
                "yes" if one.has_token else "no",
                seen,
            ]
            self.stdout.write("\t".join(parts))
