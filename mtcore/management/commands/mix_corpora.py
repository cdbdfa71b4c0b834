"""Mix corpora: copies and tags."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from evalplatform.errors import BadInput
from mtcore.management.commands.corpora import one_corpus
from mtcore.services.corpora import corpus_find, corpus_register
from mtcore.services.corpora_derive import Part, corpus_mix

MOST_DIGITS = 20


class Command(HouseCommand):
    """`manage.py mix_corpora NEW --part …`."""

    audited = True
    help = "Put corpora of the same languages together, each several times or with a tag."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NEW", help="name of the mix")
        parser.add_argument(
            "--part", nargs="+", action="append", required=True, metavar=("CORPUS", "COPIES TAG"),
            help='a corpus, how often it is there (1), a tag before its sources: --part synthetic 1 "<BT>"',
        )  # fmt: skip

    def run(self, **options: Any) -> str:
        """Mix and register."""
        draft = corpus_mix(name=options["name"], parts=[_part(given) for given in options["part"]])
        return one_corpus(corpus_register(draft)[0])


def _part(given: list[str]) -> Part:
    name, copies, tag = (*given, *("", "1", "")[len(given) :])[:3]
    if len(given) > 3 or not (copies.isascii() and copies.isdecimal() and len(copies) < MOST_DIGITS):
        raise BadInput(
            f"“--part {' '.join(given)}” is not a corpus, a number of copies and a tag.",
            'Write it as --part synthetic 1 "<BT>".',
        )
    return Part(corpus_find(name), int(copies), tag)
