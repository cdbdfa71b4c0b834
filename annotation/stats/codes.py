"""Codes of names, and orders of rows that do not depend on how the rows arrived."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
T = TypeVar("T")


def distinct(codes: IntArray) -> IntArray:
    """Return the distinct codes in order [≤ n]; a sort, faster here than a hash."""
    ordered = np.sort(codes)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def row_order(codes: tuple[IntArray, ...], score: FloatArray) -> IntArray:
    """Return the order of rows by the codes, then by score [n].

    Whole scores, the usual ones, are packed with the codes into one integer, which sorts several times
    faster. Rows that tie in everything are interchangeable.
    """
    columns = [*codes]
    whole = np.rint(score)
    if len(score) and np.array_equal(whole, score) and np.abs(whole).max() < 2**31:
        columns.append((whole - whole.min()).astype(np.int64))
        sizes = [int(column.max()) + 1 for column in columns]
        if prod(sizes) < 2**63:
            key = columns[0]
            for column, size in zip(columns[1:], sizes[1:], strict=True):
                key = key * size + column
            return np.argsort(key)
    return np.lexsort((score, *reversed(codes)))


def sorted_codes(names: Sequence[T], key: Any) -> tuple[tuple[T, ...], IntArray]:
    """Return the distinct names sorted, and the new code of each old one [len(names)]."""
    unique = tuple(sorted(set(names), key=key))
    code = {name: place for place, name in enumerate(unique)}
    return unique, np.array([code[name] for name in names], dtype=np.int64)
