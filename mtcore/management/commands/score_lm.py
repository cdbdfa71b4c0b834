"""Score text with a language model that was trained here."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.management.system_arguments import add_wait_arguments, follow_runs
from mtcore.services.lm_scoring import lm_score
from mtcore.services.run_context import run_directory


class Command(HouseCommand):
    """`manage.py score_lm LM --text FILE|--system …`."""

    audited = True
    help = "Score a text, an output, a version of a test set or a corpus with a language model: perplexities."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("lm", metavar="LM", help="name of the language model, or the number of its run")
        parser.add_argument("--text", default="", metavar="FILE", help="one line a segment; .gz too")
        parser.add_argument("--system", default="", help="the output of this system for --testset")
        parser.add_argument("--testset", default="", help="with --system or --text-version")
        parser.add_argument(
            "--input", nargs="+", action="extend", default=[], metavar="VERSION",
            help="with --system: the version of the source the output was made from",
        )  # fmt: skip
        parser.add_argument(
            "--text-version", default="", metavar="VERSION",
            help="score this version of --testset, by name or notation (Y*)",
        )  # fmt: skip
        parser.add_argument("--corpus", default="", help="score this corpus")
        parser.add_argument("--engine", default="", help="what scores; by default the first that can")
        parser.add_argument("--format", choices=("text", "json"), default="text")
        add_wait_arguments(parser)

    def run(self, **options: Any) -> str | None:
        """Launch, follow, print."""
        run = lm_score(
            lm=options["lm"],
            text=options["text"],
            system=options["system"],
            testset=options["testset"],
            inputs=options["input"],
            version=options["text_version"],
            corpus=options["corpus"],
            engine=options["engine"],
        )
        (ended,) = follow_runs(self, [run], wait=options["wait"], json=options["format"] == "json")
        if not options["wait"]:
            return None
        told = dict(ended.result or {})
        if options["format"] == "json":
            return json.dumps(told, indent=1, ensure_ascii=False)
        return _text(told, str(run_directory(ended.pk).result / told["scores"]))


def _text(told: dict[str, Any], scores: str) -> str:
    """Write what the scores say."""
    oov = "not known"
    if told["oov_rate"] is not None:
        oov = f"{told['oov']:,} ({told['oov_rate']:.2%}) of words; the model has seen {told['vocabulary']:,}"
    rows = [
        ("model", f"{told['lm']} (run {told['lm_run']}, {told['language']})"),
        ("lines", f"{told['lines']:,}, {told['blank']:,} of them blank"),
        ("words", f"{told['words']:,}; {told['tokens']:,} subwords with ends"),
        ("unknown", oov),
        (
            "perplexity",
            f"{_number(told['perplexity_word'])} a word, {_number(told['perplexity_subword'])} a subword",
        ),
        ("unit", str(told["unit"])),
        ("scores", scores),
    ]
    return "\n".join(f"{name:<11}{value}" for name, value in rows)


def _number(value: float | None) -> str:
    return "beyond all numbers" if value is None else f"{value:,.2f}"
