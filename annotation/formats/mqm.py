"""Error annotations as Google publishes MQM: one row an error (`mqm_….tsv`), turned into one score a segment.

A score is minus the sum of the weights of Freitag et al. (2021): major 5, minor 1, minor punctuation 0.1, a
non-translation 25, no error and neutral 0; so 0 is best and −25 worst. No quoting: quote signs are text.
"""

from dataclasses import dataclass, field

from annotation.formats.base import Format, ParsedJudgements, ParseOptions, RatingRow
from annotation.formats.cells import Cells, shown
from annotation.formats.columns import missing_columns
from annotation.formats.limits import MAX_LENGTHS, require_sound
from annotation.formats.table import decode
from mtcore.corpora.reader import split_lines

SCALE = (-25.0, 0.0)
NON_TRANSLATION = 250
"""Weights are in tenths of a point, so that sums are exact."""
WEIGHTS = {"major": 50, "minor": 10, "neutral": 0, "no-error": 0}
PUNCTUATION = 1
_SEGMENTS = ("globalSegId", "seg_id", "docSegId")
_NEEDED = ("system", "doc", "rater", "category", "severity")


@dataclass
class _Judged:
    """What one rater found in one segment of one system."""

    line: int
    tenths: int = 0
    errors: list[str] = field(default_factory=list)


class MqmFormat(Format):
    """Google's table of errors. The errors are kept, in words, as the comment of the rating."""

    name = "mqm"
    title = "MQM error annotations (Google's TSV), scored with the standard weights"
    example = (
        b"system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"
        b"OP\tnews.1\t1\t11\tann\tGood day.\tGuter <v>Tag</v>.\tFluency/Grammar\tMinor\t\n"
        b"OP\tnews.1\t2\t12\tann\tBye.\tCiao.\tNo-error\tNo-error\t\n"
    )

    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read a table of errors; see `Format.parse`."""
        decoded = decode(data, name)
        lines = split_lines(decoded.text, name)
        header = lines.lines[0].split("\t")
        missing_columns(_NEEDED, header, name, "Check that this is a table of MQM errors.")
        segment = next((column for column in _SEGMENTS if column in header), None)
        if segment is None:
            missing_columns(["seg_id"], header, name, "Name the column of segment ids seg_id.")
        reader = _Reader(Cells(name, options), header, segment or "seg_id")
        for number, line in enumerate(lines.lines[1:], start=2):
            if line:
                reader.read(line.split("\t"), number)
        parsed = reader.finish()
        parsed.notices = [*decoded.notices, *lines.notices, *parsed.notices]
        return require_sound(parsed, name)


class _Reader:
    """Add up the errors of each rater, system and segment."""

    def __init__(self, cells: Cells, header: list[str], segment: str) -> None:
        self.cells = cells
        self.width = len(header)
        self.at = {column: header.index(column) for column in (*_NEEDED, segment)}
        self.segment = self.at[segment]
        self.judged: dict[tuple[str, str, str, str], _Judged] = {}
        self.documents: dict[str, set[str]] = {}
        self.unknown: dict[str, int] = {}

    def read(self, row: list[str], line: int) -> None:
        cells, at = self.cells, self.at
        if len(row) != self.width:
            raise cells.error(
                line, f"{len(row)} fields, {self.width} expected", "Look for a tab inside a text."
            )
        segment, document = row[self.segment], row[at["doc"]]
        if not segment:
            raise cells.error(line, "has no segment id", "Give the segment's id.")
        rater = cells.name_of(row[at["rater"]], "rater", line)
        system = cells.name_of(row[at["system"]], "system", line)
        self.documents.setdefault(segment, set()).add(document)
        found = self.judged.setdefault((rater, system, document, segment), _Judged(line))
        category, severity = row[at["category"]].strip(), row[at["severity"]].strip()
        tenths = self._weight(category, severity, line)
        if tenths or severity.lower() == "neutral":
            found.tenths += tenths
            found.errors.append(f"{severity} {category}")

    def finish(self) -> ParsedJudgements:
        """Make one rating of each."""
        name, options = self.cells.name, self.cells.options
        parsed = ParsedJudgements(protocol_hint="source_da", scale_hint=options.scale or SCALE)
        low, high = options.scale or SCALE
        ambiguous = any(len(documents) > 1 for documents in self.documents.values())
        for (rater, system, document, segment), found in self.judged.items():
            score = -found.tenths / 10 + 0.0
            if not low <= score <= high:
                raise self.cells.error(
                    found.line,
                    f"the errors found here weigh {-score:g}, outside the scale {low:g}–{high:g}",
                    f"Give the scale, as --scale={min(low, score):g}-{max(high, score):g}.",
                )
            parsed.ratings.append(
                RatingRow(
                    rater=rater,
                    system=system,
                    systems=(system,),
                    segment=f"{document}:{segment}" if ambiguous else segment,
                    score=score,
                    document=document,
                    comment=_cut("; ".join(found.errors)),
                    line=found.line,
                )
            )
        parsed.notices += [
            f"{name}: {count:,} errors of unknown severity “{shown(severity)}” weigh nothing"
            for severity, count in sorted(self.unknown.items())
        ]
        return parsed

    def _weight(self, category: str, severity: str, line: int) -> int:
        """Return the weight of an error in tenths."""
        level = severity.lower()
        if level not in WEIGHTS:
            if self.cells.options.unknown_kinds == "refuse":
                raise self.cells.error(
                    line,
                    f"unknown severity “{shown(severity)}”",
                    f"Known are: {', '.join(WEIGHTS)}. Others weigh nothing with --unknown-kinds=skip.",
                )
            self.unknown[severity] = self.unknown.get(severity, 0) + 1
            return 0
        kind = category.lower()
        if level == "major" and kind.startswith("non-translation"):
            return NON_TRANSLATION
        if level == "minor" and kind.startswith("fluency/punctuation"):
            return PUNCTUATION
        return WEIGHTS[level]


def _cut(comment: str) -> str:
    """Keep our own summary of the errors within what a comment may hold."""
    most = MAX_LENGTHS["comment"]
    return comment if len(comment) <= most else comment[: most - 1] + "…"
