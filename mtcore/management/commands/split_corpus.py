"""Hold a random part of a corpus out."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.management.commands.corpora import one_corpus
from mtcore.services.corpora import corpora_register, corpus_find
from mtcore.services.corpora_derive import corpus_split


class Command(HouseCommand):
    """`manage.py split_corpus CORPUS REST HELD --lines N`."""

    audited = True
    help = "Split a corpus into the rest and a random part, to validate on or to take as monolingual text."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("corpus", metavar="CORPUS", help="the corpus to split")
        parser.add_argument("rest", metavar="REST", help="name of what is left")
        parser.add_argument("held", metavar="HELD", help="name of the part that is held out")
        parser.add_argument("--lines", type=int, required=True, help="lines to hold out")
        parser.add_argument("--seed", type=int, default=1, help="the same seed takes the same lines (1)")

    def run(self, **options: Any) -> str:
        """Split, and register both parts or none."""
        drafts = corpus_split(
            corpus=corpus_find(options["corpus"]),
            names=(options["rest"], options["held"]),
            held_out=options["lines"],
            seed=options["seed"],
        )
        return "\n".join(one_corpus(corpus) for corpus in corpora_register(drafts))
