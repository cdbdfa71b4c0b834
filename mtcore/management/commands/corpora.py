"""List corpora, or show one with where it comes from."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from evalplatform.words import counted
from mtcore.management.shown import table
from mtcore.models import Corpus
from mtcore.services.corpora import corpus_find, corpus_languages, corpus_verify


class Command(HouseCommand):
    """`manage.py corpora [NAME]`."""

    help = "List corpora, or show one: counts, what was removed, what it was made from."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", nargs="?", metavar="NAME", help="show this one")
        parser.add_argument("--verify", action="store_true", help="hold the files against their checksums")

    def run(self, **options: Any) -> str:
        """Show, after checking when asked to."""
        found = [corpus_find(options["name"])] if options["name"] else list(Corpus.objects.all())
        if options["verify"]:
            for corpus in found:
                corpus_verify(corpus)
        checked = "\nThe files are those that were registered." if options["verify"] and found else ""
        return (one_corpus(found[0]) if options["name"] else all_corpora(found)) + checked


def all_corpora(found: list[Corpus]) -> str:
    """Write corpora as a table."""
    if not found:
        return "There are no corpora. Import one: manage.py import_corpus"
    rows = [("name", "languages", "kind", "lines", "made by", "sha256")]
    for one in found:
        made = str(one.report.get("made_by", ""))
        tags = "-".join(corpus_languages(one))
        rows.append((one.name, tags, one.kind, f"{one.n_lines:,}", made, one.sha256[:12]))
    return table(rows)


def one_corpus(corpus: Corpus) -> str:
    """Write everything about one corpus."""
    report = corpus.report
    told = [f"{corpus.name}: {'-'.join(corpus_languages(corpus))}, {corpus.kind}, {corpus.n_lines:,} lines"]
    for tag in corpus_languages(corpus):
        told.append(f"  {tag}: {report['words'][tag]:,} words, {report['characters'][tag]:,} characters")
    if "read" in report:
        removed = ", ".join(f"{n:,} {name}" for name, n in report.get("removed", {}).items())
        told.append(f"  read {report['read']:,} lines, removed: {removed or 'none'}")
    if report.get("carriage_returns"):
        told.append(f"  carriage returns inside {report['carriage_returns']:,} lines became blanks")
    if report.get("blank"):
        takes = "filtering takes them out" if report["blank"] > 1 else "filtering takes it out"
        told.append(f"  blank on a side: {counted(report['blank'], 'line')}; {takes}")
    if report.get("same_sides"):
        told.append(f"  the same text on both sides: {counted(report['same_sides'], 'line')}")
    parents = ", ".join(f"“{one.name}”" for one in corpus.derived_from.all())
    told.append(f"  made by {report.get('made_by', '?')}{f' from {parents}' if parents else ''}")
    told.append(f"  sha256 {corpus.sha256}, in {corpus.path}")
    return "\n".join(told)
