"""Import a test set: sources, references, double translations and outputs, with where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from evalplatform.commands import HouseCommand
from evalplatform.errors import BadInput
from evalplatform.words import counted
from mtcore.corpora.provenance import DIRECTIONS, Version, depth, label
from mtcore.corpora.testset_formats import TESTSET_FORMATS
from mtcore.models import TestSet
from mtcore.services.testset_files import files_read, testset_files_create, testset_files_draft
from mtcore.services.testset_named import COMMAND_SECONDS, named_draft
from mtcore.services.testsets import testset_create, testset_draft
from mtcore.services.texts import NamedText, named_split, text_read
from mtcore.services.versions import testset_direction, testset_versions

PLAIN = "plain"
NATURAL = {"direct": "source", "reverse": "target"}
PLAIN_ONLY = ("source", "reference", "double_translation", "derived_from", "documents")
FILE_ONLY = ("file", "columns", "outputs")


class Command(HouseCommand):
    """Import a test set from plain text files, one segment a line, or from files of another format."""

    audited = True
    help = (
        "Import a test set: plain text (one line a segment), TSV, CSV, JSON Lines, WMT XML or SGM; .gz too."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("name", metavar="NAME", help="name of the test set")
        parser.add_argument("--languages", required=True, metavar="cs-en", help="source and target language")
        parser.add_argument(
            "--format", default=PLAIN, choices=(PLAIN, *TESTSET_FORMATS), help="format of the files"
        )
        parser.add_argument(
            "--direction", default="", metavar="direct|reverse|FILE",
            help="direct: the source was written first; reverse: the target was; or a file with one a line",
        )  # fmt: skip
        parser.add_argument(
            "--sacrebleu", default="", metavar="wmt19",
            help="one of sacrebleu's named test sets, from its cache or the network, in place of files",
        )  # fmt: skip
        self._add_plain(parser)
        self._add_files(parser)

    def _add_plain(self, parser: CommandParser) -> None:
        group = parser.add_argument_group("plain text")
        group.add_argument(
            "--source", nargs="+", action="extend", default=[], metavar="[NAME=]FILE",
            help="source texts: the first is the original, further ones are alternatives",
        )  # fmt: skip
        group.add_argument(
            "--reference", nargs="+", action="extend", default=[], metavar="[NAME=]FILE",
            help="target texts: the first is the original, further ones are alternatives",
        )  # fmt: skip
        group.add_argument(
            "--double-translation", nargs="+", action="extend", default=[], metavar="SIDE=[NAME=]FILE",
            help="a text translated there and back: source=FILE or target=FILE",
        )  # fmt: skip
        group.add_argument(
            "--derived-from", action="append", default=[], metavar="VERSION",
            help="the version that the double translation was made from",
        )  # fmt: skip
        group.add_argument("--documents", metavar="FILE", help="a file with one document id a line")

    def _add_files(self, parser: CommandParser) -> None:
        group = parser.add_argument_group("other formats")
        group.add_argument(
            "--file", nargs="+", action="extend", default=[], metavar="FILE",
            help="the file or files (SGM), or the folder (mt-metrics-eval); outputs in them come in too",
        )  # fmt: skip
        group.add_argument(
            "--columns", default="", metavar="source,reference,…", help="columns of a table without a header"
        )
        group.add_argument(
            "--outputs", default="", metavar="COLUMN,…|all",
            help="columns of a table that are outputs, beside those named output:SYSTEM",
        )  # fmt: skip

    def run(self, **options: Any) -> None:
        """Read, check, write, and print the versions."""
        if options["sacrebleu"]:
            testset, created, notices, systems = self._named(options)
        else:
            plain = options["format"] == PLAIN
            _refuse_options(options, FILE_ONLY if plain else PLAIN_ONLY)
            testset, created, notices, systems = self._plain(options) if plain else self._files(options)
        for notice in notices:
            self.stderr.write(f"Note: {notice}")
        if not created:
            self.stdout.write(f"Test set “{testset.name}” is already there, with the same content.")
        self.stdout.write(f"{testset.name}: {testset.source_language} → {testset.target_language}")
        self.stdout.write(versions_table(testset))
        if systems:
            self.stdout.write(f"Outputs of {counted(len(systems), 'system')}: {', '.join(systems)}")

    def _named(self, options: dict[str, Any]) -> tuple[TestSet, bool, tuple[str, ...], list[str]]:
        given = [name for name in (*PLAIN_ONLY, *FILE_ONLY, "direction") if options[name]]
        if given or options["format"] != PLAIN:
            first = f"--{given[0].replace('_', '-')}" if given else "--format"
            raise BadInput(
                f"{first} cannot go with --sacrebleu: texts, documents and directions come from there.",
                "Leave one of them out.",
            )
        draft = named_draft(
            name=options["name"],
            named=options["sacrebleu"],
            languages=options["languages"],
            seconds=COMMAND_SECONDS,
        )
        testset, created = testset_create(draft)
        return testset, created, draft.notices, []

    def _plain(self, options: dict[str, Any]) -> tuple[TestSet, bool, tuple[str, ...], list[str]]:
        if not options["source"]:
            raise BadInput("A test set needs a source text.", "Give one with --source.")
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
        return testset, created, draft.notices, []

    def _files(self, options: dict[str, Any]) -> tuple[TestSet, bool, tuple[str, ...], list[str]]:
        if not options["file"]:
            raise BadInput(f"The format {options['format']} needs its file.", "Give it with --file.")
        if options["direction"] not in DIRECTIONS:
            raise BadInput(
                "A file of directions goes with plain text only.",
                "Give direct or reverse, or a column “direction” or “origlang” in the file.",
            )
        draft = testset_files_draft(
            name=options["name"],
            languages=options["languages"],
            format=options["format"],
            files=files_read(options["file"], languages=options["languages"]),
            columns=_names(options["columns"]),
            outputs=_names(options["outputs"]),
            direction=options["direction"],
        )
        testset, outputs, created = testset_files_create(draft)
        return testset, created, draft.notices, [output.system.name for output in outputs]


def versions_table(testset: TestSet) -> str:
    """Write the versions of a test set as an aligned table."""
    versions = testset_versions(testset)
    direction, n_lines = testset_direction(testset), testset.segments.count()
    pure = list(versions)
    rows = [("side", "kind", "name", "notation", "from", "lines", "sha256")]
    for version, row in versions.items():
        notation = label(version, pure, direction) if direction else "–"
        made_from = row.derived_from.name if row.derived_from else _assumed(version, pure, direction)
        kind = _kind(version, direction)
        rows.append((version.side, kind, version.name, notation, made_from, f"{n_lines:,}", row.sha256[:12]))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _kind(version: Version, direction: str) -> str:
    """Say in plain words what a version is; without a direction nothing is known of who translated what."""
    if version.kind == "double_translation":
        return "double translation"
    if not direction:
        return "main" if version.kind == "original" else "alternative"
    if version.side == NATURAL[direction] and version.kind == "original":
        return "written first"
    return "translation" if version.kind == "original" else "alternative translation"


def _assumed(version: Version, versions: Sequence[Version], direction: str) -> str:
    """Return what a version without a stated parent is taken to be made from, as its notation takes it."""
    if not depth(version, versions, direction):
        return ""
    side = "target" if version.side == "source" else "source"
    found = next((one for one in versions if (one.side, one.kind) == (side, "original")), None)
    return f"{found.name} (assumed)" if found else ""


def _refuse_options(options: dict[str, Any], names: tuple[str, ...]) -> None:
    """Refuse options that belong to the other kind of files."""
    given = [f"--{name.replace('_', '-')}" for name in names if options[name]]
    if given:
        raise BadInput(
            f"{', '.join(given)} cannot go with --format {options['format']}.",
            "Plain text takes --source and --reference; the other formats take --file.",
        )


def _names(argument: str) -> list[str]:
    return [name.strip() for name in argument.split(",") if name.strip()]


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
