"""Serve the platform and a worker on this machine."""

from __future__ import annotations

from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser

from annotation.management.serving import free_port, serve
from evalplatform.commands import HouseCommand


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
        if found != port:
            self.stdout.write(f"Port {port} is taken; invitation links name BASE_URL, set it to this one.")
        self.stdout.write(f"Serving on http://127.0.0.1:{found} until you press Ctrl-C.")
        self.stdout.flush()
        serve(port=found)
