"""Serve the platform and a worker on this machine."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser

from annotation.management.serving import free_port, serve
from evalplatform.commands import HouseCommand
from evalplatform.env import LOCAL_URL


class Command(HouseCommand):
    """`manage.py serve`."""

    help = "Serve on 127.0.0.1 with an embedded worker, until stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the options."""
        parser.add_argument("--port", type=int, default=8000, help="another port is taken when it is busy")

    def run(self, **options: Any) -> None:
        """Check the database, find a port, serve."""
        port = options["port"]
        call_command("migrate", check_unapplied=True, verbosity=0)
        found = free_port(port)
        address = f"http://127.0.0.1:{found}"
        if found != port:
            self.stdout.write(f"Port {port} is taken; using {found}.")
        if settings.BASE_URL == LOCAL_URL != address:
            self.stdout.write(links_hint(address))
        self.stdout.write(f"Serving on {address} until you press Ctrl-C.")
        self.stdout.flush()
        serve(port=found)


def links_hint(address: str) -> str:
    """Say how invitation links get the address of this server."""
    return (
        f"Invitation links begin with {LOCAL_URL}. For links to this server write the line\n"
        f"  BASE_URL={address}\n"
        f"into .env, or print them with\n  manage.py campaign_links NAME --base-url {address}"
    )
