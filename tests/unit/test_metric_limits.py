"""Lines too long for a metric are named, and what is counted of long ones is what counting pairs gives."""

import random
from collections import Counter
from itertools import combinations

import pytest

from mtcore.metrics import METRICS, MetricError
from mtcore.metrics.base import MetricSettings
from mtcore.metrics.beer import ANY_GAP, _pair_matches, features
from mtcore.metrics.limits import MOST_WORDS, words_count
from mtcore.metrics.meteor import Meteor
from mtcore.metrics.ter import Ter
from tests.factories.beer import write_beer


def test_pairs_at_any_distance_match_as_if_they_were_all_written_down():
    draws = random.Random(7)
    for size in (0, 1, 2, 5, 30):
        for _ in range(20):
            one, other = (
                [draws.choice("abcdefgh"[: draws.randint(1, 8)]) for _ in range(draws.randint(0, size))]
                for _ in range(2)
            )
            pairs = Counter(combinations(one, 2)) & Counter(combinations(other, 2))
            assert _pair_matches(one, other) == pairs.total()


def test_a_line_of_thousands_of_words_is_counted():
    words = [f"w{place}" for place in range(4000)]
    found = features(" ".join(words), " ".join(reversed(words[:2000])))
    assert found[f"{ANY_GAP}.b"] == 0.0
    assert found["len_disbalance_word.d.1.0"] == 1.0


@pytest.mark.parametrize("name", MOST_WORDS)
def test_a_line_that_is_too_long_is_named(name: str, tmp_path):
    kind = METRICS[name]
    if not kind.is_available():
        pytest.skip(kind.install_hint)
    metric = kind.of_settings(
        MetricSettings("de", {"beer": write_beer(tmp_path / "m")} if name == "beer" else {})
    )
    most = MOST_WORDS[name]
    long = " ".join(["x"] * (most + 1))
    told = rf"line 2 of {{}} has {most + 1:,} words; {kind.title} takes at most {most:,} a line"
    with pytest.raises(MetricError, match=told.format("the output")):
        metric.segment_stats(["a", long], [["a", "b"]])
    with pytest.raises(MetricError, match=told.format("the reference")):
        metric.segment_stats(["a", "b"], [["a", long]])
    with pytest.raises(MetricError, match=told.format("reference 2")):
        metric.segment_stats(["a", "b"], [["a", "b"], ["a", long]])


def test_characters_of_scripts_without_spaces_are_words():
    assert words_count("a bc  d") == 3
    assert words_count("猫がいる ok 猫。") == 4 + 1 + 2
    with pytest.raises(MetricError, match="TER takes at most"):
        Ter("zh").segment_stats(["猫" * 3000], [["猫"]])


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("Exception in thread main java.lang.OutOfMemoryError: Java heap space", "memory of its program"),
        ("Error: Invalid or corrupt jarfile x", "is damaged or no such program"),
        ("", "is damaged or no such program .exit code"),
    ],
)
def test_what_a_broken_jar_is_called(said: str, message: str, tmp_path, monkeypatch):
    jar = tmp_path / "m.jar"
    jar.write_bytes(b"PK")
    monkeypatch.setattr("mtcore.metrics.java.zipfile.is_zipfile", lambda _: "Memory" in said)
    if Meteor.is_available():
        program = Meteor("de", str(jar))._program
        program.command = ["sh", "-c", f"echo '{said}' >&2; exit 1"]
        with pytest.raises(MetricError, match=rf"^METEOR: .*{message}"):
            list(program.ask(["a"]))
