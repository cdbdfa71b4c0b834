"""Judgements as Pearmut logs them: JSON Lines, one line a submitted document with the scores of its segments.

`annotation` has one object a segment, from model to score and error spans, `item` the segments shown,
`actions` the times. Later lines of the same rater for the same thing replace earlier ones, and a reset takes
them back.
"""

import hashlib
from collections import Counter
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from annotation.formats.base import Format, ParsedJudgements, ParseOptions, RatingRow
from annotation.formats.cells import Cells
from annotation.formats.limits import require_sound
from annotation.formats.table import decode
from mtcore.corpora.reader import split_lines
from mtcore.corpora.strict_json import JsonError, read_json

SCALE = (0.0, 100.0)
RESET = "__RESET__"
IDLE_SECONDS = 60.0
_KINDS = {"welcome": "practice", "goodbye": "practice", "random": "attention"}
_REMEDY = "Check that this is Pearmut's log of annotations."

Key = tuple[str, str, int, str]


class _Times(NamedTuple):
    """When a document was shown and submitted, and the time spent without pauses."""

    start: datetime | None
    end: datetime | None
    seconds: float | None


class PearmutFormat(Format):
    """Pearmut's log. Segments are known by `item_id`, or by their source text where there is none.

    Tutorials are practice; attention checks (`random_…`, or items with expected scores) are attention.
    Segments that were skipped, or have error spans and no score, are left out and counted. The time of a
    document, without pauses of more than 60 s, is shared out over its scores.
    """

    name = "pearmut"
    title = "Pearmut annotations (JSON Lines)"
    example = (
        b'{"annotation":[{"OP":{"score":87,"error_spans":[]},"BT":{"score":40,"error_spans":[]}}],'
        b'"actions":[{"time":1771315367.4,"action":"load"},{"time":1771315377.4,"action":"submit"}],'
        b'"item":[{"item_id":"d1_#_7","src":"Good day.","tgt":{"OP":"Tag.","BT":"Gut."}}],'
        b'"user_id":"ann","item_i":13}\n'
    )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read Pearmut's log; see `Format.parse`."""
        decoded = decode(data, name)
        lines = split_lines(decoded.text, name)
        reader = _Reader(Cells(name, options))
        for number, line in enumerate(lines.lines, start=1):
            if line.strip():
                reader.read(line, number)
        parsed = reader.finish()
        parsed.notices = [*decoded.notices, *lines.notices, *parsed.notices]
        return require_sound(parsed, name)


class _Reader:
    """Keep the latest score of each rater for each segment and model."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.rows: dict[Key, RatingRow] = {}
        self.left_out: Counter[str] = Counter()

    def read(self, text: str, line: int) -> None:
        try:
            record = read_json(text)
        except JsonError as error:
            raise self.cells.error(line, str(error), error.remedy) from error
        missing = [
            key
            for key in ("user_id", "item_i", "annotation")
            if not isinstance(record, dict) or key not in record
        ]
        if missing:
            raise self.cells.error(line, f"has no {', '.join(missing)}", _REMEDY)
        rater = self.cells.name_of(str(record["user_id"]), "rater", line)
        number = str(record["item_i"])
        if record["annotation"] == RESET:
            gone = [key for key in self.rows if key[:2] == (rater, number)]
            self.left_out["scores taken back by a reset"] += len(gone)
            for key in gone:
                del self.rows[key]
            return
        self._document(record, rater, number, line)

    def finish(self) -> ParsedJudgements:
        """Give what is left, and say what is not."""
        parsed = ParsedJudgements(protocol_hint="source_da", scale_hint=self.cells.options.scale or SCALE)
        parsed.ratings = sorted(self.rows.values(), key=lambda row: row.line)
        parsed.notices = [
            f"{self.cells.name}: left out {count:,} {what}" for what, count in self.left_out.items() if count
        ]
        return parsed

    def _document(self, record: dict[str, Any], rater: str, number: str, line: int) -> None:
        found = record["annotation"]
        annotations = found if isinstance(found, list) else [found]
        items = record.get("item") or [{}] * len(annotations)
        if len(items) != len(annotations) or not all(isinstance(item, dict) for item in items):
            raise self.cells.error(
                line, f"has {len(annotations)} annotations of {len(items)} segments", _REMEDY
            )
        if any("form" in item for item in items):
            self.left_out["forms about the rater"] += 1
            return
        scored = list(self._scores(annotations, line))
        times = self._times(record.get("actions") or [], len(scored), line)
        named = [str(item["item_id"]) for item in items if item.get("item_id") is not None]
        for index, model, score in scored:
            item = items[index]
            key = (rater, number, index, model)
            if self.rows.pop(key, None):
                self.left_out["scores that a later one replaces"] += 1
            self.rows[key] = RatingRow(
                rater=rater,
                system=model,
                systems=(self.cells.name_of(model, "system", line),),
                segment=_segment(item, number, index),
                score=score,
                kind=_kind(item, number),
                document=named[0] if len(items) > 1 and len(named) == len(items) else "",
                comment=_comment(record, annotations[index][model]),
                time_start=times.start,
                time_end=times.end,
                seconds=times.seconds,
                line=line,
            )

    def _scores(self, annotations: list[Any], line: int) -> list[tuple[int, str, float]]:
        """Return (segment, model, score) of everything that was scored."""
        scored = []
        for index, annotation in enumerate(annotations):
            if annotation is None:
                self.left_out["segments that were skipped"] += 1
                continue
            if not isinstance(annotation, dict) or not all(
                isinstance(one, dict) for one in annotation.values()
            ):
                raise self.cells.error(line, "an annotation is not an object of models", _REMEDY)
            for model, one in annotation.items():
                score = one.get("score")
                if score is None:
                    self.left_out["translations without a score"] += 1
                elif isinstance(score, int | float) and not isinstance(score, bool):
                    scale = self.cells.options.scale or SCALE
                    scored.append((index, str(model), self.cells.score(repr(score), line, scale)))
                else:
                    raise self.cells.error(
                        line, f"the score of {model} is not a number", "Several sliders are not read."
                    )
        return scored

    def _times(self, actions: list[Any], n: int, line: int) -> _Times:
        found = [one.get("time") for one in actions if isinstance(one, dict)]
        if not found or not n:
            return _Times(None, None, None)
        moments = sorted(float(one) for one in found if isinstance(one, int | float))
        if len(moments) < len(found):
            raise self.cells.error(line, "the time of an action is not a number", _REMEDY)
        spent = sum(min(after - before, IDLE_SECONDS) for before, after in pairwise(moments))
        start, end = (self.cells.time(repr(moments[at]), line) for at in (0, -1))
        return _Times(start, end, spent / n)


def _segment(item: dict[str, Any], number: str, index: int) -> str:
    if item.get("item_id") is not None:
        return str(item["item_id"])
    if isinstance(item.get("src"), str):
        return f"source {hashlib.sha256(item['src'].encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return f"{number}.{index + 1}"


def _kind(item: dict[str, Any], number: str) -> str:
    special = _KINDS.get(number.partition("_")[0])
    if special or not item.get("validation"):
        return special or "system"
    return "practice" if item.get("skippable") or "allow_skip" in repr(item["validation"]) else "attention"


def _comment(record: dict[str, Any], annotation: dict[str, Any]) -> str:
    found = annotation.get("textfield") or record.get("comment") or ""
    return found if isinstance(found, str) else ""
