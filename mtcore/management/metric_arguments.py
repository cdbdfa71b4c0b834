"""Options that every command which scores texts has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.errors import BadInput
from mtcore.management.flavour_argument import add_flavour_argument
from mtcore.metrics import METRICS
from mtcore.metrics.scoring import ScoringOptions
from mtcore.metrics.significance import SACREBLEU_SEED, TESTS
from mtcore.metrics.tables import FORMATS
from mtcore.services.metric_models import model_absolute
from mtcore.services.metric_scoring import DEFAULT, MetricOptions
from mtcore.services.texts import named_split


def add_metric_arguments(parser: CommandParser) -> None:
    """Declare what is scored how, compared and printed."""
    parser.add_argument(
        "--metrics", default=",".join(DEFAULT), metavar="NAME,…",
        help=f"of {', '.join(METRICS)}; default: {','.join(DEFAULT)}",
    )  # fmt: skip
    parser.add_argument(
        "--model", nargs="+", action="extend", default=[], metavar="METRIC=PATH",
        help="what a metric runs on: ppl=news.arpa, ppl=run:ID (a language model trained here), ppl=FOLDER "
        "(a causal model of transformers), bertscore=FOLDER,layers=N, comet=model.ckpt, beer=FOLDER, "
        "meteor=meteor-1.5.jar",
    )  # fmt: skip
    parser.add_argument(
        "--tokens", choices=("moses", "given"), default="moses",
        help="words for the language model: cut with sacremoses (default), or as given",
    )  # fmt: skip
    parser.add_argument(
        "--lm-text",
        default="",
        metavar="FILE",
        help="text of the language model, to be disjoint from --bt-text",
    )
    parser.add_argument(
        "--bt-text", nargs="+", default=[], metavar="FILE", help="text that was translated back"
    )
    parser.add_argument("--nfc", action="store_true", help="compose letters (NFC) on both sides first")
    parser.add_argument(
        "--compare", nargs=2, action="append", default=[], metavar=("A", "B"),
        help="test two systems; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--test", nargs="+", choices=TESTS, default=["koehn"],
        help="of comparisons: Koehn's paired bootstrap (default), sacrebleu's, or both",
    )  # fmt: skip
    parser.add_argument(
        "--resamples", type=int, default=1000, metavar="N", help="of intervals and tests; 0: neither"
    )
    parser.add_argument("--seed", type=int, default=SACREBLEU_SEED, metavar="N")
    parser.add_argument(
        "--segments", action="store_true", help="the score of every segment too (with --format json or csv)"
    )
    parser.add_argument("--format", choices=FORMATS, default="table")
    add_flavour_argument(parser)


def metric_options(options: Mapping[str, Any], language: str = "") -> MetricOptions:
    """Turn options of a command into those of the services.

    Raises:
        BadInput: segments are asked for in a format without room for them, or a model has no metric.
    """
    if options["segments"] and options["format"] not in ("json", "csv"):
        raise BadInput("Scores of segments do not fit a table.", "Add --format json or --format csv.")
    split = {argument: named_split(argument) for argument in options["model"]}
    nameless = next((argument for argument, (name, _) in split.items() if not name), None)
    if nameless is not None:
        raise BadInput(f"“{nameless}” is a model of no metric.", "Give METRIC=PATH, as ppl=news.arpa.")
    names = [name for name, _ in split.values()]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"“{twice}” is given two models.", "Give METRIC=PATH once.")
    models = {name: model_absolute(path) for name, path in split.values()}
    return MetricOptions(
        metrics=tuple(name.strip() for name in options["metrics"].split(",") if name.strip()),
        language=language,
        models=models,
        tokens=options["tokens"],
        nfc=options["nfc"],
        lm_text=str(Path(options["lm_text"]).absolute()) if options["lm_text"] else "",
        bt_texts=tuple(str(Path(path).absolute()) for path in options["bt_text"]),
        scoring=ScoringOptions(
            resamples=options["resamples"],
            seed=options["seed"],
            tests=tuple(dict.fromkeys(options["test"])),
            pairs=tuple((a, b) for a, b in options["compare"]),
            segments=options["segments"],
        ),
    )
