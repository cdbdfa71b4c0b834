"""Preferences from Appraise's side-by-side campaigns: two rows of scores make one comparison.

Appraise writes one row for each of the two translations, one after the other, with the same rater, item, type
and times, in 9 columns or (since it notes errors) 11: username, system, itemId, itemType, srcLang, trgLang,
score, errors, sourceErrors, timeStart, timeEnd. The higher score is preferred, equal scores are a tie.
"""

from itertools import groupby

from annotation.formats.appraise import SCALE, AppraiseReader
from annotation.formats.base import (
    ComparisonRow,
    Format,
    ParsedJudgements,
    ParseOptions,
    RatingRow,
    Winner,
)
from annotation.formats.cells import Cells
from annotation.formats.limits import require_sound
from annotation.formats.table import decode, quoted_rows


class AppraisePairwiseFormat(Format):
    """Appraise's side-by-side export as preferences; the format `appraise` reads the same file as scores.

    Merged systems come as one row each: rows with the same score are one side. With more than two rows and
    one score only, nobody can tell the sides, so such items are left out, and so are rows without a partner.
    """

    name = "appraise-pairwise"
    title = "Appraise side-by-side export, as preferences"
    example = (
        b"ann,OP,239,TGT,eng,liv,33,1665513605.652,1665513649.457\r\n"
        b"ann,BT,239,TGT,eng,liv,70,1665513605.652,1665513649.457\r\n"
        b"ann,BT,240,TGT,eng,liv,50,1665513649.9,1665513655.1\r\n"
        b"ann,OP,240,TGT,eng,liv,50,1665513649.9,1665513655.1\r\n"
    )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read a side-by-side export; see `Format.parse`."""
        decoded = decode(data, name)
        reader = AppraiseReader(Cells(name, options))
        for line, row in quoted_rows(decoded.text, name, ","):
            if row:
                reader.read(row, line)
        rated = reader.finish()
        parsed = ParsedJudgements(protocol_hint="pairwise_fluency", languages_hint=rated.languages_hint)
        unclear = 0
        for _, group in groupby(rated.ratings, key=_shown):
            comparison = _compare(list(group))
            if comparison is None:
                unclear += 1
            else:
                parsed.comparisons.append(comparison)
        parsed.notices = [*decoded.notices, *rated.notices]
        if unclear:
            noun = "item" if unclear == 1 else "items"
            parsed.notices.append(f"{name}: left out {unclear:,} {noun} whose two sides cannot be told apart")
        return require_sound(parsed, name)


def _shown(row: RatingRow) -> tuple[object, ...]:
    """Return what the rows of one screen share."""
    return (row.rater, row.segment, row.kind, row.document, row.time_start, row.time_end)


def _compare(rows: list[RatingRow]) -> ComparisonRow | None:
    """Make one comparison of the rows of a screen; None when its sides are not clear."""
    sides = [list(side) for _, side in groupby(rows, key=lambda row: row.score)]
    if len(rows) == 2:
        sides = [[rows[0]], [rows[1]]]
    if len(sides) != 2:
        return None
    left, right = sides
    difference = left[0].score - right[0].score
    winner: Winner = "equal" if not difference else "left" if difference > 0 else "right"
    first = rows[0]
    systems = [tuple(name for row in side for name in row.systems) for side in sides]
    if set(systems[0]) & set(systems[1]):
        return None
    return ComparisonRow(
        rater=first.rater,
        left=systems[0],
        right=systems[1],
        segment=first.segment,
        winner=winner,
        kind=first.kind,
        document=first.document,
        group=first.group,
        comment=f"scores {left[0].score:g} and {right[0].score:g} of {SCALE[1]:g}",
        time_start=first.time_start,
        time_end=first.time_end,
        line=first.line,
    )
