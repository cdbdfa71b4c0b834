"""What is simulated: the scenarios of the calibration table and of its test."""

from collections.abc import Callable
from functools import partial

from tests.calibration import campaigns, coefficients, preferences
from tests.calibration.campaigns import FAVOUR, STEP, paper, wmt
from tests.calibration.share import Share, Shares

SYSTEMS = 12


def of_paper(favour: float) -> Shares:
    """Simulate campaigns of the paper's shape, some without a difference and some with one."""
    return together(
        campaigns.measure(paper(0.0), favour, seed=101), campaigns.measure(paper(STEP), favour, seed=102)
    )


def of_wmt(favour: float) -> Shares:
    """Simulate campaigns of WMT's shape."""
    return campaigns.measure(wmt(), favour, seed=103)


def together(first: Shares, second: Shares) -> Shares:
    """Add the counts of both."""
    found = dict(first)
    for name, share in second.items():
        known = found.get(name, Share(0, 0))
        found[name] = Share(known.count + share.count, known.n + share.n)
    return found


SCENARIOS: dict[str, Callable[[], Shares]] = {
    "wmt": partial(of_wmt, 0.0),
    "wmt, favours": partial(of_wmt, FAVOUR),
    "paper": partial(of_paper, 0.0),
    "paper, favours": partial(of_paper, FAVOUR),
    "one comparison": partial(preferences.measure, 1, seed=104),
    "three comparisons": partial(preferences.measure, 3, seed=105),
    "coefficients": partial(coefficients.measure, SYSTEMS, seed=106),
}
"""Name → simulation; the longest come first, so that two processes are done at about the same time."""


def simulate(name: str) -> Shares:
    """Simulate a scenario."""
    return SCENARIOS[name]()
