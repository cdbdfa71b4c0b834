"""Preferences as WMT16 published its rankings: one row a pair, or one row a ranking of several outputs.

The header tells which: system1Id, system1rank, system2Id, system2rank, rankingID; or system1 to system5. A
lower rank is better, equal ranks are a tie, -1 was not judged. Rankings are taken apart into pairs.
"""

import re
from collections import Counter
from itertools import combinations
from typing import NamedTuple

from annotation.formats.base import (
    ComparisonRow,
    Format,
    ParsedJudgements,
    ParseOptions,
    Systems,
    Winner,
)
from annotation.formats.cells import Cells, only_one, shown, split_joined
from annotation.formats.columns import missing_columns
from annotation.formats.limits import require_sound
from annotation.formats.table import Row, read_table

_SYSTEM_COLUMN = re.compile(r"system(\d+)id")
_RANK = re.compile(r"-1|[1-9]\d*", re.ASCII)
_NOT_JUDGED = "-1"
PAIRS_OF_FIVE = 10
_REMEDY = "Check that this is a WMT16 ranking file, and correct its header."


class _Columns(NamedTuple):
    """Where the columns are; `systems` holds (id, rank) of each system."""

    source: int
    target: int
    segment: int
    judge: int
    ranking: int | None
    document: int | None
    systems: list[tuple[int, int]]


class Wmt16RankingFormat(Format):
    """WMT's ranking files: collapsed ones, where `+` joins the systems of one output, and expanded ones.

    A ranking shows five outputs, so a collapsed file has at most ten pairs of each; a file with more is
    expanded, and a plus in it is part of a name. With known systems a name is split into those only; without,
    in a collapsed file, at every plus, which is the format's own rule. Systems merged in one output give one
    identical pair each, once a segment.
    """

    name = "wmt16-ranking"
    title = "WMT16 relative ranking (CSV, pairs or five-way)"
    example = (
        b"srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
        b"deu,eng,1020,1020,judge5,jhu,4,uedin,3,181\n"
        b"deu,eng,1020,1020,judge5,jhu,4,online-A,1,181\n"
    )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read a ranking file; see `Format.parse`."""
        table = read_table(data, name)
        columns, rows = _find_columns(table.header, name), list(table.rows)
        reader = _Reader(columns, Cells(name, options), expanded=_is_expanded(columns, rows))
        for row in rows:
            reader.read(row)
        parsed = reader.finish()
        parsed.notices = [*table.notices, *parsed.notices]
        return require_sound(parsed, name)


def _find_columns(header: list[str], name: str) -> _Columns:
    lower = [column.lower() for column in header]
    numbers = [match[1] for column in lower if (match := _SYSTEM_COLUMN.fullmatch(column))]
    wanted = ["srclang", "trglang", "segmentid", "judgeid"]
    wanted += [f"system{number}rank" for number in numbers] or ["system1id", "system1rank"]
    missing_columns([*wanted, *(["system2id"] if len(numbers) < 2 else [])], lower, name, _REMEDY)
    return _Columns(
        source=lower.index("srclang"),
        target=lower.index("trglang"),
        segment=lower.index("segmentid"),
        judge=lower.index("judgeid"),
        ranking=lower.index("rankingid") if "rankingid" in lower else None,
        document=lower.index("documentid") if "documentid" in lower else None,
        systems=[(lower.index(f"system{n}id"), lower.index(f"system{n}rank")) for n in numbers],
    )


def _is_expanded(columns: _Columns, rows: list[Row]) -> bool:
    """Tell a file of pairs where some ranking has more of them than its distinct outputs give."""
    ranking = columns.ranking
    if ranking is None or len(columns.systems) != 2:
        return False
    pairs = Counter(row[ranking] for _, row in rows)
    return max(pairs.values(), default=0) > PAIRS_OF_FIVE


class _Reader:
    """Take rankings apart into comparisons."""

    def __init__(self, columns: _Columns, cells: Cells, *, expanded: bool) -> None:
        self.columns = columns
        self.expanded = expanded
        self.cells = cells
        self.comparisons: list[ComparisonRow] = []
        self.pairs: dict[str, int] = {}
        self.identical: dict[tuple[str, str, str], ComparisonRow] = {}
        self.not_judged = 0
        self._split: dict[str, Systems] = {}

    def read(self, numbered: Row) -> None:
        line, row = numbered
        columns = self.columns
        segment = row[columns.segment]
        if not segment:
            raise self.cells.error(line, "has no segmentId", "Give the segment's id.")
        self.pairs.setdefault(f"{row[columns.source]}-{row[columns.target]}", line)
        document = row[columns.document] if columns.document is not None else ""
        shared = ComparisonRow(
            rater=self.cells.name_of(row[columns.judge], "rater", line),
            left=(),
            right=(),
            segment=segment,
            winner="",
            document="" if document == "-1" else document,
            group=row[columns.ranking] if columns.ranking is not None else f"line {line}",
            line=line,
        )
        judged = self._judged(row, line)
        for systems, _ in judged:
            self._note_identical(systems, shared)
        for (left, left_rank), (right, right_rank) in combinations(judged, 2):
            winner = _winner(left_rank, right_rank)
            self.comparisons.append(shared._replace(left=left, right=right, winner=winner))

    def finish(self) -> ParsedJudgements:
        """Give the comparisons, then the identical pairs."""
        parsed = ParsedJudgements(protocol_hint="pairwise_fluency")
        parsed.languages_hint = only_one(self.pairs, "language pairs", self.cells.error)
        parsed.comparisons = [*self.comparisons, *self.identical.values()]
        if self.not_judged:
            parsed.notices.append(f"{self.cells.name}: {self.not_judged:,} ranks of -1 were not judged")
        joined = [name for name in self._split if "+" in name]
        split = [name for name in joined if len(self._split[name]) > 1]
        if split:
            parsed.notices.append(
                f"{self.cells.name}: collapsed; {len(split):,} names with + are several systems"
            )
        elif joined:
            parsed.notices.append(f"{self.cells.name}: a + is part of the name of {', '.join(joined[:5])}")
        return parsed

    def _judged(self, row: list[str], line: int) -> list[tuple[Systems, int]]:
        judged = []
        for name_at, rank_at in self.columns.systems:
            rank = row[rank_at]
            if not _RANK.fullmatch(rank):
                raise self.cells.error(
                    line, f"“{shown(rank)}” is no rank", "Ranks are 1, 2 … or -1 for not judged."
                )
            if rank == _NOT_JUDGED:
                self.not_judged += 1
            else:
                judged.append((self._systems(row[name_at], line), int(rank)))
        return judged

    def _systems(self, text: str, line: int) -> Systems:
        if text not in self._split:
            known = self.cells.options.known_systems
            parts = split_joined(text, known) if known else None
            if parts is None:
                parts = (text,) if known or self.expanded else tuple(text.split("+"))
            self._split[text] = tuple(self.cells.name_of(part, "system", line) for part in parts)
        return self._split[text]

    def _note_identical(self, systems: Systems, shared: ComparisonRow) -> None:
        for one, other in combinations(sorted(systems), 2):
            pair = shared._replace(rater="", left=(one,), right=(other,), identical=True, group="")
            self.identical.setdefault((shared.segment, one, other), pair)


def _winner(left_rank: int, right_rank: int) -> Winner:
    if left_rank == right_rank:
        return "equal"
    return "left" if left_rank < right_rank else "right"
