"""Judgements as JSON Lines: one strict JSON object a line, with our columns as keys."""

from collections.abc import Iterator
from typing import Any

from annotation.formats.base import Format, ParsedJudgements, ParseOptions
from annotation.formats.cells import Cells
from annotation.formats.columns import COLUMNS, REQUIRED, OurRows
from annotation.formats.limits import require_sound
from annotation.formats.table import Row, decode
from mtcore.corpora.names import JOINER, listed
from mtcore.corpora.reader import Lines, split_lines
from mtcore.corpora.strict_json import JsonError, read_json


class JsonLinesFormat(Format):
    """Our columns as keys; merged systems are lists; a missing value is null or left out."""

    name = "jsonl"
    title = "JSON Lines with our columns as keys"
    example = (
        b'{"judgement":"j1","protocol":"pairwise_fluency","languages":"en-de","rater":"ann","segment":"1",'
        b'"left":["A","B"],"right":["C"],"choice":"left","score":null}\n'
        b'{"judgement":"j2","protocol":"pairwise_fluency","languages":"en-de","rater":"ann","segment":"2",'
        b'"left":["A"],"right":["C"],"choice":"equal"}\n'
    )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read JSON Lines; see `Format.parse`."""
        decoded = decode(data, name)
        lines = split_lines(decoded.text, name)
        cells = Cells(name, options)
        parsed = ParsedJudgements()
        OurRows(COLUMNS, cells).read(_rows(lines, cells), parsed)
        parsed.notices = [*decoded.notices, *lines.notices, *parsed.notices, *cells.notices()]
        return require_sound(parsed, name)


def _rows(lines: Lines, cells: Cells) -> Iterator[Row]:
    for number, line in enumerate(lines.lines, start=1):
        if line.strip():
            yield number, _record(line, number, cells)


def _record(line: str, number: int, cells: Cells) -> list[str]:
    """Turn one object into cells in the order of our columns."""
    try:
        record = read_json(line)
    except JsonError as error:
        raise cells.error(number, str(error), error.remedy) from error
    if not isinstance(record, dict):
        raise cells.error(number, "is not a JSON object", "Write one JSON object a line.")
    missing = [key for key in REQUIRED[:3] if key not in record]
    if missing:
        raise cells.error(
            number,
            f"has no {', '.join(missing)}; found: {listed(record)}",
            "Give every key that is needed; --map names the columns of CSV, TSV and Parquet only.",
        )
    return [_cell(record.get(column), column, number, cells) for column in COLUMNS]


def _cell(value: Any, column: str, number: int, cells: Cells) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        if "\0" in value:
            raise cells.error(number, f"“{column}” holds a NUL character", "Remove it.")
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return repr(value)
    if column in ("left", "right") and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return JOINER.join(cells.name_of(one, "system", number) for one in value)
    raise cells.error(number, f"“{column}” is neither text nor number", "Correct the value.")
