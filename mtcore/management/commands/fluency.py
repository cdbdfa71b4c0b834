"""Compare the fluency of systems by language models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand, Plain
from evalplatform.errors import BadInput
from mtcore.management.flavour_argument import add_flavour_argument, flavoured
from mtcore.metrics.significance import SACREBLEU_SEED
from mtcore.services.fluency import ALPHA, FluencyOptions, fluency_compare
from mtcore.services.fluency_own import OwnOptions, fluency_own
from mtcore.services.fluency_tables import FORMATS, OWN_FORMATS
from mtcore.services.metric_models import model_absolute
from mtcore.services.metric_outputs import DIRECTIONS
from mtcore.services.texts import named_split


class Command(HouseCommand):
    """Say what a language model adds to BLEU, or how close systems come to natural text."""

    help = (
        "With --lm: BLEU and perplexity of systems under one language model, and a verdict for every two "
        "(Edunov et al. 2020, section 5). With --lm-per-system: perplexity of translated and natural text "
        "(Y*, Y) under a model of each system's outputs (its Table 4)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("testset", nargs="+", metavar="TESTSET", help="several with --lm-per-system only")
        parser.add_argument("--systems", nargs="+", default=[], metavar="NAME", help="two or more")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument(
            "--lm", default="", metavar="MODEL",
            help="one for all: an ARPA file, run:ID or run:NAME (trained here), or a folder with a causal "
            "model of transformers",
        )  # fmt: skip
        which.add_argument(
            "--lm-per-system", nargs="+", default=[], metavar="NAME=MODEL",
            help="one a system, learned from what it has translated (train_lm --system)",
        )  # fmt: skip
        parser.add_argument(
            "--direction", choices=DIRECTIONS, default="direct",
            help="with --lm: segments with a natural source (default), a natural target, or all",
        )  # fmt: skip
        parser.add_argument(
            "--reference", "--target", default="", metavar="VERSION", dest="version",
            help="of BLEU; with --lm-per-system the text that is scored; default: the original",
        )  # fmt: skip
        parser.add_argument(
            "--input", nargs="+", default=[], metavar="VERSION", help="default: all there are"
        )
        parser.add_argument(
            "--tokens", choices=("moses", "given"), default="moses", help="as in score_outputs"
        )
        parser.add_argument("--lm-text", default="", metavar="FILE", help="what --lm learned from")
        parser.add_argument(
            "--bt-text",
            nargs="+",
            default=[],
            metavar="FILE",
            help="what was translated back for the systems",
        )
        parser.add_argument(
            "--refuse-overlap", action="store_true", help="stop where these have lines in common, not warn"
        )
        parser.add_argument("--alpha", type=float, default=ALPHA, metavar="P", help="default: 0.05")
        parser.add_argument("--resamples", type=int, default=1000, metavar="N")
        parser.add_argument("--seed", type=int, default=SACREBLEU_SEED, metavar="N")
        parser.add_argument("--format", choices=FORMATS, default="table")
        add_flavour_argument(parser)

    def run(self, **options: Any) -> None:
        """Score, compare and print."""
        if options["lm_per_system"]:
            self._own(options)
            return
        if len(options["testset"]) > 1:
            raise BadInput("--lm compares systems on one test set at a time.", "Name one test set.")
        found = fluency_compare(
            testset=options["testset"][0],
            systems=options["systems"],
            lm=model_absolute(options["lm"]),
            options=FluencyOptions(
                direction=options["direction"], reference=options["version"], inputs=tuple(options["input"]),
                tokens=options["tokens"], resamples=options["resamples"], seed=options["seed"],
                alpha=options["alpha"], lm_text=options["lm_text"], bt_texts=tuple(options["bt_text"]),
                refuse_overlap=options["refuse_overlap"],
            ),
        )  # fmt: skip
        self._write(
            flavoured(FORMATS[options["format"]](found), options), found.report.notices, options["format"]
        )

    def _own(self, options: dict[str, Any]) -> None:
        if options["systems"] or options["lm_text"] or options["bt_text"] or options["input"]:
            raise BadInput(
                "--lm-per-system scores the target text of test sets, not outputs.",
                "Leave out --systems, --input, --lm-text and --bt-text, or use --lm.",
            )
        models = dict(_named(argument) for argument in options["lm_per_system"])
        if len(models) < len(options["lm_per_system"]):
            raise BadInput("A system has two models.", "Give each NAME=MODEL once.")
        found = fluency_own(
            testsets=options["testset"],
            models=models,
            options=OwnOptions(
                version=options["version"], tokens=options["tokens"], resamples=options["resamples"],
                seed=options["seed"], alpha=options["alpha"],
            ),
        )  # fmt: skip
        self._write(
            flavoured(OWN_FORMATS[options["format"]](found), options), found.notices, options["format"]
        )

    def _write(self, text: str, notices: Sequence[str], form: str) -> None:
        Plain(self.stdout).write(text)
        for notice in notices if form != "table" else ():
            self.stderr.write(f"Note: {notice}")


def _named(argument: str) -> tuple[str, str]:
    name, model = named_split(argument)
    if not name or not model:
        raise BadInput(f"“{argument}” names no system.", "Give NAME=MODEL, as BT=run:12.")
    return name, model_absolute(model)
