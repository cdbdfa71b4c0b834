"""The contract of a protocol: what a rater sees, how an answer is read, what record it becomes.

Pure: no Django here. Strings for people are marked with `gettext_noop` and translated by the caller.
"""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

Translate = Callable[[str], str]


def gettext_noop(text: str) -> str:
    """Mark a string for translation and return it unchanged."""
    return text


class AnswerError(ValueError):
    """An answer is not one the question allows; the message says what is.

    `msgid` is the message to translate, with %(name)s for each of `params`; as a string it is English.
    """

    def __init__(self, msgid: str, **params: object) -> None:
        super().__init__(msgid % params)
        self.msgid = msgid
        self.params = params


@dataclass(frozen=True)
class Scale:
    """Whole numbers from `low` to `high`, both allowed."""

    low: int = 1
    high: int = 100
    low_label: str = ""
    high_label: str = ""


@dataclass(frozen=True)
class Text:
    """A text on a screen, with what the browser needs to set it well."""

    label: str
    lang: str
    dir: str
    text: str


@dataclass(frozen=True)
class Option:
    """One answer of a choice; `key` is the digit that picks it."""

    value: str
    label: str
    key: str


@dataclass(frozen=True)
class Question:
    """What is asked. `kind` names the form field, partial and script that ask it."""

    kind: str
    name: str
    prompt: str
    help: str
    low: int | None = None
    high: int | None = None
    low_label: str = ""
    high_label: str = ""
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class ShownItem:
    """What a protocol needs to draw a screen: texts and languages, nothing about where they come from.

    `candidates` stand in the order of the screen (sides already drawn). `before` and `after` are the texts
    of the neighbouring segments of the same document, in reading order, of the very version `context` is.
    """

    source_language: str
    target_language: str
    source_name: str
    target_name: str
    source_dir: str
    target_dir: str
    context: str
    candidates: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Screen:
    """Everything a rater's browser receives about an item. There is no system, kind or database id.

    `before` and `after` are what stands around the context in its document, shown greyed.
    """

    key: str
    question: Question
    context: tuple[Text, ...]
    candidates: tuple[Text, ...]
    before: Text | None = None
    after: Text | None = None
    number: int = 0
    total: int = 0
    answer: dict[str, Any] | None = None
    comment: str = ""
    client_key: str = ""
    done: bool = False
    can_skip: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the screen as strict JSON."""
        plain = asdict(self)
        plain["protocol_question"] = plain.pop("question")
        return plain


@dataclass(frozen=True)
class Answer:
    """A checked answer: a score on the scale, or a choice (`left`, `right`, `equal`) as shown."""

    score: float | None = None
    choice: str = ""


@dataclass(frozen=True)
class Protocol(ABC):
    """One way of asking people."""

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    candidates_per_item: ClassVar[int]
    context: ClassVar[str]  # "source", "reference" or "none"
    record: ClassVar[str]  # "rating" or "comparison"
    guidelines: ClassVar[str]
    seconds_per_decision: ClassVar[float]
    scale: Scale = field(default_factory=Scale)

    @abstractmethod
    def question(self, translate: Translate) -> Question:
        """Return the question in the rater's language."""

    @abstractmethod
    def texts(self, item: ShownItem, translate: Translate) -> tuple[tuple[Text, ...], tuple[Text, ...]]:
        """Return (context texts, candidate texts) of an item, labelled."""

    @abstractmethod
    def parse(self, answers: Mapping[str, Any]) -> Answer:
        """Check what came from a browser.

        Raises:
            AnswerError: the value is missing or not one of those allowed.
        """

    def screen(self, key: str, item: ShownItem, translate: Translate, **state: Any) -> Screen:
        """Draw the screen of an assignment known to the browser as `key`."""
        context, candidates = self.texts(item, translate)
        before, after = self.neighbours(item, translate)
        return Screen(
            key=key,
            question=self.question(translate),
            context=context,
            candidates=candidates,
            before=before,
            after=after,
            **state,
        )

    def neighbours(self, item: ShownItem, translate: Translate) -> tuple[Text | None, Text | None]:
        """Return what is shown of the document before and after the item; nothing without a context."""
        return None, None


def read_whole_number(value: Any, scale: Scale) -> int:
    """Return the whole number a rater typed, inside the scale.

    Decimal digits of any script are taken (٧٢ and ７２ are 72); signs, decimals, exponents are not.

    Raises:
        AnswerError: anything else, with what is allowed.
    """
    allowed = {"low": scale.low, "high": scale.high}
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise AnswerError(gettext_noop("A whole number from %(low)s to %(high)s is expected."), **allowed)
    text = str(value)
    if text == "":
        message = gettext_noop("No score was given: choose a whole number from %(low)s to %(high)s.")
        raise AnswerError(message, **allowed)
    if len(text) > 20 or not all(unicodedata.category(mark) == "Nd" for mark in text):
        message = gettext_noop("%(text)s is not a whole number from %(low)s to %(high)s.")
        raise AnswerError(message, text=repr(text[:20]), **allowed)
    number = int(text)
    if not scale.low <= number <= scale.high:
        message = gettext_noop(
            "%(text)s is outside the scale: choose a whole number from %(low)s to %(high)s."
        )
        raise AnswerError(message, text=number, **allowed)
    return number
