"""Read the package of a study back: its campaigns with their records, without any database."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from annotation.formats import FORMATS, FormatError, ParseOptions
from annotation.protocols import PROTOCOLS
from annotation.services.notation import Notations
from annotation.services.package_layout import STUDY
from annotation.services.package_records import comparisons_of, table_of
from annotation.services.score_compute import Judged
from annotation.services.study_scores import Facts
from annotation.stats.disagreement import TREATMENTS
from annotation.stats.records import RatingTable
from evalplatform.errors import BadInput
from mtcore.corpora.provenance import ProvenanceError, Version

csv.field_size_limit(2**31 - 1)
MAX_DEPTH = 64


class Files(Protocol):
    """The files of a package, in a folder or a zip."""

    @property
    def names(self) -> Sequence[str]:
        """Return the paths of all files, with `/`."""

    def read(self, name: str) -> bytes:
        """Return a whole file."""


@dataclass(frozen=True, eq=False)
class PackagedCampaign:
    """A campaign as a package has it.

    Attributes:
        folder: path in the package.
        slug: last part of the folder.
        facts: name, protocol, languages and scale.
        judged: what was judged.
        z: stored z of each row of the rating table, None where there is none.
        lines: line of each row of the rating table in the file of judgements.
        outputs: (test set, input) of each output.
    """

    folder: str
    slug: str
    facts: Facts
    judged: Judged
    z: list[float | None]
    lines: list[int]
    outputs: list[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class Package:
    """A study as a package has it.

    Attributes:
        study: name.
        campaigns: in the order of the package.
        segments: (key, document) of every segment in order, by test set.
    """

    study: str
    campaigns: list[PackagedCampaign]
    segments: dict[str, list[tuple[str, str]]]


def package_read(files: Files) -> Package:
    """Read what scores are made from.

    Raises:
        BadInput: a file is missing, or not what a package holds there.
    """
    study = read_json(files, STUDY)
    with _said(STUDY):
        testsets = {str(name): str(folder) for name, folder in study["testsets"].items()}
        campaigns = [str(folder) for folder in study["campaigns"]]
        name = str(study["name"])
    versions: dict[str, list[Version]] = {}
    segments = {}
    for testset, folder in testsets.items():
        versions[testset] = _versions(files, folder)
        rows = read_table(files, f"{folder}/segments.csv", ("segment", "document"))
        segments[testset] = [(row["segment"], row["document"]) for row in rows]
    notations = Notations({testset: known for testset, known in versions.items() if known})
    return Package(name, [_campaign(files, folder, notations) for folder in campaigns], segments)


def damaged(name: str, why: object) -> BadInput:
    """Return the error for a file that cannot be read."""
    return BadInput(f"The package is damaged: {name} ({why}).", "Copy the package again.")


class _said:  # noqa: N801 (reads as a word)
    """Turn mistakes inside a file of the package into a message that names it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, LookupError | TypeError | ValueError | AttributeError | ProvenanceError):
            raise BadInput(
                f"{self.name} is not what a package holds there ({type(error).__name__}: {error}).",
                "Take the package as it was exported.",
            ) from error


def read_json(files: Files, name: str) -> Any:
    """Return a JSON file of the package.

    Raises:
        BadInput: it is missing or not JSON.
    """
    with _said(name):
        try:
            value = json.loads(files.read(name).decode("utf-8"), parse_constant=_no_constant)
        except (RecursionError, MemoryError) as error:
            raise damaged(name, "nests too deeply") from error
        _check_depth(value, name)
        return value


def _check_depth(value: Any, name: str) -> None:
    """Refuse values that nest deeper than anything a package holds, before anything walks through them."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return
    raise damaged(name, "nests too deeply")


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is no number")


def read_table(files: Files, name: str, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file of the package.

    Raises:
        BadInput: it is missing, or a column is.
    """
    with _said(name):
        rows = csv.DictReader(io.StringIO(files.read(name).decode("utf-8"), newline=""), strict=True)
        missing = [column for column in columns if column not in (rows.fieldnames or ())]
        if missing:
            raise ValueError(f"no column {', '.join(missing)}")
        try:
            yield from rows
        except csv.Error as error:
            raise ValueError(str(error)) from error


def _versions(files: Files, folder: str) -> list[Version]:
    name = f"{folder}/testset.json"
    testset = read_json(files, name)
    with _said(name):
        if not testset["texts_known"]:
            return []
        return [
            Version(one["side"], one["kind"], one["name"], one["derived_from"]) for one in testset["versions"]
        ]


def _campaign(files: Files, folder: str, notations: Notations) -> PackagedCampaign:
    name = f"{folder}/campaign.json"
    told = read_json(files, name)
    with _said(name):
        scale = told["scale"]
        facts = Facts(
            str(told["name"]),
            str(told["protocol"]),
            str(told["languages"]),
            None if scale is None else (float(scale[0]), float(scale[1])),
            _treatment(str(told.get("judged_again", "replace"))),
        )
        outputs = [(str(one["testset"]), one["input"] or "") for one in told["outputs"]]
        rated = PROTOCOLS[facts.protocol].record == "rating"
    stored = _current(files, f"{folder}/judgements.csv")
    planned = {row["assignment"] for row in read_table(files, f"{folder}/plan.csv", ("assignment",))}
    parsed = _parsed(files, f"{folder}/judgements.csv", facts, bool(stored))
    records = table_of(parsed.ratings, facts.protocol) if rated else comparisons_of(parsed.comparisons)
    done = sum(1 for key, _ in stored if key in planned)
    judged = Judged(facts.protocol, records, notations, len(planned), done)
    ratings = parsed.ratings if isinstance(records, RatingTable) else []
    return PackagedCampaign(
        folder,
        folder.rsplit("/", 1)[-1],
        facts,
        judged,
        [z for _, z in stored] if rated else [],
        [row.line for row in ratings],
        outputs,
    )


def _treatment(text: str) -> str:
    if text not in TREATMENTS:
        raise ValueError(f"judged_again is {text!r}")
    return text


def _current(files: Files, name: str) -> list[tuple[str, float | None]]:
    """Return id and stored z of every row that counts, in the order of the file."""
    rows = read_table(files, name, ("judgement", "current", "z"))
    with _said(name):
        return [
            (row["judgement"], float(row["z"]) if row["z"] else None)
            for row in rows
            if row["current"] != "no"
        ]


def _parsed(files: Files, name: str, facts: Facts, filled: bool) -> Any:
    from annotation.formats.base import ParsedJudgements

    if not filled:
        return ParsedJudgements()
    try:
        return FORMATS["csv"].parse(files.read(name), name, ParseOptions(scale=facts.scale))
    except FormatError as error:
        raise BadInput(f"{error}") from error


def stored_paths(files: Files, folder: str) -> list[str]:
    """Return the files of scores in a folder of the package."""
    start = f"{folder}/scores/" if folder else "scores/"
    return [name for name in files.names if name.startswith(start) and name.endswith(".json")]


def by_name(package: Package) -> Mapping[str, PackagedCampaign]:
    """Return the campaigns of a package by name."""
    return {campaign.facts.name: campaign for campaign in package.campaigns}
