"""Write judgements as Appraise exports them: 9 columns, no header, CRLF, row by row."""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from operator import itemgetter

from annotation.formats.base import FormatError
from annotation.formats.write import Stream, Value, plain_value

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
    for row in rows:
        kind, current, choice, score, left, segment, testset, rater, languages, *times = read(row)
        item_type = KINDS.get(kind or "system")
        if current is False:
            written.left_out["corrected"] += 1
        elif item_type is None:
            written.left_out[kind] += 1
        else:
            if choice or score is None:
                raise FormatError(
                    "Appraise's layout has scores, and these are preferences",
                    remedy="Export csv, tsv, jsonl or parquet.",
                )
            system = left if isinstance(left, str) else PLUS.join(left)
            item = f"{testset}:{segment}" if with_testset else segment
            start, end = map(_seconds, times)
            pair = _languages(languages)
            writer.writerow((rater, system, item, item_type, *pair, plain_value(score), start, end))
            written.count += 1
    return written


@lru_cache(maxsize=100)
def _languages(pair: str) -> tuple[str, str]:
    source, _, target = pair.partition(":" if ":" in pair else "-")
    return source, target


def _seconds(moment: datetime | str | None) -> str:
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment)
    return f"{moment.timestamp():.6f}".rstrip("0").rstrip(".") if moment is not None else ""
