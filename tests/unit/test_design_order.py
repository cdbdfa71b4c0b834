"""The order of a rater's items keeps the distance wanted, or the largest possible one."""

from itertools import permutations

import numpy as np
import pytest

from annotation.design.order import OrderTask, order_items


def make_task(sizes: list[int], last: list[int | None] | None = None) -> OrderTask:
    items = iter(range(sum(sizes)))
    return OrderTask(
        segments=[[next(items) for _ in range(size)] for size in sizes],
        last=last or [None] * len(sizes),
        systems_of=[(0,)] * sum(sizes),
        counts=[0],
    )


def least_distance(segments: list[int], last: list[int | None]) -> int:
    before = {segment: place for segment, place in enumerate(last) if place is not None}
    least = len(segments) + 100
    for place, segment in enumerate(segments):
        if segment in before:
            least = min(least, place - before[segment])
        before[segment] = place
    return least


def best_distance(sizes: list[int], last: list[int | None]) -> int:
    places = [segment for segment, size in enumerate(sizes) for _ in range(size)]
    return max(least_distance(list(order), last) for order in set(permutations(places)))


@pytest.mark.parametrize("seed", range(60))
def test_the_distance_is_the_largest_possible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, size=int(rng.integers(1, 5))).tolist()
    while sum(sizes) > 8:
        sizes.pop()
    last = [None if rng.random() < 0.5 else -int(rng.integers(1, 5)) for _ in sizes]
    task = make_task(sizes, last)
    order, distance = order_items(task, 20, rng)
    owner = {item: segment for segment, items in enumerate(task.segments) for item in items}
    assert sorted(order) == list(range(sum(sizes)))
    assert distance == min(20, best_distance(sizes, last))
    assert least_distance([owner[item] for item in order], last) >= distance


def test_the_first_place_is_random() -> None:
    task = make_task([3] * 10)
    firsts = {order_items(task, 5, np.random.default_rng(seed))[0][0] for seed in range(200)}
    assert firsts == set(range(30))


def test_an_empty_task() -> None:
    assert order_items(make_task([]), 3, np.random.default_rng(1)) == ([], 3)
