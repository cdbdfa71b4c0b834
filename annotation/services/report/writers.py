"""The formats of a report's tables, and a whole report as Markdown."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from annotation.services.report.compute import Report
from annotation.services.report.document import sections_of
from annotation.services.report.latex import to_latex
from annotation.services.report.methods import methods
from annotation.services.report.section import Figure
from annotation.services.report.tables import MARKDOWN, Table, to_csv, to_markdown, to_spreadsheet
from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.spreadsheets import FLAVOURS

WRITERS: dict[str, Callable[[Table, str], str]] = {"csv": to_csv, "md": to_markdown, "tex": to_latex}


def table_write(table: Table, signature: str, format: str, flavour: str = "exact") -> str:
    """Return a table in a format; the spreadsheet flavour is one of CSV and changes nothing else.

    Raises:
        BadInput: there is no such flavour.
    """
    flavour_check(flavour)
    if format == "csv" and flavour == "spreadsheet":
        return to_spreadsheet(table, signature)
    return WRITERS[format](table, signature)


def flavour_check(flavour: str) -> None:
    """Refuse a flavour of CSV that does not exist.

    Raises:
        BadInput: there is no such flavour.
    """
    if flavour not in FLAVOURS:
        raise BadInput(f"flavour must be one of {', '.join(FLAVOURS)}; found {flavour[:60]!r}.")


def report_markdown(report: Report, *, figures: str = "") -> str:
    """Return a whole report as Markdown.

    Args:
        report: what to write.
        figures: folder of the figures, named as their SVG files; "" leaves them out.
    """
    signature = report.scores["signature"]
    parts = [f"# {report.campaign.name.translate(MARKDOWN)}", methods(report).translate(MARKDOWN)]
    for section in sections_of(report):
        parts += [f"## {section.title}", *(words.translate(MARKDOWN) for words in section.words)]
        if figures:
            parts += [f"![{one.title}]({figures}/{one.name}.svg)" for one in section.figures]
        parts += [_without_signature(to_markdown(table, signature)) for table in section.tables]
    return "\n\n".join([*parts, f"`{signature}`"]) + "\n"


def report_write(report: Report, folder: Path, *, flavour: str = "exact") -> int:
    """Write a report into a new folder: report.md, and every table and figure; return how many files.

    It is written beside and renamed, so the folder is whole or not there. `flavour` is that of the CSV files.

    Raises:
        Conflict: the folder exists.
        BadInput: it cannot be made there.
    """
    folder_free(folder)
    signature = report.scores["signature"]
    texts = {"report.md": report_markdown(report, figures="figures")}
    for section in sections_of(report):
        for figure in section.figures:
            texts[f"figures/{figure.name}.svg"] = svg_file(figure)
        for table in section.tables:
            texts |= {
                f"tables/{table.name}.{end}": table_write(table, signature, end, flavour) for end in WRITERS
            }
    beside = folder.with_name(f".{folder.name}.part")
    try:
        for name, text in texts.items():
            path = beside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        beside.rename(folder)
    except OSError as error:
        shutil.rmtree(beside, ignore_errors=True)
        raise BadInput(f"{folder} cannot be written ({error.strerror}).", "Choose another place.") from error
    return len(texts)


def folder_free(folder: Path) -> None:
    """Check that a report can go into a folder.

    Raises:
        Conflict: something is there already.
    """
    if folder.exists():
        raise Conflict(f"{folder} exists already.", "Name a folder that does not exist yet.")


def svg_file(figure: Figure) -> str:
    """Return a figure as the text of a file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{figure.svg}\n'


def _without_signature(text: str) -> str:
    return "\n".join(text.split("\n")[:-3])
