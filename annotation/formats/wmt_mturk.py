"""Judgements as WMT published its direct assessment by Mechanical Turk (`ad-latest.csv`, `…-redup.csv`).

One header of 12 names; names and cells are separated by tabs, blanks or both, whatever the file is called. A
cell with a blank is quoted, `NA` is a missing value, and `sys_id` ends with the number of the submission.
"""

import re
from collections import Counter
from collections.abc import Iterable

from annotation.formats.base import Format, ParsedJudgements, ParseOptions, RatingRow
from annotation.formats.cells import Cells, only_one, split_joined
from annotation.formats.columns import missing_columns
from annotation.formats.limits import require_sound
from annotation.formats.table import decode
from mtcore.corpora.reader import iterate_lines

SCALE = (0.0, 100.0)
COLUMNS = (
    "HITId", "WorkerId", "Input.src", "Input.trg", "Input.item", "hit", "sys_id", "rid", "type", "sid",
    "score", "time",
)  # fmt: skip
_NEEDED = ("HITId", "WorkerId", "Input.src", "Input.trg", "hit", "sys_id", "type", "sid", "score", "time")
_CELL = re.compile(r'"([^"]*)"|([^\s"]\S*)')
_NUMBER = re.compile(r"(.*\S)\.(\d{1,3})", re.ASCII)
_DOCUMENT_SID = re.compile(r"[a-z]+-[a-z]+-\d+-(\d+)-\d+\.(\d+)_\2")
_MISSING = "NA"


class WmtMturkFormat(Format):
    """WMT's own table of direct assessment.

    The submission number at the end of a `sys_id` goes where the numbers of a file are 0, 1, 2 … or 1, 2, 3 …
    and no two names become one, or where the test set knows the name without it; a name that the test set
    knows stays. An `sid` such as `bn-hi-0-71-1000434.2_2` (HIT, document, instance, sentence) is document 71,
    sentence 2: the HIT it was shown in is no part of the segment. `time` is of a whole HIT; it is shared out.
    """

    name = "wmt-mturk"
    title = "WMT direct assessment by Mechanical Turk"
    example = (
        b"HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time\n"
        b'NA\tann\tbn\thi ad NA\t"UEdin" NA SYSTEM\t17\t52\t0\n'
        b'NA\tann\tbn\thi ad NA\t"GTCOM" NA BAD_REF\t17\t9\t0\n'
    )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read WMT's table; see `Format.parse`."""
        decoded = decode(data, name)
        reader = _Reader(Cells(name, options))
        for line, text in enumerate(iterate_lines(decoded.text), start=1):
            if text.strip():
                reader.read([quoted or bare for quoted, bare in _CELL.findall(text)], line)
        parsed = reader.finish()
        parsed.notices = [*decoded.notices, *parsed.notices]
        return require_sound(parsed, name)


class _Reader:
    """Read rows, then set right what only the whole file can tell."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.at: dict[str, int] | None = None
        self.width = 0
        self.rows: list[RatingRow] = []
        self.pairs: dict[str, int] = {}
        self.hits: Counter[tuple[str, str]] = Counter()
        self.unscored = 0

    def read(self, row: list[str], line: int) -> None:
        if self.at is None:
            missing_columns(_NEEDED, row, self.cells.name, "Check that this is WMT's table of judgements.")
            self.at, self.width = {column: index for index, column in enumerate(row)}, len(row)
            return
        cells, at = self.cells, self.at
        if len(row) != self.width:
            raise cells.error(
                line, f"{len(row)} fields, {self.width} expected", "Quote cells that hold a blank."
            )
        kind = cells.kind(row[at["type"]], line)
        if kind is None:
            return
        if row[at["score"]] == _MISSING:
            self.unscored += 1
            return
        self.pairs.setdefault(f"{row[at['Input.src']]}-{row[at['Input.trg']]}", line)
        rater = cells.name_of(row[at["WorkerId"]], "rater", line)
        group = next((row[at[one]] for one in ("HITId", "hit") if row[at[one]] != _MISSING), "")
        segment, document = _segment(row[at["sid"]])
        self.hits[rater, group] += 1
        self.rows.append(
            RatingRow(
                rater=rater,
                system=cells.name_of(row[at["sys_id"]], "system", line),
                systems=(),
                segment=segment,
                document=document,
                score=cells.score(row[at["score"]], line, cells.options.scale or SCALE),
                kind=kind,
                group=group,
                seconds=self._seconds(row[at["time"]], line),
                line=line,
            )
        )

    def finish(self) -> ParsedJudgements:
        """Name the systems and share out the time of each HIT."""
        name = self.cells.name
        parsed = ParsedJudgements(protocol_hint="reference_da", scale_hint=SCALE)
        parsed.languages_hint = only_one(self.pairs, "language pairs", self.cells.error)
        names = self._names({row.system for row in self.rows})
        timed = 0
        for row in self.rows:
            seconds = row.seconds / self.hits[row.rater, row.group] if row.seconds and row.group else None
            timed += seconds is not None
            parsed.ratings.append(row._replace(systems=names[row.system], seconds=seconds))
        if any(names[system] != (system,) for system in names):
            parsed.notices.append(f"{name}: took the submission number off the names of systems")
        if timed:
            parsed.notices.append(f"{name}: shared out the time of each HIT over its judgements")
        if self.unscored:
            parsed.notices.append(f"{name}: left out {self.unscored:,} rows without a score (NA)")
        parsed.notices += self.cells.notices()
        return parsed

    def _seconds(self, text: str, line: int) -> float | None:
        return None if text == _MISSING else self.cells.score(text, line, None) or None

    def _names(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Map each `sys_id` to the systems it names."""
        known = self.cells.options.known_systems or ()
        verbatim = {one: split_joined(one, known) or (one,) for one in sorted(ids)}
        numbered = {one: match for one in verbatim if (match := _NUMBER.fullmatch(one)) and one not in known}
        numbers = sorted(int(match[2]) for match in numbered.values())
        bare = {one: match[1] for one, match in numbered.items()}
        counted = (
            numbers and numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] <= 1
        )
        if counted and len({*bare.values(), *verbatim.keys()}) == len(bare) + len(verbatim):
            return verbatim | {one: (name,) for one, name in bare.items()}
        return verbatim | {one: (name,) for one, name in bare.items() if name in known}


def _segment(sid: str) -> tuple[str, str]:
    """Return segment and document of an `sid`."""
    match = _DOCUMENT_SID.fullmatch(sid)
    return (f"{match[1]}.{match[2]}", match[1]) if match else (sid, "")
