"""Train OP and BT systems on a small made-up task, and print BLEU by direction."""

from __future__ import annotations

import time
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.management.shown import table
from mtcore.management.system_arguments import follow_runs
from mtcore.services.demo_mt import BT, DIRECTIONS, OP, demo_mt_launch, demo_mt_remove, demo_mt_scores


class Command(HouseCommand):
    """`manage.py demo_mt`."""

    help = (
        "Train an OP and a BT system on two made-up languages, from texts to BLEU by direction, in some "
        "minutes on two cores: 1,000 parallel sentences, 6,000 to translate back, equal numbers of updates."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--seed", type=int, default=1, help="of the languages, texts and models (1)")
        parser.add_argument(
            "--keep", action="store_true", help="keep systems, corpora, runs and outputs to look at"
        )
        parser.add_argument("--remove", action="store_true", help="remove what --keep has kept, and end")
        parser.add_argument("--engine", default="", help="what trains; by default the first that can")

    def run(self, **options: Any) -> str | None:
        """Launch, follow, score, tidy up."""
        call_command("migrate", verbosity=0, interactive=False)
        seed = options["seed"]
        if options["remove"]:
            demo_mt_remove(seed=seed, tell=self.stdout.write)
            return None
        began = time.monotonic()
        demo = demo_mt_launch(seed=seed, engine=options["engine"])
        self.stdout.write(f"{len(demo.runs)} runs; see them with: manage.py runs")
        follow_runs(self, demo.runs, wait=True, workers=2)
        scores = demo_mt_scores(demo=demo)
        rows: list[tuple[str, ...]] = [
            ("BLEU", "written in the source language", "written in the target language")
        ]
        rows += [(kind, *(f"{scores[kind][one]:.1f}" for one in DIRECTIONS)) for kind in (OP, BT)]
        self.stdout.write(f"{table(rows)}\nIn {time.monotonic() - began:.0f} s.")
        if options["keep"]:
            return f"Kept: manage.py systems {demo.system(BT)}; remove it with --remove --seed {seed}."
        demo_mt_remove(seed=seed)
        return None
