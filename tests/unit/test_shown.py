"""What commands print."""

from datetime import timedelta

import pytest

from mtcore.management.shown import duration, table


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"), (12.4, "12 s"), (245, "4 min 5 s"), (3600, "1 h"), (4801, "1 h 20 min"),
        (180_000, "2 d 2 h"), (-5, "0 s"), (86_405, "1 d"),
    ],
)  # fmt: skip
def test_lengths_of_time_have_two_units_at_most(seconds, text):
    assert duration(timedelta(seconds=seconds)) == text


def test_nothing_is_said_of_an_unknown_length():
    assert duration(None) == ""


def test_columns_are_aligned():
    assert table([("a", "bb"), ("ccc", "d")]) == "a    bb\nccc  d"
