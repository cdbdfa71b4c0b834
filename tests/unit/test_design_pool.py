"""The pure parts of pools and of the extra round: who gets what, and where it stands."""

import itertools
from collections import Counter

import numpy as np
import pytest

from annotation.design.pool import Line, PoolItem, allowed, deal_segment, pool_gap, segments_in_order
from annotation.design.second_round import AgainItem, AgainRater, deal_again


def segment(number, systems=4, **more):
    return [PoolItem((number, system), ((system,),), **more) for system in range(systems)]


def test_items_of_a_segment_come_apart_and_no_place_is_given_twice():
    rng, line = np.random.default_rng(1), Line()
    places = {
        number: [one.position for one in deal_segment(segment(number), line, 5, 99, rng)]
        for number in range(10)
    }
    taken = [place for own in places.values() for place in own]
    assert len(set(taken)) == len(taken) == 40
    assert set(range(1, line.head)) <= set(taken) and line.head >= 11
    assert all(b - a >= 5 for own in places.values() for a, b in itertools.pairwise(own))


def test_whenever_a_rater_stops_the_systems_are_about_even():
    rng, line = np.random.default_rng(2), Line()
    dealt = [one for number in range(40) for one in deal_segment(segment(number), line, 20, 99, rng)]
    order = [one.key[1] for one in sorted(dealt, key=lambda one: one.position)]
    for stop in range(8, 120):
        counts = Counter(order[:stop])
        assert max(counts.values()) - min(counts.get(system, 0) for system in range(4)) <= 5


def with_checks():
    pair = frozenset({(1, 0)})
    return [*segment(1, 3), PoolItem("bad", ((8,),), pair), PoolItem("again", ((9,),), pair)]


def test_an_item_for_quality_control_comes_before_or_after_its_pair_alike():
    line, before, places = Line(), Counter(), Counter()
    for seed in range(600):
        dealt = deal_segment(with_checks(), line, 3, 99, np.random.default_rng(seed))
        order = [one.key for one in sorted(dealt, key=lambda one: one.position)]
        before.update(name for name in ("bad", "again") if order.index(name) < order.index((1, 0)))
        places.update((name, order.index(name)) for name in ("bad", "again"))
    assert all(230 <= before[name] <= 370 for name in ("bad", "again")), before
    assert all(75 <= places[name, n] <= 165 for name in ("bad", "again") for n in range(5)), places


def test_an_item_for_quality_control_is_taken_with_its_pair():
    for seed in range(20):
        for most in range(1, 6):
            dealt = deal_segment(with_checks(), Line(), 3, most, np.random.default_rng(seed))
            keys = {one.key for one in dealt}
            assert len(keys) == most
            assert (1, 0) in keys if keys & {"bad", "again"} else True


def test_without_its_pair_an_item_is_offered_only_to_who_has_had_it():
    items = [PoolItem("bad", (), frozenset({"base"})), PoolItem("other", ((1,),))]
    assert [one.key for one in allowed(items, set())] == ["other"]
    assert [one.key for one in allowed(items, {"base"})] == ["bad", "other"]
    assert len(allowed([*items, PoolItem("base", ((0,),))], set())) == 3


def test_no_more_than_asked_for_is_dealt():
    assert len(deal_segment(segment(1), Line(), 3, 2, np.random.default_rng(1))) == 2
    assert deal_segment([], Line(), 3, 2, np.random.default_rng(1)) == []


@pytest.mark.parametrize(("load", "gap"), [(0, 1), (4, 1), (15, 4), (80, 20), (5000, 20)])
def test_the_distance_follows_the_load(load, gap):
    assert pool_gap(load) == gap


def test_begun_segments_come_first_and_the_longest_waiting_before_others():
    order = segments_in_order({1: False, 2: True, 3: False, 4: True}, 3, np.random.default_rng(1))
    assert set(order[:2]) == {2, 4} and order[2] == 3


def again(key, seen, segment="s"):
    return AgainItem(key, segment, ("A",), frozenset(seen), frozenset(seen))


def test_new_raters_get_the_extra_round_and_loads_stay_even():
    raters = [AgainRater(name, load) for name, load in zip("abcdef", (9, 9, 9, 5, 5, 9), strict=True)]
    items = [again(number, "ab" if number % 2 else "bc", segment=number) for number in range(20)]
    found = deal_again(items, raters, 3, np.random.default_rng(1))
    assert len(found.renewed) == 20 and not found.same and not found.short
    for one in found.assignments:
        assert one.rater not in items[one.item].seen_by
    counts = Counter(one.rater for one in found.assignments)
    loads = [rater.load + counts[rater.name] for rater in raters if rater.name in "def"]
    assert max(loads) - min(loads) <= 1


def test_the_same_raters_where_there_are_too_few_and_nobody_where_there_are_not_enough():
    raters = [AgainRater(name) for name in "abcd"]
    found = deal_again([again(1, "abc")], raters, 3, np.random.default_rng(1))
    assert found.same == (1,) and {one.rater for one in found.assignments} == set("abc")
    found = deal_again([again(1, "ab")], raters[:2], 3, np.random.default_rng(1))
    assert found.short == (1,) and not found.assignments


def test_what_is_dealt_again_comes_after_all_and_away_from_its_segment():
    rater = AgainRater("a", load=40, end=40, last={"s0": 40, "s1": 39})
    items = [again(number, "b", segment=f"s{number}") for number in range(30)]
    found = deal_again(items, [rater], 1, np.random.default_rng(3))
    place = {one.item: one.position for one in found.assignments}
    assert min(place.values()) == 41 and place[0] - 40 >= 18 and place[1] - 39 >= 18 and not found.close
    near = deal_again(items[:1], [rater], 1, np.random.default_rng(3))
    assert near.assignments[0].position == 41 and near.close == ("a",)
