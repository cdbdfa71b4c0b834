"""Pairwise fluency: two texts without the source; which reads more fluently, or equal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from annotation.protocols.base import (
    Answer,
    AnswerError,
    Option,
    Protocol,
    Question,
    ShownItem,
    Text,
    Translate,
    gettext_noop,
)

CHOICES = ("left", "equal", "right")


class PairwiseFluency(Protocol):
    """A preference between two translations of the same segment."""

    name: ClassVar[str] = "pairwise_fluency"
    title: ClassVar[str] = gettext_noop("Pairwise fluency preference")
    description: ClassVar[str] = gettext_noop("Two texts without the source; which reads more fluently.")
    candidates_per_item: ClassVar[int] = 2
    context: ClassVar[str] = "none"
    record: ClassVar[str] = "comparison"
    seconds_per_decision: ClassVar[float] = 6.0
    guidelines: ClassVar[str] = gettext_noop(
        "You will see two texts that are meant to say the same. Say which one reads more fluently, or that "
        "they are equal.\n\n"
        "- Judge **the language only**: grammar, idiom, flow. You do not need the original.\n"
        "- Choose **Equal** when you have no preference; do not toss a coin.\n"
        "- Which text stands on which side is random.\n"
        "- You can go back and change an answer at any time."
    )

    def question(self, translate: Translate) -> Question:
        """Return the three-way choice."""
        return Question(
            kind="choice",
            name="choice",
            prompt=translate(gettext_noop("Which text reads more fluently?")),
            help=translate(gettext_noop("Both are meant to say the same. Judge the language only.")),
            options=(
                Option("left", "A", "1"),
                Option("equal", translate(gettext_noop("Equal")), "0"),
                Option("right", "B", "2"),
            ),
        )

    def texts(self, item: ShownItem, translate: Translate) -> tuple[tuple[Text, ...], tuple[Text, ...]]:
        """Show both texts and nothing else."""
        texts = tuple(
            Text(label, item.target_language, item.target_dir, text)
            for label, text in zip("AB", item.candidates, strict=True)
        )
        return (), texts

    def parse(self, answers: Mapping[str, Any]) -> Answer:
        """Read `choice`: left, right or equal, as shown."""
        choice = answers.get("choice")
        if choice in (None, ""):
            raise AnswerError(gettext_noop("Nothing was chosen: choose A, B or Equal."))
        if choice not in CHOICES:
            message = gettext_noop("%(text)s is not a choice: choose left, right or equal.")
            raise AnswerError(message, text=repr(str(choice)[:20]))
        return Answer(choice=str(choice))
