"""Write a table as LaTeX that prints names as they are."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.services.report.tables import Column, Row, Table, plain
from mtcore.corpora.latex import latex_escape

LONG = 40
"""Rows from which a table may break across pages."""

TEXT, PAGE = 66, 140
"""Characters of ten points across a page's text, and of eight points along it, with room for the columns."""

FITTING = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""Sets what follows smaller where it is wider than the line, and never larger."""

SIZES = ((r"\footnotesize", 140), (r"\scriptsize", 160), (r"\tiny", 10_000))
"""Sizes of a table that runs along the page, with the characters that go beside each other."""


def to_latex(table: Table, signature: str) -> str:
    """Return a table as LaTeX (package booktabs) with a caption and a label, none wider than the page.

    What is wider than the text is set smaller (graphicx), what is wider than a page is long is turned as well
    (pdflscape). Many rows break across pages (longtable), turned where they are wider than the text.
    """
    layout = "".join("r" if column.numeric else "l" for column in table.columns)
    head = [r"\toprule", _row([column.title for column in table.columns]), r"\midrule"]
    body = []
    for place, row in enumerate(table.rows):
        body.append(_row([_cell(column, row) for column in table.columns]))
        if place < len(table.rows) - 1 and place in table.cuts | table.parts:
            body.append(r"\midrule" if place in table.cuts else r"\midrule[\heavyrulewidth]")
    title = f"{table.title}. {table.note}" if table.note else table.title
    caption = rf"\caption{{{latex_escape(title)}}}\label{{tab:{table.name}}}"
    size = characters(table)
    if len(table.rows) > LONG:
        packages, lines = _long(caption, layout, head, body, size)
    else:
        packages, lines = _float(caption, layout, head, body, size)
    notes = [
        rf"% Needs \usepackage{{{','.join(packages)}}}; names in scripts other than Latin need XeLaTeX or "
        "LuaLaTeX.",
        f"% {signature}",
    ]
    return "\n".join([*notes, *lines, ""])


def characters(table: Table) -> int:
    """Return about how many characters go beside each other in a row, two for the room between columns."""
    cells = [[column.title for column in table.columns]]
    cells += [[_cell(column, row) for column in table.columns] for row in table.rows]
    return sum(max(len(row[place]) for row in cells) + 2 for place in range(len(table.columns)))


def _float(
    caption: str, layout: str, head: list[str], body: list[str], size: int
) -> tuple[list[str], list[str]]:
    """Return packages and lines of a table on one page."""
    lines = [rf"\begin{{tabular}}{{{layout}}}", *head, *body, r"\bottomrule", r"\end{tabular}"]
    packages = ["booktabs"]
    if size > TEXT:
        packages.append("graphicx")
        lines = [FITTING, *(f"{line}%" if line == lines[-1] else line for line in lines), "}"]
    lines = [r"\begin{table}[t]", r"\centering", caption, *lines, r"\end{table}"]
    if size > PAGE:
        packages.append("pdflscape")
        lines = [r"\begin{landscape}", *lines, r"\end{landscape}"]
    return packages, lines


def _long(
    caption: str, layout: str, head: list[str], body: list[str], size: int
) -> tuple[list[str], list[str]]:
    """Return packages and lines of a table that breaks across pages."""
    lines = [
        rf"\begin{{longtable}}{{{layout}}}", caption + r" \\", *head, r"\endfirsthead", *head, r"\endhead",
        *body, r"\bottomrule", r"\end{longtable}",
    ]  # fmt: skip
    packages = ["booktabs", "longtable"]
    if size <= TEXT:
        return packages, [r"\begingroup", *lines, r"\endgroup"]
    small = next(name for name, most in SIZES if size <= most)
    lines = [r"\begin{landscape}", rf"{small}\setlength{{\tabcolsep}}{{3pt}}", *lines, r"\end{landscape}"]
    return [*packages, "pdflscape"], lines


def _cell(column: Column, row: Row) -> str:
    """Write a cell; an interval as papers do, in brackets."""
    value = row.get(column.key)
    if column.kind == "interval" and value is not None:
        return f"[{', '.join(plain(end, column.decimals) for end in value)}]"
    return column.write(row)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(latex_escape(cell) for cell in cells) + r" \\"
