"""Put a rater's items in order: random, items of one segment far apart, systems even at every moment.

A segment that was begun mostly comes again as soon as its distance is kept. So the distance of two items of a
segment says nothing of what they are, pairs for quality control are whole early in long work, and raters know
which source they have had before but not what it means: the items of a segment come in an order that depends
on their systems alone, whatever follows an item before it as often as after it.

Keeping a distance between visits of one segment is scheduling with a cooldown. Always taking a segment with
the most items left among those whose cooldown is over succeeds whenever any order does (exchange argument: in
a good order the first visits of two segments can be exchanged). A freer, weighted random choice is tried
first and falls back on that rule when the end comes near.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: Segments looked at before a visit, and items looked at in each, to keep the systems even.
SEGMENT_DRAWS = 5
ITEM_LOOKS = 8
#: Segments that were not begun are looked at too where a system would be shown so much more than its share.
MOST_AHEAD = 2.0


@dataclass(frozen=True)
class OrderTask:
    """The open part of one rater's work.

    Attributes:
        segments: the open items of each segment.
        last: position of the last item of that segment done, counted back from the first open place (which is
            0, so −1 is the place just before); None when nothing of it is done.
        systems_of: systems of every item of the campaign, by item.
        counts: times each system has been shown so far [n_systems].
        done: number of items done.
    """

    segments: Sequence[Sequence[int]]
    last: Sequence[int | None]
    systems_of: Sequence[tuple[int, ...]]
    counts: Sequence[int]
    done: int = 0


def order_items(task: OrderTask, gap: int, rng: np.random.Generator) -> tuple[list[int], int]:
    """Order the open items of a rater.

    Args:
        task: what there is to order.
        gap: distance wanted between two items of one segment.

    Returns:
        The items in order, and the distance kept: `gap`, or the largest possible one when that is smaller.
    """
    for distance in range(gap, 0, -1):
        for margin in (distance // 2, 2 * distance, None):
            order = _Scheduler(task, distance, margin, rng).run()
            if order is not None:
                return order, distance
    raise AssertionError("an order with distance 1 always exists")


class _Scheduler:
    """One attempt; with margin None always take the most urgent segments."""

    def __init__(self, task: OrderTask, gap: int, margin: int | None, rng: np.random.Generator) -> None:
        self.gap, self.margin = gap, margin
        self.systems_of = task.systems_of
        self.queues = [[items[i] for i in rng.permutation(len(items)).tolist()] for items in task.segments]
        self.length = sum(len(queue) for queue in self.queues)
        most = max((len(queue) for queue in self.queues), default=0)
        self.at_least = [sum(len(queue) >= left for queue in self.queues) for left in range(most + 1)]
        self.most = most
        self.available: list[list[int]] = [[] for _ in range(most + 1)]
        self.weight = 0
        self.begun: list[int] = []  # those of the available segments that were begun
        self.is_begun = [last is not None for last in task.last]
        self.place = [-1] * len(self.queues)
        self.waiting: list[tuple[int, int]] = []
        for segment, last in enumerate(task.last):
            self.waiting.append((0 if last is None else last + gap, segment))
        heapq.heapify(self.waiting)
        self.counts = [float(count) for count in task.counts]
        self._set_rates(task)
        self.draws = iter(rng.random(self.length * SEGMENT_DRAWS * 2).tolist())

    def _set_rates(self, task: OrderTask) -> None:
        totals = list(self.counts)
        for queue in self.queues:
            for item in queue:
                for system in self.systems_of[item]:
                    totals[system] += 1
        everything = self.length + task.done
        self.rates = [total / everything if everything else 0.0 for total in totals]
        self.shown = task.done

    def run(self) -> list[int] | None:
        """Order all items, or return None at a dead end."""
        order = []
        for now in range(self.length):
            while self.waiting and self.waiting[0][0] <= now:
                self._release(heapq.heappop(self.waiting)[1])
            if not self.weight:
                return None
            segment, place = self._choose(self._is_tight(now))
            item = self._take(segment, place)
            order.append(item)
            if self.queues[segment]:
                heapq.heappush(self.waiting, (now + self.gap, segment))
        return order

    def _is_tight(self, now: int) -> bool:
        """Say whether segments with many items left must come first now, lest they do not fit in the end."""
        while self.most and not self.at_least[self.most]:
            self.most -= 1
        if self.margin is None:
            return True
        ready = now + self.margin - self.length
        return any(
            ready + self.at_least[left] + (left - 1) * self.gap > 0 for left in range(2, self.most + 1)
        )

    def _choose(self, tight: bool) -> tuple[int, int]:
        """Draw some segments; return the one, and the place in its queue, that keep the systems most even."""
        best = (0, 0)
        lowest = float("inf")
        for number in range(2 * SEGMENT_DRAWS):
            if number >= SEGMENT_DRAWS and lowest <= MOST_AHEAD:
                break
            segment = self._draw(tight, number >= SEGMENT_DRAWS)
            for place, item in enumerate(self.queues[segment][:ITEM_LOOKS]):
                cost = 0.0
                for system in self.systems_of[item]:
                    cost += 2 * (self.counts[system] - self.rates[system] * self.shown) + 1
                if cost < lowest:
                    lowest, best = cost, (segment, place)
        return best

    def _draw(self, tight: bool, any_segment: bool) -> int:
        """Draw an available segment: a begun one, or any by items left; when tight, one with most left."""
        number = next(self.draws)
        if self.begun and not (tight or any_segment):
            return self.begun[int(number * len(self.begun))]
        if tight:
            bucket = next(bucket for bucket in reversed(self.available) if bucket)
            return bucket[int(number * len(bucket))]
        target = number * self.weight
        for left, bucket in enumerate(self.available):
            if bucket and target < left * len(bucket):
                return bucket[min(int(target / left), len(bucket) - 1)]
            target -= left * len(bucket)
        return next(bucket for bucket in reversed(self.available) if bucket)[-1]

    def _release(self, segment: int) -> None:
        left = len(self.queues[segment])
        self.place[segment] = len(self.available[left])
        self.available[left].append(segment)
        self.weight += left
        if self.is_begun[segment]:
            self.begun.append(segment)

    def _take(self, segment: int, place: int) -> int:
        left = len(self.queues[segment])
        bucket = self.available[left]
        moved = bucket.pop()
        if moved != segment:
            bucket[self.place[segment]] = moved
            self.place[moved] = self.place[segment]
        self.weight -= left
        if self.is_begun[segment]:
            self.begun.remove(segment)
        self.is_begun[segment] = True
        self.at_least[left] -= 1
        item = self.queues[segment].pop(place)
        for system in self.systems_of[item]:
            self.counts[system] += 1
        self.shown += 1
        return item
