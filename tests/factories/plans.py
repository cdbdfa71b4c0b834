"""Invented campaigns for tests of the plan: items, raters part way, and the rows of the exported plan."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from annotation.design.items import PlanItem, PlannedAssignment, Rater
from annotation.design.reassign import GivenAssignment, Reassignment


def make_items(
    n_systems: int,
    n_segments: int,
    *,
    n_testsets: int = 1,
    n_inputs: int = 1,
    merged: float = 0.0,
    pairwise: bool = False,
    seed: int = 0,
    reference: bool = False,
) -> list[PlanItem]:
    """Invent items: `n_segments` in each test set; a part `merged` of them has identical outputs.

    `reference` adds a hidden reference, as one more system.
    """
    rng = np.random.default_rng(seed)
    systems = [f"s{number}" for number in range(n_systems)]
    items = []
    for testset in range(n_testsets):
        for segment in range(n_segments):
            for source in range(n_inputs):
                texts = [(system,) for system in systems]
                if n_systems > 1 and rng.random() < merged:
                    size = int(rng.integers(2, min(4, n_systems + 1)))
                    same = sorted(rng.choice(n_systems, size=size, replace=False).tolist())
                    texts = [tuple(systems[number] for number in same)]
                    texts += [(system,) for number, system in enumerate(systems) if number not in same]
                texts += [("ref",)] * reference
                shown = list(combinations(texts, 2)) if pairwise else [(text,) for text in texts]
                items += [
                    PlanItem(
                        (testset, segment, source, number),
                        (testset, segment),
                        f"t{testset}",
                        candidates,
                        "reference" if ("ref",) in candidates else "system",
                    )
                    for number, candidates in enumerate(shown)
                ]
    return items


def raters_named(number: int) -> list[Rater]:
    """Name some raters."""
    return [f"r{index}" for index in range(number)]


def plan_rows(
    items: Sequence[PlanItem], assignments: Iterable[PlannedAssignment | GivenAssignment]
) -> list[dict[str, str]]:
    """Write assignments in the columns of the exported plan."""
    by_key = {item.key: item for item in items}
    rows = []
    for number, given in enumerate(assignments):
        item = by_key[given.item]
        texts = ["|".join(names) for names in item.candidates]
        if given.swap:
            texts.reverse()
        rows.append(
            {
                "assignment": str(number),
                "round": "1",
                "rater": str(given.rater),
                "position": str(given.position),
                "testset": item.testset,
                "segment": str(item.segment),
                "input": f"source{(item.pair or item.key)[2]}",
                "context": "",
                "kind": item.kind,
                "left": texts[0],
                "right": texts[1] if len(texts) == 2 else "",
                "item": str(item.key),
                "pair": str(item.pair) if item.pair else "",
            }
        )
    return rows


def part_way(
    assignments: Iterable[PlannedAssignment | GivenAssignment], parts: Mapping[Rater, float]
) -> list[GivenAssignment]:
    """Mark the first part of every rater's assignments as done."""
    given = list(assignments)
    loads: dict[Rater, int] = {}
    for one in given:
        loads[one.rater] = loads.get(one.rater, 0) + 1
    return [
        GivenAssignment(
            one.item, one.rater, one.position, one.position <= parts[one.rater] * loads[one.rater], one.swap
        )
        for one in given
    ]


def apply(given: Sequence[GivenAssignment], change: Reassignment) -> list[GivenAssignment]:
    """Carry out what a reassignment says."""
    moved = {(one.item, one.rater): one for order in change.order.values() for one in order}
    released = {(one.item, one.rater) for one in change.released}
    result = []
    for one in given:
        if (one.item, one.rater) in released:
            continue
        new = moved.get((one.item, one.rater))
        result.append(GivenAssignment(one.item, one.rater, new.position, False, new.swap) if new else one)
    return result + [
        GivenAssignment(new.item, new.rater, new.position, False, new.swap) for new in change.added
    ]


def count_done(given: Sequence[GivenAssignment], raters: Iterable[Rater]) -> dict[str, int]:
    """Count what each of some raters has done."""
    return {str(rater): sum(one.done for one in given if one.rater == rater) for rater in raters}
