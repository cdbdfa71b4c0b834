"""Train a language model on corpora, or on what a system has translated."""

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
from mtcore.services.training import lm_train


class Command(HouseCommand):
    """`manage.py train_lm NAME --recipe tiny-lm --corpus …`."""

    audited = True
    help = "Train a language model on corpora, or on what a system has translated."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the language model")
        add_recipe_arguments(parser)
        parser.add_argument(
            "--corpus", nargs="+", action="extend", default=[], metavar="CORPUS", help="learn from these"
        )
        parser.add_argument(
            "--system", default="", help="learn from what this system has translated (translate_corpus)"
        )
        parser.add_argument("--language", default="", metavar="de", help="which side of parallel corpora")
        parser.add_argument("--valid", default="", metavar="CORPUS", help="default: held-out lines")
        add_wait_arguments(parser)

    def run(self, **options: Any) -> str | None:
        """Launch and follow."""
        run = lm_train(
            name=options["name"],
            recipe=recipe_chosen(options),
            corpora=options["corpus"],
            system=options["system"],
            language=options["language"],
            valid=options["valid"],
            engine=options["engine"],
            seed=options["seed"],
        )
        (ended,) = follow_runs(self, [run], wait=options["wait"])
        if not options["wait"]:
            return None
        texts = (ended.result or {})["texts"]
        return (
            f"“{run.name}” is trained on {texts['train']:,} lines ({texts['vocabulary']:,} different words): "
            f"manage.py score_lm {run.name!r} --text FILE"
        )
