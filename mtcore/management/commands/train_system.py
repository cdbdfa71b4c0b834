"""Train a system, from corpora to registered outputs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.management.system_arguments import (
    add_recipe_arguments,
    add_wait_arguments,
    follow_runs,
    recipe_chosen,
)
from mtcore.services.corpora_import import TEST_SEGMENTS
from mtcore.services.training import system_train


class Command(HouseCommand):
    """`manage.py train_system NAME --recipe tiny-op --corpus …`."""

    audited = True
    help = (
        "Train a system as a graph of runs: filter, (translate back, mix,) train, translate test sets. The "
        "same command again goes on where it stopped; what has succeeded is not done again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the system")
        add_recipe_arguments(parser)
        parser.add_argument(
            "--corpus", nargs="+", action="extend", required=True, metavar="CORPUS", help="parallel corpora"
        )  # fmt: skip
        parser.add_argument(
            "--mono", nargs="+", action="extend", default=[], metavar="CORPUS",
            help="text in the target language to be translated back (recipes of the kind BT)",
        )  # fmt: skip
        parser.add_argument(
            "--valid", default="", metavar="CORPUS", help="validate on this one; by default on held-out lines"
        )
        parser.add_argument(
            "--languages", default="", metavar="en-de", help="by default those of the first corpus"
        )
        parser.add_argument(
            "--testset", nargs="+", action="extend", default=[], metavar="TESTSET",
            help="translate these at the end, every version of their source",
        )  # fmt: skip
        parser.add_argument(
            "--reverse", default="", metavar="SYSTEM",
            help="a trained system of the other direction that translates back; by default one is trained",
        )  # fmt: skip
        parser.add_argument(
            "--test-segments", choices=TEST_SEGMENTS, default="refuse",
            help="what happens to lines that are in a test set (refuse)",
        )  # fmt: skip
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, launch nothing")
        add_wait_arguments(parser)

    def run(self, **options: Any) -> str | None:
        """Plan, launch, follow."""
        pipeline = system_train(
            name=options["name"],
            recipe=recipe_chosen(options),
            corpora=options["corpus"],
            monolingual=options["mono"],
            valid=options["valid"],
            languages=options["languages"],
            testsets=options["testset"],
            engine=options["engine"],
            seed=options["seed"],
            reverse=options["reverse"],
            test_segments=options["test_segments"],
            dry_run=options["dry_run"],
        )
        self.stdout.write(pipeline.summary())
        if options["dry_run"]:
            return None
        follow_runs(self, pipeline.runs, wait=options["wait"])
        return (
            f"“{pipeline.system}” is trained: manage.py systems {pipeline.system}"
            if options["wait"]
            else None
        )
