"""Filter a corpus into a new one."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from mtcore.corpora.filters import FilterOptions
from mtcore.management.commands.corpora import one_corpus
from mtcore.services.corpora import corpus_find, corpus_register
from mtcore.services.corpora_derive import corpus_filter
from mtcore.services.run_corpora import filter_options
from mtcore.services.runs import run_launch, run_waits_for

DEFAULTS = FilterOptions()


class Command(HouseCommand):
    """`manage.py filter_corpus CORPUS NEW`."""

    audited = True
    help = "Write what filters leave of a corpus as a new one, and say what each removed."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("corpus", metavar="CORPUS", help="the corpus to filter")
        parser.add_argument("name", metavar="NEW", help="name of what is left")
        for name, kind, words in (
            ("min_words", int, "fewest words of a side"),
            ("max_words", int, "most words of a side; 0: no limit"),
            ("max_ratio", float, "most times the words of the shorter side; 0: no limit"),
            ("min_letters", int, "shorter lines are not held against the language"),
        ):
            default = getattr(DEFAULTS, name)
            parser.add_argument(
                f"--{name.replace('_', '-')}", type=kind, default=default, help=f"{words} ({default})"
            )
        parser.add_argument(
            "--any-language",
            dest="language",
            action="store_false",
            help="do not look at the language of lines",
        )
        parser.add_argument(
            "--keep-duplicates", dest="duplicates", action="store_false", help="keep lines that come again"
        )
        parser.add_argument(
            "--keep-test-segments", dest="drop_test_segments", action="store_false", help="keep test segments"
        )
        parser.add_argument("--background", action="store_true", help="let a worker do it")

    def run(self, **options: Any) -> str:
        """Filter now, or launch a run that does."""
        filters = filter_options({one.name: options[one.name] for one in fields(FilterOptions)})
        names = {"name": options["name"], "drop_test_segments": options["drop_test_segments"]}
        if options["background"]:
            wanted = {"corpus": options["corpus"], "filters": asdict(filters), **names}
            run = run_launch(kind="filter_corpus", name=options["name"], options=wanted)
            return f"Run {run.pk} filters it; see: manage.py runs {run.pk}. {run_waits_for(run)}".rstrip()
        draft = corpus_filter(corpus=corpus_find(options["corpus"]), options=filters, **names)
        return one_corpus(corpus_register(draft)[0])
