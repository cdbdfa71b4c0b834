"""Small keys for lines: to find test segments in a corpus, and lines that come twice, in little memory."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEYS_AT_ONCE = 2_000_000
"""So many keys are sorted in memory at a time (about 100 MB)."""
_BUFFERED = 65_536
_NO_LETTERS = re.compile(r"[\W_]+")
_ENTRY = np.dtype([("key", "<u8"), ("line", "<u8")])


def exact_key(text: str) -> int:
    """Return 64 bits of a text as it stands; two different texts share them once in 10¹⁹ pairs."""
    return int.from_bytes(blake2b(text.encode("utf-8"), digest_size=8).digest(), "little")


def loose_key(text: str) -> int | None:
    """Return 64 bits of a text's letters and digits, whatever their case, spacing, or punctuation.

    So a segment is known again in a corpus that is tokenised or lower-cased. None for a text without any.
    """
    plain = _NO_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return exact_key(plain) if plain else None


def loose_keys(texts: Iterable[str]) -> frozenset[int]:
    """Return the loose keys of texts."""
    return frozenset(key for key in map(loose_key, texts) if key is not None)


class RepeatFinder:
    """Find lines that occurred before, among any number of them, with their keys on disk.

    Keys go to a file; at the end they are dealt out to files by their value, so that equal ones meet, and
    each of these is sorted in memory.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.n = 0
        self._file = (folder / "keys").open("wb")
        self._buffer: array[int] = array("Q")

    def add(self, key: int) -> None:
        """Add the key of the next line."""
        self.n += 1
        self._buffer.append(key)
        if len(self._buffer) >= _BUFFERED:
            self._flush()

    def repeats(self) -> NDArray[np.bool_]:
        """Return for each line whether the same key came before [n] (kept on disk)."""
        self._flush()
        self._file.close()
        found = np.memmap(self.folder / "repeats", dtype=np.bool_, mode="w+", shape=(max(1, self.n),))
        for entries in self._dealt():
            order = np.argsort(entries["key"], kind="stable")
            same = np.zeros(len(entries), dtype=np.bool_)
            same[1:] = entries["key"][order][1:] == entries["key"][order][:-1]
            found[entries["line"][order][same]] = True
        return found[: self.n]

    def _dealt(self) -> Iterator[NDArray[Any]]:
        """Give arrays of (key, line) in which every key is whole and lines are in order."""
        parts = -(-self.n // KEYS_AT_ONCE)
        if parts <= 1:
            yield _entries(np.fromfile(self.folder / "keys", dtype="<u8"), 0)
            return
        paths = [self.folder / f"keys.{part}" for part in range(parts)]
        files = [path.open("wb") for path in paths]
        for at in range(0, self.n, KEYS_AT_ONCE):
            keys = np.fromfile(self.folder / "keys", dtype="<u8", count=KEYS_AT_ONCE, offset=at * 8)
            entries = _entries(keys, at)
            for part, file in enumerate(files):
                entries[keys % np.uint64(parts) == part].tofile(file)
        for path, file in zip(paths, files, strict=True):
            file.close()
            yield np.fromfile(path, dtype=_ENTRY)
            path.unlink()

    def _flush(self) -> None:
        self._buffer.tofile(self._file)
        self._buffer = array("Q")


def _entries(keys: NDArray[np.uint64], first: int) -> NDArray[Any]:
    entries = np.empty(len(keys), dtype=_ENTRY)
    entries["key"] = keys
    entries["line"] = np.arange(first, first + len(keys), dtype=np.uint64)
    return entries


def without_repeats(
    pairs: Iterable[tuple[str, str]], folder: Path, removed: Callable[[int], None]
) -> Iterator[tuple[str, str]]:
    """Give each pair once, in the order of first occurrence.

    All pairs are read before the first is given: they wait in files in `folder`.

    Args:
        pairs: lines without LF; both sides count.
        folder: an empty one on a disk with room for the text; it is the caller's to remove.
        removed: told the number of pairs left out.
    """
    finder = RepeatFinder(folder)
    paths = [folder / "source", folder / "target"]
    with (
        paths[0].open("w", encoding="utf-8", newline="\n") as ours,
        paths[1].open("w", encoding="utf-8", newline="\n") as others,
    ):
        for source, target in pairs:
            ours.write(source + "\n")
            others.write(target + "\n")
            finder.add(exact_key(f"{source}\n{target}"))
    repeats = finder.repeats()
    removed(int(repeats.sum()))
    with (
        paths[0].open(encoding="utf-8", newline="\n") as ours,
        paths[1].open(encoding="utf-8", newline="\n") as others,
    ):
        for source, target, repeated in zip(ours, others, repeats, strict=True):
            if not repeated:
                yield source[:-1], target[:-1]
