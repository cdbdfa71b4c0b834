"""The stream of words that MTLD runs along: the tokens, or what lexicalrichness makes of them."""

from __future__ import annotations

import string
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mtcore.diversity.base import IntArray
from mtcore.diversity.splitting import split_words

STREAMS = ("lexicalrichness", "tokens")
_TO_BLANKS = bytes(0x20 if chr(sign) in string.punctuation else sign for sign in range(256))


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
        data = ("\n".join(types).lower() + "\n").encode()
        for dash in "–—":
            data = data.replace(dash.encode(), b"")
        found = split_words(data.translate(_TO_BLANKS, b"0123456789-"))
        self._words, self._n = found.ids, found.lengths
        self._begin = np.cumsum(self._n, dtype=np.int64) - self._n
        first = np.append(self._words, np.int32(-1))[self._begin]
        self._first = np.where(self._n > 0, first, np.int32(-1))
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
