"""A section of a report: words, figures, tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString

from annotation.services.report.tables import Table


@dataclass(frozen=True)
class Figure:
    """A drawn figure; the table of its data stands in the same section.

    Attributes:
        name: in addresses and file names.
        title: what it shows.
        svg: as in the page.
        table: name of the table that has its data.
    """

    name: str
    title: str
    svg: SafeString
    table: str


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        name: anchor.
        title: heading.
        words: what to know before reading the numbers, one paragraph each.
        figures: in order.
        tables: in order.
        folded: tables are folded away, since a figure says the same.
        remark: what is missing or has to be looked at, "" when nothing.
    """

    name: str
    title: str
    words: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    folded: bool = True
    remark: str = ""


def sentence(text: str) -> str:
    """Return words of a message as a sentence."""
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")
