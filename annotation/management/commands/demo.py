"""Load the demo study, print its results and links, and serve it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandParser

from annotation.management.serving import free_port, links_begin, serve
from annotation.services.demo import ADMIN, RESEARCHER, Demo, demo_guest, demo_load
from annotation.services.invitations import invitation_url
from annotation.services.score_table import text_table
from annotation.services.scoring import campaign_score
from annotation.stats.options import ScoreOptions
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """`manage.py demo`."""

    help = "Load the demo study, print its results and links, and serve it until stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the options."""
        parser.add_argument("--no-serve", action="store_true", help="do all but the serving")
        parser.add_argument("--port", type=int, default=8000, help="another port is taken when it is busy")

    def run(self, **options: Any) -> None:
        """Migrate, load, print, serve."""
        no_serve, port = options["no_serve"], options["port"]
        call_command("migrate", verbosity=0, interactive=False)
        demo = demo_load()
        self.stdout.write(
            "The demo study is loaded: invented news, invented systems, simulated raters."
            if demo.created
            else "The demo study was there already; everything done in it is kept."
        )
        self._print_results(demo)
        found = port if no_serve else free_port(port)
        if found != port:
            self.stdout.write(f"Port {port} is taken; using {found}.")
        address = f"http://127.0.0.1:{found}"
        self._print_links(demo, address)
        if not no_serve:
            self.stdout.write("Serving until you press Ctrl-C.")
            self.stdout.flush()
            serve(port=found, base_url=links_begin(address))

    def _print_results(self, demo: Demo) -> None:
        for campaign in demo.campaigns:
            if campaign.state != "closed":
                continue
            conditions = ScoreOptions(by_condition=campaign.protocol != "pairwise_fluency")
            scores = campaign_score(campaign=campaign, options=conditions)
            self.stdout.write(
                "\n" + text_table(scores.result or {}, (campaign.scale_low, campaign.scale_high))
            )

    def _print_links(self, demo: Demo, base_url: str) -> None:
        lines = ["", "Rate (half-finished campaigns):"]
        for campaign in demo.campaigns:
            if campaign.state == "open":
                lines.append(f"  {campaign.name}: {invitation_url(demo_guest(campaign), base_url=base_url)}")
        for role, page in {RESEARCHER: "campaigns", ADMIN: "admin"}.items():
            user, password = demo.accounts[role]
            account = f"user {user.username}, password {password}"
            lines += [f"{role.capitalize()}:", f"  {base_url}/{page}/   {account}"]
            if user.username != role:
                lines.append(f"  (an account called {role} was there before and is left as it is)")
        lines += [f"Data: {settings.DATA_DIR}", ""]
        self.stdout.write("\n".join(lines))
