"""How many more judgements separate two systems: by hand, the interval, the edges."""

from math import ceil, sqrt

import numpy as np
import pytest
from scipy import stats

from annotation.design.outlook import Outlook, look_ahead
from annotation.design.power import PowerError

REACH = stats.norm.isf(0.025) + stats.norm.isf(0.2)


def pair(differences: list[float], judgements: int = 2, error: float = 0.1) -> tuple[np.ndarray, ...]:
    """Make judgements of two systems with these differences by segment, ±error about each output."""
    rows = [
        (base + sign * error, segment, second, place)
        for segment, difference in enumerate(differences)
        for second, base in ((False, difference), (True, 0.0))
        for place, sign in zip(range(judgements), (1, -1) * judgements, strict=False)
    ]
    value, segment, second, rater = (np.array(column) for column in zip(*rows, strict=True))
    return value, segment, second, rater


def look(differences: list[float], **options) -> Outlook:
    return look_ahead(*pair(differences), **options)


def test_the_number_by_hand():
    differences = [0.5, -0.3, 0.4, -0.2, 0.1]
    found = look(differences)
    mean, sd = 0.1, np.std(differences, ddof=1)
    assert found.difference == pytest.approx(mean)
    assert (found.n_segments, found.n_judgements, found.separated) == (5, 20, False)
    needed = (REACH * sd / mean) ** 2
    assert found.more_segments == ceil(needed - 5)
    assert found.more_judgements == ceil(4 * (needed - 5))
    half = stats.norm.isf(0.025) * sd / sqrt(5)
    assert found.ci == pytest.approx((mean - half, mean + half))
    assert found.more_low == ceil(4 * ((REACH * sd / (mean + half)) ** 2 - 5))
    assert found.more_high is None
    assert found.words == (
        f"About {found.more_judgements} more judgements separate these two in 80% of cases, "
        f"if the difference is what it seems (from {found.more_low} upwards)."
    )


def test_the_interval_holds_the_number_and_closes_when_the_sign_is_sure():
    rng = np.random.default_rng(1)
    # significant at .05 but not at .001
    values = rng.normal(0, 1, 100)
    values = (values - values.mean()) / values.std(ddof=1) + 0.25
    found = look(list(values), level=0.001)
    assert not found.separated
    assert found.more_low <= found.more_judgements <= found.more_high
    mirrored = look(list(-values), level=0.001)
    assert mirrored.difference == pytest.approx(-found.difference)
    assert mirrored.more_judgements == found.more_judgements
    assert (mirrored.more_low, mirrored.more_high) == (found.more_low, found.more_high)


def test_separated_systems_need_nothing():
    found = look([1.0, 1.2, 0.9, 1.1])
    assert found.separated
    assert (found.more_judgements, found.more_low, found.more_high, found.more_on_same_segments) == (
        0,
        0,
        0,
        0,
    )
    assert found.words == "These two are separated already."


def test_no_difference_seen_has_no_number():
    found = look([0.5, -0.5, 0.5, -0.5])
    assert found.more_judgements is None
    assert found.more_on_same_segments is None
    assert found.words.startswith("No difference is seen")


def test_more_judgements_of_the_same_outputs_help_where_error_is_the_trouble():
    rng = np.random.default_rng(2)
    n, error = 4000, 2.0
    value = np.concatenate([rng.normal(0.06, error, 2 * n), rng.normal(0, error, 2 * n)])
    segment = np.tile(np.repeat(np.arange(n), 2), 2)
    second, rater = np.repeat([False, True], 2 * n), np.tile([0, 1], 2 * n)
    found = look_ahead(value, segment, second, rater)
    assert found.more_on_same_segments is not None
    # here outputs hardly vary, so it makes no difference where the judgements go
    assert found.more_on_same_segments == pytest.approx(found.more_judgements, rel=0.35)
    # without error all judgements of the same outputs are in vain
    assert look_ahead(*pair([0.5, -0.3, 0.4, -0.2, 0.1], error=0.0)).more_on_same_segments is None
    # one judgement an output: the error is unknown
    rater = np.arange(10) % 2
    assert look_ahead(*pair([0.5, -0.3, 0.4, -0.2, 0.1], 1)[:3], rater).more_on_same_segments is None


def test_segments_of_one_system_only_do_not_count():
    value, segment, second, rater = pair([0.5, -0.3, 0.4, -0.2, 0.1])
    lone = np.array([9.0]), np.array([77]), np.array([True]), np.array([0])
    more = [np.concatenate(columns) for columns in zip((value, segment, second, rater), lone, strict=True)]
    assert look_ahead(*more) == look_ahead(value, segment, second, rater)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda v, s, b, r: (v, s, b, np.zeros_like(r)), "fewer than two raters"),
        (lambda v, s, b, r: (v[:0], s[:0], b[:0], r[:0]), "fewer than two raters"),
        (lambda v, s, b, r: (v[:4], s[:4], b[:4], r[:4]), "1 segments have judgements of both"),
        (lambda v, s, b, r: (v, s, np.zeros_like(b), r), "0 segments have judgements of both"),
        (lambda v, s, b, r: (np.where(b, 0.0, 1.0), s, b, r), "differ by the same on every segment"),
    ],
)
def test_too_little_to_look_ahead_is_refused(change, message: str):
    with pytest.raises(PowerError, match=message):
        look_ahead(*change(*pair([0.5, -0.3, 0.4])))
    with pytest.raises(PowerError, match="the level must be above 0"):
        look([0.5, -0.3], level=0.9)
