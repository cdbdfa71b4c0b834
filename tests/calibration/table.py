"""The calibration as Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill
from typing import NamedTuple

from tests.calibration import campaigns, coefficients, preferences
from tests.calibration.scenarios import SYSTEMS
from tests.calibration.share import Share, Shares, bounds

Results = Mapping[str, Shares]
WIDTH = 160
RATED = ("paper", "paper, favours", "wmt", "wmt, favours")
HEADS = ("paper's", "paper's, favours", "WMT's", "WMT's, favours")


class Row(NamedTuple):
    """A row of a table: what it says, the name of its share, what the share should be."""

    words: str
    name: str
    expected: float


TESTS = (
    Row("paired bootstrap, two-sided", "reject bootstrap", 0.05),
    Row("paired bootstrap, one-sided, declared", "reject bootstrap declared", 0.05),
    Row("paired bootstrap, one-sided, post hoc (2α = .10)", "reject bootstrap post hoc", 0.10),
    Row("approximate randomisation", "reject randomisation", 0.05),
    Row("signed-rank, two-sided", "reject signed-rank", 0.05),
    Row("rank-sum, one-sided, declared", "reject rank-sum declared", 0.05),
    Row("rank-sum, one-sided, post hoc: a win (2α = .10)", "reject rank-sum post hoc", 0.10),
    Row("two-way bootstrap, two-sided", "reject twoway", 0.05),
    Row("mixed model on raw scores, Wald", "reject mixed raw", 0.05),
    Row("mixed model on z, Wald", "reject mixed z", 0.05),
)
INTERVALS = (
    Row("difference, percentile", "difference percentile", 0.95),
    Row("difference, BCa", "difference bca", 0.95),
    Row("difference, two-way", "difference twoway", 0.95),
    Row("difference of raw means, mixed model", "difference mixed raw", 0.95),
    Row("difference, mixed model on z", "difference mixed z", 0.95),
    Row("a system's z mean, percentile", "z mean percentile", 0.95),
    Row("a system's z mean, BCa", "z mean bca", 0.95),
    Row("a system's z mean, two-way", "z mean twoway", 0.95),
    Row("a system's raw mean, percentile", "raw mean percentile", 0.95),
    Row("a system's raw mean, BCa", "raw mean bca", 0.95),
    Row("a system's raw mean, two-way", "raw mean twoway", 0.95),
)
PREFERENCES = (
    Row("rejected: sign test, two-sided", "reject sign", 0.05),
    Row("rejected: sign test, one-sided, declared", "reject sign declared", 0.05),
    Row("rejected: sign test, one-sided, post hoc (2α = .10)", "reject sign post hoc", 0.10),
    Row("rejected: sign test of majorities, two-sided", "reject majority", 0.05),
    Row("rejected: sign test of majorities, one-sided, declared", "reject majority declared", 0.05),
    Row(
        "rejected: sign test of majorities, one-sided, post hoc (2α = .10)", "reject majority post hoc", 0.10
    ),
    Row("rejected: bootstrap, two-sided", "reject bootstrap", 0.05),
    Row("rejected: bootstrap, one-sided, declared", "reject bootstrap declared", 0.05),
    Row("rejected: bootstrap, one-sided, post hoc (2α = .10)", "reject bootstrap post hoc", 0.10),
    Row("rejected: position, two-sided", "reject position", 0.05),
    Row("covered: share of A better, Wilson", "any share", 0.95),
    Row("covered: share of A better, Wilson by segments", "any share by segment", 0.95),
    Row("covered: strength (Davidson), percentile", "any strength", 0.95),
)
COEFFICIENTS = (
    Row("covered: Krippendorff's α, percentile", "alpha", 0.95),
    Row("covered: ICC(2,1), McGraw and Wong", "ICC(2,1)", 0.95),
    Row("covered: ICC(2,k), McGraw and Wong", "ICC(2,k)", 0.95),
    Row("covered: Pearson, Fisher", "pearson", 0.95),
    Row("covered: Pearson, percentile", "bootstrap", 0.95),
    Row("covered: Spearman, Bonett and Wright", "spearman", 0.95),
    Row("covered: Kendall, Fieller", "kendall", 0.95),
    Row("rejected: Williams' test, two-sided", "reject williams", 0.05),
)

SETTING = """
Simulated by `annotation/stats/simulate.py` at α = .05 and 95 %. **Bold** lies outside the binomial bounds
within which a share of the promised size stays but for one case in 10,000. Six habits of raters (mean 45 to
80 points, 8 to 16 points a unit of quality); quality has an sd of .7 by segment and of .5 by output; a
rater's own error .5. *The paper's shape*: 2 systems, 500 segments, each judged by 3 of 6 raters who see
both outputs. *WMT's*: 12 systems on six levels, 1,300 segments, 150 raters, every output dealt to one rater
by itself and one in ten to a second. *Favours*: every rater adds to every system an amount of its own,
normal with an sd of 2 points, drawn anew in each campaign. Score options are the default ones; the two-way
bootstrap has 400 resamples.
"""
TRUTH = """
**A true null** is: infinitely many such raters would, over infinitely many segments, give both systems the
same mean z. With favours, the few raters who took part would not.
"""
COVERAGE = """
**The true effect** of *these raters* is the mean z (raw: score), or the difference of two, that the raters
who took part would give over infinitely many segments, all raters weighing alike; of *any raters* the one
that infinitely many such raters would give. Without favours both are the same. The planted difference is .2
units of quality, about .2 z.
"""


def text(results: Results) -> str:
    """Return everything between the marks, but for date and command."""
    parts = (_tests(results), _intervals(results), _preferences(results), _others(results))
    return "\n\n".join([_prose(SETTING), *parts])


def _tests(results: Results) -> str:
    rows = [
        [row.words, *(cell(results[name].get(row.name), row.expected) for name in RATED)] for row in TESTS
    ]
    sizes = _sizes(results, "reject bootstrap", "reject mixed", 0.05)
    return "\n\n".join(
        ["### A true null rejected", _prose(TRUTH), _table(["test", *HEADS], rows), _prose(sizes)]
    )


def _intervals(results: Results) -> str:
    heads = ["interval"]
    for scenario, head in zip(RATED, HEADS, strict=True):
        heads += [f"{head}: these raters", "any raters"] if "favours" in scenario else [head]
    rows = []
    for row in INTERVALS:
        cells = [row.words]
        for scenario in RATED:
            whose = ("these", "any") if "favours" in scenario else ("these",)
            cells += [cell(results[scenario].get(f"{each} {row.name}"), row.expected) for each in whose]
        rows.append(cells)
    sizes = _sizes(results, "these difference percentile", "these difference mixed", 0.95)
    means = ", ".join(str(results[scenario]["these z mean percentile"].n) for scenario in RATED)
    parts = (_prose(COVERAGE), _table(heads, rows), _prose(f"{sizes} Means: n = {means}."))
    return "\n\n".join(["### The true effect covered", *parts])


def _preferences(results: Results) -> str:
    scenarios = ("one comparison", "three comparisons")
    rows = [
        [row.words, *(cell(results[name][row.name], row.expected) for name in scenarios)]
        for row in PREFERENCES
    ]
    n = results[scenarios[0]]["reject sign"].n
    words = (
        f"2 systems, {preferences.SEGMENTS} segments, each compared by one rater or by three; {n} campaigns "
        f"without a difference and {n} with one of {preferences.EFFECT:g} units of quality, from which the "
        f"true share and strength follow exactly. {_bounds(n, 0.05)} {_bounds(n, 0.95)}"
    )
    heads = ["", "one comparison a segment", "three a segment"]
    return "\n\n".join(["### Preferences", _prose(words), _table(heads, rows)])


def _others(results: Results) -> str:
    found = results["coefficients"]
    rows = [[row.words, cell(found[row.name], row.expected)] for row in COEFFICIENTS]
    n = found["alpha"].n
    words = (
        f"α of {coefficients.ITEMS} items by three equally lenient raters; ICC of {coefficients.ITEMS} items "
        f"by {coefficients.RATERS} raters of different leniency; scores of {SYSTEMS} systems, normal, with a "
        f"true correlation of {coefficients.CORRELATION:g} (Williams: of both metrics). {n} simulations. "
        f"{_bounds(n, 0.95)} {_bounds(n, 0.05)}"
    )
    return "\n\n".join(["### Agreement and correlation", _prose(words), _table(["", "share"], rows)])


def cell(share: Share | None, expected: float) -> str:
    """Return a share as three digits, bold outside its bounds, "–" where nothing was counted."""
    if share is None:
        return "–"
    digits = f"{share.value:.3f}".replace("0.", ".")
    return digits if share.within(expected) else f"**{digits}**"


def _sizes(results: Results, name: str, mixed: str, expected: float) -> str:
    """State how many tests (campaigns × disjoint pairs) stand behind each column, and the bounds."""
    n = [results[scenario][name].n for scenario in RATED]
    few = {scale: [results[scenario][f"{mixed} {scale}"].n for scenario in RATED] for scale in ("z", "raw")}
    limits = " ".join(_bounds(size, expected) for size in sorted({*n, *few["z"], *few["raw"]}))
    sizes = [", ".join(map(str, column)) for column in (n, few["z"], few["raw"])]
    return (
        f"n = {sizes[0]} (WMT's: {campaigns.wmt().runs} campaigns × 6 disjoint pairs); mixed model on z "
        f"{sizes[1]}, on raw scores {sizes[2]}. {limits}"
    )


def _bounds(n: int, expected: float) -> str:
    low, high = (f"{bound:.3f}".replace("0.", ".") for bound in bounds(n, expected))
    return f"Bounds of {f'{expected:g}'[1:]} at n = {n}: {low} to {high}."


def _prose(words: str) -> str:
    return fill(" ".join(words.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
