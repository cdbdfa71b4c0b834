"""Import a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.corpora.languages import parse_pair
from mtcore.management.commands.corpora import one_corpus
from mtcore.services.corpora import corpus_register
from mtcore.services.corpora_import import TEST_SEGMENTS, corpus_import
from mtcore.services.runs import run_launch, run_waits_for
from mtcore.services.texts import as_bad_input


class Command(HouseCommand):
    """`manage.py import_corpus NAME`."""

    audited = True
    help = "Import parallel or monolingual text to train on: files, .gz, folders; a sentence a line."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the corpus")
        parser.add_argument(
            "--languages", required=True, metavar="en-de|de", help="the pair, or the one language"
        )
        parser.add_argument(
            "--source", "--text", nargs="+", action="extend", required=True, metavar="PATH",
            help="files or folders of the source, or of the only side; a folder alone holds pairs x.en, x.de",
        )  # fmt: skip
        parser.add_argument(
            "--target", nargs="+", action="extend", default=[], metavar="PATH", help="those of the target"
        )  # fmt: skip
        parser.add_argument(
            "--test-segments", choices=TEST_SEGMENTS, default="refuse",
            help="what to do with lines that are segments of a test set known here",
        )  # fmt: skip
        parser.add_argument("--background", action="store_true", help="let a worker do it")

    def run(self, **options: Any) -> str:
        """Import now, or launch a run that does."""
        wanted = {
            "name": options["name"],
            "languages": tags_of(options["languages"]),
            "sources": [str(Path(path).resolve()) for path in options["source"]],
            "targets": [str(Path(path).resolve()) for path in options["target"]],
            "test_segments": options["test_segments"],
        }
        if options["background"]:
            run = run_launch(kind="import_corpus", name=options["name"], options=wanted)
            return f"Run {run.pk} imports it; see: manage.py runs {run.pk}. {run_waits_for(run)}".rstrip()
        corpus, created = corpus_register(corpus_import(**wanted))
        return one_corpus(corpus) if created else f"{corpus.name} is already there, with the same text."


def tags_of(languages: str) -> tuple[str, ...]:
    """Split a pair; a single tag is one language."""
    if not any(mark in languages for mark in "->:"):
        return (languages,)
    with as_bad_input():
        return parse_pair(languages)
