"""Write judgements as Appraise exports them: 9 columns, no header, CRLF, row by row."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import cast

from annotation.formats.base import FormatError
from annotation.formats.blocks import blocks, column
from annotation.formats.write import Converters, Stream, Value, plain_value

KINDS = {"system": "TGT", "repeat": "CHK", "reference": "REF", "bad_reference": "BAD"}
PLUS = "+"
READ = (
    "kind", "current", "choice", "score", "left", "segment", "testset", "rater", "languages", "shown_at",
    "submitted_at",
)  # fmt: skip
"""The columns that Appraise has a place for, or that say whether it has one."""


@dataclass
class AppraiseWritten:
    """What was written, and how many rows of each kind Appraise does not have were left out."""

    count: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def write_appraise(
    rows: Iterable[Sequence[Value]], columns: Sequence[str], stream: Stream, *, with_testset: bool = False
) -> AppraiseWritten:
    """Write rows of our columns as username, system, itemId, itemType, srcLang, trgLang, score and two times.

    Merged systems are joined with `+`, times are Unix seconds (empty where unknown), practice and attention
    items and corrected answers are left out.

    Args:
        rows: Values in the order of `columns`.
        columns: Our columns.
        stream: A text stream opened with `newline=""` or an in-memory one.
        with_testset: Write the item as `testset:segment`, for judgements of several test sets.

    Raises:
        FormatError: a row is a preference; Appraise's layout has scores only.
    """
    written = AppraiseWritten()
    writer = csv.writer(stream, lineterminator="\r\n")
    read = itemgetter(*(columns.index(name) for name in READ))
    for block in blocks(rows):
        kept = [row for row in map(read, block) if _is_kept(row, written)]
        if kept:
            writer.writerows(_lines(kept, with_testset=with_testset))
            written.count += len(kept)
    return written


def _is_kept(row: Sequence[Value], written: AppraiseWritten) -> bool:
    """Tell whether Appraise has a place for a row; count it when it is left out."""
    kind, current, choice, score, *_ = row
    if current is False:
        written.left_out["corrected"] += 1
        return False
    if (kind or "system") not in KINDS:
        written.left_out[cast(str, kind)] += 1
        return False
    if choice or score is None:
        raise FormatError(
            "Appraise's layout has scores, and these are preferences",
            remedy="Export csv, tsv, jsonl or parquet.",
        )
    return True


def _lines(rows: Sequence[Sequence[Value]], *, with_testset: bool) -> Iterator[tuple[object, ...]]:
    """Return the cells of some rows of READ."""
    kinds, _, _, scores, left, segments, testsets, raters, languages, *times = zip(*rows, strict=True)
    items = [f"{testset}:{key}" for testset, key in zip(testsets, segments, strict=True)]
    starts, ends = (column(moments, _SECONDS, _seconds, missing="") for moments in times)
    return zip(
        raters,
        column(left, _SYSTEMS, PLUS.join),
        items if with_testset else segments,
        column(kinds, {}, _item_type, missing=KINDS["system"]),
        *zip(*map(_languages, languages), strict=True),
        column(scores, {}, plain_value),
        starts,
        ends,
        strict=True,
    )


@lru_cache(maxsize=100)
def _languages(pair: str) -> tuple[str, str]:
    source, _, target = pair.partition(":" if ":" in pair else "-")
    return source, target


def _item_type(kind: str) -> str:
    return KINDS[kind or "system"]


def _seconds(moment: datetime) -> str:
    return f"{moment.timestamp():.6f}".rstrip("0").rstrip(".")


def _seconds_of_text(text: str) -> str:
    return _seconds(datetime.fromisoformat(text))


_SECONDS: Converters = {str: _seconds_of_text}
_SYSTEMS: Converters = {str: str}
