"""Serve the platform and a worker on this machine."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser

from annotation.management.serving import HOST, free_port, links_begin, serve
from evalplatform.commands import HouseCommand
from evalplatform.env import LOCAL_URL

EVERYWHERE = "0.0.0.0"  # nosec B104 # noqa: S104 (what a person may ask for)


class Command(HouseCommand):
    """`manage.py serve`."""

    help = "Serve with an embedded worker until stopped: for this machine, or with --host for a network."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the options."""
        parser.add_argument("--port", type=int, default=8000, help="another port is taken when it is busy")
        parser.add_argument(
            "--host",
            default=HOST,
            help="address to listen on: 127.0.0.1, this machine only (default); 0.0.0.0, the whole network",
        )

    def run(self, **options: Any) -> None:
        """Check the database, find a port, serve."""
        port, host = options["port"], options["host"]
        call_command("migrate", check_unapplied=True, verbosity=0)
        found = free_port(port, host)
        address = f"http://{HOST if host == EVERYWHERE else host}:{found}"
        if found != port:
            self.stdout.write(f"Port {port} is taken; using {found}.")
        if settings.BASE_URL == LOCAL_URL != address:
            self.stdout.write(links_hint(address))
        if host != HOST:
            self.stdout.write(network_hint(host, found))
        self.stdout.write(f"Serving on {address} until you press Ctrl-C.")
        self.stdout.flush()
        serve(port=found, host=host, base_url=links_begin(address))


def links_hint(address: str) -> str:
    """Say how links that other commands print get the address of this server."""
    return (
        f"Links on pages begin with {address}, those that commands print with {LOCAL_URL}. For the same "
        "in both write the line\n"
        f"  BASE_URL={address}\n"
        f"into .env, or print them with\n  manage.py campaign_links NAME --base-url {address}"
    )


def network_hint(host: str, port: int) -> str:
    """Say under which names others reach this server."""
    names = ", ".join(settings.ALLOWED_HOSTS)
    return (
        f"Listening on {host}, port {port}. Others reach it under the names in ALLOWED_HOSTS ({names}): add "
        "this machine's name or address there and to BASE_URL, in .env. Use it in a network you trust: "
        "without TLS everybody in it can read along."
    )
