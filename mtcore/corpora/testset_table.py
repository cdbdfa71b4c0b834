"""Test sets as tables with one segment a row: TSV and CSV.

Columns: `segment_id` (or `id`, `segment`), `document` (or `document_id`, `doc_id`), `direction`, `origlang`,
`source`, `source:NAME` (further sources), `reference` or `target`, `reference:NAME`, `output:SYSTEM`. Only
`source` is needed; without ids the rows are numbered.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.languages import language_direction
from mtcore.corpora.names import listed
from mtcore.corpora.provenance import DIRECTIONS
from mtcore.corpora.tables import read_table
from mtcore.corpora.testset_base import (
    ALL_COLUMNS,
    InputFile,
    Lines,
    ParsedTestSet,
    Side,
    TestSetFormat,
    TestSetOptions,
    check_key,
    missing_notices,
    only_file,
)

IDS = ("segment_id", "id", "segment")
DOCUMENTS = ("document", "document_id", "doc_id")
SIDES: dict[str, Side] = {"source": "source", "reference": "target", "target": "target", "output": "output"}
_LINE_BREAK = re.compile(r"\r\n?")

Cell = str | None


@dataclass(frozen=True)
class Columns:
    """Which column holds what, by place in the row."""

    segment: int | None
    document: int | None
    direction: int | None
    origin: int | None
    texts: dict[tuple[Side, str], int]
    left_out: tuple[str, ...]


class TsvFormat(TestSetFormat):
    """A table with tabs; quote signs are text unless the file is plainly quoted."""

    name = "tsv"
    title = "TSV with a header (or --columns), one segment a row"
    example = (
        InputFile(
            "example.tsv",
            b"segment_id\tsource\treference\toutput:OP\n1\tGood day.\tGuten Tag.\tGuter Tag.\n"
            b"2\tBye.\tTsch\xc3\xbcss.\tAuf Wiedersehen.\n",
        ),
    )

    def parse(self, files: Sequence[InputFile], options: TestSetOptions) -> ParsedTestSet:
        """Read a table; see `TestSetFormat.parse`."""
        file = only_file(files, self.title)
        table = read_table(file.data, file.name, columns=options.columns)
        rows = Rows(file.name, find_columns(table.header, file.name, options), options)
        for line, row in table.rows:
            rows.add(line, row)
        return rows.finish(table.notices)


class CsvFormat(TsvFormat):
    """A table with commas or semicolons, cells quoted where they must be."""

    name = "csv"
    title = "CSV with a header (or --columns), one segment a row"
    example = (
        InputFile(
            "example.csv",
            b'id,document,source,reference\n1,a,"Say ""no"".\nGo.",Nein.\n2,a,"Yes, sure","Ja, klar"\n',
        ),
    )


class Rows:
    """Collect rows into a test set."""

    def __init__(self, file: str, columns: Columns, options: TestSetOptions) -> None:
        self.file = file
        self.columns = columns
        self.options = options
        self.parsed = ParsedTestSet(file)
        self.lines: dict[tuple[Side, str], Lines] = {text: [] for text in columns.texts}
        self.first_line: dict[str, int] = {}

    def add(self, line: int, row: Sequence[Cell]) -> None:
        """Add a row that begins on a line.

        Raises:
            CorpusError: its id is empty, too long or there already, or its direction is none.
        """
        parsed, columns = self.parsed, self.columns
        key = str(len(parsed.keys) + 1) if columns.segment is None else row[columns.segment] or ""
        check_key(key, self.file, line)
        if key in self.first_line:
            raise CorpusError(
                f"segment “{key}” is there already, on line {self.first_line[key]:,}",
                file=self.file,
                line=line,
                remedy="Give every segment an id of its own.",
            )
        self.first_line[key] = line
        parsed.keys.append(key)
        if columns.document is not None:
            parsed.documents.append(row[columns.document] or "")
        parsed.directions.append(self._direction(row, line))
        for text, index in columns.texts.items():
            cell = row[index]
            self.lines[text].append(_LINE_BREAK.sub("\n", cell) if cell else None)

    def finish(self, notices: Sequence[str]) -> ParsedTestSet:
        """Return the test set.

        Raises:
            CorpusError: there is no row.
        """
        if not self.parsed.keys:
            raise CorpusError("has no segment", file=self.file, remedy="Give at least one row.")
        sides = {"source": self.parsed.sources, "target": self.parsed.references}
        for (side, name), lines in self.lines.items():
            sides.get(side, self.parsed.outputs)[name] = lines
        left_out = self.columns.left_out
        self.parsed.notices = [
            *notices,
            *([f"{self.file}: left out the columns {listed(left_out)}"] if left_out else []),
            *missing_notices(self.parsed),
        ]
        return self.parsed

    def _direction(self, row: Sequence[Cell], line: int) -> str:
        columns, options = self.columns, self.options
        given = (row[columns.direction] or "").strip() if columns.direction is not None else ""
        if given not in DIRECTIONS:
            raise CorpusError(
                f"the direction is “{given[:30]}”",
                file=self.file,
                line=line,
                remedy="Write direct, reverse or nothing.",
            )
        if given or columns.origin is None:
            return given
        return language_direction(row[columns.origin] or "", options.source_language, options.target_language)


def find_columns(header: Sequence[str], file: str, options: TestSetOptions) -> Columns:
    """Find out what each column holds.

    Raises:
        CorpusError: no source, the same text twice, or an output column that is not there.
    """
    texts: dict[tuple[Side, str], int] = {}
    for index, column in enumerate(header):
        text = _text_of(column)
        if text in texts:
            raise CorpusError(
                f"the columns {header[texts[text]]} and {column} hold the same text",
                file=file,
                line=1,
                remedy="Name a further reference reference:NAME.",
            )
        if text is not None:
            texts[text] = index
    if not any(side == "source" for side, _ in texts):
        raise CorpusError(
            f"has no column source; found: {listed(header)}",
            file=file,
            line=1,
            remedy="Name the columns in the first line, or with --columns where the file has no header.",
        )
    places = {
        name: next((header.index(one) for one in names if one in header), None)
        for name, names in (("segment", IDS), ("document", DOCUMENTS))
    }
    known = {*texts.values(), *(at for at in places.values() if at is not None)}
    known |= {header.index(one) for one in ("direction", "origlang") if one in header}
    others = [column for index, column in enumerate(header) if index not in known]
    for column in _chosen_outputs(others, file, options):
        texts[("output", column)] = header.index(column)
        others.remove(column)
    return Columns(
        segment=places["segment"],
        document=places["document"],
        direction=header.index("direction") if "direction" in header else None,
        origin=header.index("origlang") if "origlang" in header else None,
        texts=dict(sorted(texts.items(), key=lambda text: bool(text[0][1]))),
        left_out=tuple(others),
    )


def _chosen_outputs(others: Sequence[str], file: str, options: TestSetOptions) -> Iterator[str]:
    if options.outputs == (ALL_COLUMNS,):
        yield from list(others)
        return
    for column in options.outputs:
        if column not in others:
            raise CorpusError(
                f"has no column {column} to take outputs from; found: {listed(others) or 'none'}",
                file=file,
                line=1,
                remedy="Name columns of the file with --outputs.",
            )
        yield column


def _text_of(column: str) -> tuple[Side, str] | None:
    kind, colon, name = column.partition(":")
    side = SIDES.get(kind)
    if side is None or bool(colon) != bool(name) or (side == "output" and not name):
        return None
    return side, name
