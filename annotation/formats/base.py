"""The contract of a judgement format: bytes in, rows of one shape out.

A format is one file and one line in `annotation.formats.FORMATS`. It refuses what it cannot read with a
`FormatError` that names file, line and remedy, and reports in `notices` whatever it left out or changed.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Literal, NamedTuple

from mtcore.corpora.errors import CorpusError

Winner = Literal["left", "right", "equal", ""]
Systems = tuple[str, ...]


class FormatError(CorpusError):
    """A file of judgements that cannot be read: what was expected, what was found, where, what to do."""


class RatingRow(NamedTuple):
    """One score as a file has it.

    `system` is the cell verbatim, `systems` the systems it names (several when identical outputs were
    merged). `kind` is one of the item kinds of the house. `context` names the version the rater compared
    with. `seconds` is time spent, where the file says so. `item`, `repeat_of` and `paired_with` are the
    file's item ids. `line` is 1-based.
    """

    rater: str
    system: str
    systems: Systems
    segment: str
    score: float
    kind: str = "system"
    testset: str = ""
    document: str = ""
    direction: str = ""
    input: str = ""
    context: str = ""
    group: str = ""
    comment: str = ""
    time_start: datetime | None = None
    time_end: datetime | None = None
    seconds: float | None = None
    judgement: str = ""
    item: str = ""
    repeat_of: str = ""
    paired_with: str = ""
    excluded_by: str = ""
    round: int = 1
    position: int | None = None
    line: int = 0


class ComparisonRow(NamedTuple):
    """One preference as a file has it; see `RatingRow` for the fields they share.

    `winner` is a side of this row, "equal", or empty for an identical pair, which nobody was shown (then
    `rater` is empty too). `group` is the ranking or batch the comparison belongs to.
    """

    rater: str
    left: Systems
    right: Systems
    segment: str
    winner: Winner
    identical: bool = False
    kind: str = "system"
    testset: str = ""
    document: str = ""
    direction: str = ""
    input: str = ""
    context: str = ""
    group: str = ""
    comment: str = ""
    time_start: datetime | None = None
    time_end: datetime | None = None
    seconds: float | None = None
    judgement: str = ""
    item: str = ""
    repeat_of: str = ""
    paired_with: str = ""
    excluded_by: str = ""
    round: int = 1
    position: int | None = None
    line: int = 0


@dataclass(frozen=True)
class ParseOptions:
    """What the person importing a file knows about it.

    Attributes:
        column_map: Field → column, for CSV of others (see `annotation.formats.mapped`).
        known_systems: The systems the test set has; decides which `+` joins names.
        unknown_kinds: "refuse" a file with item kinds nobody knows, or "skip" those rows with a notice.
        scale: Lowest and highest score allowed; None takes the format's own.
    """

    column_map: Mapping[str, str] | None = None
    known_systems: Collection[str] | None = None
    unknown_kinds: Literal["refuse", "skip"] = "refuse"
    scale: tuple[float, float] | None = None


@dataclass
class ParsedJudgements:
    """What a file holds: ratings or comparisons, never both.

    `protocol_hint`, `languages_hint` and `scale_hint` are what the file says or its format implies.
    `document_scores` are scores of whole documents, kept apart from those of segments.
    """

    ratings: list[RatingRow] = field(default_factory=list)
    comparisons: list[ComparisonRow] = field(default_factory=list)
    document_scores: list[RatingRow] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    protocol_hint: str | None = None
    languages_hint: str | None = None
    scale_hint: tuple[float, float] | None = None

    @property
    def rows(self) -> list[RatingRow] | list[ComparisonRow]:
        """Give whichever of the two the file holds."""
        return self.comparisons if self.comparisons else self.ratings


class Format(ABC):
    """One way of writing judgements down; `takes_map` when a column map may say what its columns are."""

    name: ClassVar[str]
    title: ClassVar[str]
    example: ClassVar[bytes]
    takes_map: ClassVar[bool] = False

    @abstractmethod
    def parse(self, data: bytes, name: str, options: ParseOptions) -> ParsedJudgements:
        """Read a whole file.

        Args:
            data: The file, plain or gzip.
            name: What messages call it.
            options: What the importing person knows.

        Raises:
            FormatError: the file is not of this format or breaks its rules.
        """
