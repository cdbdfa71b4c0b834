"""Our own columns of judgements, and how a row of them is read.

One row is one judgement of one rater, or (`choice` = identical, no rater) one pair of identical outputs that
nobody was shown. `docs/formats.md` says what each column holds.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from annotation.formats.base import ComparisonRow, FormatError, ParsedJudgements, RatingRow, Winner
from annotation.formats.cells import Cells, only_one, parse_scale, shown
from annotation.formats.limits import MAX_ACTIVE_MS, MAX_NUMBERS
from annotation.formats.table import Row
from mtcore.corpora.names import listed
from mtcore.corpora.spreadsheets import FORMULA

COLUMNS = (
    "judgement", "protocol", "languages", "scale", "round", "position", "rater", "excluded_by",
    "testset", "document", "segment", "direction", "input", "context",
    "item", "kind", "repeat_of", "paired_with", "group",
    "left", "right", "choice", "score", "z", "z_options",
    "current", "comment", "shown_at", "submitted_at", "active_ms",
)  # fmt: skip
REQUIRED = ("rater", "segment", "left", "choice", "score")
CHOICES = ("left", "right", "equal", "identical")
_TEXT_COLUMNS = frozenset(COLUMNS) - {
    "scale", "round", "position", "direction", "kind", "choice", "score", "z", "current",
    "shown_at", "submitted_at", "active_ms",
}  # fmt: skip

Unescape = Callable[[str], str]


def is_ours(header: Sequence[str]) -> bool:
    """Tell our files by the columns that no other format has."""
    return {"judgement", "left", "segment"} <= set(header)


def unescape_cell(text: str) -> str:
    """Take away the apostrophe that the spreadsheet flavour puts before what looks like a formula."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def missing_columns(
    wanted: Sequence[str], header: Sequence[str], name: str, remedy: str = "Name the columns with --map."
) -> None:
    """Refuse a header that lacks columns, naming them and those that are there.

    Raises:
        FormatError: at least one is missing.
    """
    missing = [column for column in wanted if column not in header]
    if missing:
        noun = "column" if len(missing) == 1 else "columns"
        raise FormatError(
            f"has no {noun} {', '.join(missing)}; found: {listed(header)}",
            file=name,
            line=1,
            remedy=remedy,
        )


def read_scale(text: str, line: int, cells: Cells) -> tuple[float, float] | None:
    """Read "1-100"; None when empty.

    Raises:
        FormatError: not two numbers in rising order.
    """
    if not text:
        return None
    try:
        return parse_scale(text)
    except FormatError as error:
        raise cells.error(line, error.message, error.remedy) from error


class OurRows:
    """Read rows of our columns into ratings or comparisons."""

    def __init__(self, header: Sequence[str], cells: Cells, *, is_spreadsheet: bool = False) -> None:
        self.cells = cells
        self.at = {column: header.index(column) for column in COLUMNS if column in header}
        self.unescaped = [
            index for column, index in self.at.items() if is_spreadsheet and column in _TEXT_COLUMNS
        ]
        self.found: dict[str, dict[str, int]] = {"protocols": {}, "language pairs": {}, "scales": {}}
        self.superseded = 0

    def read(self, rows: Iterator[Row], parsed: ParsedJudgements) -> None:
        """Read every row into `parsed`, with hints and notices.

        Raises:
            FormatError: a cell breaks its column's rule, or the file mixes protocols, languages or scales.
        """
        for line, row in rows:
            for index in self.unescaped:
                row[index] = unescape_cell(row[index])
            self._read_row(row, line, parsed)
        parsed.protocol_hint = only_one(self.found["protocols"], "protocols", self.cells.error)
        parsed.languages_hint = only_one(self.found["language pairs"], "language pairs", self.cells.error)
        scale = only_one(self.found["scales"], "scales", self.cells.error)
        parsed.scale_hint = read_scale(scale or "", 1, self.cells)
        if self.superseded:
            parsed.notices.append(
                f"{self.cells.name}: left out {self.superseded:,} judgements that a later one supersedes"
            )
        if parsed.ratings and parsed.comparisons:
            raise self.cells.error(
                None, "holds scores and choices", "Split the file: a campaign has one of them."
            )

    def _get(self, row: list[str], column: str) -> str:
        index = self.at.get(column)
        return row[index] if index is not None else ""

    def _read_row(self, row: list[str], line: int, parsed: ParsedJudgements) -> None:
        get = self._get
        if not self._is_current(get(row, "current"), line):
            self.superseded += 1
            return
        kind = self.cells.kind(get(row, "kind") or "system", line)
        if kind is None:
            return
        self._note("protocols", get(row, "protocol"), line)
        self._note("language pairs", get(row, "languages"), line)
        self._note("scales", get(row, "scale"), line)
        choice, score = get(row, "choice"), get(row, "score")
        if choice and score:
            raise self.cells.error(line, "has both a score and a choice", "Empty one of the two cells.")
        shared = self._shared(row, kind, line)
        if choice or get(row, "right"):
            parsed.comparisons.append(self._comparison(row, choice, shared, line))
        else:
            parsed.ratings.append(self._rating(row, score, shared, line))

    def _is_current(self, text: str, line: int) -> bool:
        if text not in ("", "yes", "no"):
            raise self.cells.error(line, f"current is “{shown(text)}”", "Write yes or no.")
        return text != "no"

    def _note(self, what: str, text: str, line: int) -> None:
        if text:
            self.found[what].setdefault(text, line)

    def _rating(self, row: list[str], score: str, shared: dict[str, Any], line: int) -> RatingRow:
        scale = self.cells.options.scale or read_scale(self._get(row, "scale"), line, self.cells)
        left = self.cells.keep(self._get(row, "left"))
        return RatingRow(
            rater=self.cells.name_of(self._get(row, "rater"), "rater", line),
            system=left,
            systems=self.cells.systems(left, line),
            score=self.cells.score(score, line, scale),
            **shared,
        )

    def _comparison(self, row: list[str], choice: str, shared: dict[str, Any], line: int) -> ComparisonRow:
        if choice not in CHOICES:
            raise self.cells.error(
                line, f"the choice is “{shown(choice)}”", f"Write one of: {', '.join(CHOICES)}."
            )
        identical = choice == "identical"
        rater = self._get(row, "rater")
        if not (identical and not rater):
            rater = self.cells.name_of(rater, "rater", line)
        return ComparisonRow(
            rater=rater,
            left=self.cells.systems(self._get(row, "left"), line),
            right=self.cells.systems(self._get(row, "right"), line),
            winner="" if identical else cast(Winner, choice),
            identical=identical,
            **shared,
        )

    def _shared(self, row: list[str], kind: str, line: int) -> dict[str, Any]:
        get, cells = self._get, self.cells
        segment = get(row, "segment")
        if not segment:
            raise cells.error(line, "has no segment", "Give the segment's id.")
        active_ms, position = get(row, "active_ms"), get(row, "position")
        shared = ("testset", "document", "direction", "input", "context", "group", "excluded_by")
        own = ("judgement", "item", "repeat_of", "paired_with", "comment")
        return {
            "segment": cells.keep(segment),
            "kind": kind,
            "round": cells.whole(get(row, "round") or "1", "the round", line, MAX_NUMBERS["round"]),
            "position": (
                cells.whole(position, "the position", line, MAX_NUMBERS["position"]) if position else None
            ),
            "time_start": cells.time(get(row, "shown_at"), line),
            "time_end": cells.time(get(row, "submitted_at"), line),
            "seconds": (
                cells.whole(active_ms, "active_ms", line, MAX_ACTIVE_MS) / 1000 if active_ms else None
            ),
            "line": line,
            **{column: cells.keep(get(row, column)) for column in shared},
            **{column: get(row, column) for column in own},
        }
