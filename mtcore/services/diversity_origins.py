"""Texts whose diversity is measured, by where they come from: files, corpora, test sets, outputs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evalplatform.errors import BadInput, NotFound
from evalplatform.words import quoted
from mtcore.corpora.stream import stream_blocks
from mtcore.diversity.counting import line_blocks
from mtcore.diversity.measuring import Blocks
from mtcore.models import SystemOutput, TestSet
from mtcore.services.corpora import corpus_files, corpus_find
from mtcore.services.versions import testset_find, testset_versions, version_lines, version_original

MEASURE_DIVERSITY = "measure_diversity"
CORPUS = "corpus:"
"""Before the name of a corpus, where a file could stand as well."""


@dataclass(frozen=True)
class Origin:
    """One text: a file; a side of a corpus; a version of test sets; or a system's outputs for them.

    Attributes:
        name: what results call it.
        file: path of a file.
        corpus: name of a corpus.
        language: which side of the corpus.
        testsets: names; several are put one after the other.
        version: "side:name" of one test set; "" means the original of the target side, or of the source for
            a system's input.
        system: name; "" means a text of the test sets themselves.
    """

    name: str
    file: str = ""
    corpus: str = ""
    language: str = ""
    testsets: tuple[str, ...] = ()
    version: str = ""
    system: str = ""

    @property
    def key(self) -> str:
        """Return what tells texts apart, whatever they are called."""
        return json.dumps(
            [self.file, self.corpus, self.language, sorted(self.testsets), self.version, self.system]
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it for JSON, without what is empty."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Origin:
        """Return an origin from what JSON has made of it."""
        return cls(**{**value, "testsets": tuple(value.get("testsets", ()))})

    def words(self) -> str:
        """Say what it is."""
        if self.file:
            return f"the file {Path(self.file).name}"
        if self.corpus:
            return f"“{self.corpus}” ({self.language})"
        of = ", ".join(self.testsets)
        if self.system:
            return f"the outputs of “{self.system}” for {of}" + (
                f" from {self.version}" if self.version else ""
            )
        return f"{self.version or 'the reference'} of {of}"

    def blocks(self) -> Blocks:
        """Return what gives the text's lines.

        Raises:
            NotFound: a corpus, test set or output that is not there.
        """
        if self.file:
            return partial(stream_blocks, self.file)
        if self.corpus:
            return partial(stream_blocks, corpus_side(self.corpus, self.language))
        return _lines([line for name in self.testsets for line in self._testset_lines(testset_find(name))])

    def _testset_lines(self, testset: TestSet) -> list[str]:
        if not self.system:
            rows = {str(version): row for version, row in testset_versions(testset).items()}
            version = rows.get(self.version) or version_original(testset, "target")
            return version_lines(version)
        outputs = SystemOutput.objects.filter(testset=testset, system__name=self.system)
        wanted = (
            {"input_version__name": self.version} if self.version else {"input_version__kind": "original"}
        )
        output = outputs.filter(**wanted).first()
        if output is None:
            raise NotFound(
                f"“{self.system}” has no output for test set “{testset.name}”"
                + (f" from {self.version}." if self.version else "."),
                "Import one with import_output.",
            )
        return list(output.lines.order_by("segment__position").values_list("text", flat=True))


def corpus_side(name: str, language: str) -> Path:
    """Return the file of a corpus in a language; of a corpus in one language, its only one.

    Raises:
        NotFound: there is no such corpus, or its files are gone.
        BadInput: it has no text in this language.
    """
    files = corpus_files(corpus_find(name))
    if not language and len(files) == 1:
        return next(iter(files.values()))
    if language not in files:
        raise BadInput(
            f"Corpus “{name}” is in {' and '.join(files)}"
            + (f", not in {language}." if language else ": whose text is meant is not said."),
            "Name one of them: --language, or --source-language for the source.",
        )
    return files[language]


def path_of(argument: str, language: str) -> str:
    """Return the path of a file that is given by itself or as "corpus:NAME"."""
    if argument.startswith(CORPUS):
        return str(corpus_side(argument.removeprefix(CORPUS), language))
    return argument


def origin_of(name: str, argument: str, language: str) -> Origin:
    """Return the origin of a text that is given as a file or as "corpus:NAME"."""
    if argument.startswith(CORPUS):
        corpus = argument.removeprefix(CORPUS)
        side = corpus_side(corpus, language)
        tags = {path: tag for tag, path in corpus_files(corpus_find(corpus)).items()}
        return Origin(name or corpus, corpus=corpus, language=tags[side])
    return Origin(name or Path(argument).name, file=argument)


def origins_of_testsets(testsets: Sequence[str], systems: Sequence[str]) -> list[Origin]:
    """Return the target texts of test sets and the outputs of systems.

    Of one test set these are all its target texts and all outputs; several are put one after the other, and
    these are the original reference and the outputs from the original source.

    Args:
        testsets: names.
        systems: names; none means all that have an output for every test set.

    Raises:
        NotFound: there is no such test set, or a system has no output for one.
        BadInput: the test sets are in different languages.
    """
    found = [testset_find(name) for name in testsets]
    tags = {(one.source_language, one.target_language) for one in found}
    if len(tags) > 1:
        pairs = ", ".join("-".join(pair) for pair in sorted(tags))
        raise BadInput(f"The test sets are of several language pairs: {pairs}.", "Give those of one pair.")
    rows = SystemOutput.objects.filter(testset__in=found).select_related("system", "input_version")
    outputs = list(rows.order_by("system__name", "input_version__position", "pk"))
    _check_systems(found, outputs, systems)
    return list(_origins(found, outputs, systems))


def _check_systems(
    testsets: Sequence[TestSet], outputs: Sequence[SystemOutput], systems: Sequence[str]
) -> None:
    for testset in testsets:
        known = {one.system.name for one in outputs if one.testset_id == testset.pk}
        unknown = [name for name in systems if name not in known]
        if unknown:
            remedy = (
                f"There are outputs of {quoted(sorted(known))}."
                if known
                else "Import one with import_output."
            )
            raise NotFound(f"“{unknown[0]}” has no output for test set “{testset.name}”.", remedy)


def _origins(
    testsets: Sequence[TestSet], outputs: Sequence[SystemOutput], systems: Sequence[str]
) -> Iterator[Origin]:
    names = tuple(one.name for one in testsets)
    if len(testsets) > 1:
        yield Origin("reference", testsets=names)
        by_system: dict[str, set[int]] = {}
        for output in outputs:
            if output.input_version.kind == "original":
                by_system.setdefault(output.system.name, set()).add(output.testset_id)
        for name, covered in by_system.items():
            if (not systems or name in systems) and len(covered) == len(testsets):
                yield Origin(
                    name if name != "reference" else "reference (system)", testsets=names, system=name
                )
        return
    versions = [row for row in testset_versions(testsets[0]).values() if row.side == "target"]
    for row in versions:
        original = row.kind == "original"
        yield Origin(row.name, testsets=names, version="" if original else str(row))
    taken = {row.name for row in versions}
    for output in outputs:
        name, made_from = output.system.name, output.input_version
        if systems and name not in systems:
            continue
        original = made_from.kind == "original"
        if not original or name in taken:
            name = f"{name} ({made_from.name})"
        version = "" if original else made_from.name
        yield Origin(name, testsets=names, system=output.system.name, version=version)


def source_of_testsets(testsets: Sequence[str]) -> Blocks:
    """Return what gives the source lines of test sets."""
    return _lines(
        [line for name in testsets for line in version_lines(version_original(testset_find(name), "source"))]
    )


def _lines(lines: list[str]) -> Blocks:
    return partial(line_blocks, lines)
