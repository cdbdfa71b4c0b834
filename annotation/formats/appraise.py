"""Judgements as Appraise exports them: comma-separated, no header, layouts told apart by their first row.

9 columns: username, system, itemId, itemType, srcLang, trgLang, score, timeStart, timeEnd. 11 columns: before
the times docId and isDocScore (documents) or errors and sourceErrors (side by side), or after them batchNo
and the number of the item. 12 columns: docId, isDocScore, error_spans before the times (ESA).
"""

import re
from collections import Counter
from dataclasses import dataclass

from annotation.formats.base import (
    Format,
    FormatError,
    ParsedJudgements,
    ParseOptions,
    RatingRow,
)
from annotation.formats.cells import Cells, only_one, split_joined
from annotation.formats.limits import require_sound
from annotation.formats.table import decode, quoted_rows

SCALE = (0.0, 100.0)
WIDTHS = (9, 11, 12)
_TRUTH = ("True", "False")
_TIME = re.compile(r"\d{9,}(\.\d+)?", re.ASCII)
_NO_ERRORS = frozenset({"", "None", "[]"})
_LEFT_OUT_DOCUMENTS = ("#incomplete", "#dup")


@dataclass(frozen=True)
class Layout:
    """Where the columns of one layout are."""

    width: int
    has_documents: bool = False
    has_errors: bool = False
    has_batches: bool = False

    @classmethod
    def of_row(cls, row: list[str]) -> "Layout":
        """Tell the layout by a row of 9, 11 or 12 columns."""
        if len(row) == WIDTHS[0]:
            return cls(len(row))
        if len(row) == WIDTHS[2] or row[8] in _TRUTH:
            return cls(len(row), has_documents=True)
        in_place = all(_TIME.fullmatch(cell) for cell in row[7:9]) and row[9].isdigit() and row[10].isdigit()
        return cls(len(row), has_batches=in_place, has_errors=not in_place)

    def times(self, row: list[str]) -> tuple[str, str]:
        """Return start and end of a row."""
        end = -2 if self.has_batches else None
        start, stop = row[:end][-2:]
        return start, stop


class AppraiseFormat(Format):
    """Appraise's own export of scores. Its kinds: TGT, CHK (repeat), BAD (damaged), REF.

    `+` joins the names of merged systems, but names may hold one themselves, so a name is split only into
    known systems. Rows of the tutorial become practice. Documents marked incomplete or doubled are left out,
    and where the file has error spans a later score for the same thing replaces an earlier one, both with a
    notice.
    """

    name = "appraise"
    title = "Appraise export (CSV without header, 9, 11 or 12 columns)"
    example = (
        b"engliv01,TartuNLP,239,TGT,eng,liv,33,1665513605.652,1665513649.457\r\n"
        b"engliv01,TartuNLP,239,BAD,eng,liv,16,1665513497.736,1665513564.42\r\n"
    )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read an Appraise export; see `Format.parse`."""
        decoded = decode(data, name)
        reader = AppraiseReader(Cells(name, options))
        for line, row in quoted_rows(decoded.text, name, ","):
            if row:
                reader.read(row, line)
        parsed = reader.finish()
        parsed.notices = [*decoded.notices, *parsed.notices]
        return require_sound(parsed, name)


class AppraiseReader:
    """Read rows one by one, and remember what the whole file must agree on."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.layout: Layout | None = None
        self.rows: list[tuple[bool, RatingRow]] = []
        self.pairs: dict[str, int] = {}
        self.left_out: Counter[str] = Counter()
        self.unsplit: set[str] = set()

    def read(self, row: list[str], line: int) -> None:
        """Read a row that begins on a line."""
        layout = self._layout(row, line)
        cells = self.cells
        user, system, item, kind_text, source, target, score = row[:7]
        document, of_document = (row[7], row[8]) if layout.has_documents else ("", "False")
        kind = cells.kind(kind_text, line)
        if kind is None:
            return
        mark = next((one for one in _LEFT_OUT_DOCUMENTS if one in document), None)
        if mark:
            self.left_out[mark] += 1
            return
        if of_document not in _TRUTH:
            raise cells.error(
                line, f"isDocScore is “{of_document}”", "It is True or False in Appraise's files."
            )
        if not item:
            raise cells.error(line, "has no itemId", "Give the segment's id.")
        self.pairs.setdefault(f"{source}-{target}", line)
        start, end = layout.times(row)
        made = RatingRow(
            rater=cells.name_of(user, "rater", line),
            system=system,
            systems=self._systems(system, line),
            segment=item,
            score=cells.score(score, line, cells.options.scale or SCALE),
            kind="practice" if "-tutorial" in system else kind,
            document=document,
            group=row[9] if layout.has_batches else "",
            comment=row[7] if layout.has_errors and row[7] not in _NO_ERRORS else "",
            time_start=cells.time(start, line),
            time_end=cells.time(end, line),
            line=line,
        )
        self.rows.append((of_document == "True", made))

    def finish(self) -> ParsedJudgements:
        """Put the rows where they belong and say what was left out."""
        name = self.cells.name
        parsed = ParsedJudgements(protocol_hint="source_da", scale_hint=SCALE)
        parsed.languages_hint = only_one(self.pairs, "language pairs", self.cells.error)
        rows = self.rows
        if self.layout is not None and self.layout.width == 12:
            rows = self._latest(parsed.notices)
        parsed.ratings = [row for of_document, row in rows if not of_document]
        parsed.document_scores = [row for of_document, row in rows if of_document]
        parsed.notices += [
            f"{name}: left out {count:,} rows of documents marked {mark}"
            for mark, count in sorted(self.left_out.items())
        ]
        if parsed.document_scores:
            count = len(parsed.document_scores)
            parsed.notices.append(
                f"{name}: kept {count:,} {'score' if count == 1 else 'scores'} of documents apart"
            )
        if self.unsplit:
            shown = ", ".join(sorted(self.unsplit)[:5])
            parsed.notices.append(f"{name}: taken as one system each, though “+” may join several: {shown}")
        parsed.notices += self.cells.notices()
        return parsed

    def _layout(self, row: list[str], line: int) -> Layout:
        if self.layout is None:
            if len(row) not in WIDTHS:
                raise self.cells.error(
                    line,
                    f"has {len(row)} columns; Appraise writes 9, 11 or 12",
                    "Check the format of the file.",
                )
            if row[0].strip().lower() == "username":
                raise self.cells.error(line, "has a header", "Remove the first line: Appraise writes none.")
            self.layout = Layout.of_row(row)
        if len(row) != self.layout.width:
            raise FormatError(
                f"{len(row)} fields, {self.layout.width} expected",
                file=self.cells.name,
                line=line,
                remedy="Look for a comma inside a name, or a missing cell.",
            )
        return self.layout

    def _systems(self, text: str, line: int) -> tuple[str, ...]:
        known = self.cells.options.known_systems
        if "+" in text:
            found = split_joined(text, known) if known else None
            if found is not None:
                return found
            self.unsplit.add(text)
        return (self.cells.name_of(text, "system", line),)

    def _latest(self, notices: list[str]) -> list[tuple[bool, RatingRow]]:
        """Keep the latest of several scores for the same thing, by end time, then by line."""
        latest: dict[tuple[object, ...], tuple[bool, RatingRow]] = {}
        for of_document, row in self.rows:
            key = (of_document, row.rater, row.system, row.segment, row.kind, row.document)
            before = latest.get(key)
            if before is None or _ended(row) >= _ended(before[1]):
                latest[key] = (of_document, row)
        gone = len(self.rows) - len(latest)
        if gone:
            notices.append(f"{self.cells.name}: left out {gone:,} scores that a later one replaces")
        return sorted(latest.values(), key=lambda pair: pair[1].line)


def _ended(row: RatingRow) -> float:
    return row.time_end.timestamp() if row.time_end else 0.0
