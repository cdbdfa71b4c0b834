"""Names are kept verbatim, within limits."""

import pytest

from mtcore.corpora.names import InvalidName, alike, check_name, check_unique


@pytest.mark.parametrize(
    "name",
    ["NA", "null", "None", "GPT_4&Co{50%}", "<b>Sys</b>#1", r"a\b^~$", "می‌خواهم", "系统 一", "x" * 120, "0"],
)
def test_odd_names_are_kept(name: str) -> None:
    assert check_name(name, "system") == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "empty name"),
        ("x" * 121, "121 characters; 120 are allowed"),
        ("A|B", "joins merged systems"),
        (" A", "begins or ends with a blank"),
        ("A\u00a0", "begins or ends with a blank"),
        ("A\nB", r"U\+000A"),
        ("A\x00B", r"“A<U\+0000>B” holds the invisible character U\+0000"),
        ("A\u202eB", r"U\+202E"),
        ("A\u200bB", r"U\+200B"),
        ("A\u2028B", r"U\+2028"),
        ("A\ud800B", r"U\+D800"),
        ("A\ue000B", r"U\+E000"),
    ],
)
def test_names_that_break_pages_or_files_are_refused(name: str, message: str) -> None:
    with pytest.raises(InvalidName, match=message):
        check_name(name, "system")


def test_names_given_twice_are_named() -> None:
    check_unique(["A", "a", "B"], "system")
    with pytest.raises(InvalidName, match="The system names are not unique: “A”, “B”"):
        check_unique(["A", "B", "C", "B", "A"], "system")


def test_names_that_a_person_would_take_for_one_are_found():
    assert alike(["Ann", "ann", "Bob"]) == [("Ann", "ann")]
    assert alike(["ANN", "Bob"], ["Ann", "bob"]) == [("Ann", "ANN"), ("bob", "Bob")]
    assert alike(["Straße", "STRASSE", "Zoe\u0301", "Zo\u00e9"]) == [
        ("Straße", "STRASSE"), ("Zoe\u0301", "Zo\u00e9"),
    ]  # fmt: skip
    assert alike(["Ann", "Ann", "Anne"], ["Ann"]) == []
