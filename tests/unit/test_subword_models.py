"""Words and signs come apart and together again; files keep their lines."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtcore.engines.errors import EngineError
from mtcore.engines.subword_models import file_lines, subwords_encode, text_of, words_of, write_words
from mtcore.engines.subword_models_split import clean_line, join_words, split_words
from tests.engine_material import SETUP, desk
from tests.paths import CASES, needs_cases


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(Hello, world!)", "(￭ Hello ￭, world ￭! ￭)"),
        ("don't", "don ￭'￭ t"),
        ("Press now .", "Press now ."),
        ("3.5 €", "3 ￭.￭ 5 €"),
        ("हिन्दी में।", "हिन्दी में ￭।"),
        ("", ""),
        (" \t\u00a0\u2028", ""),
    ],
)
def test_words_and_signs_come_apart(text, words):
    assert split_words(text) == words


@given(st.text(st.characters(exclude_characters="￭▁", exclude_categories=["Cs"]), max_size=40))
def test_every_text_comes_back(text):
    plain = re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip(" ")
    for tool in ("none", "subword-nmt"):
        assert text_of(words_of(text, tool), tool) == plain
    pieces = " ".join(f"▁{word}" for word in words_of(text, "sentencepiece").split(" ") if word)
    assert text_of(pieces, "sentencepiece") == plain


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_nothing_that_means_more_is_left(text):
    words = split_words(text)
    assert not {"\n", "\r", "\t", "▁"} & set(words) and "  " not in words
    assert not {"<unk>", "<s>", "</s>", "<pad>"} & set(words.split(" "))
    assert not re.search(r"<(unk|s|/s|pad)>", clean_line(text))


def test_what_a_model_writes_has_no_joiners_left():
    assert join_words("￭ The ￭ ￭, dog￭ ￭.") == "The, dog."


@needs_cases
def test_the_shared_case_of_literal_specials_comes_back():
    for line in (CASES / "eng14_literal.txt").read_text("utf-8").split("\n")[:3]:
        assert text_of(words_of(line, "subword-nmt"), "subword-nmt") == line


@needs_cases
def test_blank_lines_are_not_doubled(tmp_path):
    work, source, target = desk(tmp_path / "run"), tmp_path / "words", tmp_path / "pieces"
    lines = [words_of(line, "none") for line in file_lines(CASES / "eng07_blank.txt")]
    source.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    subwords_encode([(source, target)], None, tool="none", setup=SETUP, work=work)
    assert target.read_bytes() == source.read_bytes() and len(lines) == 6


@needs_cases
def test_only_lf_ends_a_line_and_short_sides_are_refused(tmp_path):
    work = desk(tmp_path / "run")
    sides = [(CASES / f"eng08_train.{side}", tmp_path / side) for side in ("src", "tgt")]
    assert write_words(sides, "subword-nmt", work) == (4, 0)
    assert all(path.read_text("utf-8").count("\n") == 4 for _, path in sides)
    sides[1] = (CASES / "eng08_train_short.tgt", tmp_path / "short")
    with pytest.raises(EngineError, match=r"eng08_train.src has 4 and eng08_train_short.tgt has 3"):
        write_words(sides, "subword-nmt", work)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "src", "tgt"]


def test_pairs_with_a_blank_side_are_left_out(tmp_path):
    (tmp_path / "a").write_text("one\n\nthree\nfour\n")
    (tmp_path / "b").write_text("eins\nzwei\n \t\nvier\n")
    sides = [(tmp_path / "a", tmp_path / "words.a"), (tmp_path / "b", tmp_path / "words.b")]
    assert write_words(sides, "subword-nmt", desk(tmp_path / "run")) == (2, 2)
    assert (tmp_path / "words.a").read_text() == "one\nfour\n"
    assert (tmp_path / "words.b").read_text() == "eins\nvier\n"
