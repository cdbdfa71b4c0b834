"""Tables of judgements: the reader of every table of the house (`mtcore.corpora.tables`), with our errors."""

from collections.abc import Iterator

from annotation.formats.base import FormatError
from mtcore.corpora import tables
from mtcore.corpora.reader import Text
from mtcore.corpora.tables import Row, Table

__all__ = ["Row", "Table", "decode", "quoted_rows", "read_table"]


def read_table(data: bytes, name: str) -> Table:
    """Read a delimited file with a header; see `mtcore.corpora.tables.read_table`.

    Raises:
        FormatError: what that function refuses.
    """
    return tables.read_table(data, name, failure=FormatError)


def decode(data: bytes, name: str) -> Text:
    """Decode a file as every import does.

    Raises:
        FormatError: what `mtcore.corpora.reader.decode_text` refuses.
    """
    return tables.decode(data, name, FormatError)


def quoted_rows(text: str, name: str, delimiter: str) -> Iterator[Row]:
    """Read quoted rows; see `mtcore.corpora.tables.quoted_rows`.

    Raises:
        FormatError: a quote that is never closed or not doubled.
    """
    return tables.quoted_rows(text, name, delimiter, FormatError)
