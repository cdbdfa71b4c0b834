"""Streams, keys and filters of corpora."""

import gzip
import random
import tracemalloc

import pytest

from mtcore.corpora import language_id, line_keys
from mtcore.corpora.corpus_lines import TextFiles, side_by_side
from mtcore.corpora.errors import CorpusError
from mtcore.corpora.filters import FilterOptions, FilterReport, drop_blank, filter_pairs, make_filters
from mtcore.corpora.line_keys import RepeatFinder, exact_key, loose_key, loose_keys, without_repeats
from tests.paths import CASES, DATA, needs_cases, needs_data

PLAIN = FilterOptions(language=False)
needs_identifier = pytest.mark.skipif(not language_id.is_available(), reason=language_id.INSTALL_HINT)


def write(path, data: bytes):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_lines_end_at_lf_only(tmp_path, packed):
    data = b"\xef\xbb\xbfone\r\ntwo\xe2\x80\xa8half\nthr\ree\n\x0cfour"
    file = TextFiles([write(tmp_path / "x.gz", gzip.compress(data) if packed else data)])
    assert list(file) == ["one", "two\u2028half", "thr ee", "\x0cfour"]
    assert (file.n_lines, file.n_changed, file.fraction) == (4, 1, 1.0)
    assert len(list(file)) == 4, "may be read again"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"a\nb\xff\n", "line 2: is not UTF-8"),
        (b"a\0b\n", "line 1: holds a NUL"),
        (b"\xff\xfea\0", "UTF-16"),
        (gzip.compress(b"text\n" * 1000, mtime=0)[:-12], "cut short"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path, data, words):
    with pytest.raises(CorpusError, match=words):
        list(TextFiles([write(tmp_path / "bad.txt", data)]))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CorpusError, match=r"gone\.txt"):
        TextFiles([tmp_path / "gone.txt"])


def test_long_lines_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("mtcore.corpora.corpus_lines.MAX_LINE_BYTES", 10)
    with pytest.raises(CorpusError, match="line 2: has more than 10 bytes"):
        list(TextFiles([write(tmp_path / "x", b"short\n" + b"long" * 5)]))


@needs_cases
def test_training_pairs_of_different_length_eng_08():
    source, target = TextFiles([CASES / "eng08_train.src"]), TextFiles([CASES / "eng08_train.tgt"])
    pairs = list(side_by_side(source, target))
    assert len(pairs) == 4
    assert pairs[3][0] == "j k l" and pairs[3][1] == "J K L"
    for sides in ((source, "eng08_train_short.tgt", 4, 3), ("eng08_train_short.tgt", source, 3, 4)):
        files = [TextFiles([CASES / one]) if isinstance(one, str) else one for one in sides[:2]]
        with pytest.raises(CorpusError, match=f"has {sides[2]} lines, .* has {sides[3]}"):
            list(side_by_side(*files))


@needs_cases
def test_empty_back_translations_are_left_out_eng_16():
    report = FilterReport()
    sides = [TextFiles([CASES / name]) for name in ("eng16_bt.src", "eng16_bt.mt")]
    left = list(drop_blank(side_by_side(*sides), report, ("empty source", "empty output")))
    assert left == [("Hallo .", "Hello .")]
    assert report.as_dict() == {"read": 3, "kept": 1, "removed": {"empty source": 1, "empty output": 1}}


def test_each_filter_counts_what_it_removes_first():
    options = FilterOptions(min_words=2, max_words=4, max_ratio=1.5, language=False)
    pairs = [
        ("a b", "c d"),
        ("a b", " "),
        ("a b", "c"),
        ("a b c d e", "c d e f"),
        ("a b", "c d e f"),
        ("a b c d", "c d e"),
        ("The test, here.", "das ist da"),
    ]
    report = FilterReport()
    filters = make_filters(options, source="en", target="de", test_keys=loose_keys(["the TEST here"]))
    assert list(filter_pairs(pairs, filters, report)) == [pairs[0], pairs[5]]
    assert report.removed == {
        "empty": 1, "too short": 1, "too long": 1, "length ratio": 1, "test segment": 1,
    }  # fmt: skip
    assert (report.read, report.kept) == (7, 2)


def test_the_papers_limits_are_inclusive():
    filters = make_filters(PLAIN, source="en", target="de")
    assert not filters["too long"]("w " * 250, "w") and filters["too long"]("w " * 251, "w")
    assert not filters["length ratio"]("a b c", "a b") and filters["length ratio"]("a b c d", "a b")


def test_scripts_without_blanks_are_counted_by_characters():
    removes = make_filters(PLAIN, source="zh", target="en")["length ratio"]
    assert not removes("我今天很高兴", "I am happy") and removes("我今天很高兴认识你们大家", "hello")


@pytest.mark.parametrize(
    "values", [{"max_ratio": 0.5}, {"max_words": -1}, {"min_words": 9, "max_words": 3}, {"min_letters": -2}]
)
def test_impossible_options_are_refused(values):
    with pytest.raises(CorpusError):
        FilterOptions(**values)


def test_segments_are_known_again_whatever_their_case_spacing_or_punctuation():
    assert loose_key("He said: “Hello, World!”") == loose_key(
        "he said : &quot hello , world".replace("&quot", "")
    )
    assert loose_key("ﬁne") == loose_key("FINE")
    assert loose_key("Привет.") == loose_key("привет")
    assert loose_key("—!") is None and loose_key("a") != loose_key("b")


@pytest.mark.parametrize("at_once", [1000, 7])
def test_lines_that_come_again_are_found_on_disk_as_in_memory(tmp_path, monkeypatch, at_once):
    monkeypatch.setattr(line_keys, "KEYS_AT_ONCE", at_once)
    rng = random.Random(3)
    lines = [str(rng.randint(0, 30)) for _ in range(100)]
    finder = RepeatFinder(tmp_path)
    for line in lines:
        finder.add(exact_key(line))
    seen: set[str] = set()
    expected = [line in seen or bool(seen.add(line)) for line in lines]
    assert finder.repeats().tolist() == expected
    assert not list(tmp_path.glob("keys.*"))


def test_pairs_are_given_once_in_their_order(tmp_path):
    pairs = [("a", "x"), ("a", "y"), ("b\tc", "x"), ("a", "x"), ("a\nb", "x"), ("b\tc", "x")]
    pairs[4] = ("a\u2028b", "x")
    removed = []
    assert list(without_repeats(pairs, tmp_path, removed.append)) == [*pairs[:3], pairs[4]]
    assert removed == [2]
    (tmp_path / "none").mkdir()
    assert list(without_repeats([], tmp_path / "none", removed.append)) == []


def test_memory_does_not_grow_with_the_text(tmp_path, monkeypatch):
    monkeypatch.setattr(line_keys, "KEYS_AT_ONCE", 20_000)

    def peak(n: int) -> int:
        folder = tmp_path / str(n)
        folder.mkdir()
        pairs = ((f"line {k % (n // 2)} of many", f"Zeile {k % (n // 2)} von vielen") for k in range(n))
        report = FilterReport()
        tracemalloc.start()
        left = without_repeats(
            filter_pairs(pairs, make_filters(PLAIN, source="en", target="de"), report), folder, lambda n: None
        )
        assert sum(1 for _ in left) == n // 2
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(90_000) < 1.3 * peak(30_000)


@needs_identifier
@needs_data
@pytest.mark.parametrize("language", ["de", "en", "fr", "ru"])
def test_languages_are_told_apart(language):
    lines = (DATA / "mono" / f"{language}.txt").read_text("utf-8").split("\n")[:300]
    assert sum(language_id.identify(line) == language for line in lines) >= 290


@needs_identifier
def test_lines_in_another_language_go_and_short_ones_stay():
    removes = make_filters(FilterOptions(), source="en", target="deu")["other language"]
    english, german = "This is a sentence in the English language.", "Dies ist ein Satz in deutscher Sprache."
    assert not removes(english, german)
    assert removes(german, german) and removes(english, english)
    assert not removes("OK", "OK"), "nobody can tell"
    with pytest.raises(CorpusError, match="does not know “liv”"):
        make_filters(FilterOptions(), source="en", target="liv")


def test_without_the_identifier_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(language_id, "is_available", lambda: False)
    language_id._model.cache_clear()
    with pytest.raises(CorpusError) as caught:
        make_filters(FilterOptions(), source="en", target="de")
    assert "pip install py3langid" in caught.value.remedy
