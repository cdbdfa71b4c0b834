"""Damaged texts follow the published length rule, and always differ."""

import re

import numpy as np
import pytest

from annotation.design.quality import DamageError, degrade, is_spaced, phrase_length

DONORS = [" ".join(f"{letter}{number}" for number in range(40)) for letter in "ABCDE"]


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_the_published_lengths():
    expected = {1: 1, 2: 2, 5: 2, 6: 3, 8: 3, 9: 4, 15: 4, 16: 5, 20: 5, 21: 5, 24: 6, 40: 10, 103: 25}
    assert {n: phrase_length(n) for n in expected} == expected


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 8, 9, 15, 16, 20, 21, 24, 60])
def test_as_many_words_as_the_rule_says_are_replaced(n, rng):
    words = [f"w{number}" for number in range(n)]
    for _ in range(50):
        damaged = degrade(" ".join(words), DONORS, rng).split()
        changed = [place for place, word in enumerate(damaged) if word != words[place]]
        assert len(damaged) == n and len(changed) == phrase_length(n)
        assert changed == list(range(changed[0], changed[-1] + 1)), "one phrase, in a row"
        letters = {damaged[place][0] for place in changed}
        assert len(letters) == 1, "the phrase is of one other text"
        numbers = [int(damaged[place][1:]) for place in changed]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), "and stands there like this"
        if n > 3:
            assert damaged[0] == words[0] and damaged[-1] == words[-1]


def test_every_place_is_damaged_sooner_or_later(rng):
    text = " ".join(f"w{number}" for number in range(10))
    starts = {re.search(r"[A-E]\d", degrade(text, DONORS, rng)).start() for _ in range(200)}
    assert starts == {3 * place for place in range(1, 6)}


def test_what_is_around_the_phrase_stays_as_it_is(rng):
    text = "one\u00a0two  three four five six\tseven "
    damaged = degrade(text, DONORS, rng)
    assert damaged.startswith("one\u00a0") and damaged.endswith("seven ")


def test_it_differs_beyond_case_and_spaces(rng):
    for _ in range(30):
        assert degrade("Ja", ["ja", "JA", " ja ", "nein"], rng) == "nein"
        assert degrade("a b", ["A  B", "a b", "b a"], rng) == "b a"


@pytest.mark.parametrize(
    ("text", "donor"),
    [("Ja.", "Ja!"), ("Ja", "„ja“"), ("Café", "cafe\u0301"), ("naïve", "naive"), ("ABC12", "ＡＢＣ１２"),
     ("مرحبا", "مَرْحَبًا"), ("مرحبا", "\u202bمرحبا\u202c"), ("co\u00adop", "coop"), ("a\u200bb", "ab"),
     ("👍", "👎"), ("it's", "it’s"), ("?", "!"), ("Straße", "STRASSE"), ("zu", "zu\u00a0"), ("Ёж", "еж")],
)  # fmt: skip
def test_it_differs_in_a_letter_or_a_number(text, donor, rng):
    with pytest.raises(DamageError):
        degrade(text, [donor], rng)
    for _ in range(20):
        assert re.search("qq|99", degrade(text, [donor] * 30 + ["qq 99"], rng))


@pytest.mark.parametrize(
    ("text", "donors"),
    [("Ja.", ["ja.", "JA.", "Ja. "]), ("Ja.", []), ("  ", DONORS), ("a b c", ["a b c"] * 9)],
)
def test_what_cannot_be_damaged_is_said(text, donors, rng):
    if text == "a b c":  # the same words in another order still differ
        assert degrade(text, donors, rng) != text
        return
    with pytest.raises(DamageError):
        degrade(text, donors, rng)


def test_donors_too_short_give_a_shorter_phrase(rng):
    words = [f"w{number}" for number in range(30)]
    damaged = degrade(" ".join(words), ["x y", "z"], rng).split()
    assert sum(one != other for one, other in zip(words, damaged, strict=True)) == 2


def test_characters_where_there_are_no_spaces(rng):
    text, donor = "今天天气很好我们去公园散步吧", "昨日雨下大他在家里看书写字了"
    for _ in range(30):
        damaged = degrade(text, [donor], rng, spaced=False)
        changed = [place for place, mark in enumerate(damaged) if mark != text[place]]
        assert len(damaged) == len(text) and len(changed) == phrase_length(len(text))
        assert damaged[0] == text[0] and damaged[-1] == text[-1]
    thai = "ที่นี่มีน้ำดื่มเย็น"
    for _ in range(30):
        damaged = degrade(thai, ["กุ้งผู้ใหญ่บ้านต้มยำ"], rng, spaced=False)
        assert damaged != thai and not re.search(r"(^|\s)[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]", damaged)
    for seed in range(20):
        mixed = degrade("我用GPT4写字", ["他昨天去了北京城"], np.random.default_rng(seed), spaced=False)
        assert "GPT4" in mixed or not re.search("[A-Z0-9]", mixed), "a Latin word is one unit"


@pytest.mark.parametrize(
    ("tag", "spaced"), [("zh-Hans", False), ("ja", False), ("th", False), ("lo", False), ("km", False),
                        ("my", False), ("de", True), ("ko", True), ("vi", True), ("hi", True)],
)  # fmt: skip
def test_languages_without_spaces(tag, spaced):
    assert is_spaced(tag) is spaced


def test_the_same_seed_gives_the_same_text():
    text = " ".join(f"w{number}" for number in range(12))
    made = {degrade(text, DONORS, np.random.default_rng(3)) for _ in range(5)}
    assert len(made) == 1
