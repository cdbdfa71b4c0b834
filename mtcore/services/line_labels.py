"""What is said of each line of a test set: its direction and its document."""

from __future__ import annotations

from evalplatform.errors import BadInput
from mtcore.corpora.checks import check_same_length
from mtcore.corpora.names import JOINER, visible
from mtcore.corpora.provenance import DIRECTIONS
from mtcore.services.texts import NamedText, as_bad_input

MAX_DOCUMENT_NAME = 200


def directions_read(direction: str | NamedText, source: NamedText) -> tuple[str, ...]:
    """Return the direction of each line, from one word for all or a text with one a line.

    Raises:
        BadInput: another word, or another number of lines than the source has.
    """
    if isinstance(direction, str):
        if direction not in DIRECTIONS:
            raise BadInput(
                f"“{direction}” is not a direction.", "Give direct or reverse, or a file with one a line."
            )
        return (direction,) * len(source.lines)
    with as_bad_input():
        check_same_length((source.file, source.lines), (direction.file, direction.lines))
    lines = tuple(line.strip() for line in direction.lines)
    for number, line in enumerate(lines, start=1):
        if line not in DIRECTIONS:
            raise BadInput(
                f"{direction.file}, line {number:,}: “{line[:30]}” is not a direction.",
                "Write direct or reverse, or leave the line blank where it is unknown.",
            )
    return lines


def documents_read(documents: NamedText | None, source: NamedText) -> tuple[str, ...]:
    """Return the document id of each line, or nothing.

    Raises:
        BadInput: another number of lines, an id that is missing or too long, a document in two places.
    """
    if documents is None:
        return ()
    with as_bad_input():
        check_same_length((source.file, source.lines), (documents.file, documents.lines))
    first_line: dict[str, int] = {}
    for number, name in enumerate(documents.lines, start=1):
        place = f"{documents.file}, line {number:,}"
        if not name.strip() or len(name) > MAX_DOCUMENT_NAME:
            raise BadInput(
                f"{place}: a document id of 1–{MAX_DOCUMENT_NAME} characters is expected.", "Correct it."
            )
        if JOINER in name or visible(name) != name:
            raise BadInput(
                f"{place}: the document id “{visible(name)[:60]}” holds a tab, “{JOINER}” or another "
                "character that ids cannot have.",
                "Use printable characters.",
            )
        if name in first_line and documents.lines[number - 2] != name:
            raise BadInput(
                f"{place}: document “{name[:60]}” began at line {first_line[name]:,} and comes back here.",
                "Put the lines of a document together, or give the second part an id of its own.",
            )
        first_line.setdefault(name, number)
    return documents.lines
