"""Measures of diversity on any text."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcore.diversity import MEASURES
from mtcore.diversity.base import CountMeasure
from mtcore.diversity.lemmas import TableLemmatiser
from mtcore.diversity.vocabulary import Resources
from tests.factories.diversity import plain_mtld, plain_stream, profile_of

WORD = st.text(alphabet="abÄß1-.’ \u00a0", max_size=4)
LINES = st.lists(st.lists(WORD, max_size=8).map(" ".join), max_size=12)
KNOWN = Resources(
    TableLemmatiser({"ab": "a", "ba": "a", "aa": "b"}, "test"),
    bands={"a": 1, "b": 2},
    options={"x": ("a", "b"), "y": ("ä", "c")},
)


@given(LINES)
@settings(deadline=None, max_examples=60)
def test_any_text_has_finite_values_or_reasons(lines: list[str]):
    profile = profile_of(lines, KNOWN)
    words = [word for line in lines for word in line.split()]
    assert profile.tokens == len(words)
    assert len(profile.counts) == len(set(words))
    for measure in MEASURES.values():
        found = measure.compute(profile)
        assert (found.value is None) == bool(found.reason)
        assert found.value is None or (np.isfinite(found.value) and found.value >= 0)
    for name, stream in (("mtld", plain_stream("\n".join(lines))), ("mtld_tokens", words)):
        value = MEASURES[name].compute(profile).value
        repeated = bool(stream) and len(set(stream)) < len(stream)
        assert (value is not None) == repeated
        if value is not None:
            assert np.isclose(value, plain_mtld(stream))


@given(LINES, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_counts_do_not_mind_the_order_of_words(lines: list[str], rng):
    words = [word for line in lines for word in line.split()]
    rng.shuffle(words)
    one, other = profile_of(lines, KNOWN), profile_of([" ".join(words)], KNOWN)
    for measure in MEASURES.values():
        if isinstance(measure, CountMeasure):
            first, second = measure.compute(one).value, measure.compute(other).value
            assert (first is None) == (second is None)
            assert first is None or np.isclose(first, second)
