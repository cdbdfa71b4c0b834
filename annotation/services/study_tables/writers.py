"""Write filled tables: Markdown with footnotes, LaTeX as papers print it, CSV with a row a cell, HTML."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from annotation.formats.write import Value
from annotation.services.report.tables import MARKDOWN
from annotation.services.study_tables.cells import MISSING, Cell, commands
from annotation.services.study_tables.filled import Column, Filled, Line
from mtcore.corpora.latex import latex_escape
from mtcore.corpora.spreadsheets import csv_flavoured

CSV_HEADER = (
    "table", "pair", "row", "column", "value", "printed", "n", "behind", "signature", "missing", "commands",
)  # fmt: skip
Links = Callable[[Filled, int, int, Cell], str]
"""Gives the address that a cell of a table opens, by its row and column; "" for none."""

NEEDS = "booktabs,graphicx"


def title_of(table: Filled) -> str:
    """Return a table's caption."""
    own = f"{_(table.spec.title)} ({table.pair})" if table.pair else _(table.spec.title)
    number = _("Table %(number)s") % {"number": table.spec.number}
    return f"{table.spec.study.capitalize()} et al., {number}: {own}"


def caption_of(table: Filled) -> str:
    """Return a table's caption for a paper, which numbers tables of its own."""
    pair = f", {table.pair}" if table.pair else ""
    after = f"after {table.spec.study.capitalize()} et al., Table {table.spec.number}"
    return f"{table.spec.title}{pair} ({after})."


def to_markdown(tables: Sequence[Filled], study: str) -> str:
    """Return tables as Markdown: what is behind a number is a footnote, what is missing has its command."""
    parts = [f"# {study.translate(MARKDOWN)}"]
    for table in tables:
        sources: dict[str, int] = {}
        heads = [head.translate(MARKDOWN) for head in table.label_heads]
        heads += [
            " ".join(one for one in column.heads if one).translate(MARKDOWN) for column in table.columns
        ]
        rule = [*(":---" for _ in table.label_heads), *("---:" for _ in table.columns)]
        lines = [_pipes(heads), _pipes(rule)]
        for line in table.lines:
            cells = [label.translate(MARKDOWN) for label in line.labels]
            lines.append(_pipes([*cells, *(_marked(cell, sources) for cell in line.cells)]))
        parts.append(f"## {title_of(table).translate(MARKDOWN)}")
        parts.append("\n".join(lines))
        parts += [f"- {note.translate(MARKDOWN)}" for note in table.notes]
        if sources:
            notes = [f"[{number}] {words}  " for words, number in sources.items()]
            parts.append("\n".join([*notes, *_signatures(table)]))
        if table.n_missing:
            told = "; ".join(table.reasons).translate(MARKDOWN)
            parts.append("\n".join([f"Missing: {told}", "", "```", *table.commands, "```"]))
    return "\n\n".join(parts) + "\n"


def _marked(cell: Cell, sources: dict[str, int]) -> str:
    """Write a cell with the number of its footnote."""
    if not cell.behind:
        return (cell.text or MISSING).translate(MARKDOWN)
    words = "; ".join(cell.behind).translate(MARKDOWN)
    return f"{cell.text} [{sources.setdefault(words, len(sources) + 1)}]"


def _signatures(table: Filled) -> list[str]:
    """Return every signature of a table once, with what has it."""
    found: dict[str, dict[str, None]] = {}
    for _line, column, cell in table.cells:
        if cell.signature:
            found.setdefault(cell.signature, {})[column.quantity.label] = None
    return [f"{', '.join(labels)}: `{signature}`  " for signature, labels in found.items()]


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def to_latex(tables: Sequence[Filled], study: str) -> str:
    """Return tables as LaTeX; what is behind each number stands in comments above its table."""
    parts = [f"% {study}", rf"% Needs \usepackage{{{NEEDS}}}; other scripts than Latin: XeLaTeX or LuaLaTeX."]
    parts += [_latex(table) for table in tables]
    return "\n".join(parts) + "\n"


def _latex(table: Filled) -> str:
    layout = "l" * len(table.label_heads) + "r" * len(table.columns)
    lines = [*_latex_comments(table), r"\begin{table}[t]", r"\centering"]
    lines += [
        rf"\caption{{{latex_escape(caption_of(table))}}}\label{{tab:{table.name}}}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        *_latex_heads(table),
        r"\midrule",
    ]
    previous: tuple[str, ...] = ()
    for line in table.lines:
        if previous and len(line.labels) > 1 and line.labels[:-1] != previous[:-1]:
            lines.append(r"\midrule")
        labels = _unrepeated(line.labels, previous)
        cells = [latex_escape(cell.text) if cell.text else "--" for cell in line.cells]
        lines.append(" & ".join([*map(_notation, labels), *cells]) + r" \\")
        previous = line.labels
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}%", "}", r"\end{table}", ""])


def _latex_heads(table: Filled) -> list[str]:
    rows = []
    blank = [""] * len(table.label_heads)
    for level, heads in enumerate(table.heads()):
        last = level == table.levels - 1
        cells = [
            _arrows(head) if last or size == 1 else rf"\multicolumn{{{size}}}{{c}}{{{_arrows(head)}}}"
            for head, size in heads
        ]
        rows.append(" & ".join([*blank, *cells]) + r" \\")
        if not last:
            at = len(blank) + 1
            for head, size in heads:
                if head and size > 1:
                    rows.append(rf"\cmidrule(lr){{{at}-{at + size - 1}}}")
                at += size
    return rows


def _latex_comments(table: Filled) -> list[str]:
    lines = [f"% {note}" for note in table.notes]
    for line, column, cell in table.cells:
        where = where_of(line, column)
        if cell.behind:
            lines.append(f"% {where}: {'; '.join(cell.behind)}|{cell.signature}")
        elif cell.is_missing:
            lines.append(f"% {where}: missing, {cell.reason}")
    lines += [f"% To fill: {command}" for command in table.commands]
    return [line.replace("\n", " ").replace("\r", " ") for line in lines]


def _notation(label: str) -> str:
    """Write X* as mathematics, other labels as they are."""
    symbol, _, rest = label.partition(" ")
    if symbol.rstrip("*") in ("X", "Y") and symbol:
        stars = "*" * symbol.count("*")
        written = f"${symbol[0]}^{{{stars}}}$" if stars else f"${symbol[0]}$"
        return f"{written} {latex_escape(rest)}".rstrip()
    return latex_escape(label)


def _arrows(head: str) -> str:
    text = latex_escape(head.rstrip(" ↑↓"))
    return text + {"↑": r" $\uparrow$", "↓": r" $\downarrow$"}.get(head[-1:], "")


def to_csv(tables: Sequence[Filled], study: str) -> str:
    """Return a row for each cell, with its exact value, what is behind it, or the command that fills it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    writer.writerows(_csv_rows(tables))
    return out.getvalue()


def to_spreadsheet(tables: Sequence[Filled], study: str) -> str:
    """Return the CSV as a spreadsheet may open it: no text of it is taken for a formula."""
    return csv_flavoured(to_csv(tables, study), "spreadsheet")


def _csv_rows(tables: Sequence[Filled]) -> Iterator[list[Value]]:
    for table in tables:
        for line, column, cell in table.cells:
            own = commands(cell.needs) if cell.is_missing else []
            yield [
                table.spec.name, table.pair, " / ".join(line.labels), " / ".join(column.heads),
                "" if cell.value is None else repr(cell.value), cell.text, cell.n or "",
                "; ".join(cell.behind), cell.signature, cell.reason if cell.is_missing else "",
                "; ".join(own),
            ]  # fmt: skip


def to_html(tables: Sequence[Filled], study: str, links: Links | None = None) -> str:
    """Return a page of its own; a number leads to what is behind it on the platform, and names it."""
    context = {"study": study, "tables": [shown(table, links) for table in tables]}
    return render_to_string("study_tables/standalone.html", context)


def shown(table: Filled, links: Links | None = None) -> dict[str, object]:
    """Return a table as templates take it: headings and labels with spans, cells with links."""
    rows, cuts = [], _cuts(table)
    for place, line in enumerate(table.lines):
        cells = [
            {
                "text": cell.text or MISSING,
                "missing": cell.is_missing,
                "title": "; ".join(cell.behind) or cell.reason,
                "href": links(table, place, number, cell) if links else "",
            }
            for number, cell in enumerate(line.cells)
        ]
        labels = [(label, size, place + size - 1 in cuts) for label, size in _spanning(table.lines, place)]
        rows.append({"labels": labels, "cells": cells, "cut": place in cuts})
    return {
        "table": table,
        "title": title_of(table),
        "heads": table.heads(),
        "levels": table.levels,
        "n_labels": len(table.label_heads),
        "rows": rows,
        "notes": table.notes,
        "reasons": table.reasons,
        "commands": table.commands,
    }


def _cuts(table: Filled) -> set[int]:
    """Return the rows below which a rule is drawn: where an outer label changes."""
    labels = [line.labels[:-1] for line in table.lines]
    return {place for place in range(len(labels) - 1) if labels[place + 1] != labels[place]}


def _spanning(lines: Sequence[Line], place: int) -> list[tuple[str, int]]:
    """Return the labels that begin in a row, each with the number of rows that it stands for."""
    own = lines[place].labels
    found = []
    for level in range(len(own)):
        key = own[: level + 1]
        is_last = level == len(own) - 1
        if is_last:
            found.append((own[level], 1))
        elif place == 0 or lines[place - 1].labels[: level + 1] != key:
            same = takewhile(lambda one, key=key: one.labels[: len(key)] == key, lines[place:])  # type: ignore[misc]
            found.append((own[level], len(list(same))))
    return found


def _unrepeated(labels: tuple[str, ...], previous: tuple[str, ...]) -> list[str]:
    """Leave out outer labels that are those of the row above."""
    found = list(labels)
    for level in range(len(labels) - 1):
        if previous and labels[: level + 1] == previous[: level + 1]:
            found[level] = ""
    return found


def where_of(line: Line, column: Column) -> str:
    """Say which cell is meant."""
    labels = ", ".join(label for label in line.labels if label)
    return f"{labels} / {' '.join(head for head in column.heads if head)}"


FORMATS: dict[str, Callable[[Sequence[Filled], str], str]] = {
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
}
"""Name → writer; HTML, which has links, is `to_html`."""

ENDINGS = {"markdown": "md", "latex": "tex", "csv": "csv", "html": "html"}
