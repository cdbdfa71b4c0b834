"""Put automatic metrics beside the judgements of campaigns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.services.correlate import campaigns_correlate
from annotation.services.correlate_options import BY, DIRECTIONS, LEVELS, SEGMENTS, CorrelateOptions
from annotation.services.correlate_tables import TABLES
from annotation.services.correlate_write import FORMATS, correlate_write
from annotation.services.lookup import campaign_named
from annotation.stats.standardise import POPULATIONS
from evalplatform.commands import HouseCommand, Plain
from evalplatform.errors import BadInput
from mtcore.management.flavour_argument import add_flavour_argument, flavoured
from mtcore.metrics import METRICS
from mtcore.services.texts import named_split


class Command(HouseCommand):
    """Correlate metrics with people, over systems and over segments."""

    help = (
        "Correlate metrics with people: over systems and over segments, with intervals, tests between "
        "metrics, pairs of systems, and the segments on which they are farthest apart; by direction where "
        "there are two."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare campaigns, metrics, and how they are compared."""
        parser.add_argument("--campaign", nargs="+", action="extend", required=True, metavar="NAME")
        parser.add_argument(
            "--metrics", default="bleu,chrf", metavar="NAME,…",
            help=f"of {', '.join(METRICS)}; kept scores are used, others are made; default: bleu,chrf",
        )  # fmt: skip
        self._add_comparison(parser)
        self._add_metrics(parser)
        parser.add_argument("--format", choices=FORMATS, default="table")
        add_flavour_argument(parser)
        parser.add_argument(
            "--table", choices=TABLES, default="coefficients", help="which one csv and latex write"
        )

    def _add_comparison(self, parser: CommandParser) -> None:
        parser.add_argument("--level", choices=(*LEVELS, "both"), default="both")
        parser.add_argument(
            "--direction", nargs="+", choices=DIRECTIONS, default=[],
            help="segments with a natural source, a natural target, or all; default: all, and each where two",
        )  # fmt: skip
        parser.add_argument(
            "--reference", nargs="+", default=[], metavar="VERSION",
            help="by name or notation (Y**), one after the other; default: what raters compared with, "
            "else the original",
        )  # fmt: skip
        parser.add_argument("--by", choices=BY, default="system", help="what a point is; default: system")
        unit = parser.add_mutually_exclusive_group()
        unit.add_argument("--z", action="store_true", help="scores in units of each rater's spread (default)")
        unit.add_argument("--raw", action="store_true", help="raw scores; of comparisons, win rates")
        parser.add_argument(
            "--segments", choices=SEGMENTS, default="common",
            help="common: metrics over the segments that people judged (default); all: whole test sets",
        )  # fmt: skip
        parser.add_argument(
            "--population", choices=tuple(POPULATIONS), default="all",
            help="ratings that make a rater's mean and spread",
        )  # fmt: skip
        parser.add_argument(
            "--threshold", type=float, metavar="POINTS",
            help="raw difference that counts for the Kendall-like coefficient; default: 25 of 100",
        )  # fmt: skip
        parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="default: 1000")
        parser.add_argument("--seed", type=int, default=1, metavar="N", help="of every draw; default: 1")
        parser.add_argument(
            "--listed", type=int, default=10, metavar="N",
            help="segments listed for each metric and direction; default: 10",
        )  # fmt: skip

    def _add_metrics(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--model", nargs="+", action="extend", default=[], metavar="METRIC=PATH",
            help="what a metric runs on: ppl=news.arpa, beer=FOLDER",
        )  # fmt: skip
        parser.add_argument("--tokens", choices=("moses", "given"), default="moses")
        parser.add_argument("--nfc", action="store_true", help="compose letters (NFC) on both sides first")
        parser.add_argument(
            "--scores", nargs="+", action="extend", default=[], metavar="NAME=FILE",
            help="a metric computed elsewhere: a table with the columns system, segment, score",
        )  # fmt: skip
        parser.add_argument(
            "--lower-is-better", nargs="+", default=[], metavar="NAME", help="of --scores: error rates"
        )

    def run(self, **options: Any) -> str | None:
        """Compare and print."""
        campaigns = [campaign_named(name) for name in options["campaign"]]
        result = campaigns_correlate(campaigns=campaigns, options=_options(options))
        Plain(self.stdout).write(
            flavoured(correlate_write(result, options["format"], options["table"]), options)
        )
        for note in result["notes"] if options["format"] in ("csv", "latex") else ():
            self.stderr.write(f"Note: {note}")
        return None


def _options(options: dict[str, Any]) -> CorrelateOptions:
    return CorrelateOptions(
        metrics=tuple(name.strip() for name in options["metrics"].split(",") if name.strip()),
        levels=LEVELS if options["level"] == "both" else (options["level"],),
        directions=tuple(dict.fromkeys(options["direction"])),
        references=tuple(dict.fromkeys(options["reference"])),
        by=options["by"],
        raw=options["raw"],
        segments=options["segments"],
        population=options["population"],
        threshold=options["threshold"],
        resamples=options["resamples"],
        seed=options["seed"],
        listed=options["listed"],
        models=_paths(options["model"], "a model of no metric", "METRIC=PATH, as ppl=news.arpa"),
        scores=_paths(options["scores"], "scores of no metric", "NAME=FILE, as mine=scores.csv"),
        lower_is_better=tuple(options["lower_is_better"]),
        tokens=options["tokens"],
        nfc=options["nfc"],
    )


def _paths(arguments: list[str], what: str, form: str) -> dict[str, str]:
    split = {argument: named_split(argument) for argument in arguments}
    nameless = next((argument for argument, (name, _) in split.items() if not name), None)
    if nameless is not None:
        raise BadInput(f"“{nameless}” is {what}.", f"Give {form}.")
    names = [name for name, _ in split.values()]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"“{twice}” is given two files.", f"Give {form} once.")
    return {name: str(Path(path).absolute()) for name, path in split.values()}
