"""N-gram language models in ARPA files: read one, and give words their probabilities by back-off."""

from __future__ import annotations

import gzip
import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mtcore.corpora.plain_files import plain_file_size
from mtcore.metrics.base import MetricError

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
LN10 = math.log(10)
ROUNDED = 1e-6
"""So far above 0 a tool may round the logarithm of a probability of 1."""
_COUNT = re.compile(r"ngram\s+(\d+)\s*=\s*(\d+)")
_SECTION = re.compile(r"\\(\d+)-grams:")

Grams = dict[str, tuple[float, float]]
"""Words joined by a space → (log10 of the probability, log10 of the back-off weight)."""


@dataclass(frozen=True, eq=False)
class Arpa:
    """A back-off model.

    Attributes:
        grams: for each order, from 1 on.
        sha256: of the file.
    """

    grams: tuple[Grams, ...]
    sha256: str

    @property
    def order(self) -> int:
        """Return the length of the longest n-grams."""
        return len(self.grams)

    @property
    def has_unknown(self) -> bool:
        """Tell whether the model gives words that it does not know a probability."""
        return UNKNOWN in self.grams[0]

    @property
    def vocabulary(self) -> int:
        """Return how many words it knows, its own marks apart."""
        return sum(1 for word in self.grams[0] if word not in (BEGIN, END, UNKNOWN))

    def knows(self, word: str) -> bool:
        """Tell whether a word of a text is in the vocabulary."""
        return word in self.grams[0] and word not in (BEGIN, END, UNKNOWN)

    def log10(self, context: Sequence[str], word: str) -> float:
        """Return log10 p(word | context); of the context, as many last words count as the order has room for.

        Where an n-gram is not there, the back-off weight of its context is added and the context loses
        its first word.
        """
        history = list(context[-(self.order - 1) :]) if self.order > 1 else []
        weight = 0.0
        while True:
            found = self.grams[len(history)].get(" ".join([*history, word]))
            if found is not None:
                return weight + found[0]
            if not history:
                raise MetricError(f"the model has no probability for “{word}”")
            own = self.grams[len(history) - 1].get(" ".join(history))
            weight += own[1] if own is not None else 0.0
            del history[0]


def read_arpa(path: str | Path) -> Arpa:
    """Read an ARPA file, plain or gzip.

    Raises:
        MetricError: it is not one, it is cut off, or its counts are not those it announces.
    """
    file = Path(path)
    digest = hashlib.sha256()
    try:
        plain_file_size(file)
        with file.open("rb") as raw:
            for block in iter(lambda: raw.read(1 << 20), b""):
                digest.update(block)
            raw.seek(0)
            packed = raw.read(2) == b"\x1f\x8b"
        with gzip.open(file, "rb") if packed else file.open("rb") as lines:
            grams = _read(lines, file.name)
    except (OSError, EOFError, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, MetricError):
            raise
        raise MetricError(f"{file.name} cannot be read as an ARPA file: {_short(error)}") from error
    return Arpa(grams, digest.hexdigest())


def _read(lines: Iterable[bytes], name: str) -> tuple[Grams, ...]:
    wanted: dict[int, int] = {}
    grams: list[Grams] = []
    begun = ended = False
    for number, raw in enumerate(lines, start=1):
        line = raw.decode("utf-8").rstrip("\r\n")
        if not begun:
            begun = line.strip() == "\\data\\"
            if number > 1000 and not begun:
                break
        elif line.strip() == "\\end\\":
            ended = True
            break
        elif line.startswith("\\"):
            section = _SECTION.match(line.strip())
            if section is None or int(section[1]) != len(grams) + 1:
                raise MetricError(
                    f"{name}, line {number:,}: expected \\{len(grams) + 1}-grams:, found {line}"
                )
            grams.append({})
        elif not grams:
            count = _COUNT.match(line.strip())
            if count:
                wanted[int(count[1])] = int(count[2])
        elif line.strip():
            key, values = _gram(line, len(grams), f"{name}, line {number:,}")
            grams[-1][key] = values
    if not begun:
        raise MetricError(f"{name} is no ARPA file: it has no line \\data\\")
    if not ended or [len(own) for own in grams] != [wanted.get(n + 1) for n in range(len(grams) or 1)]:
        told = "" if ended else ", and no line \\end\\"
        raise MetricError(
            f"{name} is cut off or damaged: it announces {sum(wanted.values()):,} n-grams and has "
            f"{sum(map(len, grams)):,}{told}"
        )
    if END not in grams[0]:
        raise MetricError(f"{name} has no probability for the end of a sentence ({END})")
    return tuple(grams)


def _gram(line: str, order: int, where: str) -> tuple[str, tuple[float, float]]:
    """Read "log10 p, words, back-off weight"; the weight may be missing."""
    fields = line.split("\t")
    if len(fields) < 2:
        parts = line.split(" ")
        fields = [parts[0], " ".join(parts[1 : order + 1]), *parts[order + 1 :]]
    words = fields[1].split(" ")
    if len(words) != order or len(fields) > 3:
        raise MetricError(
            f"{where}: expected {order} words between a probability and a weight, found {line!r}"
        )
    try:
        probability = float(fields[0])
        weight = float(fields[2]) if len(fields) == 3 and fields[2] else 0.0
    except ValueError as error:
        raise MetricError(f"{where}: {line!r} has no number where one belongs") from error
    if not (math.isfinite(probability) and probability <= ROUNDED):
        raise MetricError(
            f"{where}: {fields[0]} is no logarithm of a probability, which is 0 at most; take a whole file"
        )
    if not math.isfinite(weight):
        raise MetricError(f"{where}: {fields[2]} is no back-off weight; take a whole file")
    return fields[1], (probability, weight)


def _short(error: Exception) -> str:
    return str(error).split("\n")[0][:200] or type(error).__name__
