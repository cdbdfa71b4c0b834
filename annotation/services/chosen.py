"""Turn what a command, form or program names into the texts and the selection of a new campaign."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.protocols import Protocol
from annotation.services.selection import PlainTexts, Selection, selection_load, selection_of_texts
from evalplatform.errors import BadInput
from mtcore.services.outputs import output_draft
from mtcore.services.testsets import testset_draft
from mtcore.services.texts import NamedText


def plain_texts(
    *,
    name: str,
    languages: str,
    source: NamedText,
    references: Sequence[NamedText],
    outputs: Sequence[NamedText],
    direction: str = "",
) -> PlainTexts:
    """Check the texts of a campaign that brings its own; each output is named as its system.

    Raises:
        BadInput: a text does not fit the others, or a name cannot be used.
    """
    testset = testset_draft(
        name=name, languages=languages, sources=[source], references=references, direction=direction
    )
    first = testset.versions[0].text
    named = NamedText(first.name, first.file, first.lines)
    drafts = [output_draft(system=text.name, text=text, source=named) for text in outputs]
    return PlainTexts(testset, tuple(drafts))


def chosen_selection(
    *,
    protocol: type[Protocol],
    texts: PlainTexts | None,
    testsets: Sequence[str] = (),
    systems: Sequence[str] = (),
    inputs: Sequence[str] = (),
    references: Sequence[str] = (),
    languages: str = "",
    hidden_reference: bool = False,
) -> Selection:
    """Choose what is judged: everything of the texts at hand, or what is named of the imported ones.

    Raises:
        BadInput: the protocol shows no reference, no system is named, or what is named does not fit.
        NotFound: a test set or system is unknown.
    """
    needs_reference = protocol.context == "reference"
    if references and not needs_reference:
        raise BadInput(f"Protocol {protocol.name} shows no reference.", "Name none.")
    if texts is not None:
        return selection_of_texts(
            texts,
            references=references,
            needs_reference=needs_reference,
            hidden_reference=hidden_reference,
        )
    if not systems:
        raise BadInput("No systems are given.", "Name the systems to judge.")
    return selection_load(
        testsets=testsets,
        systems=systems,
        inputs=inputs,
        references=references,
        languages=languages,
        needs_reference=needs_reference,
        hidden_reference=hidden_reference,
    )
