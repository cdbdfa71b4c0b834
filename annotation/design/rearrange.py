"""Put the open part of the raters who get something in order again, and choose its sides anew."""

from collections.abc import Sequence

import numpy as np

from annotation.design.items import Layout, PlannedAssignment, Rater, wanted_gap
from annotation.design.order import OrderTask, order_items
from annotation.design.plan import choose_swaps, sides_of
from annotation.design.running import GivenAssignment, Running, name_raters
from annotation.design.sides import SideBalancer

Own = list[tuple[GivenAssignment, int]]


def arrange(
    state: Running, fresh: Sequence[Sequence[int]], rng: np.random.Generator
) -> tuple[list[PlannedAssignment], dict[Rater, tuple[PlannedAssignment, ...]], list[str]]:
    """Arrange what is open; what is done keeps its place and its sides.

    Args:
        state: the running campaign.
        fresh: new items of each receiver.
        rng: source of randomness.

    Returns:
        The new assignments; for each rater who has some the other open ones, in order; and what cannot be
        kept.
    """
    layout = state.layout
    own: list[Own] = [[] for _ in state.receivers]
    sides = SideBalancer(len(layout.systems), rng)
    for given, item, rater in state.kept:
        if rater >= 0 and fresh[rater]:
            own[rater].append((given, item))
        else:
            sides.total = _shown(layout, sides.total, [(given, item)])
    added: list[PlannedAssignment] = []
    order: dict[Rater, tuple[PlannedAssignment, ...]] = {}
    short: list[str] = []
    lopsided: list[str] = []
    for rater, name in enumerate(state.receivers):
        if not fresh[rater]:
            continue
        planned, close = _arrange_one(layout, name, own[rater], fresh[rater], sides, rng)
        new = set(fresh[rater])
        added += [assignment for item, assignment in planned if item in new]
        order[name] = tuple(assignment for item, assignment in planned if item not in new)
        short += close
        if max(map(abs, sides.last)) > 1 + layout.merged_slack:
            lopsided.append(str(name))
    if lopsided:
        short.append(f"a system is left more often than right, or the reverse, for {name_raters(lopsided)}")
    return added, order, short


def _arrange_one(
    layout: Layout,
    name: Rater,
    own: Own,
    fresh: Sequence[int],
    sides: SideBalancer,
    rng: np.random.Generator,
) -> tuple[list[tuple[int, PlannedAssignment]], list[str]]:
    done = [(given, item) for given, item in own if given.done]
    start = 1 + max((given.position for given, _ in done), default=0)
    open_items = [item for given, item in own if not given.done] + list(fresh)
    queue, gap, wanted = _order_open(layout, done, open_items, start, rng)
    swaps = choose_swaps(layout, queue, sides, rng, _shown(layout, [0] * len(layout.systems), done))
    planned = [
        (item, PlannedAssignment(layout.items[item].key, name, start + place, swap))
        for place, (item, swap) in enumerate(zip(queue, swaps, strict=True))
    ]
    if gap >= wanted:
        return planned, []
    return planned, [f"rater {name} sees items of one segment {gap} apart, not {wanted}: too few open places"]


def _order_open(
    layout: Layout,
    done: Sequence[tuple[GivenAssignment, int]],
    open_items: Sequence[int],
    start: int,
    rng: np.random.Generator,
) -> tuple[list[int], int, int]:
    """Order the open items after the done ones; return the order, the gap kept and the gap wanted."""
    last: dict[int, int] = {}
    counts = [0] * len(layout.systems)
    for given, item in done:
        segment = layout.segment_of[item]
        last[segment] = max(last.get(segment, given.position - start), given.position - start)
        for system in layout.systems_of[item]:
            counts[system] += 1
    segments: dict[int, list[int]] = {}
    for item in open_items:
        segments.setdefault(layout.segment_of[item], []).append(item)
    task = OrderTask(
        segments=list(segments.values()),
        last=[last.get(segment) for segment in segments],
        systems_of=layout.systems_of,
        counts=counts,
        done=len(done),
    )
    wanted = wanted_gap(len(done) + len(open_items))
    queue, gap = order_items(task, wanted, rng)
    return queue, gap, wanted


def _shown(layout: Layout, excess: Sequence[int], given: Own) -> list[int]:
    """Add comparisons to the times left less times right of each system."""
    result = list(excess)
    if layout.pairwise:
        for assignment, item in given:
            if layout.pair_of[item] is not None:
                continue
            for side, systems in enumerate(sides_of(layout, item)):
                for system in systems:
                    result[system] += 1 if (side == 1) == assignment.swap else -1
    return result
