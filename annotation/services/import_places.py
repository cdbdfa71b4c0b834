"""Where imported judgements belong: test sets, segments, versions; found when known, made when not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from annotation.formats import ComparisonRow, RatingRow
from evalplatform.errors import BadInput
from mtcore.corpora.languages import same_pair
from mtcore.models import Document, Segment, TestSet, TextVersion

Row = RatingRow | ComparisonRow
Fail = Callable[[Row, str, str], BadInput]
BATCH = 2000


@dataclass
class Place:
    """One test set of an import: what it has already, and what the file adds to it.

    Attributes:
        segments: key → database id; None for segments yet to be made.
        lines: line number → key, for segments given by number.
        versions: (side, name) → database id; None for versions yet to be made.
        directions: key → direction, of segments yet to be made.
        documents: key → document, of segments yet to be made.
    """

    name: str
    testset: TestSet | None
    segments: dict[str, int | None] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)
    versions: dict[tuple[str, str], int | None] = field(default_factory=dict)
    directions: dict[str, str] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Tell whether segments and versions may be added: its texts are unknown."""
        return self.testset is None or not self.testset.texts_known

    def key_of(self, segment: str) -> str:
        """Return the key of a segment given by key or, in a test set with texts, by line number."""
        return segment if segment in self.segments else self.lines.get(segment, segment)


class Places:
    """The test sets of an import by name. Nothing is written before `write`."""

    def __init__(
        self, *, languages: tuple[str, str], default: str, testset: TestSet | None, context_side: str
    ) -> None:
        self.languages = languages
        self.default = default
        self.given = testset
        self.context_side = context_side
        self.places: dict[str, Place] = {}

    def add(self, rows: Iterable[Row], fail: Fail) -> None:
        """Find the place of every row.

        Raises:
            BadInput: a test set with texts does not have a segment or version, or is of other languages.
        """
        for row in rows:
            place = self.of(row, fail)
            self._add_segment(place, row, fail)
            for side, name in (("source", row.input), (self.context_side, row.context)):
                if name and side:
                    self._add_version(place, side, name, row, fail)

    def of(self, row: Row, fail: Fail) -> Place:
        """Return the place of a row."""
        name = self.given.name if self.given is not None else row.testset or self.default
        if name not in self.places:
            self.places[name] = self._open(name, row, fail)
        return self.places[name]

    def _open(self, name: str, row: Row, fail: Fail) -> Place:
        testset = self.given or TestSet.objects.filter(name=name).first()
        place = Place(name, testset)
        if testset is None:
            return place
        own = f"{testset.source_language}:{testset.target_language}"
        if not same_pair(own, ":".join(self.languages)):
            raise fail(
                row,
                f"the test set “{name}” is {own.replace(':', ' → ')}, "
                f"the judgements are {' → '.join(self.languages)}",
                "Choose another campaign name, or another --testset.",
            )
        for pk, key, position in testset.segments.values_list("pk", "key", "position"):
            place.segments[key] = pk
            place.lines[str(position)] = key
        for pk, side, version in testset.versions.values_list("pk", "side", "name"):
            place.versions[side, version] = pk
        return place

    def _add_segment(self, place: Place, row: Row, fail: Fail) -> None:
        key = place.key_of(row.segment)
        if key in place.segments:
            return
        if not place.is_open:
            raise fail(
                row,
                f"the test set “{place.name}” ({len(place.segments):,} segments) has no “{row.segment}”",
                "Give segments by key or line number, or import without --testset under another name.",
            )
        place.segments[key] = None
        place.directions[key] = row.direction
        place.documents[key] = row.document

    def _add_version(self, place: Place, side: str, name: str, row: Row, fail: Fail) -> None:
        if (side, name) in place.versions:
            return
        if not place.is_open:
            known = ", ".join(own for at, own in place.versions if at == side) or "none"
            raise fail(
                row,
                f"the test set “{place.name}” has no {side} version “{name}”; it has {known}",
                "Name one of these.",
            )
        place.versions[side, name] = None

    def write(self) -> None:
        """Make what is missing; afterwards every segment and version has its database id."""
        for place in self.places.values():
            if place.testset is None:
                source, target = self.languages
                place.testset = TestSet.objects.create(
                    name=place.name, source_language=source, target_language=target, texts_known=False
                )
            _write_segments(place, place.testset)
            _write_versions(place, place.testset)


def _write_segments(place: Place, testset: TestSet) -> None:
    new = [key for key, pk in place.segments.items() if pk is None]
    documents = _write_documents(testset, dict.fromkeys(place.documents[key] for key in new))
    start = len(place.segments) - len(new)
    made = Segment.objects.bulk_create(
        [
            Segment(
                testset=testset,
                position=number,
                key=key,
                direction=place.directions[key],
                document=documents.get(place.documents[key]),
            )
            for number, key in enumerate(new, start=start + 1)
        ],
        batch_size=BATCH,
    )
    place.segments |= {segment.key: segment.pk for segment in made}


def _write_documents(testset: TestSet, names: Iterable[str]) -> dict[str, Document]:
    known = {document.name: document for document in testset.documents.all()}
    new = [name for name in names if name and name not in known]
    made: Sequence[Document] = Document.objects.bulk_create(
        [
            Document(testset=testset, name=name, position=number)
            for number, name in enumerate(new, start=len(known) + 1)
        ],
        batch_size=BATCH,
    )
    return known | {document.name: document for document in made}


def _write_versions(place: Place, testset: TestSet) -> None:
    new = [at for at, pk in place.versions.items() if pk is None]
    start = len(place.versions) - len(new)
    for number, (side, name) in enumerate(new, start=start):
        version = TextVersion.objects.create(
            testset=testset,
            side=side,
            kind=TextVersion.Kind.ALTERNATIVE,
            name=name,
            position=number,
        )
        place.versions[side, name] = version.pk
