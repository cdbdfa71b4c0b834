"""Messages that command, page and API share call options as each door calls its fields."""

import pytest

from evalplatform.words import options_worded, rounded

LABELS = {"train": "Corpora to train with", "rows": "Rows", "testset": "Test set", "equal_length": "Length"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Give --train or --row.", "Give “Corpora to train with” or “Rows”."),
        ("Give --equal-length.", "Give “Length”."),
        ("Give --window.", "Give --window."),
        ("Give --testset=NAME.", "Give Test set: NAME."),
        ("Run `manage.py x --train A`.", "Run `manage.py x --train A`."),
        ("A dash -- or a-b--train.", "A dash -- or a-b--train."),
    ],
)
def test_options_go_by_the_names_of_fields(text, said):
    assert options_worded(text, LABELS, LABELS.__getitem__) == said


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(53.9951, 2, "54.00"), (0.99996, 4, "1.0000"), (1234567.899, 1, "1,234,567.9"), (-0.001, 2, "0.00")],
)
def test_numbers_on_pages_are_rounded_not_cut_off(value, digits, text):
    assert rounded(value, digits) == text
