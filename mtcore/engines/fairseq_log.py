"""Read what fairseq writes: progress of training as JSON, and translations in the order they were given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from mtcore.engines.errors import EngineError

_EVENT = re.compile(r"(train_inner|train|valid)\W+(\{.*\})\s*$")
_HYPOTHESIS = re.compile(r"^H-(\d+)\t([^\t\n]*)\t?(.*)$")
_OUT_OF_MEMORY = re.compile(r"ran out of memory|attempting to recover from OOM|out of memory", re.IGNORECASE)


class FairseqLogError(EngineError):
    """Output of fairseq that cannot be what was asked for."""


@dataclass(frozen=True)
class Event:
    """A line of progress: its kind (train_inner, train, valid), the update it belongs to, and its numbers."""

    kind: str
    update: int
    epoch: float
    values: dict[str, float]


@dataclass(frozen=True)
class Hypothesis:
    """A translation of line `id` (from 0), with its score (log probability, as fairseq scales it)."""

    id: int
    score: float
    text: str


def read_event(line: str) -> Event | None:
    """Read a line of progress (`--log-format json`), whatever stands before it; None for other lines.

    Numbers come as strings and keys with the subset's name before them: `valid_loss` is `loss` here.
    """
    found = _EVENT.search(line)
    if not found:
        return None
    try:
        given = json.loads(found[2])
    except ValueError:
        return None
    kind = found[1]
    numbers = {key.removeprefix(f"{kind}_"): _number(value) for key, value in given.items()}
    values = {key: value for key, value in numbers.items() if value is not None}
    update, epoch = values.pop("num_updates", 0.0), values.pop("epoch", 0.0)
    return Event(kind, int(update), epoch, values)


def is_out_of_memory(line: str) -> bool:
    """Tell whether a line says that memory ran out; training goes on after it, skipping the batch."""
    return bool(_OUT_OF_MEMORY.search(line))


def read_hypotheses(lines: Iterable[str]) -> dict[int, list[Hypothesis]]:
    """Collect the H-lines of a log of generate by line id, ids in numeric order, the best of each first.

    Only a line that begins with `H-` counts, so a text that begins so is none; an empty text is one.
    """
    found: dict[int, list[Hypothesis]] = {}
    for line in lines:
        match = _HYPOTHESIS.match(line.rstrip("\r\n"))
        if match:
            one = Hypothesis(int(match[1]), _number(match[2]) or 0.0, match[3])
            found.setdefault(one.id, []).append(one)
    return dict(sorted(found.items()))


def in_order(hypotheses: dict[int, list[Hypothesis]], n_lines: int) -> list[Hypothesis]:
    """Return the best hypothesis of each of `n_lines` lines, in their order.

    Raises:
        FairseqLogError: a line has none, or there are more than lines; the message names the first.
    """
    missing = [number for number in range(n_lines) if number not in hypotheses]
    if missing:
        shown = ", ".join(f"{number + 1:,}" for number in missing[:5]) + (" …" if len(missing) > 5 else "")
        raise FairseqLogError(
            f"{len(hypotheses):,} of {n_lines:,} lines were translated; those missing: {shown}."
        )
    beyond = [number for number in hypotheses if number >= n_lines]
    if beyond:
        raise FairseqLogError(f"A translation of line {beyond[0] + 1:,} came back; {n_lines:,} were given.")
    return [hypotheses[number][0] for number in range(n_lines)]


def _number(value: object) -> float | None:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
