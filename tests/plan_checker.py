"""Check an exported plan from its rows alone, sharing no code with the planner.

Rows are dictionaries with the columns of the exported plan: `assignment, round, rater, position, testset,
segment, input, context, kind, left, right`. `right` is empty for direct assessment and `|` joins systems
whose outputs are identical. Rows of the kinds `system` and `reference` are dealt; those of other kinds follow
the item that their column `pair` names: same raters, same distances, a repeat after what it repeats.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

Row = Mapping[str, str]


@dataclass(frozen=True)
class _Showing:
    rater: str
    position: int
    segment: tuple[str, str]
    item: tuple[object, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]
    kind: str
    name: str
    pair: str

    @property
    def systems(self) -> frozenset[str]:
        return frozenset(self.left + self.right)


def check_plan(
    rows: Iterable[Row],
    judgements: int,
    *,
    spread: bool = False,
    leavers: Sequence[str] = (),
    done: Mapping[str, int] | None = None,
) -> list[str]:
    """List the violations of a plan, each beginning with the name of its rule; an empty list is good.

    Args:
        rows: rows of the exported plan.
        judgements: judgements wanted for an item.
        spread: whether every item was dealt on its own.
        leavers: raters who left. Their loads, counts and sides are free, and the segments they had begun may
            have one rater more for each of them.
        done: number of assignments each rater had done when the rater's order was last made anew because
            someone left; raters who are not named are judged from their first position on.
    """
    showings = [
        _Showing(
            rater=row["rater"],
            position=int(row["position"]),
            segment=(row["testset"], row["segment"]),
            item=(
                row["testset"],
                row["segment"],
                row["input"],
                row["context"],
                *sorted((row["left"], row["right"])),
            ),
            left=tuple(row["left"].split("|")),
            right=tuple(row["right"].split("|")) if row["right"] else (),
            kind=row["kind"],
            name=row.get("item", ""),
            pair=row.get("pair", ""),
        )
        for row in rows
    ]
    everything: dict[str, list[_Showing]] = defaultdict(list)
    for showing in sorted(showings, key=lambda showing: showing.position):
        everything[showing.rater].append(showing)
    followers = [showing for showing in showings if showing.kind not in ("system", "reference")]
    showings = [showing for showing in showings if showing.kind in ("system", "reference")]
    if not showings:
        return ["judgements: the plan is empty"]
    work: dict[str, list[_Showing]] = defaultdict(list)
    for showing in sorted(showings, key=lambda showing: showing.position):
        work[showing.rater].append(showing)
    staying = {rater: own for rater, own in work.items() if rater not in leavers}
    found = _judgements(showings, judgements)
    if not spread:
        found += _together(showings, judgements, leavers)
    found += _loads(showings, staying, spread)
    found += _systems(showings, staying, spread)
    found += _spacing(everything, dict(done or {}), leavers)
    found += _pairs(showings, followers, judgements, leavers)
    found += _sides(showings, staying, bool(leavers))
    return found


def _judgements(showings: Sequence[_Showing], judgements: int) -> list[str]:
    raters: dict[object, list[str]] = defaultdict(list)
    for showing in showings:
        raters[showing.item].append(showing.rater)
    return [
        f"judgements: item {item} has {len(own)} judgements of {len(set(own))} raters, {judgements} wanted"
        for item, own in raters.items()
        if len(own) != judgements or len(set(own)) != judgements
    ]


def _together(showings: Sequence[_Showing], judgements: int, leavers: Sequence[str]) -> list[str]:
    items: dict[object, set[object]] = defaultdict(set)
    held: dict[object, dict[str, set[object]]] = defaultdict(lambda: defaultdict(set))
    for showing in showings:
        items[showing.segment].add(showing.item)
        held[showing.segment][showing.rater].add(showing.item)
    found = []
    for segment, raters in held.items():
        begun = sum(leaver in raters for leaver in leavers)
        partial = [rater for rater, own in raters.items() if rater not in leavers and own != items[segment]]
        if not begun and partial:
            found.append(f"together: {', '.join(partial)} have only a part of segment {segment}")
        if len(raters) > judgements + begun:
            found.append(f"together: segment {segment} is with {len(raters)} raters")
    return found


def _pairs(
    showings: Sequence[_Showing], followers: Sequence[_Showing], judgements: int, leavers: Sequence[str]
) -> list[str]:
    """Look at what follows other items: its raters, and whether a repeat is one."""
    at = {(showing.name, showing.rater): showing for showing in showings}
    holders: dict[str, set[str]] = defaultdict(set)
    for showing in showings:
        holders[showing.name].add(showing.rater)
    raters: dict[tuple[str, str], list[str]] = defaultdict(list)
    found = []
    for showing in followers:
        raters[showing.name, showing.pair].append(showing.rater)
        pair = at.get((showing.pair, showing.rater))
        if pair is None:
            if showing.rater not in leavers:
                found.append(f"pairs: {showing.rater} has {showing.name} without {showing.pair}")
            continue
        if pair.segment != showing.segment:
            found.append(f"pairs: {showing.name} is of another segment than {showing.pair}")
        if showing.kind == "repeat" and {showing.left, showing.right} != {pair.left, pair.right}:
            found.append(f"pairs: {showing.name} does not repeat {showing.pair}")
        if showing.kind == "bad_reference" and not (
            showing.systems & pair.systems and showing.systems - {"bad reference"} <= pair.systems
        ):
            found.append(f"pairs: {showing.name} is not made from {showing.pair}")
    for (name, pair_name), own in raters.items():
        if len(own) > judgements or len(set(own)) != len(own):
            found.append(f"pairs: {name} has {len(own)} judgements of {len(set(own))} raters")
        if not leavers and set(own) != holders[pair_name]:
            found.append(f"pairs: {name} is with {sorted(own)}, {pair_name} with others")
        if not leavers and len(own) != judgements:
            found.append(f"pairs: {name} has {len(own)} judgements, {judgements} wanted")
    return found


def _loads(
    showings: Sequence[_Showing], staying: Mapping[str, Sequence[_Showing]], spread: bool
) -> list[str]:
    items: dict[object, set[object]] = defaultdict(set)
    for showing in showings:
        items[showing.segment].add(showing.item)
    width = 1 if spread else max(len(own) for own in items.values())
    loads = [len(own) for own in staying.values()]
    if loads and max(loads) - min(loads) > width:
        return [f"loads: between {min(loads)} and {max(loads)}, {width} apart at most"]
    return []


def _systems(
    showings: Sequence[_Showing], staying: Mapping[str, Sequence[_Showing]], spread: bool
) -> list[str]:
    """Compare each rater's counts of every two systems.

    Systems present in unequal numbers are compared after taking away the rater's fair share of each; fair
    shares are fractions, so one more is allowed there. A segment dealt whole may itself hold more of one
    system.
    """
    by_segment: dict[object, Counter[str]] = defaultdict(Counter)
    total: Counter[str] = Counter()
    by_item = {showing.item: showing for showing in showings}
    for showing in by_item.values():
        by_segment[showing.segment].update(showing.systems)
        total.update(showing.systems)
    slack = 1 + len(_sharing(showings))
    found = []
    for one, other in combinations(sorted(total), 2):
        allowed = slack + (total[one] != total[other])
        if not spread:
            allowed += max(0, max(abs(own[one] - own[other]) for own in by_segment.values()) - 1)
        share = (total[one] - total[other]) / len(by_item)
        for rater, own in staying.items():
            difference = sum((one in showing.systems) - (other in showing.systems) for showing in own)
            if abs(difference - share * len(own)) > allowed + 1e-6:
                found.append(f"systems: {rater} has {difference} more of {one} than of {other}")
    return found


def _spacing(
    work: Mapping[str, Sequence[_Showing]], done: Mapping[str, int], leavers: Sequence[str]
) -> list[str]:
    found = []
    for rater, own in work.items():
        positions = [showing.position for showing in own]
        if len(set(positions)) != len(positions):
            found.append(f"spacing: {rater} has two items at one position")
        if not leavers and positions != list(range(1, len(own) + 1)):
            found.append(f"spacing: positions of {rater} do not count from 1")
        if rater in leavers:
            continue
        fixed = done.get(rater, 0)
        wanted = min(20, -(-len(own) // 4))
        while wanted > 1 and not _possible([showing.segment for showing in own], fixed, wanted):
            wanted -= 1
        before: dict[object, int] = {}
        for index, showing in enumerate(own):
            if showing.segment in before and index >= fixed:
                distance = showing.position - before[showing.segment]
                if distance < wanted:
                    found.append(
                        f"spacing: {rater} sees {showing.segment} again after {distance}, not {wanted}, "
                        f"at {showing.position}"
                    )
            before[showing.segment] = showing.position
    return found


def _possible(segments: Sequence[object], fixed: int, distance: int) -> bool:
    """Say whether the places from `fixed` on could be filled so that equal segments keep the distance.

    Taking the segment with the most left, among those that may come, succeeds whenever anything does.
    """
    left = Counter(segments[fixed:])
    earliest = {segment: index + distance for index, segment in enumerate(segments[:fixed])}
    for now in range(fixed, len(segments)):
        ready = [segment for segment, number in left.items() if number and earliest.get(segment, 0) <= now]
        if not ready:
            return False
        chosen = max(ready, key=lambda segment: left[segment])
        left[chosen] -= 1
        earliest[chosen] = now + distance
    return True


def _sides(
    showings: Sequence[_Showing], staying: Mapping[str, Sequence[_Showing]], left_early: bool
) -> list[str]:
    if not any(showing.right for showing in showings):
        return []
    found = [
        f"sides: {showing.item} compares a system with itself"
        for showing in showings
        if not showing.right or set(showing.left) & set(showing.right)
    ]
    allowed = 1 + len(_sharing(showings))
    everyone: Counter[str] = Counter()
    for rater, own in staying.items():
        excess: Counter[str] = Counter()
        for showing in own:
            excess.update(set(showing.left))
            excess.subtract(set(showing.right))
        everyone.update(excess)
        found += [
            f"sides: {system} is left {number} times more than right for {rater}"
            for system, number in excess.items()
            if abs(number) > allowed
        ]
    if len(everyone) == 2 and not left_early:
        found += [
            f"sides: {system} leans by {number}" for system, number in everyone.items() if abs(number) > 1
        ]
    return found


def _sharing(showings: Sequence[_Showing]) -> set[str]:
    """Name the systems that share merged items."""
    return {
        name
        for showing in showings
        for names in (showing.left, showing.right)
        if len(names) > 1
        for name in names
    }
