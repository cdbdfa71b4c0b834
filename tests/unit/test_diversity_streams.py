"""Fast ways to MTLD against the plain one; counting in pieces and in several processes against at once."""

import numpy as np
import pytest

from mtcore.diversity import counting, factors, measures_for, profile
from mtcore.diversity.counting import TokenStore, count_words, line_blocks
from mtcore.diversity.factors import FactorCounter, factor_ends, places_both_ways, previous_places
from mtcore.diversity.streams import Stream
from mtcore.diversity.tokens import Given, Moses
from tests.factories.diversity import invented_text, plain_factors, plain_mtld, plain_stream, profile_of


def naive_ends(ids: list[int], threshold: float) -> list[int]:
    ends, seen, n = [], set(), 0
    for place, word in enumerate(ids):
        n += 1
        seen.add(word)
        if len(seen) / n <= threshold:
            ends.append(place + 1)
            seen, n = set(), 0
    return ends


@pytest.mark.parametrize("threshold", [0.72, 0.5, 0.66, 0.9])
@pytest.mark.parametrize("types", [2, 40, 900, 90_000])
def test_chains_followed_together_are_the_one_true_chain(monkeypatch, types: int, threshold: float):
    monkeypatch.setattr(factors, "LANE", 64)
    rng = np.random.default_rng(types)
    for size in (0, 1, 63, 257, 4000):
        ids = (rng.zipf(1.3, size) % types).astype(np.int32)
        assert factor_ends(previous_places(ids), threshold).tolist() == naive_ends(ids.tolist(), threshold)


def test_lanes_are_used_at_their_true_size():
    ids = (np.random.default_rng(5).zipf(1.2, 5 * factors.LANE) % 3000).astype(np.int32)
    assert factor_ends(previous_places(ids)).tolist() == naive_ends(ids.tolist(), 0.72)


def test_previous_places_of_many_types():
    ids = np.random.default_rng(1).integers(0, 200_000, 5000).astype(np.int32)
    seen: dict[int, int] = {}
    expected = []
    for place, word in enumerate(ids.tolist()):
        expected.append(seen.get(word, -1))
        seen[word] = place
    assert previous_places(ids).tolist() == expected
    forward, backward = places_both_ways(ids)
    assert forward.tolist() == expected
    assert backward.tolist() == previous_places(ids[::-1]).tolist()


def test_factors_of_a_stream_in_pieces_are_those_of_the_whole():
    words = " ".join(invented_text(200, 2)).split()
    numbers = {word: place for place, word in enumerate(dict.fromkeys(words))}
    ids = np.array([numbers[word] for word in words], np.int32)
    counter = FactorCounter()
    for start in range(0, len(ids), 37):
        counter.feed(ids[start : start + 37])
    chain = counter.finish()
    assert chain.total == pytest.approx(plain_factors(words))
    cuts = np.array([0, 10, 500, len(ids)])
    assert np.diff(chain.at(cuts)).sum() == pytest.approx(chain.total)


HARD = [
    "Well-known — e.g. 3,5 “quotes” don't U.S.A. 2021–22",
    "ΟΔΟΣ Straße İstanbul ŉ 12 --- ... !!! _under_score_ a/b/c",
    "  leading and trailing   ", "", "42", "x", "x\u00a0y z\u2009w \x1fv",
]  # fmt: skip


def test_the_stream_is_what_lexicalrichness_makes_of_the_text():
    for lines in (HARD, invented_text(50, 1), ["...", "12"]):
        found = profile_of(lines)
        stream = Stream(found.vocabulary.types, "lexicalrichness")
        expected = plain_stream("\n".join(lines))
        numbers: dict[str, int] = {}
        pattern = [numbers.setdefault(word, len(numbers)) for word in expected]
        ids = stream.words(found.store.read(0, found.tokens)).tolist()
        seen: dict[int, int] = {}
        assert [seen.setdefault(one, len(seen)) for one in ids] == pattern
        assert stream.lengths(found.store.read(0, found.tokens)).sum() == len(expected)


@pytest.mark.parametrize("piece", [17, 1000, 2_000_000])
def test_measures_along_the_words_do_not_depend_on_the_pieces(monkeypatch, piece: int):
    lines = invented_text(150, 4)
    words = " ".join(lines).split()
    monkeypatch.setattr(profile, "PIECE", piece)
    monkeypatch.setattr(profile, "BOTH_WAYS", piece)
    found = profile_of(lines)
    for measure in measures_for(("mtld", "mtld_tokens", "mattr", "msttr"), window=20):
        value = measure.compute(found).value
        cuts = found.edges(11)
        sums = measure.units(found, cuts).sum(axis=0)
        assert float(measure.of_sums(sums, found.vocabulary)) == pytest.approx(value)
        if measure.name == "mtld":
            assert value == pytest.approx(plain_mtld(plain_stream("\n".join(lines))))
        if measure.name == "mtld_tokens":
            assert value == pytest.approx(plain_mtld(words))


def test_words_given_are_split_as_python_splits_them():
    data = "\n".join(HARD).encode() + b"\r\n\n last line"
    encoded = Given().encode(data)
    types = encoded.names.to_pylist()
    lines = data.decode().split("\n")
    words = [word for line in lines for word in line.split()]
    assert [types[one] for one in encoded.ids] == words
    assert encoded.lengths.tolist() == [len(line.split()) for line in lines]
    assert types == list(dict.fromkeys(words))


def test_blocks_give_the_counts_of_the_whole_in_the_order_of_first_occurrence():
    lines = invented_text(300, 6)
    whole = count_words([("\n".join(lines) + "\n").encode()], Given())
    parts = count_words(line_blocks(lines, 500), Given())
    assert parts.types == whole.types == list(dict.fromkeys(" ".join(lines).split()))
    assert parts.counts.tolist() == whole.counts.tolist()
    assert parts.lengths.tolist() == whole.lengths.tolist()
    assert parts.store.read(0, 10**6).tolist() == whole.store.read(0, 10**6).tolist()


def test_several_processes_count_the_same(monkeypatch):
    lines = invented_text(120, 8)
    blocks = list(line_blocks(lines, 400))
    assert len(blocks) > counting.POOL_FROM
    alone = count_words(blocks, Moses("en"), jobs=1)
    together = count_words(blocks, Moses("en"), jobs=2)
    assert together.types == alone.types
    assert together.counts.tolist() == alone.counts.tolist()
    assert together.lengths.tolist() == alone.lengths.tolist()


def test_words_that_do_not_fit_into_memory_are_read_back_from_a_file(monkeypatch):
    monkeypatch.setattr(counting, "IN_MEMORY_BYTES", 64)
    store = TokenStore()
    for start in range(0, 100, 7):
        store.append(np.arange(start, min(start + 7, 100), dtype=np.int32))
    assert store.read(40, 60).tolist() == list(range(40, 60))
    assert [ids.tolist() for _, ids in store.pieces(40)] == [
        list(range(40)), list(range(40, 80)), list(range(80, 100)),
    ]  # fmt: skip
    assert np.concatenate(list(store.pieces_from_end(30))).tolist() == list(range(99, -1, -1))
