"""Choose what a campaign judges: test sets, systems, input versions and references, with their texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evalplatform.errors import BadInput, Conflict, NotFound
from evalplatform.words import quoted
from mtcore.corpora.languages import parse_pair, same_pair
from mtcore.corpora.names import check_unique
from mtcore.corpora.provenance import Version, label, notation, resolve
from mtcore.models import System, SystemOutput, TestSet
from mtcore.services.outputs import OutputDraft
from mtcore.services.testsets import TestSetDraft
from mtcore.services.texts import as_bad_input
from mtcore.services.versions import (
    testset_direction,
    testset_find,
    testset_versions,
    uniform_direction,
    version_lines,
)

Lines = Sequence[str]


@dataclass(frozen=True)
class SetTexts:
    """What is chosen of one test set: its lines by version name and by (system, input name).

    A line of an output that is not to be judged (blank, failed, too long) is "". `hidden` is name and lines
    of the reference that is shown as a hidden system, where there is one.
    """

    name: str
    n_segments: int
    inputs: dict[str, Lines]
    references: dict[str, Lines]
    outputs: dict[tuple[str, str], Lines]
    hidden: tuple[str, Lines] | None = None


@dataclass(frozen=True)
class Selection:
    """Everything that a campaign judges. `systems` keeps the order in which they were named."""

    source_language: str
    target_language: str
    systems: tuple[str, ...]
    sets: tuple[SetTexts, ...]


@dataclass(frozen=True)
class PlainTexts:
    """A test set and outputs that come with the campaign and are written together with it."""

    testset: TestSetDraft
    outputs: tuple[OutputDraft, ...]


def selection_load(
    *,
    testsets: Sequence[str],
    systems: Sequence[str],
    inputs: Sequence[str] = (),
    references: Sequence[str] = (),
    languages: str = "",
    needs_reference: bool = False,
    hidden_reference: bool = False,
) -> Selection:
    """Choose among what is imported.

    Args:
        testsets: Names of test sets of one language pair.
        systems: Names of systems; each must have an output for every chosen input.
        inputs: Names or notations of source versions, looked up in every test set; by default the original.
        references: Likewise on the target side, where the protocol needs them.
        languages: The pair that is expected; by default that of the test sets.
        needs_reference: Whether the protocol holds translations against a reference.
        hidden_reference: Whether a reference is shown as a hidden system: another one than those.

    Raises:
        NotFound: an unknown test set or system.
        BadInput: languages differ, a version is not there, or a system lacks an output.
    """
    with as_bad_input():
        check_unique(testsets, "test set")
        check_unique(systems, "system")
    found = [testset_find(name) for name in testsets]
    pair = _check_languages(found, languages)
    _check_systems(systems)
    sources = _choose_versions(found, inputs, "source")
    targets = _choose_versions(found, references, "target") if needs_reference else {}
    sets = []
    for testset in found:
        rows = testset_versions(testset)
        inputs_here = sources[testset.name]
        sets.append(
            SetTexts(
                name=testset.name,
                n_segments=testset.segments.count(),
                inputs={one.name: version_lines(rows[one]) for one in inputs_here},
                references={one.name: version_lines(rows[one]) for one in targets.get(testset.name, ())},
                outputs=_load_outputs(testset, systems, [one.name for one in inputs_here]),
                hidden=_hidden(
                    testset.name,
                    {
                        version: version_lines(row)
                        for version, row in rows.items()
                        if version.side == "target"
                    },
                    targets.get(testset.name, ()),
                )
                if hidden_reference
                else None,
            )
        )
    return Selection(*pair, tuple(systems), tuple(sets))


def selection_of_texts(
    texts: PlainTexts,
    *,
    references: Sequence[str] = (),
    needs_reference: bool = False,
    hidden_reference: bool = False,
) -> Selection:
    """Choose everything of a test set that comes with the campaign."""
    draft = texts.testset
    versions = {version.version: version.text.lines for version in draft.versions}
    direction = uniform_direction(draft.directions)
    source = next(one for one in versions if one.side == "source" and one.kind == "original")
    chosen: list[Version] = []
    if needs_reference:
        chosen = _choose_in(draft.name, list(versions), direction, references, "target")
        _check_all_found(references, {draft.name: chosen}, lambda _: (list(versions), direction))
    with as_bad_input():
        check_unique((output.system for output in texts.outputs), "system")
    return Selection(
        draft.source_language,
        draft.target_language,
        tuple(output.system for output in texts.outputs),
        (
            SetTexts(
                name=draft.name,
                n_segments=draft.n_segments,
                inputs={source.name: versions[source]},
                references={one.name: versions[one] for one in chosen},
                outputs={(output.system, source.name): output.text.lines for output in texts.outputs},
                hidden=_hidden(
                    draft.name,
                    {one: lines for one, lines in versions.items() if one.side == "target"},
                    chosen,
                )
                if hidden_reference
                else None,
            ),
        ),
    )


def _hidden(testset: str, targets: Mapping[Version, Lines], shown: Sequence[Version]) -> tuple[str, Lines]:
    """Choose the reference to be shown as a hidden system: the original before others, none that is held
    against.

    Raises:
        BadInput: there is none.
    """
    free = [version for version in targets if version not in shown]
    if not free:
        used = f" besides “{shown[0].name}”, which translations are held against" if shown else ""
        raise BadInput(
            f"Test set “{testset}” has no reference{used}, so none can be shown as a hidden system.",
            "Import it with another reference, or leave --reference-as-system out.",
        )
    chosen = min(free, key=lambda version: version.kind != "original")
    return chosen.name, targets[chosen]


def _check_languages(testsets: Sequence[TestSet], languages: str) -> tuple[str, str]:
    pairs = [f"{testset.source_language}:{testset.target_language}" for testset in testsets]
    with as_bad_input():
        pair = ":".join(parse_pair(languages)) if languages else pairs[0]
        for testset, own in zip(testsets, pairs, strict=True):
            if not same_pair(pair, own):
                raise BadInput(
                    f"Test set “{testset.name}” is {own.replace(':', ' → ')}, "
                    f"the campaign is {pair.replace(':', ' → ')}.",
                    "A campaign has one language pair.",
                )
            if not testset.texts_known:
                raise Conflict(
                    f"The texts of test set “{testset.name}” are unknown (only judgements were imported).",
                    "Import the test set with its texts under another name.",
                )
    source, _, target = pair.partition(":")
    return source, target


def _check_systems(systems: Sequence[str]) -> None:
    known = set(System.objects.filter(name__in=systems).values_list("name", flat=True))
    unknown = [name for name in systems if name not in known]
    if unknown:
        names = list(System.objects.listed().order_by("name").values_list("name", flat=True)[:20])
        raise NotFound(
            f"There is no system “{unknown[0]}”.",
            f"Known are: {quoted(names, 20)}."
            if names
            else "Import an output with `manage.py import_output` first.",
        )


def _choose_versions(
    testsets: Sequence[TestSet], wanted: Sequence[str], side: str
) -> dict[str, list[Version]]:
    """Find the wanted versions in every test set: each in at least one, and in each at least one."""
    known = {
        testset.name: (list(testset_versions(testset)), testset_direction(testset)) for testset in testsets
    }
    chosen = {name: _choose_in(name, *versions, wanted, side) for name, versions in known.items()}
    _check_all_found(wanted, chosen, known.__getitem__)
    return chosen


def _choose_in(
    testset: str, versions: list[Version], direction: str, wanted: Sequence[str], side: str
) -> list[Version]:
    within = [one for one in versions if one.side == side]
    if not wanted:
        chosen = [one for one in within if one.kind == "original"]
    else:
        chosen = []
        for name in wanted:
            if any(name in _names(one, versions, direction) for one in within):
                with as_bad_input():
                    chosen.append(resolve(name, versions, direction, side))
    if not chosen:
        what = "source" if side == "source" else "reference"
        asked = f" called {' or '.join(f'“{name}”' for name in wanted)}" if wanted else ""
        have = ", ".join(f"{one.name} [{label(one, versions, direction)}]" for one in within)
        raise BadInput(
            f"Test set “{testset}” has no {what} version{asked}.",
            f"It has: {have}." if have else f"Give a {what} text with the others (--{what} FILE).",
        )
    return list(dict.fromkeys(chosen))


def _check_all_found(
    wanted: Sequence[str],
    chosen: dict[str, list[Version]],
    known: Callable[[str], tuple[list[Version], str]],
) -> None:
    for name in wanted:
        if not any(name in _names(one, *known(testset)) for testset, ones in chosen.items() for one in ones):
            raise BadInput(
                f"No chosen test set has a version “{name}”.",
                "Give names or notations that `import_testset` shows.",
            )


def _names(version: Version, versions: list[Version], direction: str) -> tuple[str, ...]:
    own, short = label(version, versions, direction), notation(version, versions, direction)
    return (version.name, str(version), own, short)


def _load_outputs(
    testset: TestSet, systems: Sequence[str], inputs: Sequence[str]
) -> dict[tuple[str, str], Lines]:
    rows = {
        (row.system.name, row.input_version.name): row
        for row in SystemOutput.objects.filter(testset=testset, system__name__in=systems).select_related(
            "system", "input_version"
        )
    }
    for name in inputs:
        for system in systems:
            if (system, name) not in rows:
                have = sorted(version for owner, version in rows if owner == system)
                raise BadInput(
                    f"System “{system}” has no output for input “{name}” of test set “{testset.name}”.",
                    f"It has outputs there for: {quoted(have)}." if have else "Import it with import_output.",
                )
    return {(system, name): _output_lines(rows[system, name]) for name in inputs for system in systems}


def _output_lines(output: SystemOutput) -> list[str]:
    lines = output.lines.order_by("segment__position").values_list("text", "status")
    return [text if status == "ok" else "" for text, status in lines]
