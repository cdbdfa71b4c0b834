"""The stream of words that MTLD runs along: the tokens, or what lexicalrichness makes of them."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from mtcore.diversity.base import IntArray

STREAMS = ("lexicalrichness", "tokens")
_DELETED = re.compile("[0-9–—-]+")
_DASHES = "–—-"


class Stream:
    """Turns the numbers of tokens into those of the words of a stream.

    What lexicalrichness does to a text (lower case; digits and dashes deleted; other ASCII punctuation to
    blanks) never crosses white space, so it is done once for each type: a token becomes no, one or several
    words.
    """

    def __init__(self, types: Sequence[str], kind: str) -> None:
        self._plain = kind == "tokens"
        if self._plain or not types:
            return
        text = _DELETED.sub("", "\n".join(types).lower())
        for mark in string.punctuation:
            if mark not in _DASHES:
                text = text.replace(mark, " ")
        arrow: Any = import_module("pyarrow")
        compute: Any = import_module("pyarrow.compute")
        found = compute.utf8_split_whitespace(arrow.array(text.split("\n")))
        coded = found.values.dictionary_encode()
        numbers = coded.indices.to_numpy()
        names = coded.dictionary
        empty = compute.index(names, "").as_py() if len(names) else -1
        kept = numbers != empty
        before = np.concatenate([[0], np.cumsum(kept)])[found.offsets.to_numpy()]
        self._words = numbers[kept].astype(np.int32)
        self._begin = before[:-1]
        self._n = np.diff(before).astype(np.int32)
        first = (
            self._words[np.minimum(self._begin, max(len(self._words) - 1, 0))]
            if len(self._words)
            else self._n
        )
        self._first = np.where(self._n > 0, first, -1).astype(np.int32)
        self._several = self._n > 1

    def words(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the words of the stream that these tokens become."""
        if self._plain:
            return ids
        found = self._first[ids]
        several = self._several[ids]
        if not several.any():
            return found[found >= 0]
        places = np.flatnonzero(several)
        more = self._n[ids[places]] - 1
        ends = np.cumsum(more)
        further = np.repeat(self._begin[ids[places]] + 1 - (ends - more), more) + np.arange(ends[-1])
        found = np.insert(found, np.repeat(places + 1, more), self._words[further])
        return found[found >= 0]

    def lengths(self, ids: npt.NDArray[np.int32]) -> IntArray:
        """Return how many words each token becomes."""
        if self._plain:
            return np.ones(len(ids), np.int64)
        lengths: IntArray = self._n[ids].astype(np.int64)
        return lengths
