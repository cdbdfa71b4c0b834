"""Judgements as Parquet: our columns typed, or any columns through a map; read and written by row groups."""

import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from math import isfinite
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from annotation.formats.base import Format, FormatError, ParsedJudgements, ParseOptions
from annotation.formats.cells import Cells
from annotation.formats.columns import COLUMNS, REQUIRED, OurRows, is_ours, missing_columns
from annotation.formats.limits import require_sound
from annotation.formats.mapped import parse_mapped
from annotation.formats.table import Row, Table
from annotation.formats.write import Value, plain_value
from mtcore.corpora.errors import CorpusError
from mtcore.corpora.names import JOINER
from mtcore.corpora.unpack import gunzip, is_gzip

if TYPE_CHECKING:
    import pyarrow

ROWS_A_GROUP = 20_000
MAGIC = b"PAR1"
_LISTS = ("left", "right")
_INTEGERS = ("round", "position", "active_ms")
_NUMBERS = ("score", "z")
_TIMES = ("shown_at", "submitted_at")
_REMEDY = "Check that this is a whole Parquet file."
_INSTALL = "Install it with `pip install pyarrow`."


class ParquetFormat(Format):
    """Our columns: `left` and `right` lists of text, times in UTC, scores as floats, the rest as they are."""

    name = "parquet"
    takes_map = True
    title = "Parquet: our own, or any table through a column map"

    @property
    def example(self) -> bytes:  # type: ignore[override]
        """Make the example: a Parquet file cannot be written down."""
        stream = io.BytesIO()
        rows: list[dict[str, Value]] = [
            {"judgement": "j1", "rater": "ann", "segment": "1", "left": ["CUNI", "Online-A"], "score": 72.5},
            {"judgement": "j2", "rater": "ann", "segment": "1", "left": ["Online-B"], "score": 12},
        ]
        write_parquet(([row.get(column) for column in COLUMNS] for row in rows), COLUMNS, stream)
        return stream.getvalue()

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read a Parquet file; see `Format.parse`. Lines are the numbers of the rows, from 1."""
        cells = Cells(name, options)
        header, rows = _read(data, name)
        if options.column_map is None and is_ours(header):
            missing_columns(REQUIRED, header, name, "Export the file again with all columns.")
            parsed = ParsedJudgements()
            OurRows(header, cells).read(rows, parsed)
            parsed.notices += cells.notices()
        else:
            parsed = parse_mapped(Table(name, "", header, rows, []), cells)
        return require_sound(parsed, name)


def write_parquet(rows: Iterable[Sequence[Value]], columns: Sequence[str], stream: BinaryIO) -> int:
    """Write rows of our columns, `ROWS_A_GROUP` at a time, and return their number.

    Args:
        rows: Values in the order of `columns`.
        columns: Names among our columns.
        stream: Takes bytes.

    Raises:
        FormatError: a number that is not finite, a time without offset, a NUL character, or no pyarrow.
    """
    arrow, parquet = _library()
    schema = arrow.schema([(column, _type(column)) for column in columns])
    source, count = iter(rows), 0
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        while batch := list(islice(source, ROWS_A_GROUP)):
            made = [
                arrow.array(_stored(column, values), type=_type(column))
                for column, values in zip(columns, zip(*batch, strict=True), strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(made, schema=schema))
            count += len(batch)
    return count


def _library() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise FormatError(
            "Parquet needs the package pyarrow, which is not installed", remedy=_INSTALL
        ) from error
    return pyarrow, parquet


def _type(column: str) -> "pyarrow.DataType":
    arrow, _ = _library()
    if column in _LISTS:
        return arrow.list_(arrow.string())
    if column in _INTEGERS:
        return arrow.int64()
    if column in _NUMBERS:
        return arrow.float64()
    if column in _TIMES:
        return arrow.timestamp("us", tz="UTC")
    return arrow.bool_() if column == "current" else arrow.string()


def _stored(column: str, values: Sequence[Value]) -> Sequence[object]:
    """Return the values of a column as Arrow takes them, checked as every writer checks them."""
    known = [value for value in values if value is not None]
    if column in _LISTS:
        texts = {text for value in known for text in ([value] if isinstance(value, str) else value)}  # type: ignore[union-attr]
        plain_value(tuple(texts))
        return [[value] if isinstance(value, str) else value for value in values]
    if column in _TIMES:
        return [_time(value) for value in values]
    if column in _NUMBERS:
        if not all(map(isfinite, known)):  # type: ignore[arg-type]
            for value in known:
                plain_value(value)
    elif column not in _INTEGERS and column != "current":
        plain_value("".join(cast(list[str], known)))
    return values


def _time(value: Value) -> Value:
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    if isinstance(moment, datetime) and moment.tzinfo is None:
        plain_value(moment)  # refuses it
    return moment


def _read(data: bytes, name: str) -> tuple[list[str], Iterator[Row]]:
    """Open a file; its rows come as text, one row group after the other."""
    arrow, parquet = _library()
    try:
        if is_gzip(data):
            data = gunzip(data, name)
        if not data.startswith(MAGIC):
            raise FormatError("is not Parquet", file=name, remedy=_REMEDY)
        file = parquet.ParquetFile(arrow.BufferReader(data))
        header = list(file.schema_arrow.names)
    except CorpusError as error:
        raise FormatError(error.message, file=name, line=error.line, remedy=error.remedy) from error
    except (arrow.ArrowException, OSError) as error:
        raise _unreadable(name, error) from error
    return header, _rows(file, header, name, arrow)


def _rows(file: Any, header: Sequence[str], name: str, arrow: Any) -> Iterator[Row]:
    number = 0
    try:
        for batch in file.iter_batches(batch_size=ROWS_A_GROUP):
            columns = [column.to_pylist() for column in batch.columns]
            for values in zip(*columns, strict=True):
                number += 1
                yield number, [_cell(value, at, number, header, name) for at, value in enumerate(values)]
    except FormatError:
        raise
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        raise _unreadable(name, error) from error


def _cell(value: Any, at: int, number: int, header: Sequence[str], name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return _text(value, at, number, header, name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        if any(JOINER in one for one in value):
            raise FormatError(
                f"a name in “{header[at]}” holds “{JOINER}”, which joins names in our files",
                file=name,
                line=number,
                remedy="Use another character.",
            )
        return JOINER.join(_text(one, at, number, header, name) for one in value)
    raise FormatError(
        f"“{header[at]}” is neither text, number nor time",
        file=name,
        line=number,
        remedy="Convert the column.",
    )


def _text(value: str, at: int, number: int, header: Sequence[str], name: str) -> str:
    if "\0" in value:
        raise FormatError(
            f"“{header[at]}” holds a NUL character", file=name, line=number, remedy="Remove it."
        )
    return value


def _unreadable(name: str, error: Exception) -> FormatError:
    reason = str(error).partition("\n")[0]
    return FormatError(f"cannot be read as Parquet ({reason})", file=name, remedy=_REMEDY)
