"""Measure the diversity of texts: how rich, frequent, inflected and synonymous their words are."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand, Plain
from evalplatform.errors import BadInput
from mtcore.diversity import DEFAULT, DEFINITIONS, MEASURES
from mtcore.diversity.tables import FORMATS
from mtcore.diversity.tokens import TOKENS
from mtcore.services.diversity import (
    DiversityOptions,
    Text,
    diversity_measure,
    text_of_file,
    texts_of_testset,
)
from mtcore.services.texts import named_split


class Command(HouseCommand):
    """Measure texts and compare every two of them."""

    help = (
        "Measure lexical and morphological diversity (Vanmassenhove et al. 2021) of text files (also .gz) "
        "or of the texts and outputs of a test set; compare texts whose lines belong together."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--text", nargs="+", action="extend", default=[], metavar="NAME=FILE")
        parser.add_argument("--testset", metavar="NAME", help="measure its target texts and outputs")
        parser.add_argument(
            "--systems", nargs="+", default=[], metavar="NAME", help="of the test set; default: all"
        )
        parser.add_argument(
            "--language", default="", metavar="xx", help="of the texts: for their words and lemmas"
        )
        parser.add_argument(
            "--tokens", choices=TOKENS, default="",
            help="moses: cut with sacremoses, case kept (default); given: split at white space",
        )  # fmt: skip
        parser.add_argument(
            "--definition", choices=DEFINITIONS, default="paper",
            help="where the paper and its code differ; biasmt takes the text as given",
        )  # fmt: skip
        parser.add_argument(
            "--measures", default="", metavar="NAME,…",
            help=f"of {', '.join(MEASURES)}; default: {', '.join(DEFAULT)}",
        )  # fmt: skip
        parser.add_argument(
            "--window", type=int, default=100, metavar="N", help="words in a window of mattr, msttr"
        )
        self._add_material(parser)
        self._add_tests(parser)
        parser.add_argument("--format", choices=FORMATS, default="table")

    def _add_material(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--training", default="", metavar="FILE", help="training data, for the bands of LFP"
        )
        parser.add_argument(
            "--source", default="", metavar="FILE", help="source text, whose words are translated"
        )
        parser.add_argument(
            "--source-language", default="", metavar="xx", help="of the source, for its lemmas"
        )
        parser.add_argument(
            "--dictionary", default="", metavar="FILE",
            help="bilingual: word, TAB, translations parted by | ; FreeDict TEI; or a dictd .index",
        )  # fmt: skip
        parser.add_argument(
            "--lemmatiser", default="simplemma", metavar="TOOL",
            help="simplemma, table:FILE (form, TAB, lemma) or spacy:FOLDER",
        )  # fmt: skip

    def _add_tests(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--compare",
            nargs=2,
            action="append",
            metavar=("A", "B"),
            help="texts to compare; default: every two",
        )
        parser.add_argument(
            "--resamples", type=int, default=1000, metavar="N", help="of the tests; 0: no tests"
        )
        parser.add_argument("--seed", type=int, default=1, metavar="N")
        parser.add_argument("--no-intervals", action="store_true", help="values alone")

    def run(self, **options: Any) -> None:
        """Read, measure, compare and print."""
        texts: list[Text] = [text_of_file(*named_split(argument)) for argument in options["text"]]
        chosen, source = _chosen(options), None
        if options["testset"]:
            found = texts_of_testset(testset=options["testset"], systems=options["systems"])
            texts, source = [*texts, *found.texts], found.source
            chosen = replace(
                chosen,
                language=chosen.language or found.language,
                source_language=chosen.source_language or found.source_language,
            )
        elif options["systems"]:
            raise BadInput("--systems are those of a test set.", "Name it with --testset.")
        report = diversity_measure(texts=texts, options=chosen, source=source)
        Plain(self.stdout).write(FORMATS[options["format"]](report))
        for notice in report.notices if options["format"] != "table" else ():
            self.stderr.write(f"Note: {notice}")


def _chosen(options: dict[str, Any]) -> DiversityOptions:
    """Turn options of the command into those of the service."""
    if options["resamples"] < 0 or options["seed"] < 0:
        raise BadInput("--resamples and --seed are 0 or more.", "Give such a number.")
    values: dict[str, Any] = {
        name.name: options[name.name] for name in fields(DiversityOptions) if name.name in options
    }
    return DiversityOptions(
        **values
        | {
            "measures": tuple(name.strip() for name in options["measures"].split(",") if name.strip()),
            "pairs": tuple((a, b) for a, b in options["compare"]) if options["compare"] else None,
            "intervals": not options["no_intervals"],
        }
    )
