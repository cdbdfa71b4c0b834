"""Cut text into words for phrase-based translation, and put words together again as text.

Moses' rules (sacremoses) for most languages, jieba (rjieba) for Chinese; single characters for other scripts
that write no blanks between words. Case is kept, nothing is escaped as mark-up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from mtcore.corpora.subwords import restore_specials
from mtcore.engines.errors import EngineError
from mtcore.engines.subword_models_split import clean_line

BARS, BARS_WORD = "|||", "<3bars>"
"""Separates the columns of a phrase table, and what stands for it in one."""
UNK = "UNK"
"""What is written for a word the system does not know, where a study asks for it."""
_WHOLE = (r"<_*/?(?:unk|s|pad)>", r"&#?\w+;")
"""What is one word though it has signs in it: what engines write themselves, and entities of mark-up."""
_WHOLE_WORD = re.compile("(" + "|".join(_WHOLE) + ")")
_NO_BLANKS = ("ja", "th", "km", "lo", "my", "bo")
_BLANK = "\u2581"
_DENSE = re.compile(
    r"[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\u303f\u3040-\u30ff\u31c0-\u31ef"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


class Words:
    """The words of one language, both ways."""

    def __init__(self, language: str) -> None:
        self.language = re.split(r"[-_]", language.lower())[0]

    def cut(self, line: str) -> list[str]:
        """Return the words of a line; none for one that is blank."""
        text = clean_line(line)
        words = self._cut(text) if text else []
        return [BARS_WORD if word == BARS else word for word in words if word]

    def join(self, words: Sequence[str]) -> str:
        """Return words as text."""
        plain = [BARS if word == BARS_WORD else restore_specials(word) for word in words]
        if self.language == "zh" or self.language in _NO_BLANKS:
            return _close(plain)
        return str(self._joiner.detokenize(plain, unescape=False))

    def _cut(self, text: str) -> Sequence[str]:
        if self.language == "zh":
            cut = import_module("rjieba").cut
            parts = enumerate(_WHOLE_WORD.split(text))
            words = [word for odd, part in parts for word in ([part] if odd % 2 else cut(part))]
            return [part for word in words for part in word.split()]
        if self.language in _NO_BLANKS:
            spaced = _DENSE.sub(lambda found: f" {found[0]} ", text.replace(" ", f" {_BLANK} "))
            return spaced.split()
        return self._cutter.tokenize(text, escape=False, protected_patterns=list(_WHOLE))

    @cached_property
    def _cutter(self) -> Any:
        prefixes: Any = import_module("sacremoses.corpus").NonbreakingPrefixes().available_langs
        known = self.language in prefixes
        tool: Any = _sacremoses().MosesTokenizer(self.language if known else "en")
        if not known:
            tool.NONBREAKING_PREFIXES = []
            tool.NUMERIC_ONLY_PREFIXES = []
        return tool

    @cached_property
    def _joiner(self) -> Any:
        return _sacremoses().MosesDetokenizer(self.language)


def words_versions() -> dict[str, str]:
    """Return the versions of what cuts words, for provenance."""
    found = {}
    for name in ("sacremoses", "rjieba"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _close(words: Sequence[str]) -> str:
    """Put words together without blanks where a script has none; between others stays one."""
    text = ""
    for word in words:
        dense = not text or _DENSE.match(text[-1]) or _DENSE.match(word[0]) or _BLANK in (text[-1], word)
        text += word if dense else f" {word}"
    return text.replace(_BLANK, " ")


def _sacremoses() -> Any:
    try:
        return import_module("sacremoses")
    except ImportError as error:
        raise EngineError("The package sacremoses, which cuts words, is missing.", "Install it.") from error
