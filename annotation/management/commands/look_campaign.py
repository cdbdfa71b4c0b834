"""Look at a running campaign without paying for it with false alarms."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandParser

from annotation.services.looks import CampaignLook, campaign_look
from annotation.services.lookup import campaign_named
from annotation.services.score_table import align, number
from annotation.stats.sequential import SPENDING
from evalplatform.commands import HouseCommand


class Command(HouseCommand):
    """`manage.py look_campaign`."""

    help = (
        "Test the differences between systems while a campaign runs. Every look is recorded; the boundary "
        "keeps the error of all looks together at --alpha."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Name the options."""
        parser.add_argument("campaign", metavar="NAME")
        parser.add_argument("--alpha", type=float, default=0.05, help="error of all looks (default 0.05)")
        parser.add_argument("--spending", default="obrien_fleming", choices=list(SPENDING))
        parser.add_argument("--format", default="table", choices=("table", "json"))

    def run(self, **options: Any) -> None:
        """Look and print."""
        found = campaign_look(
            campaign=campaign_named(options["campaign"]), alpha=options["alpha"], spending=options["spending"]
        )
        if options["format"] == "json":
            self.stdout.write(json.dumps(found.as_dict(), ensure_ascii=False, allow_nan=False, indent=2))
        else:
            self.stdout.write(_text(found))


def _text(found: CampaignLook) -> str:
    current = found.current.as_row()
    boundary = "cannot be reached yet" if current["boundary"] is None else number(current["boundary"], 3)
    head = (
        f"Look {found.number}: {found.n_done:,} of {found.n_planned:,} judgements. "
        f"Boundary of |z|: {boundary} ({found.spending}, error {found.level:g} a pair over all looks)."
    )
    rows = [["A", "B", "verdict", "z", "segments"]]
    rows += [
        [pair.system_a, pair.system_b, pair.words, number(pair.z, 3), f"{pair.n_segments:,}"]
        for pair in found.pairs
    ]
    return f"{head}\n\n{align(rows, 3)}"
