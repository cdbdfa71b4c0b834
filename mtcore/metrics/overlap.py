"""Does the text of a language model overlap with what was translated back (Edunov et al. 2020, §4.5)?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mtcore.corpora.line_keys import loose_key


@dataclass(frozen=True)
class Overlap:
    """How many lines of a language model's text are in another text too.

    Lines are compared by their letters and digits, so that tokenised and lower-cased ones are known again;
    lines without any do not count.
    """

    lines: int
    shared: int

    @property
    def share(self) -> float:
        """Return the part of the lines that are shared."""
        return self.shared / self.lines if self.lines else 0.0


def line_overlap(own: Iterable[bytes], others: Iterable[bytes]) -> Overlap:
    """Count the lines of a text that are in others too.

    Args:
        own: the text of the language model, in blocks of whole lines.
        others: all other texts, likewise.

    Returns:
        The counts; memory is 8 bytes a line.
    """
    known = np.unique(_keys(others))
    lines = _keys(own)
    return Overlap(len(lines), int(np.count_nonzero(np.isin(lines, known))))


def _keys(blocks: Iterable[bytes]) -> npt.NDArray[np.uint64]:
    parts = [
        np.fromiter(
            (key for line in block.decode("utf-8").split("\n") if (key := loose_key(line)) is not None),
            dtype=np.uint64,
        )
        for block in blocks
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint64)
