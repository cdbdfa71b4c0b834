"""Import a test set and the outputs in its files: TSV, CSV, JSON Lines, WMT XML, SGM, mt-metrics-eval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from evalplatform.errors import BadInput
from mtcore.corpora.languages import parse_pair
from mtcore.corpora.mtme import FOLDERS
from mtcore.corpora.reader import read_bytes
from mtcore.corpora.testset_base import InputFile, Lines, ParsedTestSet, TestSetOptions
from mtcore.corpora.testset_formats import TESTSET_FORMATS
from mtcore.models import SystemOutput, TestSet
from mtcore.services.outputs import OutputDraft, output_create, output_draft
from mtcore.services.testsets import DEFAULT_NAMES, TestSetDraft, testset_create, testset_draft
from mtcore.services.texts import NamedText, as_bad_input
from mtcore.services.versions import version_original

MAX_FILES = 2000


@dataclass(frozen=True)
class FilesDraft:
    """A test set and its outputs, checked and not yet written."""

    testset: TestSetDraft
    outputs: tuple[OutputDraft, ...]
    notices: tuple[str, ...]


def testset_files_draft(
    *,
    name: str,
    languages: str,
    format: str,
    files: Sequence[InputFile],
    columns: Sequence[str] = (),
    outputs: Sequence[str] = (),
    direction: str = "",
) -> FilesDraft:
    """Parse the files of a test set and check everything in them; nothing is written.

    Args:
        name: the test set's name.
        languages: the pair, as "cs-en".
        format: a name in TESTSET_FORMATS.
        files: as `files_read` gives them.
        columns: the columns of a table that has no header.
        outputs: columns of a table that are outputs; ("all",) takes every column that is nothing else.
        direction: "direct" or "reverse" for every segment; empty takes what the files say.

    Raises:
        BadInput: the files, or what is said about them, are not usable; the message names file and line.
    """
    if format not in TESTSET_FORMATS:
        known = ", ".join(TESTSET_FORMATS)
        raise BadInput(f"There is no test set format “{format}”.", f"The formats are {known}.")
    with as_bad_input():
        source, target = parse_pair(languages)
        options = TestSetOptions(source, target, tuple(columns) or None, tuple(outputs))
        parsed = TESTSET_FORMATS[format].parse(files, options)
    sources = _texts(parsed, parsed.sources, "source")
    draft = testset_draft(
        name=name,
        languages=languages,
        sources=sources,
        references=_texts(parsed, parsed.references, "target"),
        direction=direction or NamedText("", parsed.file, tuple(parsed.directions)),
        documents=NamedText("", parsed.file, tuple(parsed.documents)) if parsed.documents else None,
        keys=parsed.keys,
    )
    made = tuple(
        output_draft(system=text.name, text=text, source=sources[0])
        for text in _texts(parsed, parsed.outputs, "output")
    )
    notices = [*parsed.notices, *draft.notices, *(notice for one in made for notice in one.notices)]
    return FilesDraft(draft, made, tuple(notices))


def testset_files_create(draft: FilesDraft) -> tuple[TestSet, list[SystemOutput], bool]:
    """Write a test set and its outputs, all or nothing; return them and whether the test set is new.

    Raises:
        Conflict: another test set has this name, or a system another output for it.
    """
    with transaction.atomic():
        testset, created = testset_create(draft.testset)
        if not draft.outputs:
            return testset, [], created
        source = version_original(testset, "source")
        made = [output_create(one, testset=testset, input_version=source)[0] for one in draft.outputs]
    return testset, made, created


def files_read(paths: Sequence[str], *, languages: str = "") -> list[InputFile]:
    """Read files; of a folder, the texts of mt-metrics-eval for the pair in it.

    Raises:
        BadInput: a file is missing or too large, or a folder holds too many.
    """
    found: list[InputFile] = []
    for argument in paths:
        path = Path(argument)
        with as_bad_input():
            if path.is_dir():
                inside = _texts_of_folder(path, languages)
                found += [InputFile(one.relative_to(path).as_posix(), read_bytes(one)) for one in inside]
            else:
                found.append(InputFile(path.name, read_bytes(path)))
    return found


def _texts_of_folder(folder: Path, languages: str) -> list[Path]:
    """List the files of one language pair; all of them where there are none, for the message."""
    inside = [path for part in FOLDERS for path in sorted((folder / part).rglob("*")) if path.is_file()]
    wanted = [
        path
        for path in inside
        if any(piece == languages or piece.startswith(f"{languages}.") for piece in path.parts[-2:])
    ]
    chosen = wanted or [path for path in inside if path.parent.name == "sources"]
    if not chosen or len(chosen) > MAX_FILES:
        raise BadInput(
            f"{folder.name} holds {len(inside):,} texts in {', '.join(FOLDERS)}.",
            "Give a file, or a folder of mt-metrics-eval with sources, references and system-outputs.",
        )
    return chosen


def _texts(parsed: ParsedTestSet, texts: Mapping[str, Lines], side: str) -> list[NamedText]:
    """Return the texts of a side; a line that is missing is blank, which raters are not offered."""
    label = {"source": "source", "target": "reference", "output": "output of"}[side]
    found = []
    for name, lines in texts.items():
        if not any(line and line.strip() for line in lines):
            raise BadInput(
                f"{parsed.file}: the {f'{label} {name}'.strip()} has no text at all.",
                "Leave it out, or correct the file.",
            )
        file = f"{parsed.file} ({f'{label} {name}'.strip()})"
        found.append(NamedText(name or DEFAULT_NAMES[side], file, tuple(line or "" for line in lines)))
    return found
