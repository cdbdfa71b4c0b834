"""Write CSV so that a spreadsheet may open it: no text of it is taken for a formula."""

from __future__ import annotations

import csv
import io
import re

FLAVOURS = ("exact", "spreadsheet")
BYTE_ORDER_MARK = "\ufeff"
FORMULA = re.compile("'*[=+\\-@＝＋－＠\t\r\n]")
"""What a spreadsheet may take for a formula: blanks and full-width signs too, as OWASP lists them."""
STARTS = frozenset("'=+-@＝＋－＠\t\r\n")
"""What a text that FORMULA matches begins with."""
_NUMBER = re.compile(r"-\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def csv_flavoured(text: str, flavour: str) -> str:
    """Return CSV that is written exactly in another flavour.

    The spreadsheet flavour begins with a byte order mark, ends lines with CRLF and puts an apostrophe before
    texts that a spreadsheet would take for a formula; numbers, negative ones too, stay numbers.

    Args:
        text: whole CSV, its lines ended by LF.
        flavour: of FLAVOURS.
    """
    if flavour == "exact":
        return text
    out = io.StringIO(newline="")
    out.write(BYTE_ORDER_MARK)
    rows = csv.reader(io.StringIO(text, newline=""))
    csv.writer(out, lineterminator="\r\n").writerows([_safe(cell) for cell in row] for row in rows)
    return out.getvalue()


def _safe(cell: str) -> str:
    return f"'{cell}" if FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell
