"""Import test sets: parse and check everything, then write it in one transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import IntegrityError, transaction

from evalplatform.acting import acting_tell
from evalplatform.errors import BadInput, Conflict
from mtcore.corpora import languages as tags
from mtcore.corpora.checks import check_same_length, check_shift
from mtcore.corpora.names import check_name, check_unique
from mtcore.corpora.provenance import Version, depth, resolve
from mtcore.models import Document, Segment, SegmentText, TestSet, TextVersion
from mtcore.models.fields import sha256
from mtcore.services.line_labels import directions_read, documents_read
from mtcore.services.texts import NamedText, as_bad_input, blank_notice, lines_check
from mtcore.services.versions import testset_find, uniform_direction

DEFAULT_NAMES = {"source": "source", "target": "reference"}
OTHER_SIDE = {"source": "target", "target": "source"}
BATCH = 2000


@dataclass(frozen=True)
class VersionDraft:
    """A version to be written: where it stands, what it was made from ("side:name"), and its text."""

    side: str
    kind: str
    text: NamedText
    derived_from: str | None = None

    @property
    def version(self) -> Version:
        """Return it as the pure package knows it."""
        return Version(self.side, self.kind, self.text.name, self.derived_from)


@dataclass(frozen=True)
class TestSetDraft:
    """A test set that passed every check and is not yet written."""

    __test__ = False  # not a test class

    name: str
    source_language: str
    target_language: str
    versions: tuple[VersionDraft, ...]
    directions: tuple[str, ...]
    documents: tuple[str, ...]
    notices: tuple[str, ...]
    keys: tuple[str, ...] = ()

    @property
    def n_segments(self) -> int:
        """Return the number of lines that every version has."""
        return len(self.versions[0].text.lines)

    @property
    def sha256(self) -> str:
        """Return a digest of everything that makes the test set what it is, its name apart."""
        what = [
            [self.source_language, self.target_language],
            [[v.side, v.kind, v.text.name, v.derived_from, v.text.sha256] for v in self.versions],
            self.directions,
            self.documents,
            *([self.keys] if self.keys else []),
        ]
        return hashlib.sha256(json.dumps(what, ensure_ascii=True).encode()).hexdigest()


def testset_draft(
    *,
    name: str,
    languages: str,
    sources: Sequence[NamedText],
    references: Sequence[NamedText] = (),
    double_translations: Sequence[tuple[str, NamedText]] = (),
    derived_from: Sequence[str] = (),
    direction: str | NamedText = "",
    documents: NamedText | None = None,
    keys: Sequence[str] = (),
) -> TestSetDraft:
    """Check the texts of a test set and put them together; nothing is written.

    Args:
        name: The test set's name.
        languages: The pair, as "cs-en".
        sources: The first is the original, further ones are alternatives and must have names.
        references: Likewise on the target side.
        double_translations: (side, text) of texts that were translated there and back.
        derived_from: The versions the double translations were made from: one for all, one each, or none
            where only one is possible.
        direction: "direct", "reverse", "" (unknown), or a text with one of them a line.
        documents: A text with the id of each line's document.
        keys: The segments' own ids, unlike each other; none: line numbers.

    Raises:
        BadInput: names, languages, line counts, alignment, directions or documents are not right.
    """
    with as_bad_input():
        check_name(name, "test set")
        source_language, target_language = tags.parse_pair(languages)
    versions = [*_side("source", sources), *_side("target", references)]
    _check_texts(
        versions + [VersionDraft(side, "double_translation", text) for side, text in double_translations]
    )
    directions = directions_read(direction, versions[0].text)
    versions += _doubles(double_translations, derived_from, versions, uniform_direction(directions))
    _check_names(versions, uniform_direction(directions))
    return TestSetDraft(
        name=name,
        source_language=source_language,
        target_language=target_language,
        versions=tuple(versions),
        directions=directions,
        documents=documents_read(documents, versions[0].text),
        notices=_notices(versions),
        keys=tuple(keys),
    )


def testset_create(draft: TestSetDraft) -> tuple[TestSet, bool]:
    """Write a test set, or find the same one already there; return it and whether it is new.

    Raises:
        Conflict: another test set has this name.
    """
    found = TestSet.objects.filter(name=draft.name).first()
    if found is not None:
        return _same(found, draft), False
    try:
        with transaction.atomic():
            made = _write(draft)
    except IntegrityError:
        return _same(testset_find(draft.name), draft), False
    files = [version.text.file for version in draft.versions]
    acting_tell("testset.imported", testset=made.name, files=files, checksum=made.sha256)
    return made, True


def _side(side: str, texts: Sequence[NamedText]) -> list[VersionDraft]:
    drafts = []
    for number, text in enumerate(texts):
        if number and not text.name:
            raise BadInput(
                f"{text.file} is a further {side} text and has no name.", f"Give it one, as NAME={text.file}."
            )
        named = replace(text, name=text.name or DEFAULT_NAMES[side])
        drafts.append(VersionDraft(side, "alternative" if number else "original", named))
    return drafts


def _check_texts(versions: Sequence[VersionDraft]) -> None:
    if not versions or versions[0].side != "source":
        raise BadInput("A test set needs a source text.", "Give one with --source.")
    for version in versions:
        lines_check(version.text)
    first = (versions[0].text.file, versions[0].text.lines)
    others = [(version.text.file, version.text.lines) for version in versions[1:]]
    with as_bad_input():
        check_same_length(first, *others)
        for other in others:
            check_shift(first, other)


def _doubles(
    doubles: Sequence[tuple[str, NamedText]],
    derived_from: Sequence[str],
    versions: Sequence[VersionDraft],
    direction: str,
) -> list[VersionDraft]:
    if derived_from and (not doubles or len(derived_from) not in (1, len(doubles))):
        raise BadInput(
            f"{len(derived_from)} versions to derive from are given for {len(doubles)} double translations.",
            "Give one --derived-from for all of them, or one for each, in the same order.",
        )
    wanted = [*derived_from] * len(doubles) if len(derived_from) == 1 else [*derived_from]
    drafts = []
    for number, (side, text) in enumerate(doubles):
        parent = _parent(side, text, wanted[number] if wanted else "", versions, direction)
        named = replace(text, name=text.name or "double")
        drafts.append(VersionDraft(side, "double_translation", named, str(parent)))
    return drafts


def _parent(
    side: str, text: NamedText, wanted: str, versions: Sequence[VersionDraft], direction: str
) -> Version:
    if side not in OTHER_SIDE:
        raise BadInput(
            f"A double translation is on the source or the target side, not on “{side}”.",
            "Give source=FILE or target=FILE.",
        )
    pure = [draft.version for draft in versions]
    if wanted:
        with as_bad_input():
            return resolve(wanted, pure, direction, OTHER_SIDE[side])
    choices = [version for version in pure if version.side == OTHER_SIDE[side]]
    if len(choices) != 1:
        raise BadInput(
            f"It is not clear which version {text.file} was translated from.",
            f"Give --derived-from with one of: {', '.join(one.name for one in choices) or '(none)'}.",
        )
    return choices[0]


def _check_names(versions: Sequence[VersionDraft], direction: str) -> None:
    with as_bad_input():
        for version in versions:
            check_name(version.text.name, "version")
        for side in OTHER_SIDE:
            check_unique((v.text.name for v in versions if v.side == side), f"{side} version")
        pure = [version.version for version in versions]
        for one in pure:
            depth(one, pure, direction)


def _notices(versions: Sequence[VersionDraft]) -> tuple[str, ...]:
    notices: list[str] = []
    seen: dict[str, VersionDraft] = {}
    for version in versions:
        notices += version.text.notices
        notices += blank_notice(version.text, "segments without text are not offered to raters")
        same = seen.setdefault(version.text.sha256, version)
        if same is not version:
            notices.append(f"{version.version} ({version.text.file}) is the same text as {same.version}")
    return tuple(notices)


def _same(found: TestSet, draft: TestSetDraft) -> TestSet:
    if found.sha256 == draft.sha256:
        return found
    raise Conflict(
        f"A test set “{draft.name}” exists already, with other content.",
        "Choose another name.",
    )


def _write(draft: TestSetDraft) -> TestSet:
    testset = TestSet.objects.create(
        name=draft.name,
        source_language=draft.source_language,
        target_language=draft.target_language,
        sha256=draft.sha256,
    )
    names = list(dict.fromkeys(draft.documents))
    Document.objects.bulk_create(
        [Document(testset=testset, name=name, position=number) for number, name in enumerate(names, start=1)],
        batch_size=BATCH,
    )
    documents = dict(testset.documents.values_list("name", "pk"))
    segments = Segment.objects.bulk_create(
        [
            Segment(
                testset=testset,
                document_id=documents[draft.documents[number]] if documents else None,
                position=number + 1,
                key=draft.keys[number] if draft.keys else str(number + 1),
                direction=draft.directions[number],
            )
            for number in range(draft.n_segments)
        ],
        batch_size=BATCH,
    )
    _write_versions(draft, testset, segments)
    return testset


def _write_versions(draft: TestSetDraft, testset: TestSet, segments: Sequence[Segment]) -> None:
    written: dict[str, TextVersion] = {}
    for position, version in enumerate(draft.versions):
        row = TextVersion.objects.create(
            testset=testset,
            side=version.side,
            kind=version.kind,
            name=version.text.name,
            derived_from=written[version.derived_from] if version.derived_from else None,
            position=position,
            sha256=version.text.sha256,
        )
        written[str(version.version)] = row
        SegmentText.objects.bulk_create(
            (
                SegmentText(version=row, segment=segment, text=line, sha256=sha256(line))
                for segment, line in zip(segments, version.text.lines, strict=True)
            ),
            batch_size=BATCH,
        )
