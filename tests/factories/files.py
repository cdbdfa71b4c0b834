"""Text files for tests of commands."""

from collections.abc import Sequence
from pathlib import Path


def write_lines(path: Path, lines: Sequence[str]) -> str:
    """Write lines to a file and return its path."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)
