"""Write any text so that LaTeX prints it as it is: the one way into every table of the house."""

from __future__ import annotations

import re

GREEK = {"α": "alpha", "β": "beta", "κ": "kappa", "ρ": "rho", "σ": "sigma", "τ": "tau"}
MARKS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\ttfamily\char34}", "`": r"\textasciigrave{}",
    "[": "{[}", "]": "{]}", "*": "{*}", "−": r"\ensuremath{-}", "–": "--", "—": "---", "…": r"\dots{}",
    "→": r"\ensuremath{\rightarrow}", "↑": r"\ensuremath{\uparrow}", "↓": r"\ensuremath{\downarrow}",
    "Σ": r"\ensuremath{\Sigma}", "²": r"\ensuremath{^2}", "³": r"\ensuremath{^3}", "⁴": r"\ensuremath{^4}",
    **{mark: rf"\ensuremath{{\{name}}}" for mark, name in GREEK.items()},
    "·": r"\ensuremath{\cdot}", "×": r"\ensuremath{\times}", "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}", "\u00a0": "~", "“": "``", "”": "''", "’": "'", "‘": "`",
}  # fmt: skip
"""Every mark that TeX reads otherwise than as itself (brackets and stars: after the end of a row)."""

LIGATURES = re.compile("(?<=-)-|(?<=')'|(?<=,),")


def latex_escape(text: str) -> str:
    """Return text that LaTeX prints as it is."""
    apart = LIGATURES.sub(lambda match: "\0" + match.group(), text)
    return "".join(MARKS.get(mark, mark) for mark in apart).replace("\0", "{}")
