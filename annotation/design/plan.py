"""Plan a fair campaign: who judges what, in which order, and which text stands on which side.

What the plan keeps:

1. every item gets exactly k judgements from k different raters;
2. all items of a segment go to the same k raters (best for paired tests), unless they are spread;
3. two raters' loads differ by the items of one segment at most, by one item when spread;
4. a rater's counts of two systems differ by one at most, by 1 + m when m systems share merged items;
5. items of one segment come to a rater min(20, load/4) positions apart, or as far as possible;
6. a system is left as often as right with every rater, within one (within 1 + m);
7. what follows an item for quality control (a bad reference, a repeat, an attention item) goes to the same
   raters, never nearer to it than rule 5 says, before or after it; rules 2 to 4 and 6 speak of the others.

The same items, raters and generator state give the same plan.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from annotation.design.balance import Balancer, Pieces, Rules
from annotation.design.dealing import deal, unit_order
from annotation.design.items import (
    Layout,
    Plan,
    PlanError,
    PlanItem,
    PlannedAssignment,
    Rater,
    lay_out,
    wanted_gap,
)
from annotation.design.order import OrderTask, order_items
from annotation.design.quality_items import QualityWish, draw_followers
from annotation.design.sides import SideBalancer, Sides
from annotation.design.verify import Violation, verify_plan

__all__ = ["Plan", "PlanError", "PlanItem", "PlannedAssignment", "QualityWish", "Rater", "plan_campaign"]

ATTEMPTS = 4
#: Proposals of the search for even counts: a constant part and a part for each cell of the raters' counts.
PROPOSALS, PROPOSALS_A_CELL = 20_000, 200


def plan_campaign(
    items: Sequence[PlanItem],
    raters: Sequence[Rater],
    judgements: int,
    rng: np.random.Generator,
    spread: bool = False,
    wish: QualityWish | None = None,
) -> Plan:
    """Plan which rater judges which item when.

    Args:
        items: what there is to judge; the plan depends on their order.
        raters: distinct raters; the plan depends on their order.
        judgements: judgements wanted for an item, from as many different raters.
        rng: source of all randomness.
        spread: deal every item on its own instead of a segment's items together.
        wish: quality control to be drawn into the plan.

    Returns:
        All assignments, with what could be kept in part only among the notes, and the items drawn.

    Raises:
        PlanError: too few raters, nothing to judge, or malformed items.
    """
    layout = lay_out(items, spread)
    _check_raters(raters, judgements)
    best: tuple[Plan, list[Violation]] | None = None
    for _ in range(ATTEMPTS):
        plan = _attempt(layout, raters, judgements, rng, wish)
        shown = [*items, *plan.followers]
        found = verify_plan(shown, raters, judgements, plan.assignments, spread=spread, gaps=plan.gaps)
        if best is None or len(found) < len(best[1]):
            best = plan, found
        if not found:
            break
    if best is None:
        raise AssertionError("at least one attempt is made")
    plan, found = best
    broken = [violation.message for violation in found if not violation.soft]
    if broken:
        raise PlanError("no plan keeps the rules: " + "; ".join(broken[:5]))
    return replace(plan, notes=plan.notes + tuple(violation.message for violation in found))


def _check_raters(raters: Sequence[Rater], judgements: int) -> None:
    if judgements < 1:
        raise PlanError(f"an item needs at least 1 judgement, not {judgements}")
    if len(set(raters)) != len(raters):
        raise PlanError("a rater is named twice")
    if judgements > len(raters):
        short = judgements - len(raters)
        remedy = f" or ask for {_count(len(raters), 'judgement')}" if raters else ""
        raise PlanError(
            f"{_count(judgements, 'judgement')} an item need{'s' if judgements == 1 else ''} "
            f"{_count(judgements, 'rater')}, there {'is' if len(raters) == 1 else 'are'} {len(raters)}: "
            f"add {_count(short, 'rater')}{remedy}"
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _attempt(
    layout: Layout,
    raters: Sequence[Rater],
    judgements: int,
    rng: np.random.Generator,
    wish: QualityWish | None,
) -> Plan:
    work = _share_out(layout, len(raters), judgements, rng)
    drawn = draw_followers(layout, work, wish, judgements, rng) if wish else ()
    if drawn:
        layout = lay_out([*layout.items, *drawn], layout.spread)
    work = [layout.with_followers(own) for own in work]
    sides = SideBalancer(len(layout.systems), rng)
    assignments: list[PlannedAssignment] = []
    gaps: dict[Rater, int] = {}
    for rater, own in zip(raters, work, strict=True):
        order, gaps[rater] = _order(layout, own, rng)
        swaps = choose_swaps(layout, order, sides, rng)
        assignments += [
            PlannedAssignment(layout.items[item].key, rater, position, swap)
            for position, (item, swap) in enumerate(zip(order, swaps, strict=True), start=1)
        ]
    return Plan(tuple(assignments), gaps, _gap_notes(raters, work, gaps), drawn)


def _share_out(layout: Layout, n_raters: int, judgements: int, rng: np.random.Generator) -> list[list[int]]:
    """Deal the units and even out the systems; list each rater's items."""
    order = unit_order(layout, rng)
    dealt = deal(len(order), n_raters, judgements, rng)
    pieces = [(unit, rater) for unit, holders in zip(order, dealt, strict=True) for rater in holders]
    vectors = np.array([layout.vector(unit) for unit in layout.units])
    n_systems = len(layout.systems)
    balancer = Balancer(
        Pieces(
            vectors=vectors[[unit for unit, _ in pieces]],
            sizes=[len(layout.units[unit]) for unit, _ in pieces],
            units=[unit for unit, _ in pieces],
        ),
        [rater for _, rater in pieces],
        np.zeros((n_raters, n_systems)),
        np.zeros(n_raters),
        Rules(layout.weights, layout.allowed, layout.width, moves=False),
        rng,
    )
    balancer.run(PROPOSALS + PROPOSALS_A_CELL * n_raters * n_systems)
    work: list[list[int]] = [[] for _ in range(n_raters)]
    for (unit, _), rater in zip(pieces, balancer.placed, strict=True):
        work[rater].extend(layout.units[unit])
    return work


def _order(layout: Layout, own: Sequence[int], rng: np.random.Generator) -> tuple[list[int], int]:
    segments: dict[int, list[int]] = {}
    for item in own:
        segments.setdefault(layout.segment_of[item], []).append(item)
    task = OrderTask(
        segments=list(segments.values()),
        last=[None] * len(segments),
        systems_of=layout.systems_of,
        counts=[0] * len(layout.systems),
    )
    order, gap = order_items(task, max(1, wanted_gap(len(own))), rng)
    return order, gap


def choose_swaps(
    layout: Layout,
    order: Sequence[int],
    sides: SideBalancer,
    rng: np.random.Generator,
    shown: Sequence[int] | None = None,
) -> list[bool]:
    """Choose for each item whether its second candidate is left: even for what is dealt, else at random.

    Args:
        layout: the campaign's items.
        order: items of one rater.
        sides: keeps the campaign even.
        rng: source of randomness.
        shown: times left less times right of each system in what the rater has seen already.
    """
    if not layout.pairwise:
        return [False] * len(order)
    led = layout.leaders(order)
    even = iter(sides.choose([sides_of(layout, item) for item in led], shown))
    return [next(even) if layout.pair_of[item] is None else bool(rng.random() < 0.5) for item in order]


def sides_of(layout: Layout, item: int) -> Sides:
    """Give the system indices of an item's first and second candidate."""
    number = {layout.systems[system]: system for system in layout.systems_of[item]}
    first, second = layout.items[item].candidates
    return tuple(dict.fromkeys(number[name] for name in first)), tuple(
        dict.fromkeys(number[name] for name in second)
    )


def _gap_notes(
    raters: Sequence[Rater], work: Sequence[Sequence[int]], gaps: dict[Rater, int]
) -> tuple[str, ...]:
    """Say where items of one segment come closer than wanted."""
    close: dict[tuple[int, int], list[str]] = {}
    for rater, own in zip(raters, work, strict=True):
        wanted = wanted_gap(len(own))
        if gaps[rater] < wanted:
            close.setdefault((gaps[rater], wanted), []).append(str(rater))
    return tuple(
        f"items of one segment are only {gap} position{'' if gap == 1 else 's'} apart, not {wanted}, for "
        f"{_count(len(names), 'rater')} ({', '.join(names[:5])}{' …' if len(names) > 5 else ''}): "
        "too many items a segment for so few segments"
        for (gap, wanted), names in close.items()
    )
