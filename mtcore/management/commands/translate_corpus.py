"""Translate a whole corpus with a system that was trained here."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.management.commands.corpora import one_corpus
from mtcore.management.system_arguments import add_wait_arguments, follow_runs
from mtcore.services.corpora import corpus_find
from mtcore.services.decoding import corpus_translate


class Command(HouseCommand):
    """`manage.py translate_corpus SYSTEM CORPUS`."""

    audited = True
    help = (
        "Translate a corpus (of parallel text, the side in the system's source language) into a new one, "
        "line by line, in parts that any number of workers share. The same command again goes on where it "
        "stopped."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("system", metavar="SYSTEM", help="name of the system")
        parser.add_argument("corpus", metavar="CORPUS", help="name of the corpus")
        parser.add_argument("--name", default="", metavar="NEW", help="default: CORPUS by SYSTEM")
        parser.add_argument("--shards", type=int, default=0, help="number of parts; default: by the recipe")
        parser.add_argument("--engine", default="", help="what translates; by default the fastest that can")
        parser.add_argument("--sample", action="store_true", help="draw translations instead of searching")
        parser.add_argument("--beam", type=int, help="in the place of the recipe's")
        parser.add_argument("--dry-run", action="store_true", help="say what would happen, launch nothing")
        add_wait_arguments(parser)

    def run(self, **options: Any) -> str | None:
        """Plan, launch, follow."""
        changes: dict[str, Any] = {"sampling": True, "beam": 1} if options["sample"] else {}
        if options["beam"]:
            changes["beam"] = options["beam"]
        pipeline = corpus_translate(
            system=options["system"],
            corpus=options["corpus"],
            name=options["name"],
            shards=options["shards"],
            engine=options["engine"],
            decoding=changes,
            dry_run=options["dry_run"],
        )
        self.stdout.write(pipeline.summary())
        if options["dry_run"]:
            return None
        follow_runs(self, pipeline.runs, wait=options["wait"])
        return one_corpus(corpus_find(pipeline.system)) if options["wait"] else None
