"""Split lines at white space and number the words, without making a Python string of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Split:
    """Words of lines.

    Attributes:
        ids: number of each word's type, types numbered by first occurrence.
        lengths: words of each line.
        names: the types, as an Arrow array of strings.
    """

    ids: Ids
    lengths: Ids
    names: Any


def split_words(data: bytes) -> Split:
    """Split UTF-8 lines that end at LF as `str.split()` does each of them."""
    arrow: Any = import_module("pyarrow")
    compute: Any = import_module("pyarrow.compute")
    if not data:
        return Split(np.empty(0, np.int32), np.empty(0, np.int32), arrow.array([], arrow.string()))
    signs = _with_blanks(np.frombuffer(data, np.uint8))
    cuts = np.flatnonzero(signs == 10) + 1
    if not len(cuts) or cuts[-1] != len(data):
        cuts = np.append(cuts, len(data))
    offsets = np.concatenate([[0], cuts]).astype(np.int32)
    lines = arrow.StringArray.from_buffers(len(cuts), arrow.py_buffer(offsets), arrow.py_buffer(signs))
    found = compute.ascii_split_whitespace(lines)
    coded = found.values.dictionary_encode()
    ids, starts = coded.indices.to_numpy(), found.offsets.to_numpy()
    empty = compute.index(coded.dictionary, "").as_py()
    if empty < 0:
        return Split(ids, np.diff(starts), coded.dictionary)
    kept = ids != empty
    before = np.empty(len(ids) + 1, np.int32)
    before[0] = 0
    np.cumsum(kept, out=before[1:])
    ids = ids[kept]
    ids -= ids > empty

    names = arrow.concat_arrays([coded.dictionary[:empty], coded.dictionary[empty + 1 :]])
    return Split(ids, np.diff(before[starts]), names)


def joined_names(known: Any, parts: Sequence[Split]) -> tuple[Any, list[Ids]]:
    """Return the types of all parts in the order of their first occurrence, and all ids anew.

    Args:
        known: types known before, as an Arrow array; None for none.
        parts: words numbered each by types of their own.
    """
    arrow: Any = import_module("pyarrow")
    if known is None and len(parts) == 1:
        return parts[0].names, [parts[0].ids]
    coded = arrow.DictionaryArray.from_arrays
    chunks = [] if known is None else [coded(arrow.array([], arrow.int32()), known)]
    chunks += [coded(part.ids, part.names) for part in parts]
    unified = arrow.chunked_array(chunks).unify_dictionaries().chunks
    found = unified[len(chunks) - len(parts) :]
    return found[0].dictionary, [chunk.indices.to_numpy() for chunk in found]


def _with_blanks(signs: Bytes) -> Bytes:
    """Put blanks for white space beside blank, TAB, LF, VT, FF and CR (no-break spaces, for one)."""
    separators = (signs >= 0x1C) & (signs <= 0x1F)
    at = np.flatnonzero((signs == 0xC2) | ((signs >= 0xE1) & (signs <= 0xE3)))
    first = signs[at]
    second, third = signs[np.minimum(at + 1, len(signs) - 1)], signs[np.minimum(at + 2, len(signs) - 1)]
    two = (first == 0xC2) & ((second == 0x85) | (second == 0xA0))
    general = (second == 0x80) & ((third <= 0x8A) | (third == 0xA8) | (third == 0xA9) | (third == 0xAF))
    three = (
        ((first == 0xE1) & (second == 0x9A) & (third == 0x80))
        | ((first == 0xE2) & (general | ((second == 0x81) & (third == 0x9F))))
        | ((first == 0xE3) & (second == 0x80) & (third == 0x80))
    )
    if not (separators.any() or two.any() or three.any()):
        return signs
    signs = signs.copy()
    signs[separators] = 0x20
    for found, size in ((at[two], 2), (at[three], 3)):
        for place in range(size):
            signs[found + place] = 0x20
    return signs
