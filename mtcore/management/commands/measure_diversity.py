"""Measure the diversity of texts: how rich, frequent, inflected and synonymous their words are."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand, Plain
from evalplatform.errors import BadInput
from mtcore.diversity import DEFAULT, DEFINITIONS, MEASURES
from mtcore.diversity.tables import FORMATS
from mtcore.diversity.tokens import TOKENS
from mtcore.management.flavour_argument import add_flavour_argument, flavoured
from mtcore.models.fields import NAME_LENGTH
from mtcore.services.diversity import (
    DiversityOptions,
    diversity_check,
    diversity_keep,
    diversity_origins_measure,
    diversity_run_options,
)
from mtcore.services.diversity_origins import (
    CORPUS,
    MEASURE_DIVERSITY,
    Origin,
    origin_of,
    origins_of_testsets,
)
from mtcore.services.runs import run_launch, run_waits_for
from mtcore.services.texts import named_split
from mtcore.services.versions import testset_find


class Command(HouseCommand):
    """Measure texts and compare every two of them."""

    help = (
        "Measure lexical and morphological diversity (Vanmassenhove et al. 2021) of text files (also .gz), "
        "of corpora, or of the texts and outputs of test sets; compare texts whose lines belong together. "
        "What is measured of corpora and test sets is kept as a run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--text", nargs="+", action="extend", default=[], metavar="NAME=FILE",
            help="a file, or corpus:NAME for the text of a corpus in --language",
        )  # fmt: skip
        parser.add_argument(
            "--testset", nargs="+", default=[], metavar="NAME",
            help="measure its target texts and outputs; several are put one after the other",
        )  # fmt: skip
        parser.add_argument(
            "--systems", nargs="+", default=[], metavar="NAME", help="of the test sets; default: all"
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
        parser.add_argument(
            "--lemma", default="", metavar="WORD", help="count the forms of this lemma as well (Table 7)"
        )
        parser.add_argument(
            "--equal-length", nargs="?", type=int, const=0, dest="equal", metavar="N",
            help="measures that change with length: of N words of each text, drawn line by line without "
            "replacement; without N, of as many as the shortest text has",
        )  # fmt: skip
        parser.add_argument(
            "--draws", type=int, default=20, metavar="N", help="of --equal-length (default 20)"
        )
        parser.add_argument("--background", action="store_true", help="let a worker do it")
        self._add_material(parser)
        self._add_tests(parser)
        parser.add_argument("--format", choices=FORMATS, default="table")
        add_flavour_argument(parser)

    def _add_material(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--training", default="", metavar="FILE",
            help="training data, for the bands of LFP; or corpus:NAME",
        )  # fmt: skip
        parser.add_argument(
            "--source", default="", metavar="FILE",
            help="source text, whose words are translated; or corpus:NAME",
        )  # fmt: skip
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

    def run(self, **options: Any) -> str | None:
        """Read, measure, compare, print and keep, or launch a run that does."""
        chosen, testsets = _chosen(options), options["testset"]
        diversity_check(chosen)
        if testsets:
            languages = testset_find(testsets[0])
            chosen = replace(
                chosen,
                language=chosen.language or languages.target_language,
                source_language=chosen.source_language or languages.source_language,
            )
        elif options["systems"]:
            raise BadInput("--systems are those of a test set.", "Name it with --testset.")
        origins = [origin_of(*named_split(argument), chosen.language) for argument in options["text"]]
        origins += origins_of_testsets(testsets, options["systems"]) if testsets else []
        name = ", ".join(testsets) or ", ".join(origin.name for origin in origins)
        if options["background"]:
            arguments = diversity_run_options(
                origins=[_absolute(origin) for origin in origins], options=_files_absolute(chosen),
                source_testsets=testsets,
            )  # fmt: skip
            run = run_launch(kind=MEASURE_DIVERSITY, name=name[:NAME_LENGTH], options=arguments)
            return f"Run {run.pk} measures them; see: manage.py runs {run.pk}. {run_waits_for(run)}".rstrip()
        report = diversity_origins_measure(origins=origins, options=chosen, source_testsets=testsets)
        Plain(self.stdout).write(flavoured(FORMATS[options["format"]](report), options))
        for notice in report.notices if options["format"] != "table" else ():
            self.stderr.write(f"Note: {notice}")
        if not any(origin.file for origin in origins):
            run = diversity_keep(report=report, origins=origins, options=chosen, name=name)
            self.stderr.write(f"Kept as run {run.pk}.")
        return None


def _absolute(origin: Origin) -> Origin:
    return replace(origin, file=str(Path(origin.file).absolute())) if origin.file else origin


def _files_absolute(options: DiversityOptions) -> DiversityOptions:
    """Return options whose files a worker finds wherever it was started."""

    def absolute(value: str) -> str:
        return str(Path(value).absolute()) if value and not value.startswith(CORPUS) else value

    tool, colon, path = options.lemmatiser.partition(":")
    return replace(
        options,
        training=absolute(options.training),
        source=absolute(options.source),
        dictionary=absolute(options.dictionary),
        lemmatiser=f"{tool}{colon}{absolute(path)}",
    )


def _chosen(options: dict[str, Any]) -> DiversityOptions:
    """Turn options of the command into those of the service."""
    if options["resamples"] < 0 or options["seed"] < 0:
        raise BadInput("--resamples and --seed are 0 or more.", "Give such a number.")
    if options["draws"] < 2 or (options["equal"] or 0) < 0:
        raise BadInput("--draws is 2 or more and --equal-length a number of words.", "Give such numbers.")
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
