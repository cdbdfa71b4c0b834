"""Check that the texts of a test set belong together: as many lines, and the same line beside the same.

Both checks look at nothing but line lengths in characters, so they work for every pair of languages.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mtcore.corpora.errors import CorpusError

SHIFTS = (-3, -2, -1, 1, 2, 3)
MIN_LINES = 20
MIN_CORRELATION = 0.5
MIN_GAIN = 0.3
MIN_Z = 4.0
BLOCK_LINES = 100
MAX_SKIPS = 200
MAX_CELLS = 20_000_000
_MAX_COST = 1.5
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
_SHAPELESS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Fillers, two vowels and the empty pattern of braille, which count as letters and signs."""

NamedLines = tuple[str, Sequence[str]]


class LengthError(CorpusError):
    """Texts that should have as many lines as each other and have not."""


class ShiftError(CorpusError):
    """A text whose lines fit those of the other text better when moved up or down."""


def is_blank(text: str) -> bool:
    """Tell whether a text shows nothing: only spaces, controls, and characters without a shape."""
    return all(char in _SHAPELESS or unicodedata.category(char) in _UNSEEN for char in text)


def empty_lines(lines: Sequence[str]) -> list[int]:
    """List the 1-based numbers of lines that show nothing."""
    return [number for number, line in enumerate(lines, start=1) if is_blank(line)]


def check_same_length(first: NamedLines, *others: NamedLines) -> None:
    """Refuse texts that have not as many lines as the first, saying where they probably part.

    Raises:
        LengthError: for the first such text.
    """
    first_name, first_lines = first
    for name, lines in others:
        if len(lines) == len(first_lines):
            continue
        at = locate_difference(first_lines, lines)
        place = f"after line {at:,}" if at else "in line 1"
        where = f"; first difference probably {place}" if at is not None else ""
        raise LengthError(
            f"{name} has {_count(lines)}, {first_name} has {len(first_lines):,}{where}",
            remedy="Give files with one segment per line, in the same order and number.",
        )


def locate_difference(first: Sequence[str], second: Sequence[str]) -> int | None:
    """Estimate after which line two texts of different line counts part.

    The longer text is aligned with the shorter one by leaving out as many of its lines as it has too many,
    so that the squared differences of log lengths, each capped, are smallest (dynamic programming over the
    number of lines left out so far; O(lines × lines left out)).

    Returns:
        The number of lines that fit before the first one left out, or None when the counts are equal, too few
        or too far apart to tell.
    """
    shorter, longer = sorted((first, second), key=len)
    n, skips = len(shorter), len(longer) - len(shorter)
    if skips == 0 or skips > MAX_SKIPS or n < MIN_LINES or skips * n > MAX_CELLS:
        return None
    short, long = _log_lengths(shorter), _log_lengths(longer)
    ratio = float(np.median(long) - np.median(short))
    choices: list[NDArray[np.int64]] = []
    best = _cumulative_cost(short, long[:n], ratio)
    for skip in range(1, skips + 1):
        cost = _cumulative_cost(short, long[skip : skip + n], ratio)
        gap = best - cost
        lowest = np.minimum.accumulate(gap)
        choices.append(_first_reaching(gap, lowest))
        best = cost + lowest
    at = n
    for choice in reversed(choices):
        at = int(choice[at])
    return at


def check_shift(first: NamedLines, second: NamedLines) -> None:
    """Refuse a text whose lines correlate clearly better with those of the other when moved by 1–3 lines.

    The correlation is Pearson's, of the square roots of line lengths in characters. "Clearly" means: at
    least 0.5 when moved, 0.3 more than in place, and the two Fisher z values 4 standard errors apart. It is
    taken over blocks of 100 lines, where two blocks in a row must agree on the move (a line missing in the
    middle and another one too many further down leave the counts equal), and over the whole text. Texts of
    fewer than 20 lines tell too little and pass.

    Raises:
        ShiftError: the lines fit better when moved; the message says by how much and from where on.
    """
    first_name, first_lines = first
    second_name, second_lines = second
    n = min(len(first_lines), len(second_lines))
    if n < MIN_LINES:
        return
    x, y = _root_lengths(first_lines[:n]), _root_lengths(second_lines[:n])
    found = _block_shift(x, y) or _whole_shift(x, y)
    if found is None:
        return
    line, shift, moved, in_place = found
    here = line + max(0, -shift)
    met = f"line {here:,} of {first_name} by length fits line {here + shift:,}"
    raise ShiftError(
        f"{second_name} seems shifted against {first_name} by {abs(shift)} "
        f"{'line' if abs(shift) == 1 else 'lines'} from about line {line:,} on: {met} of {second_name} "
        f"(correlation of line lengths {moved:.2f}, in place {in_place:.2f})",
        remedy="Look for a line that is missing or doubled near there.",
    )


def _whole_shift(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[int, int, float, float] | None:
    n = len(x)
    in_place = float(_correlations(x[None, :], y[None, :])[0])
    best_shift, best = 0, in_place
    for shift in SHIFTS:
        if n - abs(shift) < MIN_LINES:
            continue
        a, b = _moved(x, y, shift)
        value = float(_correlations(a[None, :], b[None, :])[0])
        if value > best:
            best_shift, best = shift, value
    if best_shift and _is_clear(np.array([best]), np.array([in_place]), n)[0]:
        return 1, best_shift, best, in_place
    return None


def _block_shift(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[int, int, float, float] | None:
    blocks = len(x) // BLOCK_LINES
    if blocks < 2:
        return None
    size = blocks * BLOCK_LINES
    rows = x[:size].reshape(blocks, BLOCK_LINES)
    in_place = _correlations(rows, y[:size].reshape(blocks, BLOCK_LINES))
    for shift in SHIFTS:
        padded = np.roll(y[:size], -shift).reshape(blocks, BLOCK_LINES)
        moved = _correlations(rows, padded)
        clear = _is_clear(moved, in_place, BLOCK_LINES)
        pairs = np.flatnonzero(clear[:-1] & clear[1:])
        if len(pairs):
            block = int(pairs[0])
            return block * BLOCK_LINES + 1, shift, float(moved[block]), float(in_place[block])
    return None


def _is_clear(moved: NDArray[np.float64], in_place: NDArray[np.float64], n: int) -> NDArray[np.bool_]:
    apart = np.arctanh(np.clip(moved, -0.999, 0.999)) - np.arctanh(np.clip(in_place, -0.999, 0.999))
    z = apart * np.sqrt((n - 3) / 2)
    clear: NDArray[np.bool_] = (moved >= MIN_CORRELATION) & (moved - in_place >= MIN_GAIN) & (z >= MIN_Z)
    return clear


def _correlations(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate row by row, [rows, n] with [rows, n] → [rows]; 0 where a row is constant."""
    a = x - x.mean(axis=1, keepdims=True)
    b = y - y.mean(axis=1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    product = (a * b).sum(axis=1)
    return np.divide(product, scale, out=np.zeros_like(product), where=scale > 1e-12)


def _moved(
    x: NDArray[np.float64], y: NDArray[np.float64], shift: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return (x[:-shift], y[shift:]) if shift > 0 else (x[-shift:], y[:shift])


def _root_lengths(lines: Sequence[str]) -> NDArray[np.float64]:
    return np.sqrt(np.fromiter((len(line) for line in lines), dtype=np.float64, count=len(lines)))


def _log_lengths(lines: Sequence[str]) -> NDArray[np.float64]:
    return np.log1p(np.fromiter((len(line) for line in lines), dtype=np.float64, count=len(lines)))


def _cumulative_cost(
    short: NDArray[np.float64], long: NDArray[np.float64], ratio: float
) -> NDArray[np.float64]:
    """Sum the costs of the first i lines side by side, [n] → [n + 1]."""
    cost = np.minimum((long - short - ratio) ** 2, _MAX_COST)
    return np.concatenate(([0.0], np.cumsum(cost)))


def _first_reaching(gap: NDArray[np.float64], lowest: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give for each i the place at or before i where the running minimum was reached."""
    new = np.concatenate(([True], gap[1:] < lowest[:-1]))
    return np.maximum.accumulate(np.where(new, np.arange(len(gap)), 0))


def _count(lines: Sequence[str]) -> str:
    return f"{len(lines):,} {'line' if len(lines) == 1 else 'lines'}"
