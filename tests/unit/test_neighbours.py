"""What is shown of a document around a segment, and how much of it."""

from annotation.protocols import PROTOCOLS
from annotation.protocols.base import ShownItem
from annotation.protocols.neighbours import LONGEST, joined_after, joined_before


def shown(**changes):
    texts = {
        "source_language": "en", "target_language": "ar", "source_name": "English", "target_name": "Arabic",
        "source_dir": "ltr", "target_dir": "rtl", "context": "It sank.", "candidates": ("x", "y"),
        "before": ("A ship.", "A storm."), "after": ("Nobody drowned.",),
    }  # fmt: skip
    return ShownItem(**texts | changes)


def test_short_neighbours_are_whole_a_line_each():
    assert joined_before(["a", "b"]) == "a\nb" and joined_after(["c", "d"]) == "c\nd"
    assert joined_before([]) == joined_after([]) == ""


def test_of_long_neighbours_the_near_end_is_kept():
    words = " ".join(str(n) for n in range(1000))
    before, after = joined_before([words]), joined_after([words])
    assert (
        before.startswith("…") and words.endswith(before[1:]) and LONGEST - 40 <= len(before) <= LONGEST + 1
    )
    assert after.endswith("…") and words.startswith(after[:-1] + " ") and len(after) <= LONGEST + 1
    unbroken = "文" * 2000
    assert joined_before([unbroken]) == "…" + "文" * LONGEST
    assert joined_after([unbroken]) == "文" * LONGEST + "…"


def test_each_protocol_shows_the_neighbours_of_what_it_compares_with():
    before, after = PROTOCOLS["source_da"]().neighbours(shown(), str)
    assert (before.lang, before.dir, before.text) == ("en", "ltr", "A ship.\nA storm.")
    assert (after.lang, after.dir, after.text) == ("en", "ltr", "Nobody drowned.")
    before, after = PROTOCOLS["reference_da"]().neighbours(shown(after=()), str)
    assert (before.lang, before.dir) == ("ar", "rtl") and after is None
    assert PROTOCOLS["pairwise_fluency"]().neighbours(shown(), str) == (None, None)
