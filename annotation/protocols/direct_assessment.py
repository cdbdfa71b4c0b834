"""Direct assessment: one translation, one number on a scale, against the source or a reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from annotation.protocols.base import (
    Answer,
    AnswerError,
    Protocol,
    Question,
    ShownItem,
    Text,
    Translate,
    gettext_noop,
    read_whole_number,
)
from annotation.protocols.neighbours import joined_after, joined_before

SOURCE = gettext_noop("Source")
REFERENCE = gettext_noop("Reference")
TRANSLATION = gettext_noop("Translation")
BEFORE = gettext_noop("Before it in the document")
AFTER = gettext_noop("After it in the document")


class DirectAssessment(Protocol):
    """What both kinds of direct assessment share: one candidate, one scale."""

    candidates_per_item: ClassVar[int] = 1
    record: ClassVar[str] = "rating"
    seconds_per_decision: ClassVar[float] = 8.0
    prompt: ClassVar[str]
    help: ClassVar[str]
    low_label: ClassVar[str]
    high_label: ClassVar[str]

    def question(self, translate: Translate) -> Question:
        """Return the scale question; a campaign's own anchors win over the protocol's."""
        return Question(
            kind="scale",
            name="score",
            prompt=translate(self.prompt),
            help=translate(self.help),
            low=self.scale.low,
            high=self.scale.high,
            low_label=self.scale.low_label or translate(self.low_label),
            high_label=self.scale.high_label or translate(self.high_label),
        )

    def parse(self, answers: Mapping[str, Any]) -> Answer:
        """Read `score`: a whole number on the scale."""
        if "score" not in answers:
            raise AnswerError(gettext_noop("No score was given."))
        return Answer(score=float(read_whole_number(answers["score"], self.scale)))

    def neighbours(self, item: ShownItem, translate: Translate) -> tuple[Text | None, Text | None]:
        """Show the neighbours of what the translation is held against, never those of the translation."""
        language, writing = self._context_language(item)
        before, after = joined_before(item.before), joined_after(item.after)
        return (
            Text(translate(BEFORE), language, writing, before) if before else None,
            Text(translate(AFTER), language, writing, after) if after else None,
        )

    def _context_language(self, item: ShownItem) -> tuple[str, str]:
        """Return the language of the context and the direction it is written in."""
        if self.context == "source":
            return item.source_language, item.source_dir
        return item.target_language, item.target_dir

    def _candidate(self, item: ShownItem, translate: Translate) -> tuple[Text, ...]:
        label = f"{translate(TRANSLATION)} · {item.target_name}"
        return (Text(label, item.target_language, item.target_dir, item.candidates[0]),)


class SourceDA(DirectAssessment):
    """Source-based direct assessment: correctness and completeness given the source."""

    name: ClassVar[str] = "source_da"
    title: ClassVar[str] = gettext_noop("Source-based direct assessment")
    description: ClassVar[str] = gettext_noop("One translation beside its source; a score for correctness.")
    context: ClassVar[str] = "source"
    prompt: ClassVar[str] = gettext_noop("How correct and complete is the translation?")
    help: ClassVar[str] = gettext_noop("Judge it against the source alone.")
    low_label: ClassVar[str] = gettext_noop("nothing of it")
    high_label: ClassVar[str] = gettext_noop("all of it, correctly")
    guidelines: ClassVar[str] = gettext_noop(
        "You will see a text and one translation of it. Read both, then say on the scale how correctly "
        "and completely the translation gives the meaning of the source.\n\n"
        "- Judge against the **source alone**; other translations you can think of do not matter.\n"
        "- Something **missing or added** counts as much as something wrong.\n"
        "- Use the **whole scale**, and use it the same way from the first to the last item.\n"
        "- You can go back and change an answer at any time."
    )

    def texts(self, item: ShownItem, translate: Translate) -> tuple[tuple[Text, ...], tuple[Text, ...]]:
        """Show the source, then the translation."""
        label = f"{translate(SOURCE)} · {item.source_name}"
        source = Text(label, item.source_language, item.source_dir, item.context)
        return (source,), self._candidate(item, translate)


class ReferenceDA(DirectAssessment):
    """Reference-based direct assessment: closeness in meaning to a reference translation."""

    name: ClassVar[str] = "reference_da"
    title: ClassVar[str] = gettext_noop("Reference-based direct assessment")
    description: ClassVar[str] = gettext_noop("One translation beside a reference; a score for closeness.")
    context: ClassVar[str] = "reference"
    prompt: ClassVar[str] = gettext_noop("How close in meaning is the translation to the reference?")
    help: ClassVar[str] = gettext_noop("The reference is correct; other words may say the same.")
    low_label: ClassVar[str] = gettext_noop("something else")
    high_label: ClassVar[str] = gettext_noop("exactly the same meaning")
    guidelines: ClassVar[str] = gettext_noop(
        "You will see a reference text and a translation in the same language. Say on the scale how close "
        "the translation comes to the meaning of the reference.\n\n"
        "- Take the **reference as correct**; you do not need the original.\n"
        "- **Other words** may say exactly the same; that costs nothing.\n"
        "- Use the **whole scale**, and use it the same way from the first to the last item.\n"
        "- You can go back and change an answer at any time."
    )

    def texts(self, item: ShownItem, translate: Translate) -> tuple[tuple[Text, ...], tuple[Text, ...]]:
        """Show the reference, then the translation."""
        label = f"{translate(REFERENCE)} · {item.target_name}"
        reference = Text(label, item.target_language, item.target_dir, item.context)
        return (reference,), self._candidate(item, translate)
