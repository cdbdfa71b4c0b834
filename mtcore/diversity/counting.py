"""Count the words of texts of any length: streamed, by all processors, in bounded memory."""

from __future__ import annotations

import multiprocessing
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from tempfile import SpooledTemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt

from mtcore.diversity.base import IntArray
from mtcore.diversity.splitting import Ids, Split, joined_names
from mtcore.diversity.tokens import Tokeniser

IN_MEMORY_BYTES = 32 * 1024 * 1024
"""Up to this size the numbers of a text's words stay in memory; more go to a temporary file."""

POOL_FROM = 6
"""Blocks from which on other processes are worth starting."""

JOINED = 16
"""Blocks whose types are joined to those known at once: joining reads all types known."""


class TokenStore:
    """The words of a text as numbers, to be read again from any place."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)  # noqa: SIM115 (lives as long as the text)
        weakref.finalize(self, self._file.close)
        self.tokens = 0

    def append(self, ids: Ids) -> None:
        """Add words at the end."""
        self._file.seek(0, 2)
        self._file.write(ids.tobytes())
        self.tokens += len(ids)

    def read(self, begin: int, end: int) -> Ids:
        """Return the words from one offset to another."""
        self._file.seek(4 * begin)
        return np.frombuffer(self._file.read(4 * (end - begin)), np.int32)

    def pieces(self, size: int) -> Iterator[tuple[int, Ids]]:
        """Give the words piece by piece, each with its offset."""
        for begin in range(0, self.tokens, size):
            yield begin, self.read(begin, min(begin + size, self.tokens))

    def pieces_from_end(self, size: int) -> Iterator[Ids]:
        """Give the words piece by piece, read backwards from the end."""
        for end in range(self.tokens, 0, -size):
            yield self.read(max(0, end - size), end)[::-1]


@dataclass(frozen=True, eq=False)
class Counted:
    """A text counted.

    Attributes:
        types: in order of first occurrence.
        counts: how often each occurs [V].
        lengths: words of each line [n].
        store: the words themselves.
    """

    types: list[str]
    counts: IntArray
    lengths: npt.NDArray[np.int32]
    store: TokenStore


def count_words(blocks: Iterable[bytes], tokeniser: Tokeniser, jobs: int = 1) -> Counted:
    """Count the words of a text.

    Args:
        blocks: UTF-8, each block ending with a line.
        tokeniser: cuts lines into words.
        jobs: processes that may do so at once.
    """
    names: Any = None
    counts = np.zeros(0, np.int64)
    lengths: list[npt.NDArray[np.int32]] = []
    store = TokenStore()
    encoded = _encoded(blocks, tokeniser, jobs)
    while parts := list(islice(encoded, JOINED)):
        names, found = joined_names(names, parts)
        lengths += [part.lengths for part in parts]
        counts = np.concatenate([counts, np.zeros(len(names) - len(counts), np.int64)])
        for ids in found:
            counts += np.bincount(ids, minlength=len(counts))
            store.append(ids)
    joined = np.concatenate(lengths) if lengths else np.empty(0, np.int32)
    return Counted(names.to_pylist() if names is not None else [], counts, joined, store)


def line_blocks(lines: Iterable[str], size: int) -> Iterator[bytes]:
    """Join lines that are in memory to blocks of about this many bytes."""
    block: list[bytes] = []
    held = 0
    for line in lines:
        data = line.replace("\n", " ").encode("utf-8", "replace") + b"\n"
        block.append(data)
        held += len(data)
        if held >= size:
            yield b"".join(block)
            block, held = [], 0
    if block:
        yield b"".join(block)


def _encoded(blocks: Iterable[bytes], tokeniser: Tokeniser, jobs: int) -> Iterator[Split]:
    """Give blocks encoded, in their order; by several processes when there is enough to do."""
    rest = iter(blocks)
    first = list(islice(rest, POOL_FROM))
    if jobs < 2 or len(first) < POOL_FROM or multiprocessing.current_process().daemon:
        yield from map(tokeniser.encode, chain(first, rest))
        return
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting: deque[Future[Split]] = deque()
        try:
            for block in chain(first, rest):
                waiting.append(pool.submit(tokeniser.encode, block))
                if len(waiting) >= 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
