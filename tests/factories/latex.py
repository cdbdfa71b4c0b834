"""Compile what is written as LaTeX, where TeX is installed."""

import shutil
import subprocess

import pytest

PACKAGES = "booktabs,longtable,graphicx,pdflscape"


def compiled(folder, *tables, packages=PACKAGES):
    """Compile tables in an article; skip without TeX, fail on an error or a table wider than the page."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: what was written was read, not compiled")
    head = rf"\documentclass{{article}}\usepackage{{{packages}}}\begin{{document}}"
    text = "\n".join([head, *tables, r"\end{document}", ""])
    (folder / "t.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=folder, capture_output=True, text=True, errors="replace", timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout, "a table is wider than the page"
    assert (folder / "t.pdf").stat().st_size > 1000
