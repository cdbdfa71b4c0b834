"""What is shown of a document around the judged segment: enough to help, short enough to pass over."""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 600
"""Characters shown on each side; what lies further away is cut, at a blank where there is one nearby."""
_NEARBY = 40


def joined_before(texts: Sequence[str]) -> str:
    """Return the texts before a segment, a line each; of a long run the end, which touches the segment."""
    whole = "\n".join(texts)
    if len(whole) <= LONGEST:
        return whole
    end = whole[-LONGEST:]
    blank = end.find(" ", 0, _NEARBY)
    return "…" + end[blank + 1 :]


def joined_after(texts: Sequence[str]) -> str:
    """Return the texts after a segment, a line each; of a long run the beginning."""
    whole = "\n".join(texts)
    if len(whole) <= LONGEST:
        return whole
    start = whole[:LONGEST]
    blank = start.rfind(" ", LONGEST - _NEARBY)
    return start[: blank if blank > 0 else LONGEST] + "…"
