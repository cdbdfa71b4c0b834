"""Subwords: put pieces together again, no line lost; count unknown words and protect special tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from mtcore.corpora.errors import CorpusError

SUBWORD_NMT = "subword-nmt"
SENTENCEPIECE = "sentencepiece"
NONE = "none"
AUTO = "auto"
SCHEMES = (SUBWORD_NMT, SENTENCEPIECE, NONE, AUTO)

MARK = "@@"
PIECE = "\u2581"
UNKNOWN = ("<unk>", "\u2047")
"""What engines write for a word they cannot say."""
UNKNOWN_SHARE = 0.05
"""More unknown words than this deserve a warning."""
_SPECIAL = re.compile(r"<(_*)(unk|s|/s|pad)>")
_PROTECTED = re.compile(r"<_(_*)(unk|s|/s|pad)>")


def join_subwords(line: str, scheme: str) -> str:
    """Put the pieces of a line together.

    Args:
        line: pieces with blanks between them.
        scheme: "subword-nmt" (`wor@@ ld`), "sentencepiece" (`▁wor ld`), "none", or "auto", which takes a line
            that begins with ▁ for sentencepiece.

    Raises:
        CorpusError: there is no such scheme.
    """
    if scheme == AUTO:
        scheme = SENTENCEPIECE if line.lstrip().startswith(PIECE) else SUBWORD_NMT
    if scheme == SUBWORD_NMT:
        return line.replace(f"{MARK} ", "").removesuffix(MARK)
    if scheme == SENTENCEPIECE:
        return line.replace(" ", "").replace(PIECE, " ").strip(" ")
    if scheme == NONE:
        return line
    raise CorpusError(f"“{scheme}” is no way to make subwords", remedy=f"Give one of {', '.join(SCHEMES)}.")


def join_lines(lines: Sequence[str], scheme: str) -> list[str]:
    """Put the pieces of every line together; there are as many lines afterwards."""
    return step(lines, lambda given: [join_subwords(line, scheme) for line in given], "joining subwords")


def step(lines: Sequence[str], work: Callable[[Sequence[str]], list[str]], name: str) -> list[str]:
    """Do one step of processing and hold it to its number of lines.

    Raises:
        CorpusError: it gave back another number of lines than it was given.
    """
    done = work(lines)
    require_same_count(len(lines), len(done), name)
    return done


def require_same_count(given: int, got: int, name: str) -> None:
    """Refuse a step that lost or doubled lines.

    Raises:
        CorpusError: with both numbers.
    """
    if given != got:
        raise CorpusError(
            f"{name} made {got:,} lines of {given:,}: nothing after it would stand beside its source",
            remedy="Look at the step's log and at blank lines in its input.",
        )


def unknown_share(lines: Iterable[str]) -> tuple[int, int]:
    """Count (unknown words, all words) in what an engine wrote."""
    unknown = words = 0
    for line in lines:
        tokens = line.split()
        words += len(tokens)
        unknown += sum(token in UNKNOWN for token in tokens)
    return unknown, words


def unknown_warning(unknown: int, words: int) -> str:
    """Say how many words were unknown when there are more than a few; empty otherwise."""
    if not words or unknown / words <= UNKNOWN_SHARE:
        return ""
    return f"{unknown:,} of {words:,} words ({unknown / words:.0%}) are unknown to the model"


def protect_specials(line: str) -> str:
    """Write a literal `<unk>`, `<s>`, `</s>` or `<pad>` so that no engine takes it for its own."""
    return _SPECIAL.sub(r"<_\1\2>", line)


def restore_specials(line: str) -> str:
    """Undo `protect_specials`: any text comes back as it was."""
    return _PROTECTED.sub(r"<\1\2>", line)
