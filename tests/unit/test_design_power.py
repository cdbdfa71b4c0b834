"""Power before a campaign: by hand, inverses of each other, limits, the edges."""

from math import sqrt

import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from annotation.design.power import (
    JUDGED_ONCE,
    PUBLISHED,
    TYPICAL,
    Components,
    PowerError,
    Size,
    describe_power,
    detectable_difference,
    find_power,
    segments_needed,
)

PLAIN = Components(output=0.4, error=0.6, favour=0.0)


def test_power_by_hand():
    # (2 · .16 + 2 · .36 / 3) / 500 = .00112, so 0.1 is 2.988 errors away
    error = sqrt(0.00112)
    expected = stats.norm.sf(1.959964 - 0.1 / error) + stats.norm.cdf(-1.959964 - 0.1 / error)
    assert find_power(0.1, Size(500), PLAIN) == pytest.approx(expected, abs=1e-6)
    assert find_power(-0.1, Size(500), PLAIN) == pytest.approx(expected, abs=1e-6)
    assert describe_power(0.1, Size(500), PLAIN) == (
        "500 segments, 3 judgements, 6 raters: a difference of 0.1 z is found in 85 % "
        "(two-sided at 0.05, for these raters)."
    )


def test_no_difference_is_found_at_the_level():
    for raters in ("fixed", "random"):
        for level in (0.01, 0.05):
            assert find_power(0.0, Size(100), PLAIN, level, raters) == pytest.approx(level)
    favoured = Components(0.4, 0.6, 0.5)
    assert find_power(0.0, Size(100), favoured, raters="random") == pytest.approx(0.05)
    # the bootstrap's error holds differences between raters, which equal loads cancel
    assert find_power(0.0, Size(100), favoured) < 0.04


def test_few_segments_without_favours_are_a_t_test():
    # one judgement by each of many raters: 12 differences of variance 2 (.16 + .36)
    found = find_power(0.5, Size(12, 1, 10_000), PLAIN, raters="random")
    expected = TTestPower().power(0.5 / sqrt(1.04), nobs=12, alpha=0.05)
    assert found == pytest.approx(expected, rel=1e-3)


def test_more_of_anything_finds_more():
    base = find_power(0.08, Size(400))
    assert find_power(0.09, Size(400)) > base
    assert find_power(0.08, Size(500)) > base
    assert find_power(0.08, Size(400, judgements=4)) > base
    random = find_power(0.2, Size(400), raters="random")
    assert find_power(0.2, Size(400, raters=12), raters="random") > random
    assert find_power(0.2, Size(400)) > random


@pytest.mark.parametrize("raters", ["fixed", "random"])
def test_the_inverses_are_inverse(raters: str):
    size = Size(300, 2, 40)
    smallest = detectable_difference(size, 0.9, raters=raters)
    assert find_power(smallest, size, raters=raters) == pytest.approx(0.9)
    needed = segments_needed(smallest, 2, 40, 0.9, raters=raters)
    assert needed in (299, 300, 301)
    needed = segments_needed(0.3, 2, 40, 0.8, raters=raters)
    assert find_power(0.3, Size(needed, 2, 40), raters=raters) >= 0.8
    assert find_power(0.3, Size(needed - 1, 2, 40), raters=raters) < 0.8


def test_raters_with_favourites_limit_what_any_number_of_segments_finds():
    with pytest.raises(PowerError, match="any number of segments and 6 raters: more raters are needed"):
        segments_needed(0.1, raters="random")
    assert segments_needed(0.1, n_raters=200, raters="random") > segments_needed(0.1, n_raters=200)


def test_the_typical_campaign_lies_between_the_published_ones():
    every = [*PUBLISHED.values(), *JUDGED_ONCE.values()]
    together = sum(one.output**2 + one.error**2 for one in every) / len(every)
    apart = [sum(getattr(one, name) ** 2 for one in PUBLISHED.values()) for name in ("output", "error")]
    assert TYPICAL.output == pytest.approx(sqrt(together * apart[0] / sum(apart)), abs=0.005)
    assert TYPICAL.error == pytest.approx(sqrt(together * apart[1] / sum(apart)), abs=0.005)
    assert TYPICAL.favour == pytest.approx(sqrt(sum(one.favour**2 for one in every) / len(every)), abs=0.005)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Size(1), "1 segments"),
        (lambda: Size(10, 0), "at least one judgement"),
        (lambda: Size(10, 3, 2), "3 judgements of an output need as many raters, not 2"),
        (lambda: Components(-0.1, 1, 1), "numbers from 0 up"),
        (lambda: Components(float("nan"), 1, 1), "numbers from 0 up"),
        (lambda: Components(0, 0, 1), "must vary"),
        (lambda: find_power(0.1, Size(10, 1, 1), raters="random"), "one rater says nothing about other"),
        (lambda: find_power(0.1, Size(10), raters="all"), "raters must be one of fixed, random"),
        (lambda: find_power(0.1, Size(10), level=0.0), "level must be between 0 and 1"),
        (lambda: detectable_difference(Size(10), target=0.04), "above the level and below 1"),
        (lambda: segments_needed(0.0), "difference of 0 cannot be found"),
        (lambda: segments_needed(1e-6), "it is too small"),
    ],
)
def test_questions_without_an_answer_are_refused(call, message: str):
    with pytest.raises(PowerError, match=message):
        call()
