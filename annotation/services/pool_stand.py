"""Where a rater of a pool stands: kept with the participation from claim to claim."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.design.pool import Line
from annotation.models import Participation

LINE = "pool"
"""Where a participation keeps its line."""


@dataclass
class Stand:
    """Where a rater stands: the line, the first item that may be free, when nothing was found, the gap."""

    line: Line = field(default_factory=Line)
    start: int = 0
    nothing_at: float = 0.0
    gap: int = 0
    gap_from: int = 0

    @classmethod
    def of(cls, participation: Participation) -> Stand:
        """Return where a rater stands by what was read of them."""
        kept = participation.settings.get(LINE, {})
        return cls(
            Line(
                head=kept.get("head", 1),
                shown=_counter(kept.get("shown", {})),
                turns=defaultdict(
                    Counter, {int(turn): _counter(own) for turn, own in kept.get("turns", {}).items()}
                ),
                excess=_counter(kept.get("excess", {})),
            ),
            kept.get("start", 0),
            kept.get("nothing_at", 0.0),
            kept.get("gap", 0),
            kept.get("gap_from", 0),
        )

    def as_json(self) -> dict[str, Any]:
        """Return what is kept."""
        return {
            "head": self.line.head,
            "shown": {str(key): n for key, n in self.line.shown.items()},
            "turns": {
                str(turn): {str(key): n for key, n in own.items()} for turn, own in self.line.turns.items()
            },
            "excess": {str(key): n for key, n in self.line.excess.items()},
            "start": self.start,
            "nothing_at": self.nothing_at,
            "gap": self.gap,
            "gap_from": self.gap_from,
        }


def _counter(kept: Mapping[str, int]) -> Counter[int]:
    return Counter({int(key): n for key, n in kept.items()})
