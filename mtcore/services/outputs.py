"""Import outputs: what a system made of one version of a test set's source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction

from evalplatform.acting import acting_tell
from evalplatform.errors import BadInput, Conflict
from mtcore.corpora.checks import check_same_length, check_shift, is_blank
from mtcore.corpora.names import check_name
from mtcore.models import OutputSegment, System, SystemOutput, TestSet, TextVersion
from mtcore.models.fields import sha256
from mtcore.services.testsets import BATCH
from mtcore.services.texts import NamedText, as_bad_input, lines_check, lines_named
from mtcore.services.versions import testset_find, version_find, version_lines, version_original

KINDS = tuple(kind.value for kind in System.Kind)
#: Warn when this part of the lines was left as it was in the source.
COPIED_PART = 0.2


@dataclass(frozen=True)
class OutputDraft:
    """An output that passed every check and is not yet written. `kind` is empty where it was not given.

    `statuses` says what became of each line where that is known, `provenance` what made them.
    """

    system: str
    kind: str
    text: NamedText
    notices: tuple[str, ...]
    statuses: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)


def output_draft(*, system: str, text: NamedText, source: NamedText, kind: str = "") -> OutputDraft:
    """Check an output against the source text it was made from; nothing is written.

    Raises:
        BadInput: the name, the kind, the number of lines or their alignment is not right.
    """
    if kind and kind not in KINDS:
        raise BadInput(f"“{kind}” is not a kind of system.", f"Give one of {', '.join(KINDS)}.")
    lines_check(text)
    with as_bad_input():
        check_name(system, "system")
        check_same_length((source.file, source.lines), (text.file, text.lines))
        check_shift((source.file, source.lines), (text.file, text.lines))
    return OutputDraft(system, kind, text, _notices(text, source))


def output_create(
    draft: OutputDraft, *, testset: TestSet, input_version: TextVersion
) -> tuple[SystemOutput, bool]:
    """Write an output, or find the same one already there; return it and whether it is new.

    Raises:
        Conflict: the system has another output for this input, or is recorded as another kind of system.
    """
    try:
        with transaction.atomic():
            system = _system(draft)
            found = _same(draft, testset, input_version)
            return (found, False) if found else (_write(draft, system, testset, input_version), True)
    except IntegrityError:
        found = _same(draft, testset, input_version)
        if found is None:
            raise
        return found, False


def output_import(
    *, testset: str, system: str, text: NamedText, input_version: str = "", kind: str = ""
) -> tuple[SystemOutput, bool, tuple[str, ...]]:
    """Check and write an output of an imported test set.

    Args:
        testset: Name of the test set.
        system: Name of the system, known or new.
        text: The output, one line a segment.
        input_version: Name or notation of the source version it was made from; by default the original.
        kind: OP, BT, human or other.

    Returns:
        The output, whether it is new, and notices in words.
    """
    found = testset_find(testset)
    version = (
        version_find(found, input_version, side="source")
        if input_version
        else version_original(found, "source")
    )
    source = NamedText(version.name, f"{found.name} ({version})", tuple(version_lines(version)))
    draft = output_draft(system=system, text=text, source=source, kind=kind)
    output, created = output_create(draft, testset=found, input_version=version)
    return output, created, draft.notices


def _system(draft: OutputDraft) -> System:
    """Find or make the system; the names OP and BT tell their kind where none is given."""
    kind = draft.kind or (draft.system if draft.system in ("OP", "BT") else System.Kind.OTHER)
    system, created = System.objects.get_or_create(name=draft.system, defaults={"kind": kind})
    if not created and draft.kind and draft.kind != system.kind:
        if system.kind != System.Kind.OTHER:
            raise Conflict(
                f"System “{system.name}” is recorded as {system.kind}, not {draft.kind}.",
                "Leave --kind out, or give the other system another name.",
            )
        system.kind = draft.kind
        system.save(update_fields=["kind"])
    return system


def _same(draft: OutputDraft, testset: TestSet, input_version: TextVersion) -> SystemOutput | None:
    found = SystemOutput.objects.filter(
        system__name=draft.system, testset=testset, input_version=input_version
    ).first()
    if found is not None and found.sha256 != draft.text.sha256:
        raise Conflict(
            f"System “{draft.system}” has another output for {testset.name} ({input_version}) already.",
            "Outputs are never overwritten: import this one under another system name.",
        )
    return found


def _write(draft: OutputDraft, system: System, testset: TestSet, input_version: TextVersion) -> SystemOutput:
    output = SystemOutput.objects.create(
        system=system,
        testset=testset,
        input_version=input_version,
        sha256=draft.text.sha256,
        provenance=dict(draft.provenance) or {"file": draft.text.file},
    )
    statuses = draft.statuses or tuple(
        OutputSegment.Status.BLANK if is_blank(line) else OutputSegment.Status.OK for line in draft.text.lines
    )
    segment_ids = testset.segments.order_by("position").values_list("pk", flat=True)
    OutputSegment.objects.bulk_create(
        (
            OutputSegment(
                output=output,
                segment_id=pk,
                text=line,
                status=status,
                sha256=sha256(line),
            )
            for pk, line, status in zip(segment_ids, draft.text.lines, statuses, strict=True)
        ),
        batch_size=BATCH,
    )
    acting_tell(
        "output.imported", system=system.name, testset=testset.name, input=input_version.name,
        file=draft.text.file, checksum=output.sha256,
    )  # fmt: skip
    return output


def _notices(text: NamedText, source: NamedText) -> tuple[str, ...]:
    notices = list(text.notices)
    numbered = list(enumerate(zip(text.lines, source.lines, strict=True), start=1))
    blank = [number for number, (line, given) in numbered if is_blank(line) and not is_blank(given)]
    if blank:
        notices.append(f"{text.file}: {lines_named(blank)} blank; such segments are not offered to raters")
    subwords = _numbers(text.lines, "@@ ", "▁")
    if subwords:
        notices.append(
            f"{text.file}: {lines_named(subwords)} with subword marks (“@@ ” or “▁”): join the subwords"
        )
    copied = [number for number, (line, given) in numbered if line == given and not is_blank(line)]
    if len(copied) >= max(1, COPIED_PART * sum(1 for line in text.lines if not is_blank(line))):
        notices.append(f"{text.file}: {lines_named(copied)} identical to the source: was it translated?")
    return tuple(notices)


def _numbers(lines: Sequence[str], *marks: str) -> list[int]:
    return [
        n for n, line in enumerate(lines, start=1) if any(m in line for m in marks) or line.endswith("@@")
    ]
