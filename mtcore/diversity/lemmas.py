"""Find the lemmas of words: one socket, several tools, none of which falls back on another language."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mtcore.corpora.languages import standard_tag
from mtcore.corpora.reader import read_lines
from mtcore.diversity.base import DiversityError, ToolUnavailable

TOOLS = ("simplemma", "table", "spacy")
_SIMPLEMMA_CODES = {"no": "nb", "sr": "hbs", "hr": "hbs", "bs": "hbs", "sh": "hbs", "fil": "tl"}


class Lemmatiser(ABC):
    """Finds the lemma of a word form by itself; the sentence around it is not looked at.

    Attributes:
        name: tool, version and data, for signatures.
    """

    name: str

    @abstractmethod
    def lemmatise(self, words: Sequence[str]) -> list[str]:
        """Return the lemma of each word; a word that is not known is its own lemma."""


class Simplemma(Lemmatiser):
    """The package simplemma: dictionaries and rules for some fifty languages, nothing to download."""

    def __init__(self, language: str) -> None:
        """Know the lemmas of a language.

        Raises:
            ToolUnavailable: the package is absent, or has no data for the language.
        """
        try:
            self._lemmatise = import_module("simplemma").lemmatize
        except ImportError as error:
            raise ToolUnavailable(
                "simplemma is not installed", "Install it: pip install simplemma."
            ) from error
        known = version("simplemma")
        self.language = language_code(language)
        self.name = f"simplemma{known}-{self.language}"
        try:
            self._lemmatise("a", lang=self.language)
        except ValueError as error:
            raise ToolUnavailable(
                f"simplemma {known} knows no lemmas of “{language}”",
                "Give a table of forms and lemmas: --lemmatiser table:FILE.",
            ) from error

    def lemmatise(self, words: Sequence[str]) -> list[str]:
        """Return the lemma of each word."""
        return [self._lemmatise(word, lang=self.language) if word else word for word in words]


class TableLemmatiser(Lemmatiser):
    """A table of the user's: word form, TAB, lemma, one pair a line; forms also match in lower case."""

    def __init__(self, lemmas: Mapping[str, str], name: str) -> None:
        self._lemmas = dict(lemmas)
        self.name = f"table:{name}"

    @classmethod
    def read(cls, path: Path | str) -> TableLemmatiser:
        """Read the table.

        Raises:
            CorpusError: the file cannot be read.
            DiversityError: a line is not a form and a lemma.
        """
        name = Path(path).name
        lemmas: dict[str, str] = {}
        for number, line in enumerate(read_lines(path).lines, start=1):
            if not line.strip():
                continue
            fields = [field.strip() for field in line.split("\t")]
            if len(fields) != 2 or not all(fields):
                raise DiversityError(
                    f"{name}, line {number:,}: expected a word form, TAB and its lemma; found {line[:60]!r}",
                    "Write one pair a line.",
                )
            lemmas.setdefault(fields[0], fields[1])
        return cls(lemmas, name)

    def lemmatise(self, words: Sequence[str]) -> list[str]:
        """Return the lemma of each word, itself where the table has none."""
        lemmas = self._lemmas
        return [lemmas.get(word) or lemmas.get(word.lower()) or word for word in words]


class SpacyLemmatiser(Lemmatiser):
    """A spaCy pipeline from a folder of the user's; each word form is looked at by itself."""

    def __init__(self, path: str) -> None:
        """Load the pipeline.

        Raises:
            ToolUnavailable: spaCy is absent, or the path is no pipeline.
        """
        try:
            spacy: Any = import_module("spacy")
        except ImportError as error:
            raise ToolUnavailable("spaCy is not installed", "Install it: pip install spacy.") from error
        try:
            self._pipeline = spacy.load(path)
        except (OSError, ValueError) as error:
            raise ToolUnavailable(
                f"{path} is no spaCy pipeline", "Give the folder of one: --lemmatiser spacy:FOLDER."
            ) from error
        meta = self._pipeline.meta
        self.name = f"spacy{version('spacy')}-{meta.get('lang')}_{meta.get('name')}{meta.get('version')}"

    def lemmatise(self, words: Sequence[str]) -> list[str]:
        """Return the lemma of each word; the word itself where the pipeline cuts it up or has none."""
        lemmas = []
        for word, doc in zip(words, self._pipeline.pipe(words), strict=True):
            lemmas.append(doc[0].lemma_ or word if len(doc) == 1 else word)
        return lemmas


def lemmatiser_for(choice: str, language: str) -> Lemmatiser:
    """Make the lemmatiser that was asked for: simplemma, table:FILE or spacy:FOLDER.

    Raises:
        DiversityError: an unknown tool, or one without its file.
        ToolUnavailable: the tool is absent or does not know the language.
    """
    tool, _, path = choice.partition(":")
    if tool == "simplemma" and not path:
        if not language:
            raise ToolUnavailable("no language given (--language)", "Give --language.")
        return Simplemma(language)
    if tool == "table" and path:
        return TableLemmatiser.read(path)
    if tool == "spacy" and path:
        return SpacyLemmatiser(path)
    raise DiversityError(
        f"“{choice}” is no lemmatiser", "Give simplemma, table:FILE (form, TAB, lemma) or spacy:FOLDER."
    )


def language_code(tag: str) -> str:
    """Return the code by which simplemma knows a language, or the tag as it is."""
    try:
        short = standard_tag(tag).split("-")[0]
    except ValueError:
        return tag
    return _SIMPLEMMA_CODES.get(short, short)


def installed(package: str) -> str:
    """Return the version of a package, or nothing when it is absent."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
