"""A number with its interval, or the reason why there is none."""

from __future__ import annotations

from typing import Any, NamedTuple


class Estimate(NamedTuple):
    """A statistic of n observations.

    `value` is None when it is undefined; `low` and `high` are None when no interval is. `caveat` says why, or
    what to beware of ("" when there is nothing to say).
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    caveat: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return strict JSON: {"value", "n", "ci", "caveat"}, `ci` being [low, high] or None."""
        ci = None if self.low is None or self.high is None else [self.low, self.high]
        return {"value": self.value, "n": self.n, "ci": ci, "caveat": self.caveat}


def undefined(n: int, caveat: str) -> Estimate:
    """Return an estimate without a value, saying why."""
    return Estimate(None, n, caveat=caveat)


def join_caveats(*caveats: str) -> str:
    """Join what there is to beware of, in order, each once."""
    return "; ".join(dict.fromkeys(caveat for caveat in caveats if caveat))
