"""Segment scores as mt-metrics-eval keeps them, and as Google publishes average MQM scores.

Three layouts, told apart by their cells, all separated by tabs or blanks: `system score`, one block a system
and one line a segment in order; `system score seg_id` under a header; `system doc doc_id score rater=score …`
as its converter for MQM writes it. `None` is a missing score.
"""

import math
import re

from annotation.formats.base import Format, ParsedJudgements, ParseOptions, RatingRow
from annotation.formats.cells import Cells
from annotation.formats.limits import require_sound
from annotation.formats.table import decode
from mtcore.corpora.reader import iterate_lines

SCALE = (0.0, 100.0)
PENALTIES = (-25.0, 0.0)
"""The scale of MQM, taken when none is given and every score lies in it, one below zero at least."""

_FILE = re.compile(r"(?:.*/)?(?P<pair>[^/.]+)\.(?P<name>.+)\.(?P<level>sys|domain|doc|seg)\.score(?:\.gz)?")
_MISSING = "None"
_PAIR = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z]{4})?-[A-Za-z]{2,3}(-[A-Za-z]{4})?")


class MtMetricsEvalFormat(Format):
    """Scores of segments. Files with averages know no raters: the kind of score stands for one.

    The kind of score and the language pair are in the name of the file (`en-de.mqm.seg.score`), as are the
    levels sys, domain and doc, which are refused.
    """

    name = "mt-metrics-eval"
    title = "mt-metrics-eval segment scores"
    example = b"OP\t55.5\t1\nOP\t60\t2\nBT\t71\t1\nBT\t0.000000 2\n"

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read scores; see `Format.parse`."""
        decoded = decode(data, name)
        reader = _Reader(Cells(name, options))
        for line, text in enumerate(iterate_lines(decoded.text), start=1):
            if text.strip():
                reader.read(text.split(), line)
        parsed = reader.finish()
        parsed.notices = [*decoded.notices, *parsed.notices]
        return require_sound(parsed, name)


class _Reader:
    """Read one of the three layouts."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        match = _FILE.fullmatch(cells.name)
        if match and match["level"] != "seg":
            raise cells.error(
                None,
                f"holds scores of level {match['level']}",
                "Give the file of segment scores (….seg.score).",
            )
        self.pair = match["pair"] if match and _PAIR.fullmatch(match["pair"]) else None
        self.score_name = match["name"] if match else "scores"
        self.width = 0
        self.rows: list[RatingRow] = []
        self.counts: dict[str, int] = {}
        self.lines: dict[str, int] = {}
        self.missing = 0

    def read(self, row: list[str], line: int) -> None:
        if not self.width and len(row) == 3 and row[0] == "system":
            self.width, self.score_name = 3, row[1]
            return
        if not self.width:
            self.width = min(len(row), 5)
        if self.width == 5 and len(row) >= 5:
            self._of_raters(row, line)
        elif self.width in (2, 3) and len(row) == self.width:
            segment = row[2] if self.width == 3 else str(self.counts.get(row[0], 0) + 1)
            self.counts[row[0]] = self.counts.get(row[0], 0) + 1
            self.lines[row[0]] = line
            self._add(self.score_name, row[0], segment, row[1], line)
        else:
            expected = f"{self.width} expected" if self.width in (2, 3) else "2, 3 or at least 5 expected"
            raise self.cells.error(
                line, f"{len(row)} fields, {expected}", "Write system and score, as mt-metrics-eval does."
            )

    def finish(self) -> ParsedJudgements:
        """Check what the whole file must agree on."""
        cells, name = self.cells, self.cells.name
        if self.width == 2:
            self._check_blocks()
        scale = cells.options.scale or self._scale_found()
        self._check_scale(scale)
        parsed = ParsedJudgements(
            ratings=self.rows, protocol_hint="source_da", languages_hint=self.pair, scale_hint=scale
        )
        if cells.options.scale is None and scale == PENALTIES:
            parsed.notices.append(f"{name}: no score is above 0, so the scale is taken as -25-0, as of MQM")
        if self.missing:
            parsed.notices.append(f"{name}: left out {self.missing:,} missing scores (None)")
        if self.rows and self.width != 5:
            parsed.notices.append(f"{name}: has no raters; “{self.score_name}” stands for one")
        return parsed

    def _scale_found(self) -> tuple[float, float]:
        """Return the scale that fits the scores: that of MQM for penalties."""
        scores = [row.score for row in self.rows]
        low, high = PENALTIES
        penalties = bool(scores) and min(scores) < 0 and low <= min(scores) and max(scores) <= high
        return PENALTIES if penalties else SCALE

    def _of_raters(self, row: list[str], line: int) -> None:
        """Read the scores of each rater; the converter writes them as penalties, with the opposite sign."""
        system, document, number, average = row[:4]
        scores = [one.rpartition("=") for one in row[4:]]
        if any(not rater or not equals for rater, equals, _ in scores):
            raise self.cells.error(line, "the raters are not written as rater=score", "Correct the line.")
        mean = self.cells.score(average, line, None)
        values = [self.cells.score(value, line, None) for _, _, value in scores]
        total = sum(values) / len(values)
        sign = -1.0 if abs(mean + total) < abs(mean - total) else 1.0
        for (rater, _, _), value in zip(scores, values, strict=True):
            self._add(rater, system, f"{document}:{number}", repr(sign * value), line, document)

    def _add(self, rater: str, system: str, segment: str, score: str, line: int, document: str = "") -> None:
        if score == _MISSING:
            self.missing += 1
            return
        name = self.cells.name_of(system, "system", line)
        self.rows.append(
            RatingRow(
                rater=self.cells.name_of(rater, "rater", line),
                system=name,
                systems=(name,),
                segment=segment,
                score=self.cells.score(score, line, None) + 0.0,
                document=document,
                line=line,
            )
        )

    def _check_blocks(self) -> None:
        """Make sure that every system has a score, or None, for the same number of segments."""
        longest = max(self.counts, key=lambda system: self.counts[system], default="")
        for system, count in self.counts.items():
            if count != self.counts[longest]:
                raise self.cells.error(
                    self.lines[system],
                    f"{system} has {count:,} scores, {longest} has {self.counts[longest]:,}",
                    "Give one line for every segment; write None for a missing score.",
                )
        if len(self.counts) > 1 and self.counts[longest] == 1:
            raise self.cells.error(
                None, "has one score a system", "Give the file of segment scores (….seg.score)."
            )

    def _check_scale(self, scale: tuple[float, float]) -> None:
        outside = next((row for row in self.rows if not scale[0] <= row.score <= scale[1]), None)
        if outside is None:
            return
        low = math.floor(min(row.score for row in self.rows))
        high = math.ceil(max(row.score for row in self.rows))
        raise self.cells.error(
            outside.line,
            f"the score {outside.score:g} is outside the scale {scale[0]:g}–{scale[1]:g}",
            f"The scores of the file run from {low:g} to {high:g}: give the scale, as "
            f"--scale={low:g}-{max(high, low + 1):g}.",
        )
