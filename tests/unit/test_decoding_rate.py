"""The rate of translating that a preflight goes by."""

import pytest

from mtcore.services.run_preflight import lines_a_second


def test_loading_is_left_out_where_the_difference_says_something():
    assert lines_a_second(8, 2_000, 1.5, 7.5) == pytest.approx(332)


@pytest.mark.parametrize(("first", "seconds"), [(1.5, 1.5), (1.6, 1.4), (1.5, 1.6)])
def test_noise_gives_a_rate_that_is_too_low_rather_than_absurd(first, seconds):
    assert lines_a_second(8, 200, first, seconds) == pytest.approx(200 / seconds)


def test_a_text_of_few_lines_has_a_rate_too():
    assert lines_a_second(3, 3, 1.0, 0.5) == 6
