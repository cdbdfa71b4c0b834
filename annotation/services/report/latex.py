"""Write a table as LaTeX that prints names as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from annotation.services.report.tables import Column, Row, Table, plain

GREEK = {"α": "alpha", "β": "beta", "κ": "kappa", "ρ": "rho", "σ": "sigma", "τ": "tau"}
MARKS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\ttfamily\char34}", "`": r"\textasciigrave{}",
    "[": "{[}", "]": "{]}", "*": "{*}", "−": r"\ensuremath{-}", "–": "--", "—": "---", "…": r"\dots{}",
    "→": r"\ensuremath{\rightarrow}",
    **{mark: rf"\ensuremath{{\{name}}}" for mark, name in GREEK.items()},
    "·": r"\ensuremath{\cdot}", "×": r"\ensuremath{\times}", "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}", "\u00a0": "~", "“": "``", "”": "''", "’": "'", "‘": "`",
}  # fmt: skip
"""Every mark that TeX reads otherwise than as itself (brackets and stars: after the end of a row)."""

LIGATURES = re.compile("(?<=-)-|(?<=')'|(?<=,),")
LONG = 40
"""Rows from which a table may break across pages."""

WIDE = 7
"""Columns from which a table is set small."""


def latex_escape(text: str) -> str:
    """Return text that LaTeX prints as it is."""
    apart = LIGATURES.sub(lambda match: "\0" + match.group(), text)
    return "".join(MARKS.get(mark, mark) for mark in apart).replace("\0", "{}")


def to_latex(table: Table, signature: str) -> str:
    """Return a table as LaTeX (package booktabs, for long ones longtable) with a caption and a label."""
    layout = "".join("r" if column.numeric else "l" for column in table.columns)
    head = [r"\toprule", _row([column.title for column in table.columns]), r"\midrule"]
    body = []
    for place, row in enumerate(table.rows):
        body.append(_row([_cell(column, row) for column in table.columns]))
        if place in table.cuts and place < len(table.rows) - 1:
            body.append(r"\midrule")
    caption = rf"\caption{{{latex_escape(table.title)}}}\label{{tab:{table.name}}}"
    long = len(table.rows) > LONG
    small = [r"\footnotesize\setlength{\tabcolsep}{3pt}"] if len(table.columns) > WIDE else []
    packages = r"\usepackage{booktabs,longtable}" if long else r"\usepackage{booktabs}"
    notes = [
        rf"% Needs {packages}; names in scripts other than Latin need XeLaTeX or LuaLaTeX.",
        f"% {signature}",
    ]
    if long:
        lines = [
            r"\begingroup", *small, rf"\begin{{longtable}}{{{layout}}}", caption + r" \\", *head,
            r"\endfirsthead", *head, r"\endhead", *body, r"\bottomrule", r"\end{longtable}", r"\endgroup",
        ]  # fmt: skip
    else:
        lines = [
            r"\begin{table}[t]", r"\centering", *small, caption, rf"\begin{{tabular}}{{{layout}}}", *head,
            *body, r"\bottomrule", r"\end{tabular}", r"\end{table}",
        ]  # fmt: skip
    return "\n".join([*notes, *lines, ""])


def _cell(column: Column, row: Row) -> str:
    """Write a cell; an interval as papers do, in brackets."""
    value = row.get(column.key)
    if column.kind == "interval" and value is not None:
        return f"[{', '.join(plain(end, column.decimals) for end in value)}]"
    return column.write(row)


def _row(cells: Sequence[str]) -> str:
    return " & ".join(latex_escape(cell) for cell in cells) + r" \\"
