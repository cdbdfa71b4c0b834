"""Word differences: what is added and missing, in any script, and never a lost character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.services.dossier_diff import Piece, words_compare


def shown(text, other):
    marks = {"same": "{}", "added": "+{}+", "missing": "-{}-"}
    return "".join(marks[piece.kind].format(piece.text) for piece in words_compare(text, other).pieces)


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("The cat sat.", "The cat sat.", "The cat sat."),
        ("The big cat sat.", "The cat sat.", "The +big +cat sat."),
        ("The cat.", "The cat sat.", "The cat-sat-."),
        ("He doesn't go", "He does not go", "He -does not -+doesn't +go"),
        ("我爱你。", "我恨你。", "我-恨-+爱+你。"),
        ("", "word", "-word-"),
        ("word", "", "+word+"),
        ("", "", ""),
    ],
)
def test_words_are_compared(text, other, expected):
    assert shown(text, other) == expected


def test_words_of_scripts_with_vowel_signs_are_whole():
    found = words_compare("मैं घर जाता हूँ", "मैं घर जाती हूँ")
    assert [piece.text.strip() for piece in found.pieces if piece.kind != "same"] == ["जाती", "जाता"]
    assert (found.added, found.missing) == (1, 1)


def test_white_space_and_invisible_marks_are_told_apart_from_words():
    for other in ("a  b", "a\u00a0b", "a\u200b b", " a b", "a b\n"):
        found = words_compare("a b", other)
        assert (found.added, found.missing, found.spaces_differ) == (0, 0, True), other
        assert not found.is_equal
    assert words_compare("a b", "a b").is_equal


def test_texts_that_are_too_long_are_shown_whole():
    long = "word " * 2000
    found = words_compare(long, "other " * 2000)
    assert found.too_long and found.pieces == (Piece("same", long),)


@given(st.text(max_size=60), st.text(max_size=60))
def test_pieces_make_up_the_text_and_what_differs_is_counted(text, other):
    found = words_compare(text, other)
    assert "".join(piece.text for piece in found.pieces if piece.kind != "missing") == text
    assert found.is_equal == (text == other)
    back = words_compare(other, text)
    assert (found.spaces_differ, found.is_equal) == (back.spaces_differ, back.is_equal)
