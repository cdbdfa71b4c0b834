"""How clear a preference a pairwise campaign can find, before it starts.

A segment counts once, as decided for one system, for the other, or not at all; two-sided exact sign test of
the decided ones. Several judgements of a segment make its majority surer and more often decided, by how much
depends on how alike they are: counting them as one says too little, never too much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from annotation.design.power import PowerError

DECIDED = 0.6
"""Share of segments for which raters prefer one side: 185 of 308 published comparisons, three directions."""

EXAMPLE_SHARE = 0.6
MOST_SEGMENTS = 100_000
"""Beyond this the normal approximation would do, and any preference worth the name is found."""


def preference_power(share: float, segments: int, decided: float = DECIDED, level: float = 0.05) -> float:
    """Return how often a preference is found significant, 0 to 1.

    Args:
        share: of the decided segments that prefer the better system.
        segments: on which both outputs are shown.
        decided: chance that a segment is decided.
        level: of the test, two-sided.

    Raises:
        PowerError: shares outside 0 to 1, no segment, or too many to count exactly.
    """
    if not (0 <= share <= 1 and 0 < decided <= 1 and 0 < level < 1):
        raise PowerError("the shares of segments and the level must be between 0 and 1")
    if not 1 <= segments <= MOST_SEGMENTS:
        raise PowerError(
            f"the number of segments must be between 1 and {MOST_SEGMENTS:,}; found {segments:,}"
        )
    n: NDArray[np.int64] = np.arange(segments + 1, dtype=np.int64)
    chance = stats.binom.pmf(n, segments, decided)
    likely = chance > 1e-12
    n = n[likely]
    low = _rejected_below(n, level)
    found = stats.binom.cdf(low, n, share) + stats.binom.cdf(low, n, 1 - share)
    return float(chance[likely] @ found)


def _rejected_below(n: NDArray[np.int64], level: float) -> NDArray[np.float64]:
    """Return the most losses of n decided segments with which the test still rejects; −1 for none [n]."""
    low = stats.binom.ppf(level / 2, n, 0.5)
    return np.where(2 * stats.binom.cdf(low, n, 0.5) < level, low, low - 1)


def detectable_share(segments: int, target: float = 0.8, decided: float = DECIDED) -> float | None:
    """Return the share of decided segments that is found with probability `target`; None when not even all.

    Raises:
        PowerError: as for `preference_power`.
    """
    if preference_power(1.0, segments, decided) < target:
        return None
    return float(
        optimize.brentq(
            lambda share: preference_power(share, segments, decided) - target, 0.5, 1.0, xtol=1e-6
        )
    )


def describe_preference_power(segments: int) -> str:
    """Say what a pairwise campaign on so many segments finds, in two sentences.

    Raises:
        PowerError: as for `preference_power`.
    """
    found = 100 * preference_power(EXAMPLE_SHARE, segments)
    least = detectable_share(segments)
    if least is None:
        after = "These are too few to find any preference in 80 %, even one in all of the decided ones."
    else:
        after = f"From {100 * least:.0f} % on it is 80 %."
    counted = f"{segments:,} segment{'' if segments == 1 else 's'}"
    return (
        f"{counted}, {100 * DECIDED:.0f} % of them decided: a system preferred in "
        f"{100 * EXAMPLE_SHARE:.0f} % of the decided ones is found in {found:.0f} % (two-sided sign test at "
        f".05, a segment counted once). {after}"
    )
