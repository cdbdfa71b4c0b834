"""Import a test set: sources, references and double translations, with where they come from."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from evalplatform.errors import BadInput
from mtcore.corpora.provenance import DIRECTIONS, label
from mtcore.models import TestSet
from mtcore.services.testsets import testset_create, testset_draft
from mtcore.services.texts import NamedText, named_split, text_read
from mtcore.services.versions import testset_direction, testset_versions


class Command(HouseCommand):
    """Import a test set from plain text files, one segment a line (`.gz` too)."""

    help = "Import a test set: one line a segment, the same line in every file. Plain text or .gz."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the test set")
        parser.add_argument("--languages", required=True, metavar="cs-en", help="source and target language")
        parser.add_argument(
            "--source", nargs="+", action="extend", required=True, metavar="[NAME=]FILE",
            help="source texts: the first is the original, further ones are alternatives",
        )  # fmt: skip
        parser.add_argument(
            "--reference", nargs="+", action="extend", default=[], metavar="[NAME=]FILE",
            help="target texts: the first is the original, further ones are alternatives",
        )  # fmt: skip
        parser.add_argument(
            "--double-translation", nargs="+", action="extend", default=[], metavar="SIDE=[NAME=]FILE",
            help="a text translated there and back: source=FILE or target=FILE",
        )  # fmt: skip
        parser.add_argument(
            "--derived-from", action="append", default=[], metavar="VERSION",
            help="the version that the double translation was made from",
        )  # fmt: skip
        parser.add_argument(
            "--direction", default="", metavar="direct|reverse|FILE",
            help="direct: the source was written first; reverse: the target was; or a file with one a line",
        )  # fmt: skip
        parser.add_argument("--documents", metavar="FILE", help="a file with one document id a line")

    def run(self, **options: Any) -> None:
        """Read, check, write, and print the versions."""
        draft = testset_draft(
            name=options["name"],
            languages=options["languages"],
            sources=_texts(options["source"]),
            references=_texts(options["reference"]),
            double_translations=[_double(argument) for argument in options["double_translation"]],
            derived_from=options["derived_from"],
            direction=_direction(options["direction"]),
            documents=text_read(options["documents"]) if options["documents"] else None,
        )
        testset, created = testset_create(draft)
        for notice in draft.notices:
            self.stderr.write(f"Note: {notice}")
        if not created:
            self.stdout.write(f"Test set {testset.name} is already there, with the same content.")
        self.stdout.write(f"{testset.name}: {testset.source_language} → {testset.target_language}")
        self.stdout.write(versions_table(testset))


def versions_table(testset: TestSet) -> str:
    """Write the versions of a test set as an aligned table."""
    versions = testset_versions(testset)
    direction, n_lines = testset_direction(testset), testset.segments.count()
    pure = list(versions)
    rows = [("side", "kind", "name", "notation", "from", "lines", "sha256")]
    for version, row in versions.items():
        made_from = row.derived_from.name if row.derived_from else ""
        notation = label(version, pure, direction) if direction else "–"
        kind = version.kind.replace("_", " ")
        rows.append((version.side, kind, version.name, notation, made_from, f"{n_lines:,}", row.sha256[:12]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _texts(arguments: list[str]) -> list[NamedText]:
    return [text_read(path, name=name) for name, path in map(named_split, arguments)]


def _double(argument: str) -> tuple[str, NamedText]:
    side, found, rest = argument.partition("=")
    if not found or side not in ("source", "target"):
        raise BadInput(
            f"“{argument}” does not say on which side the double translation is.",
            "Write source=FILE or target=FILE.",
        )
    name, path = named_split(rest)
    return side, text_read(path, name=name)


def _direction(argument: str) -> str | NamedText:
    return argument if argument in DIRECTIONS else text_read(argument)
