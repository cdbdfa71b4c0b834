"""Test sets as JSON Lines: one strict JSON object a segment, with the columns of the tables as keys.

`references` and `outputs` may be objects from name to text instead of one key each.
"""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from mtcore.corpora.errors import CorpusError
from mtcore.corpora.reader import decode_text, split_lines
from mtcore.corpora.strict_json import JsonError, read_json
from mtcore.corpora.testset_base import InputFile, ParsedTestSet, TestSetFormat, TestSetOptions, only_file
from mtcore.corpora.testset_table import Rows, find_columns

_NESTED = {"references": "reference", "sources": "source", "outputs": "output"}


class JsonLinesFormat(TestSetFormat):
    """One object a line; blank lines are passed over; a missing text is null or left out."""

    name = "jsonl"
    title = "JSON Lines, one segment a line"
    example = (
        InputFile(
            "example.jsonl",
            b'{"segment_id":"a1","source":"Good day.","reference":"Guten Tag.","outputs":{"OP":"Tag."}}\n'
            b'{"segment_id":"a2","source":"Bye.","reference":null,"outputs":{"OP":"Ciao."}}\n',
        ),
    )

    def parse(self, files: Sequence[InputFile], options: TestSetOptions) -> ParsedTestSet:
        """Read JSON Lines; see `TestSetFormat.parse`."""
        file = only_file(files, self.title)
        decoded = decode_text(file.data, file.name)
        lines = split_lines(decoded.text, file.name)
        records = list(_records(lines.lines, file.name))
        header = list(dict.fromkeys(key for _, record in records for key in record))
        rows = Rows(file.name, find_columns(header, file.name, options), options)
        for number, record in records:
            rows.add(number, [record.get(column) for column in header])
        return rows.finish([*decoded.notices, *lines.notices])


def _records(lines: Sequence[str], file: str) -> Iterator[tuple[int, dict[str, str | None]]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _record(line, number, file)


def _record(line: str, number: int, file: str) -> dict[str, str | None]:
    try:
        record = read_json(line)
    except JsonError as error:
        raise CorpusError(str(error), file=file, line=number, remedy=error.remedy) from error
    if not isinstance(record, dict):
        raise CorpusError("is not a JSON object", file=file, line=number, remedy="Write one object a line.")
    flat: dict[str, str | None] = {}
    for key, value in record.items():
        if key in _NESTED and isinstance(value, dict):
            flat |= {f"{_NESTED[key]}:{name}": _text(one, name, number, file) for name, one in value.items()}
        else:
            flat[key] = _text(value, key, number, file)
    return flat


def _text(value: Any, key: str, number: int, file: str) -> str | None:
    if isinstance(value, str) and "\0" in value:
        raise CorpusError(f"“{key}” holds a NUL character", file=file, line=number, remedy="Remove it.")
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise CorpusError(
            f"“{key}” is a number too large to keep", file=file, line=number, remedy="Write it as text."
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(value)
    raise CorpusError(
        f"“{key}” is neither text nor number", file=file, line=number, remedy="Correct the value."
    )
