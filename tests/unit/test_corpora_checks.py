"""Line counts and shifted lines."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from mtcore.corpora.checks import (
    LengthError,
    ShiftError,
    check_same_length,
    check_shift,
    empty_lines,
    is_blank,
    locate_difference,
)
from mtcore.corpora.reader import read_lines
from tests.paths import DATA, needs_data


def parallel(n: int, seed: int = 1) -> tuple[list[str], list[str]]:
    """Make two texts whose line lengths go together as those of translations do."""
    rng = np.random.default_rng(seed)
    lengths = rng.lognormal(4.2, 0.6, n).astype(int) + 3
    others = (lengths * rng.normal(1.1, 0.1, n).clip(0.6, 1.6)).astype(int) + 1
    return ["s" * k for k in lengths], ["t" * k for k in others]


def test_empty_lines_are_numbered_from_one() -> None:
    assert empty_lines(["a", "", " \t\u00a0", "b"]) == [2, 3]


@pytest.mark.parametrize(
    "text", ["", " \t\xa0", "\u200b", "\ufeff\u202e", "\u2800\u2800", "\u3164", "\x01", "\u00ad"]
)
def test_a_line_that_shows_nothing_is_blank(text: str) -> None:
    assert is_blank(text) and empty_lines(["a", text]) == [2]


@pytest.mark.parametrize("text", [".", "\u200ba", "\U0001f600", "\u0301", "\uac00"])
def test_a_line_that_shows_something_is_not(text: str) -> None:
    assert not is_blank(text)


def test_texts_of_the_same_length_pass() -> None:
    source, reference = parallel(50)
    check_same_length(("the source", source), ("ref", reference), ("output", source))


def test_the_message_says_who_has_how_many_and_where_they_part() -> None:
    source, reference = parallel(1997)
    short = reference[:212] + reference[213:]
    with pytest.raises(LengthError) as caught:
        check_same_length(("the source", source), ("fine", reference), ("wmt19.ende.ref", short))
    message = str(caught.value)
    assert message.startswith(
        "wmt19.ende.ref has 1,996 lines, the source has 1,997; first difference probably"
    )
    at = locate_difference(source, short)
    assert at is not None and abs(at - 212) <= 5


@pytest.mark.parametrize("cut", [[0], [100], [299], [40, 41, 42], [30, 150, 260]])
def test_lines_left_out_of_either_text_are_located(cut: list[int]) -> None:
    source, reference = parallel(300, seed=3)
    short = [line for index, line in enumerate(reference) if index not in cut]
    for at in (locate_difference(source, short), locate_difference(short, source)):
        assert at is not None and abs(at - cut[0]) <= 4


def test_nothing_is_located_where_nothing_can_be_told() -> None:
    assert locate_difference(["a"] * 30, ["b"] * 30) is None
    assert locate_difference(["a"] * 5, ["b"] * 6) is None
    assert locate_difference(["a"] * 30, ["b"] * 3000) is None
    with pytest.raises(LengthError, match=r"b has 1 line, a has 2$"):
        check_same_length(("a", ["x", "y"]), ("b", ["x"]))


@pytest.mark.parametrize("shift", [-3, -2, -1, 1, 2, 3])
@pytest.mark.parametrize("n", [40, 400])
def test_a_shifted_text_is_refused(shift: int, n: int) -> None:
    source, reference = parallel(n)
    moved = reference[-shift:] + reference[:-shift]
    with pytest.raises(ShiftError, match=f"ref seems shifted against src by {abs(shift)} line"):
        check_shift(("src", source), ("ref", moved))


def test_a_shift_that_begins_in_the_middle_is_refused_with_its_place() -> None:
    source, reference = parallel(1000)
    moved = [*reference[:350], *reference[351:], "one line more at the end"]
    with pytest.raises(ShiftError, match="from about line 401 on"):
        check_shift(("src", source), ("ref", moved))


def test_short_constant_and_unrelated_texts_pass() -> None:
    source, reference = parallel(19)
    check_shift(("src", source), ("ref", reference[1:] + reference[:1]))
    check_shift(("src", ["same"] * 300), ("ref", ["same"] * 300))
    check_shift(("src", parallel(500, seed=5)[0]), ("ref", parallel(500, seed=6)[1]))


def test_unrelated_texts_raise_no_alarm_often() -> None:
    """500 unrelated pairs of 20–60 lines: not one alarm at four standard errors and 0.5."""
    for seed in range(500):
        n = 20 + seed % 41
        check_shift(("src", parallel(n, seed=seed)[0]), ("ref", parallel(n, seed=seed + 10_000)[1]))


def real_pairs() -> list[tuple[Path, Path]]:
    """Pair up all files of one set in the two folders of parallel text."""
    if not DATA.is_dir():
        return []
    groups: dict[str, list[Path]] = {}
    for file in sorted((DATA / "nmt-bt").glob("newstest*")):
        groups.setdefault(file.name.split(".")[0], []).append(file)
    for file in sorted((DATA / "parallel").glob("*/*")):
        if not file.name.startswith(("DOCUMENT", "README", "LICENSE")):
            name = file.name.split(".")[0].removesuffix("-src").removesuffix("-ref")
            groups.setdefault(f"{file.parent.name}/{name}", []).append(file)
    return [pair for files in groups.values() for pair in itertools.combinations(files, 2)]


@needs_data
def test_real_pairs_raise_no_alarm_and_their_shifted_copies_do() -> None:
    pairs = real_pairs()
    assert len(pairs) >= 50
    texts = {file: read_lines(file).lines for file in {file for pair in pairs for file in pair}}
    for one, other in pairs:
        first, second = (one.name, texts[one]), (other.name, texts[other])
        check_same_length(first, second)
        check_shift(first, second)
        with pytest.raises(ShiftError):
            check_shift(first, (other.name, [*texts[other][1:], texts[other][0]]))
