"""Every test keeps its level and every interval covers what it speaks of; what does not is known and said."""

import re
from pathlib import Path

import pytest

from tests.calibration.__main__ import BLOCK, TARGET, written
from tests.calibration.scenarios import SCENARIOS, simulate
from tests.calibration.share import Share, Shares, bounds, holds
from tests.calibration.table import COEFFICIENTS, INTERVALS, PREFERENCES, RATED, TESTS, cell

PAIRED = ("bootstrap", "bootstrap declared", "randomisation", "signed-rank")
"""Tests that take the raters as they are and use that segments are shared."""


def keeps_its_level(found: Shares, *names: str, level: float = 0.05) -> None:
    for name in names:
        assert found[f"reject {name}"].within(level), (name, found[f"reject {name}"])


def rejects_no_more_than(found: Shares, *names: str, level: float = 0.05) -> None:
    for name in names:
        assert not found[f"reject {name}"].above(level), (name, found[f"reject {name}"])


def rejects_more_than(found: Shares, *names: str, level: float = 0.05) -> None:
    for name in names:
        assert found[f"reject {name}"].above(level), (name, found[f"reject {name}"])


def covers(found: Shares, *names: str) -> None:
    for name in names:
        assert found[name].within(0.95), (name, found[name])


def covers_at_least(found: Shares, *names: str) -> None:
    for name in names:
        assert not found[name].below(0.95), (name, found[name])


def covers_less(found: Shares, *names: str) -> None:
    for name in names:
        assert found[name].below(0.95), (name, found[name])


@pytest.mark.slow
@pytest.mark.long
def test_campaigns_of_the_papers_shape():
    found = simulate("paper")
    keeps_its_level(found, *PAIRED)
    keeps_its_level(found, "bootstrap post hoc", level=0.10)
    rejects_no_more_than(found, "rank-sum declared", "twoway", "mixed raw", "mixed z")
    covers(found, "these difference percentile", "these difference bca")
    covers_at_least(found, *(f"these difference {name}" for name in ("twoway", "mixed raw", "mixed z")))


@pytest.mark.slow
@pytest.mark.long
def test_campaigns_of_the_papers_shape_whose_raters_favour_systems():
    found = simulate("paper, favours")
    # these raters are not all raters: documented, and why `--raters random` and the mixed model exist
    rejects_more_than(found, *PAIRED, level=0.15)
    covers_less(found, "any difference percentile", "any difference bca")
    covers_at_least(found, "these difference percentile", "these difference bca")
    rejects_no_more_than(found, "mixed raw", "mixed z")
    covers_at_least(found, "any difference mixed raw", "any difference mixed z")
    # six raters are few to resample
    rejects_no_more_than(found, "twoway", level=0.12)


@pytest.mark.slow
@pytest.mark.long
def test_campaigns_of_wmts_shape():
    found = simulate("wmt")
    keeps_its_level(found, *PAIRED)
    keeps_its_level(found, "bootstrap post hoc", level=0.10)
    rejects_no_more_than(found, "rank-sum declared", "twoway", "mixed raw", "mixed z")
    covers(found, "these difference percentile", "these difference bca")
    covers_at_least(found, *(f"these difference {name}" for name in ("twoway", "mixed raw", "mixed z")))


@pytest.mark.slow
@pytest.mark.long
def test_campaigns_of_wmts_shape_whose_raters_favour_systems():
    found = simulate("wmt, favours")
    # a rater judges each system about ten times, so even 150 raters' favours make one null in ten seem false
    keeps_its_level(found, *PAIRED, level=0.10)
    rejects_no_more_than(found, "twoway", "mixed raw", "mixed z")
    covers_at_least(found, "these difference percentile", "these difference bca")
    covers_at_least(found, *(f"any difference {name}" for name in ("twoway", "mixed raw", "mixed z")))


@pytest.mark.slow
@pytest.mark.long
def test_preferences():
    once, thrice = simulate("one comparison"), simulate("three comparisons")
    rejects_no_more_than(once, "sign", "sign declared", "position", "bootstrap", "bootstrap declared")
    keeps_its_level(thrice, "bootstrap", "bootstrap declared", "position")
    for found in (once, thrice):
        rejects_no_more_than(found, "majority", "majority declared")
        covers(found, "any share by segment", "any strength")
    covers(once, "any share")
    # comparisons of one segment are alike, which the sign test and Wilson's interval do not know
    rejects_more_than(thrice, "sign", "sign declared")
    covers_less(thrice, "any share")


@pytest.mark.slow
@pytest.mark.long
def test_agreement_and_correlation():
    found = simulate("coefficients")
    covers(found, "alpha", "ICC(2,1)", "ICC(2,k)", "pearson", "spearman", "kendall")
    covers_less(found, "bootstrap")
    rejects_no_more_than(found, "williams")


def test_bounds_hold_all_but_one_in_ten_thousand():
    low, high = bounds(1000, 0.05)
    assert (low, high) == (0.025, 0.079)
    assert Share(50, 1000).within(0.05)
    assert Share(80, 1000).above(0.05) and not Share(79, 1000).above(0.05)
    assert Share(24, 1000).below(0.05) and not Share(25, 1000).below(0.05)
    assert holds([2.0, 1.0], 1.5) and not holds([1.0, 2.0], 2.5)


def test_what_lies_outside_its_bounds_is_bold():
    assert cell(Share(50, 1000), 0.05) == ".050"
    assert cell(Share(200, 1000), 0.05) == "**.200**"
    assert cell(Share(10, 10), 0.95) == "1.000"
    assert cell(None, 0.95) == "–"


def test_the_table_has_a_row_for_everything_that_is_counted():
    rated = {row.name: Share(1, 20) for row in TESTS}
    rated |= {f"{whose} {row.name}": Share(19, 20) for row in INTERVALS for whose in ("these", "any")}
    results = {name: dict(rated) for name in RATED}
    for name in ("one comparison", "three comparisons"):
        results[name] = {row.name: Share(1, 20) for row in PREFERENCES}
    results["coefficients"] = {row.name: Share(19, 20) for row in COEFFICIENTS}
    assert set(results) == set(SCENARIOS)
    block = written(results)
    assert BLOCK.fullmatch(block)
    for row in (*TESTS, *INTERVALS, *PREFERENCES, *COEFFICIENTS):
        assert f"| {row.words} |" in block


def test_the_page_has_a_table_with_its_date_and_command():
    (block,) = BLOCK.findall(Path(TARGET).read_text(encoding="utf-8"))
    assert re.search(r"\d{4}-\d\d-\d\d, `python -m tests\.calibration`", block)
