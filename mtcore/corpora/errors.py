"""The error that every reader and check of this package raises."""


class CorpusError(ValueError):
    """Say what is wrong with a text, where, and what to do about it.

    `str()` is the whole sentence with its place, ready to be shown; `file`, `line` (1-based) and `remedy`
    are there for callers that lay it out themselves.
    """

    def __init__(self, message: str, *, file: str = "", line: int | None = None, remedy: str = "") -> None:
        self.message = message
        self.file = file
        self.line = line
        self.remedy = remedy
        super().__init__(f"{place(file, line)}{message}")


def place(file: str, line: int | None) -> str:
    """Write the prefix "file, line 7: " with whatever of the two is known."""
    known = [part for part in (file, f"line {line:,}" if line is not None else "") if part]
    return f"{', '.join(known)}: " if known else ""
