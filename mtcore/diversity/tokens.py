"""Cut lines into words: as given, as Moses does, or with a segmenter where a script has no spaces."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from mtcore.diversity.base import DiversityError, ToolUnavailable
from mtcore.diversity.lemmas import installed, language_code
from mtcore.diversity.splitting import Split, split_words

TOKENS = ("moses", "given")
SPACELESS = frozenset({"zh", "yue", "wuu", "lzh", "ja", "th", "lo", "km", "my", "bo", "dz"})
"""Languages written without spaces between words."""

LONGEST_WORD = 6
"""Mean characters of a word above which a text in such a script is taken to be without word boundaries."""

_SPACELESS_SCRIPT = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
)
_GIVE_WORDS = "Or segment the text with a tool of your choice and give it with --tokens given."


class Tokeniser(ABC):
    """Cuts lines into words.

    Attributes:
        name: tool, version and language, for signatures.
        block_bytes: how much text is given to one process at once.
    """

    name: str
    block_bytes: int = 512 * 1024

    @abstractmethod
    def words(self, line: str) -> Sequence[str]:
        """Return the words of a line, none of them empty or with white space in it."""

    def encode(self, data: bytes) -> Split:
        """Cut and number the words of UTF-8 text whose lines end at LF."""
        arrow: Any = import_module("pyarrow")
        lines = data.decode("utf-8").split("\n")
        if lines[-1] == "":
            lines.pop()
        numbers: dict[str, int] = {}
        ids: list[int] = []
        lengths = np.empty(len(lines), np.int32)
        for place, line in enumerate(lines):
            words = self.words(line)
            lengths[place] = len(words)
            ids.extend([numbers.setdefault(word, len(numbers)) for word in words])
        return Split(np.array(ids, np.int32), lengths, arrow.array(list(numbers), arrow.string()))


class Given(Tokeniser):
    """Words as they stand between white space."""

    name = "given"
    block_bytes = 4 * 1024 * 1024

    def words(self, line: str) -> Sequence[str]:
        """Return what stands between white space."""
        return line.split()

    def encode(self, data: bytes) -> Split:
        """Cut and number words without making a Python string of each."""
        return split_words(data)


class Moses(Tokeniser):
    """The Moses tokeniser (sacremoses), case kept, nothing escaped; the language's abbreviations or none."""

    def __init__(self, language: str) -> None:
        """Know the language.

        Raises:
            ToolUnavailable: sacremoses is absent.
        """
        known = installed("sacremoses")
        if not known:
            raise ToolUnavailable(
                "sacremoses is not installed", "Install it (pip install sacremoses), or give tokenised text."
            )
        prefixes: Any = import_module("sacremoses.corpus").NonbreakingPrefixes().available_langs
        code = language_code(language) if language else ""
        self.language = code if code in prefixes else ""
        self.name = f"sacremoses{known}-{self.language or 'no abbreviations'}"

    @cached_property
    def _tool(self) -> Any:
        tool = import_module("sacremoses").MosesTokenizer(self.language or "en")
        if not self.language:
            tool.NONBREAKING_PREFIXES = []
            tool.NUMERIC_ONLY_PREFIXES = []
        return tool

    def words(self, line: str) -> Sequence[str]:
        """Return the words as Moses cuts them."""
        return [word for word in self._tool.tokenize(line, escape=False) if word]

    def __getstate__(self) -> dict[str, Any]:
        """Leave the tool itself behind: another process makes its own."""
        return {"language": self.language, "name": self.name}


class Jieba(Tokeniser):
    """Chinese words by jieba (the package rjieba)."""

    def __init__(self) -> None:
        """Check that the tool is there.

        Raises:
            ToolUnavailable: it is not.
        """
        known = installed("rjieba")
        if not known:
            raise ToolUnavailable(
                "Chinese has no spaces between words, and the segmenter rjieba is not installed",
                f"Install it: pip install rjieba. {_GIVE_WORDS}",
            )
        self.name = f"rjieba{known}"

    def words(self, line: str) -> Sequence[str]:
        """Return the words that jieba finds."""
        return [part for word in import_module("rjieba").cut(line) for part in word.split()]


class Fugashi(Tokeniser):
    """Japanese words by MeCab, through the packages fugashi and unidic-lite."""

    def __init__(self) -> None:
        """Check that the tools are there.

        Raises:
            ToolUnavailable: one is not.
        """
        known, dictionary = installed("fugashi"), installed("unidic-lite")
        if not (known and dictionary):
            raise ToolUnavailable(
                "Japanese has no spaces between words, and the segmenter fugashi is not installed",
                f"Install it: pip install fugashi unidic-lite. {_GIVE_WORDS}",
            )
        self.name = f"fugashi{known}-unidic-lite{dictionary}"

    @cached_property
    def _tool(self) -> Any:
        return import_module("fugashi").Tagger()

    def words(self, line: str) -> Sequence[str]:
        """Return the words that MeCab finds."""
        return [part for word in self._tool(line) for part in word.surface.split()]

    def __getstate__(self) -> dict[str, Any]:
        """Leave the tool itself behind: another process makes its own."""
        return {"name": self.name}


SEGMENTERS = {"zh": Jieba, "ja": Fugashi}
"""Language → what finds its words."""


def tokeniser_for(tokens: str, language: str) -> Tokeniser:
    """Make the tokeniser for a language ("" when it is not known).

    Raises:
        DiversityError: an unknown choice.
        ToolUnavailable: nothing at hand finds the words of the language.
    """
    if tokens not in TOKENS:
        raise DiversityError(f"“{tokens}” is no way to find words", f"Give one of {', '.join(TOKENS)}.")
    if tokens == "given":
        return Given()
    code = language_code(language) if language else ""
    if code in SEGMENTERS:
        return SEGMENTERS[code]()
    if code in SPACELESS:
        raise ToolUnavailable(
            f"“{language}” has no spaces between words, and no segmenter is at hand", _GIVE_WORDS
        )
    return Moses(language)


def check_words(name: str, types: Sequence[str], counts: npt.NDArray[np.int64], tokeniser: Tokeniser) -> None:
    """Refuse a text in a script without spaces whose words nobody has parted.

    Raises:
        DiversityError: most words are in such a script, and Moses has cut them, or they are far too long.
    """
    found = [place for place, word in enumerate(types) if _SPACELESS_SCRIPT.search(word)]
    own = counts[found]
    if own.sum() * 2 < counts.sum() or not found:
        return
    mean = float(np.dot(own, [len(types[place]) for place in found]) / own.sum())
    if mean > LONGEST_WORD or isinstance(tokeniser, Moses):
        raise DiversityError(
            f"{name} is in a script without spaces between words, and its words have not been found",
            f"Name its language (--language zh or ja). {_GIVE_WORDS}",
        )
